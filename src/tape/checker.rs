//! The checks of a tape in one pass: each record is seen once, in order.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::chains::Chains;
use super::checks;
use super::event::{Phase, Record};
use super::files::Files;
use super::header::{Header, NEWEST_VERSION, Producer};
use super::integrity;
use super::kind::{Attribution, Kind, LlmCall};
use super::payload::{INLINE_LIMIT_BYTES, Payload};
use super::stored::Stored;
#[cfg(test)]
use super::whole::Tape;
use crate::replay::finding::{Finding, Findings};
use crate::replay::{Place, Seq};

/// What the checks remember of earlier records.
#[derive(Clone, Debug)]
pub(crate) struct TapeChecker {
    producer: Producer,
    has_paused_clock: bool,
    start: Option<i64>,
    next_seq: u64,
    virtual_time: Option<i64>,
    chains: Chains,
    last_monotonic: Option<i64>,
    phase: Phase,
    finalized: Option<Seq>,
    knows_phases: bool,
    last: Seq,
    calls: u64,
    next_call_index: u64,
    after_calls: u64,
    renders: FxHashSet<String>,
    lengths: FxHashMap<String, (Seq, u64)>,
    files: Files,
    /// The content of the payload store, if it is known before the records.
    stored: Option<Arc<Stored>>,
    pub findings: Findings,
}

/// All findings about a tape and its store, in the order of the catalogue. Event numbers are positions of records.
#[cfg(test)]
pub(crate) fn check_tape(tape: &Tape, stored: &Stored) -> Vec<Finding> {
    let mut checker = TapeChecker::new(&tape.header.header);
    for (record, at) in tape.records.iter().zip(0..) {
        checker.see(Seq(at), record);
    }
    let mut findings = checker.findings.clone().followed_by(checker.at_end());
    for (record, at) in tape.records.iter().zip(0..) {
        integrity::see_stored(Seq(at), record, stored, &mut findings);
    }
    integrity::see_orphans(checker.last, stored, &mut findings);
    if let Some(torn) = tape.torn {
        findings.push(torn_tail(Seq(tape.records.len() as u32), torn.place, torn.length_bytes as usize));
    }
    findings.into_sorted()
}

/// The finding for an incomplete last line.
pub(crate) fn torn_tail(at: Seq, place: Place, length_bytes: usize) -> Finding {
    let length = format!("{length_bytes} bytes");
    Finding::new(&checks::TORN_TAIL, [at]).expected("a whole line").actual(length).placed(place)
}

impl TapeChecker {
    pub(crate) fn new(header: &Header) -> TapeChecker {
        let mut findings = Findings::default();
        if header.version > NEWEST_VERSION {
            let finding = Finding::new(&checks::NEWER_VERSION, [Seq(0)]);
            findings.push(finding.expected(format!("at most {NEWEST_VERSION}")).actual(header.version.to_string()));
        }
        TapeChecker {
            producer: header.producer(),
            has_paused_clock: header.has_paused_clock(),
            start: header.started_at_unix_ms,
            next_seq: 0,
            virtual_time: None,
            chains: Chains::default(),
            last_monotonic: None,
            phase: Phase::default(),
            finalized: None,
            // Some writers of version 1 did not.
            knows_phases: header.version > 1,
            last: Seq(0),
            calls: 0,
            next_call_index: 1,
            after_calls: 0,
            renders: FxHashSet::default(),
            lengths: FxHashMap::default(),
            files: Files::default(),
            stored: None,
            findings,
        }
    }

    /// Adds a store that was examined before, so that its faults are found record by record.
    #[must_use]
    pub(crate) fn with_store(mut self, stored: Option<Arc<Stored>>) -> TapeChecker {
        self.stored = stored;
        self
    }

    pub(crate) fn see(&mut self, at: Seq, record: &Record) {
        self.last = at;
        if let Some(stored) = &self.stored {
            integrity::see_stored(at, record, stored, &mut self.findings);
        }
        self.see_seq(at, record);
        self.see_clocks(at, record);
        self.see_phase(at, record);
        self.see_payloads(at, record);
        self.see_kind(at, record);
        self.files.see(at, &record.kind, &mut self.findings);
    }

    /// Skips a line that is not a record. It takes the number of a record, so the next number is not reported as a gap.
    pub(crate) fn pass_over(&mut self) {
        self.next_seq = self.next_seq.saturating_add(1);
    }

    /// The findings that depend on the end.
    pub(crate) fn at_end(&self) -> Findings {
        let mut findings = self.findings.continued();
        // Tapes of the recorder's own API look like those of a run that threw an exception, so they are reported, too.
        if self.producer == Producer::Testbench && self.knows_phases && self.finalized.is_none() {
            let finding = Finding::new(&checks::NOT_FINALIZED, [self.last]);
            findings.push(finding.expected("a record of the finishing work").actual("none"));
        }
        findings
    }

    fn see_seq(&mut self, at: Seq, record: &Record) {
        let expected = std::mem::replace(&mut self.next_seq, record.seq.saturating_add(1));
        if record.seq != expected {
            self.findings.report(&checks::SEQ, || {
                Finding::new(&checks::SEQ, [at]).expected(expected.to_string()).actual(record.seq.to_string())
            });
        }
    }

    fn see_clocks(&mut self, at: Seq, record: &Record) {
        let now = record.virtual_time_ms;
        let before = self.virtual_time.replace(now);
        let mut report = |check, expected: i64, actual: i64| {
            let finding = Finding::new(check, [at]);
            self.findings.push(finding.expected(expected.to_string()).actual(actual.to_string()));
        };
        if let Some(before) = before.filter(|before| now < *before) {
            report(&checks::VIRTUAL_TIME_BACK, before, now);
        }
        let start = self.start.filter(|_| self.has_paused_clock);
        if let (None, Some(start)) = (before, start.filter(|start| now < *start)) {
            report(&checks::BEFORE_START, start, now);
        }
        let monotonic = self.last_monotonic.replace(record.monotonic_ms);
        if let Some(before) = monotonic.filter(|before| self.has_paused_clock && record.monotonic_ms < *before) {
            report(&checks::MONOTONIC_BACK, before, record.monotonic_ms);
        }
        if self.chains.add(record.monotonic_ms) && !self.has_paused_clock && self.chains.count() > 2 {
            let count = self.chains.count();
            let finding = Finding::new(&checks::MONOTONIC_CHAINS, [at]);
            self.findings
                .push(finding.expected("at most 2 rising sequences").actual(format!("{count} rising sequences")));
        }
        if let Kind::ClockSleep { duration_ms } = record.kind
            && let (Some(before), Some(_)) = (before.or(start), start)
        {
            let due = before.saturating_add_unsigned(duration_ms);
            if now < due {
                let finding = Finding::new(&checks::SHORT_SLEEP, [at]).about("duration", duration_ms.to_string());
                self.findings.push(finding.expected(due.to_string()).actual(now.to_string()));
            }
        }
    }

    fn see_phase(&mut self, at: Seq, record: &Record) {
        let before = std::mem::replace(&mut self.phase, record.phase);
        match (record.phase, self.finalized) {
            (Phase::RuntimeFinalize, _) => self.finalized = Some(at),
            // Only the first such record is reported.
            (Phase::UserScript, Some(since)) if before == Phase::RuntimeFinalize => {
                let finding = Finding::new(&checks::PHASE_ORDER, [since, at]);
                self.findings.push(finding.expected("runtime_finalize to the end").actual("user_script"));
            }
            (Phase::UserScript, _) => {}
        }
    }

    fn see_payloads(&mut self, at: Seq, record: &Record) {
        for (field, payload) in record.kind.payloads() {
            integrity::see(at, &field, payload, &mut self.findings);
            if let Payload::Inline { text, .. } = payload
                && text.len() > INLINE_LIMIT_BYTES
            {
                let finding = Finding::new(&checks::INLINE_LONG, [at]).about("field", field.as_str());
                let expected = format!("at most {INLINE_LIMIT_BYTES} bytes");
                self.findings.push(finding.expected(expected).actual(format!("{} bytes", text.len())));
            }
            self.see_length(at, payload.content_hash(), payload.len_bytes());
        }
    }

    fn see_length(&mut self, at: Seq, hash: &str, length: u64) {
        match self.lengths.get(hash) {
            Some((_, known)) if *known == length => {}
            Some((since, known)) => {
                let finding = Finding::new(&checks::TWO_LENGTHS, [*since, at]).about("hash", hash);
                self.findings.push(finding.expected(format!("{known} bytes")).actual(format!("{length} bytes")));
            }
            None => {
                self.lengths.insert(hash.to_owned(), (at, length));
            }
        }
    }

    fn see_kind(&mut self, at: Seq, record: &Record) {
        match &record.kind {
            Kind::LlmCall(call) => self.see_call(at, call),
            Kind::FileRead(file) | Kind::FileWrite(file) => self.see_length(at, &file.content_hash, file.len_bytes),
            Kind::McpJsonRpc(call) => integrity::see_exchange(at, call, &mut self.findings),
            Kind::CacheLookup { after_calls, .. } => self.see_after_calls(at, *after_calls),
            Kind::ToolCall(call) => {
                self.see_after_calls(at, call.after_calls);
                if let Some(why) = &call.unservable {
                    let finding = Finding::new(&checks::UNSERVABLE, [at]).about("tool", call.tool.as_str());
                    self.findings.push(finding.expected("an outcome that can be reused").actual(why.clone()));
                }
            }
            Kind::PromptRender { render_id, .. } => {
                self.renders.insert(render_id.clone());
            }
            Kind::PayloadRedaction => {
                let finding = Finding::new(&checks::REDACTED, [at]);
                self.findings.push(finding.expected("the original bytes").actual("a placeholder"));
            }
            Kind::Unknown => {
                let finding = Finding::new(&checks::UNKNOWN_KIND, [at]).about("kind", record.tag());
                self.findings.push(finding.expected("a known kind").actual(record.tag().to_owned()));
            }
            _ => {}
        }
    }

    fn see_call(&mut self, at: Seq, call: &LlmCall) {
        self.calls += 1;
        if let Some(index) = call.call_index {
            let expected = std::mem::replace(&mut self.next_call_index, index.saturating_add(1));
            if index != expected {
                let finding = Finding::new(&checks::CALL_INDEX, [at]);
                self.findings.push(finding.expected(expected.to_string()).actual(index.to_string()));
            }
        }
        if let Some(attribution) = &call.attribution {
            self.see_attribution(at, call, attribution);
        }
    }

    fn see_after_calls(&mut self, at: Seq, after_calls: u64) {
        let known = self.after_calls;
        self.after_calls = known.max(after_calls);
        if after_calls > self.calls || after_calls < known {
            let finding = Finding::new(&checks::AFTER_CALLS, [at]);
            let expected = format!("between {known} and {}", self.calls);
            self.findings.push(finding.expected(expected).actual(after_calls.to_string()));
        }
    }

    fn see_attribution(&mut self, at: Seq, call: &LlmCall, attribution: &Attribution) {
        let mut report = |field: &str, expected: String, actual: String| {
            let finding = Finding::new(&checks::ATTRIBUTION, [at]).about("field", field);
            self.findings.push(finding.expected(expected).actual(actual));
        };
        for segment in &attribution.segments {
            let field = segment.field.as_str();
            let reach = format!("bytes {} to {}", segment.start, segment.end);
            match length_of(field, call, attribution) {
                None => report(field, "a field of the request".to_owned(), "no such field".to_owned()),
                Some(most) if segment.end > most || segment.start > segment.end => {
                    report(field, format!("at most {most} bytes there"), reach);
                }
                Some(_) => {}
            }
            if !self.renders.contains(&segment.render_id) {
                report(field, "a render before it".to_owned(), format!("render {}", segment.render_id));
            }
        }
        let totals = [
            ("system", attribution.system_attributed, attribution.system_bytes),
            ("prompt", attribution.prompt_attributed, attribution.prompt_bytes),
        ];
        for (field, attributed, bytes) in totals.into_iter().filter(|(_, attributed, bytes)| attributed > bytes) {
            report(field, format!("at most {bytes} bytes"), format!("{attributed} bytes attributed"));
        }
    }
}

/// The maximum length of a field. The text of a message is part of its payload, so it is not longer than that.
fn length_of(field: &str, call: &LlmCall, attribution: &Attribution) -> Option<u64> {
    if field == "system" {
        return Some(attribution.system_bytes);
    }
    let (number, rest) = field.strip_prefix("messages[")?.split_once(']')?;
    let known = rest.is_empty() || rest.strip_prefix(".content[").is_some_and(|rest| rest.ends_with(']'));
    let message = call.messages.get(number.parse::<usize>().ok()?)?;
    known.then(|| message.len_bytes())
}

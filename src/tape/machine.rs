//! The machine of event tapes: what the timeline sees. Every record is an event, so on a healthy tape the number of an
//! event is the number of its record. The header comes before them.

use std::sync::Arc;

use serde_json::Value;

use super::caption::{caption, outcome};
use super::checker::TapeChecker;
use super::checks;
use super::decode::Decoder;
use super::effect::{EFFECT_NAMES, TapeEffect, effect_name};
use super::event::Line;
use super::field::{FIELD_NAMES, FIELDS, Field};
use super::header::Header;
use super::identity::{DRIFTING, identity, json_of};
use super::kind::Kind;
use super::resolve::resolved;
use super::state::TapeState;
use super::stored::Stored;
use super::summary::summary;
use crate::replay::caption::{Caption, Outcome};
use crate::replay::damage;
use crate::replay::finding::{Finding, Findings};
use crate::replay::imprint::Names;
use crate::replay::machine::{About, Emit, Machine, Malformed, Unit};
use crate::replay::source::Head;
use crate::replay::utterance::Utterance;
use crate::replay::vocabulary::{Concern, Facet, FieldId, FieldSet, KindId, KindWord, LaneId, LaneWord, Vocabulary};
use crate::replay::{Place, Seq};

const HEADER: KindId = KindId(Kind::TAGS.len() as u8);
const UNKNOWN: KindId = KindId(HEADER.0 - 1);
const LLM_CALL: KindId = KindId(Kind::LLM_CALL);
const PROCESS: KindId = KindId(Kind::PROCESS_SPAWN);

const fn word(name: &'static str, short: &'static str, lane: u8) -> KindWord {
    KindWord::new(name, short, LaneId(lane))
}

/// In the order of [`Kind::TAGS`], followed by the header.
pub(crate) static VOCABULARY: Vocabulary = Vocabulary {
    tag: &["kind", "kind"],
    untagged: &[UNKNOWN, HEADER, PROCESS],
    kinds: &[
        word("clock_read", "clock", 0).routine("clock read"),
        word("clock_sleep", "sleep", 0),
        word("llm_call", "model", 1),
        word("file_read", "read", 2),
        word("file_write", "write", 2),
        word("file_delete", "delete", 2),
        word("process_spawn", "process", 3),
        word("mcp_json_rpc", "mcp", 4),
        word("model_job", "job", 1),
        word("payload_redaction", "redaction", 6),
        word("cache_lookup", "cache", 5).routine("cache look-up"),
        word("prompt_render", "render", 1),
        word("decision_evaluation", "evaluation", 1),
        word("tool_call", "tool", 3),
        word("session_control", "control", 6),
        word("unknown", "unknown", 6),
        word("header", "header", 6),
    ],
    lanes: &[
        LaneWord::new("clock", Concern::Background),
        LaneWord::new("model", Concern::Model),
        LaneWord::new("files", Concern::File),
        LaneWord::new("tools", Concern::Tool),
        LaneWord::new("mcp", Concern::Exchange),
        LaneWord::new("cache", Concern::Background),
        LaneWord::new("tape", Concern::Background),
    ],
    facets: &[
        Facet { name: "phase", members: &[&["phase"]] },
        Facet { name: "tool", members: &[&["kind", "tool"]] },
        Facet { name: "file", members: &[&["kind", "path"]] },
    ],
    fields: FIELD_NAMES,
    effects: EFFECT_NAMES,
    speakers: &[LLM_CALL],
    drifting: DRIFTING,
    ..Vocabulary::NONE
};

/// The state of the checks.
#[derive(Clone)]
pub(crate) struct TapeLedger {
    checker: TapeChecker,
    /// Whether there is a header, or its absence has been reported.
    header_settled: bool,
}

impl TapeLedger {
    /// Adds a store that was examined before.
    #[must_use]
    pub(crate) fn with_store(mut self, stored: Option<Arc<Stored>>) -> TapeLedger {
        self.checker = self.checker.with_store(stored);
        self
    }

    /// The checks of a tape, given its first line if that is a header.
    pub(crate) fn new(head: Option<&Head>) -> TapeLedger {
        let Some(head) = head else {
            return TapeLedger { checker: TapeChecker::new(&Header::default()), header_settled: false };
        };
        let mut ledger = TapeLedger { checker: TapeChecker::new(&Header::default()), header_settled: true };
        match std::str::from_utf8(&head.bytes).map_err(|error| error.to_string()).map(Line::parse) {
            Ok(Ok(Line::Header(line))) => ledger.checker = TapeChecker::new(&line.header),
            Ok(Ok(Line::Record(_) | Line::Process(_))) => ledger.header_settled = false,
            Ok(Err(error)) => {
                ledger.checker.findings.push(damage::malformed(Seq(0), head.place, &error.to_string()));
            }
            Err(reason) => ledger.checker.findings.push(damage::malformed(Seq(0), head.place, &reason)),
        }
        if head.place.byte > 0 {
            let finding = Finding::new(&checks::HEADER_LATE, [Seq(0)]).placed(head.place);
            let actual = format!("{} bytes before it", head.place.byte);
            ledger.checker.findings.push(finding.expected("the header at the very beginning").actual(actual));
        }
        ledger
    }
}

fn field(id: FieldId) -> &'static Field {
    &FIELDS[id.0 as usize]
}

pub(crate) struct EventTape;

impl Machine for EventTape {
    type Event<'a> = Line;
    type Decoder = Decoder;
    type State = TapeState;
    type Ledger = TapeLedger;

    const VOCABULARY: &'static Vocabulary = &VOCABULARY;

    fn decode(decoder: &mut Decoder, record: &[u8]) -> Result<Line, Malformed> {
        decoder.decode(record)
    }

    fn about<T>(event: &Line, visit: impl FnOnce(About<'_>) -> T) -> T {
        let (kind, call) = match event {
            Line::Header(_) => (HEADER, None),
            Line::Record(record) => {
                let call = match &record.kind {
                    Kind::ToolCall(call) => Some(call.call_id.as_str()).filter(|id| !id.is_empty()),
                    _ => None,
                };
                (KindId(record.kind.index() as u8), call)
            }
            Line::Process(_) => (PROCESS, None),
        };
        visit(About { kind, turn: None, step: None, call })
    }

    fn identity(line: &Line, _: Names) -> u64 {
        identity(line)
    }

    /// Each record is a unit, because it describes something that is complete. Records keep their numbers when others
    /// are removed; the gap is reported like any other.
    fn unit(line: &Line) -> Unit {
        match line {
            Line::Header(_) => Unit::Fixed,
            Line::Record(_) | Line::Process(_) => Unit::Alone,
        }
    }

    fn to_json(line: &Line) -> Value {
        json_of(line)
    }

    fn summary(event: &Line) -> String {
        summary(event)
    }

    fn in_full(decoder: &Decoder, record: &[u8]) -> Option<Vec<u8>> {
        resolved(record, decoder.payloads.as_deref()?)
    }

    fn caption(event: &Line) -> Caption {
        caption(event)
    }

    fn outcome(event: &Line) -> Option<Outcome> {
        outcome(event)
    }

    fn said(event: &Line) -> Option<Utterance> {
        let Line::Record(record) = event else { return None };
        let Kind::LlmCall(_) = &record.kind else { return None };
        let response = record.main_value();
        let model = response["model"].as_str().unwrap_or_default().to_owned();
        Some(Utterance::prose("assistant", model, response["text"].as_str()?))
    }

    fn effects(_: &TapeState, event: &Line, emit: &mut Emit<'_>) -> Option<Value> {
        if let Some(name) = effect_name(event)
            && let Some(effect) = VOCABULARY.effect(name)
        {
            emit(effect, &TapeEffect { name, line: event });
        }
        None
    }

    fn apply(state: &mut TapeState, at: Seq, event: &Line) {
        match event {
            Line::Header(_) => {}
            Line::Record(record) => state.apply(at, record),
            Line::Process(entry) => state.apply_process(at, entry),
        }
    }

    fn changed(before: &TapeState, after: &TapeState) -> FieldSet {
        let mut set = FieldSet::default();
        for (field, at) in FIELDS.iter().zip(0..) {
            if !(field.same)(before, after) {
                set.insert(FieldId(at));
            }
        }
        set
    }

    fn value(state: &TapeState, id: FieldId) -> Value {
        (field(id).value)(state)
    }

    fn brief(state: &TapeState, id: FieldId, most: usize) -> String {
        (field(id).brief)(state, most)
    }

    fn write_change(before: &TapeState, after: &TapeState, id: FieldId, out: &mut String) {
        (field(id).write_change)(before, after, out);
    }

    fn entries(state: &TapeState) -> usize {
        state.entries()
    }

    fn check(ledger: &mut TapeLedger, at: Seq, event: &Line) {
        match event {
            Line::Header(_) => {
                let finding = Finding::new(&checks::SECOND_HEADER, [at]);
                ledger.checker.findings.push(finding.expected("a record").actual("a header"));
            }
            Line::Record(record) => {
                if !std::mem::replace(&mut ledger.header_settled, true) {
                    let finding = Finding::new(&checks::NO_HEADER, [at]);
                    ledger.checker.findings.push(finding.expected("a header").actual("a record"));
                }
                ledger.checker.see(at, record);
            }
            // A process entry has nothing that could contradict another one.
            Line::Process(_) => {}
        }
    }

    fn check_malformed(ledger: &mut TapeLedger, at: Seq, place: Place, malformed: &Malformed) {
        ledger.checker.pass_over();
        ledger.checker.findings.push(damage::malformed(at, place, &malformed.reason));
    }

    fn findings(ledger: &mut TapeLedger) -> &mut Findings {
        &mut ledger.checker.findings
    }

    fn findings_at_end(ledger: &mut TapeLedger) -> Findings {
        ledger.checker.at_end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_in_the_order_of_the_tags() {
        let names = VOCABULARY.kinds.iter().map(|word| word.name);
        assert!(names.eq(Kind::TAGS.into_iter().chain(["header"])));
        for word in VOCABULARY.kinds {
            assert!(word.short.len() <= KindWord::SHORT_COLUMNS, "{}", word.short);
            assert!((word.lane.0 as usize) < VOCABULARY.lanes.len(), "{}", word.name);
        }
        assert_eq!(VOCABULARY.kind_name(LLM_CALL), "llm_call");
        assert_eq!((VOCABULARY.kind_name(UNKNOWN), VOCABULARY.kind_name(PROCESS)), ("unknown", "process_spawn"));
    }

    #[test]
    fn a_late_header_and_a_second_header_are_reported() {
        let record =
            r#"{"type":"record","seq":0,"virtual_time_ms":0,"monotonic_ms":0,"kind":{"kind":"payload_redaction"}}"#;
        let header = r#"{"type":"header","version":5,"harn_version":"x"}"#;
        let mut ledger = TapeLedger::new(None);
        for (line, at) in [record, header].into_iter().zip(0..) {
            let event = EventTape::decode(&mut Decoder::default(), line.as_bytes()).expect("an event");
            EventTape::check(&mut ledger, Seq(at), &event);
        }
        let found: Vec<&str> =
            ledger.checker.findings.clone().into_sorted().iter().map(|finding| finding.check.id).collect();
        assert_eq!(found, ["tape/no-header", "tape/second-header", "tape/redacted"]);
    }
}

//! Tapes as the timeline sees them: every record is an event, so that on a healthy tape an event's number is the
//! record's own. The header stands before them.

use std::sync::Arc;

use serde_json::{Value, json};

use super::checks;
use super::event::{Line, Record};
use super::field::{FIELD_NAMES, FIELDS, Field};
use super::header::Header;
use super::identity::{DRIFTING, identity, json_of};
use super::judge::Judge;
use super::kind::Kind;
use super::payload::Payload;
use super::resolve::resolved;
use super::state::State;
use super::stored::{Payloads, Stored};
use super::summary::{label, of_process};
use crate::replay::damage;
use crate::replay::finding::{Finding, Findings};
use crate::replay::imprint::{Imprint, Names};
use crate::replay::machine::{About, Effect, Emit, Machine, Malformed, Obligation, Unit};
use crate::replay::said::Said;
use crate::replay::source::Head;
use crate::replay::vocabulary::{EffectId, FieldId, FieldSet, KindId, KindWord, LaneId, Vocabulary};
use crate::replay::{Place, Seq};

const HEADER: KindId = KindId(Kind::TAGS.len() as u8);
const UNKNOWN: KindId = KindId(HEADER.0 - 1);
const LLM_CALL: KindId = KindId(2);
const PROCESS: KindId = KindId(6);

const fn word(name: &'static str, short: &'static str, lane: u8) -> KindWord {
    KindWord { name, short, lane: LaneId(lane) }
}

/// In the order of [`Kind::TAGS`], the header behind them.
pub static VOCABULARY: Vocabulary = Vocabulary {
    tag: &["kind", "kind"],
    untagged: &[UNKNOWN, HEADER, PROCESS],
    kinds: &[
        word("clock_read", "clock", 0),
        word("clock_sleep", "sleep", 0),
        word("llm_call", "model", 1),
        word("file_read", "read", 2),
        word("file_write", "write", 2),
        word("file_delete", "delete", 2),
        word("process_spawn", "process", 3),
        word("mcp_json_rpc", "mcp", 4),
        word("model_job", "job", 1),
        word("payload_redaction", "redaction", 6),
        word("cache_lookup", "cache", 5),
        word("prompt_render", "render", 1),
        word("decision_evaluation", "evaluation", 1),
        word("tool_call", "tool", 3),
        word("session_control", "control", 6),
        word("unknown", "unknown", 6),
        word("header", "header", 6),
    ],
    lanes: &["clock", "model", "files", "tools", "mcp", "cache", "tape"],
    fields: FIELD_NAMES,
    effects: &["sleep", "model_call", "write", "delete", "spawn", "mcp_call", "tool", "model_job", "evaluation"],
    has_steps: false,
    turn_begins: None,
    compacts: None,
    call: None,
    speakers: &[LLM_CALL],
    drifting: DRIFTING,
};

/// What the checks remember.
#[derive(Clone)]
pub struct Ledger {
    judge: Judge,
    /// Somebody has told that there is no header.
    told_head: bool,
}

impl Ledger {
    /// The same with a store that has been looked at already.
    #[must_use]
    pub fn with_store(mut self, stored: Option<Arc<Stored>>) -> Ledger {
        self.judge = self.judge.with_store(stored);
        self
    }

    /// The checks of a tape that begins with a line, or without any.
    pub fn new(head: Option<&Head>) -> Ledger {
        let Some(head) = head else { return Ledger { judge: Judge::new(&Header::default()), told_head: false } };
        let mut ledger = Ledger { judge: Judge::new(&Header::default()), told_head: true };
        match std::str::from_utf8(&head.bytes).map_err(|error| error.to_string()).map(Line::parse) {
            Ok(Ok(Line::Header(line))) => ledger.judge = Judge::new(&line.header),
            Ok(Ok(Line::Record(_) | Line::Process(_))) => ledger.told_head = false,
            Ok(Err(error)) => {
                ledger.judge.findings.push(damage::malformed(Seq(0), head.place, &error.to_string()));
            }
            Err(reason) => ledger.judge.findings.push(damage::malformed(Seq(0), head.place, &reason)),
        }
        if head.place.byte > 0 {
            let finding = Finding::new(&checks::HEADER_LATE, [Seq(0)]).placed(head.place);
            let actual = format!("{} bytes before it", head.place.byte);
            ledger.judge.findings.push(finding.expected("the header at the very beginning").actual(actual));
        }
        ledger
    }
}

/// A stored payload that only tells how it went is not read when it is longer than this.
const LOOKED_UP_BYTES: u64 = 1 << 20;

/// Reads lines. Payloads that a line only names are looked up where a word of them is shown.
#[derive(Clone, Default)]
pub struct Decoder {
    pub payloads: Option<Arc<dyn Payloads>>,
}

impl Decoder {
    fn look_up(&self, record: &mut Record) {
        if let Some(payloads) = &self.payloads
            && let Some(Payload::Cas { content_hash, len_bytes }) = record.kind.telling()
            && *len_bytes <= LOOKED_UP_BYTES
        {
            let bytes = payloads.bytes(content_hash, LOOKED_UP_BYTES);
            record.looked_up = bytes.and_then(|bytes| String::from_utf8(bytes).ok()).map(String::into_boxed_str);
        }
    }
}

/// One effect of a line on the world.
struct OfLine<'l> {
    name: &'static str,
    line: &'l Line,
}

impl Effect for OfLine<'_> {
    fn to_json(&self) -> Value {
        json!({"kind": self.name, "what": EventTape::summary(self.line)})
    }

    /// The label without the word that the effect's name says already.
    fn write_detail(&self, out: &mut String) {
        let label = EventTape::summary(self.line);
        let verb = match self.name {
            "model_call" => "model call ",
            "spawn" => "run ",
            "mcp_call" => "mcp ",
            "model_job" => "job ",
            name => &format!("{name} "),
        };
        out.push_str(label.strip_prefix(verb).unwrap_or(&label));
    }
}

fn effect_of(kind: &Kind) -> Option<EffectId> {
    let name = match kind {
        Kind::ClockSleep { .. } => "sleep",
        Kind::LlmCall(_) => "model_call",
        Kind::FileWrite(_) => "write",
        Kind::FileDelete { .. } => "delete",
        Kind::ProcessSpawn(_) => "spawn",
        Kind::McpJsonRpc(_) => "mcp_call",
        Kind::ToolCall(_) => "tool",
        Kind::ModelJob { .. } => "model_job",
        Kind::DecisionEvaluation { .. } => "evaluation",
        _ => return None,
    };
    VOCABULARY.effect(name)
}

fn field(id: FieldId) -> &'static Field {
    &FIELDS[id.0 as usize]
}

pub struct EventTape;

impl Machine for EventTape {
    type Event<'a> = Line;
    type Decoder = Decoder;
    type State = State;
    type Ledger = Ledger;

    fn vocabulary() -> &'static Vocabulary {
        &VOCABULARY
    }

    fn decode(decoder: &mut Decoder, record: &[u8]) -> Result<Line, Malformed> {
        let malformed = |reason: String, byte| Malformed { reason, byte, unknown_kind: None };
        let text =
            std::str::from_utf8(record).map_err(|error| malformed("not UTF-8".to_owned(), error.valid_up_to()))?;
        let parsed = Line::parse_any(text);
        let mut line = parsed.map_err(|error| malformed(error.to_string(), error.column().saturating_sub(1)))?;
        if let Line::Record(record) = &mut line {
            decoder.look_up(record);
        }
        Ok(line)
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

    fn imprint(line: &Line) -> Imprint {
        Imprint::of(&json_of(line), &DRIFTING)
    }

    /// Each record tells of one thing that is over. They keep their numbers when others are taken away: what was
    /// recorded stands, and the gap is told like any other.
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
        match event {
            Line::Header(line) => {
                let script = line.header.script_path.as_deref().unwrap_or("-");
                format!("version {}, {script}", line.header.version)
            }
            Line::Record(record) => label(record),
            Line::Process(entry) => of_process(&entry.program, &entry.args, entry.exit_code, entry.duration_ms),
        }
    }

    fn in_full(decoder: &Decoder, record: &[u8]) -> Option<Vec<u8>> {
        resolved(record, decoder.payloads.as_deref()?)
    }

    fn outcome(event: &Line) -> Option<String> {
        let Line::Record(record) = event else { return None };
        let Kind::ToolCall(_) = &record.kind else { return None };
        record.told()["kind"].as_str().map(str::to_owned)
    }

    fn said(event: &Line) -> Option<Said> {
        let Line::Record(record) = event else { return None };
        let Kind::LlmCall(_) = &record.kind else { return None };
        let response = record.told();
        let model = response["model"].as_str().unwrap_or_default().to_owned();
        Some(Said::new("assistant", model, response["text"].as_str()?))
    }

    fn effects(_: &State, event: &Line, emit: &mut Emit<'_>) -> Option<Value> {
        let effect = match event {
            Line::Header(_) => None,
            Line::Record(record) => effect_of(&record.kind),
            Line::Process(_) => VOCABULARY.effect("spawn"),
        };
        if let Some(effect) = effect {
            emit(effect, &OfLine { name: VOCABULARY.effect_name(effect), line: event });
        }
        None
    }

    fn apply(state: &mut State, at: Seq, event: &Line) {
        match event {
            Line::Header(_) => {}
            Line::Record(record) => state.apply(at, record),
            Line::Process(entry) => state.apply_process(at, entry),
        }
    }

    fn apply_telling(state: &mut State, at: Seq, event: &Line) -> FieldSet {
        let before = state.clone();
        Self::apply(state, at, event);
        Self::changed(&before, state)
    }

    fn changed(before: &State, after: &State) -> FieldSet {
        let mut set = FieldSet::default();
        for (field, at) in FIELDS.iter().zip(0..) {
            if !(field.same)(before, after) {
                set.insert(FieldId(at));
            }
        }
        set
    }

    fn value(state: &State, id: FieldId) -> Value {
        (field(id).value)(state)
    }

    fn brief(state: &State, id: FieldId, most: usize) -> String {
        (field(id).brief)(state, most)
    }

    fn write_change(before: &State, after: &State, id: FieldId, out: &mut String) {
        (field(id).write_change)(before, after, out);
    }

    fn step_in_force(_: &State) -> u32 {
        0
    }

    /// Every record tells of something that is over.
    fn obligations(_: &State, _: usize) -> (Vec<Obligation>, usize) {
        (Vec::new(), 0)
    }

    fn entries(state: &State) -> usize {
        state.entries()
    }

    fn judge(ledger: &mut Ledger, at: Seq, event: &Line) {
        match event {
            Line::Header(_) => {
                let finding = Finding::new(&checks::SECOND_HEADER, [at]);
                ledger.judge.findings.push(finding.expected("a record").actual("a header"));
            }
            Line::Record(record) => {
                if !std::mem::replace(&mut ledger.told_head, true) {
                    let finding = Finding::new(&checks::NO_HEADER, [at]);
                    ledger.judge.findings.push(finding.expected("a header").actual("a record"));
                }
                ledger.judge.see(at, record);
            }
            // It says nothing that something else could contradict.
            Line::Process(_) => {}
        }
    }

    fn judge_malformed(ledger: &mut Ledger, at: Seq, place: Place, malformed: &Malformed) {
        ledger.judge.pass_over();
        ledger.judge.findings.push(damage::malformed(at, place, &malformed.reason));
    }

    fn findings(ledger: &mut Ledger) -> &mut Findings {
        &mut ledger.judge.findings
    }

    fn findings_at_end(ledger: &mut Ledger) -> Findings {
        ledger.judge.at_end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_in_the_order_of_the_tags() {
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
    fn a_record_before_the_header_and_a_second_header_are_told() {
        let record =
            r#"{"type":"record","seq":0,"virtual_time_ms":0,"monotonic_ms":0,"kind":{"kind":"payload_redaction"}}"#;
        let header = r#"{"type":"header","version":5,"harn_version":"x"}"#;
        let mut ledger = Ledger::new(None);
        for (line, at) in [record, header].into_iter().zip(0..) {
            let event = EventTape::decode(&mut Decoder::default(), line.as_bytes()).expect("an event");
            EventTape::judge(&mut ledger, Seq(at), &event);
        }
        let found: Vec<&str> =
            ledger.judge.findings.clone().into_sorted().iter().map(|finding| finding.check.id).collect();
        assert_eq!(found, ["tape/no-header", "tape/redacted", "tape/second-header"]);
    }
}

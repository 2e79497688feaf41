//! Tapes as the timeline sees them: every line is an event, the header too, so that each keeps its number.

use serde_json::{Value, json};

use super::checks;
use super::header::Header;
use super::identity::{DRIFTING, identity, json_of};
use super::judge::Judge;
use super::kind::Kind;
use super::label::{label, parsed};
use super::state::{FIELD_NAMES, Field, State, fields};
use super::stored::Stored;
use super::wire::{Line, Record};
use crate::replay::damage;
use crate::replay::finding::{Finding, Findings};
use crate::replay::imprint::{Imprint, Names};
use crate::replay::machine::{About, Effect, Emit, Machine, Malformed, Obligation, Unit};
use crate::replay::said::Said;
use crate::replay::vocabulary::{EffectId, FieldId, FieldSet, KindId, KindWord, LaneId, Vocabulary};
use crate::replay::{Place, Seq};

const HEADER: KindId = KindId(Kind::TAGS.len() as u8);
const LLM_CALL: KindId = KindId(2);

const fn word(name: &'static str, short: &'static str, lane: u8) -> KindWord {
    KindWord { name, short, lane: LaneId(lane) }
}

/// In the order of [`Kind::TAGS`], the header behind them.
pub static VOCABULARY: Vocabulary = Vocabulary {
    tag: "kind",
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
    turn_begins: None,
    compacts: None,
    call: None,
    speakers: &[LLM_CALL],
    drifting: DRIFTING,
};

/// What the checks remember, and what was found out about the store.
#[derive(Clone)]
pub struct Ledger {
    judge: Judge,
    has_begun: bool,
    stored: Stored,
}

impl Ledger {
    pub fn new(stored: Stored) -> Ledger {
        Ledger { judge: Judge::new(&Header::default()), has_begun: false, stored }
    }

    /// Whatever stands first begins the tape.
    fn begin(&mut self, header: &Header) {
        let found = std::mem::take(&mut self.judge.findings);
        self.judge = Judge::new(header);
        self.judge.findings.extend(found.into_sorted());
        self.has_begun = true;
    }
}

/// One effect of a record on the world.
struct OfRecord<'r> {
    name: &'static str,
    record: &'r Record,
}

impl Effect for OfRecord<'_> {
    fn to_json(&self) -> Value {
        json!({"kind": self.name, "what": label(self.record)})
    }

    fn write_detail(&self, out: &mut String) {
        out.push_str(&label(self.record));
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

fn field(id: FieldId) -> Option<&'static Field> {
    fields().nth(id.0 as usize)
}

fn shortened(text: String, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}… {} more characters", &text[..end], text[end..].chars().count()),
        None => text,
    }
}

pub struct EventTape;

impl Machine for EventTape {
    type Event<'a> = Line;
    type Decoder = ();
    type State = State;
    type Ledger = Ledger;

    fn vocabulary() -> &'static Vocabulary {
        &VOCABULARY
    }

    fn decode((): &mut (), record: &[u8]) -> Result<Line, Malformed> {
        let malformed = |reason: String, byte| Malformed { reason, byte, unknown_kind: None };
        let text =
            std::str::from_utf8(record).map_err(|error| malformed("not UTF-8".to_owned(), error.valid_up_to()))?;
        Line::parse(text).map_err(|error| malformed(error.to_string(), error.column().saturating_sub(1)))
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
            Line::Record(_) => Unit::Alone,
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
        }
    }

    fn outcome(event: &Line) -> Option<String> {
        match event {
            Line::Record(record) => match &record.kind {
                Kind::ToolCall(call) => parsed(&call.outcome)["kind"].as_str().map(str::to_owned),
                _ => None,
            },
            Line::Header(_) => None,
        }
    }

    fn said(event: &Line) -> Option<Said> {
        let Line::Record(record) = event else { return None };
        let Kind::LlmCall(call) = &record.kind else { return None };
        let response = parsed(&call.response);
        let model = response["model"].as_str().unwrap_or_default().to_owned();
        Some(Said::new("assistant", model, response["text"].as_str()?))
    }

    fn effects(_: &State, event: &Line, emit: &mut Emit<'_>) -> Option<Value> {
        if let Line::Record(record) = event
            && let Some(effect) = effect_of(&record.kind)
        {
            emit(effect, &OfRecord { name: VOCABULARY.effect_name(effect), record });
        }
        None
    }

    fn apply(state: &mut State, at: Seq, event: &Line) {
        match event {
            Line::Header(line) => state.virtual_time_ms = line.header.started_at_unix_ms.unwrap_or_default(),
            Line::Record(record) => state.apply(at, record),
        }
    }

    fn apply_telling(state: &mut State, at: Seq, event: &Line) -> FieldSet {
        let before = state.clone();
        Self::apply(state, at, event);
        Self::changed(&before, state)
    }

    fn changed(before: &State, after: &State) -> FieldSet {
        let mut set = FieldSet::default();
        for (field, at) in fields().zip(0..) {
            if !(field.same)(before, after) {
                set.insert(FieldId(at));
            }
        }
        set
    }

    fn value(state: &State, id: FieldId) -> Value {
        field(id).map_or(Value::Null, |field| (field.value)(state))
    }

    fn brief(state: &State, id: FieldId, most: usize) -> String {
        shortened(Self::value(state, id).to_string(), most)
    }

    fn write_change(before: &State, after: &State, id: FieldId, out: &mut String) {
        const SHOWN_CHARACTERS: usize = 2000;
        out.push_str(&Self::brief(before, id, SHOWN_CHARACTERS));
        out.push('→');
        out.push_str(&Self::brief(after, id, SHOWN_CHARACTERS));
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
            Line::Header(line) if !ledger.has_begun => ledger.begin(&line.header),
            Line::Header(_) => {
                let finding = Finding::new(&checks::SECOND_HEADER, [at]);
                ledger.judge.findings.push(finding.expected("a record").actual("a header"));
            }
            Line::Record(record) => {
                if !ledger.has_begun {
                    ledger.begin(&Header::default());
                    let finding = Finding::new(&checks::NO_HEADER, [at]);
                    ledger.judge.findings.push(finding.expected("a header").actual("a record"));
                }
                ledger.judge.see(at, record, &ledger.stored);
            }
        }
    }

    fn judge_malformed(ledger: &mut Ledger, at: Seq, place: Place, malformed: &Malformed) {
        ledger.judge.findings.push(damage::malformed(at, place, &malformed.reason));
    }

    fn findings(ledger: &mut Ledger) -> &mut Findings {
        &mut ledger.judge.findings
    }

    fn findings_at_end(ledger: &mut Ledger) -> Findings {
        ledger.judge.at_end(&ledger.stored)
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
    }

    #[test]
    fn a_record_before_the_header_and_a_second_header_are_told() {
        let record =
            r#"{"type":"record","seq":0,"virtual_time_ms":0,"monotonic_ms":0,"kind":{"kind":"payload_redaction"}}"#;
        let header = r#"{"type":"header","version":5,"harn_version":"x"}"#;
        let mut ledger = Ledger::new(Stored::default());
        for (line, at) in [record, header].into_iter().zip(0..) {
            let event = EventTape::decode(&mut (), line.as_bytes()).expect("an event");
            EventTape::judge(&mut ledger, Seq(at), &event);
        }
        let found: Vec<&str> =
            ledger.judge.findings.clone().into_sorted().iter().map(|finding| finding.check.id).collect();
        assert_eq!(found, ["tape/no-header", "tape/redacted", "tape/second-header"]);
    }
}

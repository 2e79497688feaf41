//! A record's bytes become an event: exactly as serde would have it, and fast where that is certain.
//!
//! The fast path walks the record once, remembers where each known field stands, and builds the kinds that
//! make up nearly all of a log. Whatever is unusual (a null, an escape in a key, a doubled field, a nested
//! value it does not know, any other kind) goes to the exact path, which is serde's derived decoder. Both
//! give the same event; a law in `tests/` holds them to it.

use crate::json::scan::{Scanner, Shape};
use crate::json::text::Text;

use super::event::{Decision, DeltaKind, Event, Fingerprint, ToolOutcome, Usage, Verdict};
use super::kind::Kind;

/// Why a record is no event. It keeps its place in the log all the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Malformed {
    pub reason: String,
    /// Byte of the record at which decoding stopped.
    pub byte: usize,
    /// The record's tag, when it is one that nobody knows: a newer writer rather than damage.
    pub unknown_kind: Option<String>,
}

pub fn decode(record: &[u8]) -> Result<Event<'_>, Malformed> {
    if let Some(event) = std::str::from_utf8(record).ok().and_then(fast) {
        return Ok(event);
    }
    exact(record)
}

/// The reference behaviour: one serde decode with all its rules.
pub fn exact(record: &[u8]) -> Result<Event<'_>, Malformed> {
    serde_json::from_slice::<Event<'_>>(record).map_err(|error| malformed(record, &error))
}

fn malformed(record: &[u8], error: &serde_json::Error) -> Malformed {
    #[derive(serde::Deserialize)]
    struct Tagged {
        event_type: serde_json::Value,
    }
    let tag = serde_json::from_slice::<Tagged>(record).ok().map(|tagged| tagged.event_type);
    let unknown_kind = match tag {
        Some(serde_json::Value::String(name)) if Kind::from_name(&name).is_none() => Some(name),
        _ => None,
    };
    let message = error.to_string();
    let reason = match message.rfind(" at line ") {
        Some(end) => message[..end].to_owned(),
        None => message,
    };
    Malformed { reason, byte: byte_of(record, error.line(), error.column()), unknown_kind }
}

/// serde_json counts lines and columns from one; a record's reader wants the byte.
fn byte_of(record: &[u8], line: usize, column: usize) -> usize {
    let mut start = 0;
    for _ in 1..line {
        match memchr::memchr(b'\n', &record[start..]) {
            Some(found) => start += found + 1,
            None => break,
        }
    }
    (start + column.saturating_sub(1)).min(record.len())
}

macro_rules! fields {
    ($($id:ident $name:literal),* $(,)?) => {
        #[derive(Clone, Copy)]
        #[repr(u8)]
        #[allow(clippy::enum_variant_names)]
        enum Field { $($id),* }

        impl Field {
            const COUNT: usize = [$($name),*].len();

            fn from_name(name: &str) -> Option<Field> {
                match name { $($name => Some(Field::$id),)* _ => None }
            }
        }
    };
}

fields! {
    EventType "event_type", TurnId "turn_id", StepIdx "step_idx", CallId "call_id", ToolName "tool_name",
    RequestFp "request_fp", TokenBudget "token_budget", Usage "usage", BlockCount "block_count",
    TextPreview "text_preview", AssistantText "assistant_text", InputJson "input_json", Decision "decision",
    WaveIdx "wave_idx", Outcome "outcome", DurationMs "duration_ms", WroteState "wrote_state",
    ResultPreview "result_preview", SessionContent "session_content", Verdict "verdict", Kind "kind",
    Body "text", Layer "layer", QueryKey "query_key", CompilerSource "compiler_source",
}

/// Where each known field of one record stands.
struct Fields<'a> {
    record: &'a str,
    found: [(u32, u32, Shape); Field::COUNT],
    present: u64,
    nested: u64,
}

impl<'a> Fields<'a> {
    fn scan(record: &'a str) -> Option<Self> {
        if record.len() > u32::MAX as usize {
            return None;
        }
        let mut fields =
            Fields { record, found: [(0, 0, Shape::Null); Field::COUNT], present: 0, nested: 0 };
        let mut scanner = Scanner::new(record);
        scanner.skip_blanks();
        scanner.take(b'{')?;
        loop {
            let field = Field::from_name(scanner.key()?);
            let from = scanner.at();
            let shape = scanner.value()?;
            match field {
                Some(field) => {
                    let bit = 1 << field as u64;
                    if fields.present & bit != 0 {
                        return None;
                    }
                    fields.present |= bit;
                    if shape == Shape::Nested {
                        fields.nested |= bit;
                    }
                    fields.found[field as usize] = (from as u32, scanner.at() as u32, shape);
                }
                // An unknown nested value would have to be verified to its depths.
                None if shape == Shape::Nested => return None,
                None => {}
            }
            if !scanner.more(b'}')? {
                break;
            }
        }
        scanner.skip_blanks();
        scanner.is_done().then_some(fields)
    }

    fn get(&self, field: Field) -> Option<(&'a str, Shape)> {
        if self.present & (1 << field as u64) == 0 {
            return None;
        }
        let (from, to, shape) = self.found[field as usize];
        Some((&self.record[from as usize..to as usize], shape))
    }

    fn text(&self, field: Field) -> Option<Text<'a>> {
        match self.get(field)? {
            (quoted, Shape::String { escaped: false }) => Some(Text::Plain(&quoted[1..quoted.len() - 1])),
            (quoted, Shape::String { escaped: true }) => Some(Text::Escaped(&quoted[1..quoted.len() - 1])),
            _ => None,
        }
    }

    fn text_or_empty(&self, field: Field) -> Option<Text<'a>> {
        if self.get(field).is_none() { Some(Text::default()) } else { self.text(field) }
    }

    /// A text without escapes, to be matched against known words.
    fn word(&self, field: Field) -> Option<&'a str> {
        match self.get(field)? {
            (quoted, Shape::String { escaped: false }) => Some(&quoted[1..quoted.len() - 1]),
            _ => None,
        }
    }

    fn number(&self, field: Field) -> Option<u32> {
        match self.get(field)? {
            (digits, Shape::Digits) => digits.parse().ok(),
            _ => None,
        }
    }

    fn boolean(&self, field: Field) -> Option<bool> {
        match self.get(field)?.1 {
            Shape::True => Some(true),
            Shape::False => Some(false),
            _ => None,
        }
    }

    /// The nested value of a field, and the assurance that no other field holds one unverified.
    fn only_nested(&self, field: Field) -> Option<&'a str> {
        (self.nested == 1 << field as u64).then(|| self.get(field)).flatten().map(|found| found.0)
    }
}

fn fast(record: &str) -> Option<Event<'_>> {
    let fields = Fields::scan(record)?;
    let kind = Kind::from_name(fields.word(Field::EventType)?)?;
    let event = match kind {
        Kind::ModelRequestIssued => Event::ModelRequestIssued {
            turn_id: fields.text(Field::TurnId)?,
            step_idx: fields.number(Field::StepIdx)?,
            request_fp: fingerprint(fields.only_nested(Field::RequestFp)?)?,
            token_budget: fields.number(Field::TokenBudget)?,
        },
        Kind::ModelMessage => Event::ModelMessage {
            turn_id: fields.text(Field::TurnId)?,
            step_idx: fields.number(Field::StepIdx)?,
            usage: usage(fields.only_nested(Field::Usage)?)?,
            block_count: fields.number(Field::BlockCount)?,
            text_preview: fields.text_or_empty(Field::TextPreview)?,
            assistant_text: fields.text_or_empty(Field::AssistantText)?,
        },
        Kind::ToolCallPlanned => Event::ToolCallPlanned {
            turn_id: fields.text(Field::TurnId)?,
            step_idx: fields.number(Field::StepIdx)?,
            call_id: fields.text(Field::CallId)?,
            tool_name: fields.text(Field::ToolName)?,
            input_json: fields.text(Field::InputJson)?,
            decision: decision(fields.only_nested(Field::Decision)?)?,
        },
        _ if fields.nested != 0 => return None,
        Kind::ModelDelta => Event::ModelDelta {
            turn_id: fields.text(Field::TurnId)?,
            step_idx: fields.number(Field::StepIdx)?,
            kind: match fields.word(Field::Kind)? {
                "text" => DeltaKind::Text,
                "thinking_text" => DeltaKind::ThinkingText,
                "tool_call_arg" => DeltaKind::ToolCallArg,
                _ => return None,
            },
            call_id: match fields.get(Field::CallId) {
                None | Some((_, Shape::Null)) => None,
                Some(_) => Some(fields.text(Field::CallId)?),
            },
            text: fields.text(Field::Body)?,
        },
        Kind::ToolCallStarted => Event::ToolCallStarted {
            turn_id: fields.text(Field::TurnId)?,
            call_id: fields.text(Field::CallId)?,
            wave_idx: fields.number(Field::WaveIdx)?,
        },
        Kind::ToolCallFinished => Event::ToolCallFinished {
            turn_id: fields.text(Field::TurnId)?,
            call_id: fields.text(Field::CallId)?,
            tool_name: fields.text(Field::ToolName)?,
            outcome: match fields.word(Field::Outcome)? {
                "success" => ToolOutcome::Success,
                "timeout" => ToolOutcome::Timeout,
                _ => return None,
            },
            duration_ms: fields.number(Field::DurationMs)?,
            wrote_state: fields.boolean(Field::WroteState)?,
            result_preview: fields.text_or_empty(Field::ResultPreview)?,
            session_content: fields.text_or_empty(Field::SessionContent)?,
        },
        Kind::ApprovalResolved => Event::ApprovalResolved {
            turn_id: fields.text(Field::TurnId)?,
            call_id: fields.text(Field::CallId)?,
            verdict: match fields.word(Field::Verdict)? {
                "approved" => Verdict::Approved,
                "rejected" => Verdict::Rejected,
                "retried" => Verdict::Retried,
                _ => return None,
            },
        },
        Kind::MemoryPlaneQueried => Event::MemoryPlaneQueried {
            turn_id: fields.text(Field::TurnId)?,
            step_idx: fields.number(Field::StepIdx)?,
            layer: fields.text(Field::Layer)?,
            query_key: fields.text(Field::QueryKey)?,
            compiler_source: fields.text_or_empty(Field::CompilerSource)?,
        },
        _ => return None,
    };
    Some(event)
}

/// Walks a flat object; `member` takes one value and refuses a key it has had.
fn members<'a>(object: &'a str, mut member: impl FnMut(&'a str, &mut Scanner<'a>) -> Option<()>) -> Option<()> {
    let mut scanner = Scanner::new(object);
    scanner.take(b'{')?;
    loop {
        let key = scanner.key()?;
        member(key, &mut scanner)?;
        if !scanner.more(b'}')? {
            return Some(());
        }
    }
}

/// Fills an empty place; a second value for it is a doubled key, which only the exact path may judge.
fn fill<T>(place: &mut Option<T>, value: Option<T>) -> Option<()> {
    if place.is_some() {
        return None;
    }
    *place = Some(value?);
    Some(())
}

fn fingerprint(object: &str) -> Option<Fingerprint<'_>> {
    let (mut stable, mut full) = (None, None);
    members(object, |key, scanner| match key {
        "static_prefix_sha256" => fill(&mut stable, scanner.text()),
        "full_prefix_sha256" => fill(&mut full, scanner.text()),
        _ => None,
    })?;
    Some(Fingerprint { static_prefix_sha256: stable?, full_prefix_sha256: full? })
}

fn usage(object: &str) -> Option<Usage> {
    let (mut input, mut output) = (None, None);
    members(object, |key, scanner| match key {
        "input_tokens" => fill(&mut input, scanner.number_u32()),
        "output_tokens" => fill(&mut output, scanner.number_u32()),
        _ => None,
    })?;
    Some(Usage { input_tokens: input?, output_tokens: output?, ..Usage::default() })
}

fn decision(object: &str) -> Option<Decision> {
    let (mut approval, mut parallel, mut read_only) = (None, None, None);
    members(object, |key, scanner| match key {
        "approval_required" => fill(&mut approval, scanner.boolean()),
        "parallel_eligible" => fill(&mut parallel, scanner.boolean()),
        "read_only" => fill(&mut read_only, scanner.boolean()),
        _ => None,
    })?;
    Some(Decision { approval_required: approval?, parallel_eligible: parallel?, read_only: read_only? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fast_and_exact_agree() {
        for record in [
            r#"{"event_type":"tool_call_started","turn_id":"t","call_id":"c\n","wave_idx":0}"#,
            r#" { "wave_idx" : 7 , "call_id":"c", "turn_id":"t","event_type":"tool_call_started","x":[1] } "#,
            r#"{"event_type":"model_message","turn_id":"t","step_idx":1,"usage":{"input_tokens":1,"output_tokens":2},"block_count":0}"#,
            r#"{"event_type":"tool_call_finished","turn_id":"t","call_id":"c","tool_name":"x","outcome":"success","duration_ms":1,"wrote_state":true}"#,
            r#"{"event_type":"model_delta","turn_id":"t","step_idx":1,"kind":"text","call_id":null,"text":"x"}"#,
        ] {
            let fast = fast(record);
            let exact = exact(record.as_bytes()).ok();
            assert!(exact.is_some(), "{record}");
            assert!(fast.is_none() || fast == exact, "{record}");
        }
    }

    #[test]
    fn what_the_reference_refuses_is_refused() {
        for record in [
            "",
            "{}",
            r#"{"event_type":"nobody","turn_id":"t"}"#,
            r#"{"event_type":"tool_call_started","turn_id":"t","call_id":"c","wave_idx":1.0}"#,
            r#"{"event_type":"tool_call_started","turn_id":"t","call_id":"c","wave_idx":-1}"#,
            r#"{"event_type":"tool_call_started","turn_id":"t","call_id":"c","wave_idx":4294967296}"#,
            r#"{"event_type":"tool_call_started","turn_id":"t","call_id":null,"wave_idx":1}"#,
            r#"{"event_type":"tool_call_started","turn_id":"t","turn_id":"t","call_id":"c","wave_idx":1}"#,
            r#"{"event_type":"tool_call_started","turn_id":"t","call_id":"c","wave_idx":1,"x":"\ud800"}"#,
            r#"{"event_type":"tool_call_started","turn_id":"t","call_id":"c","wave_idx":1} x"#,
            r#"{"event_type":"model_message","turn_id":"t","step_idx":1,"usage":{"input_tokens":1,"output_tokens":2},"block_count":0,"text_preview":null}"#,
        ] {
            assert!(decode(record.as_bytes()).is_err(), "{record}");
        }
        let odd = r#"["turn_ended","t1","completed",1]"#;
        assert!(matches!(decode(odd.as_bytes()), Ok(Event::TurnEnded { total_steps: 1, .. })));
        let odd = r#"{"event_type":"turn_ended","turn_id":"t","outcome":{"completed":null},"total_steps":1}"#;
        assert!(decode(odd.as_bytes()).is_ok());
    }

    #[test]
    fn an_unknown_tag_is_told_from_damage() {
        let unknown = decode(br#"{"event_type":"quantum_leap","turn_id":"t"}"#).unwrap_err();
        assert_eq!(unknown.unknown_kind.as_deref(), Some("quantum_leap"));
        let damaged = decode(br#"{"event_type":"turn_ended","turn_id":"t"}"#).unwrap_err();
        assert_eq!((damaged.unknown_kind, damaged.reason.as_str()), (None, "missing field `outcome`"));
    }
}

//! The utterance of an event, if it has one. Texts are those of the saved messages (`turn::conversation`, corrected
//! rules): the input of every turn, but no results of composite sub-steps, which engines do not save.

use std::borrow::Cow;

use super::event::{Event, ToolOutcome};
use super::kind::EventKind;
use super::summary::outcome_text;
use super::tools::composite_parent;
use crate::json::pretty::pretty;
use crate::replay::utterance::{Part, PartKind, Utterance};
use crate::replay::vocabulary::KindId;

/// The kinds of events for which [`said`] may return something.
pub(crate) const SPEAKERS: &[KindId] = &[
    KindId(EventKind::TurnStarted as u8),
    KindId(EventKind::TurnEnded as u8),
    KindId(EventKind::ModelMessage as u8),
    KindId(EventKind::ToolCallPlanned as u8),
    KindId(EventKind::ToolCallFinished as u8),
    KindId(EventKind::ApprovalResolved as u8),
    KindId(EventKind::CompactionArtifactCreated as u8),
    KindId(EventKind::SteerInjected as u8),
    KindId(EventKind::LayeredContextSeamInjected as u8),
];

/// Longer arguments are shown as they are, not pretty-printed.
const PRETTY_BYTES: usize = 256 << 10;

pub(crate) fn said(event: &Event<'_>) -> Option<Utterance> {
    let some = |role, about: String, text: &str| (!text.is_empty()).then(|| Utterance::prose(role, about, text));
    match event {
        Event::TurnStarted { input_text, .. } => some("user", String::new(), &input_text.get()),
        Event::SteerInjected { text, .. } => some("steer", String::new(), &text.get()),
        Event::ModelMessage { text_preview, assistant_text, .. } => {
            let text = if assistant_text.is_empty() { text_preview } else { assistant_text };
            some("assistant", String::new(), &text.get())
        }
        Event::ToolCallPlanned { call_id, tool_name, input_json, .. } => {
            let about = format!("{tool_name} {call_id}");
            let input = Part::new(PartKind::Code("json".to_owned()), arguments(&input_json.get()));
            Some(Utterance::of("tool call", about, vec![input]))
        }
        Event::ToolCallFinished { call_id, tool_name, outcome, result_preview, session_content, .. } => {
            if composite_parent(&call_id.get()).is_some() {
                return None;
            }
            let text = match outcome {
                _ if !session_content.is_empty() => session_content.get(),
                ToolOutcome::ToolError { message } if !message.is_empty() => Cow::Owned(format!("Error: {message}")),
                ToolOutcome::Blocked { reason } | ToolOutcome::GuardHalt { reason } if result_preview.is_empty() => {
                    Cow::Borrowed(reason.as_str())
                }
                _ => result_preview.get(),
            };
            // An empty result is an answer, too: the outcome is shown with it.
            let said = Utterance::new("tool result", format!("{tool_name} {call_id} {}", outcome.name()), &text);
            Some(said.failing(matches!(outcome, ToolOutcome::ToolError { .. } | ToolOutcome::Timeout)))
        }
        Event::ApprovalResolved { call_id, verdict, .. } => {
            some("approval", call_id.to_string(), &format!("{verdict:?}").to_lowercase())
        }
        Event::CompactionArtifactCreated { artifact_id, replaced_range, summary_token_count, .. } => {
            let text = format!(
                "messages {} to {} are replaced by a summary of {summary_token_count} tokens",
                replaced_range.from, replaced_range.to
            );
            some("compaction", artifact_id.to_string(), &text)
        }
        Event::LayeredContextSeamInjected { level, messages_covered, text_preview, .. } => {
            some("seam", format!("level {level} over {messages_covered} messages"), &text_preview.get())
        }
        Event::TurnEnded { outcome, total_steps, .. } => {
            some("end", format!("after {total_steps} steps"), &outcome_text(outcome))
        }
        _ => None,
    }
}

/// Pretty-prints the arguments if they are JSON. `pretty` does not verify its input.
fn arguments(input: &str) -> Cow<'_, str> {
    let is_json = input.len() <= PRETTY_BYTES && serde_json::from_str::<serde::de::IgnoredAny>(input).is_ok();
    if is_json { Cow::Owned(pretty(input.as_bytes())) } else { Cow::Borrowed(input) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turn::decode::TurnDecoder;

    fn of(json: &str) -> Option<(&'static str, String, String)> {
        let event = TurnDecoder::default().decode(json.as_bytes()).expect("an event");
        let said = said(&event)?;
        assert!(SPEAKERS.contains(&KindId(event.kind() as u8)), "{json}");
        let text = said.text();
        Some((said.role, said.about, text))
    }

    #[test]
    fn results_follow_the_corrected_rules() {
        let result = |call: &str, outcome: &str, rest: &str| {
            of(&format!(
                r#"{{"event_type":"tool_call_finished","turn_id":"t","call_id":"{call}","tool_name":"x","outcome":{outcome},"duration_ms":1,"wrote_state":false{rest}}}"#
            ))
        };
        let text = |found: Option<(&'static str, String, String)>| found.map(|(_, _, text)| text);
        assert_eq!(text(result("c1:step:0", "\"success\"", r#","result_preview":"r""#)), None);
        let error = r#"{"tool_error":{"message":"no"}}"#;
        assert_eq!(text(result("c", error, "")).as_deref(), Some("Error: no"));
        assert_eq!(text(result("c", error, r#","session_content":"s""#)).as_deref(), Some("s"));
        let all = r#","result_preview":"p","session_content":"s""#;
        assert_eq!(text(result("c", "\"success\"", all)).as_deref(), Some("s"));
        let none = result("c", "\"timeout\"", "").expect("an answer");
        assert_eq!((none.1.as_str(), none.2.as_str()), ("x c timeout", ""));
    }

    #[test]
    fn arguments_are_pretty_printed_only_if_they_are_json() {
        assert_eq!(arguments(r#"{"a":1}"#), "{\n  \"a\": 1\n}");
        assert_eq!(arguments("not json, really"), "not json, really");
        let deep = "[".repeat(100_000);
        assert_eq!(arguments(&deep), deep);
    }
}

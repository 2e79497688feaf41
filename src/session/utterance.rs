//! The entry of a session event in the conversation, for display.

use super::conversation::{opening, text_of};
use super::event::SessionEvent;
use super::kind::SessionKind;
use super::summary::{named_call, summary};
use crate::replay::utterance::{Part, PartKind, Utterance};
use crate::replay::vocabulary::KindId;

/// The kinds of events for which [`said`] may return something.
pub(crate) const SPEAKERS: &[KindId] = &[
    KindId(SessionKind::RunStarted as u8),
    KindId(SessionKind::LlmCompleted as u8),
    KindId(SessionKind::ToolRequested as u8),
    KindId(SessionKind::ToolCompleted as u8),
    KindId(SessionKind::ToolDenied as u8),
    KindId(SessionKind::PermissionResolved as u8),
    KindId(SessionKind::Compressed as u8),
    KindId(SessionKind::Rollbacked as u8),
    KindId(SessionKind::RunTerminal as u8),
];

pub(crate) fn said(event: &SessionEvent<'_>) -> Option<Utterance> {
    let text = |name: &str| event.members.text(name).unwrap_or_default().get().into_owned();
    let utterance = match event.kind {
        SessionKind::RunStarted => Utterance::prose("user", text("run_id"), &opening(event)),
        SessionKind::LlmCompleted => Utterance::prose("assistant", String::new(), &text_of(&event.answer(), "content")),
        SessionKind::ToolRequested => {
            let calls = event.calls();
            let about = calls.iter().map(named_call).collect::<Vec<_>>().join(", ");
            let arguments: Vec<String> =
                calls.iter().filter_map(|call| Some(call.get("arguments")?.raw.to_owned())).collect();
            let input = Part::new(PartKind::Code("json".to_owned()), arguments.join("\n"));
            Utterance::of("tool call", about, vec![input])
        }
        SessionKind::ToolCompleted => {
            let (mut about, mut output) = (Vec::new(), Vec::new());
            for result in event.results() {
                let verdict = if result.flag("is_error") == Some(true) { "failed" } else { "ok" };
                about.push(format!("{} {verdict}", result.text("call_id").unwrap_or_default()));
                output.push(text_of(&result, "output"));
            }
            Utterance::new("tool result", about.join(", "), &output.join("\n"))
        }
        SessionKind::ToolDenied => Utterance::new("denied", text("call_id"), &text("reason")),
        SessionKind::PermissionResolved => Utterance::new("approval", String::new(), &summary(event)),
        SessionKind::Compressed => {
            let summary = event.members.text("summary")?;
            Utterance::prose("compaction", text("action"), &summary.get())
        }
        SessionKind::Rollbacked => Utterance::new("rollback", String::new(), &summary(event)),
        SessionKind::RunTerminal => Utterance::new("end", String::new(), &summary(event)),
        _ => return None,
    };
    Some(utterance)
}

//! Session events as rows of the event list, and their outcomes.

use super::conversation::text_of;
use super::event::{Reading, SessionEvent};
use super::kind::SessionKind;
use super::members::Members;
use super::summary::words;
use crate::replay::caption::{Caption, Outcome, asked, brief};

pub(crate) fn caption(event: &SessionEvent<'_>) -> Caption {
    let text = |name: &str| event.members.text(name).map_or_else(String::new, |text| text.get().into_owned());
    match event.kind {
        SessionKind::RunStarted => Caption::new("user", brief(&text("goal"))).ids(text("run_id")),
        SessionKind::LlmCompleted => of_answer(event),
        SessionKind::ToolRequested => match &event.calls()[..] {
            [call] => Caption::new(name_of(call), asked_of(call)).ids(id_of(call)),
            calls => {
                let named: Vec<String> = calls.iter().map(|call| joined(&name_of(call), &asked_of(call))).collect();
                Caption::new("tools", named.join(", "))
            }
        },
        SessionKind::ToolCompleted => of_results(event),
        SessionKind::RunTerminal => {
            let turns = event.members.number("turns_used").map_or_else(String::new, |turns| format!("{turns} turns"));
            Caption::new("", "").result(text("reason")).measure(turns)
        }
        SessionKind::PermissionRequested => Caption::new("", text("tool")).result(text("reason")),
        SessionKind::PermissionResolved => Caption::new("", "").result(words(event)),
        SessionKind::ToolDenied => Caption::new("", text("tool_name")).result(text("reason")).ids(text("call_id")),
        SessionKind::ToolGated => Caption::new("", "").result(text("reason")).ids(text("call_id")),
        SessionKind::Suspended => {
            let waits: Vec<String> =
                event.members.strings("pending_calls").iter().map(|call| call.get().into_owned()).collect();
            Caption::new("", text("reason")).result(format!("waits for {}", waits.join(", ")))
        }
        _ => {
            let ids = if event.reading() == Reading::Core { "" } else { event.reading().name() };
            Caption::new("", brief(&words(event))).ids(ids)
        }
    }
}

fn of_answer(event: &SessionEvent<'_>) -> Caption {
    let text = brief(&text_of(&event.answer(), "content"));
    let calls: Vec<String> = event.calls().iter().map(name_of).collect();
    match calls.is_empty() {
        true => Caption::new("model", text),
        false => Caption::new("model", text).result(format!("calls {}", calls.join(", "))),
    }
}

fn of_results(event: &SessionEvent<'_>) -> Caption {
    let results: Vec<Members<'_>> = event.results().collect();
    match &results[..] {
        [result] => {
            let id = result.text("call_id").map_or_else(String::new, |id| id.get().into_owned());
            Caption::new("", "").result(brief(&text_of(result, "output"))).ids(id)
        }
        results => {
            let failed = results.iter().filter(|result| is_failed(result)).count();
            Caption::new("", format!("{} results", results.len())).result(match failed {
                0 => String::new(),
                failed => format!("{failed} failed"),
            })
        }
    }
}

fn name_of(call: &Members<'_>) -> String {
    call.text("name").map_or_else(|| "?".to_owned(), |name| name.get().into_owned())
}

fn id_of(call: &Members<'_>) -> String {
    call.text("id").map_or_else(String::new, |id| id.get().into_owned())
}

/// The arguments are an object, or the text of one.
fn asked_of(call: &Members<'_>) -> String {
    let text = call.text("arguments").map(|text| text.get().into_owned());
    text.map_or_else(|| call.get("arguments").map_or_else(String::new, |raw| asked(raw.raw)), |text| asked(&text))
}

fn joined(name: &str, asked: &str) -> String {
    if asked.is_empty() { name.to_owned() } else { format!("{name} {asked}") }
}

fn is_failed(result: &Members<'_>) -> bool {
    result.flag("is_error") == Some(true)
}

pub(crate) fn outcome(event: &SessionEvent<'_>) -> Option<Outcome> {
    let success = |is_success: bool| if is_success { Outcome::Success } else { Outcome::Error };
    Some(match event.kind {
        SessionKind::ToolCompleted => success(!event.results().any(|result| is_failed(&result))),
        SessionKind::ToolDenied => Outcome::Denied,
        SessionKind::PermissionRequested | SessionKind::Suspended => Outcome::Running,
        SessionKind::PermissionResolved => match event.members.flag("approved") {
            Some(true) => Outcome::Success,
            _ => Outcome::Denied,
        },
        SessionKind::RunTerminal => {
            success(event.members.text("reason").is_some_and(|reason| reason.get() == "completed"))
        }
        SessionKind::BudgetExceeded | SessionKind::MilestoneBlocked => Outcome::Denied,
        SessionKind::MemoryValidationFailed | SessionKind::MemoryWriteFailed | SessionKind::MemoryQueryFailed => {
            Outcome::Error
        }
        SessionKind::WorkflowSpawnFailed | SessionKind::SemanticArchiveFailed => Outcome::Error,
        SessionKind::AgentProcessChanged => match event.process_state()?.get().as_ref() {
            "joined" | "completed" => Outcome::Success,
            "failed" | "killed" => Outcome::Error,
            _ => Outcome::Running,
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::decode::decode;
    use super::*;

    #[test]
    fn calls_and_results_are_told_in_parts() {
        for (event, expected, expected_outcome) in [
            (
                r#"{"kind":"tool_requested","turn":1,"calls":[{"id":"c","name":"bash","arguments":{"command":"ls"}}]}"#,
                Caption::new("bash", "ls").ids("c"),
                None,
            ),
            (
                r#"{"kind":"tool_requested","turn":1,"calls":[{"id":"c","name":"bash","arguments":"{\"command\":\"ls\"}"},{"id":"d","name":"wait"}]}"#,
                Caption::new("tools", "bash ls, wait"),
                None,
            ),
            (
                r#"{"kind":"tool_completed","turn":1,"results":[{"call_id":"c","output":"no","is_error":true}]}"#,
                Caption::new("", "").result("no").ids("c"),
                Some(Outcome::Error),
            ),
            (
                r#"{"kind":"tool_denied","turn":1,"call_id":"c","tool_name":"bash","reason":"the user refused"}"#,
                Caption::new("", "bash").result("the user refused").ids("c"),
                Some(Outcome::Denied),
            ),
        ] {
            let event = decode(event.as_bytes()).expect("an event");
            assert_eq!((caption(&event), outcome(&event)), (expected, expected_outcome));
        }
    }

    #[test]
    fn every_kind_has_a_caption() {
        for kind in SessionKind::ALL {
            // Nothing is required of an event but its kind.
            let event = format!(r#"{{"kind":"{}"}}"#, kind.name());
            let event = decode(event.as_bytes()).expect("an event");
            assert!(caption(&event).text.len() < 100);
            outcome(&event);
        }
    }
}

//! Polls: calls that only ask about the progress of running work. Repeating them is not a loop.

use crate::json::raw::{RawJson, RawText};

const POLLS: [&str; 10] = [
    "TaskOutput",
    "BashOutput",
    "AgentOutputTool",
    "TaskGet",
    "TaskList",
    "Monitor",
    "ScheduleWakeup",
    "wait",
    "wait_agent",
    "list_agents",
];

pub(crate) fn is_poll(tool: &str, input: Option<RawJson<'_>>) -> bool {
    match tool {
        "write_stdin" => input.is_some_and(writes_nothing),
        "exec" => input.and_then(RawJson::text).is_some_and(|script| is_only_a_poll(&script.get())),
        tool => POLLS.contains(&tool),
    }
}

/// Whether the input of `write_stdin` has no characters.
fn writes_nothing(input: RawJson<'_>) -> bool {
    let text = input.text().map(RawText::get);
    let object = match &text {
        Some(text) => RawJson::of(text.as_bytes()),
        None => Some(input),
    };
    object.is_some_and(|object| object.is_object() && object.text_of("chars").is_none_or(RawText::is_empty))
}

/// Whether the only tool that a script calls is `write_stdin` without characters.
fn is_only_a_poll(script: &str) -> bool {
    let mut calls = script.split("tools.").skip(1);
    let (Some(call), None) = (calls.next(), calls.next()) else { return false };
    let Some(arguments) = call.strip_prefix("write_stdin").map(str::trim_start).filter(|rest| rest.starts_with('('))
    else {
        return false;
    };
    let Some(chars) = arguments.split_once("chars").map(|(_, after)| after.trim_start_matches(['"', '\'', ' '])) else {
        return true;
    };
    let Some(value) = chars.strip_prefix(':').map(str::trim_start) else { return false };
    ["\"\"", "''", "``"].iter().any(|empty| value.starts_with(empty))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polls_are_known_by_name_and_by_empty_input() {
        let poll = |tool: &str, input: &str| is_poll(tool, RawJson::of(input.as_bytes()));
        assert!(poll("TaskOutput", "{}") && poll("wait", "{}") && !poll("Bash", "{}"));
        assert!(poll("write_stdin", r#""{\"session_id\":4,\"chars\":\"\"}""#));
        assert!(poll("write_stdin", r#"{"session_id":4}"#));
        assert!(!poll("write_stdin", r#"{"session_id":4,"chars":"y\n"}"#));
        assert!(poll("exec", r#""const r = await tools.write_stdin({session_id: 3, chars: \"\"}); text(r)""#));
        assert!(!poll("exec", r#""await tools.write_stdin({session_id: 3, chars: \"y\"})""#));
        assert!(!poll("exec", r#""await tools.write_stdin({chars: ''}); await tools.exec_command({cmd: 'ls'})""#));
        assert!(!poll("exec", r#""await tools.exec_command({cmd: 'ls'})""#));
    }
}

//! Agent events as rows of the event list, and their outcomes.

use super::block::{self, Block, CallId, ToolCall, ToolResult, TurnEnd, Usage};
use super::event::AgentEvent;
use super::kind::AgentKind;
use super::summary::{self, words};
use crate::json::raw::{RawJson, RawText};
use crate::replay::caption::{Caption, Outcome, asked, brief, duration, tokens};

/// As much of an output is looked at: a header of the program, and the first lines.
const OUTPUT_CHARACTERS: usize = 600;

pub(crate) fn caption(event: &AgentEvent<'_>) -> Caption {
    let mut caption = of_event(event);
    if event.is_aside() {
        caption.subject = format!("↳{}", caption.subject);
    }
    caption
}

fn of_event(event: &AgentEvent<'_>) -> Caption {
    let calls: Vec<&ToolCall<'_>> =
        all(event, |block| if let Block::ToolCall(call) = block { Some(call) } else { None });
    let results: Vec<&ToolResult<'_>> =
        all(event, |block| if let Block::ToolResult(result) = block { Some(result) } else { None });
    let text = || brief(&words(event));
    match event.kind {
        AgentKind::ToolCall => of_calls(&calls),
        AgentKind::ToolResult => of_results(&results),
        AgentKind::Text | AgentKind::Thinking => {
            let subject = if event.kind == AgentKind::Text { "model" } else { "thinking" };
            Caption::new(subject, text()).measure(usage_of(event))
        }
        AgentKind::Usage => Caption::new("", "").measure(usage_of(event)).minor(),
        AgentKind::Prompt | AgentKind::Steer => Caption::new("user", text()),
        AgentKind::Error | AgentKind::Retry => Caption::new("model", "").result(text()),
        AgentKind::TurnEnd | AgentKind::Verdict | AgentKind::Interrupt => Caption::new("", "").result(text()),
        AgentKind::TurnStart | AgentKind::Header => Caption::new("", "").ids(text()).minor(),
        AgentKind::Note | AgentKind::Local | AgentKind::Attachment | AgentKind::Queue => {
            Caption::new("", text()).minor()
        }
        AgentKind::Twin | AgentKind::Metadata => Caption::new("", text()).minor(),
        _ => Caption::new("", text()),
    }
}

fn all<'e, 'a, T>(event: &'e AgentEvent<'a>, of: fn(&'e Block<'a>) -> Option<T>) -> Vec<T> {
    event.blocks.iter().filter_map(of).collect()
}

fn of_calls(calls: &[&ToolCall<'_>]) -> Caption {
    match calls {
        [call] => Caption::new(call.name.get(), asked_of(call)).ids(id_of(call.id)),
        calls => Caption::new(
            "tools",
            brief(&calls.iter().map(|call| summary::of_call(call)).collect::<Vec<_>>().join(", ")),
        ),
    }
}

/// The input is an object, or the text of one.
fn asked_of(call: &ToolCall<'_>) -> String {
    let Some(input) = call.input else { return String::new() };
    match input.text() {
        Some(text) => asked(&text.get()),
        None => asked(&String::from_utf8_lossy(input.bytes())),
    }
}

fn id_of(id: CallId<'_>) -> String {
    match id {
        CallId::Named(id) => id.get().into_owned(),
        CallId::Unnamed => String::new(),
    }
}

fn of_results(results: &[&ToolResult<'_>]) -> Caption {
    match results {
        [result] => {
            let beginning = result.content.beginning(OUTPUT_CHARACTERS);
            let (header, output) = split_header(&beginning);
            let measure = exact_duration(result.details, header).map_or_else(String::new, duration);
            let text = if output.is_empty() { result.outcome.name() } else { output };
            Caption::new("", "").result(brief(text)).measure(measure).ids(id_of(result.id))
        }
        results => {
            let failed = results.iter().filter(|result| result.outcome.is_failure()).count();
            let failed = if failed > 0 { format!("{failed} failed") } else { String::new() };
            Caption::new("", format!("{} results", results.len())).result(failed)
        }
    }
}

/// The lines that Codex puts before an output, and the output.
fn split_header(text: &str) -> (&str, &str) {
    const BEGINNINGS: [&str; 5] = ["Command: ", "Exit code: ", "Chunk ID: ", "Wall time", "Script "];
    let is_header = BEGINNINGS.iter().any(|word| text.starts_with(word));
    match text.split_once("\nOutput:").filter(|_| is_header) {
        Some((header, output)) => (header, output.trim_start()),
        None if is_header => (text, text),
        None => ("", text),
    }
}

/// The output in a result, without the lines that the program put before it.
pub(crate) fn output_text(text: &str) -> &str {
    split_header(text).1
}

/// How long a call took in milliseconds, if its result says it.
pub(crate) fn measured(result: &ToolResult<'_>) -> Option<u64> {
    let beginning = result.content.beginning(OUTPUT_CHARACTERS);
    exact_duration(result.details, split_header(&beginning).0)
}

/// How long a call took in milliseconds, if the program measured it.
fn exact_duration(details: Option<RawJson<'_>>, header: &str) -> Option<u64> {
    let details = details.filter(|details| details.is_object());
    let measured = ["durationMs", "totalDurationMs"].iter().find_map(|name| details?.get(name)?.number());
    measured.or_else(|| {
        let line = header.lines().find_map(|line| line.strip_prefix("Wall time"))?;
        let seconds: f64 = line.trim_start_matches([':', ' ']).split(' ').next()?.parse().ok()?;
        (0.0..1e9).contains(&seconds).then_some((seconds * 1e3) as u64)
    })
}

fn usage_of(event: &AgentEvent<'_>) -> String {
    let used = event.blocks.iter().find_map(|block| match block {
        Block::Usage(Usage::Message { tokens, .. } | Usage::Record { tokens, .. }) => Some(tokens),
        Block::Usage(Usage::Count { last, .. }) => Some(last),
        _ => None,
    });
    used.filter(|used| used.prompt > 0).map_or_else(String::new, |used| tokens(used.prompt, used.output))
}

/// The outcome of the event, the worst one if it reports several.
pub(crate) fn outcome(event: &AgentEvent<'_>) -> Option<Outcome> {
    let all = event.blocks.iter().filter_map(of_block);
    all.reduce(|one, other| if one.is_failure() || !other.is_failure() { one } else { other })
}

fn of_block(block: &Block<'_>) -> Option<Outcome> {
    match block {
        Block::ToolResult(result) => of_call(result.outcome),
        Block::Verdict(verdict) => verdict.outcome.and_then(of_call),
        Block::Error { .. } | Block::Retry { is_last: true, .. } => Some(Outcome::Error),
        Block::Retry { is_last: false, .. } => Some(Outcome::Running),
        Block::Interrupt => Some(Outcome::Denied),
        Block::TurnEnd(end) => match end {
            TurnEnd::Unstated => None,
            TurnEnd::Completed => Some(Outcome::Success),
            TurnEnd::Failed(_) => Some(Outcome::Error),
            TurnEnd::Aborted(_) | TurnEnd::RolledBack => Some(Outcome::Denied),
        },
        Block::TaskEnd(end) => of_status(end.status.as_deref()?),
        Block::Subagent { status, .. } => of_status(&status.map(RawText::get)?),
        _ => None,
    }
}

const fn of_call(outcome: block::Outcome) -> Option<Outcome> {
    match outcome {
        block::Outcome::Success => Some(Outcome::Success),
        block::Outcome::ToolError => Some(Outcome::Error),
        block::Outcome::Blocked | block::Outcome::Cancelled => Some(Outcome::Denied),
        block::Outcome::Timeout => Some(Outcome::Timeout),
        block::Outcome::Launched | block::Outcome::Running => Some(Outcome::Running),
        block::Outcome::Unknown => None,
    }
}

/// The words of the programs for how a task stands.
fn of_status(status: &str) -> Option<Outcome> {
    match status {
        "completed" => Some(Outcome::Success),
        "failed" | "errored" => Some(Outcome::Error),
        "killed" | "stopped" | "interrupted" => Some(Outcome::Denied),
        "async_launched" | "running" | "started" => Some(Outcome::Running),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::decode::AgentDecoder;

    fn told(record: &str) -> (Caption, Option<Outcome>) {
        let event = AgentDecoder::default().decode(record.as_bytes()).expect("a record");
        (caption(&event), outcome(&event))
    }

    #[test]
    fn a_call_is_told_by_its_tool_and_what_it_was_asked() {
        let (call, outcome) = told(
            r#"{"type":"assistant","uuid":"u","sessionId":"s","message":{"id":"m","content":[{"type":"tool_use","id":"t-1","name":"Bash","input":{"command":"ls"}}]}}"#,
        );
        assert_eq!((call, outcome), (Caption::new("Bash", "ls").ids("t-1"), None));
        let (result, outcome) = told(
            r#"{"type":"user","uuid":"v","sessionId":"s","toolUseResult":{"durationMs":1300},"message":{"content":[{"type":"tool_result","tool_use_id":"t-1","is_error":true,"content":"no such file"}]}}"#,
        );
        assert_eq!(result, Caption::new("", "").result("no such file").measure("1.3 s").ids("t-1"));
        assert_eq!(outcome, Some(Outcome::Error));
    }

    #[test]
    fn the_header_of_an_output_is_its_duration() {
        let (result, outcome) = told(
            r#"{"type":"response_item","timestamp":"2026-01-01T00:00:00Z","payload":{"type":"function_call_output","call_id":"c","output":"Exit code: 1\nWall time: 2.5 seconds\nOutput:\nno"}}"#,
        );
        assert_eq!(result, Caption::new("", "").result("no").measure("2.5 s").ids("c"));
        assert_eq!(outcome, Some(Outcome::Error));
        assert_eq!(split_header("Script of a play\nOutput"), ("Script of a play\nOutput", "Script of a play\nOutput"));
        assert_eq!(exact_duration(None, "Wall time: -3 seconds"), None);
    }
}

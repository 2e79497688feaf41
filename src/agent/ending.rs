//! How a session stands after its last event: in one sentence, and as a recap of the whole run.

use super::state::course::{CourseCall, MANY};
use super::state::turns::TurnOutcome;
use super::state::{AgentState, Situation};
use crate::replay::caption::{duration, short_count};
use crate::replay::ending::{Ending, EndingKind, Waiting};
use crate::replay::recap::RecapLine;
use crate::text::count;

/// A recap names at most so many files.
const FILES_NAMED: usize = 4;

/// How the run stands at the end of the log.
pub(crate) fn ending(state: &AgentState) -> Option<Ending> {
    let open = |words: String| Some(Ending::new(EndingKind::Open, format!("{words}{}", looping(state))));
    match &state.situation {
        Situation::Nothing => None,
        Situation::Working => open("the model is working".to_owned()).map(|ending| ending.waiting(idle(state))),
        Situation::WaitingForUser => open("waiting for the user's answer".to_owned()),
        Situation::WaitingForResult => {
            let first = state.calls.open.get_min().map(|(_, call)| call.tool.to_string()).unwrap_or_default();
            let waiting = waiting(state);
            match state.calls.open.len() {
                1 => open(format!("waiting for {first}")),
                calls => open(format!("waiting for {first} and {} more", calls - 1)),
            }
            .map(|ending| ending.waiting(waiting))
        }
        Situation::Over(TurnOutcome::Completed) => Some(Ending::new(EndingKind::Done, "turn completed")),
        Situation::Over(TurnOutcome::Interrupted) => Some(Ending::new(EndingKind::Failed, "interrupted by the user")),
        Situation::Over(TurnOutcome::Error) => {
            let why = state.last_error.as_deref().map_or_else(String::new, |error| format!(": {error}"));
            Some(Ending::new(EndingKind::Failed, format!("ended with an error{why}")))
        }
        Situation::Over(outcome) => Some(Ending::new(EndingKind::Failed, outcome.name().replace('_', " "))),
    }
}

/// The loop that an open run is in.
fn looping(state: &AgentState) -> String {
    match state.course.row.as_ref().filter(|row| row.times >= MANY) {
        Some(row) => format!(" ({} ×{} alike)", row.tool, row.times),
        None => String::new(),
    }
}

fn alike(row: &CourseCall) -> String {
    format!("{} {} times alike", row.tool, row.times)
}

/// Since when the model has said nothing.
fn idle(state: &AgentState) -> Option<Waiting> {
    let (_, last) = state.course.times?;
    Some(Waiting { since: last / 1_000, longest: None })
}

/// Since when the oldest open call runs.
fn waiting(state: &AgentState) -> Option<Waiting> {
    let ((_, key), call) = state.calls.open.get_min()?;
    let since = state.calls.calls.get(key)?.time? / 1_000;
    Some(Waiting { since, longest: state.course.longest.get(&call.tool).copied() })
}

/// What a reader asks first about a session.
pub(crate) fn recap(state: &AgentState) -> Vec<RecapLine> {
    if state.format.is_none() {
        return Vec::new();
    }
    let lines = [run(state), failed(state), stopped(state), repeats(state), open(state), context(state), used(state)];
    lines.into_iter().chain([written(state), agents(state)]).flatten().collect()
}

fn run(state: &AgentState) -> Option<RecapLine> {
    let turns = count(u64::from(state.turns.count), "turn");
    let mut text = format!("{}, {turns}", count(state.steps.count, "step"));
    if let Some((first, last)) = state.course.times {
        text.push_str(&format!(", {}", duration((last - first).unsigned_abs() / 1_000)));
    }
    Some(RecapLine::new("run", text))
}

fn failed(state: &AgentState) -> Option<RecapLine> {
    let tallies = || state.calls.tools.iter().map(|(_, tally)| tally);
    let calls: u32 = tallies().map(|tally| tally.calls).sum();
    let failures: u32 = tallies().map(|tally| tally.failures).sum();
    Some(match &state.course.first_failure {
        None => RecapLine::new("failed", format!("none of {}", count(u64::from(calls), "call"))),
        Some(first) => {
            let text = format!("{failures} of {calls}, first #{} {}", first.at, first.tool);
            RecapLine::alarming("failed", text)
        }
    })
}

/// How often the user stopped the model, and how often a call was refused.
fn stopped(state: &AgentState) -> Option<RecapLine> {
    let interrupts = u64::from(state.course.interrupts);
    let interrupts = (interrupts > 0).then(|| count(interrupts, "interrupt"));
    let denials = (state.calls.denials > 0).then(|| format!("{} denied", state.calls.denials));
    let parts: Vec<String> = interrupts.into_iter().chain(denials).collect();
    (!parts.is_empty()).then(|| RecapLine::new("stopped", parts.join(", ")))
}

fn repeats(state: &AgentState) -> Option<RecapLine> {
    let row = state.course.longest_row.as_ref()?;
    Some(RecapLine::alarming("repeats", format!("{} #{}", alike(row), row.first)))
}

/// Calls without results, tasks and processes that go on, prompts that wait.
fn open(state: &AgentState) -> Option<RecapLine> {
    let calls = state.calls.open.get_min().map(|((at, _), call)| {
        let more = state.calls.open.len() - 1;
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        format!("{} #{at}{more}", call.tool)
    });
    let some = |number: usize, noun| (number > 0).then(|| count(number as u64, noun));
    let processes = state.agents.launched.values().filter(|task| task.is_process).count();
    let tasks = some(state.agents.launched.len() - processes, "task").map(|tasks| format!("{tasks} in the background"));
    let prompts = some(state.queue.iter().filter(|entry| entry.is_prompt).count(), "prompt");
    let prompts = prompts.map(|prompts| format!("{prompts} in the queue"));
    let running = match processes {
        0 => None,
        1 => Some("1 process".to_owned()),
        _ => Some(format!("{processes} processes")),
    };
    let parts = [calls, running, tasks, prompts];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| RecapLine::alarming("open", parts.join(", ")))
}

fn context(state: &AgentState) -> Option<RecapLine> {
    let compactions = match state.compactions.len() as u64 {
        0 => String::new(),
        number => format!(", {}", count(number, "compaction")),
    };
    let Some((largest, at)) = state.course.largest_context else {
        return Some(RecapLine::new("context", format!("not recorded{compactions}")));
    };
    let window = state.steps.window.map_or_else(String::new, |window| format!(" of {}", short_count(window)));
    let last = short_count(state.steps.context.unwrap_or(largest));
    let most = match short_count(largest) {
        largest if largest == last => String::new(),
        largest => format!(", most {largest} #{at}"),
    };
    Some(RecapLine::new("context", format!("{last}{window}{most}{compactions}")))
}

fn used(state: &AgentState) -> Option<RecapLine> {
    let used = state.steps.tokens;
    if used.prompt == 0 {
        return Some(RecapLine::new("tokens", "not recorded"));
    }
    let cached = (used.cache_read.saturating_mul(100) / used.prompt).min(100);
    Some(RecapLine::new(
        "tokens",
        format!("{}→{}, {cached} % cached", short_count(used.prompt), short_count(used.output)),
    ))
}

fn written(state: &AgentState) -> Option<RecapLine> {
    let files = state.files_written.len();
    if files == 0 {
        return Some(RecapLine::new("written", "no recorded file"));
    }
    let own = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned();
    let mut named: Vec<String> = state.files_written.keys().take(FILES_NAMED).map(|path| own(path)).collect();
    if files > named.len() {
        named.push("…".to_owned());
    }
    Some(RecapLine::new("written", format!("{}: {}", count(files as u64, "file"), named.join(", "))))
}

fn agents(state: &AgentState) -> Option<RecapLine> {
    let rows = &state.agents.rows;
    let running = rows.values().filter(|row| row.status.is_none()).count();
    let running = if running == 0 { String::new() } else { format!(", {running} with no end") };
    (!rows.is_empty()).then(|| RecapLine::new("agents", format!("{}{running}", count(rows.len() as u64, "subagent"))))
}

//! The outcome of a call in a Codex rollout, as far as the text of its output says it.
//!
//! Each generation of the program puts another header before the output. What a text does not say, the program's own
//! events may.

use crate::agent::block::Outcome;
use crate::json::raw::RawJson;

/// How much of a text is looked at for the words of a refusal.
const REFUSAL_CHARACTERS: usize = 40;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct OutputVerdict {
    pub outcome: Outcome,
    pub exit_code: Option<i64>,
    /// The process or cell that goes on running.
    pub process: Option<Box<str>>,
}

impl OutputVerdict {
    fn of(outcome: Outcome) -> OutputVerdict {
        OutputVerdict { outcome, exit_code: None, process: None }
    }

    fn exited(code: i64) -> OutputVerdict {
        let outcome = match code {
            0 => Outcome::Success,
            124 => Outcome::Timeout,
            _ => Outcome::ToolError,
        };
        OutputVerdict { outcome, exit_code: Some(code), process: None }
    }

    fn running(process: &str) -> OutputVerdict {
        OutputVerdict { outcome: Outcome::Running, exit_code: None, process: Some(process.trim().into()) }
    }
}

pub(super) fn of(text: &str) -> OutputVerdict {
    let text = match text.strip_prefix("Command: ") {
        Some(rest) => rest.split_once('\n').map_or("", |(_, rest)| rest),
        None => text,
    };
    let found = in_json(text).or_else(|| in_header(text)).or_else(|| in_script(text)).or_else(|| in_words(text));
    found.unwrap_or(OutputVerdict::of(Outcome::Unknown))
}

/// `{"output":…,"metadata":{"exit_code":N}}`
fn in_json(text: &str) -> Option<OutputVerdict> {
    let value = text.starts_with('{').then(|| RawJson::of(text.trim().as_bytes())).flatten()?;
    value.get("metadata")?.get("exit_code")?.integer().map(OutputVerdict::exited)
}

/// Lines such as `Exit code: N`, `Process exited with code N` or `Process running with session ID S` before `Output:`.
fn in_header(text: &str) -> Option<OutputVerdict> {
    let is_header = ["Exit code: ", "Chunk ID: ", "Wall time"].iter().any(|word| text.starts_with(word));
    if !is_header {
        return None;
    }
    let (header, output) = text.split_once("\nOutput:").unwrap_or((text, ""));
    let mut verdict = header.lines().find_map(|line| {
        let code = line.strip_prefix("Exit code: ").or_else(|| line.strip_prefix("Process exited with code "));
        let process = || line.strip_prefix("Process running with session ID ").map(OutputVerdict::running);
        let aborted = || line.starts_with("aborted by user").then(|| OutputVerdict::of(Outcome::Cancelled));
        code.and_then(|code| code.trim().parse().ok().map(OutputVerdict::exited)).or_else(process).or_else(aborted)
    });
    if output.trim_start().starts_with("command timed out after") {
        let exit_code = verdict.and_then(|verdict| verdict.exit_code);
        verdict = Some(OutputVerdict { exit_code, ..OutputVerdict::of(Outcome::Timeout) });
    }
    verdict
}

/// `Script completed`, and the like, where one call runs a script.
fn in_script(text: &str) -> Option<OutputVerdict> {
    let rest = text.strip_prefix("Script ")?;
    if let Some(rest) = rest.strip_prefix("running with cell ID ") {
        return Some(OutputVerdict::running(rest.lines().next().unwrap_or_default()));
    }
    let words = [("completed", Outcome::Success), ("failed", Outcome::ToolError), ("terminated", Outcome::Cancelled)];
    words.iter().find(|(word, _)| rest.starts_with(word)).map(|(_, outcome)| OutputVerdict::of(*outcome))
}

/// Texts without a header.
fn in_words(text: &str) -> Option<OutputVerdict> {
    const FAILURES: [&str; 5] = [
        "exec_command failed",
        "write_stdin failed",
        "apply_patch verification failed",
        "failed to parse",
        "unsupported call",
    ];
    let first_line = text.lines().next().unwrap_or_default();
    let is_collab = first_line.starts_with("collab ") && first_line.contains(" failed");
    let is_refused = |word: &str| text.find(word).is_some_and(|at| text[..at].chars().count() <= REFUSAL_CHARACTERS);
    let outcome = match () {
        () if text.starts_with("command timed out after") => Outcome::Timeout,
        () if text.starts_with("aborted by user") => Outcome::Cancelled,
        () if is_collab || FAILURES.iter().any(|word| text.starts_with(word)) => Outcome::ToolError,
        () if is_refused("rejected by user") || is_refused("rejected:") => Outcome::Blocked,
        () if text.starts_with("Success. Updated") || text.starts_with("Plan updated") => Outcome::Success,
        () => return None,
    };
    Some(OutputVerdict::of(outcome))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_generation_of_headers_is_read() {
        let exited = |code: i64| (OutputVerdict::exited(code).outcome, Some(code), None);
        let is = |outcome: Outcome| (outcome, None, None);
        for (text, expected) in [
            (r#"{"output":"x","metadata":{"exit_code":0,"duration_seconds":0.1}}"#, exited(0)),
            (r#"{"output":"x"}"#, is(Outcome::Unknown)),
            ("Exit code: 1\nWall time: 0.1 seconds\nOutput:\nx", exited(1)),
            (
                "Exit code: 124\nWall time: 10 seconds\nOutput:\ncommand timed out after 10000 milliseconds\n",
                (Outcome::Timeout, Some(124), None),
            ),
            ("Command: ls\nChunk ID: 1\nWall time: 0.0 seconds\nProcess exited with code 0\nOutput:\nx", exited(0)),
            (
                "Chunk ID: 1\nWall time: 1.0 seconds\nProcess running with session ID 41\nOutput:\n",
                (Outcome::Running, None, Some("41".into())),
            ),
            ("Chunk ID: 1\nWall time: 0 seconds\nOutput:\nProcess exited with code 3", is(Outcome::Unknown)),
            ("Wall time: 2.1 seconds\naborted by user", is(Outcome::Cancelled)),
            ("Wall time: 0.1 seconds\nOutput:\nno such index", is(Outcome::Unknown)),
            ("Script completed\nWall time 0.1 seconds\nOutput:\n", is(Outcome::Success)),
            ("Script failed\nWall time 0.1 seconds", is(Outcome::ToolError)),
            ("Script running with cell ID 7\nWall time 10 seconds", (Outcome::Running, None, Some("7".into()))),
            ("Script terminated\nWall time", is(Outcome::Cancelled)),
            ("exec_command failed for `x`: no", is(Outcome::ToolError)),
            ("collab spawn failed: no", is(Outcome::ToolError)),
            ("exec command rejected by user", is(Outcome::Blocked)),
            ("patch rejected: no", is(Outcome::Blocked)),
            ("Success. Updated the following files:", is(Outcome::Success)),
            ("Plan updated", is(Outcome::Success)),
            ("the log says: aborted by user", is(Outcome::Unknown)),
            ("", is(Outcome::Unknown)),
        ] {
            let OutputVerdict { outcome, exit_code, process } = of(text);
            assert_eq!((outcome, exit_code, process), expected, "{text}");
        }
    }
}

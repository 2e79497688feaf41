//! The arguments of `stepback minimize`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::Input;

/// The form of a regression test for a minimized log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TestForm {
    /// a test for `cargo test` that contains the log and runs stepback
    Rust,
    /// the log and the expected result as data, for a test in any language
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct MinimizeArgs {
    #[command(flatten)]
    pub input: Input,

    /// Choose the finding by its number in the output of `check`, by its fingerprint, or by the id of its check
    /// [default: the first one of the highest severity]
    #[arg(long, value_name = "FINGERPRINT|N")]
    pub finding: Option<String>,

    /// Keep what a shell command accepts, instead of a finding. The command gets the name of a log in place of `{}` (or as its
    /// last argument) and exits with 0 if that log is still interesting
    #[arg(long, value_name = "COMMAND", conflicts_with = "finding")]
    pub test: Option<String>,

    /// Write to this file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Write the report about what was removed to this file [default: OUTPUT.minimization.json]
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Also write a regression test beside the output file
    #[arg(long, value_enum, value_name = "FORM", requires = "output", conflicts_with = "test")]
    pub emit_test: Option<TestForm>,

    /// Stop after this many tests and keep the best result so far
    #[arg(long, value_name = "N")]
    pub max_tests: Option<u64>,

    /// Stop after this time and keep the best result so far: seconds, or `500ms`, `30s`, `5m`
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub max_time: Option<Duration>,

    /// Overwrite existing files
    #[arg(long)]
    pub force: bool,

    /// Print the report about what was removed as JSON
    #[arg(long, requires = "output")]
    pub json: bool,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected seconds, or a number with the unit ms, s, m or h")]
struct InvalidDuration;

/// Parses a duration as a person writes it.
fn duration(text: &str) -> Result<Duration, InvalidDuration> {
    let digits = text.trim_end_matches(|character: char| character.is_ascii_alphabetic());
    let number: f64 = digits.parse().map_err(|_| InvalidDuration)?;
    let seconds = match &text[digits.len()..] {
        "ms" => number / 1000.0,
        "" | "s" => number,
        "m" => number * 60.0,
        "h" => number * 3600.0,
        _ => return Err(InvalidDuration),
    };
    Duration::try_from_secs_f64(seconds).map_err(|_| InvalidDuration)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_seconds_or_has_a_unit() {
        for (text, milliseconds) in [("2", 2000), ("500ms", 500), ("1.5s", 1500), ("2m", 120_000), ("1h", 3_600_000)] {
            assert_eq!(duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in ["", "soon", "-1", "3 days", "1e400", "ms"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}

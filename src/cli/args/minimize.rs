//! The arguments of `stepback minimize`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::Input;

/// A regression test of a minimized log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TestForm {
    /// A test for `cargo test` that holds the log and needs only the program
    Rust,
    /// The log and what is expected of it, for a test in any language
    Json,
}

#[derive(Debug, Args)]
pub struct MinimizeArgs {
    #[command(flatten)]
    pub input: Input,

    /// The finding to keep: its fingerprint, its number as `check` prints it, or a check's id; without it the first of
    /// the highest severity
    #[arg(long, value_name = "FINGERPRINT|N")]
    pub finding: Option<String>,

    /// Keep what this command accepts instead: it gets a file in the place of `{}` (or as its last argument) and exits
    /// with 0 if that is still interesting
    #[arg(long, value_name = "COMMAND", conflicts_with = "finding")]
    pub test: Option<String>,

    /// The file to write; without it, or with `-`, standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Where to keep how it was done; without it OUT.minimization.json
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Write a regression test beside OUT too
    #[arg(long, value_enum, value_name = "FORM", requires = "output", conflicts_with = "test")]
    pub emit_test: Option<TestForm>,

    /// Stop after this many tests with the best so far
    #[arg(long, value_name = "N")]
    pub max_tests: Option<u64>,

    /// Stop after this time with the best so far: seconds, or `500ms`, `30s`, `5m`
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub max_time: Option<Duration>,

    /// Replace files that exist
    #[arg(long)]
    pub force: bool,

    /// Print the report as JSON
    #[arg(long, requires = "output")]
    pub json: bool,
}

/// A time as a person writes it.
fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|character: char| character.is_ascii_alphabetic());
    let number: f64 = digits.parse().map_err(|_| WRITE_A_TIME.to_owned())?;
    let seconds = match &text[digits.len()..] {
        "ms" => number / 1000.0,
        "" | "s" => number,
        "m" => number * 60.0,
        "h" => number * 3600.0,
        _ => return Err(WRITE_A_TIME.to_owned()),
    };
    Duration::try_from_secs_f64(seconds).map_err(|_| WRITE_A_TIME.to_owned())
}

const WRITE_A_TIME: &str = "write seconds, or a number with ms, s, m or h behind it";

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

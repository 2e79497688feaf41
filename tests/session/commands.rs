//! Commands as a user types them, run inside the test.

use clap::Parser;
use serde_json::Value;
use stepback::cli::{Arguments, Exit, execute};

/// Runs a command line and returns how it ended and what it printed.
pub(crate) fn run(words: &[&str]) -> (Exit, String) {
    let arguments = Arguments::try_parse_from(["stepback"].iter().chain(words)).expect("arguments");
    let mut out = Vec::new();
    let exit = execute(&arguments, &mut out).expect("a command that succeeds");
    (exit, String::from_utf8(out).expect("text"))
}

pub(crate) fn json(words: &[&str]) -> (Exit, Value) {
    let (exit, text) = run(words);
    (exit, serde_json::from_str(&text).expect("JSON"))
}

/// Runs a command that cannot do its work, and returns what it says.
pub(crate) fn refused(words: &[&str]) -> String {
    let arguments = Arguments::try_parse_from(["stepback"].iter().chain(words)).expect("arguments");
    execute(&arguments, &mut Vec::new()).expect_err("a command that fails").to_string()
}

//! JSON output. Characters that could control a terminal are escaped, which does not change the values.

use std::io::{self, Write};

use serde::Serialize;

use super::paint::{Paint, clean};

pub(super) use crate::text::harmless;

/// Reports an error on standard error. If that is closed, the message is lost, but not the exit code.
pub(super) fn error(paint: &Paint, message: &str) {
    let _ = writeln!(io::stderr(), "{} {}", paint.bad("error:"), clean(message));
}

/// Prints a value over several lines, for documents.
pub(super) fn pretty(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let text = serde_json::to_string_pretty(value)?;
    writeln!(out, "{}", harmless(text))
}

/// Prints a value on one line.
pub(super) fn line(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", compact(value)?)
}

/// A value on one line, without a line break at the end.
pub(super) fn compact(value: &impl Serialize) -> io::Result<String> {
    Ok(harmless(serde_json::to_string(value)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_reorder_text_are_escaped() {
        let text = "a\u{202e}b\u{9b}c\u{7f}é\n";
        let json = compact(&text).expect("memory");
        assert_eq!(json, "\"a\\u202eb\\u009bc\\u007fé\\n\"");
        assert_eq!(serde_json::from_str::<String>(&json).expect("JSON"), text);
        // Tags are above the first plane, so their escape is a pair.
        let tagged = "a\u{e0041}\u{ad}b";
        let json = compact(&tagged).expect("memory");
        assert_eq!(json, "\"a\\udb40\\udc41\\u00adb\"");
        assert_eq!(serde_json::from_str::<String>(&json).expect("JSON"), tagged);
    }
}

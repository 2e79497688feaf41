//! JSON on its way out: characters that steer a terminal leave it as escapes, which JSON reads the same.

use std::io::{self, Write};

use serde::Serialize;

pub use crate::text::harmless;

/// One value over several lines, for documents.
pub fn pretty(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let text = serde_json::to_string_pretty(value)?;
    writeln!(out, "{}", harmless(text))
}

/// One value on one line.
pub fn line(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", compact(value)?)
}

/// One value as text, without a line break after it.
pub fn compact(value: &impl Serialize) -> io::Result<String> {
    Ok(harmless(serde_json::to_string(value)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_that_reorder_text_leave_as_escapes() {
        let text = "a\u{202e}b\u{9b}c\u{7f}é\n";
        let json = compact(&text).expect("memory");
        assert_eq!(json, "\"a\\u202eb\\u009bc\\u007fé\\n\"");
        assert_eq!(serde_json::from_str::<String>(&json).expect("JSON"), text);
    }
}

//! The trace split by concern: the log to which an event belongs, and its line there.

use super::escaped;
use crate::replay::Seq;

/// The logs below `logs/`.
pub(crate) const CONCERNS: [&str; 5] = ["model", "tools", "memory", "guards", "lifecycle"];

/// The concern of a lane of any dialect: dialects have more lanes than a pack has logs.
pub(crate) fn concern_of(lane: &str) -> &'static str {
    match lane {
        "model" => "model",
        "tools" | "files" | "mcp" => "tools",
        // Compactions and caches decide what the model knows, so they are memory, too.
        "memory" | "context" | "cache" => "memory",
        "guards" => "guards",
        _ => "lifecycle",
    }
}

pub(crate) fn file_of(concern: &str) -> String {
    format!("logs/{concern}.log")
}

pub(crate) fn line(at: Seq, kind: &str, summary: &str) -> String {
    format!("{at:>7}  {kind:<28} {}", escaped(summary)).trim_end().to_owned() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lane_has_a_log_and_every_event_one_line() {
        for lane in ["model", "tools", "memory", "guards", "context", "lifecycle", "clock", "mcp", "new"] {
            assert!(CONCERNS.contains(&concern_of(lane)), "{lane}");
        }
        assert_eq!(line(Seq(7), "steer", "a\nb\u{1b}"), "      7  steer                        a\\nb\\u{1b}\n");
    }
}

//! The fields of a tape's state: one table of their names, values and texts.

use std::fmt::Write;
use std::sync::Arc;

use imbl::OrdMap;
use imbl::ordmap::DiffItem;
use serde_json::{Map, Value, json};

use super::event::Phase;
use super::state::{Deleted, File, Process, TapeState, WallClock};
use super::summary::{bytes_named, moment};

/// One field of the state.
pub(crate) struct Field {
    pub value: fn(&TapeState) -> Value,
    pub same: fn(&TapeState, &TapeState) -> bool,
    /// The value in about this many characters, with a mark if it was cut.
    pub brief: fn(&TapeState, usize) -> String,
    pub write_change: fn(&TapeState, &TapeState, &mut String),
}

macro_rules! fields {
    ($($name:ident),* $(,)?) => {
        pub(crate) static FIELDS: &[Field] = &[$(Field {
            value: |state| state.$name.to_value(),
            same: |one, two| one.$name.agrees(&two.$name),
            brief: |state, most| state.$name.brief(most),
            write_change: |before, after, out| before.$name.write_change(&after.$name, out),
        }),*];

        pub(crate) const FIELD_NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

fields![
    virtual_time_ms,
    monotonic_ms,
    phase,
    model_calls,
    input_tokens,
    output_tokens,
    files,
    deleted,
    processes,
    tools,
    mcp_servers,
    mcp_methods,
    cache_hits,
    cache_misses,
    redactions,
];

/// How one type of field is shown and compared.
trait Shown {
    fn to_value(&self) -> Value;
    fn agrees(&self, other: &Self) -> bool;
    fn brief(&self, most: usize) -> String;
    fn write_change(&self, after: &Self, out: &mut String);
}

macro_rules! shown_as_text {
    ($($type:ty: $this:ident => $value:expr, $text:expr;)*) => {
        $(impl Shown for $type {
            fn to_value(&self) -> Value {
                let $this = self;
                json!($value)
            }

            fn agrees(&self, other: &Self) -> bool {
                self == other
            }

            fn brief(&self, _: usize) -> String {
                let $this = self;
                $text
            }

            fn write_change(&self, after: &Self, out: &mut String) {
                let _ = write!(out, "{}→{}", self.brief(0), after.brief(0));
            }
        })*
    };
}

shown_as_text! {
    u64: count => count, count.to_string();
    i64: reading => reading, reading.to_string();
    // Before the first record, the time is unknown.
    WallClock: clock => clock.0, if clock.0 == 0 { "none".to_owned() } else { moment(clock.0) };
    Phase: phase => phase.name(), phase.name().to_owned();
}

/// An entry of a map, as JSON and as text.
trait MapEntry: Clone + PartialEq {
    fn json(&self) -> Value;
    /// The text after the name; empty if the name is enough.
    fn text(&self) -> String;
}

impl MapEntry for File {
    fn json(&self) -> Value {
        json!({"content_hash": *self.content_hash, "len_bytes": self.len_bytes, "writer": self.writer})
    }

    fn text(&self) -> String {
        format!("({})", bytes_named(self.len_bytes, &self.content_hash))
    }
}

impl MapEntry for Deleted {
    fn json(&self) -> Value {
        json!(self.0)
    }

    fn text(&self) -> String {
        String::new()
    }
}

impl MapEntry for u64 {
    fn json(&self) -> Value {
        json!(self)
    }

    fn text(&self) -> String {
        format!("×{self}")
    }
}

/// How many changed entries are named.
const NAMED: usize = 6;

impl<V: MapEntry> Shown for OrdMap<Arc<str>, V> {
    fn to_value(&self) -> Value {
        Value::Object(self.iter().map(|(name, entry)| (name.to_string(), entry.json())).collect::<Map<_, _>>())
    }

    /// Shared parts are skipped, so the cost depends on how much the maps differ.
    fn agrees(&self, other: &Self) -> bool {
        self.ptr_eq(other) || self.diff(other).next().is_none()
    }

    fn brief(&self, most: usize) -> String {
        listed(self.iter().map(|(name, entry)| named(name, entry)), self.len(), most)
    }

    fn write_change(&self, after: &Self, out: &mut String) {
        let mut differing = self.diff(after);
        for difference in differing.by_ref().take(NAMED) {
            if !out.is_empty() {
                out.push(' ');
            }
            let _ = match difference {
                DiffItem::Add(name, entry) => write!(out, "+{}", named(name, entry)),
                DiffItem::Remove(name, _) => write!(out, "−{name}"),
                DiffItem::Update { old, new } => write!(out, "{} {}→{}", new.0, old.1.text(), new.1.text()),
            };
        }
        let rest = differing.count();
        if rest > 0 {
            let _ = write!(out, " and {rest} more");
        }
    }
}

fn named(name: &str, entry: &impl MapEntry) -> String {
    let text = entry.text();
    if text.is_empty() { name.to_owned() } else { format!("{name} {text}") }
}

impl Shown for OrdMap<u32, Process> {
    fn to_value(&self) -> Value {
        let shown = |(at, process): (&u32, &Process)| json!({"at": at, "program": *process.program, "exit_code": process.exit_code});
        Value::Array(self.iter().map(shown).collect())
    }

    fn agrees(&self, other: &Self) -> bool {
        self.ptr_eq(other) || self.diff(other).next().is_none()
    }

    fn brief(&self, most: usize) -> String {
        listed(self.values().rev().map(exited), self.len(), most)
    }

    fn write_change(&self, after: &Self, out: &mut String) {
        let new = self.diff(after).filter_map(|difference| match difference {
            DiffItem::Add(_, process) => Some(exited(process)),
            _ => None,
        });
        for process in new.take(NAMED) {
            let _ = write!(out, "{}+{process}", if out.is_empty() { "" } else { " " });
        }
    }
}

fn exited(process: &Process) -> String {
    format!("{} → {}", process.program, process.exit_code)
}

fn listed(entries: impl Iterator<Item = String>, count: usize, most: usize) -> String {
    let (mut text, mut shown) = (String::new(), 0);
    for entry in entries {
        if shown > 0 && text.chars().count() + entry.chars().count() > most {
            return format!("{text} and {} more", count - shown);
        }
        if shown > 0 {
            text.push_str(", ");
        }
        text.push_str(&entry);
        shown += 1;
    }
    if shown == 0 { "none".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_names_added_and_removed_entries() {
        let file = |length| File { content_hash: "3fa9".into(), len_bytes: length, writer: None };
        let files = |entries: [(&str, u64); 2]| -> OrdMap<Arc<str>, File> {
            entries.into_iter().map(|(path, length)| (Arc::from(path), file(length))).collect()
        };
        let (before, after) = (files([("/a", 1), ("/b", 2)]), files([("/b", 3), ("/c", 4)]));
        let mut change = String::new();
        before.write_change(&after, &mut change);
        assert_eq!(change, "−/a /b (2 B, 3fa9…)→(3 B, 3fa9…) +/c (4 B, 3fa9…)");
        assert_eq!(before.brief(12), "/a (1 B, 3fa9…) and 1 more");
        assert!(!before.agrees(&after) && before.agrees(&before.clone()));
    }
}

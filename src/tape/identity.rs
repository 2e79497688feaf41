//! The identity of a record within its run, and the values that differ in every run.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;

use super::event::Line;
use crate::replay::imprint::Drifting;

/// Clocks and durations differ in every run; record numbers depend on the records before.
pub(crate) const DRIFTING: Drifting = Drifting {
    names: &["job_id", "request_id", "render_id"],
    drift: &["seq", "virtual_time_ms", "monotonic_ms", "value_ms", "duration_ms", "latency_ms", "started_at_unix_ms"],
};

/// The members that say what a record is about.
const SUBJECTS: [&str; 9] = ["path", "program", "args", "server", "method", "tool", "namespace", "key", "template_uri"];

/// A line as JSON; null if it cannot be serialized, which does not happen to a line that was parsed.
pub(crate) fn json_of(line: &Line) -> Value {
    let written = match line {
        Line::Header(header) => header.line(),
        Line::Record(record) => record.line(),
        Line::Process(entry) => serde_json::to_string(entry),
    };
    written.and_then(|text| serde_json::from_str(&text)).unwrap_or(Value::Null)
}

/// Hashes the kind and the subject. Two reads of the same file are distinguished by their content and order.
pub(crate) fn identity(line: &Line) -> u64 {
    let mut hasher = DefaultHasher::new();
    let json = json_of(line);
    let kind = if let Line::Process(_) = line { &json } else { &json["kind"] };
    json["type"].as_str().hash(&mut hasher);
    kind["kind"].as_str().hash(&mut hasher);
    for name in SUBJECTS {
        kind.get(name).map(Value::to_string).hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: &str, seq: u64) -> u64 {
        let line = format!(
            r#"{{"type":"record","seq":{seq},"phase":"user_script","virtual_time_ms":0,"monotonic_ms":0,"kind":{kind}}}"#
        );
        identity(&Line::parse(&line).expect("a record"))
    }

    #[test]
    fn a_record_is_identified_by_its_subject() {
        let delete = |path: &str, seq| of(&format!(r#"{{"kind":"file_delete","path":"{path}"}}"#), seq);
        assert_eq!(delete("/a", 1), delete("/a", 7));
        assert_ne!(delete("/a", 1), delete("/b", 1));
        let sleep = |duration: u64| of(&format!(r#"{{"kind":"clock_sleep","duration_ms":{duration}}}"#), 1);
        assert_eq!(sleep(1), sleep(2));
        assert_ne!(sleep(1), delete("/a", 1));
    }
}

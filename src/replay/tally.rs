//! Counts of events by kind, lane, group of lanes, facet, or any member.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::json::raw::RawJson;
use crate::replay::vocabulary::{KindId, Vocabulary};

/// How many different values are told apart; events with other values are counted together.
const MOST_VALUES: usize = 100_000;

/// What events are counted by.
enum Grouping {
    Kind,
    Lane,
    LaneGroup,
    /// Members of the event, by their paths.
    Members(Vec<Vec<String>>),
}

impl Grouping {
    fn parse(name: &str, vocabulary: &Vocabulary) -> Grouping {
        let path = |path: &str| path.split('.').map(str::to_owned).collect();
        if name == "kind" {
            Grouping::Kind
        } else if name == "lane" {
            Grouping::Lane
        } else if name == vocabulary.lane_groups.name {
            Grouping::LaneGroup
        } else if let Some(facet) = vocabulary.facets.iter().find(|facet| facet.name == name) {
            Grouping::Members(
                facet.members.iter().map(|path| path.iter().map(|&name| name.to_owned()).collect()).collect(),
            )
        } else {
            Grouping::Members(vec![path(name.trim_start_matches('.'))])
        }
    }
}

/// The counts so far.
pub(crate) struct Tally {
    grouping: Grouping,
    vocabulary: &'static Vocabulary,
    counts: FxHashMap<Value, u64>,
    /// Events whose value came after [`MOST_VALUES`] others.
    others: u64,
}

impl Tally {
    /// Counts by `kind`, `lane`, the name of the lane groups or of a facet, or the path of a member.
    pub(crate) fn new(by: &str, vocabulary: &'static Vocabulary) -> Tally {
        Tally { grouping: Grouping::parse(by, vocabulary), vocabulary, counts: FxHashMap::default(), others: 0 }
    }

    pub(crate) fn add(&mut self, kind: KindId, event: &[u8]) {
        let lane = || self.vocabulary.lane(kind);
        match &self.grouping {
            Grouping::Kind => self.count(self.vocabulary.kind_name(kind).into()),
            Grouping::Lane => self.count(lane().map(|lane| self.vocabulary.lane_name(lane)).into()),
            Grouping::LaneGroup => self.count(lane().and_then(|lane| self.vocabulary.lane_groups.of(lane)).into()),
            Grouping::Members(paths) => {
                for value in values(paths, event) {
                    self.count(value);
                }
            }
        }
    }

    fn count(&mut self, value: Value) {
        if let Some(count) = self.counts.get_mut(&value) {
            *count += 1;
        } else if self.counts.len() < MOST_VALUES {
            self.counts.insert(value, 1);
        } else {
            self.others += 1;
        }
    }

    /// The values with their counts, the most frequent first and equal ones by their text. Null stands for events
    /// without a value.
    pub(crate) fn rows(&self) -> Vec<(&Value, u64)> {
        let mut rows: Vec<(&Value, u64)> = self.counts.iter().map(|(value, count)| (value, *count)).collect();
        rows.sort_by_cached_key(|(value, count)| (std::cmp::Reverse(*count), text_of(value)));
        rows
    }

    /// How many events had values that are not told apart.
    pub(crate) fn others(&self) -> u64 {
        self.others
    }
}

/// A value as a text: a string without its quotes.
pub(crate) fn text_of(value: &Value) -> String {
    match value {
        Value::Null => "(none)".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The different values of some members of an event, or null if there are none.
fn values(paths: &[Vec<String>], event: &[u8]) -> Vec<Value> {
    let mut found = Vec::new();
    for path in paths {
        collect(RawJson::of(event), path, &mut found);
    }
    if found.len() > 1 {
        let mut seen = BTreeSet::new();
        found.retain(|value| seen.insert(value.to_string()));
    }
    if found.is_empty() {
        found.push(Value::Null);
    }
    found
}

fn collect(from: Option<RawJson<'_>>, path: &[String], found: &mut Vec<Value>) {
    let Some(from) = from else { return };
    match path {
        [] => found.push(from.to_value()),
        _ if from.is_array() => from.elements().for_each(|element| collect(Some(element), path, found)),
        [name, rest @ ..] => collect(from.get(name), rest, found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::machine::VOCABULARY;

    fn counted(by: &str, events: &[&str]) -> Vec<(String, u64)> {
        let mut tally = Tally::new(by, &VOCABULARY);
        for event in events {
            let kind = RawJson::of(event.as_bytes()).and_then(|value| value.text_of("kind"));
            let kind = kind.and_then(|name| VOCABULARY.kind(&name.get())).unwrap_or(KindId::MALFORMED);
            tally.add(kind, event.as_bytes());
        }
        tally.rows().into_iter().map(|(value, count)| (text_of(value), count)).collect()
    }

    #[test]
    fn events_are_counted_by_kind_lane_group_facet_and_member() {
        let events = [
            r#"{"kind":"tool_requested","turn":1,"calls":[{"id":"c1"},{"id":"c2"},{"id":"c1"}]}"#,
            r#"{"kind":"tool_gated","turn":1,"call_id":"c1"}"#,
            r#"{"kind":"signal_disposed","turn":2,"disposition":"run"}"#,
            r#"{"kind":"suspended","turn":2}"#,
        ];
        let rows =
            |rows: &[(&str, u64)]| rows.iter().map(|(text, count)| ((*text).to_owned(), *count)).collect::<Vec<_>>();
        assert_eq!(counted("lane", &events), rows(&[("ipc", 1), ("sched", 1), ("syscall", 1), ("tools", 1)]));
        assert_eq!(counted("primitive", &events), rows(&[("sched", 2), ("(none)", 1), ("syscall", 1)]));
        assert_eq!(counted("call", &events), rows(&[("(none)", 2), ("c1", 2), ("c2", 1)]));
        assert_eq!(counted("turn", &events), rows(&[("1", 2), ("2", 2)]));
        assert_eq!(counted(".disposition", &events), rows(&[("(none)", 3), ("run", 1)]));
        assert_eq!(counted("kind", &events[..1]), rows(&[("tool_requested", 1)]));
    }
}

//! `query --by`: how often each value occurs among the events that match.

use std::io::{self, Write};

use rustc_hash::FxHashMap;
use serde::Serialize;
use serde_json::Value;

use crate::cli::paint::{Paint, clean};
use crate::cli::print;
use crate::json::raw::RawJson;
use crate::replay::vocabulary::{KindId, Vocabulary};

/// How many different values are told apart; events with other values are counted together.
const MOST_VALUES: usize = 100_000;

/// What events are counted by.
enum Grouping {
    Kind,
    Lane,
    /// A member of the event, by its path.
    Member(Vec<String>),
}

impl Grouping {
    fn parse(name: &str) -> Grouping {
        match name {
            "kind" => Grouping::Kind,
            "lane" => Grouping::Lane,
            path => Grouping::Member(path.trim_start_matches('.').split('.').map(str::to_owned).collect()),
        }
    }
}

/// The counts so far.
pub(super) struct Tally {
    grouping: Grouping,
    vocabulary: &'static Vocabulary,
    counts: FxHashMap<Value, u64>,
    /// Events whose value came after [`MOST_VALUES`] others.
    others: u64,
}

#[derive(Serialize)]
struct TallyRow<'v> {
    /// Null for events without the member.
    value: &'v Value,
    count: u64,
}

impl Tally {
    pub(super) fn new(by: &str, vocabulary: &'static Vocabulary) -> Tally {
        Tally { grouping: Grouping::parse(by), vocabulary, counts: FxHashMap::default(), others: 0 }
    }

    pub(super) fn add(&mut self, kind: KindId, event: &[u8]) {
        let value = self.value(kind, event);
        if let Some(count) = self.counts.get_mut(&value) {
            *count += 1;
        } else if self.counts.len() < MOST_VALUES {
            self.counts.insert(value, 1);
        } else {
            self.others += 1;
        }
    }

    fn value(&self, kind: KindId, event: &[u8]) -> Value {
        match &self.grouping {
            Grouping::Kind => self.vocabulary.kind_name(kind).into(),
            Grouping::Lane => {
                self.vocabulary.lane(kind).map_or(Value::Null, |lane| self.vocabulary.lane_name(lane).into())
            }
            Grouping::Member(path) => {
                let member = path.iter().try_fold(RawJson::of(event), |found, name| Some(found?.get(name)));
                member.flatten().map_or(Value::Null, RawJson::to_value)
            }
        }
    }

    /// Prints the values, the most frequent first and equal ones by name.
    pub(super) fn print(&self, json: bool, paint: Paint, out: &mut dyn Write) -> io::Result<()> {
        let mut rows: Vec<(&Value, u64, String)> =
            self.counts.iter().map(|(value, count)| (value, *count, shown(value))).collect();
        rows.sort_by(|one, two| two.1.cmp(&one.1).then_with(|| one.2.cmp(&two.2)));
        if json {
            for (value, count, _) in rows {
                print::line(&TallyRow { value, count }, out)?;
            }
            return Ok(());
        }
        let columns = rows.iter().map(|(_, count, _)| count.to_string().len()).max().unwrap_or(0);
        for (value, count, text) in rows {
            let text = if value.is_null() { paint.dim(&text) } else { text };
            writeln!(out, "{count:>columns$}  {text}")?;
        }
        Ok(())
    }

    /// How many events had values that are not told apart.
    pub(super) fn others(&self) -> u64 {
        self.others
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "(none)".to_owned(),
        Value::String(text) => clean(text),
        other => clean(&other.to_string()),
    }
}

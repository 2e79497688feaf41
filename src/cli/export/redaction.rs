//! The seam between exporting and redacting: the records of a trace in, what they become and what was removed out.
//!
//! Whoever knows better rules changes [`masked`] only.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::minimize::candidate::{Candidate, Edits};
use crate::minimize::parts::{Parts, Whole};
use crate::minimize::trial::Trial;
use crate::redact::{Rules, redact};
use crate::replay::finding::Finding;

const SCHEMA: &str = "stepback-redactions/1";

/// One text that was taken out.
pub struct Removal {
    pub event: u32,
    /// Where in the event, as a JSON pointer.
    pub path: String,
    pub rules: BTreeSet<String>,
    pub length_bytes: usize,
}

/// A trace without its secrets.
#[derive(Default)]
pub struct Redacted {
    pub edits: Edits,
    /// Records that are no JSON and could hold anything: they are left out, by their number.
    pub left_out: Vec<u32>,
    pub removals: Vec<Removal>,
}

impl Redacted {
    pub fn of(parts: &Parts) -> Redacted {
        let mut redacted = Redacted::default();
        for part in 0..parts.len() as u32 {
            let event = parts.event(part).filter(|_| parts.whole(part) == Whole::Yes);
            let Some(before) = event.and_then(|event| serde_json::from_slice::<Value>(event).ok()) else {
                redacted.left_out.push(part);
                continue;
            };
            let (after, rules) = masked(&before);
            if rules.is_empty() {
                continue;
            }
            redacted.edits.insert(part, Arc::from(after.to_string().into_bytes()));
            tell_removals(part, &before, &after, &rules, &mut String::new(), &mut redacted.removals);
        }
        redacted
    }

    /// The whole trace without what was removed.
    pub fn candidate(&self, parts: &Parts) -> Candidate {
        Candidate::all(parts).without(&self.left_out).edited(self.edits.clone())
    }

    /// The rules that each alone make a finding go away.
    pub fn culprits(&self, trial: &dyn Trial, wanted: &Finding) -> Vec<String> {
        let rules: BTreeSet<&String> = self.removals.iter().flat_map(|removal| &removal.rules).collect();
        let breaks = |rule: &str| {
            let hit: BTreeSet<u32> = self
                .removals
                .iter()
                .filter(|removal| removal.rules.contains(rule))
                .map(|removal| removal.event)
                .collect();
            let edits = self.edits.iter().filter(|(part, _)| hit.contains(part));
            let edits = edits.map(|(part, event)| (*part, Arc::clone(event))).collect();
            let found = trial.findings(&Candidate::all(trial.parts()).edited(edits));
            !found.iter().any(|finding| finding.fingerprint() == wanted.fingerprint())
        };
        rules.into_iter().filter(|rule| breaks(rule)).cloned().collect()
    }

    /// The first record that still holds a secret. What wraps an event is not looked into when its secrets are hidden.
    pub fn missed(packed: &Parts) -> Option<u32> {
        let holds_one = |part: &u32| {
            let record = serde_json::from_slice::<Value>(packed.record(*part));
            record.is_ok_and(|record| masked(&record).0 != record)
        };
        (0..packed.len() as u32).find(holds_one)
    }

    pub fn to_json(&self) -> Value {
        let removal = |removal: &Removal| json!({"event": removal.event, "path": removal.path, "rules": removal.rules, "length_bytes": removal.length_bytes});
        json!({
            "schema": SCHEMA,
            "records_left_out": self.left_out,
            "removals": self.removals.iter().map(removal).collect::<Vec<_>>(),
        })
    }
}

/// A value without its secrets, and the rules that fired. None fired: it is as it was.
pub fn masked(value: &Value) -> (Value, BTreeSet<String>) {
    let (mut masked, mut rules) = (value.clone(), BTreeSet::new());
    redact(&mut masked, Rules::Thorough, &mut rules);
    (masked, rules)
}

/// The texts that differ, with how much of each went away.
fn tell_removals(
    event: u32,
    before: &Value,
    after: &Value,
    rules: &BTreeSet<String>,
    path: &mut String,
    removals: &mut Vec<Removal>,
) {
    let mut inside = |step: String, before: &Value, after: &Value| {
        let length = path.len();
        path.push('/');
        path.push_str(&step.replace('~', "~0").replace('/', "~1"));
        tell_removals(event, before, after, rules, path, removals);
        path.truncate(length);
    };
    match (before, after) {
        (Value::Object(one), Value::Object(two)) => {
            for (key, value) in one {
                if let Some(other) = two.get(key) {
                    inside(key.clone(), value, other);
                }
            }
        }
        (Value::Array(one), Value::Array(two)) => {
            for (index, (value, other)) in one.iter().zip(two).enumerate() {
                inside(index.to_string(), value, other);
            }
        }
        (Value::String(one), Value::String(two)) if one != two => {
            let (rules, path) = (rules.clone(), path.clone());
            removals.push(Removal { event, path, rules, length_bytes: length_removed(one, two) });
        }
        _ => {}
    }
}

/// From the first to the last byte that is not the same any more.
fn length_removed(before: &str, after: &str) -> usize {
    let (one, two) = (before.as_bytes(), after.as_bytes());
    let begin = one.iter().zip(two).take_while(|(one, two)| one == two).count();
    let room = one.len().min(two.len()) - begin;
    let end = one.iter().rev().zip(two.iter().rev()).take(room).take_while(|(one, two)| one == two).count();
    one.len() - begin - end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_removed_is_told_with_its_place_and_length() {
        let parts = Parts::of_lines("{\"a\":[{\"token\":\"abcdef\"}],\"b\":\"password=xyz ok\"}\n{\"c\":1}\nnot json");
        let redacted = Redacted::of(&parts);
        let told: Vec<(u32, &str, usize)> = redacted
            .removals
            .iter()
            .map(|removal| (removal.event, removal.path.as_str(), removal.length_bytes))
            .collect();
        assert_eq!(told, [(0, "/a/0/token", 6), (0, "/b", 3)]);
        assert_eq!(redacted.left_out, [2]);
        assert_eq!(&*redacted.candidate(&parts).kept, [0, 1]);
        assert_eq!(
            (Redacted::missed(&parts), Redacted::missed(&Parts::of_lines("{\"token\":\"[REDACTED]\"}"))),
            (Some(0), None)
        );
    }
}

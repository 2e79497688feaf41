//! The imprint of an event: three hashes that show whether two runs have the same content.
//!
//! When two runs are compared, the members of an event belong to three classes. Most are *content*. Some are *names*
//! that every run makes up, such as call ids. Some *drift*, such as durations. The vocabulary of a dialect lists the
//! members that are names or drift; all others are content.

mod hashing;

use std::hash::Hasher;

use serde::Serialize;

use self::hashing::Hashing;

/// Whether two logs use the same names for the same things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// They do: a different name is a difference.
    Exact,
    /// They do not: each run has its own names.
    Fresh,
}

/// The class of a member when two runs are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    Content,
    Name,
    Drift,
}

/// The members of a dialect's events that are not content, at any depth.
#[derive(Clone, Copy, Debug)]
pub struct Drifting {
    pub names: &'static [&'static str],
    pub drift: &'static [&'static str],
}

impl Drifting {
    pub fn class(&self, member: &str) -> Class {
        if self.drift.contains(&member) {
            Class::Drift
        } else if self.names.contains(&member) {
            Class::Name
        } else {
            Class::Content
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Imprint {
    content: u64,
    names: u64,
    drift: u64,
}

impl Imprint {
    /// The imprint of an event as its dialect decodes it: blanks, escapes, the order of members and unknown members do
    /// not count. Members are hashed in the order in which they are serialized.
    pub fn of(event: &impl Serialize, drifting: &Drifting) -> Self {
        let mut hashing = Hashing::new(drifting);
        // Hashing cannot fail, and a serialization error would occur in both logs.
        let _ = event.serialize(&mut hashing);
        let [content, names, drift] = hashing.finish();
        Imprint { content, names, drift }
    }

    /// The imprint of a record that is not an event: of its bytes.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let mut hasher = std::hash::DefaultHasher::new();
        hasher.write(bytes);
        Imprint { content: hasher.finish(), names: 0, drift: 0 }
    }

    /// The content of the event, without drift.
    pub fn said(self, names: Names) -> u64 {
        match names {
            Names::Exact => mixed(self.content, self.names),
            Names::Fresh => self.content,
        }
    }

    /// The values that may differ between two runs with the same content.
    pub fn drift(self, names: Names) -> u64 {
        match names {
            Names::Exact => self.drift,
            Names::Fresh => mixed(self.drift, self.names),
        }
    }

    /// All names of the event.
    pub fn names(self) -> u64 {
        self.names
    }

    pub fn all(self) -> u64 {
        mixed(self.said(Names::Exact), self.drift)
    }
}

fn mixed(one: u64, two: u64) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write_u64(one);
    hasher.write_u64(two);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const DRIFTING: Drifting = Drifting { names: &["id"], drift: &["ms"] };

    #[test]
    fn names_and_drift_are_separated_at_any_depth() {
        let imprint = |value| Imprint::of(&value, &DRIFTING);
        let event = imprint(json!({"a": 1, "id": "x", "in": {"ms": 3}}));
        let renamed = imprint(json!({"a": 1, "id": "y", "in": {"ms": 3}}));
        let later = imprint(json!({"a": 1, "id": "x", "in": {"ms": 4}}));
        let other = imprint(json!({"a": 2, "id": "x", "in": {"ms": 3}}));
        assert_eq!(event.said(Names::Fresh), renamed.said(Names::Fresh));
        assert_ne!(event.said(Names::Exact), renamed.said(Names::Exact));
        assert_eq!(event.said(Names::Exact), later.said(Names::Exact));
        assert_ne!(event.drift(Names::Exact), later.drift(Names::Exact));
        assert_ne!(event.said(Names::Fresh), other.said(Names::Fresh));
        assert_ne!(event.all(), later.all());
    }

    #[test]
    fn adjacent_values_do_not_collide() {
        let values = [
            json!(["ab", "c"]),
            json!(["a", "bc"]),
            json!([["ab"], "c"]),
            json!([["ab", "c"]]),
            json!({"ab": "c"}),
            json!(["ab", "c", null]),
            json!("abc"),
            json!(1),
            json!(-1),
            json!(1.0),
            json!(true),
            json!(null),
        ];
        for (at, one) in values.iter().enumerate() {
            for two in &values[..at] {
                assert_ne!(Imprint::of(one, &DRIFTING), Imprint::of(two, &DRIFTING), "{one} {two}");
            }
        }
    }
}

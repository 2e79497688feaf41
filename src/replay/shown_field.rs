//! Fields of a state for display: how each type of value is shown and compared, for dialects whose states are structs of
//! shared maps.
//!
//! A dialect lists its fields with [`shown_fields`], which makes a table of them.

use std::fmt::Write;
use std::sync::Arc;

use imbl::OrdMap;
use imbl::ordmap::DiffItem;
use serde_json::Value;

/// One field of a state.
pub(crate) struct ShownField<S> {
    pub value: fn(&S) -> Value,
    pub same: fn(&S, &S) -> bool,
    /// The value in about this many characters.
    pub brief: fn(&S, usize) -> String,
    pub write_change: fn(&S, &S, &mut String),
}

/// Makes the table of fields of a state, and the list of their names.
macro_rules! shown_fields {
    ($type:ty: $($name:literal $state:ident => $value:expr),* $(,)?) => {
        pub(crate) static FIELDS: &[$crate::replay::shown_field::ShownField<$type>] = &[$($crate::replay::shown_field::ShownField {
            value: |$state| $value.to_value(),
            same: |one, two| {
                let one = { let $state = one; $value };
                let two = { let $state = two; $value };
                one.is_same(two)
            },
            brief: |$state, most| $value.brief(most),
            write_change: |before, after, out| {
                let before = { let $state = before; $value };
                let after = { let $state = after; $value };
                before.write_change(after, out);
            },
        }),*];

        pub(crate) const FIELD_NAMES: &[&str] = &[$($name),*];
    };
}

pub(crate) use shown_fields;

/// How one type of field is shown and compared.
pub(crate) trait ShownMember {
    fn to_value(&self) -> Value;
    fn is_same(&self, other: &Self) -> bool;
    fn brief(&self, most: usize) -> String;
    fn write_change(&self, after: &Self, out: &mut String);
}

/// Implements [`ShownMember`] for types whose values are short.
macro_rules! simple_values {
    ($($type:ty: $this:ident => $value:expr, $text:expr;)*) => {
        $(impl $crate::replay::shown_field::ShownMember for $type {
            fn to_value(&self) -> serde_json::Value {
                let $this = self;
                serde_json::json!($value)
            }

            fn is_same(&self, other: &Self) -> bool {
                self == other
            }

            fn brief(&self, _: usize) -> String {
                let $this = self;
                $text
            }

            fn write_change(&self, after: &Self, out: &mut String) {
                // A text replaces another one as a whole; of numbers, both are short.
                let before = Some(self.brief(0)).filter(|before| before.parse::<u64>().is_ok()).unwrap_or_default();
                let _ = std::fmt::Write::write_fmt(out, format_args!( "{before}→{}", after.brief(0)));
            }
        })*
    };
}

pub(crate) use simple_values;

simple_values! {
    u32: count => count, count.to_string();
    u64: count => count, count.to_string();
    Option<u64>: number => number, number.map_or_else(none, |number| number.to_string());
    Option<Arc<str>>: text => text.as_deref(), text.as_deref().map_or_else(none, str::to_owned);
}

pub(crate) fn none() -> String {
    "none".to_owned()
}

/// An entry of a map, as JSON and as text.
pub(crate) trait FieldEntry<K> {
    fn json(&self, key: &K) -> Value;
    fn text(&self, key: &K) -> String;
}

/// How many changed entries are named.
const NAMED: usize = 6;

impl<K: Ord + Clone, V: FieldEntry<K> + Clone + PartialEq> ShownMember for OrdMap<K, V> {
    fn to_value(&self) -> Value {
        self.iter().map(|(key, entry)| entry.json(key)).collect()
    }

    /// Shared parts are skipped, so the cost depends on how much the maps differ.
    fn is_same(&self, other: &Self) -> bool {
        self.ptr_eq(other) || self.len() == other.len() && self.diff(other).next().is_none()
    }

    fn brief(&self, most: usize) -> String {
        listed(self.iter().map(|(key, entry)| entry.text(key)), self.len(), most)
    }

    fn write_change(&self, after: &Self, out: &mut String) {
        let mut differing = self.diff(after);
        for difference in differing.by_ref().take(NAMED) {
            if !out.is_empty() {
                out.push(' ');
            }
            let _ = match difference {
                DiffItem::Add(key, entry) => write!(out, "+{}", entry.text(key)),
                DiffItem::Remove(key, entry) => write!(out, "−{}", entry.text(key)),
                DiffItem::Update { new, .. } => write!(out, "→{}", new.1.text(new.0)),
            };
        }
        let rest = differing.count();
        if rest > 0 {
            let _ = write!(out, " and {rest} more");
        }
    }
}

/// Entries one after the other, in about `most` characters; how many are left out is said.
pub(crate) fn listed(entries: impl Iterator<Item = String>, count: usize, most: usize) -> String {
    let (mut text, mut shown) = (String::new(), 0);
    for entry in entries {
        if shown > 0 && text.chars().count() + entry.chars().count() > most {
            return format!("{text} and {} more", count - shown);
        }
        if shown > 0 {
            text.push_str("; ");
        }
        text.push_str(&entry);
        shown += 1;
    }
    if shown == 0 { none() } else { text }
}

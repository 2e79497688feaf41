//! A moment of a log: one event with the state before it and after it.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use super::finding::Finding;
use super::machine::{Effect, Obligation};
use super::vocabulary::{EffectId, EffectTally, FieldId, FieldSet, KindId};
use super::{Place, Seq};

/// The state before a step and the state after it. Values are made when they are asked for: a set may be long.
pub trait Sides: Any {
    /// The fields that this step changed.
    fn changed(&self) -> FieldSet;
    /// The fields that no longer hold what they began with.
    fn departed(&self) -> FieldSet;
    /// The fields whose values after this step are not those after another one, of this log or a variant of it.
    fn differing(&self, other: &dyn Sides) -> FieldSet;
    fn before(&self, field: FieldId) -> Value;
    fn after(&self, field: FieldId) -> Value;
    /// The value after this step in about `most` characters.
    fn brief(&self, field: FieldId, most: usize) -> String;
    /// What this step did to a field, for people.
    fn write_change(&self, field: FieldId, out: &mut String);
}

impl dyn Sides + '_ {
    /// What this step did to a field, for people.
    pub fn change(&self, field: FieldId) -> String {
        let mut text = String::new();
        self.write_change(field, &mut text);
        text
    }
}

impl dyn Sides + Send + Sync {
    /// What this step did to a field, for people.
    pub fn change(&self, field: FieldId) -> String {
        let sides: &dyn Sides = self;
        sides.change(field)
    }
}

/// A step as a scan passes it, gone when the scan goes on.
pub trait Sight {
    fn at(&self) -> Seq;
    fn kind(&self) -> KindId;
    /// The record as it stands in the log.
    fn record(&self) -> &[u8];
    /// The event inside the record; the record itself where it holds none.
    fn event(&self) -> &[u8];
    /// Why the record is not an event.
    fn malformed(&self) -> Option<&str>;
    /// A summary on one line. The log's own words: escape them before printing.
    fn summary(&self) -> String;
    fn sides(&self) -> &dyn Sides;
    /// Shows the effects of this step in their order, and answers the outcome if the event halts the turn.
    fn each_effect(&self, visit: &mut dyn FnMut(EffectId, &dyn Effect)) -> Option<Value>;
}

impl dyn Sight + '_ {
    /// The effects of this step, in their order, and the outcome if the event halts the turn.
    pub fn effects(&self) -> (Vec<Emitted>, Option<Value>) {
        let mut effects = Vec::new();
        let halt = self.each_effect(&mut |kind, effect| {
            let mut detail = String::new();
            effect.write_detail(&mut detail);
            effects.push(Emitted { kind, payload: effect.to_json(), detail });
        });
        (effects, halt)
    }
}

/// One effect of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Emitted {
    pub kind: EffectId,
    pub payload: Value,
    /// One line for a person: the payload without the kind.
    pub detail: String,
}

/// Everything that is true right after one event.
pub struct Moment {
    pub at: Seq,
    pub kind: KindId,
    /// The record as it stands in the log.
    pub record: Vec<u8>,
    /// The record with what it only refers to put in, where that could be had.
    pub in_full: Option<Vec<u8>>,
    /// Where in the record the event stands; all of it where it holds none.
    pub inside: Range<usize>,
    /// Why the record is not an event.
    pub malformed: Option<String>,
    /// A summary on one line. The log's own words: escape them before printing.
    pub summary: String,
    pub sides: Box<dyn Sides + Send + Sync>,
    pub effects: Vec<Emitted>,
    /// The outcome, if this event halts the turn.
    pub halt: Option<Value>,
    /// The turn that the event names, or the last one named before it.
    pub turn: Option<Arc<str>>,
    /// The step that the event names, or the one in force.
    pub step: u32,
    /// Where the record stands in its file.
    pub place: Place,
    /// How often each effect was asked for up to here.
    pub tally: EffectTally,
    /// The findings that touch this event, with their numbers in the list of all.
    pub findings: Vec<(usize, Arc<Finding>)>,
    /// What is open here, oldest first; of very many only the oldest.
    pub obligations: Vec<Obligation>,
    pub obligation_count: usize,
}

impl Moment {
    pub fn event(&self) -> &[u8] {
        &self.record[self.inside.clone()]
    }
}

/// A field's value for people: texts without quotes, the rest as JSON.
pub(crate) fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "none".to_owned(),
        Value::Array(items) if items.is_empty() => "none".to_owned(),
        Value::Array(items) => items.iter().map(value_text).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

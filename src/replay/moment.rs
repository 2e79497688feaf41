//! A moment of a log: one event with the state before it and after it.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::ending::Ending;
use super::finding::Finding;
use super::machine::{Effect, Obligation, Origin};
use super::recap::RecapLine;
use super::vocabulary::{EffectId, EffectTally, FieldId, FieldSet, KindId, Vocabulary};
use super::{Place, Seq};

/// The states before and after a step. Values are built on demand, since a set may be long.
pub trait Sides: Any {
    /// The fields that this step changed.
    fn changed(&self) -> FieldSet;
    /// The fields that differ from the initial state.
    fn departed(&self) -> FieldSet;
    /// The fields that differ from those after another step, of this log or of a variant.
    fn differing(&self, other: &dyn Sides) -> FieldSet;
    fn before(&self, field: FieldId) -> Value;
    fn after(&self, field: FieldId) -> Value;
    /// Where the value after this step comes from.
    fn origin(&self, field: FieldId) -> Origin;
    /// The value after this step in about `most` characters.
    fn brief(&self, field: FieldId, most: usize) -> String;
    /// The change of a field by this step, for display.
    fn write_change(&self, field: FieldId, out: &mut String);
}

impl dyn Sides + '_ {
    /// The change of a field by this step, for display.
    pub fn change(&self, field: FieldId) -> String {
        let mut text = String::new();
        self.write_change(field, &mut text);
        text
    }
}

impl dyn Sides + Send + Sync {
    /// The change of a field by this step, for display.
    pub fn change(&self, field: FieldId) -> String {
        let sides: &dyn Sides = self;
        sides.change(field)
    }
}

/// A step of a scan, valid only during the visit.
pub trait Sight {
    fn at(&self) -> Seq;
    fn kind(&self) -> KindId;
    /// The record as it is in the log.
    fn record(&self) -> &[u8];
    /// The event inside the record, or the whole record if there is none.
    fn event(&self) -> &[u8];
    /// Why the record is not an event.
    fn malformed(&self) -> Option<&str>;
    /// A summary on one line. It contains text from the log: escape it before printing.
    fn summary(&self) -> String;
    fn sides(&self) -> &dyn Sides;
    /// Calls `visit` with the effects of this step in order, and returns the outcome if the event halts the turn.
    fn each_effect(&self, visit: &mut dyn FnMut(EffectId, &dyn Effect)) -> Option<Value>;
}

impl dyn Sight + '_ {
    /// The effects of this step in order, and the outcome if the event halts the turn.
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
    /// The payload on one line, without the kind.
    pub detail: String,
}

/// Everything known about the moment right after an event.
pub struct Moment {
    pub at: Seq,
    pub kind: KindId,
    /// The record as it is in the log.
    pub record: Vec<u8>,
    /// The record with the payloads that it refers to inserted, if they were found.
    pub in_full: Option<Vec<u8>>,
    /// The range of the event in the record; all of it if there is no event.
    pub inside: Range<usize>,
    /// Why the record is not an event.
    pub malformed: Option<String>,
    /// A summary on one line. It contains text from the log: escape it before printing.
    pub summary: String,
    pub sides: Box<dyn Sides + Send + Sync>,
    pub effects: Vec<Emitted>,
    /// The outcome, if this event halts the turn.
    pub halt: Option<Value>,
    /// The turn that the event names, or the last one named before it.
    pub turn: Option<Arc<str>>,
    /// The step that the event names, or the step in force.
    pub step: u32,
    /// The place of the record in its file.
    pub place: Place,
    /// How often each effect was emitted up to here.
    pub tally: EffectTally,
    /// The findings that touch this event, with their numbers in the list of all findings.
    pub findings: Vec<(usize, Arc<Finding>)>,
    /// The open obligations, oldest first; only the oldest if there are many.
    pub obligations: Vec<Obligation>,
    pub obligation_count: usize,
    /// The ending if this were the last event of the log.
    pub ending: Option<Ending>,
    /// What a reader would ask first about the run, if this were the last event.
    pub recap: Vec<RecapLine>,
}

impl Moment {
    /// Where the values of the fields come from, by their names, and why some have none. Empty for dialects that do not
    /// distinguish.
    pub(crate) fn origins(&self, vocabulary: &Vocabulary) -> (Map<String, Value>, Map<String, Value>) {
        let (mut origins, mut gaps) = (Map::new(), Map::new());
        for field in vocabulary.field_ids() {
            let (name, origin) = (vocabulary.field_name(field), self.sides.origin(field));
            origins.extend(origin.name().map(|origin| (name.to_owned(), Value::from(origin))));
            gaps.extend(origin.gap().map(|reason| (name.to_owned(), Value::from(reason))));
        }
        (origins, gaps)
    }

    pub fn event(&self) -> &[u8] {
        &self.record[self.inside.clone()]
    }
}

/// The value of a field for display: strings without quotes, everything else as JSON.
pub(crate) fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "none".to_owned(),
        Value::Array(items) if items.is_empty() => "none".to_owned(),
        Value::Array(items) => items.iter().map(value_text).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

//! One step of a scan: its event, the state before it and the state after it.

use std::any::Any;
use std::ops::Range;

use serde_json::Value;

use crate::replay::Seq;
use crate::replay::machine::{Effect, Machine, Malformed, Origin};
use crate::replay::moment::{Sides, Sight};
use crate::replay::shared::Frame;
use crate::replay::source::{Source, range_within};
use crate::replay::vocabulary::{EffectId, FieldId, FieldSet, KindId};

pub(super) struct Both<M: Machine> {
    pub before: Frame<M>,
    pub after: Frame<M>,
}

impl<M: Machine> Sides for Both<M> {
    fn changed(&self) -> FieldSet {
        M::changed(&self.before.state, &self.after.state)
    }

    fn departed(&self) -> FieldSet {
        M::changed(&M::State::default(), &self.after.state)
    }

    fn differing(&self, other: &dyn Sides) -> FieldSet {
        if let Some(other) = (other as &dyn Any).downcast_ref::<Self>() {
            return M::changed(&other.after.state, &self.after.state);
        }
        let mut differing = FieldSet::default();
        let differs = |field: &FieldId| self.after(*field) != other.after(*field);
        M::vocabulary().field_ids().filter(differs).for_each(|field| differing.insert(field));
        differing
    }

    fn before(&self, field: FieldId) -> Value {
        M::value(&self.before.state, field)
    }

    fn after(&self, field: FieldId) -> Value {
        M::value(&self.after.state, field)
    }

    fn origin(&self, field: FieldId) -> Origin {
        M::origin(&self.after.state, field)
    }

    fn brief(&self, field: FieldId, most: usize) -> String {
        M::brief(&self.after.state, field, most)
    }

    fn write_change(&self, field: FieldId, out: &mut String) {
        M::write_change(&self.before.state, &self.after.state, field, out);
    }
}

pub(super) struct Passing<'p, M: Machine> {
    at: Seq,
    kind: KindId,
    record: &'p [u8],
    inside: &'p [u8],
    event: Result<M::Event<'p>, Malformed>,
    both: &'p Both<M>,
}

impl<'p, M: Machine> Passing<'p, M> {
    /// Steps over a record: the state after the previous record is the state before this one.
    pub(super) fn new(
        at: Seq,
        kind: KindId,
        record: &'p [u8],
        source: &dyn Source,
        decoder: &mut M::Decoder,
        both: &'p mut Both<M>,
    ) -> Self {
        let unwrapped = source.event(record);
        let inside = *unwrapped.as_ref().unwrap_or(&record);
        let event = unwrapped.and_then(|event| M::decode(decoder, event));
        both.before.clone_from(&both.after);
        if let Ok(event) = &event {
            both.after.step(at, event);
        }
        Passing { at, kind, record, inside, event, both }
    }

    /// The range of the event in the record.
    pub(super) fn range(&self) -> Range<usize> {
        range_within(self.record, self.inside)
    }
}

impl<M: Machine> Sight for Passing<'_, M> {
    fn at(&self) -> Seq {
        self.at
    }

    fn kind(&self) -> KindId {
        self.kind
    }

    fn record(&self) -> &[u8] {
        self.record
    }

    fn event(&self) -> &[u8] {
        self.inside
    }

    fn malformed(&self) -> Option<&str> {
        self.event.as_ref().err().map(|malformed| malformed.reason.as_str())
    }

    fn summary(&self) -> String {
        self.event.as_ref().map_or_else(|malformed| malformed.reason.clone(), M::summary)
    }

    fn sides(&self) -> &dyn Sides {
        self.both
    }

    fn each_effect(&self, visit: &mut dyn FnMut(EffectId, &dyn Effect)) -> Option<Value> {
        M::effects(&self.both.before.state, self.event.as_ref().ok()?, visit)
    }
}

//! The input of a filter, `{seq, event, before, after, effects, findings}`, reduced to the parts that the filter reads.

use std::sync::Arc;

use jaq_json::{Map, Num, Val, read};
use serde_json::Value;

use super::limits::{MOST_NESTING, Unparsable, clean_json};
use super::needs::Needs;
use crate::replay::Seq;
use crate::replay::moment::{Sides, Sight};
use crate::replay::shared::FindingList;
use crate::replay::vocabulary::{FieldSet, KindId, Vocabulary};

/// At least as many levels as an input has: those of the event or of a field's value, and those around it.
pub(super) const INPUT_LEVELS: u16 = MOST_NESTING as u16 + 16;

/// Converts a JSON value to a filter value.
pub(super) fn value(value: Value) -> Val {
    match value {
        Value::Null => Val::Null,
        Value::Bool(yes) => Val::Bool(yes),
        Value::Number(number) => {
            let whole = number.as_i64().map(|whole| Val::from(whole as isize));
            let large = || number.as_u64().map(|large| Val::Num(Num::from_integral(large)));
            whole.or_else(large).unwrap_or_else(|| Val::from(number.as_f64().unwrap_or(f64::NAN)))
        }
        Value::String(text) => Val::from(text),
        Value::Array(items) => items.into_iter().map(self::value).collect(),
        Value::Object(members) => {
            Val::obj(members.into_iter().map(|(key, member)| (Val::from(key), self::value(member))).collect())
        }
    }
}

/// The states before and after the events of a walk. Only changed fields are built again.
struct KeptInput {
    wanted: FieldSet,
    /// The values before the next event, except those of stale fields.
    fields: Arc<Map>,
    stale: FieldSet,
}

impl KeptInput {
    fn new(wanted: FieldSet) -> Self {
        KeptInput { wanted, fields: Arc::default(), stale: wanted }
    }

    fn pass(&mut self, sides: &dyn Sides) {
        if !self.wanted.is_empty() {
            self.stale.0 |= sides.changed().0 & self.wanted.0;
        }
    }

    /// Both states around a step.
    fn step(&mut self, sides: &dyn Sides, names: &[Val]) -> (Val, Val) {
        if self.wanted.is_empty() {
            return (Val::Null, Val::Null);
        }
        if !self.stale.is_empty() {
            let fields = Arc::make_mut(&mut self.fields);
            for field in self.stale.iter() {
                fields.insert(names[field.0 as usize].clone(), value(sides.before(field)));
            }
        }
        let before = Arc::clone(&self.fields);
        let changed = FieldSet(sides.changed().0 & self.wanted.0);
        if !changed.is_empty() {
            let fields = Arc::make_mut(&mut self.fields);
            for field in changed.iter() {
                fields.insert(names[field.0 as usize].clone(), value(sides.after(field)));
            }
        }
        self.stale = FieldSet::default();
        (Val::Obj(before), Val::Obj(Arc::clone(&self.fields)))
    }
}

/// Why an event has no input.
#[derive(Debug, thiserror::Error)]
pub(super) enum InputError {
    #[error("the event cannot be read: {0}")]
    Unparsable(#[from] Unparsable),
    #[error("the event cannot be read: {0}")]
    NotJson(read::Error),
}

/// Builds the inputs of consecutive events.
pub(super) struct FilterInputs {
    needs: Needs,
    /// The names of all fields.
    names: Vec<Val>,
    keys: [Val; 6],
    kept: KeptInput,
}

impl FilterInputs {
    pub(super) fn new(needs: Needs, vocabulary: &Vocabulary) -> Self {
        let name = |name: &&str| Val::from((*name).to_owned());
        FilterInputs {
            needs,
            names: vocabulary.fields.iter().map(name).collect(),
            keys: ["seq", "event", "before", "after", "effects", "findings"].map(|key| name(&key)),
            kept: KeptInput::new(FieldSet(needs.before.0 | needs.after.0)),
        }
    }

    /// Passes a step at which the filter is not run.
    pub(super) fn pass(&mut self, sight: &dyn Sight) {
        self.kept.pass(sight.sides());
    }

    /// The states before and after a step, as far as they are read. Called once for each step.
    pub(super) fn states(&mut self, sight: &dyn Sight) -> (Val, Val) {
        self.kept.step(sight.sides(), &self.names)
    }

    /// The input at a step with these states, or why it cannot be built.
    pub(super) fn of_step(
        &self,
        sight: &dyn Sight,
        (before, after): (Val, Val),
        findings: &FindingList,
    ) -> Result<Val, InputError> {
        let mut input = self.of_event(sight.at(), sight.kind(), sight.event(), findings)?;
        if let Val::Obj(members) = &mut input {
            let members = Arc::make_mut(members);
            if !self.needs.before.is_empty() {
                members.insert(self.keys[2].clone(), before);
            }
            if !self.needs.after.is_empty() {
                members.insert(self.keys[3].clone(), after);
            }
            if self.needs.effects {
                let effects = sight.effects().0.into_iter().map(|effect| value(effect.payload)).collect();
                members.insert(self.keys[4].clone(), effects);
            }
        }
        Ok(input)
    }

    /// The parts of the input that need no stepping.
    pub(super) fn of_event(
        &self,
        at: Seq,
        kind: KindId,
        event: &[u8],
        findings: &FindingList,
    ) -> Result<Val, InputError> {
        let mut members = Map::default();
        if self.needs.seq {
            members.insert(self.keys[0].clone(), Val::from(at.0 as usize));
        }
        if self.needs.event {
            let event = if kind == KindId::MALFORMED { Val::Null } else { parsed(event)? };
            members.insert(self.keys[1].clone(), event);
        }
        if self.needs.findings {
            let touching = findings.at(at).map(|(_, finding)| value(finding.to_json())).collect();
            members.insert(self.keys[5].clone(), touching);
        }
        Ok(Val::obj(members))
    }
}

/// The input of a filter that reads at most the event.
pub(super) fn event_input(kind: KindId, event: &[u8]) -> Result<Val, InputError> {
    let event = if kind == KindId::MALFORMED { Val::Null } else { parsed(event)? };
    let members = [(Val::from("event".to_owned()), event)];
    Ok(Val::obj(members.into_iter().collect()))
}

fn parsed(event: &[u8]) -> Result<Val, InputError> {
    read::parse_single(&clean_json(event)?).map_err(InputError::NotJson)
}

//! The index of a log: a row of 24 bytes per event, in columns. The rest is decoded again on demand.

use std::hash::Hasher;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHasher};

use super::caption::Outcome;
use super::chain::RecordChain;
use super::column::Column;
use super::direction::Direction;
use super::source::Span;
use super::vocabulary::{KindId, Vocabulary};
use super::{Place, Seq};

/// Records are read, verified and cached in groups of this size.
pub(crate) const GROUP: u32 = 256;

/// The turn of an event before any turn was named.
const NO_TURN: u32 = u32::MAX;

/// One row of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    pub span: Span,
    pub kind: KindId,
    /// The turn that the event names, or the last one named before it, for [`Rows::turn_name`].
    pub turn: Option<u32>,
    /// The step that the event names, or the step in force.
    pub step: u32,
    /// One bit per kind of effect of the step.
    pub effects: u16,
    /// How what the event reports went.
    pub outcome: Option<Outcome>,
    /// The event belongs to a call that began shortly before it, so a list can show it in the row of the call.
    pub continues_call: bool,
}

impl Row {
    /// The bit for events that continue a call; the bits below it are the outcome.
    const CONTINUES: u8 = 8;

    fn marks(&self) -> u8 {
        let outcome = self.outcome.and_then(|outcome| Outcome::ALL.iter().position(|known| *known == outcome));
        outcome.map_or(0, |place| place as u8 + 1) | if self.continues_call { Row::CONTINUES } else { 0 }
    }
}

/// The rows of a log, and the chains and places of its groups.
#[derive(Clone, Default)]
pub struct Rows {
    offsets: Column<u64>,
    lengths: Column<u32>,
    kinds: Column<u8>,
    turns: Column<u32>,
    steps: Column<u32>,
    effects: Column<u16>,
    /// Outcome and call, see [`Row::marks`].
    marks: Column<u8>,
    /// The levels of the state, each with the first event that has it.
    levels: Vec<(Seq, u64)>,
    turn_names: Vec<Arc<str>>,
    turn_numbers: FxHashMap<Arc<str>, u32>,
    /// For each group: the chain of all records before it, and the place of its first record.
    groups: Vec<(RecordChain, Place)>,
    /// The chains of all records, and of all but the last.
    chain: RecordChain,
    chain_before_last: RecordChain,
}

impl Rows {
    pub fn len(&self) -> u32 {
        self.kinds.len() as u32
    }

    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    pub fn push(&mut self, row: Row, place: Place, identity: RecordIdentity) {
        if self.len().is_multiple_of(GROUP) {
            self.groups.push((self.chain, place));
        }
        self.chain_before_last = self.chain;
        self.chain.push(identity.0);
        self.offsets.push(row.span.offset);
        self.lengths.push(row.span.length);
        self.kinds.push(row.kind.0);
        self.turns.push(row.turn.unwrap_or(NO_TURN));
        self.steps.push(row.step);
        self.effects.push(row.effects);
        self.marks.push(row.marks());
    }

    /// The next row has another level than the rows before it.
    pub fn push_level(&mut self, level: u64) {
        self.levels.push((Seq(self.len()), level));
    }

    /// The levels of the state, each with the first event that has it.
    pub fn levels(&self) -> &[(Seq, u64)] {
        &self.levels
    }

    /// Removes the last row. Between two pushes, only one row can be removed.
    pub fn pop(&mut self) {
        self.offsets.pop();
        self.lengths.pop();
        self.kinds.pop();
        self.turns.pop();
        self.steps.pop();
        self.effects.pop();
        self.marks.pop();
        if self.len().is_multiple_of(GROUP) {
            self.groups.pop();
        }
        let length = self.len();
        self.levels.pop_if(|(at, _)| at.0 == length);
        self.chain = self.chain_before_last;
    }

    pub fn get(&self, at: Seq) -> Option<Row> {
        let at = at.0 as usize;
        Some(Row {
            span: Span { offset: self.offsets.get(at)?, length: self.lengths.get(at)? },
            kind: KindId(self.kinds.get(at)?),
            turn: self.turns.get(at).filter(|turn| *turn != NO_TURN),
            step: self.steps.get(at)?,
            effects: self.effects.get(at)?,
            outcome: self.outcome(Seq(at as u32)),
            continues_call: self.continues_call(Seq(at as u32)),
        })
    }

    pub fn outcome(&self, at: Seq) -> Option<Outcome> {
        let code = self.marks.get(at.0 as usize)? & (Row::CONTINUES - 1);
        Outcome::ALL.get(usize::from(code).checked_sub(1)?).copied()
    }

    pub fn continues_call(&self, at: Seq) -> bool {
        self.marks.get(at.0 as usize).is_some_and(|marks| marks & Row::CONTINUES != 0)
    }

    pub fn kind(&self, at: Seq) -> Option<KindId> {
        self.kinds.get(at.0 as usize).map(KindId)
    }

    pub fn turn(&self, at: Seq) -> Option<u32> {
        self.turns.get(at.0 as usize).filter(|turn| *turn != NO_TURN)
    }

    pub fn step(&self, at: Seq) -> Option<u32> {
        self.steps.get(at.0 as usize)
    }

    pub fn effects(&self, at: Seq) -> u16 {
        self.effects.get(at.0 as usize).unwrap_or(0)
    }

    pub fn span(&self, at: Seq) -> Option<Span> {
        let at = at.0 as usize;
        Some(Span { offset: self.offsets.get(at)?, length: self.lengths.get(at)? })
    }

    pub fn turn_name(&self, turn: u32) -> Option<&Arc<str>> {
        self.turn_names.get(turn as usize)
    }

    pub fn turn_count(&self) -> u32 {
        self.turn_names.len() as u32
    }

    /// The number of a turn; a new turn gets the next number.
    pub fn turn_number(&mut self, name: &str) -> u32 {
        if let Some(known) = self.turn_numbers.get(name) {
            return *known;
        }
        let (number, name) = (self.turn_names.len() as u32, Arc::<str>::from(name));
        self.turn_names.push(Arc::clone(&name));
        self.turn_numbers.insert(name, number);
        number
    }

    /// The spans of a group's records, and their chain.
    pub fn group(&self, group: u32) -> Option<(Vec<Span>, RecordChain)> {
        let (before, _) = self.groups.get(group as usize)?;
        let from = group * GROUP;
        let to = (from + GROUP).min(self.len());
        let after = self.chain_before_group(group + 1).unwrap_or(self.chain);
        let spans = (from..to).filter_map(|at| self.span(Seq(at))).collect();
        Some((spans, after.since(*before, to - from)))
    }

    /// The chain of all records before a group; `None` if the group has not begun.
    pub fn chain_before_group(&self, group: u32) -> Option<RecordChain> {
        self.groups.get(group as usize).map(|(chain, _)| *chain)
    }

    /// The chain of all records.
    pub fn chain(&self) -> RecordChain {
        self.chain
    }

    /// The first record of an event's group, and its place.
    pub fn group_place(&self, at: Seq) -> Option<(Span, Place)> {
        let group = at.0 / GROUP;
        let (_, place) = self.groups.get(group as usize)?;
        Some((self.span(Seq(group * GROUP))?, *place))
    }

    /// The first record of the group that contains a record, found by its span. Rows of a store need not ascend; there,
    /// any group is valid.
    pub fn place_before(&self, wanted: Span) -> Option<(Span, Place)> {
        let (mut from, mut to) = (0, self.groups.len() as u32);
        while to - from > 1 {
            let middle = from + (to - from) / 2;
            let is_before = self.span(Seq(middle * GROUP)).is_some_and(|first| first.offset <= wanted.offset);
            (from, to) = if is_before { (middle, to) } else { (from, middle) };
        }
        self.group_place(Seq(from * GROUP))
    }

    /// The first event after or before `from`, exclusive, for which `test` holds.
    pub fn find(&self, from: Seq, direction: Direction, test: impl Fn(&Rows, Seq) -> bool) -> Option<Seq> {
        if direction.is_forward() {
            (from.0.saturating_add(1)..self.len()).map(Seq).find(|at| test(self, *at))
        } else {
            (0..from.0.min(self.len())).rev().map(Seq).find(|at| test(self, *at))
        }
    }

    pub fn bytes(&self) -> usize {
        let columns = self.offsets.bytes()
            + self.lengths.bytes()
            + self.kinds.bytes()
            + self.turns.bytes()
            + self.steps.bytes()
            + self.effects.bytes()
            + self.marks.bytes();
        let names: usize = self.turn_names.iter().map(|name| name.len() + 80).sum();
        let levels = self.levels.capacity() * size_of::<(Seq, u64)>();
        columns + names + levels + self.groups.capacity() * size_of::<(RecordChain, Place)>()
    }
}

/// The calls that have begun and not ended, for the pass: it marks the events that continue one.
#[derive(Clone, Default)]
pub(crate) struct CallsBegun {
    /// By the hash of the call's id, the event at which it began.
    begun: FxHashMap<u64, Seq>,
}

impl CallsBegun {
    /// How many events after its beginning a call is looked for: a frame must not read half a log.
    pub(crate) const LOOKED_AT_EVENTS: u32 = 4 * GROUP;

    /// Sees an event about a call. Returns whether it continues a call that began shortly before it.
    pub(crate) fn see(&mut self, vocabulary: &Vocabulary, kind: KindId, call: &str, at: Seq) -> bool {
        let Some(kinds) = vocabulary.call.as_ref().filter(|kinds| kind == kinds.begins || kinds.continues(kind)) else {
            return false;
        };
        let mut hasher = FxHasher::default();
        hasher.write(call.as_bytes());
        let call = hasher.finish();
        if kind == kinds.begins {
            self.begun.insert(call, at);
            return false;
        }
        let began = if kind == kinds.ends { self.begun.remove(&call) } else { self.begun.get(&call).copied() };
        began.is_some_and(|began| at.0 - began.0 < CallsBegun::LOOKED_AT_EVENTS)
    }
}

/// The identity of one record's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordIdentity(pub u64);

impl RecordIdentity {
    pub fn of(record: &[u8]) -> Self {
        let mut hasher = FxHasher::default();
        hasher.write(record);
        hasher.write_usize(record.len());
        RecordIdentity(hasher.finish())
    }
}

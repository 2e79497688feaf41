//! The words of a dialect: its kinds of events, their lanes, the fields of its state, and its effects.
//!
//! Code that displays, searches or steps through a log knows a dialect only by this table.

use super::imprint::Drifting;

/// A kind of event, as numbered by its dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KindId(pub u8);

impl KindId {
    /// The kind of records that are not events; they keep their places.
    pub const MALFORMED: KindId = KindId(u8::MAX);
}

/// A lane of the timeline, to which several kinds belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LaneId(pub u8);

/// A field of the state that replaying rebuilds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldId(pub u8);

/// A kind of effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EffectId(pub u8);

/// A set of fields, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FieldSet(pub u64);

impl FieldSet {
    pub const MOST: usize = 64;

    pub fn insert(&mut self, field: FieldId) {
        self.0 |= 1 << field.0;
    }

    pub fn contains(self, field: FieldId) -> bool {
        self.0 & (1 << field.0) != 0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// In the order of the dialect's table.
    pub fn iter(self) -> impl Iterator<Item = FieldId> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let first = (rest != 0).then(|| rest.trailing_zeros() as u8)?;
            rest &= rest - 1;
            Some(FieldId(first))
        })
    }
}

/// How often each kind of effect was emitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EffectTally([u32; EffectTally::MOST]);

impl EffectTally {
    /// A row of the index keeps a bit per effect, in 16 bits.
    pub const MOST: usize = 16;

    pub fn add(&mut self, effect: EffectId) {
        let count = &mut self.0[effect.0 as usize];
        *count = count.saturating_add(1);
    }

    pub fn of(&self, effect: EffectId) -> u32 {
        self.0[effect.0 as usize]
    }
}

pub struct KindWord {
    pub name: &'static str,
    /// For a narrow list: at most [`KindWord::SHORT_COLUMNS`] characters.
    pub short: &'static str,
    pub lane: LaneId,
    /// What one event of a routine kind is called, such as `clock read`: successive events of such kinds share a row of
    /// the list, `12 clock reads`.
    pub routine: Option<&'static str>,
}

impl KindWord {
    pub const SHORT_COLUMNS: usize = 10;

    pub const fn new(name: &'static str, short: &'static str, lane: LaneId) -> KindWord {
        KindWord { name, short, lane, routine: None }
    }

    /// A kind whose successive events share a row.
    #[must_use]
    pub const fn routine(mut self, noun: &'static str) -> KindWord {
        self.routine = Some(noun);
        self
    }
}

/// What the events of a lane are about, in terms that all dialects share: the screen has a glyph for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Concern {
    /// What a person asked or answered.
    User,
    /// What a model was asked or said.
    Model,
    Tool,
    /// Guards, gates, budgets, checks.
    Rule,
    Memory,
    /// The window of the model: compactions, summaries, seams.
    Context,
    /// Where runs and turns begin and end, and what schedules them.
    Run,
    File,
    /// Processes and agents.
    Process,
    /// Messages between programs: MCP, signals.
    Exchange,
    /// What rarely matters: clocks, caches, headers.
    Background,
}

impl Concern {
    pub const ALL: [Concern; 11] = [
        Concern::User,
        Concern::Model,
        Concern::Tool,
        Concern::Rule,
        Concern::Memory,
        Concern::Context,
        Concern::Run,
        Concern::File,
        Concern::Process,
        Concern::Exchange,
        Concern::Background,
    ];
}

pub struct LaneWord {
    pub name: &'static str,
    pub concern: Concern,
}

impl LaneWord {
    pub const fn new(name: &'static str, concern: Concern) -> LaneWord {
        LaneWord { name, concern }
    }
}

/// The kinds that belong to a call, from its plan to its outcome.
pub struct CallKinds {
    pub begins: KindId,
    pub within: &'static [KindId],
    pub ends: KindId,
}

impl CallKinds {
    /// Whether events of this kind belong to a call that has begun.
    pub fn continues(&self, kind: KindId) -> bool {
        kind == self.ends || self.within.contains(&kind)
    }
}

/// A property by which events are counted and filtered, such as the call that they are about.
pub struct Facet {
    pub name: &'static str,
    /// The paths of the members that may hold it. On a path, an array stands for all of its elements.
    pub members: &'static [&'static [&'static str]],
}

/// What lanes are grouped by, such as the primitive of a category.
pub struct LaneGroups {
    pub name: &'static str,
    pub groups: &'static [(&'static str, &'static [LaneId])],
}

impl LaneGroups {
    /// For a dialect that does not group its lanes.
    pub const NONE: LaneGroups = LaneGroups { name: "", groups: &[] };

    /// The name of the group that a lane is in.
    pub(crate) fn of(&self, lane: LaneId) -> Option<&'static str> {
        self.groups.iter().find(|(_, lanes)| lanes.contains(&lane)).map(|(name, _)| *name)
    }
}

/// The words of one dialect. Positions in its lists are the ids above.
pub struct Vocabulary {
    /// The path of the member of an event that names its kind.
    pub tag: &'static [&'static str],
    /// The kinds whose events have a tag other than their name, or none: the fallback for unknown tags. A dialect
    /// without such kinds rejects these records.
    pub untagged: &'static [KindId],
    pub kinds: &'static [KindWord],
    pub lanes: &'static [LaneWord],
    pub lane_groups: LaneGroups,
    /// Besides kind, lane and group of lanes.
    pub facets: &'static [Facet],
    pub fields: &'static [&'static str],
    /// The values of `kind` in the payloads of effects.
    pub effects: &'static [&'static str],
    /// Whether its events belong to steps of a model.
    pub has_steps: bool,
    /// The kind that begins a turn, if the dialect has one.
    pub turn_begins: Option<KindId>,
    /// The kind of a compaction, if the dialect has one.
    pub compacts: Option<KindId>,
    /// The kinds of a call, if the dialect has calls.
    pub call: Option<CallKinds>,
    /// The kinds whose events may be entries of the conversation.
    pub speakers: &'static [KindId],
    /// Whether events are first shown in their conversation, not as JSON.
    pub is_conversation: bool,
    /// The members of an event that are not content when two runs are compared.
    pub drifting: Drifting,
}

impl Vocabulary {
    /// The words of a dialect without any, for `..Vocabulary::NONE`.
    pub const NONE: Vocabulary = Vocabulary {
        tag: &[],
        untagged: &[],
        kinds: &[],
        lanes: &[],
        lane_groups: LaneGroups::NONE,
        facets: &[],
        fields: &[],
        effects: &[],
        has_steps: false,
        turn_begins: None,
        compacts: None,
        call: None,
        speakers: &[],
        is_conversation: false,
        drifting: Drifting { names: &[], drift: &[] },
    };

    /// Whether field sets, effect tallies and kind ids are large enough for all words.
    pub const fn is_within_limits(&self) -> bool {
        self.kinds.len() < KindId::MALFORMED.0 as usize
            && self.lanes.len() <= u8::MAX as usize
            && self.fields.len() <= FieldSet::MOST
            && self.effects.len() <= EffectTally::MOST
    }

    pub fn kind_name(&self, kind: KindId) -> &'static str {
        self.kinds.get(kind.0 as usize).map_or("malformed", |word| word.name)
    }

    pub fn speaks(&self, kind: KindId) -> bool {
        self.speakers.contains(&kind)
    }

    pub fn short_name(&self, kind: KindId) -> &'static str {
        self.kinds.get(kind.0 as usize).map_or("malformed", |word| word.short)
    }

    pub fn lane(&self, kind: KindId) -> Option<LaneId> {
        self.kinds.get(kind.0 as usize).map(|word| word.lane)
    }

    pub fn kind(&self, name: &str) -> Option<KindId> {
        if name == "malformed" {
            return Some(KindId::MALFORMED);
        }
        self.kinds.iter().position(|word| word.name == name).map(|at| KindId(at as u8))
    }

    /// A kind by its name, or by its short name.
    pub fn kind_by_any_name(&self, name: &str) -> Option<KindId> {
        let short = || self.kinds.iter().position(|word| word.short == name).map(|at| KindId(at as u8));
        self.kind(name).or_else(short)
    }

    pub fn lane_by_name(&self, name: &str) -> Option<LaneId> {
        self.lanes.iter().position(|known| known.name == name).map(|at| LaneId(at as u8))
    }

    pub fn lane_name(&self, lane: LaneId) -> &'static str {
        self.lanes.get(lane.0 as usize).map_or("?", |known| known.name)
    }

    /// The concern of a kind; `None` for records that are not events.
    pub fn concern(&self, kind: KindId) -> Option<Concern> {
        let lane = self.lane(kind)?;
        self.lanes.get(lane.0 as usize).map(|known| known.concern)
    }

    /// What an event of a routine kind is called.
    pub fn routine(&self, kind: KindId) -> Option<&'static str> {
        self.kinds.get(kind.0 as usize).and_then(|word| word.routine)
    }

    pub fn field(&self, name: &str) -> Option<FieldId> {
        self.fields.iter().position(|known| *known == name).map(|at| FieldId(at as u8))
    }

    pub fn field_name(&self, field: FieldId) -> &'static str {
        self.fields.get(field.0 as usize).copied().unwrap_or("?")
    }

    pub fn field_ids(&self) -> impl Iterator<Item = FieldId> {
        (0..self.fields.len() as u8).map(FieldId)
    }

    pub fn effect(&self, name: &str) -> Option<EffectId> {
        self.effects.iter().position(|known| *known == name).map(|at| EffectId(at as u8))
    }

    pub fn effect_name(&self, effect: EffectId) -> &'static str {
        self.effects.get(effect.0 as usize).copied().unwrap_or("?")
    }

    pub fn effect_ids(&self) -> impl Iterator<Item = EffectId> {
        (0..self.effects.len() as u8).map(EffectId)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_set_iterates_in_order() {
        let mut set = FieldSet::default();
        for field in [63, 0, 7] {
            set.insert(FieldId(field));
        }
        assert_eq!(set.iter().map(|field| field.0).collect::<Vec<_>>(), [0, 7, 63]);
        assert!(set.contains(FieldId(7)) && !set.contains(FieldId(8)));
    }
}

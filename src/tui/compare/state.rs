//! The state of a comparison: the other log, the alignment, and the moments of both logs at the current place.
//!
//! The open log is the left one, with the expected values. Its playhead is at a place ([`AlignedPair`]) of the
//! alignment, where perhaps only the other log has an event. The logs are never walked here: a place costs two moments.

use std::sync::Arc;

use serde_json::Value;

use crate::compare::member::MemberDifferences;
use crate::compare::run::{AlignedPair, How, Side};
use crate::compare::{Comparison, members_at};
use crate::replay::Seq;
use crate::replay::ending::Ending;
use crate::replay::imprint::{Class, Names};
use crate::replay::moment::{Emitted, Moment};
use crate::replay::timeline::Replay;
use crate::replay::vocabulary::{FieldId, FieldSet};
use crate::tui::detail::diff::DiffTab;
use crate::tui::glyph;
use crate::tui::sentence::Sentence;

/// The open log compared with another one, from the user's request on.
pub(crate) struct LogComparison {
    /// The other log, as the user named it.
    pub name: String,
    /// The name, quoted for a shell.
    pub word: String,
    /// The progress in the background: until the logs are compared, and again after one of them has grown.
    pub doing: Option<String>,
    /// Where the playhead was at the beginning: if it has not moved, it goes to the first difference.
    pub from: Option<Seq>,
    pub compared: Option<Compared>,
}

/// What the host reports about a comparison.
pub(crate) enum CompareNews {
    /// The other log is being opened.
    Begun {
        name: String,
        from: Option<Seq>,
    },
    /// The other log is open, and its name is known exactly.
    Opened {
        name: String,
        word: String,
    },
    /// The progress, as a sentence.
    Doing(String),
    Compared(Box<Compared>),
    Failed(String),
}

/// Where the logs differ, for the strip.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Outlined {
    columns: usize,
    parts: Vec<Option<How>>,
}

/// Two compared logs, and the current place.
pub(crate) struct Compared {
    comparison: Comparison,
    left: Arc<dyn Replay>,
    right: Arc<dyn Replay>,
    /// The verdict in a sentence.
    pub sentence: String,
    pub is_same: bool,
    /// `None` if both logs are empty.
    spot: Option<AlignedPair>,
    /// The number of differences up to here.
    number: u64,
    /// The moment of the other log at its last event up to here.
    right_moment: Option<Moment>,
    members: MemberDifferences,
    fields: FieldSet,
    /// Those fields that differ only in generated names.
    renamed: FieldSet,
    outlined: Outlined,
    /// How the run of the other log ended.
    pub right_ending: Option<Ending>,
}

impl Compared {
    pub(crate) fn new(
        comparison: Comparison,
        (left, right): (Arc<dyn Replay>, Arc<dyn Replay>),
        sentence: String,
        is_same: bool,
    ) -> Self {
        let spot = comparison.first();
        let last = right.len().checked_sub(1).map(Seq);
        let last = last.and_then(|last| right.moment(last).ok().flatten());
        Compared {
            right_ending: last.and_then(|moment| moment.ending),
            comparison,
            left,
            right,
            sentence,
            is_same,
            spot,
            number: 0,
            right_moment: None,
            members: MemberDifferences::default(),
            fields: FieldSet::default(),
            renamed: FieldSet::default(),
            outlined: Outlined::default(),
        }
    }

    pub(crate) fn comparison(&self) -> &Comparison {
        &self.comparison
    }

    pub(crate) fn replay(&self, side: Side) -> &dyn Replay {
        if side == Side::Left { &*self.left } else { &*self.right }
    }

    /// Whether this replay is the left one.
    pub(crate) fn is_of(&self, replay: &Arc<dyn Replay>) -> bool {
        Arc::ptr_eq(&self.left, replay)
    }

    /// Whether a log has grown since the comparison.
    pub(crate) fn is_outgrown(&self) -> bool {
        let has_grown = |replay: &dyn Replay, side| replay.len() != self.comparison.len(side);
        has_grown(&*self.left, Side::Left) || has_grown(&*self.right, Side::Right)
    }

    pub(crate) fn spot(&self) -> Option<AlignedPair> {
        self.spot
    }

    pub(crate) fn how(&self) -> How {
        self.spot.map_or(How::Same, |spot| spot.how)
    }

    /// The number of the current difference, or of the last one before it.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The fields with different values.
    pub(crate) fn fields(&self) -> FieldSet {
        self.fields
    }

    /// Those fields that differ only in names that each run generates.
    pub(crate) fn renamed(&self) -> FieldSet {
        self.renamed
    }

    /// Fields that are named after a generated name, and have equally many values on both sides. The events show which
    /// of them belong together.
    fn renamed_of(&self, left: &Moment, right: &Moment) -> FieldSet {
        let vocabulary = self.left.vocabulary();
        let holds_names = |field: &FieldId| {
            let name = vocabulary.field_name(*field);
            vocabulary.drifting.names.iter().any(|known| name.contains(known))
        };
        let is_alike = |field: &FieldId| match (left.sides.after(*field), right.sides.after(*field)) {
            (Value::Array(one), Value::Array(two)) => one.len() == two.len(),
            (one, two) => one.is_string() && two.is_string(),
        };
        let mut renamed = FieldSet::default();
        let differing = self.fields.iter().filter(|_| self.has_own_names());
        differing.filter(holds_names).filter(is_alike).for_each(|field| renamed.insert(field));
        renamed
    }

    /// Whether ids count as names that each run generates.
    pub(crate) fn has_own_names(&self) -> bool {
        self.comparison.names == Names::Fresh
    }

    /// Goes to a place; both logs are read there later, by the model's `look`. Returns the position of the left
    /// playhead.
    pub(crate) fn go(&mut self, spot: AlignedPair) -> Seq {
        self.spot = Some(spot);
        last_event(spot, Side::Left).unwrap_or_default()
    }

    /// Follows the left playhead, and reads both logs there.
    pub(crate) fn follow(&mut self, at: Seq, left: Option<&Moment>) -> Result<(), Sentence> {
        let current = self.spot.map(|spot| last_event(spot, Side::Left).unwrap_or_default());
        if current != Some(at) {
            // Events that were added since the comparison are not part of it.
            self.spot = self.comparison.spot(Side::Left, at).or_else(|| self.comparison.last());
        }
        (self.right_moment, self.members, self.fields, self.renamed) = Default::default();
        let Some(spot) = self.spot else { return Ok(()) };
        self.number = self.comparison.divergences_up_to(spot);
        if let Some(at) = last_event(spot, Side::Right) {
            self.right_moment = self.right.moment(at).map_err(|gone| format!("the other log: {}", gone.reason))?;
        }
        if let (Some(one), Some(two)) = (left.filter(|_| self.has_begun(Side::Left)), &self.right_moment) {
            self.fields = two.sides.differing(&*one.sides);
            self.renamed = self.renamed_of(one, two);
        }
        if let Some((one, two)) = spot.event(Side::Left).zip(spot.event(Side::Right)) {
            self.members = members_at(&*self.left, &*self.right, one, two).map_err(|trouble| trouble.to_string())?;
        }
        Ok(())
    }

    /// Whether a side has an event up to here.
    pub(crate) fn has_begun(&self, side: Side) -> bool {
        self.spot.is_some_and(|spot| last_event(spot, side).is_some())
    }

    /// The moment of the other log at its last event up to here.
    pub(crate) fn right_moment(&self) -> Option<&Moment> {
        self.right_moment.as_ref()
    }

    /// The moment of the other log, if its event is at this place and not before it.
    pub(crate) fn right_event(&self) -> Option<&Moment> {
        self.right_moment().filter(|_| self.spot.is_some_and(|spot| spot.event(Side::Right).is_some()))
    }

    /// The moment whose event is displayed: the left one, unless only the right log has an event here.
    pub(crate) fn event<'m>(&'m self, left: Option<&'m Moment>) -> Option<&'m Moment> {
        if self.how() == How::OnlyRight { self.right_moment() } else { left }
    }

    /// The log whose event is displayed.
    pub(crate) fn shown(&self) -> &Arc<dyn Replay> {
        if self.how() == How::OnlyRight { &self.right } else { &self.left }
    }

    /// The effects here that only the left log has, and those that only the right log has.
    pub(crate) fn effects(&self, left: Option<&Moment>) -> (Vec<Emitted>, Vec<Emitted>) {
        let of = |moment: Option<&Moment>| moment.map_or_else(Vec::new, |moment| moment.effects.clone());
        let left = left.filter(|_| self.how() != How::OnlyRight);
        let (mut gone, mut new) = (of(left), of(self.right_event()));
        gone.retain(|effect| {
            let same = new.iter().position(|known| self.is_alike(effect, known));
            same.map(|place| new.remove(place)).is_none()
        });
        (gone, new)
    }

    /// Whether two effects are the same except for names that each run generates. Events with the same content have the
    /// same effects; for other pairs, the names in the events show which names correspond.
    fn is_alike(&self, one: &Emitted, two: &Emitted) -> bool {
        let by_names = self.has_own_names() && one.kind == two.kind;
        one == two || (by_names && (self.how() == How::Same || self.in_names_of_right(&one.payload) == two.payload))
    }

    fn in_names_of_right(&self, value: &Value) -> Value {
        let name = |text: &Value| {
            let mut names = self.members.of(Class::Name);
            let renamed =
                names.find(|member| member.left.as_ref() == Some(text)).and_then(|member| member.right.clone());
            renamed.unwrap_or_else(|| text.clone())
        };
        match value {
            Value::Array(items) => items.iter().map(|item| self.in_names_of_right(item)).collect(),
            Value::Object(members) => {
                members.iter().map(|(key, value)| (key.clone(), self.in_names_of_right(value))).collect()
            }
            other => name(other),
        }
    }

    /// The content of the Diff tab.
    pub(crate) fn tab(&self, left: Option<&Moment>) -> Option<DiffTab> {
        let spot = self.spot?;
        let event = self.event(left).map(Moment::event).unwrap_or_default();
        let place = match spot.how {
            How::OnlyLeft => (spot.right.0 < self.comparison.len(Side::Right)).then_some(spot.right),
            _ => (spot.left.0 < self.comparison.len(Side::Left)).then_some(spot.left),
        };
        let (content, rest) = self.comparison.split_members(spot, &self.members);
        Some(match spot.how {
            How::Same | How::Changed => DiffTab::of_pair(spot.how, &content, &rest, self.members.dropped),
            how => DiffTab::of_one(how, place, event),
        })
    }

    /// Computes where the logs differ, for each column of the strip.
    pub(crate) fn outline(&mut self, columns: usize, part: impl Fn(Seq) -> usize) {
        if self.outlined.columns == columns {
            return;
        }
        let mut parts: Vec<Option<How>> = vec![None; columns];
        for run in self.comparison.runs().iter().filter(|run| run.how != How::Same) {
            let last = run.spot(run.count - 1);
            for known in parts.iter_mut().take(part(last.left) + 1).skip(part(Seq(run.left))) {
                // A column with several kinds of differences is marked as changed.
                *known = Some(if known.is_none_or(|known| known == run.how) { run.how } else { How::Changed });
            }
        }
        self.outlined = Outlined { columns, parts };
    }

    pub(crate) fn outlined(&self) -> &[Option<How>] {
        &self.outlined.parts
    }
}

/// The last event of a side up to a place.
fn last_event(spot: AlignedPair, side: Side) -> Option<Seq> {
    let would_stand = if side == Side::Left { spot.left } else { spot.right };
    spot.event(side).or_else(|| would_stand.0.checked_sub(1).map(Seq))
}

/// A sign for each kind of difference, so that it is readable without colour.
pub(crate) const fn sign(how: How) -> &'static str {
    match how {
        How::Same => " ",
        How::Changed => glyph::DIFFERENT,
        How::OnlyLeft => glyph::ONLY_EXPECTED,
        How::OnlyRight => glyph::ONLY_ACTUAL,
    }
}

//! The verdict of a comparison, in one sentence.

use crate::replay::Seq;
use crate::replay::imprint::{Class, Names};
use crate::replay::timeline::Replay;
use crate::replay::vocabulary::{FieldId, FieldSet, KindId};

use super::run::{AlignedPair, How, Side};
use super::{Comparison, Trouble, members_at, of_rows};

/// What two runs are to each other. The first difference decides: those after it may follow from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ComparisonVerdict {
    Same,
    /// The events say the same, and yet the machine ends in another state: it depends on something that is not content.
    /// A turn log's machine never does (it looks at no duration, and names that are used otherwise are a difference), so
    /// there this would be a fault of stepback. Fields that drift by their nature, such as a tape's clocks, do not count.
    OtherResult {
        fields: FieldSet,
    },
    /// An event has other content: in this member first.
    Differs {
        spot: AlignedPair,
        path: String,
    },
    /// The right log lacks an event of the left one.
    Missing {
        spot: AlignedPair,
    },
    /// The right log has an event that the left one lacks.
    Extra {
        spot: AlignedPair,
    },
    /// The first difference is a record that is not an event.
    Damaged {
        spot: AlignedPair,
        side: Side,
    },
}

impl ComparisonVerdict {
    /// A word for machines.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            ComparisonVerdict::Same => "same",
            ComparisonVerdict::OtherResult { .. } => "other_result",
            ComparisonVerdict::Differs { .. } => "differs",
            ComparisonVerdict::Missing { .. } => "missing",
            ComparisonVerdict::Extra { .. } => "extra",
            ComparisonVerdict::Damaged { .. } => "damaged",
        }
    }

    /// The sentence. It holds no words of the logs but the names of members, which its reader must escape.
    pub(crate) fn sentence(&self, left: &dyn Replay, right: &dyn Replay) -> String {
        let vocabulary = left.vocabulary();
        let kind = |replay: &dyn Replay, at: Seq| {
            vocabulary.kind_name(of_rows(replay, |rows| rows.kind(at)).unwrap_or(KindId::MALFORMED))
        };
        match self {
            ComparisonVerdict::Same => "both logs say the same".to_owned(),
            ComparisonVerdict::OtherResult { fields } => {
                let names: Vec<_> = fields.iter().map(|field| vocabulary.field_name(field)).collect();
                let what = if names.is_empty() { "other effects".to_owned() } else { names.join(", ") };
                format!("both logs say the same, but replaying them comes to another result: {what}")
            }
            ComparisonVerdict::Differs { spot, path } => {
                format!("event {} ({}) says another thing: {path}", both(*spot), kind(left, spot.left))
            }
            ComparisonVerdict::Missing { spot } => {
                let place = place(*spot, Side::Right, right);
                format!(
                    "event {} ({}) of the left log is missing on the right, {place}",
                    spot.left,
                    kind(left, spot.left)
                )
            }
            ComparisonVerdict::Extra { spot } => {
                let place = place(*spot, Side::Left, left);
                format!(
                    "event {} ({}) of the right log is not in the left, {place}",
                    spot.right,
                    kind(right, spot.right)
                )
            }
            ComparisonVerdict::Damaged { spot, side } => {
                let at = if *side == Side::Left { spot.left } else { spot.right };
                format!("the {} log is damaged where they part: its record {at} is not an event", side.name())
            }
        }
    }
}

fn both(spot: AlignedPair) -> String {
    if spot.left == spot.right { spot.left.to_string() } else { format!("{} on the right {}", spot.left, spot.right) }
}

/// Where an event would stand on the side that lacks it.
fn place(spot: AlignedPair, side: Side, replay: &dyn Replay) -> String {
    let at = if side == Side::Left { spot.left } else { spot.right };
    if at.0 < replay.len() { format!("before its event {at}") } else { "at its end".to_owned() }
}

impl Comparison {
    pub(crate) fn verdict(&self, left: &dyn Replay, right: &dyn Replay) -> Result<ComparisonVerdict, Trouble> {
        let Some(spot) = self.first_divergence() else {
            return Ok(match self.other_result(left, right)? {
                Some(fields) => ComparisonVerdict::OtherResult { fields },
                None => ComparisonVerdict::Same,
            });
        };
        // Where they part either side may have lost an event to damage, and which of the two comes first says nothing.
        for (side, replay, at) in [(Side::Right, right, spot.right), (Side::Left, left, spot.left)] {
            let differs = self.spot(side, at).is_some_and(|here| here.how != How::Same);
            if differs && of_rows(replay, |rows| rows.kind(at)) == Some(KindId::MALFORMED) {
                return Ok(ComparisonVerdict::Damaged { spot, side });
            }
        }
        Ok(match spot.how {
            How::OnlyLeft => ComparisonVerdict::Missing { spot },
            How::OnlyRight => ComparisonVerdict::Extra { spot },
            How::Same | How::Changed => {
                let members = members_at(left, right, spot.left, spot.right)?;
                let path = self.told_apart(spot, &members).0.first().map(|member| member.path.clone());
                ComparisonVerdict::Differs { spot, path: path.unwrap_or_else(|| ".".to_owned()) }
            }
        })
    }

    /// The fields in which the logs end otherwise. Where the runs have names of their own only the effects that were
    /// asked for are compared: states hold names.
    fn other_result(&self, left: &dyn Replay, right: &dyn Replay) -> Result<Option<FieldSet>, Trouble> {
        let last = |side, replay: &dyn Replay| match self.len(side).checked_sub(1) {
            Some(last) => replay.moment(Seq(last)).map_err(|gone| Trouble::Gone(side, gone)),
            None => Ok(None),
        };
        let Some((one, two)) = last(Side::Left, left)?.zip(last(Side::Right, right)?) else { return Ok(None) };
        let vocabulary = left.vocabulary();
        let mut fields = FieldSet::default();
        if self.names == Names::Exact {
            // A clock that stands elsewhere is drift in the state too.
            let is_content =
                |field: &FieldId| vocabulary.drifting.class(vocabulary.field_name(*field)) == Class::Content;
            two.sides.differing(&*one.sides).iter().filter(is_content).for_each(|field| fields.insert(field));
        }
        Ok((one.tally != two.tally || !fields.is_empty()).then_some(fields))
    }
}

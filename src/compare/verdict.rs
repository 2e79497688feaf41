//! The verdict of a comparison, in one sentence.

use crate::replay::Seq;
use crate::replay::imprint::{Class, Names};
use crate::replay::timeline::Replay;
use crate::replay::vocabulary::{FieldId, FieldSet, KindId};

use super::run::{AlignedPair, How, Side};
use super::{Comparison, Trouble, members_at, of_rows};

/// How two runs relate. The first difference decides, since later ones may follow from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ComparisonVerdict {
    Same,
    /// The events have the same content, and yet the machine ends in a different state: it depends on something that is
    /// not content. For turn logs this would be a bug of stepback, since their machine reads no duration, and ids that
    /// are renamed inconsistently are a difference. Fields that drift by nature, such as the clock of a tape, do not
    /// count.
    OtherResult {
        fields: FieldSet,
    },
    /// An event has different content, in this member first.
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
    /// The stable name in JSON output.
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

    /// The verdict as a sentence. Its only text from the logs are names of members, which the caller must escape.
    pub(crate) fn sentence(&self, left: &dyn Replay, right: &dyn Replay) -> String {
        let vocabulary = left.vocabulary();
        let kind = |replay: &dyn Replay, at: Seq| {
            vocabulary.kind_name(of_rows(replay, |rows| rows.kind(at)).unwrap_or(KindId::MALFORMED))
        };
        match self {
            ComparisonVerdict::Same => "both logs have the same content".to_owned(),
            ComparisonVerdict::OtherResult { fields } => {
                let names: Vec<_> = fields.iter().map(|field| vocabulary.field_name(field)).collect();
                let what = if names.is_empty() { "other effects".to_owned() } else { names.join(", ") };
                format!("both logs have the same content, but replaying them gives different results: {what}")
            }
            ComparisonVerdict::Differs { spot, path } => {
                format!("event {} ({}) differs: {path}", both(*spot), kind(left, spot.left))
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
                    "event {} ({}) of the right log is missing on the left, {place}",
                    spot.right,
                    kind(right, spot.right)
                )
            }
            ComparisonVerdict::Damaged { spot, side } => {
                let at = if *side == Side::Left { spot.left } else { spot.right };
                format!("the {} log is damaged where they diverge: its record {at} is not an event", side.name())
            }
        }
    }
}

fn both(spot: AlignedPair) -> String {
    if spot.left == spot.right { spot.left.to_string() } else { format!("{} on the right {}", spot.left, spot.right) }
}

/// Where an event would be on the side that lacks it.
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
        // At the point of divergence, either side may have lost an event to damage; which of them comes first means
        // nothing.
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
                let path = self.split_members(spot, &members).0.first().map(|member| member.path.clone());
                ComparisonVerdict::Differs { spot, path: path.unwrap_or_else(|| ".".to_owned()) }
            }
        })
    }

    /// The fields in which the final states differ. If each run has its own ids, only the effects are compared, since
    /// states contain ids.
    fn other_result(&self, left: &dyn Replay, right: &dyn Replay) -> Result<Option<FieldSet>, Trouble> {
        let last = |side, replay: &dyn Replay| match self.len(side).checked_sub(1) {
            Some(last) => replay.moment(Seq(last)).map_err(|gone| Trouble::Gone(side, gone)),
            None => Ok(None),
        };
        let Some((one, two)) = last(Side::Left, left)?.zip(last(Side::Right, right)?) else { return Ok(None) };
        let vocabulary = left.vocabulary();
        let mut fields = FieldSet::default();
        if self.names == Names::Exact {
            // A clock with another time is drift in the state, too.
            let is_content =
                |field: &FieldId| vocabulary.drifting.class(vocabulary.field_name(*field)) == Class::Content;
            two.sides.differing(&*one.sides).iter().filter(is_content).for_each(|field| fields.insert(field));
        }
        Ok((one.tally != two.tally || !fields.is_empty()).then_some(fields))
    }
}

//! An alignment as runs of events: same, changed, only left, only right.

use crate::replay::Seq;

/// One side of a comparison. The left log is the expected one, the right log the actual one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Side {
    Left,
    Right,
}

impl Side {
    pub(crate) const BOTH: [Side; 2] = [Side::Left, Side::Right];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Side::Left => "left",
            Side::Right => "right",
        }
    }
}

/// How events of two logs relate to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum How {
    /// Pairs with the same content; they may have drifted.
    Same,
    /// Pairs of the same event with different content.
    Changed,
    OnlyLeft,
    OnlyRight,
}

impl How {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            How::Same => "same",
            How::Changed => "changed",
            How::OnlyLeft => "only_left",
            How::OnlyRight => "only_right",
        }
    }

    /// How many events of the left and of the right log one step covers.
    pub(crate) const fn width(self) -> (u32, u32) {
        match self {
            How::Same | How::Changed => (1, 1),
            How::OnlyLeft => (1, 0),
            How::OnlyRight => (0, 1),
        }
    }

    const fn mirrored(self) -> How {
        match self {
            How::OnlyLeft => How::OnlyRight,
            How::OnlyRight => How::OnlyLeft,
            other => other,
        }
    }
}

/// A place in an alignment: an event of each side, or on the side that lacks it, its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AlignedPair {
    pub how: How,
    pub left: Seq,
    pub right: Seq,
}

impl AlignedPair {
    /// The event on a side, if there is one.
    pub(crate) fn event(self, side: Side) -> Option<Seq> {
        let (left, right) = self.how.width();
        match side {
            Side::Left => (left > 0).then_some(self.left),
            Side::Right => (right > 0).then_some(self.right),
        }
    }

    /// Every step of an alignment increases this by one or two, so it orders the places.
    pub(crate) fn order(self) -> u64 {
        u64::from(self.left.0) + u64::from(self.right.0)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AlignedRun {
    pub how: How,
    /// Where it begins on each side.
    pub left: u32,
    pub right: u32,
    pub count: u32,
}

impl AlignedRun {
    pub(crate) fn spot(&self, number: u32) -> AlignedPair {
        let (left, right) = self.how.width();
        AlignedPair { how: self.how, left: Seq(self.left + left * number), right: Seq(self.right + right * number) }
    }

    /// The rest of the run after its first `number` places.
    #[must_use]
    pub(crate) fn after(&self, number: u32) -> AlignedRun {
        let spot = self.spot(number);
        AlignedRun { left: spot.left.0, right: spot.right.0, count: self.count - number, ..*self }
    }

    pub(crate) fn starts(&self, side: Side) -> u32 {
        match side {
            Side::Left => self.left,
            Side::Right => self.right,
        }
    }

    /// How many events of a side are in it.
    pub(crate) fn width(&self, side: Side) -> u32 {
        let (left, right) = self.how.width();
        self.count * if side == Side::Left { left } else { right }
    }
}

/// Runs in order. Neighbours of the same kind are merged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Runs {
    list: Vec<AlignedRun>,
}

impl Runs {
    pub(crate) fn push(&mut self, how: How, left: u32, right: u32, count: u32) {
        match self.list.last_mut() {
            _ if count == 0 => {}
            Some(last) if last.how == how => last.count += count,
            _ => self.list.push(AlignedRun { how, left, right, count }),
        }
    }

    pub(crate) fn as_slice(&self) -> &[AlignedRun] {
        &self.list
    }

    /// How many places differ.
    pub(crate) fn differences(&self) -> u64 {
        self.list.iter().filter(|run| run.how != How::Same).map(|run| u64::from(run.count)).sum()
    }

    /// The same runs with the sides swapped. Between two pairs, the events of the left side come first.
    #[must_use]
    pub(crate) fn mirrored(self) -> Runs {
        let mut mirrored = Runs::default();
        let mut waiting: Option<AlignedRun> = None;
        for run in self.list {
            let run = AlignedRun { how: run.how.mirrored(), left: run.right, right: run.left, count: run.count };
            match (run.how, waiting.take()) {
                (How::OnlyRight, _) => waiting = Some(run),
                (How::OnlyLeft, Some(first)) => {
                    mirrored.push(How::OnlyLeft, run.left, first.right, run.count);
                    mirrored.push(How::OnlyRight, run.left + run.count, first.right, first.count);
                }
                (_, first) => {
                    first.into_iter().for_each(|first| mirrored.push(first.how, first.left, first.right, first.count));
                    mirrored.push(run.how, run.left, run.right, run.count);
                }
            }
        }
        waiting.into_iter().for_each(|last| mirrored.push(last.how, last.left, last.right, last.count));
        mirrored
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirroring_twice_changes_nothing() {
        let mut runs = Runs::default();
        for (how, left, right, count) in [
            (How::OnlyRight, 0, 0, 2),
            (How::Same, 0, 2, 3),
            (How::OnlyLeft, 3, 5, 1),
            (How::OnlyRight, 4, 5, 4),
            (How::Changed, 4, 9, 1),
            (How::OnlyLeft, 5, 10, 2),
        ] {
            runs.push(how, left, right, count);
        }
        let mirrored = runs.clone().mirrored();
        assert_eq!(mirrored.as_slice()[2], AlignedRun { how: How::OnlyLeft, left: 5, right: 3, count: 4 });
        assert_eq!(mirrored.mirrored(), runs);
    }
}

//! The two directions in which a log is walked.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Forward,
    Backward,
}

impl Direction {
    pub const fn is_forward(self) -> bool {
        matches!(self, Direction::Forward)
    }

    #[must_use]
    pub const fn reversed(self) -> Direction {
        match self {
            Direction::Forward => Direction::Backward,
            Direction::Backward => Direction::Forward,
        }
    }

    /// So many events in this direction, as a signed number.
    pub const fn signed(self, events: i64) -> i64 {
        match self {
            Direction::Forward => events,
            Direction::Backward => -events,
        }
    }

    /// The place after or before this one in a list, round and round.
    pub const fn next_in(self, at: usize, length: usize) -> usize {
        match self {
            Direction::Forward => (at + 1) % length,
            Direction::Backward => (at + length - 1) % length,
        }
    }
}

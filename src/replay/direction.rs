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

    /// A number of events in this direction, as a signed number.
    pub const fn signed(self, events: i64) -> i64 {
        match self {
            Direction::Forward => events,
            Direction::Backward => -events,
        }
    }

    /// The next place in a list in this direction, wrapping around.
    pub const fn next_in(self, at: usize, length: usize) -> usize {
        match self {
            Direction::Forward => (at + 1) % length,
            Direction::Backward => (at + length - 1) % length,
        }
    }
}

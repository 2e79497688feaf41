//! Answers: questions about a whole log that a dialect can answer, such as where the time went.

use serde_json::Value;

use super::open_log::{DialectError, OpenLog};
use crate::replay::time_shares::TimeShares;
use crate::text::styled::StyledText;

/// Reads a log and answers.
pub(crate) type FindAnswer = fn(&dyn OpenLog) -> Result<Box<dyn Answered>, DialectError>;

/// A question that the logs of a dialect can answer.
pub(crate) struct Answer {
    /// The word for the question on the command line.
    pub name: &'static str,
    pub describes: &'static str,
    /// Reads the log once.
    pub find: FindAnswer,
}

/// The answer for one log.
pub(crate) trait Answered {
    /// As JSON, with at most `rows` rows in each list of events.
    fn document(&self, rows: usize) -> Value;

    /// As text for a width in columns, with at most `rows` rows in each list of events.
    fn text(&self, rows: usize, columns: usize) -> StyledText;

    /// Who took the time, if that is the question.
    fn time_shares(&self) -> Option<TimeShares> {
        None
    }
}

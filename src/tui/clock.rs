//! The clock of the screen: while a log is followed, it tells how long the run has been waiting.

use std::time::{SystemTime, UNIX_EPOCH};

use super::model::Model;
use super::news::News;

/// The clock counts seconds, so that waiting costs a frame per second at most.
const TICK_MS: i64 = 1_000;

/// The time, if it is new and the screen shows it.
pub(crate) fn tick(model: &Model) -> Option<News> {
    model.ending.as_ref().filter(|_| model.follows)?.waiting?;
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    let now = i64::try_from(elapsed.as_millis()).ok()?;
    (model.clock.is_none_or(|shown| now / TICK_MS != shown / TICK_MS)).then_some(News::Clock(now))
}

//! Events selected by a condition or one by one, for the list. A condition is tested in slices, so that the caller can do
//! other things in between.

use std::ops::Range;

use super::breakpoint::On;
use crate::replay::Seq;
use crate::replay::direction::Direction;
use crate::replay::postings::Postings;
use crate::replay::source::Gone;
use crate::replay::timeline::Replay;

#[derive(Clone)]
pub(crate) struct SelectedEvents {
    /// What they are, as the user would write it.
    pub text: String,
    /// `None` if the events were given one by one.
    on: Option<On>,
    found: Postings,
    /// The events before this one have been tested.
    tested: u32,
}

impl SelectedEvents {
    /// The events at which a breakpoint would stop.
    pub(crate) fn on(on: On, text: String) -> SelectedEvents {
        SelectedEvents { text, on: Some(on), found: Postings::default(), tested: 0 }
    }

    /// Exactly these events, in ascending order.
    pub(crate) fn of(events: impl IntoIterator<Item = Seq>, text: String) -> SelectedEvents {
        let mut found = Postings::default();
        events.into_iter().for_each(|at| found.push(at));
        SelectedEvents { text, on: None, found, tested: 0 }
    }

    /// The same condition in another log, such as a variant. Single events of one log are not those of another.
    pub(super) fn again(&self) -> Option<SelectedEvents> {
        Some(SelectedEvents::on(self.on.clone()?, self.text.clone()))
    }

    /// Tests up to `most` more events. `give_up` is called now and then, and ends the slice.
    pub(crate) fn advance(&mut self, replay: &dyn Replay, most: u32, give_up: &dyn Fn() -> bool) -> Result<(), Gone> {
        let Some(on) = &self.on else { return Ok(()) };
        let end = replay.len().min(self.tested.saturating_add(most));
        while self.tested < end {
            let part: Range<u32> = self.tested..end;
            let found = on.find(replay, part, Direction::Forward, give_up)?;
            if found.is_none() && give_up() {
                // The condition is expensive: the rest follows in smaller slices.
                return if most > 1 { self.advance_one(replay, most) } else { Ok(()) };
            }
            found.into_iter().for_each(|at| self.found.push(at));
            self.tested = found.map_or(end, |at| at.0 + 1);
            if give_up() {
                break;
            }
        }
        Ok(())
    }

    /// Tests a few events however long that takes, so that there is progress.
    fn advance_one(&mut self, replay: &dyn Replay, most: u32) -> Result<(), Gone> {
        let end = self.tested.saturating_add((most / 64).max(1)).min(replay.len());
        let Some(on) = &self.on else { return Ok(()) };
        while self.tested < end {
            let found = on.find(replay, self.tested..end, Direction::Forward, &|| false)?;
            found.into_iter().for_each(|at| self.found.push(at));
            self.tested = found.map_or(end, |at| at.0 + 1);
        }
        Ok(())
    }

    /// Whether all events so far have been tested.
    pub(crate) fn is_done(&self, replay: &dyn Replay) -> bool {
        self.on.is_none() || self.tested >= replay.len()
    }

    pub(crate) fn contains(&self, at: Seq) -> bool {
        self.found.contains(at)
    }

    pub(crate) fn count(&self) -> u32 {
        self.found.len()
    }
}

//! Marks the events on the screen at which a breakpoint stops, with a bounded amount of work.

use std::ops::Range;
use std::sync::Arc;

use crate::replay::Seq;
use crate::replay::condition::used_steps;
use crate::replay::debugger::breakpoint::RunEnd;
use crate::replay::direction::Direction;
use crate::tui::action::Pane;
use crate::tui::events::list;
use crate::tui::model::Model;

/// Rows with at most this many events in between are tested together.
const GAP: u32 = 64;
/// How many separate ranges of events are tested at once.
const MOST_RANGES: usize = 16;
/// How many steps of filters are taken at once. The rest follows with the next key.
const MOST_STEPS: u64 = 500_000;

pub(crate) fn update(model: &mut Model) {
    if !model.debugger.breakpoints.iter().any(|breakpoint| breakpoint.enabled) || model.compared().is_some() {
        model.stop_marks.begin((u64::MAX, model.progress));
        return;
    }
    let Some(area) = model.areas().and_then(|areas| areas.of(Pane::Events)) else { return };
    model.stop_marks.begin((model.debugger.breakpoints.revision(), model.progress));
    let rows = list::window(model, area.height as usize);
    let unknown: Vec<Seq> = rows.into_iter().filter(|at| !model.stop_marks.knows(*at)).collect();
    let start = used_steps();
    for range in ranges(&unknown).into_iter().take(MOST_RANGES) {
        if used_steps().wrapping_sub(start) > MOST_STEPS || !test(model, range, start) {
            return;
        }
    }
}

/// Tests a range of events. Returns false if that was too much work, or the log cannot be read.
fn test(model: &mut Model, range: Range<u32>, start: u64) -> bool {
    let replay = Arc::clone(model.debugger.replay());
    let give_up = || used_steps().wrapping_sub(start) > MOST_STEPS;
    let mut from = range.start;
    while from < range.end {
        let run = model.debugger.breakpoints.run_over(&*replay, from..range.end, Direction::Forward, &give_up);
        let (until, stops) = match run {
            Ok(RunEnd::Hit { at, .. }) => (at.0, true),
            Ok(RunEnd::Over) => (range.end, false),
            // What is too expensive to find out is not tried again at every key.
            Ok(RunEnd::GaveUp) | Err(_) => {
                (from..range.end).for_each(|at| model.stop_marks.learn(at, false));
                return false;
            }
        };
        (from..until).for_each(|at| model.stop_marks.learn(at, false));
        if stops {
            model.stop_marks.learn(until, true);
        }
        from = until.saturating_add(1);
    }
    true
}

/// Ranges of events that contain all of these, in ascending order, and few others.
fn ranges(events: &[Seq]) -> Vec<Range<u32>> {
    let mut ranges: Vec<Range<u32>> = Vec::new();
    for at in events {
        match ranges.last_mut() {
            Some(range) if at.0 - range.end <= GAP => range.end = at.0 + 1,
            _ => ranges.push(at.0..at.0 + 1),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_rows_are_tested_together() {
        assert_eq!(ranges(&[]), []);
        assert_eq!(ranges(&[3, 4, 9, 500, 501].map(Seq)), [3..10, 500..502]);
    }
}

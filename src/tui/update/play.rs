//! Playing: the playhead moves until a breakpoint, an end of the log, or the user stops it.

use std::time::Duration;

use super::after::after;
use super::stops::texts;
use crate::replay::debugger::breakpoint::RunEnd;
use crate::replay::direction::Direction;
use crate::tui::action::Action;
use crate::tui::compare::update as compare;
use crate::tui::model::Model;

/// At higher speeds, several events are passed per frame.
const FRAMES_PER_SECOND: u32 = 32;
const FASTEST: u32 = 4096;

pub(crate) fn update(model: &mut Model, action: Action) {
    match action {
        Action::Play => model.playing = !model.playing,
        Action::TurnAround => {
            model.play_direction = model.play_direction.reversed();
            model.playing = true;
        }
        Action::Faster => model.events_per_second = model.events_per_second.saturating_mul(2).min(FASTEST),
        Action::Slower => model.events_per_second = (model.events_per_second / 2).max(1),
        _ => {}
    }
    if model.playing {
        // The last line shows that it is playing.
        model.message = None;
        return;
    }
    let direction = match model.play_direction {
        Direction::Forward => "forwards",
        Direction::Backward => "backwards",
    };
    let speed = model.events_per_second;
    let (play, turn) = (model.key(Action::Play), model.key(Action::TurnAround));
    let (slower, faster) = (model.key(Action::Slower), model.key(Action::Faster));
    model.message = Some(format!(
        "paused; {play} plays {direction} at {speed} events per second; {slower} {faster} change the speed, {turn} the direction"
    ));
}

/// How long to wait between two frames.
pub(crate) fn pause(model: &Model) -> Duration {
    Duration::from_secs(1) / model.events_per_second.clamp(1, FRAMES_PER_SECOND)
}

/// Advances by one frame.
pub(crate) fn tick(model: &mut Model) {
    if !model.playing {
        return;
    }
    let direction = model.play_direction;
    let steps = i64::from((model.events_per_second / FRAMES_PER_SECOND).max(1));
    let from = model.at();
    let by = direction.signed(steps);
    let has_moved = if model.compared().is_some() {
        compare::step(model, by)
    } else {
        model.debugger.step_listed(by);
        model.at() != from
    };
    let to = model.at();
    if !has_moved {
        model.playing = false;
        let end = if direction.is_forward() { "end" } else { "beginning" };
        model.message = Some(format!("this is the {end} of the log"));
        return;
    }
    let part = if direction.is_forward() { from.0 + 1..to.0 + 1 } else { to.0..from.0 };
    match model.debugger.breakpoints.run_over(model.replay(), part, direction, &|| false) {
        Ok(RunEnd::Hit { at, breakpoints }) => {
            let by = i64::from(at.0) - i64::from(to.0);
            model.debugger.step(by);
            model.debugger.breakpoints.count_stop(&breakpoints);
            model.playing = false;
            model.message = Some(format!("stopped at {}", texts(model, &breakpoints)));
        }
        Ok(_) => {}
        Err(gone) => {
            model.playing = false;
            model.message = Some(gone.reason);
        }
    }
    model.look();
    after(model);
}

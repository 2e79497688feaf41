//! Playing: the playhead moves by itself, either way, until a breakpoint, an end, or a person stops it.

use std::time::Duration;

use super::stops::texts;
use super::versus;
use crate::replay::debugger::breakpoint::RunEnd;
use crate::tui::action::Action;
use crate::tui::model::Model;

/// Faster than this several events go by between two frames.
const FRAMES_PER_SECOND: u32 = 32;
const FASTEST: u32 = 4096;

pub fn update(model: &mut Model, action: Action) {
    match action {
        Action::Play => {
            model.playing = if model.playing.is_some() { None } else { Some(model.plays_forward) };
        }
        Action::TurnAround => {
            model.plays_forward = !model.plays_forward;
            model.playing = Some(model.plays_forward);
        }
        Action::Faster(faster) => {
            let speed = model.events_per_second;
            model.events_per_second = if faster { speed.saturating_mul(2).min(FASTEST) } else { (speed / 2).max(1) };
        }
        _ => {}
    }
    let way = if model.plays_forward { "forwards" } else { "backwards" };
    let speed = model.events_per_second;
    // While it plays the last line says so by itself.
    model.message = Some(format!("paused; Space plays {way}, {speed} events a second; - + the speed, r the way"));
    if model.playing.is_some() {
        model.message = None;
    }
}

/// How long to wait between two frames of a play.
pub fn pause(model: &Model) -> Duration {
    Duration::from_secs(1) / model.events_per_second.clamp(1, FRAMES_PER_SECOND)
}

/// One frame further.
pub fn tick(model: &mut Model) {
    let Some(forward) = model.playing else { return };
    let steps = i64::from((model.events_per_second / FRAMES_PER_SECOND).max(1));
    let from = model.at();
    let by = if forward { steps } else { -steps };
    let has_moved = if model.compared().is_some() {
        versus::step(model, by)
    } else {
        model.debugger.step_shown(by);
        model.at() != from
    };
    let to = model.at();
    if !has_moved {
        model.playing = None;
        model.message = Some(if forward { "the end of the log" } else { "the beginning of the log" }.to_owned());
        return;
    }
    let part = if forward { from.0 + 1..to.0 + 1 } else { to.0..from.0 };
    match model.debugger.breakpoints.run_over(model.replay(), part, forward, &|| false) {
        Ok(RunEnd::Hit { at, breakpoints }) => {
            let by = i64::from(at.0) - i64::from(to.0);
            model.debugger.step(by);
            model.debugger.breakpoints.count_stop(&breakpoints);
            model.playing = None;
            model.message = Some(format!("stopped at {}", texts(model, &breakpoints)));
        }
        Ok(_) => {}
        Err(gone) => {
            model.playing = None;
            model.message = Some(gone.reason);
        }
    }
    model.look();
}

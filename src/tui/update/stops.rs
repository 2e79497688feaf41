//! Breakpoints and watched fields, and running to them.

use std::sync::Arc;

use crate::replay::Seq;
use crate::replay::condition::used_steps;
use crate::replay::debugger::breakpoint::{Breakpoint, On, RunEnd};
use crate::replay::direction::Direction;
use crate::tui::action::Action;
use crate::tui::command::parse_break;
use crate::tui::model::{Model, Running};
use crate::tui::sentence::Sentence;

/// How many events a run tests before the keyboard is read again. A condition costs some microseconds per event.
const RUN_SLICE: u32 = 4096;
/// How many steps of filters a run may take before the keyboard is read again. An expensive filter gets smaller slices.
const SLICE_STEPS: u64 = 1_000_000;

pub(crate) fn begin_run(model: &mut Model, direction: Direction, times: u32) {
    if !model.debugger.breakpoints.iter().any(|breakpoint| breakpoint.enabled) {
        let (kind, watch) = (model.key(Action::BreakOnKind), model.key(Action::Watch));
        let hint = format!(
            "no breakpoint is set; {kind} sets one at this kind, {watch} at changes of the field, `:break FILTER` at a condition"
        );
        model.message = Some(hint);
        return;
    }
    model.running = Some(Running { direction, at: model.at(), left: times, slice: RUN_SLICE });
    run_further(model);
}

/// Continues a run for one slice.
pub(crate) fn run_further(model: &mut Model) {
    let Some(Running { direction, at, left, slice }) = model.running else { return };
    let replay = Arc::clone(model.debugger.replay());
    let part = if direction.is_forward() {
        let from = at.0.saturating_add(1);
        from..replay.len().min(from.saturating_add(slice))
    } else {
        at.0.saturating_sub(slice)..at.0
    };
    let is_last = if direction.is_forward() { part.end >= replay.len() } else { part.start == 0 };
    let start_steps = used_steps();
    let slice_steps = || used_steps().wrapping_sub(start_steps);
    let give_up = || slice > 1 && slice_steps() > SLICE_STEPS;
    let run = match model.debugger.breakpoints.run_over(&*replay, part.clone(), direction, &give_up) {
        Ok(run) => run,
        Err(gone) => {
            model.running = None;
            model.message = Some(gone.reason);
            return;
        }
    };
    if run == RunEnd::GaveUp {
        model.running = Some(Running { direction, at, left, slice: (slice / 8).max(1) });
        return;
    }
    if run == RunEnd::Over && !is_last {
        let at = if direction.is_forward() { Seq(part.end - 1) } else { Seq(part.start) };
        let slice = if slice_steps() < SLICE_STEPS / 4 { (slice * 2).min(RUN_SLICE) } else { slice };
        model.running = Some(Running { direction, at, left, slice });
        return;
    }
    model.debugger.arrive(&run, direction);
    if left > 1 && matches!(run, RunEnd::Hit { .. }) {
        model.running = Some(Running { direction, at: model.at(), left: left - 1, slice });
        return;
    }
    model.running = None;
    model.message = Some(match &run {
        RunEnd::Hit { breakpoints, .. } => format!("stopped at {}", texts(model, breakpoints)),
        _ if direction.is_forward() => format!("no breakpoint was hit up to the end of the log{}", failures(model)),
        _ => format!("there is no breakpoint before this event{}", failures(model)),
    });
}

/// A note about filters that failed, since failing differs from being false.
fn failures(model: &Model) -> String {
    let failed = |breakpoint: &Breakpoint| match &breakpoint.on {
        On::Condition(condition) => condition.errors().count > 0,
        _ => false,
    };
    match model.debugger.breakpoints.iter().find(|breakpoint| failed(breakpoint)) {
        Some(breakpoint) => format!("; the filter {} failed at some events and counts as false there", breakpoint.text),
        None => String::new(),
    }
}

/// The texts of the breakpoints with these ids.
pub(crate) fn texts(model: &Model, ids: &[u32]) -> String {
    let hit = model.debugger.breakpoints.iter().filter(|known| ids.contains(&known.id));
    hit.map(|known| known.text.clone()).collect::<Vec<_>>().join(", ")
}

/// Toggles a breakpoint that the user typed.
pub(crate) fn set(model: &mut Model, text: &str) -> Result<(), Sentence> {
    let on = parse_break(text, model.replay())?;
    toggle(model, on, text.to_owned());
    Ok(())
}

/// Sets a breakpoint, or removes the one with the same text.
fn toggle(model: &mut Model, on: On, text: String) {
    let (on_key, back_key) =
        (model.key(Action::Continue(Direction::Forward)), model.key(Action::Continue(Direction::Backward)));
    let message = format!("breakpoint at {text}; {on_key} runs to it, {back_key} runs back");
    let breakpoints = &mut model.debugger.breakpoints;
    let known = breakpoints.iter().find(|known| known.text == text).map(|known| known.id);
    model.message = Some(match known {
        Some(id) => {
            breakpoints.remove(id);
            format!("the breakpoint at {text} is removed")
        }
        None => {
            breakpoints.add(on, text);
            message
        }
    });
}

pub(crate) fn watch(model: &mut Model) {
    if let Some(field) = model.chosen_field() {
        let text = format!("change:{}", model.replay().vocabulary().field_name(field));
        toggle(model, On::Change(field), text);
    }
}

pub(crate) fn break_on_kind(model: &mut Model) {
    if let Some(row) = model.replay().row(model.at()) {
        let text = format!("kind:{}", model.replay().vocabulary().kind_name(row.kind));
        toggle(model, On::Kind(row.kind), text);
    }
}

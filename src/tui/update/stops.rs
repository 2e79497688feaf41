//! Breakpoints and watched fields, and running to them.

use std::sync::Arc;

use crate::replay::Seq;
use crate::replay::debugger::breakpoint::{Breakpoint, On, RunEnd};
use crate::tui::action::Action;
use crate::tui::command::parse_break;
use crate::tui::model::{Model, Running};

/// How many events a run looks at between two looks at the keyboard. Conditions cost some microseconds each.
const RUN_SLICE: u32 = 4096;

pub fn begin_run(model: &mut Model, forward: bool, times: u32) {
    if !model.debugger.breakpoints.iter().any(|breakpoint| breakpoint.enabled) {
        let (kind, watch) = (model.key(Action::BreakOnKind), model.key(Action::Watch));
        let hint = format!(
            "no breakpoint; {kind} stops at this kind, {watch} at a change of the field, :break FILTER at a condition"
        );
        model.message = Some(hint);
        return;
    }
    model.running = Some(Running { forward, at: model.at(), left: times });
    run_further(model);
}

/// Goes on with a run for a while.
pub fn run_further(model: &mut Model) {
    let Some(Running { forward, at, left }) = model.running else { return };
    let replay = Arc::clone(model.debugger.replay());
    let part = if forward {
        let from = at.0.saturating_add(1);
        from..replay.len().min(from.saturating_add(RUN_SLICE))
    } else {
        at.0.saturating_sub(RUN_SLICE)..at.0
    };
    let is_last = if forward { part.end >= replay.len() } else { part.start == 0 };
    let run = match model.debugger.breakpoints.run_over(&*replay, part.clone(), forward, &|| false) {
        Ok(run) => run,
        Err(gone) => {
            model.running = None;
            model.message = Some(gone.reason);
            return;
        }
    };
    if run == RunEnd::Over && !is_last {
        let at = if forward { Seq(part.end - 1) } else { Seq(part.start) };
        model.running = Some(Running { forward, at, left });
        return;
    }
    model.debugger.arrive(&run, forward);
    if left > 1 && matches!(run, RunEnd::Hit { .. }) {
        model.running = Some(Running { forward, at: model.at(), left: left - 1 });
        return;
    }
    model.running = None;
    model.message = Some(match &run {
        RunEnd::Hit { breakpoints, .. } => format!("stopped at {}", texts(model, breakpoints)),
        _ => format!("no breakpoint was hit up to here{}", failures(model)),
    });
}

/// That filters failed, which is not the same as being false.
fn failures(model: &Model) -> String {
    let failed = |breakpoint: &Breakpoint| match &breakpoint.on {
        On::Condition(condition) => condition.errors().count > 0,
        _ => false,
    };
    match model.debugger.breakpoints.iter().find(|breakpoint| failed(breakpoint)) {
        Some(breakpoint) => format!("; the filter {} fails at some events, where it counts as false", breakpoint.text),
        None => String::new(),
    }
}

/// What the breakpoints of some ids stop at.
pub fn texts(model: &Model, ids: &[u32]) -> String {
    let hit = model.debugger.breakpoints.iter().filter(|known| ids.contains(&known.id));
    hit.map(|known| known.text.clone()).collect::<Vec<_>>().join(", ")
}

/// Sets a breakpoint as a person writes it, or takes the one that is there away.
pub fn set(model: &mut Model, text: &str) -> Result<(), String> {
    let on = parse_break(text, model.replay())?;
    toggle(model, on, text.to_owned());
    Ok(())
}

/// Sets a breakpoint of that text, or takes away the one that is there.
fn toggle(model: &mut Model, on: On, text: String) {
    let (on_key, back_key) = (model.key(Action::Continue(true)), model.key(Action::Continue(false)));
    let told = format!("stopping at {text}; {on_key} continues, {back_key} runs back");
    let breakpoints = &mut model.debugger.breakpoints;
    let known = breakpoints.iter().find(|known| known.text == text).map(|known| known.id);
    model.message = Some(match known {
        Some(id) => {
            breakpoints.remove(id);
            format!("no longer stopping at {text}")
        }
        None => {
            breakpoints.add(on, text);
            told
        }
    });
}

pub fn watch(model: &mut Model) {
    if let Some(field) = model.chosen_field() {
        let text = format!("change:{}", model.replay().vocabulary().field_name(field));
        toggle(model, On::Change(field), text);
    }
}

pub fn break_on_kind(model: &mut Model) {
    if let Some(row) = model.replay().row(model.at()) {
        let text = format!("kind:{}", model.replay().vocabulary().kind_name(row.kind));
        toggle(model, On::Kind(row.kind), text);
    }
}

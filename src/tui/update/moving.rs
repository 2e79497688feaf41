//! Moving the playhead, the choices in the panes, and the focus.

use super::versus;
use crate::replay::Seq;
use crate::replay::check::Severity;
use crate::replay::debugger::Stop;
use crate::tui::action::{Action, Pane};
use crate::tui::model::Model;
use crate::tui::pane::coherence::order;
use crate::tui::pane::effects;

pub fn update(model: &mut Model, action: Action, count: Option<u32>) {
    let times = i64::from(count.unwrap_or(1).max(1));
    match action {
        Action::Step(by) => step(model, i64::from(by) * times),
        Action::Page(pages) => page(model, i64::from(pages) * times),
        Action::First if model.focus == Pane::Detail && count.is_none() => model.detail.first(),
        Action::Last if model.focus == Pane::Detail => model.detail.last(),
        Action::First if model.compared().is_some() && count.is_none() => versus::to_end(model, false),
        Action::Last if model.compared().is_some() => versus::to_end(model, true),
        Action::First => {
            let (wanted, last) = (Seq(count.unwrap_or(0)), model.debugger.last());
            model.debugger.jump(wanted);
            if wanted > last {
                model.message = Some(format!("there is no event {wanted}; the last one is {last}"));
            }
        }
        Action::Last => {
            model.debugger.jump(model.debugger.last());
            model.goes_to_end = !model.progress.at_end;
            if model.goes_to_end {
                model.message = Some("going along to the end while the log is read".to_owned());
            }
        }
        Action::Finding(forward) => go(model, Stop::Finding(Severity::Warning), forward, times, "finding"),
        Action::ModelStep(forward) => go(model, Stop::Step, forward, times, "model step"),
        Action::Turn(forward) => go(model, Stop::Turn, forward, times, "turn"),
        Action::Bookmark(forward) => go(model, Stop::Bookmark, forward, times, "bookmark"),
        Action::SameKind(forward) => {
            if let Some(row) = model.replay().row(model.at()) {
                go(model, Stop::Kind(row.kind), forward, times, "event of this kind");
            }
        }
        Action::Hit(forward) => hit(model, forward, times),
        Action::Back => retrace(model, false),
        Action::Forward => retrace(model, true),
        Action::Blame => blame(model),
        Action::OpenFinding => open_finding(model),
        Action::Cursor(by) => cursor(model, i64::from(by) * times),
        _ => {}
    }
}

/// By so many events that the list shows: those of one log, or of both.
fn step(model: &mut Model, by: i64) {
    if model.compared().is_some() {
        versus::step(model, by);
    } else {
        model.debugger.step_shown(by);
    }
}

/// Goes to the next place of a sort, or the one so many further, or says that there is none.
pub fn go(model: &mut Model, stop: Stop, forward: bool, times: i64, what: &str) {
    for _ in 0..times {
        if model.debugger.next(stop, forward).is_none() {
            let side = if forward { "after" } else { "before" };
            // In the other direction there may be some.
            let other = model.debugger.find(stop, !forward).is_some();
            let hint = match (stop, other) {
                (Stop::Hit, true) => {
                    format!("; {} goes to the one on the other side", model.key(Action::Hit(!forward)))
                }
                _ => String::new(),
            };
            model.message = Some(format!("no {what} {side} this event{hint}"));
            break;
        }
    }
}

/// The next hit: in the event while one searches there, else in the log.
fn hit(model: &mut Model, forward: bool, times: i64) {
    if model.focus == Pane::Detail && model.detail.pattern().is_some() {
        if !model.detail.next_hit(forward) {
            let side = if forward { "below" } else { "above" };
            model.message = Some(format!("no hit {side} in this event"));
        }
    } else if model.debugger.search.is_some() {
        go(model, Stop::Hit, forward, times, "hit");
    } else {
        model.message = Some(format!("no search yet; {} begins one", model.key(Action::Search)));
    }
}

fn retrace(model: &mut Model, forward: bool) {
    let went = if forward { model.debugger.forward() } else { model.debugger.back() };
    if went.is_none() {
        let side = if forward { "forward to" } else { "back from" };
        model.message = Some(format!("no jump to go {side}"));
    }
}

fn page(model: &mut Model, pages: i64) {
    let found = model.areas().and_then(|areas| areas.of(model.focus));
    let rows = found.map_or(10, |area| i64::from(area.height.saturating_sub(3).max(1)));
    match model.focus {
        Pane::Detail => model.detail.cursor(pages * model.detail.page()),
        Pane::Events => step(model, pages * rows),
        _ => cursor(model, pages * rows),
    }
}

fn blame(model: &mut Model) {
    let Some(field) = model.chosen_field() else { return };
    let name = model.replay().vocabulary().field_name(field);
    model.message = Some(match model.debugger.blame(field) {
        Some(at) => format!("event {at} wrote {name}; {} goes back", model.key(Action::Back)),
        None => format!("no event before this one wrote {name}"),
    });
    // The choice goes along with the field, so that asking again asks for the same one.
    model.look();
    model.field = model.fields().iter().position(|known| *known == field).unwrap_or(0);
}

/// The chosen finding's first event; from one of its events the next.
fn open_finding(model: &mut Model) {
    let findings = model.replay().findings();
    let Some(finding) = model.chosen_finding().and_then(|number| findings.list.get(number)) else { return };
    let here = finding.at.iter().position(|at| *at == model.at());
    let next = here.map_or(0, |here| (here + 1) % finding.at.len());
    model.debugger.jump(finding.at[next]);
}

pub fn cursor(model: &mut Model, by: i64) {
    let moved = |from: usize, length: usize| (from as i64 + by).clamp(0, length.saturating_sub(1) as i64) as usize;
    match model.focus {
        Pane::Projection => model.field = moved(model.field, model.fields().len()),
        Pane::Coherence => {
            let order = order(&model.replay().findings());
            let here = order.iter().position(|number| Some(*number) == model.finding).unwrap_or(0);
            model.finding = order.get(moved(here, order.len())).copied();
        }
        Pane::Detail => model.detail.cursor(by),
        Pane::Effects => model.effects_scroll = moved(model.effects_scroll, effects::last_scroll(model) + 1),
        Pane::Events => {}
    }
}

pub fn focus(model: &mut Model, by: i32) {
    let here = Pane::ALL.iter().position(|pane| *pane == model.focus).unwrap_or(0) as i32;
    model.focus = Pane::ALL[(here + by).rem_euclid(Pane::ALL.len() as i32) as usize];
}

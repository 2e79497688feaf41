//! Moving the playhead, the cursor in each pane, and the focus.

use super::panes;
use crate::replay::Seq;
use crate::replay::check::Severity;
use crate::replay::debugger::Stop;
use crate::replay::direction::Direction;
use crate::text::count;
use crate::tui::action::{Action, Pane};
use crate::tui::compare::update as compare;
use crate::tui::finding_order::{listed, next_visit, row_of, visits};
use crate::tui::model::Model;
use crate::tui::pane::effects;
use crate::tui::tour::Task;

pub(crate) fn update(model: &mut Model, action: Action, typed: Option<u32>) {
    let times = i64::from(typed.unwrap_or(1).max(1));
    match action {
        Action::Step(by) => step(model, i64::from(by) * times),
        Action::Row(by) => step_rows(model, i64::from(by) * times),
        Action::Page(pages) => page(model, i64::from(pages) * times),
        Action::First if model.focus == Pane::Detail && typed.is_none() => model.detail.first(),
        Action::Last if model.focus == Pane::Detail => model.detail.last(),
        Action::First if model.compared().is_some() && typed.is_none() => compare::to_end(model, Direction::Backward),
        Action::Last if model.compared().is_some() => compare::to_end(model, Direction::Forward),
        Action::First => {
            let (wanted, last) = (Seq(typed.unwrap_or(0)), model.debugger.last());
            model.debugger.jump(wanted);
            if wanted > last {
                model.message = Some(format!("there is no event {wanted}; the last one is {last}"));
            }
        }
        Action::Last => {
            model.debugger.jump(model.debugger.last());
            model.goes_to_end = !model.progress.at_end;
            if model.goes_to_end {
                model.message = Some("following the end while the log is read".to_owned());
            }
        }
        Action::Finding(direction) => (0..times).for_each(|_| visit(model, direction)),
        Action::FindingInLog(direction) => go(model, Stop::Finding(Severity::Warning), direction, times, "finding"),
        Action::ModelStep(direction) => go(model, Stop::Step, direction, times, "model step"),
        Action::Turn(direction) => go(model, Stop::Turn, direction, times, "turn"),
        Action::Bookmark(direction) => go(model, Stop::Bookmark, direction, times, "bookmark"),
        Action::SameKind(direction) => {
            if let Some(row) = model.replay().row(model.at()) {
                go(model, Stop::Kind(row.kind), direction, times, "event of this kind");
            }
        }
        Action::Hit(direction) => hit(model, direction, times),
        Action::Back => retrace(model, Direction::Backward),
        Action::Forward => retrace(model, Direction::Forward),
        Action::Blame => blame(model),
        Action::OpenFinding => open_finding(model),
        Action::Cursor(by) => cursor(model, i64::from(by) * times),
        _ => {}
    }
}

/// Moves by a number of events, in one log or in both.
fn step(model: &mut Model, by: i64) {
    if model.compared().is_some() {
        compare::step(model, by);
    } else {
        model.debugger.step_listed(by);
    }
}

/// Moves by a number of rows of the list. Compared logs have a row per event.
fn step_rows(model: &mut Model, by: i64) {
    if model.compared().is_some() {
        compare::step(model, by);
    } else {
        model.debugger.step_rows(by);
    }
}

/// Goes to the next place of a kind, several times, or reports that there is none.
pub(crate) fn go(model: &mut Model, stop: Stop, direction: Direction, times: i64, what: &str) {
    for _ in 0..times {
        if model.debugger.next(stop, direction).is_none() {
            let side = if direction.is_forward() { "after" } else { "before" };
            // There may be one in the other direction.
            let other = model.debugger.find(stop, direction.reversed()).is_some();
            let hint = match (stop, other) {
                (Stop::Hit, true) => {
                    format!(
                        "; {} goes to the nearest one in the other direction",
                        model.key(Action::Hit(direction.reversed()))
                    )
                }
                _ => String::new(),
            };
            model.message = Some(format!("no {what} {side} this event{hint}"));
            break;
        }
    }
}

/// Goes to the next finding, the worst first, and selects it.
fn visit(model: &mut Model, direction: Direction) {
    let findings = model.replay().findings();
    if let Some((at, number)) = next_visit(&findings, model.at(), direction) {
        model.debugger.jump(at);
        model.finding = Some(number);
        return;
    }
    let key = |action| model.key(action);
    model.message = Some(match (visits(&findings).len(), direction) {
        (0, _) => "no findings above severity info".to_owned(),
        (all, Direction::Forward) => {
            let back = key(Action::Finding(Direction::Backward));
            format!("this is the last of {}; {back} goes back", count(all as u64, "finding"))
        }
        (all, Direction::Backward) => {
            let next = key(Action::Finding(Direction::Forward));
            format!("this is the worst of {}; {next} goes to the next", count(all as u64, "finding"))
        }
    });
}

/// Goes to the next hit: in the event if it is searched, otherwise in the log.
fn hit(model: &mut Model, direction: Direction, times: i64) {
    if model.focus == Pane::Detail && model.detail.pattern().is_some() {
        if !model.detail.next_hit(direction) {
            let side = if direction.is_forward() { "below" } else { "above" };
            model.message = Some(format!("no hit {side} the cursor in this event"));
        }
    } else if model.debugger.search.is_some() {
        go(model, Stop::Hit, direction, times, "hit");
    } else {
        model.message = Some(format!("there is no search yet; {} starts one", model.key(Action::Search)));
    }
}

fn retrace(model: &mut Model, direction: Direction) {
    let went = if direction.is_forward() { model.debugger.forward() } else { model.debugger.back() };
    if went.is_none() {
        let side = if direction.is_forward() { "forward to" } else { "back from" };
        model.message = Some(format!("there is no jump to go {side}"));
    }
}

fn page(model: &mut Model, pages: i64) {
    let found = model.areas().and_then(|areas| areas.of(model.focus));
    let rows = found.map_or(10, |area| i64::from(area.height.saturating_sub(3).max(1)));
    match model.focus {
        Pane::Detail => model.detail.cursor(pages * model.detail.page()),
        Pane::Events => step_rows(model, pages * rows),
        _ => cursor(model, pages * rows),
    }
}

fn blame(model: &mut Model) {
    let Some(field) = model.chosen_field() else {
        // The row that stands for several fields.
        panes::list_all_fields(model);
        return;
    };
    let name = model.replay().vocabulary().field_name(field);
    model.message = Some(match model.debugger.blame(field) {
        Some(at) => format!("event {at} wrote {name}; {} goes back", model.key(Action::Back)),
        None => {
            model.tour.iter_mut().for_each(|tour| tour.excuse(Task::Blame));
            format!("no event before this one wrote {name}")
        }
    });
    // The same field stays selected, so that repeating the key goes further back.
    model.look();
    model.choose_field(field);
}

/// Goes to the first event of the selected finding, or from one of its events to the next.
fn open_finding(model: &mut Model) {
    let findings = model.replay().findings();
    let Some(finding) = model.chosen_finding().and_then(|number| findings.list.get(number)) else { return };
    let here = finding.at.iter().position(|at| *at == model.at());
    let next = here.map_or(0, |here| (here + 1) % finding.at.len());
    model.debugger.jump(finding.at[next]);
}

pub(crate) fn cursor(model: &mut Model, by: i64) {
    let moved = |from: usize, length: usize| (from as i64 + by).clamp(0, length.saturating_sub(1) as i64) as usize;
    match model.focus {
        Pane::Projection => {
            let (fields, has_fold_row) = (model.fields().len(), model.folded_fields() > 0);
            let here = match model.field {
                Model::FOLD_ROW if has_fold_row => fields,
                field => field.min(fields.saturating_sub(1)),
            };
            let to = moved(here, fields + usize::from(has_fold_row));
            model.field = if has_fold_row && to == fields { Model::FOLD_ROW } else { to };
        }
        Pane::Coherence => {
            let findings = model.replay().findings();
            let rows = listed(&findings);
            let here = model.finding.and_then(|finding| row_of(&findings, &rows, finding)).unwrap_or(0);
            model.finding = rows.get(moved(here, rows.len())).map(|(number, _)| *number);
        }
        Pane::Detail => model.detail.cursor(by),
        Pane::Effects => model.effects_scroll = moved(model.effects_scroll, effects::last_scroll(model) + 1),
        Pane::Events => {}
    }
}

pub(crate) fn focus(model: &mut Model, by: i32) {
    let here = Pane::ALL.iter().position(|pane| *pane == model.focus).unwrap_or(0) as i32;
    model.focus = Pane::ALL[(here + by).rem_euclid(Pane::ALL.len() as i32) as usize];
}

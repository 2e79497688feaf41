//! What an action does to the model. Whatever needs the terminal is answered as a wish for the loop to fulfil.

use std::sync::Arc;

use crossterm::event::{KeyEvent, KeyEventKind};
use tui_textarea::TextArea;

use super::action::{Action, Pane};
use super::key;
use super::layout::areas;
use super::model::{Asks, Mode, Model, Prompt};
use crate::replay::Seq;
use crate::replay::check::Severity;
use crate::replay::condition::Condition;
use crate::replay::debugger::Stop;
use crate::replay::debugger::breakpoint::{On, Run};
use crate::replay::search::{Pattern, Scope, Search};
use crate::replay::target::Target;

/// What the loop is to do after an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    Nothing,
    Suspend,
}

/// How many events a search looks at between two looks at the keyboard.
pub const SEARCH_SLICE: u32 = 16_384;

/// A key was pressed.
pub fn press(model: &mut Model, event: KeyEvent) -> Wish {
    if event.kind == KeyEventKind::Release {
        return Wish::Nothing;
    }
    let name = key::name(event);
    match &mut model.mode {
        Mode::Prompt(prompt) => match name.as_str() {
            "Esc" | "Ctrl-c" => model.mode = Mode::Normal,
            "Enter" => {
                let (asks, text) = (prompt.asks, prompt.text.lines().join(" "));
                model.mode = Mode::Normal;
                answer(model, asks, text.trim());
            }
            _ => {
                prompt.text.input(event);
            }
        },
        Mode::Help { scroll } => match name.as_str() {
            "j" | "Down" => *scroll = scroll.saturating_add(1),
            "k" | "Up" => *scroll = scroll.saturating_sub(1),
            _ => model.mode = Mode::Normal,
        },
        Mode::Normal => {
            model.message = None;
            if let Some(digit) =
                name.parse::<u32>().ok().filter(|digit| *digit < 10 && (*digit > 0 || model.count.is_some()))
            {
                model.count = Some(model.count.unwrap_or(0).saturating_mul(10).saturating_add(digit));
                return Wish::Nothing;
            }
            return match key::lookup(&name, model.focus) {
                Some(action) => update(model, action),
                None => Wish::Nothing,
            };
        }
    }
    Wish::Nothing
}

pub fn update(model: &mut Model, action: Action) -> Wish {
    let count = model.count.take();
    let times = i64::from(count.unwrap_or(1).max(1));
    let before = model.at();
    match action {
        Action::Step(by) => {
            model.debugger.step_shown(i64::from(by) * times);
        }
        Action::Page(pages) => {
            let rows =
                areas(model.screen, model.focus, model.beside(), model.zoomed).and_then(|areas| areas.of(model.focus));
            let rows = rows.map_or(10, |area| i64::from(area.height.saturating_sub(3).max(1)));
            match model.focus {
                Pane::Detail => model.detail.cursor(i64::from(pages) * model.detail.page() * times),
                _ => {
                    model.debugger.step_shown(i64::from(pages) * rows * times);
                }
            }
        }
        Action::First => {
            model.debugger.jump(Seq(count.unwrap_or(0)));
        }
        Action::Last => {
            model.debugger.jump(model.debugger.last());
        }
        Action::Finding(forward) => go(model, Stop::Finding(Severity::Warning), forward, "finding"),
        Action::ModelStep(forward) => go(model, Stop::Step, forward, "model step"),
        Action::Turn(forward) => go(model, Stop::Turn, forward, "turn"),
        Action::SameKind(forward) => {
            if let Some(row) = model.replay().row(before) {
                go(model, Stop::Kind(row.kind), forward, "event of this kind");
            }
        }
        Action::Hit(forward) => match &model.debugger.search {
            Some(_) => go(model, Stop::Hit, forward, "hit"),
            None => model.message = Some("no search yet; / begins one".to_owned()),
        },
        Action::Continue(forward) => run(model, forward),
        Action::Back => {
            model.debugger.back();
        }
        Action::Forward => {
            model.debugger.forward();
        }
        Action::Blame => blame(model),
        Action::Watch => watch(model),
        Action::BreakOnKind => break_on_kind(model),
        Action::OpenFinding => open_finding(model),
        Action::Search => ask(model, Asks::Search),
        Action::Command => ask(model, Asks::Command),
        Action::Cursor(by) => cursor(model, i64::from(by) * times),
        Action::Focus(by) => {
            let at = Pane::ALL.iter().position(|pane| *pane == model.focus).unwrap_or(0) as i32;
            model.focus = Pane::ALL[(at + by).rem_euclid(Pane::ALL.len() as i32) as usize];
        }
        Action::Zoom => model.zoomed = !model.zoomed,
        Action::Help => model.mode = Mode::Help { scroll: 0 },
        Action::Escape => {
            model.zoomed = false;
            model.debugger.search = None;
        }
        Action::Quit if model.zoomed => model.zoomed = false,
        Action::Quit | Action::QuitAtOnce => model.is_over = true,
        Action::Suspend => return Wish::Suspend,
    }
    if model.at() != before {
        model.look();
    }
    model.settle();
    Wish::Nothing
}

/// Goes to the next place of a sort, or says that there is none.
fn go(model: &mut Model, stop: Stop, forward: bool, what: &str) {
    if model.debugger.next(stop, forward).is_none() {
        let side = if forward { "after" } else { "before" };
        model.message = Some(format!("no {what} {side} this event"));
    }
}

fn run(model: &mut Model, forward: bool) {
    if model.debugger.breakpoints.is_empty() {
        let hint = "no breakpoint; B stops at this kind, w in the projection at a change, :break FILTER at a condition";
        model.message = Some(hint.to_owned());
        return;
    }
    match model.debugger.run(forward, &|| false) {
        Ok(Run::Hit { breakpoints, .. }) => {
            let hit = |id: &u32| model.debugger.breakpoints.iter().find(|known| known.id == *id);
            let texts: Vec<String> = breakpoints.iter().filter_map(hit).map(|known| known.text.clone()).collect();
            model.message = Some(format!("stopped at {}", texts.join(", ")));
        }
        Ok(_) => model.message = Some("no breakpoint was hit up to here".to_owned()),
        Err(gone) => model.message = Some(gone.reason),
    }
}

fn blame(model: &mut Model) {
    let Some(field) = model.chosen_field() else { return };
    let name = model.replay().vocabulary().field_name(field);
    model.message = Some(match model.debugger.blame(field) {
        Some(at) => format!("event {at} wrote {name}"),
        None => format!("no event before this one wrote {name}"),
    });
}

/// Sets a breakpoint of that text, or takes away the one that is there.
fn toggle(model: &mut Model, on: On, text: String) {
    let breakpoints = &mut model.debugger.breakpoints;
    let known = breakpoints.iter().find(|known| known.text == text).map(|known| known.id);
    model.message = Some(match known {
        Some(id) => {
            breakpoints.remove(id);
            format!("no longer stopping at {text}")
        }
        None => {
            let told = format!("stopping at {text}; c continues, C runs back");
            breakpoints.add(on, text);
            told
        }
    });
}

fn watch(model: &mut Model) {
    if let Some(field) = model.chosen_field() {
        let text = format!("changes of {}", model.replay().vocabulary().field_name(field));
        toggle(model, On::Change(field), text);
    }
}

fn break_on_kind(model: &mut Model) {
    if let Some(row) = model.replay().row(model.at()) {
        let text = model.replay().vocabulary().kind_name(row.kind).to_owned();
        toggle(model, On::Kind(row.kind), text);
    }
}

/// The chosen finding's first event; from one of its events the next.
fn open_finding(model: &mut Model) {
    let findings = model.replay().findings();
    let Some(finding) = findings.list.get(model.finding.min(findings.list.len().saturating_sub(1))) else { return };
    let here = finding.at.iter().position(|at| *at == model.at());
    let next = here.map_or(0, |here| (here + 1) % finding.at.len());
    model.debugger.jump(finding.at[next]);
}

fn cursor(model: &mut Model, by: i64) {
    let moved = |from: usize, length: usize| (from as i64 + by).clamp(0, length.saturating_sub(1) as i64) as usize;
    match model.focus {
        Pane::Projection => model.field = moved(model.field, model.fields().len()),
        Pane::Coherence => model.finding = moved(model.finding, model.replay().findings().list.len()),
        Pane::Detail => model.detail.cursor(by),
        Pane::Events | Pane::Effects => {}
    }
}

fn ask(model: &mut Model, asks: Asks) {
    model.mode = Mode::Prompt(Box::new(Prompt { asks, text: TextArea::default() }));
}

/// What was typed is done.
fn answer(model: &mut Model, asks: Asks, text: &str) {
    if text.is_empty() {
        return;
    }
    match asks {
        Asks::Search => match Pattern::parse(text, Scope::EVERYTHING) {
            Ok(pattern) => {
                model.debugger.search = Some(Search::new(pattern, model.at()));
                look_further(model);
                if model.debugger.find(Stop::Hit, true).is_some() {
                    update(model, Action::Hit(true));
                }
            }
            // The regex tells it over several lines; the last says what is wrong.
            Err(error) => model.message = error.lines().last().map(str::to_owned),
        },
        Asks::Command => command(model, text),
    }
}

fn command(model: &mut Model, text: &str) {
    let before = model.at();
    if let Some(filter) = text.strip_prefix("break ") {
        match Condition::parse(filter.trim(), model.replay().vocabulary()) {
            Ok(condition) => toggle(model, On::Condition(condition), filter.trim().to_owned()),
            Err(bad) => model.message = Some(format!("byte {}: {}", bad.at.start, bad.reason)),
        }
    } else if matches!(text, "q" | "quit") {
        model.is_over = true;
    } else {
        match text.parse::<Target>().and_then(|target| model.debugger.go_to(&target, &|_| None)) {
            Ok(_) => {}
            Err(reason) => model.message = Some(reason),
        }
    }
    if model.at() != before {
        model.look();
    }
}

/// Goes on with the search for a while. True while it is not over.
pub fn look_further(model: &mut Model) -> bool {
    let replay = Arc::clone(model.debugger.replay());
    let Some(search) = &mut model.debugger.search else { return false };
    match search.advance(&*replay, SEARCH_SLICE) {
        Ok(more) => more,
        Err(gone) => {
            model.message = Some(gone.reason);
            model.debugger.search = None;
            false
        }
    }
}

/// The pass has gone on.
pub fn progressed(model: &mut Model) {
    let stood_at_end = model.at().0 + 1 >= model.progress.events && model.progress.at_end;
    model.progress = model.replay().progress();
    model.debugger.grown(stood_at_end);
    model.look();
}

//! The mouse: a click selects, the wheel scrolls, dragging along the strip seeks.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

use super::{moving, update};
use crate::tui::action::{Action, Pane};
use crate::tui::compare::events as aligned;
use crate::tui::compare::update as compare;
use crate::tui::events::list;
use crate::tui::layout::Areas;
use crate::tui::model::{InputMode, Model};
use crate::tui::pane::{coherence, projection};

/// How far one notch of the wheel scrolls.
const NOTCH: i32 = 3;

pub(crate) fn mouse(model: &mut Model, event: MouseEvent) {
    let at = Position::new(event.column, event.row);
    let Some(areas) = model.areas() else { return };
    match event.kind {
        MouseEventKind::ScrollDown => wheel(model, &areas, at, NOTCH),
        MouseEventKind::ScrollUp => wheel(model, &areas, at, -NOTCH),
        MouseEventKind::Down(MouseButton::Left) if matches!(model.mode, InputMode::Normal) => click(model, &areas, at),
        // While dragging, the pointer may leave the row of the strip.
        MouseEventKind::Drag(MouseButton::Left) if model.drags => seek(model, areas.strip, at, false),
        MouseEventKind::Up(MouseButton::Left) => model.drags = false,
        // A click outside of a popup closes it.
        MouseEventKind::Down(MouseButton::Left) if matches!(model.mode, InputMode::List(_) | InputMode::Text(_)) => {
            model.mode = InputMode::Normal;
        }
        _ => {}
    }
}

fn wheel(model: &mut Model, areas: &Areas, at: Position, by: i32) {
    match model.mode {
        InputMode::Normal => {}
        InputMode::List(_) | InputMode::Text(_) | InputMode::Export => {
            update(model, Action::Cursor(by));
            return;
        }
        // Nothing moves while the user types.
        InputMode::Prompt(_) | InputMode::Editor(_) => return,
    }
    let under = areas.panes.iter().find(|(_, area)| area.contains(at)).map(|(pane, _)| *pane);
    match under {
        Some(Pane::Events) | None => {
            update(model, Action::Row(by));
        }
        Some(pane) => {
            let focus = std::mem::replace(&mut model.focus, pane);
            moving::cursor(model, i64::from(by));
            model.focus = focus;
        }
    }
}

fn click(model: &mut Model, areas: &Areas, at: Position) {
    model.message = None;
    if areas.strip.contains(at) {
        model.drags = true;
        seek(model, areas.strip, at, true);
        return;
    }
    let Some((pane, area)) = areas.panes.iter().find(|(_, area)| area.contains(at)).copied() else { return };
    model.focus = pane;
    let inside = Rect::new(area.x + 1, area.y + 1, area.width.saturating_sub(2), area.height.saturating_sub(2));
    if !inside.contains(at) {
        return;
    }
    let row = (at.y - inside.y) as usize;
    let before = model.at();
    match pane {
        Pane::Events if model.compared().is_some() => {
            let spot = model.compared().and_then(|compared| aligned::at_row(compared, inside, row));
            spot.into_iter().for_each(|spot| compare::go(model, spot, true));
        }
        Pane::Events => {
            if let Some(to) = list::at_row(model, inside, row) {
                model.debugger.jump(to);
            }
        }
        Pane::Projection => {
            if let Some(field) = projection::at_row(model, inside, row) {
                model.field = field;
            }
        }
        Pane::Coherence => {
            if let Some(finding) = coherence::at_row(model, inside, row) {
                model.finding = Some(finding);
                update(model, Action::OpenFinding);
            }
        }
        Pane::Detail => click_detail(model, row),
        Pane::Effects => {}
    }
    if model.at() != before {
        model.look();
    }
    model.settle();
}

/// Moves the cursor to the line under the mouse; if it is there already, folds or unfolds it.
fn click_detail(model: &mut Model, row: usize) {
    let Some((first, _)) = model.detail.visible(1).next() else { return };
    let by = (first + row) as i64 - model.detail.line() as i64;
    if by == 0 {
        update(model, Action::Fold);
    } else {
        model.detail.cursor(by);
    }
}

/// Goes to a part of the log. Only the first click is a jump, so that dragging does not fill the history.
fn seek(model: &mut Model, strip: Rect, at: Position, is_jump: bool) {
    let to = model.overview.first(at.x.saturating_sub(strip.x) as usize);
    if to == model.at() {
        return;
    }
    if is_jump {
        model.debugger.jump(to);
    } else {
        model.debugger.step(i64::from(to.0) - i64::from(model.at().0));
    }
    model.look();
}

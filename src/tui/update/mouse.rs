//! The mouse: a click selects or presses what it hits, the wheel scrolls, dragging seeks along the strip and moves borders.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

use super::after::after;
use super::{moving, panes, update};
use crate::tui::action::{Action, ListKind, Pane};
use crate::tui::compare::events as aligned;
use crate::tui::compare::update as compare;
use crate::tui::detail::Tab;
use crate::tui::events::list;
use crate::tui::footer;
use crate::tui::layout::Areas;
use crate::tui::layout::sizes::{MovableBorder, border_at};
use crate::tui::model::{Dragged, InputMode, Model};
use crate::tui::pane::{coherence, projection};
use crate::tui::pointer::label_at;
use crate::tui::request::Request;

/// How far one notch of the wheel scrolls.
const NOTCH: i32 = 3;

pub(crate) fn mouse(model: &mut Model, event: MouseEvent) -> Request {
    let request = handle(model, event);
    after(model);
    request
}

fn handle(model: &mut Model, event: MouseEvent) -> Request {
    let at = Position::new(event.column, event.row);
    let Some(areas) = model.areas() else { return Request::Nothing };
    if event.kind == MouseEventKind::Down(MouseButton::Left)
        && let Some(label) = label(model, &areas, at)
    {
        model.message = None;
        return press_label(model, label);
    }
    match event.kind {
        MouseEventKind::ScrollDown => wheel(model, &areas, at, NOTCH),
        MouseEventKind::ScrollUp => wheel(model, &areas, at, -NOTCH),
        MouseEventKind::Down(MouseButton::Left) if matches!(model.mode, InputMode::Normal) => click(model, &areas, at),
        // While dragging, the pointer may leave the row of the strip.
        MouseEventKind::Drag(MouseButton::Left) => drag(model, &areas, at),
        MouseEventKind::Up(MouseButton::Left) => model.dragged = Dragged::Nothing,
        // A click outside of a popup closes it.
        MouseEventKind::Down(MouseButton::Left) if matches!(model.mode, InputMode::List(_) | InputMode::Text(_)) => {
            model.mode = InputMode::Normal;
        }
        _ => {}
    }
    Request::Nothing
}

/// A word on the screen that can be clicked.
#[derive(Clone, Copy)]
enum Label {
    Key(Action),
    Tab(Tab),
    List(ListKind),
}

/// The label under the mouse: a key in the last line or at the border of a popup, a tab of the event, a list.
fn label(model: &Model, areas: &Areas, at: Position) -> Option<Label> {
    let keys = || footer::labels(model).into_iter().map(|(text, action)| (text, Label::Key(action)));
    let labels: Vec<(String, Label)> = match &model.mode {
        InputMode::Normal if areas.footer.contains(at) => keys().collect(),
        InputMode::Normal => {
            areas.of(Pane::Detail).filter(|area| area.contains(at) && at.y == area.y)?;
            model.detail.tabs().iter().map(|tab| (tab.name().to_owned(), Label::Tab(*tab))).collect()
        }
        InputMode::List(list) if list.of == ListKind::Family => keys().collect(),
        InputMode::List(_) => {
            let lists = ListKind::ALL.map(|of| (of.name().to_owned(), Label::List(of)));
            keys().chain(lists).collect()
        }
        InputMode::Text(_) | InputMode::Export => keys().collect(),
        InputMode::Prompt(_) | InputMode::Editor(_) => return None,
    };
    let texts: Vec<String> = labels.iter().map(|(text, _)| text.clone()).collect();
    label_at(model, at, &texts).map(|number| labels[number].1)
}

fn press_label(model: &mut Model, label: Label) -> Request {
    match label {
        Label::Key(action) => return update(model, action),
        Label::List(of) => return update(model, Action::List(of)),
        Label::Tab(tab) => {
            model.detail.show_tab(tab);
            model.settle();
        }
    }
    Request::Nothing
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
        Some(Pane::Detail) if model.shows_companion && is_over_companion(model, areas, at) => {
            model.companion.scroll(i64::from(by));
        }
        Some(pane) => {
            let focus = std::mem::replace(&mut model.focus, pane);
            moving::cursor(model, i64::from(by));
            model.focus = focus;
        }
    }
}

fn is_over_companion(model: &Model, areas: &Areas, at: Position) -> bool {
    areas.of(Pane::Detail).is_some_and(|area| model.detail_halves(area)[1].contains(at))
}

fn click(model: &mut Model, areas: &Areas, at: Position) {
    model.message = None;
    if areas.strip.contains(at) {
        model.dragged = Dragged::Playhead;
        seek(model, areas.strip, at, true);
        return;
    }
    if let Some(border) = border_at(areas, at).filter(|border| can_move(model, *border)) {
        model.dragged = Dragged::Border(border);
    }
    let Some((pane, area)) = areas.panes.iter().find(|(_, area)| area.contains(at)).copied() else { return };
    let inside = Rect::new(area.x + 1, area.y + 1, area.width.saturating_sub(2), area.height.saturating_sub(2));
    let row = at.y.saturating_sub(inside.y) as usize;
    // The recap above the fields disappears when the pane gets the focus.
    let field = projection::at_row(model, inside, row);
    model.focus = pane;
    if !inside.contains(at) {
        return;
    }
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
        Pane::Projection => match field {
            Some(Model::FOLD_ROW) => panes::list_all_fields(model),
            field => model.field = field.unwrap_or(model.field),
        },
        Pane::Coherence => {
            if let Some(finding) = coherence::at_row(model, inside, row) {
                model.finding = Some(finding);
                update(model, Action::OpenFinding);
            }
        }
        Pane::Detail if model.shows_companion && is_over_companion(model, areas, at) => {
            model.detail.show_tab(model.companion.tab());
        }
        Pane::Detail => click_detail(model, row),
        Pane::Effects => {}
    }
    if model.at() != before {
        model.look();
    }
    model.settle();
}

/// The borders of compared logs have their places.
fn can_move(model: &Model, border: MovableBorder) -> bool {
    border == MovableBorder::Row || model.compared().is_none()
}

fn drag(model: &mut Model, areas: &Areas, at: Position) {
    match model.dragged {
        Dragged::Nothing => {}
        Dragged::Playhead => seek(model, areas.strip, at, false),
        Dragged::Border(border) => {
            let to = if border == MovableBorder::Row { at.y } else { at.x };
            model.sizes.move_to(areas, border, to);
            model.settle();
        }
    }
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

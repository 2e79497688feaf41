//! The frames of the panes: borders that neighbours share, titles on them, and the lines inside.

use ratatui::Frame;
use ratatui::layout::{Margin, Rect};
use ratatui::symbols::merge::MergeStrategy;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Paragraph};

use super::{coherence, detail, effects, projection};
use crate::compare::run::{AlignedPair, Side};
use crate::replay::check::Severity;
use crate::replay::debugger::selected_events::SelectedEvents;
use crate::text::{clean, fit, grouped, paragraph};
use crate::tui::action::{Action, Pane};
use crate::tui::compare::events as aligned;
use crate::tui::events::list;
use crate::tui::highlight;
use crate::tui::layout::Areas;
use crate::tui::model::Model;
use crate::tui::theme::ScreenRole;

pub(crate) fn draw(model: &Model, frame: &mut Frame<'_>, areas: &Areas) {
    // The frame of the focused pane comes last, so that it has its colour all around.
    let (focused, others): (Vec<_>, Vec<_>) = areas.panes.iter().copied().partition(|(pane, _)| *pane == model.focus);
    for (pane, area) in others.into_iter().chain(focused) {
        draw_border(model, frame, pane, area);
    }
    for (pane, area) in &areas.panes {
        draw_pane(model, frame, *pane, *area);
    }
}

fn draw_border(model: &Model, frame: &mut Frame<'_>, pane: Pane, area: Rect) {
    let role = if pane == model.focus { ScreenRole::Focus } else { ScreenRole::Border };
    let block = Block::bordered().border_style(model.theme().style(role)).merge_borders(MergeStrategy::Exact);
    if pane == Pane::Detail && model.shows_companion {
        for half in model.detail_halves(area) {
            frame.render_widget(&block, half.outer(Margin::new(1, 1)));
        }
    } else {
        frame.render_widget(block, area);
    }
}

fn draw_pane(model: &Model, frame: &mut Frame<'_>, pane: Pane, area: Rect) {
    let is_focus = pane == model.focus;
    let style = |role| model.theme().style(role);
    let title = match pane {
        Pane::Detail if model.replay().is_empty() && model.compared().is_none() => " Event ".to_owned(),
        Pane::Detail => event_title(model, area.width),
        pane => format!(" {} ", pane.name()),
    };
    let title = match (pane, model.compared()) {
        (Pane::Events, Some(compared)) => aligned::title(model, compared, area.width as usize, is_focus),
        _ => Line::styled(title, style(if is_focus { ScreenRole::Focus } else { ScreenRole::Strong })),
    };
    let inside = area.inner(Margin::new(1, 1));
    let lines = match (&model.moment, pane) {
        (_, Pane::Events) if model.compared().is_some() => {
            model.compared().map_or_else(Vec::new, |compared| aligned::lines(model, compared, inside))
        }
        // The other log may have an event where this one has none.
        (Ok(None), Pane::Projection | Pane::Effects | Pane::Detail) if model.compared().is_some() => match pane {
            Pane::Projection => projection::lines(model, inside),
            Pane::Effects => effects::lines(model, inside),
            _ => detail::lines(model, &model.detail, model.detail_halves(area)[0]),
        },
        (Err(reason), Pane::Detail) => {
            let text = format!("{reason} (press {})", model.key(Action::Reload));
            let pieces = paragraph(&text, inside.width as usize).into_iter();
            pieces.map(|piece| Line::styled(piece, style(ScreenRole::Finding(Severity::Error)))).collect()
        }
        (_, Pane::Events) if model.replay().len() > 0 => list::lines(model, inside),
        (Ok(Some(_)), Pane::Projection) => projection::lines(model, inside),
        (Ok(Some(_)), Pane::Effects) => effects::lines(model, inside),
        (Ok(_), Pane::Coherence) => coherence::lines(model, inside),
        (Ok(Some(_)), Pane::Detail) => detail::lines(model, &model.detail, model.detail_halves(area)[0]),
        _ => vec![Line::styled(nothing(model), style(ScreenRole::Dim))],
    };
    let lines = match &model.debugger.search {
        Some(search) if pane != Pane::Detail => {
            lines.into_iter().map(|line| highlight::matches(line, &search.pattern, model.theme())).collect()
        }
        _ => lines,
    };
    let hidden = match pane {
        Pane::Projection => projection::below(model, inside),
        Pane::Effects | Pane::Coherence => lines.len().saturating_sub(inside.height as usize),
        Pane::Events | Pane::Detail => 0,
    };
    let note = match pane {
        Pane::Events => left_out(model, (area.width as usize).saturating_sub(12))
            .map(|text| Line::styled(text, style(ScreenRole::Name))),
        Pane::Projection if is_focus => projection::sparkline(model, (area.width as usize).saturating_sub(14)),
        _ => None,
    };
    let more = (hidden > 0).then(|| Line::styled(format!(" {hidden} more "), style(ScreenRole::Dim)));
    draw_titles(model, frame, (pane, area), title, note.or(more));
    frame
        .render_widget(Paragraph::new(lines), if pane == Pane::Detail { model.detail_halves(area)[0] } else { inside });
    if pane == Pane::Detail && model.shows_companion {
        let beside = model.detail_halves(area)[1];
        frame.render_widget(Paragraph::new(detail::lines(model, &model.companion, beside)), beside);
    }
}

/// Draws the title of a pane on its upper border, at the right a note if there is room for it.
fn draw_titles(
    model: &Model,
    frame: &mut Frame<'_>,
    (pane, area): (Pane, Rect),
    title: Line<'_>,
    note: Option<Line<'_>>,
) {
    let room = area.width.saturating_sub(2);
    let taken = title.width();
    let mut block = Block::new().title(title);
    if pane == Pane::Detail {
        block = detail::dress(model, block, area.width);
    }
    // A lower border that another pane shares has the titles of that pane.
    frame.render_widget(block, Rect { x: area.x + 1, width: room, ..area });
    if let Some(note) = note.filter(|note| note.width() + taken < room as usize) {
        let width = note.width() as u16;
        frame.render_widget(note, Rect { x: area.right() - 1 - width, y: area.y, width, height: 1 });
    }
    if pane == Pane::Detail && model.shows_companion {
        // The left half has the title of the pane above it.
        let [own, beside] = model.detail_halves(area);
        let (right, tab) = if own.x < beside.x { (beside, &model.companion) } else { (own, &model.detail) };
        let name = Span::styled(format!(" {} ", tab.tab().name()), model.theme().style(ScreenRole::Dim));
        frame.render_widget(name, Rect { y: area.y, height: 1, ..right });
    }
}

/// Why a pane is empty.
fn nothing(model: &Model) -> &'static str {
    match model.moment {
        Err(_) => "can no longer be read",
        Ok(_) if model.progress.at_end => "the log has no events",
        Ok(_) => "nothing here yet",
    }
}

/// A note that the list does not show every event.
fn left_out(model: &Model, room: usize) -> Option<String> {
    let filter = &model.debugger.filter;
    let compares = model.compared().is_some();
    let text = match (filter.findings.is_some(), filter.hits, filter.is_open()) {
        (_, _, true) if filter.folds || compares => return None,
        _ if compares => " all events of both logs; filters are off while comparing ",
        _ if filter.only.is_some() => return filter.only.as_ref().map(|only| only_text(model, only, room)),
        (true, ..) => " only events with findings ",
        (_, true, _) => " only search hits ",
        (_, _, true) => " calls unfolded ",
        _ => " some events are hidden ",
    };
    Some(text.to_owned())
}

/// What the list is restricted to, and how many events that are.
fn only_text(model: &Model, only: &SelectedEvents, room: usize) -> String {
    let more = if only.is_done(model.replay()) { "" } else { "…" };
    let number = format!(": {}{more} ", grouped(u64::from(only.count())));
    let text = clean(only.text.strip_prefix("kind:").unwrap_or(&only.text));
    format!(" only {}{number}", fit(&text, room.saturating_sub(number.len() + 6).min(40)))
}

/// The numbers of the event in both logs.
fn event_title(model: &Model, width: u16) -> String {
    // On a narrow screen the tabs need the room.
    let word = if width < 48 && model.compared().is_some() { "" } else { "Event " };
    let spot = model.compared().and_then(|compared| compared.spot());
    let numbers = |spot: AlignedPair| [Side::Left, Side::Right].map(|side| spot.event(side));
    match spot.map(numbers) {
        Some([Some(left), Some(right)]) => format!(" {word}{left} │ {right} "),
        Some([Some(left), None]) => format!(" {word}{left} │ — "),
        Some([None, Some(right)]) => format!(" {word}— │ {right} "),
        _ => format!(" Event #{} ", model.at()),
    }
}

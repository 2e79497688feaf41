//! Draws the model without changing it.

use std::path::Path;

use ratatui::backend::TestBackend;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Paragraph};
use ratatui::{Frame, Terminal};
use unicode_width::UnicodeWidthStr;

use super::action::{Action, Pane};
use super::compare::events as aligned;
use super::compare::state::LogComparison;
use super::events::list;
use super::footer;
use super::highlight;
use super::layout::{LEAST_COLUMNS, LEAST_ROWS};
use super::model::Model;
use super::pane::{coherence, detail, effects, projection, strip};
use super::picture::{self, PictureTheme};
use super::popup;
use super::theme::{self, ScreenRole};
use crate::compare::run::{AlignedPair, How, Side};
use crate::replay::check::Severity;
use crate::replay::ending::EndingKind;
use crate::replay::timeline::Replay;
use crate::text::{clean, count, fit, glyph, grouped, pad, paragraph};

pub(crate) fn draw(model: &Model, frame: &mut Frame<'_>) {
    let screen = frame.area();
    match model.areas() {
        Some(areas) => {
            header(model, frame, areas.header);
            if let (Some(comparison), Some(area)) = (model.shown_log.comparison(), areas.verdict) {
                against(model, comparison, frame, area);
            }
            strip::draw(model, frame, areas.strip);
            for (pane, area) in &areas.panes {
                draw_pane(model, frame, *pane, *area);
            }
            footer::draw(model, frame, areas.footer);
            popup::draw(model, frame, screen);
        }
        None => {
            let text = format!("this screen is too small: at least {LEAST_COLUMNS}x{LEAST_ROWS} is needed");
            frame.render_widget(Paragraph::new(fit(&text, screen.width as usize)), screen);
        }
    }
    if model.theme().ascii {
        theme::in_ascii(frame.buffer_mut());
    }
}

/// The screen as the content of a file: SVG if its name ends in `.svg`, else text.
pub(crate) fn picture(model: &Model, path: &Path, look: PictureTheme) -> String {
    let Rect { width, height, .. } = model.screen();
    // A backend in memory cannot fail.
    let Ok(mut terminal) = Terminal::new(TestBackend::new(width, height));
    let Ok(_) = terminal.draw(|frame| draw(model, frame));
    let buffer = terminal.backend().buffer();
    match path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg")) {
        true => picture::svg(buffer, look),
        false => picture::text(buffer),
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
    let mut block = Block::bordered()
        .border_style(style(if is_focus { ScreenRole::Focus } else { ScreenRole::Border }))
        .title(title);
    match pane {
        Pane::Events => {
            if let Some(text) = left_out(model) {
                block = block.title_bottom(Span::styled(text, style(ScreenRole::Name)));
            }
        }
        Pane::Projection => {
            if let Some(line) = projection::sparkline(model, area.width as usize) {
                block = block.title_bottom(line);
            }
        }
        Pane::Detail => block = detail::dress(model, block, area.width),
        Pane::Effects | Pane::Coherence => {}
    }
    let inside = block.inner(area);
    let lines = match (&model.moment, pane) {
        (_, Pane::Events) if model.compared().is_some() => {
            model.compared().map_or_else(Vec::new, |compared| aligned::lines(model, compared, inside))
        }
        // The other log may have an event where this one has none.
        (Ok(None), Pane::Projection | Pane::Effects | Pane::Detail) if model.compared().is_some() => match pane {
            Pane::Projection => projection::lines(model, inside),
            Pane::Effects => effects::lines(model, inside),
            _ => detail::lines(model, inside),
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
        (Ok(Some(_)), Pane::Detail) => detail::lines(model, inside),
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
    if hidden > 0 {
        let more = Line::styled(format!(" {hidden} more "), style(ScreenRole::Dim));
        block = block.title_bottom(more.right_aligned());
    }
    frame.render_widget(block, area);
    frame.render_widget(Paragraph::new(lines), inside);
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
fn left_out(model: &Model) -> Option<String> {
    let filter = &model.debugger.filter;
    let compares = model.compared().is_some();
    let text = match (filter.findings.is_some(), filter.hits, filter.is_open()) {
        (_, _, true) if filter.folds || compares => return None,
        _ if compares => " all events of both logs; filters are off while comparing ",
        (true, ..) => " only events with findings ",
        (_, true, _) => " only search hits ",
        (_, _, true) => " calls unfolded ",
        _ => " some events are hidden ",
    };
    Some(text.to_owned())
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
        _ => format!(" Event {} ", model.at()),
    }
}

/// The verdict of the comparison, or its progress; at the right the number of differences.
fn against(model: &Model, comparison: &LogComparison, frame: &mut Frame<'_>, area: Rect) {
    let style = |role| model.theme().style(role);
    let width = area.width as usize;
    let Some(compared) = &comparison.compared else {
        let doing = comparison.doing.as_deref().unwrap_or_default();
        let text = fit(&format!("{doing} · {} cancels", model.key(Action::Escape)), width);
        frame.render_widget(Paragraph::new(Span::styled(text, style(ScreenRole::Name))), area);
        return;
    };
    let all = compared.comparison().divergence_count();
    let place = match (&comparison.doing, all) {
        (Some(_), _) => " comparing again…".to_owned(),
        (None, 0) => String::new(),
        (None, _) if compared.how() == How::Same => format!(" {}", count(all, "difference")),
        (None, _) => format!(" difference {} of {}", grouped(compared.number()), grouped(all)),
    };
    let crude = if compared.comparison().is_coarse { " (aligned approximately)" } else { "" };
    let (mark, role) = match compared.is_same {
        true => ("✓", ScreenRole::Good),
        false => ("≠", ScreenRole::Finding(Severity::Warning)),
    };
    let room = width.saturating_sub(place.width() + 2);
    let line = Line::from(vec![
        Span::styled(format!("{mark} "), style(role)),
        Span::styled(pad(&fit(&format!("{}{crude}", compared.sentence), room), room), style(ScreenRole::Text)),
        Span::styled(place, style(role)),
    ]);
    frame.render_widget(Paragraph::new(line), area);
}

/// File, dialect, turn, position; the verdict at the right. Parts that do not fit are omitted, the least important
/// first.
fn header(model: &Model, frame: &mut Frame<'_>, area: Rect) {
    const FORM: usize = 1;
    const ENDING: usize = 2;
    const PLACE: usize = 5;
    let style = |role| model.theme().style(role);
    let last = model.replay().len().saturating_sub(1);
    let at = model.at().0;
    let percent = if last == 0 { 100.0 } else { f64::from(at) * 100.0 / f64::from(last) };
    let moment = model.moment.as_ref().ok().and_then(Option::as_ref);
    let more = if model.progress.at_end { "" } else { "…" };
    let is_empty = model.replay().is_empty();
    let place = match is_empty {
        true => "no event".to_owned(),
        false => format!("seq {}/{}{more}", grouped(u64::from(at)), grouped(u64::from(last))),
    };
    let moment_of_step = moment.filter(|_| model.replay().vocabulary().has_steps);
    let step = moment_of_step.map_or_else(String::new, |moment| format!("step {}", grouped(u64::from(moment.step))));
    let turn = moment.and_then(|moment| moment.turn.as_deref()).map(|turn| format!("turn {}", fit(turn, 24)));
    let (verdict, role) = verdict(model);
    // The name of the file is more useful than its folder.
    let own = model.opening.name.rsplit('/').next().unwrap_or(&model.opening.name);
    let trail = model.opening.trail.iter().map(String::as_str);
    let name = clean(&trail.chain([own]).collect::<Vec<_>>().join(" › "));
    let (ending, ending_role) = ending(model);
    let percent = if is_empty { String::new() } else { format!("{percent:.1} %") };
    let plain = |rank: u8, text: String| (rank, text, ScreenRole::Text);
    let mut parts = vec![
        (0, name, ScreenRole::Strong),
        plain(0, whatif_text(model)),
        (0, ending, ending_role),
        plain(4, model.opening.dialect.to_owned()),
        plain(3, turn.unwrap_or_default()),
        plain(0, place),
        plain(1, step),
        plain(2, percent),
    ];
    let room = (area.width as usize).saturating_sub(verdict.width() + 1);
    // However long the name and the ending are, the position must stay visible, and a part of each.
    let both = room.saturating_sub(parts[FORM].1.width() + parts[PLACE].1.width() + 12);
    let name_columns = parts[0].1.width().min((both / 2).max(both.saturating_sub(parts[ENDING].1.width())));
    parts[ENDING].1 = fit(&parts[ENDING].1, both.saturating_sub(name_columns));
    parts[0].1 = fit(&parts[0].1, name_columns);
    let width = |parts: &[(u8, String, ScreenRole)]| parts.iter().map(|(_, part, _)| part.width() + 3).sum::<usize>();
    parts.retain(|(_, part, _)| !part.is_empty());
    for least in (1..=4).rev() {
        if width(&parts) > room {
            parts.retain(|(rank, ..)| *rank < least);
        }
    }
    let mut spans = Vec::new();
    for (number, (_, part, role)) in parts.into_iter().enumerate() {
        if number > 0 {
            spans.push(Span::styled(" · ", style(ScreenRole::Dim)));
        }
        spans.push(Span::styled(part, style(role)));
    }
    let columns = [Constraint::Min(0), Constraint::Length(verdict.width() as u16)];
    let [left_area, right_area] = Layout::horizontal(columns).areas(area);
    frame.render_widget(Paragraph::new(Line::from(spans)), left_area);
    frame.render_widget(Paragraph::new(Span::styled(verdict, style(role))), right_area);
}

/// How the run of the log stands at its end, once the log has been read.
fn ending(model: &Model) -> (String, ScreenRole) {
    let Some(ending) = model.ending.as_ref().filter(|_| model.progress.at_end) else {
        return (String::new(), ScreenRole::Dim);
    };
    let role = match ending.outcome {
        EndingKind::Done => ScreenRole::Good,
        EndingKind::Failed => ScreenRole::Finding(Severity::Error),
        EndingKind::Open => ScreenRole::Finding(Severity::Warning),
    };
    (clean(&ending.words), role)
}

/// The form that is shown instead of the original log.
fn whatif_text(model: &Model) -> String {
    if let Some(minimizing) = model.shown_minimum() {
        let whole = minimizing.done().map_or(0, |done| done.whole.events as u64);
        return format!("minimized from {}", count(whole, "event"));
    }
    let Some(whatif) = model.whatif.as_ref().filter(|whatif| whatif.variant.is_changed()) else { return String::new() };
    let changes = count(whatif.variant.changes().len() as u64, "change");
    let shows_original = whatif.changed().is_some() && !model.shows_variant();
    match (whatif.pending.is_some(), shows_original) {
        (true, _) => format!("what-if: replaying {changes}…"),
        (_, true) => format!("original; the variant has {changes}"),
        _ => format!("what-if: {changes}"),
    }
}

/// The findings of the log, or of both logs while they are compared.
fn verdict(model: &Model) -> (String, ScreenRole) {
    let (left, role) = verdict_of(model, model.replay());
    match model.compared() {
        Some(compared) => {
            let (right, right_role) = verdict_of(model, compared.replay(Side::Right));
            let is_worse = matches!(right_role, ScreenRole::Finding(_));
            (format!("{left} │{right}"), if is_worse { right_role } else { role })
        }
        None => (left, role),
    }
}

fn verdict_of(model: &Model, replay: &dyn Replay) -> (String, ScreenRole) {
    let findings = replay.findings();
    let worst = findings.list.iter().map(|finding| finding.severity).max();
    let serious = findings.list.iter().filter(|finding| finding.severity > Severity::Info).count() as u64;
    match worst.filter(|worst| *worst > Severity::Info) {
        Some(worst) => (format!(" {} {}", glyph(worst), count(serious, "finding")), ScreenRole::Finding(worst)),
        None if model.progress.at_end => (" ✓ coherent".to_owned(), ScreenRole::Good),
        None => (" reading…".to_owned(), ScreenRole::Dim),
    }
}

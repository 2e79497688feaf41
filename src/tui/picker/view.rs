//! Draws the session picker: search, list, preview, keys.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Paragraph};
use unicode_width::UnicodeWidthStr;

use super::keys::PICKER_KEYS;
use super::state::Picker;
use crate::picker::fill::Details;
use crate::picker::list::{self, Listed};
use crate::picker::place::with_tilde;
use crate::replay::caption::Outcome;
use crate::replay::check::Severity;
use crate::text::fuzzy::FuzzyPattern;
use crate::text::{clean, count, fit, fit_middle, grouped, pad, paragraph};
use crate::tui::glyph;
use crate::tui::layout::{LEAST_COLUMNS, LEAST_ROWS};
use crate::tui::theme::{self, ScreenRole, Theme};

/// From this width on, the preview is beside the list.
const WIDE_COLUMNS: u16 = 110;
/// From this width on, rows name the program.
const PROGRAM_COLUMNS: usize = 96;
const PREVIEW_ROWS: u16 = 9;

pub(crate) fn draw(picker: &Picker, frame: &mut Frame<'_>) {
    let screen = frame.area();
    if screen.width < LEAST_COLUMNS || screen.height < LEAST_ROWS {
        let text = format!("this screen is too small: at least {LEAST_COLUMNS}x{LEAST_ROWS} is needed");
        frame.render_widget(Paragraph::new(fit(&text, screen.width as usize)), screen);
        return;
    }
    let rows = [Constraint::Length(1), Constraint::Length(1), Constraint::Min(0), Constraint::Length(1)];
    let [header, search, middle, footer] = Layout::vertical(rows).areas(screen);
    draw_header(picker, frame, header);
    draw_search(picker, frame, search);
    let [sessions, preview] = if screen.width >= WIDE_COLUMNS {
        Layout::horizontal([Constraint::Percentage(62), Constraint::Min(0)]).areas(middle)
    } else {
        Layout::vertical([Constraint::Min(0), Constraint::Length(PREVIEW_ROWS.min(middle.height / 2))]).areas(middle)
    };
    draw_list(picker, frame, sessions);
    draw_preview(picker, frame, preview);
    draw_footer(picker, frame, footer);
    if picker.theme.ascii {
        theme::in_ascii(frame.buffer_mut());
    }
}

fn draw_header(picker: &Picker, frame: &mut Frame<'_>, area: Rect) {
    let style = |role| picker.theme.style(role);
    let (all, shown) = (picker.list.len(), picker.shown().len());
    let counted = match picker.query().is_empty() {
        true => count(shown as u64, "session"),
        false => format!("{} of {}", grouped(shown as u64), count(all as u64, "session")),
    };
    let reading = if picker.list.is_complete() { "" } else { "  reading…" };
    let line = Line::from(vec![
        Span::styled("stepback", style(ScreenRole::Strong)),
        Span::raw(format!("  {counted}")),
        Span::styled(reading, style(ScreenRole::Dim)),
    ]);
    frame.render_widget(Paragraph::new(line), area);
}

fn draw_search(picker: &Picker, frame: &mut Frame<'_>, area: Rect) {
    let style = |role| picker.theme.style(role);
    let lead = Span::styled("/ ", style(ScreenRole::Key));
    let hint = "type to search project, prompt, title, branch, model, outcome";
    let typed = match picker.query().is_empty() {
        true => Span::styled(fit(hint, usize::from(area.width).saturating_sub(4)), style(ScreenRole::Dim)),
        false => Span::raw(last_columns(picker.query(), usize::from(area.width).saturating_sub(4))),
    };
    let end = if picker.query().is_empty() { 0 } else { typed.content.width() };
    frame.render_widget(Paragraph::new(Line::from(vec![lead, typed])), area);
    frame.set_cursor_position((area.x + 2 + end as u16, area.y));
}

/// The end of a text, where the cursor is.
fn last_columns(text: &str, columns: usize) -> String {
    let text = clean(text);
    let mut from = text.len();
    for (at, _) in text.char_indices().rev() {
        if text[at..].width() > columns {
            break;
        }
        from = at;
    }
    text[from..].to_owned()
}

fn draw_list(picker: &Picker, frame: &mut Frame<'_>, area: Rect) {
    let style = |role| picker.theme.style(role);
    let title = Line::styled(" Sessions ", style(ScreenRole::Focus));
    let block = Block::bordered().border_style(style(ScreenRole::Focus)).title(title);
    let inside = block.inner(area);
    let (rows, width) = (usize::from(inside.height), usize::from(inside.width));
    // The selection stays in the middle, except at both ends.
    let first = picker.at().saturating_sub(rows / 2).min(picker.shown().len().saturating_sub(rows));
    let visible = picker.shown().iter().enumerate().skip(first).take(rows);
    let mut lines: Vec<Line<'static>> = visible
        .filter_map(|(row, number)| {
            let line = row_of(picker, picker.list.get(*number)?, width);
            Some(theme::selected(line, row == picker.at(), width))
        })
        .collect();
    if lines.is_empty() {
        let text = if picker.list.is_complete() { "no session matches" } else { "no session matches so far" };
        lines.push(Line::styled(text, style(ScreenRole::Dim)));
    }
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

fn row_of(picker: &Picker, listed: Listed<'_>, width: usize) -> Line<'static> {
    let style = |role| picker.theme.style(role);
    let outline = listed.outline();
    let age = listed.age_seconds(picker.now).map_or_else(String::new, list::age);
    let (sign, role) = sign(outline.and_then(|outline| outline.outcome.as_deref()));
    let program = outline.map_or("", |outline| outline.program);
    let tokens = outline.and_then(|outline| outline.context_tokens).map_or_else(String::new, list::tokens);
    let numbers = format!(" {tokens:>5} {:>7}", list::size(listed.file.bytes));
    let mut spans =
        vec![Span::styled(format!("{age:>6} "), style(ScreenRole::Dim)), Span::styled(format!("{sign} "), style(role))];
    spans.extend(marked(
        &pad(&fit(&listed.project(), 16), 16),
        picker.pattern(),
        style(ScreenRole::Name),
        picker.theme,
    ));
    if width >= PROGRAM_COLUMNS {
        spans.push(Span::styled(format!(" {}", pad(program, 11)), style(ScreenRole::Dim)));
    }
    let used: usize = spans.iter().map(Span::width).sum();
    let room = width.saturating_sub(used + 1 + numbers.width());
    spans.push(Span::raw(" "));
    spans.extend(match (listed.details, listed.subject()) {
        (Some(Details::Unreadable(reason)), _) => vec![Span::styled(padded(reason, room), style(ScreenRole::Bad))],
        (_, Some(subject)) => {
            marked(&padded(&one_line(subject), room), picker.pattern(), style(ScreenRole::Text), picker.theme)
        }
        (_, None) => {
            let name = listed.file.path.file_name().unwrap_or_default().to_string_lossy();
            vec![Span::styled(padded(&name, room), style(ScreenRole::Dim))]
        }
    });
    spans.push(Span::styled(numbers, style(ScreenRole::Dim)));
    Line::from(spans)
}

/// A prompt may have many lines; in a row, blanks are enough.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn padded(text: &str, columns: usize) -> String {
    pad(&fit(text, columns), columns)
}

/// The glyph of an outcome, and its role.
fn sign(outcome: Option<&str>) -> (&'static str, ScreenRole) {
    let known = match outcome {
        Some("completed") => Outcome::Success,
        Some("error") => Outcome::Error,
        Some("open") => Outcome::Running,
        Some(_) => Outcome::Denied,
        None => return (" ", ScreenRole::Dim),
    };
    (glyph::of_outcome(known), ScreenRole::Outcome(known))
}

/// A text with what the search has found in it highlighted.
fn marked(text: &str, pattern: &FuzzyPattern, style: Style, theme: Theme) -> Vec<Span<'static>> {
    let places = pattern.places(text);
    let letters: Vec<(usize, char)> = text.chars().enumerate().collect();
    let is_hit = |at: usize| places.binary_search(&at).is_ok();
    let runs = letters.chunk_by(|one, two| is_hit(one.0) == is_hit(two.0));
    runs.map(|run| {
        let text: String = run.iter().map(|(_, letter)| *letter).collect();
        Span::styled(text, if is_hit(run[0].0) { theme.style(ScreenRole::Hit) } else { style })
    })
    .collect()
}

fn draw_preview(picker: &Picker, frame: &mut Frame<'_>, area: Rect) {
    let style = |role| picker.theme.style(role);
    let title = Line::styled(" Preview ", style(ScreenRole::Strong));
    let block = Block::bordered().border_style(style(ScreenRole::Border)).title(title);
    let inside = block.inner(area);
    let lines = picker.selected().map_or_else(Vec::new, |listed| preview(picker, listed, inside));
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

fn preview(picker: &Picker, listed: Listed<'_>, room: Rect) -> Vec<Line<'static>> {
    let style = |role| picker.theme.style(role);
    let (width, rows) = (usize::from(room.width), usize::from(room.height));
    let file = with_tilde(&listed.file.path);
    let mut lines = Vec::new();
    let field = |name: &str, value: &str| {
        let name = Span::styled(format!("{} ", pad(name, 8)), style(ScreenRole::Dim));
        Line::from(vec![name, Span::raw(fit_middle(value, width.saturating_sub(9)))])
    };
    let Some(outline) = listed.outline() else {
        lines.push(field("file", &file));
        lines.extend(match listed.details {
            Some(Details::Unreadable(reason)) => {
                vec![Line::styled(fit(reason, width), style(ScreenRole::Finding(Severity::Error)))]
            }
            _ => vec![Line::styled("not read yet", style(ScreenRole::Dim))],
        });
        return lines;
    };
    let known = |text: &Option<Box<str>>| text.as_deref().unwrap_or_default().to_owned();
    let joined = |parts: &[String]| {
        parts.iter().filter(|part| !part.is_empty()).map(String::as_str).collect::<Vec<_>>().join(" · ")
    };
    let number = |value: Option<u64>, word: &str| {
        value.map_or_else(String::new, |value| format!("{} {word}", list::tokens(value)))
    };
    let program = format!("{} {}", outline.program, known(&outline.version));
    lines.push(field("agent", &joined(&[program, known(&outline.model)])));
    let folder = outline.cwd.as_deref().map_or_else(String::new, |cwd| with_tilde(cwd.as_ref()));
    lines.push(field("project", &joined(&[folder, known(&outline.branch)])));
    let findings = outline.findings.map_or_else(String::new, |findings| count(findings.into(), "finding"));
    let outcome = outline.outcome.as_deref().unwrap_or("unknown").replace('_', " ");
    lines.push(field("outcome", &joined(&[outcome, known(&outline.error), findings])));
    let context = number(outline.context_tokens, "in the context");
    lines.push(field("tokens", &joined(&[context, number(outline.total_tokens, "in total")])));
    lines.push(field("file", &file));
    // The prompt and the answer share the rest.
    let rest = rows.saturating_sub(lines.len());
    let texts = [("❯ ", &outline.prompt), ("◆ ", &outline.answer)];
    for (at, (mark, text)) in texts.into_iter().enumerate() {
        let Some(text) = text else { continue };
        let most = if at == 0 && outline.answer.is_some() { rest / 2 } else { rows.saturating_sub(lines.len()) };
        let pieces = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .flat_map(|line| paragraph(line, width.saturating_sub(2)));
        lines.extend(pieces.take(most).enumerate().map(|(number, piece)| {
            let mark = if number == 0 { mark } else { "  " };
            Line::from(vec![Span::styled(mark, style(ScreenRole::Mark)), Span::raw(piece)])
        }));
    }
    lines
}

fn draw_footer(picker: &Picker, frame: &mut Frame<'_>, area: Rect) {
    let style = |role| picker.theme.style(role);
    if let Some(message) = &picker.message {
        let text = fit(message, usize::from(area.width));
        frame.render_widget(Paragraph::new(text).style(style(ScreenRole::Finding(Severity::Error))), area);
        return;
    }
    let shown = PICKER_KEYS.iter().filter(|row| !row.word.is_empty());
    let spans = shown.flat_map(|row| {
        let key = row.keys.first().copied().unwrap_or_default();
        [Span::styled(key, style(ScreenRole::Key)), Span::styled(format!(" {}  ", row.word), style(ScreenRole::Dim))]
    });
    frame.render_widget(Paragraph::new(Line::from(spans.collect::<Vec<_>>())), area);
}

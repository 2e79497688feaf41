//! What opens over the panes: texts, lists, editors, the offers of Tab, the guided tour.

mod exporting;
mod minimizing;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph};
use unicode_width::UnicodeWidthStr;

use super::action::{Action, Listed};
use super::command::COMMANDS;
use super::key::Where;
use super::model::{Body, List, Mode, Model, Text};
use super::theme::Role;
use super::tour::LESSONS;
use super::typing::{Asks, Editor, Prompt, Purpose};
use super::update::lists::divergences;
use super::view::chosen;
use crate::replay::bookmark::find::BookmarkPlace;
use crate::text::{fit, glyph, pad, paragraph};

pub fn draw(model: &Model, frame: &mut Frame<'_>, screen: Rect) {
    // Above the lesson, and below whatever somebody opens.
    let tour = laid_out_tour(model, screen).map(|(_, area)| area.top());
    minimizing::draw(model, frame, screen, tour.unwrap_or(screen.bottom().saturating_sub(1)));
    match &model.mode {
        Mode::Text(text) => draw_text(model, text, frame, screen),
        Mode::List(list) => draw_list(model, *list, frame, screen),
        Mode::Editor(editor) => draw_editor(model, editor, frame, screen),
        Mode::Prompt(prompt) if matches!(prompt.asks, Asks::Pack | Asks::Pattern) => {
            exporting::draw(model, frame, screen);
        }
        Mode::Prompt(prompt) => draw_offers(model, prompt, frame, screen),
        Mode::Export => exporting::draw(model, frame, screen),
        Mode::Normal => {}
    }
    // It tells how to go on, also while something is open; only a text that is written needs all the room.
    if !matches!(model.mode, Mode::Editor(_)) {
        draw_tour(model, frame, screen);
    }
}

/// A box in the middle of the screen, at most so large.
fn middle(screen: Rect, columns: u16, rows: u16) -> Rect {
    let (width, height) = (columns.min(screen.width.saturating_sub(4)), rows.min(screen.height.saturating_sub(2)));
    Rect::new(screen.x + (screen.width - width) / 2, screen.y + (screen.height - height) / 2, width, height)
}

/// Clears a box and answers the room inside it.
fn open(model: &Model, frame: &mut Frame<'_>, area: Rect, title: Line<'static>, below: &str) -> Rect {
    let style = |role| model.theme().style(role);
    let block = Block::bordered()
        .border_style(style(Role::Focus))
        .title(title)
        .title_bottom(Span::styled(fit(below, area.width.saturating_sub(2) as usize), style(Role::Dim)));
    let inside = block.inner(area);
    frame.render_widget(Clear, area);
    frame.render_widget(block, area);
    inside
}

fn title(model: &Model, text: &str, columns: u16) -> Line<'static> {
    let text = fit(text, (columns as usize).saturating_sub(4));
    Line::styled(format!(" {text} "), model.theme().style(Role::Focus))
}

/// The keys of a place on one line, those aside that do nothing here.
fn keys_of(model: &Model, place: Where, useless: &[&str]) -> String {
    let keys = model.keymap().footer(place).filter(|(_, word)| !useless.contains(word));
    let words: Vec<String> = keys.map(|(key, word)| format!("{key} {word}")).collect();
    format!(" {} ", words.join("  "))
}

/// The lines of a text, and the box for as many of them as there is room for.
fn laid_out(model: &Model, text: &Text, screen: Rect) -> (Vec<Line<'static>>, Rect) {
    let columns = 104.min(screen.width.saturating_sub(4));
    let room = columns.saturating_sub(2) as usize;
    let lines: Vec<Line<'static>> = match &text.body {
        Body::Help => help(model, room),
        Body::Minimized => {
            let told = model.minimizing.as_ref().map(|minimizing| minimizing.told(room)).unwrap_or_default();
            told.into_iter().map(|(role, text)| Line::styled(text, model.theme().style(role))).collect()
        }
        Body::Lines(lines) => lines.iter().flat_map(|line| paragraph(line, room)).map(Line::raw).collect(),
    };
    let area = middle(screen, columns, u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(2));
    (lines, area)
}

/// How far the text that is open can be scrolled: until its last line stands at the bottom.
pub fn last_scroll(model: &Model) -> usize {
    let Mode::Text(text) = &model.mode else { return 0 };
    let (lines, area) = laid_out(model, text, model.screen());
    lines.len().saturating_sub(area.height.saturating_sub(2) as usize)
}

fn draw_text(model: &Model, text: &Text, frame: &mut Frame<'_>, screen: Rect) {
    let (lines, area) = laid_out(model, text, screen);
    let most = lines.len().saturating_sub(area.height.saturating_sub(2) as usize);
    let scroll = text.scroll.min(most);
    let useless: &[&str] = match text.body {
        Body::Help => &["copy", "save", "open"],
        Body::Lines(_) => &["save", "open"],
        Body::Minimized => &[],
    };
    let mut below = keys_of(model, Where::Text, useless);
    if most > 0 {
        below.push_str(&format!(" {}/{} ", scroll + area.height.saturating_sub(2) as usize, lines.len()));
    }
    let inside = open(model, frame, area, title(model, &text.title, area.width), &below);
    frame.render_widget(Paragraph::new(lines.into_iter().skip(scroll).collect::<Vec<_>>()), inside);
}

/// The keys that apply where the focus is come first, then the others, then the commands.
fn help(model: &Model, room: usize) -> Vec<Line<'static>> {
    let style = |role| model.theme().style(role);
    // On a narrow screen the sentences need the room more than the keys do.
    let columns = if room < 80 { 18 } else { 25 };
    let entry = |keys: String, text: String| {
        let (keys, text) = (paragraph(&keys, columns - 1), paragraph(&text, room.saturating_sub(columns)));
        let row = |row: usize| {
            let piece = |pieces: &[String]| pieces.get(row).cloned().unwrap_or_default();
            Line::from(vec![Span::styled(pad(&piece(&keys), columns), style(Role::Key)), Span::raw(piece(&text))])
        };
        (0..keys.len().max(text.len())).map(row).collect::<Vec<_>>()
    };
    let head = |text: &str| Line::styled(text.to_owned(), style(Role::Focus));
    let here = Where::Pane(model.focus);
    let groups = [
        (here, format!("in {}", model.focus.name())),
        (Where::Everywhere, "everywhere".to_owned()),
        (Where::List, "in a list".to_owned()),
        (Where::Text, "in a text".to_owned()),
        (Where::Export, "before a pack is written".to_owned()),
        (Where::Typing, "while typing".to_owned()),
    ];
    let mut lines = Vec::new();
    for (place, name) in groups {
        let rows: Vec<_> = model.keymap().rows().iter().filter(|row| row.binding.applies == place).collect();
        if !rows.is_empty() {
            lines.push(head(&name));
        }
        lines.extend(rows.iter().flat_map(|row| entry(row.keys.join(" "), row.binding.describes.to_owned())));
    }
    lines.push(head("commands"));
    for command in COMMANDS {
        lines.extend(entry(format!(":{} {}", command.name, command.argument), command.describes.to_owned()));
    }
    lines.push(head("the mouse"));
    lines.extend(entry("click".to_owned(), "chooses; on the strip it goes to that part of the log".to_owned()));
    lines.extend(entry("drag, wheel".to_owned(), "along the strip to seek; the wheel steps and scrolls".to_owned()));
    lines
}

fn draw_list(model: &Model, list: List, frame: &mut Frame<'_>, screen: Rect) {
    let columns = 100.min(screen.width.saturating_sub(4));
    let room = columns.saturating_sub(2) as usize;
    let mut rows = match list.of {
        Listed::Bookmarks => bookmarks(model, room),
        Listed::Divergences => divergent(model, room),
        Listed::Breakpoints => breakpoints(model, room),
    };
    let is_empty = rows.is_empty();
    if is_empty {
        let text = match list.of {
            Listed::Bookmarks => format!("no bookmark yet; {} sets one at this event", model.key(Action::Add)),
            Listed::Divergences => "no event contradicts another".to_owned(),
            Listed::Breakpoints => format!("no breakpoint yet; {} adds one", model.key(Action::Add)),
        };
        rows.push(Line::styled(text, model.theme().style(Role::Dim)));
    }
    let area = middle(screen, columns, u16::try_from(rows.len()).unwrap_or(u16::MAX).saturating_add(2).max(8));
    let mut spans = Vec::new();
    for of in Listed::ALL {
        // Brackets beside the colour: it must read without one.
        let (text, role) = match of == list.of {
            true => (format!("[{}]", of.name()), Role::Focus),
            false => (format!(" {} ", of.name()), Role::Dim),
        };
        spans.push(Span::styled(text, model.theme().style(role)));
    }
    let useless: &[&str] = match list.of {
        Listed::Bookmarks => &["on/off"],
        Listed::Divergences => &["on/off", "remove", "add", "note"],
        Listed::Breakpoints => &["note"],
    };
    let inside = open(model, frame, area, Line::from(spans), &keys_of(model, Where::List, useless));
    let at = list.row.min(rows.len() - 1);
    let first = at.saturating_sub((inside.height as usize).saturating_sub(1));
    let lines = rows.into_iter().enumerate().skip(first).take(inside.height as usize);
    let lines: Vec<Line<'_>> =
        lines.map(|(row, line)| chosen(line, row == at && !is_empty, inside.width as usize)).collect();
    frame.render_widget(Paragraph::new(lines), inside);
}

fn bookmarks(model: &Model, room: usize) -> Vec<Line<'static>> {
    let style = |role| model.theme().style(role);
    let marks = model.debugger.bookmarks().iter();
    let name_columns = marks.clone().map(|(mark, _)| mark.name.width()).max().unwrap_or(0).min(room / 2);
    let line = |(mark, found): &(crate::replay::bookmark::Bookmark, BookmarkPlace)| {
        let place = found.at().map_or_else(|| "lost".to_owned(), |at| at.to_string());
        // That one is lost is said where others have their number.
        let is_plain = matches!(found, BookmarkPlace::Exact(_)) || found.at().is_none();
        let word = if is_plain { String::new() } else { format!("{} ", found.word()) };
        let name = pad(&fit(&mark.name, name_columns), name_columns);
        let left = format!("★ {place:>7} ");
        let rest = room.saturating_sub(left.width() + name.width() + 1);
        Line::from(vec![
            Span::styled(left, style(Role::Mark)),
            Span::styled(name, style(Role::Strong)),
            Span::raw(format!(" {}", fit(&format!("{word}{}", mark.note.replace('\n', " ")), rest))),
        ])
    };
    marks.map(line).collect()
}

fn divergent(model: &Model, room: usize) -> Vec<Line<'static>> {
    let style = |role| model.theme().style(role);
    let findings = model.replay().findings();
    let all = divergences(model);
    let id_columns = all.iter().map(|(_, number)| findings.list[*number].check.id.width()).max().unwrap_or(0);
    let line = |(at, number): (crate::replay::Seq, usize)| {
        let finding = &findings.list[number];
        let step = model.replay().row(at).map_or(0, |row| row.step);
        let left = format!("{} {at:>7} step {step:<5}", glyph(finding.severity));
        let id = pad(finding.check.id, id_columns);
        let rest = room.saturating_sub(left.width() + id.width() + 1);
        Line::from(vec![
            Span::styled(left, style(Role::Finding(finding.severity))),
            Span::styled(id, style(Role::Name)),
            Span::raw(format!(" {}", fit(&finding.message(), rest))),
        ])
    };
    all.into_iter().map(line).collect()
}

fn breakpoints(model: &Model, room: usize) -> Vec<Line<'static>> {
    let style = |role| model.theme().style(role);
    let line = |breakpoint: &crate::replay::debugger::breakpoint::Breakpoint| {
        let (mark, role) = if breakpoint.enabled { ("● on  ", Role::Strong) } else { ("○ off ", Role::Dim) };
        let stops = format!("{:>5} × ", breakpoint.stops);
        let rest = room.saturating_sub(mark.width() + stops.width());
        Line::from(vec![
            Span::styled(mark, style(role)),
            Span::styled(stops, style(Role::Dim)),
            Span::styled(fit(&breakpoint.text, rest), style(role)),
        ])
    };
    model.debugger.breakpoints.iter().map(line).collect()
}

fn draw_editor(model: &Model, editor: &Editor, frame: &mut Frame<'_>, screen: Rect) {
    let rows = match editor.purpose {
        Purpose::Event(_) => screen.height.saturating_sub(4),
        Purpose::NewNote(_) | Purpose::Note(_) => 8,
    };
    let area = middle(screen, 100, rows);
    let keys = match editor.ends_with_enter() {
        true => format!(" Enter keeps it  {} new line  Esc leaves ", model.key(Action::NewLine)),
        false => " Ctrl-s does it  Esc leaves ".to_owned(),
    };
    let below = editor.trouble.as_deref().map_or(keys, |trouble| format!(" {trouble} "));
    let below = fit(&below, area.width.saturating_sub(2) as usize);
    let inside = open(model, frame, area, title(model, &editor.title, area.width), &below);
    frame.render_widget(&editor.text, inside);
}

/// What Tab goes through, above the line.
fn draw_offers(model: &Model, prompt: &Prompt, frame: &mut Frame<'_>, screen: Rect) {
    let Some((offers, at)) = &prompt.offers else { return };
    const SHOWN: usize = 10;
    let first = at.saturating_sub(SHOWN - 1);
    let shown: Vec<&String> = offers.iter().skip(first).take(SHOWN.min(screen.height as usize - 4)).collect();
    let columns = shown.iter().map(|offer| offer.width()).max().unwrap_or(0) as u16 + 2;
    let (width, height) = (columns.max(16).min(screen.width), shown.len() as u16 + 2);
    let area = Rect::new(screen.x, screen.bottom().saturating_sub(height + 1), width, height);
    let count = format!(" {}/{} ", at + 1, offers.len());
    let inside = open(model, frame, area, Line::raw(""), &count);
    let room = inside.width as usize;
    let line = |(row, offer): (usize, &&String)| chosen(Line::raw(fit(offer, room)), first + row == *at, room);
    let lines: Vec<Line<'_>> = shown.iter().enumerate().map(line).collect();
    frame.render_widget(Paragraph::new(lines), inside);
}

/// The lesson at the lower right, out of the way of what it speaks of.
fn laid_out_tour(model: &Model, screen: Rect) -> Option<(Vec<Line<'static>>, Rect)> {
    let (_, lesson) = model.tour.and_then(|tour| tour.lesson())?;
    let width = 58.min(screen.width.saturating_sub(2));
    let pieces = paragraph(lesson.text, width.saturating_sub(4) as usize).into_iter();
    let lines: Vec<Line<'static>> = pieces.map(|piece| Line::raw(format!(" {piece}"))).collect();
    let height = lines.len() as u16 + 2;
    let area = Rect::new(screen.right() - width - 1, screen.bottom().saturating_sub(height + 1), width, height);
    Some((lines, area))
}

fn draw_tour(model: &Model, frame: &mut Frame<'_>, screen: Rect) {
    let Some((number, lesson)) = model.tour.and_then(|tour| tour.lesson()) else { return };
    let Some((lines, area)) = laid_out_tour(model, screen) else { return };
    let head = format!("The tour, {number} of {}: press {}", LESSONS.len(), lesson.key);
    let inside = open(model, frame, area, title(model, &head, area.width), " Esc twice ends it ");
    frame.render_widget(Paragraph::new(lines), inside);
}

//! Popups over the panes: texts, lists, editors, completions; the box of the guided tour.

mod help;
pub(crate) mod tour;
pub(crate) mod window;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr;

use super::action::{Action, ListKind};
use super::command::{self, Completion};
use super::family::list as family;
use super::finding_order::divergent_events;
use super::glyph;
use super::inquiry::list as reply;
use super::key::KeyContext;
use super::model::{InputMode, List, Model, PopupBody, TextPopup};
use super::theme::ScreenRole;
use super::theme::{Palette, selected};
use super::typing::{Editor, Prompt, PromptKind, Purpose};
use super::{export, minimize, palette};
use crate::replay::bookmark::find::BookmarkPlace;
use crate::text::{self, fit, pad, paragraph};
use window::{keys_of, middle, open, title};

pub(crate) fn draw(model: &Model, frame: &mut Frame<'_>, screen: Rect) {
    minimize::view::draw(model, frame, screen, screen.bottom().saturating_sub(1));
    let is_over_panes = !matches!(model.mode, InputMode::Normal | InputMode::Prompt(_));
    if is_over_panes && model.theme().palette != Palette::HighContrast {
        // What is behind the popup can wait.
        frame.buffer_mut().set_style(screen, Style::default().add_modifier(Modifier::DIM));
    }
    match &model.mode {
        InputMode::Text(text) => draw_text(model, text, frame, screen),
        InputMode::List(list) => draw_list(model, *list, frame, screen),
        InputMode::Editor(editor) => draw_editor(model, editor, frame, screen),
        InputMode::Prompt(prompt) if matches!(prompt.kind, PromptKind::Pack | PromptKind::Pattern) => {
            export::view::draw(model, frame, screen);
        }
        InputMode::Prompt(prompt) if prompt.kind == PromptKind::Palette => palette::draw(model, prompt, frame, screen),
        InputMode::Prompt(prompt) => draw_offers(model, prompt, frame, screen),
        InputMode::Export => export::view::draw(model, frame, screen),
        InputMode::Normal => {}
    }
    tour::draw(model, frame);
}

/// The lines of a text, and a box for as many of them as fit.
fn laid_out(model: &Model, text: &TextPopup, screen: Rect) -> (Vec<Line<'static>>, Rect) {
    // The help has two columns.
    let most = if text.body == PopupBody::Help { 132 } else { 104 };
    let margin = if text.body == PopupBody::Help { 0 } else { 4 };
    let columns = most.min(screen.width.saturating_sub(margin));
    let room = columns.saturating_sub(2) as usize;
    let lines: Vec<Line<'static>> = match &text.body {
        PopupBody::Help => help::lines(model, room),
        PopupBody::Minimized => {
            let report = model.minimizing.as_ref().map(|minimizing| minimizing.report(room)).unwrap_or_default();
            report.into_iter().map(|(role, text)| Line::styled(text, model.theme().style(role))).collect()
        }
        PopupBody::Lines(lines) | PopupBody::Explanation(lines) => {
            lines.iter().flat_map(|line| paragraph(line, room)).map(Line::raw).collect()
        }
        PopupBody::Answer(lines) => lines.iter().map(|line| Line::raw(fit(line, room))).collect(),
    };
    let area = middle(screen, columns, u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(2));
    (lines, area)
}

/// How far the open text can be scrolled: until its last line is at the bottom.
pub(crate) fn last_scroll(model: &Model) -> usize {
    let InputMode::Text(text) = &model.mode else { return 0 };
    let (lines, area) = laid_out(model, text, model.room());
    lines.len().saturating_sub(area.height.saturating_sub(2) as usize)
}

fn draw_text(model: &Model, text: &TextPopup, frame: &mut Frame<'_>, screen: Rect) {
    let (lines, area) = laid_out(model, text, screen);
    let most = lines.len().saturating_sub(area.height.saturating_sub(2) as usize);
    let scroll = text.scroll.min(most);
    let useless: &[&str] = match text.body {
        PopupBody::Help => &["copy", "save", "open"],
        PopupBody::Answer(_) if model.inquiry.repaired.is_some() => &["open", "search"],
        PopupBody::Lines(_) | PopupBody::Explanation(_) | PopupBody::Answer(_) => &["save", "open", "search"],
        PopupBody::Minimized => &["search"],
    };
    let mut below = keys_of(model, KeyContext::Text, useless);
    if most > 0 {
        below.push_str(&format!(" {}/{} ", scroll + area.height.saturating_sub(2) as usize, lines.len()));
    }
    let inside = open(model, frame, area, title(model, &text.title, area.width), &below);
    frame.render_widget(Paragraph::new(lines.into_iter().skip(scroll).collect::<Vec<_>>()), inside);
}

fn draw_list(model: &Model, list: List, frame: &mut Frame<'_>, screen: Rect) {
    let columns = 100.min(screen.width.saturating_sub(4));
    let room = columns.saturating_sub(2) as usize;
    let mut rows = match list.of {
        ListKind::Bookmarks => bookmarks(model, room),
        ListKind::Divergences => divergent(model, room),
        ListKind::Breakpoints => breakpoints(model, room),
        ListKind::Family => family::lines(model, room),
        ListKind::Reply => reply::lines(model, room),
    };
    let heads = if list.of == ListKind::Reply { reply::heads(model, room) } else { Vec::new() };
    let is_empty = rows.is_empty();
    if is_empty {
        let text = match list.of {
            ListKind::Bookmarks => format!("no bookmarks yet; {} adds one at this event", model.key(Action::Add)),
            ListKind::Divergences => "no findings above severity info".to_owned(),
            ListKind::Breakpoints => format!("no breakpoints yet; {} adds one", model.key(Action::Add)),
            ListKind::Family => "no other log belongs to this one".to_owned(),
            ListKind::Reply => "nothing".to_owned(),
        };
        rows.push(Line::styled(text, model.theme().style(ScreenRole::Dim)));
    }
    let height = u16::try_from(rows.len() + heads.len()).unwrap_or(u16::MAX).saturating_add(2).max(8);
    let area = middle(screen, columns, height);
    let mut spans = Vec::new();
    let tabs = match list.of {
        ListKind::Family => &[ListKind::Family][..],
        ListKind::Reply => &[],
        _ => &ListKind::ALL,
    };
    for of in tabs.iter().copied() {
        // Brackets make it readable without colour.
        let (text, role) = match of == list.of {
            true => (format!("[{}]", of.name()), ScreenRole::Focus),
            false => (format!(" {} ", of.name()), ScreenRole::Dim),
        };
        spans.push(Span::styled(text, model.theme().style(role)));
    }
    let useless: &[&str] = match list.of {
        ListKind::Bookmarks => &["on/off"],
        ListKind::Divergences => &["on/off", "remove", "add", "note"],
        ListKind::Breakpoints => &["note"],
        ListKind::Family | ListKind::Reply => &["on/off", "remove", "add", "note", "list"],
    };
    let name = if list.of == ListKind::Reply {
        title(model, &model.inquiry.list.title, area.width)
    } else {
        Line::from(spans)
    };
    let inside = open(model, frame, area, name, &keys_of(model, KeyContext::List, useless));
    let room = (inside.height as usize).saturating_sub(heads.len());
    let at = list.row.min(rows.len() - 1);
    let first = at.saturating_sub(room.saturating_sub(1));
    let lines = rows.into_iter().enumerate().skip(first).take(room);
    let lines = lines.map(|(row, line)| selected(line, row == at && !is_empty, inside.width as usize));
    let lines: Vec<Line<'_>> = heads.into_iter().chain(lines).collect();
    frame.render_widget(Paragraph::new(lines), inside);
}

fn bookmarks(model: &Model, room: usize) -> Vec<Line<'static>> {
    let style = |role| model.theme().style(role);
    let marks = model.debugger.bookmarks().iter();
    let name_columns = marks.clone().map(|(mark, _)| mark.name.width()).max().unwrap_or(0).min(room / 2);
    let line = |(mark, found): &(crate::replay::bookmark::Bookmark, BookmarkPlace)| {
        let place = found.at().map_or_else(|| "lost".to_owned(), |at| at.to_string());
        // For a lost bookmark, "lost" replaces the number.
        let is_plain = matches!(found, BookmarkPlace::Exact(_)) || found.at().is_none();
        let word = if is_plain { String::new() } else { format!("{} ", found.word()) };
        let name = pad(&fit(&mark.name, name_columns), name_columns);
        let left = format!("★ {place:>7} ");
        let rest = room.saturating_sub(left.width() + name.width() + 1);
        Line::from(vec![
            Span::styled(left, style(ScreenRole::Mark)),
            Span::styled(name, style(ScreenRole::Strong)),
            Span::raw(format!(" {}", fit(&format!("{word}{}", mark.note.replace('\n', " ")), rest))),
        ])
    };
    marks.map(line).collect()
}

fn divergent(model: &Model, room: usize) -> Vec<Line<'static>> {
    let style = |role| model.theme().style(role);
    let findings = model.replay().findings();
    let all = divergent_events(&findings);
    let id_columns = all.iter().map(|(_, number)| findings.list[*number].check.id.width()).max().unwrap_or(0);
    let line = |(at, number): (crate::replay::Seq, usize)| {
        let finding = &findings.list[number];
        let step = model.replay().row(at).map_or(0, |row| row.step);
        let left = format!("{} {at:>7} step {step:<5}", text::glyph(finding.severity));
        let id = pad(finding.check.id, id_columns);
        let rest = room.saturating_sub(left.width() + id.width() + 1);
        Line::from(vec![
            Span::styled(left, style(ScreenRole::Finding(finding.severity))),
            Span::styled(id, style(ScreenRole::Name)),
            Span::raw(format!(" {}", fit(&finding.message(), rest))),
        ])
    };
    all.into_iter().map(line).collect()
}

fn breakpoints(model: &Model, room: usize) -> Vec<Line<'static>> {
    let style = |role| model.theme().style(role);
    let line = |breakpoint: &crate::replay::debugger::breakpoint::Breakpoint| {
        let (mark, role) = match breakpoint.enabled {
            true => (format!("{} on  ", glyph::BREAKPOINT), ScreenRole::Strong),
            false => ("  off ".to_owned(), ScreenRole::Dim),
        };
        let stops = format!("{:>5} × ", breakpoint.stops);
        let rest = room.saturating_sub(mark.width() + stops.width());
        Line::from(vec![
            Span::styled(mark, style(role)),
            Span::styled(stops, style(ScreenRole::Dim)),
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
        true => format!(" Enter saves  {} new line  Esc cancels ", model.key(Action::NewLine)),
        false => " Ctrl-s applies  Esc cancels ".to_owned(),
    };
    let below = editor.trouble.as_deref().map_or(keys, |trouble| format!(" {trouble} "));
    let below = fit(&below, area.width.saturating_sub(2) as usize);
    let inside = open(model, frame, area, title(model, &editor.title, area.width), &below);
    frame.render_widget(&editor.text, inside);
}

/// The completions above the prompt, with what they do. Until Tab selects one, they follow what is typed.
fn draw_offers(model: &Model, prompt: &Prompt, frame: &mut Frame<'_>, screen: Rect) {
    let style = |role| model.theme().style(role);
    let (offers, at): (Vec<Completion>, Option<usize>) = match &prompt.offers {
        Some((offers, at)) => {
            (offers.iter().map(|offer| command::described(offer, model.replay())).collect(), Some(*at))
        }
        None if prompt.trouble.is_some() => return,
        None => (command::completions(prompt.kind, &prompt.typed(), model), None),
    };
    if offers.is_empty() {
        return;
    }
    let most = usize::from(screen.height / 2).clamp(4, 14);
    let first = at.unwrap_or(0).saturating_sub(most - 1);
    let shown: Vec<&Completion> = offers.iter().skip(first).take(most).collect();
    let text_columns = shown.iter().map(|offer| offer.text.width()).max().unwrap_or(0).min(44) + 2;
    let columns = shown.iter().map(|offer| text_columns + offer.describes.width()).max().unwrap_or(0) + 2;
    let (width, height) = ((columns.max(24) as u16).min(screen.width), shown.len() as u16 + 2);
    let area = Rect::new(screen.x, screen.bottom().saturating_sub(height + 1), width, height);
    let below = match at {
        Some(at) => format!(" {}/{} ", at + 1, offers.len()),
        None if offers.len() > shown.len() => format!(" {} more; Tab completes ", offers.len() - shown.len()),
        None => " Tab completes ".to_owned(),
    };
    let inside = open(model, frame, area, Line::raw(""), &below);
    let room = inside.width as usize;
    let line = |(row, offer): (usize, &&Completion)| {
        let text = Span::styled(pad(&fit(&offer.text, text_columns - 1), text_columns), style(ScreenRole::Key));
        let describes = Span::styled(fit(&offer.describes, room.saturating_sub(text_columns)), style(ScreenRole::Dim));
        selected(Line::from(vec![text, describes]), Some(first + row) == at, room)
    };
    let lines: Vec<Line<'_>> = shown.iter().enumerate().map(line).collect();
    frame.render_widget(Paragraph::new(lines), inside);
}

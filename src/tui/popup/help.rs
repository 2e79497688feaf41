//! The help: the keys of the focused pane, all others in groups, the commands, the signs.

use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use crate::text::{pad, paragraph};
use crate::tui::action::Action;
use crate::tui::command::COMMANDS;
use crate::tui::glyph;
use crate::tui::key::{KeyContext, KeyGroup};
use crate::tui::keymap::KeymapRow;
use crate::tui::model::Model;
use crate::tui::theme::ScreenRole;

/// From this width on, the help has two columns.
const TWO_COLUMNS: usize = 96;
const BETWEEN: usize = 2;
/// The columns of the keys, and of the commands.
const KEY_COLUMNS: usize = 15;

/// A group with its heading.
type Block = Vec<Line<'static>>;

/// The lines of the help in a width.
pub(crate) fn lines(model: &Model, room: usize) -> Vec<Line<'static>> {
    if room < TWO_COLUMNS {
        return blocks(model, room).into_iter().flatten().collect();
    }
    let columns = (room - BETWEEN) / 2;
    let blocks = blocks(model, columns);
    let all: usize = blocks.iter().map(Vec::len).sum();
    // The left column ends with the group that fills half of the lines.
    let (mut left, mut right): (Block, Block) = (Vec::new(), Vec::new());
    for block in blocks {
        let side = if left.len() + block.len() / 2 <= all / 2 && right.is_empty() { &mut left } else { &mut right };
        side.extend(block);
    }
    let rows = left.len().max(right.len());
    (0..rows).map(|row| side_by_side(left.get(row), right.get(row), columns)).collect()
}

fn side_by_side(left: Option<&Line<'static>>, right: Option<&Line<'static>>, columns: usize) -> Line<'static> {
    let mut spans = left.map(|line| line.spans.clone()).unwrap_or_default();
    let taken: usize = spans.iter().map(Span::width).sum();
    spans.push(Span::raw(" ".repeat(columns.saturating_sub(taken) + BETWEEN)));
    spans.extend(right.into_iter().flat_map(|line| line.spans.clone()));
    Line::from(spans)
}

/// The beginning of a description, on one line if that can be: the palette and the documentation have the rest.
fn brief(text: &str, room: usize) -> &str {
    let text = text.strip_prefix("toggle: ").unwrap_or(text);
    let first = text.split("; ").next().unwrap_or(text);
    let first = if first.width() > room { first.split(": ").next().unwrap_or(first) } else { first };
    if first.width() > room { first.split(", ").next().unwrap_or(first) } else { first }
}

/// The keys of a row: its first two, and those of the same in the other direction behind a slash.
fn keys_of(row: &KeymapRow, opposite: Option<&KeymapRow>) -> String {
    match opposite.and_then(|row| row.keys.first()).zip(row.keys.first()) {
        Some((back, key)) if key.width() + back.width() + 3 < KEY_COLUMNS => format!("{key} / {back}"),
        Some((back, key)) => format!("{key}/{back}"),
        None => row.keys.iter().take(2).map(String::as_str).collect::<Vec<_>>().join(" "),
    }
}

/// The description of an action and its opposite: both words where they differ in one, else that of the action.
fn both_ways(text: &str, opposite: &str, room: usize) -> String {
    let (text, opposite) = (brief(text, room), brief(opposite, room));
    let same = text.split(' ').count() == opposite.split(' ').count();
    let pairs = || text.split(' ').zip(opposite.split(' '));
    if !same || pairs().filter(|(one, other)| one != other).count() != 1 {
        return text.to_owned();
    }
    let words = pairs().map(|(one, other)| if one == other { one.to_owned() } else { format!("{one}/{other}") });
    let both = words.collect::<Vec<_>>().join(" ");
    if both.width() > room { text.to_owned() } else { both }
}

/// The rows of a group: an action and its opposite on one line, and the keys of all panes on one.
fn entries(rows: &[&KeymapRow], room: usize) -> Vec<(String, String)> {
    let mut entries = Vec::new();
    let mut rest = rows.iter().peekable();
    let mut panes: Vec<(&str, &str)> = Vec::new();
    while let Some(row) = rest.next() {
        if let (Action::FocusOn(pane), Some(key)) = (row.binding.action, row.keys.first()) {
            panes.push((key, pane.name()));
            continue;
        }
        let opposite = rest.next_if(|next| row.binding.action.is_opposite(next.binding.action));
        let text = match opposite {
            Some(opposite) => both_ways(row.binding.describes, opposite.binding.describes, room),
            None => brief(row.binding.describes, room).to_owned(),
        };
        entries.push((keys_of(row, opposite.copied()), text));
    }
    if let (Some((first, _)), Some((last, _))) = (panes.first(), panes.last()) {
        let names: Vec<&str> = panes.iter().map(|(_, name)| *name).collect();
        entries.insert(1.min(entries.len()), (format!("{first} … {last}"), format!("go to {}", names.join(", "))));
    }
    entries
}

fn blocks(model: &Model, room: usize) -> Vec<Block> {
    let style = |role| model.theme().style(role);
    let head = |text: &str| Line::from(Span::styled(text.to_owned(), style(ScreenRole::Focus)));
    let entry = |keys: &str, text: &str| {
        let (keys, text) = (paragraph(keys, KEY_COLUMNS - 1), paragraph(text, room.saturating_sub(KEY_COLUMNS)));
        let row = |row: usize| {
            let piece = |pieces: &[String]| pieces.get(row).cloned().unwrap_or_default();
            let key = Span::styled(pad(&piece(&keys), KEY_COLUMNS), style(ScreenRole::Key));
            Line::from(vec![key, Span::raw(piece(&text))])
        };
        (0..keys.len().max(text.len())).map(row).collect::<Vec<_>>()
    };
    let text_columns = room.saturating_sub(KEY_COLUMNS);
    let block = |name: &str, rows: Vec<(String, String)>| {
        let mut lines = vec![head(name)];
        lines.extend(rows.iter().flat_map(|(keys, text)| entry(keys, text)));
        lines
    };
    let reachable = |row: &&KeymapRow| !row.keys.is_empty();
    let rows = || model.keymap().rows().iter().filter(reachable);
    let here: Vec<_> = rows().filter(|row| row.binding.applies == KeyContext::Pane(model.focus)).collect();
    let mut blocks = Vec::new();
    if !here.is_empty() {
        blocks.push(block(&format!("in {}", model.focus.name()), entries(&here, text_columns)));
    }
    for group in KeyGroup::ALL {
        let of_group = |row: &&KeymapRow| {
            row.binding.applies == KeyContext::Everywhere && KeyGroup::of(row.binding.action) == group
        };
        blocks.push(block(group.name(), entries(&rows().filter(of_group).collect::<Vec<_>>(), text_columns)));
    }
    let places = [(":412 :34% …".to_owned(), "go to a place: `step:3`, `finding:2`, …".to_owned())];
    let commands = COMMANDS.iter().map(|command| {
        let name = format!(":{} {}", command.name, command.argument);
        (name.trim_end().to_owned(), brief(command.describes, text_columns).to_owned())
    });
    blocks.push(block("commands", places.into_iter().chain(commands).collect()));
    let mouse = [
        ("click", "select, press or go there"),
        ("drag", "seek along the strip, move borders"),
        ("wheel", "step or scroll"),
    ];
    blocks.push(block("the mouse", mouse.map(|(key, text)| (key.to_owned(), text.to_owned())).to_vec()));
    blocks.push(signs(model, room, head("signs")));
    blocks
}

/// The legend: every group as one paragraph.
fn signs(model: &Model, room: usize, head: Line<'static>) -> Block {
    let style = |role| model.theme().style(role);
    let mut lines = vec![head];
    for (group, signs) in glyph::LEGEND {
        let words: Vec<String> = signs.iter().map(|sign| format!("{} {}", sign.glyph, sign.means)).collect();
        let text = words.join(", ");
        let pieces = paragraph(&text, room.saturating_sub(KEY_COLUMNS));
        let names = paragraph(group, KEY_COLUMNS - 1);
        for row in 0..pieces.len().max(names.len()) {
            let name =
                Span::styled(pad(names.get(row).map_or("", String::as_str), KEY_COLUMNS), style(ScreenRole::Dim));
            lines.push(Line::from(vec![name, Span::raw(pieces.get(row).cloned().unwrap_or_default())]));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opposites_share_a_line() {
        assert_eq!(
            both_ways("go one event forward; `5l` goes five", "go one event back", 40),
            "go one event forward/back"
        );
        assert_eq!(both_ways("go to the next turn", "go to the beginning of this turn", 40), "go to the next turn");
        assert_eq!(brief("toggle: hide a kind of event, or a lane, in the list", 24), "hide a kind of event");
    }
}

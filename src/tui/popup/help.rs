//! The help: the keys of the focused pane, all others in groups, the commands, the signs.

use ratatui::text::{Line, Span};

use crate::text::{pad, paragraph};
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

/// The first sentence of a description: the help has the keys, the palette and the documentation the rest.
fn brief(text: &str) -> &str {
    text.split([';', ':']).next().filter(|first| first.len() > "toggle".len()).unwrap_or(text)
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
    let block = |name: &str, rows: Vec<(String, &str)>| {
        let mut lines = vec![head(name)];
        lines.extend(rows.iter().flat_map(|(keys, text)| entry(keys, text)));
        lines
    };
    let reachable = |row: &&KeymapRow| !row.keys.is_empty();
    let keys = |row: &KeymapRow| (row.keys.join(" "), brief(row.binding.describes));
    let rows = || model.keymap().rows().iter().filter(reachable);
    let here: Vec<_> = rows().filter(|row| row.binding.applies == KeyContext::Pane(model.focus)).map(keys).collect();
    let mut blocks = Vec::new();
    if !here.is_empty() {
        blocks.push(block(&format!("in {}", model.focus.name()), here));
    }
    for group in KeyGroup::ALL {
        let of_group = |row: &&KeymapRow| {
            row.binding.applies == KeyContext::Everywhere && KeyGroup::of(row.binding.action) == group
        };
        blocks.push(block(group.name(), rows().filter(of_group).map(keys).collect()));
    }
    let commands = COMMANDS.iter().map(|command| {
        (format!(":{} {}", command.name, command.argument).trim_end().to_owned(), brief(command.describes))
    });
    let places = [(":412 :34% …".to_owned(), "go to a place, such as `step:3`, `call:ID`, `finding:2`")];
    blocks.push(block("commands", places.into_iter().chain(commands).collect()));
    let mouse =
        [("click", "select, press or go there"), ("drag", "seek along the strip, move borders"), ("wheel", "scroll")];
    blocks.push(block("the mouse", mouse.map(|(key, text)| (key.to_owned(), text)).to_vec()));
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

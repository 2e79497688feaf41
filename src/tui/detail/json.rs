//! The JSON tab: the record as a foldable tree, with long strings over several lines.

use std::sync::Arc;

use unicode_width::UnicodeWidthStr;

use super::lines::{Join, TabLine, TabLines, Tint};
use crate::json::tree::{Called, RowKind, Tree};
use crate::replay::search::Pattern;
use crate::text::wrap::{WrapLimits, wrap};
use crate::text::{count, fit, grouped};

/// How much of one string is shown; the omission is marked.
const STRING_CHARS: usize = 100_000;
const STRING_LINES: usize = 5_000;
/// How much is shown of all strings of a record together; beyond it, each string shows only its beginning.
const ALL_CHARS: usize = 2_000_000;
const BEGINNING_CHARS: usize = 200;
const KEY_CHARS: usize = 1_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum JsonPart {
    /// About the record as a whole.
    Note,
    Head,
    /// A continuation of the text of the row.
    More {
        begins: bool,
    },
    /// The mark for omitted text.
    Left {
        bytes: u32,
    },
}

struct JsonLine {
    row: u32,
    part: JsonPart,
    /// The part of a text on this line; empty if the row is shown as a whole.
    text: Box<str>,
}

pub(crate) struct JsonTab {
    pub tree: Tree,
    /// Why the record is not an event.
    note: Option<String>,
    lines: Vec<JsonLine>,
    notes: usize,
    columns: usize,
}

impl JsonTab {
    pub(crate) fn new(record: Arc<[u8]>, malformed: Option<&str>) -> Self {
        let note = malformed.map(|reason| format!("not an event: {reason}"));
        JsonTab { tree: Tree::new(record), note, lines: Vec::new(), notes: 0, columns: 0 }
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Lays out the rows that are not hidden by a fold.
    pub(crate) fn lay_out(&mut self, columns: usize) {
        self.columns = columns;
        let mut lines = Vec::new();
        if let Some(note) = &self.note {
            let room = WrapLimits { first_columns: columns, columns, lines: 5, characters: 2_000 };
            for piece in wrap(&mut note.chars(), room) {
                lines.push(JsonLine { row: 0, part: JsonPart::Note, text: piece.text.into() });
            }
        }
        self.notes = lines.len();
        let mut budget = ALL_CHARS;
        for row in self.tree.visible() {
            self.lay_out_row(row, &mut budget, &mut lines);
        }
        self.lines = lines;
    }

    fn lay_out_row(&self, row: usize, budget: &mut usize, lines: &mut Vec<JsonLine>) {
        let (number, kind) = (row as u32, self.tree.kind(row));
        let head = |text: &str| JsonLine { row: number, part: JsonPart::Head, text: text.into() };
        let is_folded = self.tree.is_folded(row);
        let columns = self.columns.saturating_sub(self.indent(row) + 3);
        let taken = self.name(row).width();
        let room =
            WrapLimits { first_columns: columns.saturating_sub(taken), columns, lines: STRING_LINES, characters: 0 };
        match kind {
            RowKind::Object | RowKind::Array | RowKind::Close | RowKind::Rest => lines.push(head("")),
            RowKind::Number | RowKind::Word if self.tree.bytes(row).len() <= room.first_columns => lines.push(head("")),
            RowKind::String if is_folded => {
                let room = WrapLimits {
                    first_columns: room.first_columns.saturating_sub(22),
                    lines: 1,
                    characters: 500,
                    ..room
                };
                lines.push(head(wrap(&mut self.tree.text(row), room).first().map_or("", |piece| &piece.text)));
            }
            RowKind::Text if is_folded => lines.push(head("")),
            RowKind::String | RowKind::Number | RowKind::Word | RowKind::Text => {
                let most = STRING_CHARS.min((*budget).max(BEGINNING_CHARS));
                let mut characters = self.tree.text(row);
                if kind == RowKind::Text {
                    lines.push(head(""));
                }
                let before = lines.len();
                let length = characters.left();
                for piece in wrap(&mut characters, WrapLimits { characters: most, ..room }) {
                    let is_head = lines.len() == before && kind != RowKind::Text;
                    let part = if is_head { JsonPart::Head } else { JsonPart::More { begins: piece.begins } };
                    lines.push(JsonLine { row: number, part, text: piece.text.into() });
                }
                *budget = budget.saturating_sub(length - characters.left());
                if characters.left() > 0 {
                    let part = JsonPart::Left { bytes: characters.left() as u32 };
                    lines.push(JsonLine { row: number, part, text: left_out(characters.left()).into() });
                }
            }
        }
    }

    fn indent(&self, row: usize) -> usize {
        (self.tree.depth(row) * 2).min(self.columns / 3)
    }

    /// The name of a row, ready to be drawn.
    fn name(&self, row: usize) -> String {
        match self.tree.called(row) {
            Called::Nothing => String::new(),
            Called::Index(index) => format!("{index}: "),
            Called::Key(key) => {
                let text: String = key.take(KEY_CHARS).collect();
                format!("{}: ", fit(&text, (self.columns / 2).max(8)))
            }
        }
    }

    /// The row of a line.
    pub(crate) fn row(&self, line: usize) -> Option<usize> {
        self.lines.get(line).filter(|line| line.part != JsonPart::Note).map(|line| line.row as usize)
    }

    /// The first line of a row, or of the row that hides it.
    pub(crate) fn line_of(&self, row: usize) -> usize {
        let after = self.lines[self.notes..].partition_point(|line| line.row as usize <= row);
        let Some(found) = self.lines[self.notes..][..after].last() else { return self.notes };
        self.notes + self.lines[self.notes..].partition_point(|line| line.row < found.row)
    }

    /// Folds or unfolds the object, array or long text on a line; for any other value, its parent.
    pub(crate) fn toggle(&mut self, line: usize) {
        let Some(row) = self.row(line).map(|row| self.tree.head(row)) else { return };
        let first = self.line_of(row);
        let has_lines = self.row(first + 1) == Some(row);
        let is_holder = matches!(self.tree.kind(row), RowKind::Object | RowKind::Array) && self.tree.end(row) > row;
        if is_holder || has_lines || self.tree.is_folded(row) {
            self.tree.fold(row, !self.tree.is_folded(row));
        } else if let Some(holder) = self.tree.parent(row) {
            self.tree.fold(holder, true);
        }
    }

    /// Unfolds the rows that hide a hit.
    pub(crate) fn reveal(&mut self, pattern: &Pattern) {
        let folds = self.tree.folds();
        self.tree.fold_all(false);
        self.lay_out(self.columns);
        let mut rows: Vec<usize> = self.marks(pattern).iter().filter_map(|mark| self.row(mark.line)).collect();
        rows.dedup();
        self.tree.set_folds(folds);
        self.tree.reveal(&rows);
        for row in rows {
            if matches!(self.tree.kind(row), RowKind::String | RowKind::Text) {
                self.tree.fold(row, false);
            }
        }
        self.lay_out(self.columns);
    }

    fn head(&self, at: usize, line: &JsonLine) -> TabLine {
        let row = line.row as usize;
        let mut drawn = TabLine::at(self.indent(row));
        let is_key = matches!(self.tree.called(row), Called::Key(_));
        drawn.push(if is_key { Tint::Key } else { Tint::Dim }, self.name(row));
        let (kind, is_folded) = (self.tree.kind(row), self.tree.is_folded(row));
        if self.tree.is_in_string(row) {
            drawn.push(Tint::Dim, "\"…\" as JSON ");
        }
        let bytes = self.tree.bytes(row);
        let members = self.tree.members(row);
        match kind {
            RowKind::Object | RowKind::Array => {
                let (open, close, noun) =
                    if kind == RowKind::Object { ("{", "}", "member") } else { ("[", "]", "item") };
                if is_folded {
                    drawn.push(Tint::Text, format!("{open}…{close}"));
                    drawn.push(Tint::Dim, format!(" {}", count(members as u64, noun)));
                } else {
                    let close = if members == 0 && self.tree.end(row) == row && bytes.len() > 1 { close } else { "" };
                    drawn.push(Tint::Text, format!("{open}{close}"));
                }
            }
            RowKind::Close => {
                let is_object = self.tree.kind(self.tree.head(row)) == RowKind::Object;
                drawn.push(Tint::Text, if is_object { "}" } else { "]" });
            }
            RowKind::String if is_folded => {
                drawn.push(Tint::String, format!("\"{}", line.text));
                drawn.push(Tint::Dim, format!("… {} folded", count(bytes.len() as u64, "byte")));
            }
            RowKind::String => drawn.push(Tint::String, format!("\"{}{}", line.text, self.quote(at))),
            RowKind::Number | RowKind::Word if line.text.is_empty() => {
                drawn.push(Tint::Scalar, String::from_utf8_lossy(bytes));
            }
            RowKind::Number | RowKind::Word => drawn.push(Tint::Scalar, &*line.text),
            RowKind::Text => drawn.push(Tint::Dim, self.no_json(row)),
            RowKind::Rest => drawn.push(Tint::Dim, left_out(bytes.len())),
        }
        drawn
    }

    fn no_json(&self, row: usize) -> String {
        let range = self.tree.range(row).unwrap_or_default();
        match (range.start, range.is_empty()) {
            (0, true) => "the record is empty".to_owned(),
            (at, true) => format!("the JSON ends too early, after {}", count(at as u64, "byte")),
            (0, false) => "not JSON:".to_owned(),
            (at, false) => format!("not JSON from byte {} on:", grouped(at as u64)),
        }
    }

    /// The closing quote, if the string ends on this line.
    fn quote(&self, at: usize) -> &'static str {
        let goes_on = self
            .lines
            .get(at + 1)
            .is_some_and(|next| matches!(next.part, JsonPart::More { .. } | JsonPart::Left { .. }));
        if goes_on { "" } else { "\"" }
    }
}

fn left_out(bytes: usize) -> String {
    format!("… {} more {}; Raw shows them all", grouped(bytes as u64), if bytes == 1 { "byte" } else { "bytes" })
}

impl TabLines for JsonTab {
    fn count(&self) -> usize {
        self.lines.len()
    }

    fn line(&self, at: usize) -> TabLine {
        let Some(line) = self.lines.get(at) else { return TabLine::default() };
        let (row, text) = (line.row as usize, &*line.text);
        match line.part {
            JsonPart::Note => TabLine::at(0).with(Tint::Error, text),
            JsonPart::Head => self.head(at, line),
            JsonPart::Left { .. } => TabLine::at(self.indent(row) + 2).with(Tint::Dim, text),
            JsonPart::More { .. } => {
                let drawn = TabLine::at(self.indent(row) + 2);
                match self.tree.kind(row) {
                    RowKind::String => drawn.with(Tint::String, format!("{text}{}", self.quote(at))),
                    RowKind::Text => drawn.with(Tint::Text, text),
                    _ => drawn.with(Tint::Scalar, text),
                }
            }
        }
    }

    fn join(&self, at: usize) -> Join {
        match self.lines.get(at).map(|line| line.part) {
            Some(JsonPart::More { begins: true }) => Join::Break,
            Some(JsonPart::More { begins: false }) => Join::Wrap,
            _ => Join::Apart,
        }
    }

    fn hides(&self, at: usize, pattern: &Pattern) -> bool {
        let Some(line) = self.lines.get(at) else { return false };
        let row = line.row as usize;
        let left = match line.part {
            JsonPart::Left { bytes } => bytes as usize,
            JsonPart::Head if self.tree.kind(row) == RowKind::Rest => usize::MAX,
            _ => return false,
        };
        let mut characters = self.tree.text(row);
        while characters.left() > left {
            characters.next();
        }
        let text: String = characters.collect();
        pattern.find_all(text.as_bytes()).next().is_some()
    }
}

//! Tables of answers: columns as wide as their widest cell, and a last column that is cut to fit.

use unicode_width::UnicodeWidthStr;

use crate::text::styled::{Styled, StyledText, Tone};
use crate::text::{clean, fit};

pub(super) struct Cell {
    text: String,
    is_right: bool,
    tone: Tone,
}

impl Cell {
    /// A text from the log is escaped.
    pub(super) fn left(text: impl AsRef<str>) -> Cell {
        Cell { text: clean(text.as_ref()), is_right: false, tone: Tone::Plain }
    }

    pub(super) fn right(text: impl AsRef<str>) -> Cell {
        Cell { is_right: true, ..Cell::left(text) }
    }

    pub(super) fn toned(self, tone: Tone) -> Cell {
        Cell { tone, ..self }
    }
}

#[derive(Default)]
pub(super) struct Table {
    rows: Vec<Vec<Cell>>,
}

impl Table {
    pub(super) fn row<const N: usize>(&mut self, cells: [Cell; N]) {
        self.rows.push(cells.into());
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(super) fn write(self, out: &mut StyledText, columns: usize) {
        let most = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widest =
            |column: usize| self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.text.width()).max();
        let widths: Vec<usize> = (0..most).map(|column| widest(column).unwrap_or(0)).collect();
        for row in self.rows {
            let (mut spans, mut used) = (Vec::new(), 0);
            let last = row.len().saturating_sub(1);
            for (column, cell) in row.into_iter().enumerate() {
                spans.push(Styled::from("  "));
                used += 2;
                let room = columns.saturating_sub(used).max(8);
                let text = if column == last { fit(&cell.text, room) } else { cell.text };
                let blanks = " ".repeat(widths[column].saturating_sub(text.width()));
                let text = match (cell.is_right, column == last) {
                    (true, _) => format!("{blanks}{text}"),
                    (false, true) => text,
                    (false, false) => format!("{text}{blanks}"),
                };
                used += text.width();
                spans.push(cell.tone.on(text));
            }
            out.spans(spans);
        }
    }
}

/// A part of a whole, rounded to three decimals.
pub(super) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { (part as f64 / whole as f64 * 1_000.0).round() / 1_000.0 }
}

/// A part of a whole in percent.
pub(super) fn percent(part: u64, whole: u64) -> String {
    let percent = if whole == 0 { 0.0 } else { part as f64 / whole as f64 * 100.0 };
    if percent > 0.0 && percent < 1.0 { "<1 %".to_owned() } else { format!("{percent:.0} %") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_the_last_one_is_cut() {
        let mut table = Table::default();
        table.row([Cell::right("7"), Cell::left("one"), Cell::left("a long text\u{1b}[2J")]);
        table.row([Cell::right("120"), Cell::left("t"), Cell::left("short")]);
        let mut text = StyledText::default();
        table.write(&mut text, 24);
        let lines: Vec<String> =
            text.lines().map(|spans| spans.iter().map(|span| span.text.as_str()).collect()).collect();
        assert_eq!(lines, ["    7  one  a long text…", "  120  t    short"]);
        assert_eq!((percent(1, 1_000), percent(1, 2), percent(0, 0)), ("<1 %".into(), "50 %".into(), "0 %".into()));
    }
}

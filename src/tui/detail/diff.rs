//! The Diff tab: the members in which two events differ, expected and actual, and drift separate from them.

use serde_json::Value;

use super::lines::{Join, TabLine, TabLines, Tint};
use crate::compare::member::Member;
use crate::compare::run::How;
use crate::json::pretty::pretty;
use crate::replay::Seq;
use crate::text::{clean, count, paragraph};
use unicode_width::UnicodeWidthStr;

/// How many characters of a very long value are shown, from shortly before the difference.
const VALUE_CHARACTERS: usize = 2000;
const BEFORE: usize = 20;
/// How many lines are shown of an event that only one log has; the other tabs show all of it.
const EVENT_LINES: usize = 500;

/// The content of one or several lines, before layout.
#[derive(Clone, Debug, PartialEq)]
enum DiffEntry {
    Head(Tint, String),
    /// A member with its expected and its actual value. Copying copies its path.
    Both {
        path: String,
        expected: String,
        actual: String,
        is_dim: bool,
    },
    Text(String),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct DiffTab {
    entries: Vec<DiffEntry>,
    columns: usize,
    /// Each line with the number of its entry.
    lines: Vec<(usize, TabLine)>,
}

impl DiffTab {
    pub(crate) fn of_pair(how: How, content: &[&Member], rest: &[&Member], dropped: u64) -> Self {
        let mut entries = Vec::new();
        if how == How::Same {
            entries.push(DiffEntry::Head(Tint::Strong, "both events are equal".to_owned()));
        }
        entries.extend(content.iter().map(|member| both(member, false)));
        if dropped > 0 {
            entries.push(DiffEntry::Head(Tint::Dim, format!("and {} more", count(dropped, "member"))));
        }
        if !rest.is_empty() {
            entries
                .push(DiffEntry::Head(Tint::Dim, "drift and generated names, not counted as differences".to_owned()));
            entries.extend(rest.iter().map(|member| both(member, true)));
        }
        DiffTab { entries, ..DiffTab::default() }
    }

    /// An event that only one log has, with its place in the other log.
    pub(crate) fn of_one(how: How, place: Option<Seq>, event: &[u8]) -> Self {
        let place = place.map_or_else(|| "at its end".to_owned(), |at| format!("before its event {at}"));
        let head = match how {
            How::OnlyLeft => format!("− expected, missing in the other log {place}"),
            _ => format!("+ only in the other log, not expected {place}"),
        };
        let mut entries = vec![DiffEntry::Head(Tint::Strong, head)];
        entries.extend(pretty(event).lines().take(EVENT_LINES).map(|line| DiffEntry::Text(line.to_owned())));
        DiffTab { entries, ..DiffTab::default() }
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    pub(crate) fn lay_out(&mut self, columns: usize) {
        self.columns = columns;
        self.lines.clear();
        for (number, entry) in self.entries.iter().enumerate() {
            let laid = match entry {
                DiffEntry::Head(tint, text) => {
                    let pieces = paragraph(text, columns).into_iter();
                    pieces.map(|piece| TabLine::at(0).with(*tint, piece)).collect()
                }
                DiffEntry::Text(text) => {
                    let indent = text.len() - text.trim_start().len();
                    let pieces = paragraph(text.trim_start(), columns.saturating_sub(indent).max(8)).into_iter();
                    pieces.map(|piece| TabLine::at(indent).with(Tint::Text, piece)).collect()
                }
                DiffEntry::Both { path, expected, actual, is_dim } => {
                    let mut laid = laid_both(path, expected, actual, columns);
                    laid.iter_mut().for_each(|line| line.is_dim = *is_dim);
                    laid
                }
            };
            self.lines.extend(laid.into_iter().map(|line| (number, line)));
        }
    }

    fn entry(&self, line: usize) -> Option<&DiffEntry> {
        self.lines.get(line).and_then(|(number, _)| self.entries.get(*number))
    }

    /// The path of the member under the cursor.
    pub(crate) fn path(&self, line: usize) -> Option<String> {
        match self.entry(line)? {
            DiffEntry::Both { path, .. } => Some(path.clone()),
            DiffEntry::Head(..) | DiffEntry::Text(_) => None,
        }
    }

    /// The text to copy from a line.
    pub(crate) fn text(&self, line: usize) -> Option<String> {
        Some(match self.entry(line)? {
            DiffEntry::Both { path, expected, actual, .. } => format!("{path}\nexpected {expected}\nactual   {actual}"),
            DiffEntry::Head(_, text) | DiffEntry::Text(text) => text.clone(),
        })
    }
}

fn both(member: &Member, is_dim: bool) -> DiffEntry {
    let text = |value: &Option<Value>| value.as_ref().map_or_else(|| "missing".to_owned(), Value::to_string);
    let (expected, actual) = from_the_difference_on(&text(&member.left), &text(&member.right));
    DiffEntry::Both { path: member.path.clone(), expected, actual, is_dim }
}

/// On one line if there is room, otherwise the path above both values, each in full.
fn laid_both(path: &str, expected: &str, actual: &str, columns: usize) -> Vec<TabLine> {
    let (path, one, two) = (clean(path), clean(expected), clean(actual));
    if path.width() + one.width() + two.width() + 5 <= columns {
        let line = TabLine::at(0).with(Tint::Key, path).with(Tint::Text, "  ").with(Tint::Expected, one);
        return vec![line.with(Tint::Dim, " → ").with(Tint::Actual, two)];
    }
    let mut lines: Vec<TabLine> =
        paragraph(&path, columns).into_iter().map(|piece| TabLine::at(0).with(Tint::Key, piece)).collect();
    for (lead, text, tint) in [("expected ", one, Tint::Expected), ("actual   ", two, Tint::Actual)] {
        let pieces = paragraph(&text, columns.saturating_sub(lead.len() + 2).max(8));
        for (row, piece) in pieces.into_iter().enumerate() {
            let lead = if row == 0 { lead } else { "         " };
            lines.push(TabLine::at(2).with(Tint::Dim, lead).with(tint, piece));
        }
    }
    lines
}

/// Two texts, from shortly before their difference if they are very long.
fn from_the_difference_on(one: &str, two: &str) -> (String, String) {
    let same = one.chars().zip(two.chars()).take_while(|(one, two)| one == two).count();
    let is_long = one.len().max(two.len()) > VALUE_CHARACTERS;
    let skipped = if is_long { same.saturating_sub(BEFORE) } else { 0 };
    let cut = |text: &str| {
        let mut characters = text.chars().skip(skipped);
        let shown: String = characters.by_ref().take(VALUE_CHARACTERS).collect();
        let (before, after) = (if skipped > 0 { "…" } else { "" }, if characters.next().is_some() { "…" } else { "" });
        format!("{before}{shown}{after}")
    };
    (cut(one), cut(two))
}

impl TabLines for DiffTab {
    fn count(&self) -> usize {
        self.lines.len()
    }

    fn line(&self, at: usize) -> TabLine {
        self.lines.get(at).map(|(_, line)| line.clone()).unwrap_or_default()
    }

    fn join(&self, _at: usize) -> Join {
        Join::Apart
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::replay::imprint::Class;

    fn shown(tab: &DiffTab) -> Vec<String> {
        let text = |line: TabLine| {
            let pieces: String = line.pieces.iter().map(|piece| piece.text.as_str()).collect();
            format!("{}{pieces}", " ".repeat(line.indent))
        };
        (0..tab.count()).map(|at| text(tab.line(at))).collect()
    }

    #[test]
    fn a_member_takes_one_line_or_three() {
        let member =
            Member { path: ".text".to_owned(), class: Class::Content, left: Some(json!("one\u{1b}[31m")), right: None };
        let mut tab = DiffTab::of_pair(How::Changed, &[&member], &[], 0);
        tab.lay_out(60);
        assert_eq!(shown(&tab), [r#".text  "one\u001b[31m" → missing"#]);
        assert_eq!(tab.path(0).as_deref(), Some(".text"));
        tab.lay_out(24);
        assert_eq!(shown(&tab)[0], ".text");
        assert!(shown(&tab)[1].starts_with("  expected \"one"), "{:?}", shown(&tab));
        assert!(shown(&tab).last().is_some_and(|line| line == "  actual   missing"));
    }

    #[test]
    fn long_values_begin_shortly_before_their_difference() {
        let (one, two) = (format!("{}x", "a".repeat(5000)), format!("{}y", "a".repeat(5000)));
        assert_eq!(from_the_difference_on(&one, &two).1, format!("…{}y", "a".repeat(20)));
        assert_eq!(from_the_difference_on("same", "some"), ("same".to_owned(), "some".to_owned()));
    }
}

//! The laid-out lines of a tab: drawn a few at a time, searched all at once.

use crate::replay::search::Pattern;

/// The role of a piece of a line. The theme decides how it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tint {
    Key,
    String,
    Scalar,
    Text,
    Dim,
    Strong,
    Error,
    Expected,
    Actual,
    Heading,
    Emphasis,
    /// Code within a sentence.
    Code,
    Keyword,
    Literal,
    Added,
    Removed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TintedText {
    pub tint: Tint,
    pub text: String,
}

/// One line, ready to be drawn. Its texts are escaped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TabLine {
    pub indent: usize,
    pub pieces: Vec<TintedText>,
    /// Drawn dim, such as messages after the playhead.
    pub is_dim: bool,
}

impl TabLine {
    pub(crate) fn at(indent: usize) -> Self {
        TabLine { indent, ..TabLine::default() }
    }

    #[must_use]
    pub(crate) fn with(mut self, tint: Tint, text: impl Into<String>) -> Self {
        self.push(tint, text);
        self
    }

    pub(crate) fn push(&mut self, tint: Tint, text: impl Into<String>) {
        let text = text.into();
        if !text.is_empty() {
            self.pieces.push(TintedText { tint, text });
        }
    }

    fn write(&self, out: &mut String) {
        self.pieces.iter().for_each(|piece| out.push_str(&piece.text));
    }
}

/// How a line continues the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Join {
    Apart,
    /// The same text, after a line break in the text.
    Break,
    /// The same text, wrapped because of the width.
    Wrap,
}

/// The part of a line that a search matched, in bytes of its text without the indent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HitSpan {
    pub line: usize,
    pub from: usize,
    pub to: usize,
    /// Whether a hit begins here; otherwise one continues.
    pub begins: bool,
}

/// How many places a search marks; if there are more, that is shown.
pub(crate) const MARKS_MOST: usize = 50_000;

pub(crate) trait TabLines {
    /// The number of lines.
    fn count(&self) -> usize;

    fn line(&self, at: usize) -> TabLine;

    fn join(&self, at: usize) -> Join;

    /// Whether the pattern matches in the text that a line omits.
    fn hides(&self, _at: usize, _pattern: &Pattern) -> bool {
        false
    }

    /// All matches of a pattern, in order.
    fn marks(&self, pattern: &Pattern) -> Vec<HitSpan> {
        let mut found = Vec::new();
        let mut text = String::new();
        // The lines of one text, each with the offset where it begins.
        let mut lines: Vec<(usize, usize)> = Vec::new();
        for at in 0..self.count() {
            match self.join(at) {
                Join::Apart => {
                    mark(&text, &lines, pattern, &mut found);
                    text.clear();
                    lines.clear();
                }
                Join::Break => text.push('\n'),
                Join::Wrap => {}
            }
            if found.len() >= MARKS_MOST {
                return found;
            }
            lines.push((at, text.len()));
            self.line(at).write(&mut text);
            if self.hides(at, pattern) {
                found.push(HitSpan {
                    line: at,
                    from: 0,
                    to: text.len() - lines.last().map_or(0, |last| last.1),
                    begins: true,
                });
            }
        }
        mark(&text, &lines, pattern, &mut found);
        found
    }
}

fn mark(text: &str, lines: &[(usize, usize)], pattern: &Pattern, found: &mut Vec<HitSpan>) {
    for range in pattern.find_all(text.as_bytes()) {
        let first = lines.partition_point(|(_, from)| *from <= range.start).saturating_sub(1);
        for (number, (line, from)) in lines.iter().enumerate().skip(first) {
            let end = lines.get(number + 1).map_or(text.len(), |next| next.1);
            if *from >= range.end || found.len() >= MARKS_MOST {
                break;
            }
            let (begin, end) = (range.start.max(*from) - from, range.end.min(end) - from);
            found.push(HitSpan { line: *line, from: begin, to: end, begins: number == first });
        }
    }
}

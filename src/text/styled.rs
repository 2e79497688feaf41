//! Styled text: lines of spans with a tone each. Each front end chooses its own colours.

use crate::replay::check::Severity;

/// What a span is, not how it looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tone {
    #[default]
    Plain,
    Strong,
    Dim,
    Good,
    Bad,
    Name,
    Of(Severity),
}

/// A piece of a line in one tone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Styled {
    pub tone: Tone,
    pub text: String,
}

impl Tone {
    pub(crate) fn on(self, text: impl Into<String>) -> Styled {
        Styled { tone: self, text: text.into() }
    }
}

impl<T: Into<String>> From<T> for Styled {
    fn from(text: T) -> Styled {
        Tone::Plain.on(text)
    }
}

/// Lines to display. Text from a log must be cleaned before it is added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StyledText {
    lines: Vec<Vec<Styled>>,
}

impl StyledText {
    /// Adds a line.
    pub(crate) fn line<const N: usize>(&mut self, spans: [Styled; N]) {
        self.lines.push(spans.into());
    }

    /// Adds a line of any number of spans.
    pub(crate) fn spans(&mut self, spans: Vec<Styled>) {
        self.lines.push(spans);
    }

    /// Adds a plain text, which may have several lines.
    pub(crate) fn plain(&mut self, text: &str) {
        self.lines.extend(text.split('\n').map(|line| vec![line.into()]));
    }

    /// Adds an empty line and the title of a section.
    pub(crate) fn section(&mut self, title: &str) {
        self.lines.push(Vec::new());
        self.lines.push(vec![Tone::Strong.on(title)]);
    }

    pub(crate) fn lines(&self) -> impl Iterator<Item = &[Styled]> {
        self.lines.iter().map(Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_follows_an_empty_line() {
        let mut text = StyledText::default();
        text.line(["  ".into(), Tone::Good.on("✓")]);
        text.section("effects");
        text.plain("  none\n  at all");
        let lines: Vec<String> =
            text.lines().map(|spans| spans.iter().map(|span| span.text.as_str()).collect()).collect();
        assert_eq!(lines, ["  ✓", "", "effects", "  none", "  at all"]);
    }
}

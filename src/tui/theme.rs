//! Colours of the screen by role: the sixteen colours of the terminal on its own background, always with a glyph. Those of
//! the commands are in `cli::paint`.

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;

use super::glyph;
use crate::replay::caption::Outcome;
use crate::replay::check::Severity;
use crate::replay::vocabulary::Concern;

/// What a piece of the screen is. Each meaning has one colour, everywhere: green is good and expected, red is wrong,
/// magenta is what was there instead, yellow is suspicious, cyan names things and shows the focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScreenRole {
    Text,
    Dim,
    Strong,
    Name,
    /// A text of the log.
    Written,
    Number,
    Changed,
    Key,
    Border,
    Focus,
    /// The selection, and the event under the playhead.
    Selected,
    /// Where the playhead is, while another pane has the focus.
    Here,
    Mark,
    /// What a search has found.
    Hit,
    Good,
    Bad,
    Expected,
    Actual,
    // Texts that are read: Markdown, code and changes of files.
    Heading,
    Emphasis,
    Code,
    Keyword,
    Literal,
    Added,
    Removed,
    Finding(Severity),
    Outcome(Outcome),
    Concern(Option<Concern>),
}

/// The palettes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Palette {
    #[default]
    Default,
    /// Bright colours, nothing dim.
    HighContrast,
    /// Only bold, dim and reversed.
    Plain,
}

impl Palette {
    pub(crate) const ALL: [(&'static str, Palette); 3] =
        [("default", Palette::Default), ("high-contrast", Palette::HighContrast), ("none", Palette::Plain)];

    pub(crate) fn by_name(name: &str) -> Option<Palette> {
        Palette::ALL.iter().find(|known| known.0 == name).map(|known| known.1)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Theme {
    pub palette: Palette,
    /// Only ASCII glyphs, for fonts and terminals without others.
    pub ascii: bool,
}

impl Theme {
    pub(crate) fn style(self, role: ScreenRole) -> Style {
        let (colour, modifier) = look(role);
        match self.palette {
            Palette::Default => Style::default().fg(colour).add_modifier(modifier),
            Palette::HighContrast => {
                let bold = if colour == Color::Reset { Modifier::empty() } else { Modifier::BOLD };
                Style::default().fg(bright(colour)).add_modifier((modifier - Modifier::DIM) | bold)
            }
            Palette::Plain => Style::default().add_modifier(modifier | in_place_of_colour(role)),
        }
    }
}

fn look(role: ScreenRole) -> (Color, Modifier) {
    const NONE: Modifier = Modifier::empty();
    match role {
        ScreenRole::Text | ScreenRole::Written => (Color::Reset, NONE),
        ScreenRole::Dim | ScreenRole::Border | ScreenRole::Finding(Severity::Info) => (Color::Reset, Modifier::DIM),
        ScreenRole::Strong | ScreenRole::Key | ScreenRole::Changed => (Color::Reset, Modifier::BOLD),
        ScreenRole::Name => (Color::Cyan, NONE),
        ScreenRole::Number => (Color::Blue, NONE),
        ScreenRole::Focus => (Color::Cyan, Modifier::BOLD),
        ScreenRole::Selected => (Color::Reset, Modifier::REVERSED),
        ScreenRole::Here => (Color::Reset, Modifier::BOLD),
        ScreenRole::Mark => (Color::Blue, Modifier::BOLD),
        ScreenRole::Hit => (Color::Yellow, Modifier::REVERSED),
        ScreenRole::Good | ScreenRole::Expected | ScreenRole::Outcome(Outcome::Success) => (Color::Green, NONE),
        ScreenRole::Bad | ScreenRole::Finding(Severity::Error) => (Color::Red, NONE),
        ScreenRole::Outcome(Outcome::Error | Outcome::Denied | Outcome::Timeout) => (Color::Red, NONE),
        ScreenRole::Actual => (Color::Magenta, NONE),
        ScreenRole::Heading => (Color::Cyan, Modifier::BOLD),
        ScreenRole::Emphasis => (Color::Reset, Modifier::ITALIC),
        ScreenRole::Code | ScreenRole::Literal => (Color::Blue, NONE),
        ScreenRole::Keyword => (Color::Magenta, NONE),
        ScreenRole::Added => (Color::Green, NONE),
        ScreenRole::Removed => (Color::Red, NONE),
        ScreenRole::Finding(Severity::Warning) | ScreenRole::Outcome(Outcome::Running) => (Color::Yellow, NONE),
        ScreenRole::Finding(Severity::Critical) => (Color::Red, Modifier::BOLD.union(Modifier::REVERSED)),
        ScreenRole::Concern(Some(Concern::Model | Concern::User)) => (Color::Cyan, NONE),
        ScreenRole::Concern(Some(Concern::Background)) => (Color::Reset, Modifier::DIM),
        ScreenRole::Concern(Some(_)) => (Color::Reset, NONE),
        ScreenRole::Concern(None) => (Color::Red, NONE),
    }
}

/// The modifier that replaces a colour if there are no colours.
fn in_place_of_colour(role: ScreenRole) -> Modifier {
    match role {
        ScreenRole::Finding(Severity::Error) | ScreenRole::Bad | ScreenRole::Mark => Modifier::BOLD,
        ScreenRole::Outcome(outcome) if outcome.is_failure() => Modifier::BOLD,
        ScreenRole::Actual => Modifier::UNDERLINED,
        _ => Modifier::empty(),
    }
}

fn bright(colour: Color) -> Color {
    match colour {
        // Bright colours are pale on a light background, so only these two are changed; bold does the rest.
        Color::Blue => Color::LightBlue,
        Color::Red => Color::LightRed,
        other => other,
    }
}

/// A selected line is one bar over the whole width: one style, whatever its parts look like elsewhere.
pub(crate) fn selected(line: Line<'static>, is_selected: bool, width: usize) -> Line<'static> {
    if !is_selected {
        return line;
    }
    let blanks = " ".repeat(width.saturating_sub(line.width()));
    let text: String = line.spans.iter().map(|span| span.content.as_ref()).chain([blanks.as_str()]).collect();
    Line::styled(text, Style::default().add_modifier(Modifier::REVERSED))
}

/// Replaces the screen's own glyphs by ASCII.
pub(crate) fn in_ascii(buffer: &mut Buffer) {
    for cell in buffer.content.iter_mut().filter(|cell| !cell.symbol().is_ascii()) {
        if let Some(ascii) = glyph::in_ascii(cell.symbol()) {
            cell.set_symbol(ascii);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_role_works_without_colours() {
        let plain = Theme { palette: Palette::Plain, ascii: false };
        for role in [
            ScreenRole::Name,
            ScreenRole::Focus,
            ScreenRole::Finding(Severity::Error),
            ScreenRole::Concern(None),
            ScreenRole::Actual,
            ScreenRole::Mark,
        ] {
            assert_eq!(plain.style(role).fg, None, "{role:?}");
        }
    }

    #[test]
    fn high_contrast_has_nothing_dim() {
        let theme = Theme { palette: Palette::HighContrast, ascii: false };
        assert!(!theme.style(ScreenRole::Dim).add_modifier.contains(Modifier::DIM));
    }
}

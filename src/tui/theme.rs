//! Colours of the screen by role: the sixteen colours of the terminal on its own background, always with a glyph. Those of
//! the commands are in `cli::paint`.

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

use crate::replay::check::Severity;
use crate::replay::vocabulary::LaneId;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScreenRole {
    Text,
    Dim,
    Strong,
    Name,
    /// Text from the log.
    Written,
    Number,
    Changed,
    Key,
    Border,
    Focus,
    Playhead,
    Mark,
    Good,
    Finding(Severity),
    Lane(Option<LaneId>),
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
    match role {
        ScreenRole::Text => (Color::Reset, Modifier::empty()),
        ScreenRole::Dim | ScreenRole::Border => (Color::Reset, Modifier::DIM),
        ScreenRole::Strong | ScreenRole::Key => (Color::Reset, Modifier::BOLD),
        ScreenRole::Name => (Color::Cyan, Modifier::empty()),
        ScreenRole::Written => (Color::Green, Modifier::empty()),
        ScreenRole::Number => (Color::Magenta, Modifier::empty()),
        ScreenRole::Changed => (Color::Green, Modifier::BOLD),
        ScreenRole::Focus => (Color::Cyan, Modifier::BOLD),
        ScreenRole::Playhead => (Color::Reset, Modifier::REVERSED),
        ScreenRole::Mark => (Color::Magenta, Modifier::BOLD),
        ScreenRole::Good => (Color::Green, Modifier::empty()),
        ScreenRole::Finding(Severity::Info) => (Color::Blue, Modifier::empty()),
        ScreenRole::Finding(Severity::Warning) => (Color::Yellow, Modifier::empty()),
        ScreenRole::Finding(Severity::Error) => (Color::Red, Modifier::empty()),
        ScreenRole::Finding(Severity::Critical) => (Color::Magenta, Modifier::BOLD),
        ScreenRole::Lane(lane) => (lane_colour(lane), Modifier::empty()),
    }
}

/// The modifier that replaces a colour if there are no colours.
fn in_place_of_colour(role: ScreenRole) -> Modifier {
    match role {
        ScreenRole::Finding(Severity::Error | Severity::Critical) | ScreenRole::Focus | ScreenRole::Mark => {
            Modifier::BOLD
        }
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

fn lane_colour(lane: Option<LaneId>) -> Color {
    const COLOURS: [Color; 6] = [Color::Blue, Color::Cyan, Color::Green, Color::Yellow, Color::Magenta, Color::Reset];
    lane.map_or(Color::Red, |lane| COLOURS[lane.0 as usize % COLOURS.len()])
}

/// A glyph for each lane, so that it is readable without colour.
pub(crate) fn lane_glyph(lane: Option<LaneId>) -> &'static str {
    const GLYPHS: [&str; 6] = ["◆", "■", "○", "▲", "≡", "·"];
    lane.map_or("✗", |lane| GLYPHS[lane.0 as usize % GLYPHS.len()])
}

/// A selected line is reversed over the whole width.
pub(crate) fn selected(mut line: Line<'static>, is_selected: bool, width: usize) -> Line<'static> {
    if !is_selected {
        return line;
    }
    line.push_span(Span::raw(" ".repeat(width.saturating_sub(line.width()))));
    line.patch_style(Modifier::REVERSED)
}

/// Every glyph that the screen draws itself, with its ASCII replacement of the same width.
const IN_ASCII: [(&str, &str); 52] = [
    ("✎", "%"),
    ("▶", ">"),
    ("▷", ">"),
    ("—", "-"),
    ("◀", "<"),
    ("▼", "v"),
    ("▾", "v"),
    ("▸", ">"),
    ("✗", "x"),
    ("✓", "+"),
    ("‼", "X"),
    ("·", "."),
    ("…", "~"),
    ("→", ">"),
    ("←", "<"),
    ("↵", "/"),
    ("−", "-"),
    ("≠", "#"),
    ("≈", "~"),
    ("★", "*"),
    ("●", "@"),
    ("○", "o"),
    ("◆", "m"),
    ("◇", "c"),
    ("■", "t"),
    ("▲", "g"),
    ("≡", "="),
    ("┊", "|"),
    ("─", "-"),
    ("━", "="),
    ("│", "|"),
    ("┬", "+"),
    ("┌", "+"),
    ("┐", "+"),
    ("└", "+"),
    ("┘", "+"),
    ("├", "+"),
    ("┤", "+"),
    ("╭", "+"),
    ("╮", "+"),
    ("╰", "+"),
    ("╯", "+"),
    ("▁", "_"),
    ("▂", "_"),
    ("▃", "."),
    ("▄", "."),
    ("▅", "-"),
    ("▆", "-"),
    ("▇", "="),
    ("█", "#"),
    ("×", "x"),
    ("≤", "<"),
];

/// Replaces the screen's own glyphs by ASCII. Text from the log keeps its characters.
pub(crate) fn in_ascii(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if let Some((_, ascii)) = IN_ASCII.iter().find(|(glyph, _)| *glyph == cell.symbol()) {
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
            ScreenRole::Lane(None),
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

//! Colours by role: the terminal's own sixteen on its own background, and a glyph beside every colour.

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};

use crate::replay::check::Severity;
use crate::replay::vocabulary::LaneId;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
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
    Playhead,
    Mark,
    Good,
    Finding(Severity),
    Lane(Option<LaneId>),
}

/// Which colours there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Palette {
    #[default]
    Default,
    /// Nothing dim, the bright colours, bold where it matters.
    HighContrast,
    /// Bold, dim and reversed only.
    Plain,
}

impl Palette {
    pub const ALL: [(&'static str, Palette); 3] =
        [("default", Palette::Default), ("high-contrast", Palette::HighContrast), ("none", Palette::Plain)];

    pub fn by_name(name: &str) -> Option<Palette> {
        Palette::ALL.iter().find(|known| known.0 == name).map(|known| known.1)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Theme {
    pub palette: Palette,
    /// No glyph outside ASCII, for fonts and terminals that have none.
    pub ascii: bool,
}

impl Theme {
    pub fn style(self, role: Role) -> Style {
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

fn look(role: Role) -> (Color, Modifier) {
    match role {
        Role::Text => (Color::Reset, Modifier::empty()),
        Role::Dim | Role::Border => (Color::Reset, Modifier::DIM),
        Role::Strong | Role::Key => (Color::Reset, Modifier::BOLD),
        Role::Name => (Color::Cyan, Modifier::empty()),
        Role::Written => (Color::Green, Modifier::empty()),
        Role::Number => (Color::Magenta, Modifier::empty()),
        Role::Changed => (Color::Green, Modifier::BOLD),
        Role::Focus => (Color::Cyan, Modifier::BOLD),
        Role::Playhead => (Color::Reset, Modifier::REVERSED),
        Role::Mark => (Color::Magenta, Modifier::BOLD),
        Role::Good => (Color::Green, Modifier::empty()),
        Role::Finding(Severity::Info) => (Color::Blue, Modifier::empty()),
        Role::Finding(Severity::Warning) => (Color::Yellow, Modifier::empty()),
        Role::Finding(Severity::Error) => (Color::Red, Modifier::empty()),
        Role::Finding(Severity::Critical) => (Color::Magenta, Modifier::BOLD),
        Role::Lane(lane) => (lane_colour(lane), Modifier::empty()),
    }
}

/// What must stand out where colours cannot.
fn in_place_of_colour(role: Role) -> Modifier {
    match role {
        Role::Finding(Severity::Error | Severity::Critical) | Role::Focus | Role::Mark => Modifier::BOLD,
        _ => Modifier::empty(),
    }
}

fn bright(colour: Color) -> Color {
    match colour {
        // On a light background the bright ones are the pale ones; bold does the rest there.
        Color::Blue => Color::LightBlue,
        Color::Red => Color::LightRed,
        other => other,
    }
}

fn lane_colour(lane: Option<LaneId>) -> Color {
    const COLOURS: [Color; 6] = [Color::Blue, Color::Cyan, Color::Green, Color::Yellow, Color::Magenta, Color::Reset];
    lane.map_or(Color::Red, |lane| COLOURS[lane.0 as usize % COLOURS.len()])
}

/// A sign for a lane of the timeline, so that it reads without its colour.
pub fn lane_glyph(lane: Option<LaneId>) -> &'static str {
    const GLYPHS: [&str; 6] = ["◆", "■", "○", "▲", "≡", "·"];
    lane.map_or("✗", |lane| GLYPHS[lane.0 as usize % GLYPHS.len()])
}

/// Every glyph that the screen draws of its own accord, and what stands for it in ASCII. One cell for one cell.
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

/// Puts ASCII in the place of every glyph of ours. Texts of the log keep what they say in other scripts.
pub fn in_ascii(buffer: &mut Buffer) {
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
    fn every_role_reads_without_colours() {
        let plain = Theme { palette: Palette::Plain, ascii: false };
        for role in [Role::Name, Role::Focus, Role::Finding(Severity::Error), Role::Lane(None), Role::Mark] {
            assert_eq!(plain.style(role).fg, None, "{role:?}");
        }
    }

    #[test]
    fn nothing_is_dim_where_contrast_is_high() {
        let theme = Theme { palette: Palette::HighContrast, ascii: false };
        assert!(!theme.style(Role::Dim).add_modifier.contains(Modifier::DIM));
    }
}

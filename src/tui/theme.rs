//! Colours by role: the terminal's own sixteen on its own background, and a glyph beside every colour.

use ratatui::style::{Color, Modifier, Style};

use crate::replay::check::Severity;
use crate::replay::vocabulary::LaneId;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Text,
    Dim,
    Strong,
    Name,
    /// A text of the log between quotes.
    Written,
    /// A number of the log, or a word such as `true`.
    Number,
    Changed,
    Key,
    Border,
    Focus,
    Playhead,
    Good,
    Finding(Severity),
    Lane(Option<LaneId>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    pub colours: bool,
}

impl Theme {
    pub fn style(self, role: Role) -> Style {
        let plain = Style::default();
        let (colour, modifier) = match role {
            Role::Text => (Color::Reset, Modifier::empty()),
            Role::Dim | Role::Border => (Color::Reset, Modifier::DIM),
            Role::Strong => (Color::Reset, Modifier::BOLD),
            Role::Name => (Color::Cyan, Modifier::empty()),
            Role::Written => (Color::Green, Modifier::empty()),
            Role::Number => (Color::Magenta, Modifier::empty()),
            Role::Changed => (Color::Green, Modifier::BOLD),
            Role::Key => (Color::Reset, Modifier::BOLD),
            Role::Focus => (Color::Cyan, Modifier::BOLD),
            Role::Playhead => (Color::Reset, Modifier::REVERSED),
            Role::Good => (Color::Green, Modifier::empty()),
            Role::Finding(Severity::Info) => (Color::Blue, Modifier::empty()),
            Role::Finding(Severity::Warning) => (Color::Yellow, Modifier::empty()),
            Role::Finding(Severity::Error) => (Color::Red, Modifier::empty()),
            Role::Finding(Severity::Critical) => (Color::Magenta, Modifier::BOLD),
            Role::Lane(lane) => (lane_colour(lane), Modifier::empty()),
        };
        let coloured = if self.colours { plain.fg(colour) } else { plain };
        coloured.add_modifier(modifier)
    }
}

fn lane_colour(lane: Option<LaneId>) -> Color {
    const COLOURS: [Color; 6] = [Color::Blue, Color::Cyan, Color::Green, Color::Yellow, Color::Magenta, Color::Reset];
    lane.map_or(Color::Red, |lane| COLOURS[lane.0 as usize % COLOURS.len()])
}

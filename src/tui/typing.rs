//! What a person types: prompts of one line with history and completion, and texts of several lines.

use ratatui::style::{Modifier, Style};
use tui_textarea::{CursorMove, TextArea};

use crate::replay::Seq;

/// What a prompt is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    Search,
    /// Within the event that is shown.
    SearchWithin,
    Command,
    /// What to stop at.
    Break,
    /// The name of the minimized log.
    Minimized,
    /// The folder of a pack.
    Pack,
    /// What else is hidden in a pack.
    Pattern,
}

impl Asks {
    /// What stands before the text.
    pub const fn lead(self) -> &'static str {
        match self {
            Asks::Search => "/",
            Asks::SearchWithin => "in this event /",
            Asks::Command => ":",
            Asks::Break => "stop at: ",
            Asks::Minimized => "save the minimized log as: ",
            Asks::Pack => "write the pack into: ",
            Asks::Pattern => "also hide what matches: ",
        }
    }
}

/// One line.
pub struct Prompt {
    pub asks: Asks,
    pub text: TextArea<'static>,
    /// What Tab goes through, and which of them stands in the line.
    pub offers: Option<(Vec<String>, usize)>,
    /// Why what stands there cannot be done.
    pub trouble: Option<String>,
    /// How far back in the history the line is.
    pub back: usize,
    /// What stood in the line before somebody looked into the history.
    typed: String,
}

impl Prompt {
    pub fn new(asks: Asks) -> Self {
        Prompt { asks, text: line(""), offers: None, trouble: None, back: 0, typed: String::new() }
    }

    pub fn typed(&self) -> String {
        self.text.lines().join(" ")
    }

    pub fn set(&mut self, text: &str) {
        self.text = line(text);
    }

    /// Goes through what was typed before.
    pub fn recall(&mut self, history: &History, older: bool) {
        if self.back == 0 {
            self.typed = self.typed();
        }
        let wanted = if older { self.back + 1 } else { self.back.saturating_sub(1) };
        let text = match wanted {
            0 => Some(self.typed.clone()),
            back => history.back(back).map(str::to_owned),
        };
        if let Some(text) = text {
            self.back = wanted;
            self.set(&text);
        }
    }
}

fn line(text: &str) -> TextArea<'static> {
    let mut area = TextArea::new(vec![text.to_owned()]);
    area.set_cursor_line_style(Style::default());
    area.move_cursor(CursorMove::End);
    area
}

/// What a text is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A bookmark to be set here.
    NewNote(Seq),
    /// The note of a bookmark that there is.
    Note(String),
    /// The JSON of an event, for a what-if.
    Event(Seq),
}

/// Several lines.
pub struct Editor {
    pub purpose: Purpose,
    pub title: String,
    pub text: TextArea<'static>,
    /// Why what stands there cannot be kept.
    pub trouble: Option<String>,
    /// What stood there at first.
    begun: String,
}

impl Editor {
    pub fn new(purpose: Purpose, title: String, text: &str) -> Self {
        let mut area = TextArea::new(text.split('\n').map(str::to_owned).collect());
        area.set_cursor_line_style(Style::default());
        area.set_cursor_style(Style::default().add_modifier(Modifier::REVERSED));
        area.set_tab_length(2);
        if !matches!(purpose, Purpose::Event(_)) {
            area.move_cursor(CursorMove::Bottom);
            area.move_cursor(CursorMove::End);
        }
        Editor { purpose, title, text: area, trouble: None, begun: text.to_owned() }
    }

    pub fn typed(&self) -> String {
        self.text.lines().join("\n")
    }

    pub fn is_changed(&self) -> bool {
        self.typed() != self.begun
    }

    /// Whether Enter keeps the text: in JSON it is a line break like any other.
    pub fn ends_with_enter(&self) -> bool {
        !matches!(self.purpose, Purpose::Event(_))
    }
}

/// A text that was left before it was kept: it is there again when it is edited again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    pub purpose: Purpose,
    pub text: String,
}

/// What was typed, the last at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    lines: Vec<String>,
}

impl History {
    const MOST: usize = 200;

    pub fn add(&mut self, line: &str) {
        self.lines.retain(|known| known != line);
        self.lines.push(line.to_owned());
        if self.lines.len() > Self::MOST {
            self.lines.remove(0);
        }
    }

    /// The one so many lines ago, counted from one.
    pub fn back(&self, back: usize) -> Option<&str> {
        self.lines.len().checked_sub(back).and_then(|at| self.lines.get(at)).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_goes_back_and_returns_to_what_was_typed() {
        let mut history = History::default();
        for line in ["one", "two", "one"] {
            history.add(line);
        }
        let mut prompt = Prompt::new(Asks::Command);
        prompt.set("new");
        let mut seen = Vec::new();
        for older in [true, true, true, false, false, false] {
            prompt.recall(&history, older);
            seen.push(prompt.typed());
        }
        assert_eq!(seen, ["one", "two", "two", "one", "new", "new"]);
    }
}

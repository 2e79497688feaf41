//! Text input: prompts of one line with history and completion, and an editor of several lines.

use ratatui::style::{Modifier, Style};
use tui_textarea::{CursorMove, TextArea};

use crate::replay::Seq;

/// What a prompt asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PromptKind {
    Search,
    /// A search within the shown event.
    SearchWithin,
    Command,
    /// What to do, in the palette.
    Palette,
    /// The place of a breakpoint.
    Break,
    /// The name of the minimized log.
    Minimized,
    /// The name of the repaired session.
    Repaired,
    /// The folder of a crashpack.
    Pack,
    /// A pattern to mask in a crashpack.
    Pattern,
}

impl PromptKind {
    /// The label before the text.
    pub(crate) const fn lead(self) -> &'static str {
        match self {
            PromptKind::Search => "/",
            PromptKind::SearchWithin => "in this event /",
            PromptKind::Command => ":",
            PromptKind::Palette => "what: ",
            PromptKind::Break => "stop at: ",
            PromptKind::Minimized => "save the minimized log as: ",
            PromptKind::Repaired => "write the repaired copy as: ",
            PromptKind::Pack => "write the pack into: ",
            PromptKind::Pattern => "also mask what matches: ",
        }
    }
}

/// A prompt of one line.
pub(crate) struct Prompt {
    pub kind: PromptKind,
    pub text: TextArea<'static>,
    /// The completions that Tab goes through, and the current one.
    pub offers: Option<(Vec<String>, usize)>,
    /// Why the text was not accepted.
    pub trouble: Option<String>,
    /// The selected row of the palette.
    pub row: usize,
    /// How far back in the history the line is.
    pub back: usize,
    /// The text before the user went back in the history.
    typed: String,
}

impl Prompt {
    pub(crate) fn new(kind: PromptKind) -> Self {
        Prompt { kind, text: line(""), offers: None, trouble: None, row: 0, back: 0, typed: String::new() }
    }

    pub(crate) fn typed(&self) -> String {
        self.text.lines().join(" ")
    }

    pub(crate) fn set(&mut self, text: &str) {
        self.text = line(text);
    }

    /// Recalls an older or newer line of the history.
    pub(crate) fn recall(&mut self, history: &PromptHistory, older: bool) {
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

/// The purpose of an editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The note of a new bookmark.
    NewNote(Seq),
    /// The note of an existing bookmark.
    Note(String),
    /// The JSON of an event, for a what-if.
    Event(Seq),
}

/// An editor of several lines.
pub(crate) struct Editor {
    pub purpose: Purpose,
    pub title: String,
    pub text: TextArea<'static>,
    /// Why the text was not accepted.
    pub trouble: Option<String>,
    /// The text at the beginning.
    begun: String,
}

impl Editor {
    pub(crate) fn new(purpose: Purpose, title: String, text: &str) -> Self {
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

    pub(crate) fn typed(&self) -> String {
        self.text.lines().join("\n")
    }

    pub(crate) fn is_changed(&self) -> bool {
        self.typed() != self.begun
    }

    /// Whether Enter saves the text. In JSON it starts a new line.
    pub(crate) fn ends_with_enter(&self) -> bool {
        !matches!(self.purpose, Purpose::Event(_))
    }
}

/// An unsaved text. It comes back when the user edits the same thing again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Draft {
    pub purpose: Purpose,
    pub text: String,
}

/// Lines that were typed, the latest at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PromptHistory {
    lines: Vec<String>,
}

impl PromptHistory {
    const MOST: usize = 200;

    pub(crate) fn add(&mut self, line: &str) {
        self.lines.retain(|known| known != line);
        self.lines.push(line.to_owned());
        if self.lines.len() > Self::MOST {
            self.lines.remove(0);
        }
    }

    /// The line this many entries ago, counted from 1.
    pub(crate) fn back(&self, back: usize) -> Option<&str> {
        self.lines.len().checked_sub(back).and_then(|at| self.lines.get(at)).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_goes_back_and_returns_to_the_typed_line() {
        let mut history = PromptHistory::default();
        for line in ["one", "two", "one"] {
            history.add(line);
        }
        let mut prompt = Prompt::new(PromptKind::Command);
        prompt.set("new");
        let mut seen = Vec::new();
        for older in [true, true, true, false, false, false] {
            prompt.recall(&history, older);
            seen.push(prompt.typed());
        }
        assert_eq!(seen, ["one", "two", "two", "one", "new", "new"]);
    }
}

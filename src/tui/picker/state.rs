//! The state of the session picker: what was typed, what fits, what is selected.

use std::path::PathBuf;
use std::time::SystemTime;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::keys::{PickerAction, Step, action_of};
use crate::picker::fill::Details;
use crate::picker::list::{Listed, SessionList};
use crate::text::fuzzy::FuzzyPattern;
use crate::tui::key;
use crate::tui::theme::Theme;

/// Longer searches come from a paste.
const QUERY_CHARACTERS: usize = 128;
const PAGE_ROWS: usize = 10;

/// What the user has chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    Session(PathBuf),
    Demo,
    Quit,
}

pub(crate) struct Picker {
    pub list: SessionList,
    pub theme: Theme,
    /// Why the last choice could not be opened, or another notice.
    pub message: Option<String>,
    /// The time that ages are counted from.
    pub now: SystemTime,
    query: String,
    pattern: FuzzyPattern,
    /// The numbers of the sessions that fit, in the order of the screen.
    shown: Vec<usize>,
    /// The selected row.
    at: usize,
}

impl Picker {
    pub(crate) fn new(list: SessionList, theme: Theme, now: SystemTime) -> Picker {
        let (query, pattern) = (String::new(), FuzzyPattern::default());
        let mut picker = Picker { list, theme, message: None, now, query, pattern, shown: Vec::new(), at: 0 };
        picker.search();
        picker
    }

    pub(crate) fn query(&self) -> &str {
        &self.query
    }

    pub(crate) fn pattern(&self) -> &FuzzyPattern {
        &self.pattern
    }

    pub(crate) fn shown(&self) -> &[usize] {
        &self.shown
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn selected(&self) -> Option<Listed<'_>> {
        self.shown.get(self.at).and_then(|number| self.list.get(*number))
    }

    /// Takes in what was read. Returns whether there was anything.
    pub(crate) fn learn(&mut self, news: impl Iterator<Item = (usize, Details)>) -> bool {
        let mut is_new = false;
        for (number, details) in news {
            self.list.learn(number, details);
            is_new = true;
        }
        if is_new {
            let selected = self.shown.get(self.at).copied().filter(|_| self.at > 0);
            self.search();
            // A selection stays on its session, and at the top if the user has not moved it.
            let again = selected.and_then(|number| self.shown.iter().position(|shown| *shown == number));
            self.at = again.unwrap_or(self.at.min(self.shown.len().saturating_sub(1)));
        }
        is_new
    }

    fn search(&mut self) {
        self.shown = self.list.search(&self.pattern);
    }

    /// Handles a key. Returns the action of the table, if it has one; other keys are typed.
    pub(crate) fn press(&mut self, key: KeyEvent) -> Option<PickerAction> {
        if key.kind == KeyEventKind::Release {
            return None;
        }
        self.message = None;
        let action = action_of(&key::name(key));
        if let KeyCode::Char(letter) = key.code
            && action.is_none()
            && !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT)
        {
            self.change(|query| query.push(letter));
        }
        action
    }

    pub(crate) fn paste(&mut self, text: &str) -> Option<PickerAction> {
        self.change(|query| query.push_str(text));
        None
    }

    /// Does what a key of the table says. Returns the choice, if it was one. Suspending is up to the caller.
    pub(crate) fn act(&mut self, action: PickerAction) -> Option<Choice> {
        match action {
            PickerAction::Open => return self.selected().map(|listed| Choice::Session(listed.file.path.clone())),
            PickerAction::Demo => return Some(Choice::Demo),
            PickerAction::Quit => return Some(Choice::Quit),
            PickerAction::Move(step) => self.step(step),
            PickerAction::DeleteLetter => self.change(|query| {
                query.pop();
            }),
            PickerAction::DeleteWord => self.change(|query| {
                let kept = query.trim_end().rfind(' ').map_or(0, |blank| blank + 1);
                query.truncate(kept);
            }),
            PickerAction::Clear => self.change(String::clear),
            PickerAction::Suspend => {}
        }
        None
    }

    fn change(&mut self, edit: impl FnOnce(&mut String)) {
        edit(&mut self.query);
        self.query = self.query.chars().filter(|letter| !letter.is_control()).take(QUERY_CHARACTERS).collect();
        self.pattern = FuzzyPattern::new(&self.query);
        self.at = 0;
        self.search();
    }

    fn step(&mut self, step: Step) {
        let last = self.shown.len().saturating_sub(1);
        self.at = match step {
            Step::Next => self.at + 1,
            Step::Previous => self.at.saturating_sub(1),
            Step::PageDown => self.at + PAGE_ROWS,
            Step::PageUp => self.at.saturating_sub(PAGE_ROWS),
            Step::First => 0,
            Step::Last => last,
        }
        .min(last);
    }
}

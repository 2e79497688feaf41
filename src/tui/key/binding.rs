//! A row of the table of keys, and the context in which it applies.

use crate::tui::action::{Action, Pane};

/// Where a binding applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyContext {
    Everywhere,
    Pane(Pane),
    /// In a list that is open over the panes.
    List,
    /// In a text that is open over the panes.
    Text,
    /// In the export review.
    Export,
    /// In a prompt or an editor. Every other key is text there.
    Typing,
}

impl KeyContext {
    /// The name for help texts, or nothing for keys that apply everywhere.
    pub(crate) fn name(self) -> String {
        match self {
            KeyContext::Everywhere => String::new(),
            KeyContext::Pane(pane) => format!("in {}: ", pane.name()),
            KeyContext::List => "in a list: ".to_owned(),
            KeyContext::Text => "in a text: ".to_owned(),
            KeyContext::Export => "in the export review: ".to_owned(),
            KeyContext::Typing => "while typing: ".to_owned(),
        }
    }
}

pub(crate) struct Binding {
    pub applies: KeyContext,
    /// For the configuration file.
    pub name: &'static str,
    /// Any of these keys.
    pub keys: &'static [&'static str],
    pub action: Action,
    /// A word for the footer; empty for keys that it does not list.
    pub word: &'static str,
    pub describes: &'static str,
}

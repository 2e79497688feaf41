//! Keys by their names: one table for dispatch, footer, help, `stepback keys` and the README.

mod table;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::action::{Action, Pane};
pub use table::KEYS;

/// Where a binding applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    Everywhere,
    Pane(Pane),
    /// In a list that is open over the panes.
    List,
    /// In a text that is open over the panes.
    Text,
    /// In the review before a pack is written.
    Export,
    /// While something is typed. Every other key is text there.
    Typing,
}

impl Where {
    /// For people; nothing where there is nothing to say.
    pub fn name(self) -> String {
        match self {
            Where::Everywhere => String::new(),
            Where::Pane(pane) => format!("in {}: ", pane.name()),
            Where::List => "in a list: ".to_owned(),
            Where::Text => "in a text: ".to_owned(),
            Where::Export => "before a pack is written: ".to_owned(),
            Where::Typing => "while typing: ".to_owned(),
        }
    }
}

pub struct Binding {
    pub applies: Where,
    /// For the configuration file.
    pub name: &'static str,
    /// Any of these.
    pub keys: &'static [&'static str],
    pub action: Action,
    /// A word for the footer; empty where there is no room for it.
    pub word: &'static str,
    pub describes: &'static str,
}

/// A key's name, as the table writes it.
pub fn name(key: KeyEvent) -> String {
    let plain = match key.code {
        KeyCode::Char(' ') => "Space".to_owned(),
        KeyCode::Char(character) => character.to_string(),
        KeyCode::Left => "Left".to_owned(),
        KeyCode::Right => "Right".to_owned(),
        KeyCode::Up => "Up".to_owned(),
        KeyCode::Down => "Down".to_owned(),
        KeyCode::Home => "Home".to_owned(),
        KeyCode::End => "End".to_owned(),
        KeyCode::PageUp => "PageUp".to_owned(),
        KeyCode::PageDown => "PageDown".to_owned(),
        // Most terminals send the same for both.
        KeyCode::Tab if key.modifiers.contains(KeyModifiers::CONTROL) => return "Ctrl-i".to_owned(),
        KeyCode::Tab => return "Tab".to_owned(),
        KeyCode::BackTab => return "BackTab".to_owned(),
        KeyCode::Enter => "Enter".to_owned(),
        KeyCode::Esc => "Esc".to_owned(),
        KeyCode::Backspace => "Backspace".to_owned(),
        KeyCode::Delete => "Delete".to_owned(),
        KeyCode::F(number) => format!("F{number}"),
        other => format!("{other:?}"),
    };
    let is_character = matches!(key.code, KeyCode::Char(_));
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        format!("Ctrl-{plain}")
    } else if key.modifiers.contains(KeyModifiers::ALT) {
        format!("Alt-{plain}")
    } else if key.modifiers.contains(KeyModifiers::SHIFT) && !is_character {
        format!("Shift-{plain}")
    } else {
        plain
    }
}

/// The table as Markdown, as it stands in the README.
pub fn markdown() -> String {
    let mut out = String::from("| keys | do |\n| --- | --- |\n");
    for binding in KEYS {
        let keys: Vec<String> = binding.keys.iter().map(|key| format!("`{}`", key.replace('|', "\\|"))).collect();
        out.push_str(&format!("| {} | {}{} |\n", keys.join(" "), binding.applies.name(), binding.describes));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things_in_one_place() {
        for (at, one) in KEYS.iter().enumerate() {
            for two in &KEYS[at + 1..] {
                let clash = one.applies == two.applies && one.keys.iter().any(|key| two.keys.contains(key));
                assert!(!clash, "{:?} and {:?}", one.keys, two.keys);
            }
        }
    }

    #[test]
    fn every_row_has_a_name_of_its_own() {
        let mut names: Vec<&str> = KEYS.iter().map(|binding| binding.name).collect();
        assert!(names.iter().all(|name| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), KEYS.len());
    }

    #[test]
    fn keys_have_the_names_that_the_table_uses() {
        let key = |code, modifiers| name(KeyEvent::new(code, modifiers));
        assert_eq!(key(KeyCode::Char('L'), KeyModifiers::SHIFT), "L");
        assert_eq!(key(KeyCode::Char('o'), KeyModifiers::CONTROL), "Ctrl-o");
        assert_eq!(key(KeyCode::F(5), KeyModifiers::NONE), "F5");
        assert_eq!(key(KeyCode::BackTab, KeyModifiers::SHIFT), "BackTab");
        assert_eq!(key(KeyCode::Right, KeyModifiers::SHIFT), "Shift-Right");
    }
}

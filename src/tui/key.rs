//! Keys by their names: one table for dispatch, footer, help, `stepback keys` and the documentation.

mod binding;
mod table;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

pub(crate) use binding::{Binding, KeyContext};
pub(crate) use table::KEYS;

/// The name of a key, as in the table.
pub(crate) fn name(key: KeyEvent) -> String {
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
        // Most terminals send the same code for both.
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

/// The table as Markdown, for the documentation.
pub(crate) fn markdown() -> String {
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
    fn no_key_has_two_actions_in_one_context() {
        for (at, one) in KEYS.iter().enumerate() {
            for two in &KEYS[at + 1..] {
                let clash = one.applies == two.applies && one.keys.iter().any(|key| two.keys.contains(key));
                assert!(!clash, "{:?} and {:?}", one.keys, two.keys);
            }
        }
    }

    #[test]
    fn every_row_has_a_unique_name() {
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

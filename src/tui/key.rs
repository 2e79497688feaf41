//! Keys by their names: one table for dispatch, footer, help, `stepback keys` and the documentation.

mod binding;
mod group;
mod table;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

pub(crate) use binding::{Binding, KeyContext};
pub(crate) use group::KeyGroup;
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

/// The key with this name: the inverse of [`name`].
pub(crate) fn event(name: &str) -> Option<KeyEvent> {
    let (modifiers, base) = match name.split_once('-').filter(|(_, base)| !base.is_empty()) {
        Some(("Ctrl", base)) => (KeyModifiers::CONTROL, base),
        Some(("Alt", base)) => (KeyModifiers::ALT, base),
        Some(("Shift", base)) => (KeyModifiers::SHIFT, base),
        _ => (KeyModifiers::NONE, name),
    };
    let mut letters = base.chars();
    let code = match (letters.next()?, letters.next()) {
        ('i', None) if modifiers == KeyModifiers::CONTROL => KeyCode::Tab,
        (letter, None) => KeyCode::Char(letter),
        _ => named(base)?,
    };
    Some(KeyEvent::new(code, modifiers))
}

fn named(name: &str) -> Option<KeyCode> {
    Some(match name {
        "Left" => KeyCode::Left,
        "Right" => KeyCode::Right,
        "Up" => KeyCode::Up,
        "Down" => KeyCode::Down,
        "Home" => KeyCode::Home,
        "End" => KeyCode::End,
        "PageUp" => KeyCode::PageUp,
        "PageDown" => KeyCode::PageDown,
        "Tab" => KeyCode::Tab,
        "BackTab" => KeyCode::BackTab,
        "Enter" => KeyCode::Enter,
        "Esc" => KeyCode::Esc,
        "Backspace" => KeyCode::Backspace,
        "Space" => KeyCode::Char(' '),
        "Insert" => KeyCode::Insert,
        "Delete" => KeyCode::Delete,
        function => KeyCode::F(function.strip_prefix('F')?.parse().ok()?),
    })
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
    fn every_key_of_the_table_is_found_by_its_name() {
        for key in KEYS.iter().flat_map(|binding| binding.keys).chain(&["Ctrl-i", "Alt-1", "Ctrl--", "-", "F12"]) {
            assert_eq!(event(key).map(name).as_deref(), Some(*key));
        }
        assert_eq!([event(""), event("Entr"), event("Fx")], [None; 3]);
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

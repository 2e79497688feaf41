//! Keys by their names: one table for dispatch, footer, help, `stepback keys` and the README.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::action::{Action, Pane};

/// Where a binding applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    Everywhere,
    Pane(Pane),
}

pub struct Binding {
    /// Any of these.
    pub keys: &'static [&'static str],
    pub applies: Where,
    pub action: Action,
    /// A word for the footer; empty where there is no room for it.
    pub word: &'static str,
    pub describes: &'static str,
}

const fn everywhere(
    keys: &'static [&'static str],
    action: Action,
    word: &'static str,
    describes: &'static str,
) -> Binding {
    Binding { keys, applies: Where::Everywhere, action, word, describes }
}

const fn within(
    pane: Pane,
    keys: &'static [&'static str],
    action: Action,
    word: &'static str,
    describes: &'static str,
) -> Binding {
    Binding { keys, applies: Where::Pane(pane), action, word, describes }
}

/// A pane's own keys come first: they go before those that apply everywhere.
pub static KEYS: &[Binding] = &[
    within(Pane::Events, &["j", "Down"], Action::Step(1), "", "to the next event of the list"),
    within(Pane::Events, &["k", "Up"], Action::Step(-1), "", "to the event before in the list"),
    within(
        Pane::Projection,
        &["b", "Enter"],
        Action::Blame,
        "blame",
        "go to the event that last wrote the field; again, to the one before",
    ),
    within(Pane::Projection, &["w"], Action::Watch, "watch", "stop at every change of the field, or no longer"),
    within(
        Pane::Coherence,
        &["Enter"],
        Action::OpenFinding,
        "open",
        "go to the finding's first event; again, to its next",
    ),
    everywhere(&["l", "Right"], Action::Step(1), "step", "one event forward; `5l` five"),
    everywhere(&["h", "Left"], Action::Step(-1), "back", "one event back"),
    everywhere(&["L", "Shift-Right"], Action::Step(10), "", "ten events forward"),
    everywhere(&["H", "Shift-Left"], Action::Step(-10), "", "ten events back"),
    everywhere(&["f"], Action::Finding(true), "finding", "to the next finding, information left aside"),
    everywhere(&["F"], Action::Finding(false), "", "to the finding before"),
    everywhere(&["s"], Action::ModelStep(true), "", "to the next model step"),
    everywhere(&["S"], Action::ModelStep(false), "", "to the beginning of this model step, then to the one before"),
    everywhere(&["t"], Action::Turn(true), "", "to the next turn"),
    everywhere(&["T"], Action::Turn(false), "", "to the beginning of this turn, then to the one before"),
    everywhere(&["e"], Action::SameKind(true), "", "to the next event of the same kind"),
    everywhere(&["E"], Action::SameKind(false), "", "to the event of the same kind before"),
    everywhere(&["c"], Action::Continue(true), "continue", "run to the next breakpoint or watched change"),
    everywhere(&["C"], Action::Continue(false), "", "run backwards to the breakpoint before"),
    everywhere(&["B"], Action::BreakOnKind, "", "stop at events of this kind, or no longer"),
    everywhere(&["/"], Action::Search, "search", "search records, fields and effects with a regular expression"),
    everywhere(&["n"], Action::Hit(true), "", "to the next hit of the search"),
    everywhere(&["N"], Action::Hit(false), "", "to the hit before"),
    everywhere(
        &[":"],
        Action::Command,
        "",
        "go to a place, or break on a condition: `:412`, `:34%`, `:step:31`, `:break FILTER`",
    ),
    everywhere(&["Ctrl-o", "Alt-Left", "Backspace"], Action::Back, "", "back to where the last jump began"),
    everywhere(&["Ctrl-i", "Alt-Right"], Action::Forward, "", "forward again"),
    everywhere(&["g", "Home"], Action::First, "", "to the first event; `12g` to event 12"),
    everywhere(&["G", "End"], Action::Last, "", "to the last event"),
    everywhere(&["PageDown", "Ctrl-d"], Action::Page(1), "", "a page forward"),
    everywhere(&["PageUp", "Ctrl-u"], Action::Page(-1), "", "a page back"),
    everywhere(&["j", "Down"], Action::Cursor(1), "", "down in the pane"),
    everywhere(&["k", "Up"], Action::Cursor(-1), "", "up in the pane"),
    everywhere(&["Tab"], Action::Focus(1), "pane", "to the next pane"),
    everywhere(&["BackTab"], Action::Focus(-1), "", "to the pane before"),
    everywhere(&["z"], Action::Zoom, "zoom", "the pane alone, or all of them again"),
    everywhere(&["?"], Action::Help, "help", "these keys"),
    everywhere(&["Esc"], Action::Escape, "", "leave what is open, forget the search"),
    everywhere(&["q"], Action::Quit, "quit", "back, and out of the program"),
    everywhere(&["Ctrl-c"], Action::QuitAtOnce, "", "out of the program at once"),
    everywhere(&["Ctrl-z"], Action::Suspend, "", "to the shell; `fg` comes back"),
];

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

/// What a key does while a pane has the focus.
pub fn lookup(key: &str, pane: Pane) -> Option<Action> {
    let found = KEYS.iter().find(|binding| binding.keys.contains(&key) && applies(binding, pane));
    found.map(|binding| binding.action)
}

fn applies(binding: &Binding, pane: Pane) -> bool {
    match binding.applies {
        Where::Everywhere => true,
        Where::Pane(wanted) => wanted == pane,
    }
}

/// The keys that the footer names while a pane has the focus.
pub fn footer(pane: Pane) -> impl Iterator<Item = (&'static str, &'static str)> {
    let named = KEYS.iter().filter(move |binding| !binding.word.is_empty() && applies(binding, pane));
    named.map(|binding| (binding.keys[0], binding.word))
}

/// The table as Markdown, as it stands in the README.
pub fn markdown() -> String {
    let mut out = String::from("| keys | do |\n| --- | --- |\n");
    for binding in KEYS {
        let keys: Vec<String> = binding.keys.iter().map(|key| format!("`{}`", key.replace('|', "\\|"))).collect();
        let place = match binding.applies {
            Where::Everywhere => String::new(),
            Where::Pane(pane) => format!("in {}: ", pane.name()),
        };
        out.push_str(&format!("| {} | {place}{} |\n", keys.join(" "), binding.describes));
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
    fn keys_have_the_names_that_the_table_uses() {
        let key = |code, modifiers| name(KeyEvent::new(code, modifiers));
        assert_eq!(key(KeyCode::Char('L'), KeyModifiers::SHIFT), "L");
        assert_eq!(key(KeyCode::Char('o'), KeyModifiers::CONTROL), "Ctrl-o");
        assert_eq!(key(KeyCode::BackTab, KeyModifiers::SHIFT), "BackTab");
        assert_eq!(key(KeyCode::Right, KeyModifiers::SHIFT), "Shift-Right");
    }
}

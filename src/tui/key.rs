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
    /// What a configuration calls it.
    pub name: &'static str,
    /// Any of these.
    pub keys: &'static [&'static str],
    pub applies: Where,
    pub action: Action,
    /// A word for the footer; empty where there is no room for it.
    pub word: &'static str,
    pub describes: &'static str,
}

const fn everywhere(
    name: &'static str,
    keys: &'static [&'static str],
    action: Action,
    word: &'static str,
    describes: &'static str,
) -> Binding {
    Binding { name, keys, applies: Where::Everywhere, action, word, describes }
}

const fn within(
    name: &'static str,
    pane: Pane,
    keys: &'static [&'static str],
    action: Action,
    word: &'static str,
    describes: &'static str,
) -> Binding {
    Binding { name, keys, applies: Where::Pane(pane), action, word, describes }
}

/// A pane's own keys come first: they go before those that apply everywhere.
pub static KEYS: &[Binding] = &[
    within("event-down", Pane::Events, &["j", "Down"], Action::Step(1), "", "to the next event of the list"),
    within("event-up", Pane::Events, &["k", "Up"], Action::Step(-1), "", "to the event before in the list"),
    within(
        "blame",
        Pane::Projection,
        &["b", "Enter"],
        Action::Blame,
        "blame",
        "go to the event that last wrote the field; again, to the one before",
    ),
    within(
        "watch",
        Pane::Projection,
        &["w"],
        Action::Watch,
        "watch",
        "stop at every change of the field, or no longer",
    ),
    within(
        "open-finding",
        Pane::Coherence,
        &["Enter"],
        Action::OpenFinding,
        "open",
        "go to the finding's first event; again, to its next",
    ),
    everywhere("step-forward", &["l", "Right"], Action::Step(1), "step", "one event forward; `5l` five"),
    everywhere("step-back", &["h", "Left"], Action::Step(-1), "back", "one event back"),
    everywhere("leap-forward", &["L", "Shift-Right"], Action::Step(10), "", "ten events forward"),
    everywhere("leap-back", &["H", "Shift-Left"], Action::Step(-10), "", "ten events back"),
    everywhere("next-finding", &["f"], Action::Finding(true), "finding", "to the next finding, information left aside"),
    everywhere("previous-finding", &["F"], Action::Finding(false), "", "to the finding before"),
    everywhere("next-step", &["s"], Action::ModelStep(true), "", "to the next model step"),
    everywhere(
        "previous-step",
        &["S"],
        Action::ModelStep(false),
        "",
        "to the beginning of this model step, then to the one before",
    ),
    everywhere("next-turn", &["t"], Action::Turn(true), "", "to the next turn"),
    everywhere(
        "previous-turn",
        &["T"],
        Action::Turn(false),
        "",
        "to the beginning of this turn, then to the one before",
    ),
    everywhere("next-of-kind", &["e"], Action::SameKind(true), "", "to the next event of the same kind"),
    everywhere("previous-of-kind", &["E"], Action::SameKind(false), "", "to the event of the same kind before"),
    everywhere("continue", &["c"], Action::Continue(true), "continue", "run to the next breakpoint or watched change"),
    everywhere("continue-back", &["C"], Action::Continue(false), "", "run backwards to the breakpoint before"),
    everywhere("break-on-kind", &["B"], Action::BreakOnKind, "", "stop at events of this kind, or no longer"),
    everywhere(
        "search",
        &["/"],
        Action::Search,
        "search",
        "search records, fields and effects with a regular expression",
    ),
    everywhere("next-hit", &["n"], Action::Hit(true), "", "to the next hit of the search"),
    everywhere("previous-hit", &["N"], Action::Hit(false), "", "to the hit before"),
    everywhere(
        "command",
        &[":"],
        Action::Command,
        "",
        "go to a place, or break on a condition: `:412`, `:34%`, `:step:31`, `:break FILTER`",
    ),
    everywhere(
        "jump-back",
        &["Ctrl-o", "Alt-Left", "Backspace"],
        Action::Back,
        "",
        "back to where the last jump began",
    ),
    everywhere("jump-forward", &["Ctrl-i", "Alt-Right"], Action::Forward, "", "forward again"),
    everywhere("first", &["g", "Home"], Action::First, "", "to the first event; `12g` to event 12"),
    everywhere("last", &["G", "End"], Action::Last, "", "to the last event"),
    everywhere("page-down", &["PageDown", "Ctrl-d"], Action::Page(1), "", "a page forward"),
    everywhere("page-up", &["PageUp", "Ctrl-u"], Action::Page(-1), "", "a page back"),
    everywhere("down", &["j", "Down"], Action::Cursor(1), "", "down in the pane"),
    everywhere("up", &["k", "Up"], Action::Cursor(-1), "", "up in the pane"),
    everywhere("next-pane", &["Tab"], Action::Focus(1), "pane", "to the next pane"),
    everywhere("previous-pane", &["BackTab"], Action::Focus(-1), "", "to the pane before"),
    everywhere("zoom", &["z"], Action::Zoom, "zoom", "the pane alone, or all of them again"),
    everywhere("help", &["?"], Action::Help, "help", "these keys"),
    everywhere("escape", &["Esc"], Action::Escape, "", "leave what is open, forget the search"),
    everywhere("quit", &["q"], Action::Quit, "quit", "back, and out of the program"),
    everywhere("quit-at-once", &["Ctrl-c"], Action::QuitAtOnce, "", "out of the program at once"),
    everywhere("suspend", &["Ctrl-z"], Action::Suspend, "", "to the shell; `fg` comes back"),
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

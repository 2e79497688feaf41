//! The keymap of this run: the table `KEYS` with the changes of the user's configuration.
//!
//! Dispatch, footer and help use it. A row with configured keys loses its default keys.

use super::action::Action;
use super::key::{Binding, KEYS, KeyContext};
use crate::text::suggestion::did_you_mean;

/// A row of the table with its keys in this run. Without keys, the action cannot be reached.
#[derive(Clone)]
pub(crate) struct KeymapRow {
    pub binding: &'static Binding,
    pub keys: Vec<String>,
}

/// The configured keys of a row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyOverride {
    /// The row's name.
    pub name: String,
    pub keys: Vec<String>,
}

/// Why an override is invalid: its position in the list, and that of the key if a key is at fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadKey {
    pub wanted: usize,
    pub key: Option<usize>,
    pub reason: String,
}

#[derive(Clone)]
pub(crate) struct Keymap {
    rows: Vec<KeymapRow>,
}

impl Default for Keymap {
    fn default() -> Self {
        let row = |binding: &'static Binding| KeymapRow { binding, keys: owned(binding.keys) };
        Keymap { rows: KEYS.iter().map(row).collect() }
    }
}

fn owned(keys: &[&str]) -> Vec<String> {
    keys.iter().map(|key| (*key).to_owned()).collect()
}

impl Keymap {
    /// The table with all overrides applied, or none of them.
    pub(crate) fn with(wanted: &[KeyOverride]) -> Result<Keymap, BadKey> {
        let mut keymap = Keymap::default();
        let mut given = Vec::new();
        for (number, KeyOverride { name, keys }) in wanted.iter().enumerate() {
            let bad = |key, reason| BadKey { wanted: number, key, reason };
            let Some(row) = keymap.rows.iter().position(|row| row.binding.name == name) else {
                return Err(bad(None, unknown(name)));
            };
            if given.contains(&row) {
                return Err(bad(None, format!("{name:?} is set twice")));
            }
            given.push(row);
            let mut own: Vec<String> = Vec::new();
            for (place, key) in keys.iter().enumerate() {
                let key = key_name(key).map_err(|error| bad(Some(place), error.to_string()))?;
                if own.contains(&key) {
                    return Err(bad(Some(place), format!("{name:?} has the key {key:?} twice")));
                }
                own.push(key);
            }
            if own.is_empty() && keymap.rows[row].binding.action == Action::QuitAtOnce {
                return Err(bad(None, format!("{name:?} needs a key, or you may not be able to quit")));
            }
            keymap.rows[row].keys = own;
        }
        // Checked after all overrides, since two rows may have swapped their keys.
        for (number, row) in given.iter().enumerate() {
            keymap
                .clash(*row, &given[number + 1..])
                .map_or(Ok(()), |(key, reason)| Err(BadKey { wanted: number, key: Some(key), reason }))?;
        }
        Ok(keymap)
    }

    /// A key of the row that another row of the same context also has. Of two overrides, the later one is at fault, so
    /// later rows are skipped here.
    fn clash(&self, row: usize, later: &[usize]) -> Option<(usize, String)> {
        let here = &self.rows[row];
        let others = || {
            let rows = self.rows.iter().enumerate().filter(|(other, _)| *other != row && !later.contains(other));
            rows.map(|(_, other)| other).filter(|other| other.binding.applies == here.binding.applies)
        };
        here.keys.iter().enumerate().find_map(|(place, key)| {
            let other = others().find(|other| other.keys.contains(key))?.binding.name;
            let name = here.binding.name;
            Some((
                place,
                format!("{name:?} cannot have the key {key:?}: {other:?} has it; give that action another key"),
            ))
        })
    }

    pub(crate) fn rows(&self) -> &[KeymapRow] {
        &self.rows
    }

    /// The action of a key in a context. The key is given by its name, see `key::name`.
    pub(crate) fn lookup(&self, key: &str, place: KeyContext) -> Option<Action> {
        self.binding(key, place).map(|binding| binding.action)
    }

    /// The row that a key selects in a context.
    pub(crate) fn binding(&self, key: &str, place: KeyContext) -> Option<&'static Binding> {
        self.rows_of(place).find(|row| row.keys.iter().any(|known| known == key)).map(|row| row.binding)
    }

    /// The keys that the footer lists in a context, each with its word.
    pub(crate) fn footer(&self, place: KeyContext) -> impl Iterator<Item = (&str, &'static str)> {
        self.footer_rows(place).map(|(key, row)| (key, row.word))
    }

    /// The rows that the footer lists in a context, each with its key.
    pub(crate) fn footer_rows(&self, place: KeyContext) -> impl Iterator<Item = (&str, &'static Binding)> {
        let named = self.rows_of(place).filter(|row| !row.binding.word.is_empty());
        named.filter_map(|row| row.keys.first().map(|key| (key.as_str(), row.binding)))
    }

    /// The keys of a row, by its name.
    pub(crate) fn keys_of(&self, name: &str) -> &[String] {
        self.rows.iter().find(|row| row.binding.name == name).map_or(&[], |row| &row.keys)
    }

    /// A key of this action, for sentences such as "Esc closes it".
    pub(crate) fn key_for(&self, action: Action) -> Option<&str> {
        let row = self.rows.iter().find(|row| row.binding.action == action && !row.keys.is_empty())?;
        row.keys.first().map(String::as_str)
    }

    /// A key of this action in a context.
    pub(crate) fn key_in(&self, place: KeyContext, action: Action) -> &str {
        let mut rows = self.rows_of(place).filter(|row| row.binding.action == action);
        rows.find_map(|row| row.keys.first()).map_or("(no key)", String::as_str)
    }

    /// The rows of a context. A pane also has the rows that apply everywhere, after its own.
    fn rows_of(&self, place: KeyContext) -> impl Iterator<Item = &KeymapRow> {
        self.rows.iter().filter(move |row| {
            let applies = row.binding.applies;
            applies == place || (applies == KeyContext::Everywhere && matches!(place, KeyContext::Pane(_)))
        })
    }
}

fn unknown(name: &str) -> String {
    let guess = did_you_mean(name, KEYS.iter().map(|binding| binding.name));
    let hint = if guess.is_empty() { "; `stepback keys` lists them" } else { &guess };
    format!("there is no action {name:?}{hint}")
}

/// The named keys, as `key::name` writes them.
const NAMED: [&str; 16] = [
    "Left",
    "Right",
    "Up",
    "Down",
    "Home",
    "End",
    "PageUp",
    "PageDown",
    "Tab",
    "BackTab",
    "Enter",
    "Esc",
    "Backspace",
    "Space",
    "Insert",
    "Delete",
];
/// Alternative names of keys.
const ALIASES: [(&str, &str); 6] = [
    ("Return", "Enter"),
    ("Escape", "Esc"),
    ("PgUp", "PageUp"),
    ("PgDn", "PageDown"),
    ("Ins", "Insert"),
    ("Del", "Delete"),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum ModifierKey {
    Ctrl,
    Alt,
    Shift,
}

/// Why a text is not the name of a key that can be bound.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum KeyNameError {
    #[error("{0:?} combines two of Ctrl, Alt and Shift; terminals report only one")]
    TwoModifiers(String),
    #[error("there is no key {written:?}{hint}")]
    Unknown { written: String, hint: String },
    #[error("terminals report {written:?} as {reported:?}")]
    ReportedAs { written: String, reported: String },
    #[error("{0:?} is not a key")]
    ControlCharacter(String),
    #[error("{0:?} is a count: digits before a key repeat it")]
    Count(String),
    #[error("{0:?}: write the character that it types")]
    ShiftedCharacter(String),
}

/// The name of a key as in the table: `ctrl+O` is `Ctrl-o`. Keys that terminals cannot send are rejected.
pub(crate) fn key_name(written: &str) -> Result<String, KeyNameError> {
    let (held, rest) = match written.find(['-', '+']).filter(|at| *at > 0 && at + 1 < written.len()) {
        Some(at) => (held(&written[..at]), &written[at + 1..]),
        None => (None, written),
    };
    let base = if held.is_some() { rest } else { written };
    let is_held_twice = held.is_some() && base.find(['-', '+']).is_some_and(|at| self::held(&base[..at]).is_some());
    if is_held_twice && base.len() > 1 {
        return Err(KeyNameError::TwoModifiers(written.to_owned()));
    }
    let mut letters = base.chars();
    if let (Some(letter), None) = (letters.next(), letters.next()) {
        return character(written, held, letter);
    }
    let name = named(base).ok_or_else(|| {
        let known = NAMED.into_iter().chain(ALIASES.map(|(alias, _)| alias));
        KeyNameError::Unknown { written: written.to_owned(), hint: did_you_mean(base, known) }
    })?;
    match (held, name.as_str()) {
        (None, _) => Ok(name),
        (Some(ModifierKey::Shift), "Tab") => Ok("BackTab".to_owned()),
        (Some(ModifierKey::Ctrl), "Tab") => Ok("Ctrl-i".to_owned()),
        (Some(_), "Tab" | "BackTab") | (Some(ModifierKey::Shift), "Space") => {
            Err(KeyNameError::ReportedAs { written: written.to_owned(), reported: name })
        }
        (Some(ModifierKey::Ctrl), _) => Ok(format!("Ctrl-{name}")),
        (Some(ModifierKey::Alt), _) => Ok(format!("Alt-{name}")),
        (Some(ModifierKey::Shift), _) => Ok(format!("Shift-{name}")),
    }
}

fn held(written: &str) -> Option<ModifierKey> {
    match written.to_ascii_lowercase().as_str() {
        "ctrl" | "control" | "c" => Some(ModifierKey::Ctrl),
        "alt" | "meta" | "m" => Some(ModifierKey::Alt),
        "shift" | "s" => Some(ModifierKey::Shift),
        _ => None,
    }
}

fn named(written: &str) -> Option<String> {
    let function = written.strip_prefix(['F', 'f']).and_then(|number| number.parse::<u8>().ok());
    if let Some(number) = function.filter(|number| (1..=24).contains(number)) {
        return Some(format!("F{number}"));
    }
    let alias = ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(written)).map(|(_, name)| *name);
    let name = alias.or_else(|| NAMED.into_iter().find(|name| name.eq_ignore_ascii_case(written)));
    name.map(str::to_owned)
}

fn character(written: &str, held: Option<ModifierKey>, letter: char) -> Result<String, KeyNameError> {
    let text = || written.to_owned();
    let reported_as = |key: &str| Err(KeyNameError::ReportedAs { written: text(), reported: key.to_owned() });
    match (held, letter) {
        (_, letter) if letter.is_control() => Err(KeyNameError::ControlCharacter(text())),
        (None, letter) if letter.is_ascii_digit() => Err(KeyNameError::Count(text())),
        (None, ' ') => Ok("Space".to_owned()),
        (None, letter) => Ok(letter.to_string()),
        (Some(ModifierKey::Ctrl), '[') => reported_as("Esc"),
        (Some(ModifierKey::Ctrl), 'm' | 'M') => reported_as("Enter"),
        (Some(ModifierKey::Ctrl), ' ') => Ok("Ctrl-Space".to_owned()),
        (Some(ModifierKey::Ctrl), letter) => Ok(format!("Ctrl-{}", letter.to_ascii_lowercase())),
        (Some(ModifierKey::Alt), ' ') => Ok("Alt-Space".to_owned()),
        (Some(ModifierKey::Alt), letter) => Ok(format!("Alt-{letter}")),
        (Some(ModifierKey::Shift), letter) if letter.is_ascii_alphabetic() => {
            Ok(letter.to_ascii_uppercase().to_string())
        }
        (Some(ModifierKey::Shift), _) => Err(KeyNameError::ShiftedCharacter(text())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::action::Pane;

    const EVENTS: KeyContext = KeyContext::Pane(Pane::Events);

    fn want(name: &str, keys: &[&str]) -> KeyOverride {
        KeyOverride { name: name.to_owned(), keys: owned(keys) }
    }

    fn refusal(wanted: &[KeyOverride]) -> (usize, Option<usize>, String) {
        let bad = Keymap::with(wanted).err().expect("a refusal");
        (bad.wanted, bad.key, bad.reason)
    }

    #[test]
    fn without_overrides_it_is_the_table() {
        for keymap in [Keymap::default(), Keymap::with(&[]).expect("no requests")] {
            assert_eq!(keymap.rows().len(), KEYS.len());
            for (row, binding) in keymap.rows().iter().zip(KEYS) {
                assert_eq!((row.binding.name, row.keys.as_slice()), (binding.name, owned(binding.keys).as_slice()));
            }
        }
    }

    #[test]
    fn every_key_of_the_table_can_be_configured_as_it_is_written() {
        for key in KEYS.iter().flat_map(|binding| binding.keys) {
            assert_eq!(key_name(key).as_deref(), Ok(*key));
        }
        // The table itself is a valid list of overrides.
        let wanted: Vec<KeyOverride> = KEYS.iter().map(|binding| want(binding.name, binding.keys)).collect();
        assert!(Keymap::with(&wanted).is_ok());
    }

    #[test]
    fn an_override_replaces_the_keys_of_its_row_only() {
        let keymap = Keymap::with(&[want("quit", &["Q", "F10"]), want("zoom", &[])]).expect("fulfilled");
        assert_eq!(keymap.lookup("q", EVENTS), None);
        assert_eq!(keymap.lookup("F10", EVENTS), Some(Action::Quit));
        assert_eq!(keymap.lookup("z", EVENTS), None);
        assert_eq!(keymap.keys_of("quit"), ["Q", "F10"]);
        assert_eq!(keymap.keys_of("nonsense"), [""; 0]);
        assert_eq!(keymap.key_for(Action::Quit), Some("Q"));
        assert_eq!(keymap.key_for(Action::Zoom), None);
        let footer: Vec<_> = keymap.footer(EVENTS).collect();
        assert!(footer.contains(&("Q", "quit")) && !footer.iter().any(|(_, word)| *word == "zoom"), "{footer:?}");
    }

    #[test]
    fn rows_may_swap_their_keys_and_panes_take_precedence() {
        let keymap = Keymap::with(&[want("next-step", &["t"]), want("next-turn", &["s"])]).expect("fulfilled");
        assert_eq!(keymap.lookup("t", EVENTS), Some(Action::ModelStep(crate::replay::direction::Direction::Forward)));
        let keymap = Keymap::with(&[want("blame-field", &["q"])]).expect("fulfilled");
        assert_eq!(keymap.lookup("q", KeyContext::Pane(Pane::Projection)), Some(Action::Blame));
        assert_eq!(keymap.lookup("q", EVENTS), Some(Action::Quit));
    }

    #[test]
    fn a_clash_of_keys_is_rejected_and_both_actions_are_named() {
        let taken = |reason: &str| format!("{reason}; give that action another key");
        assert_eq!(
            refusal(&[want("zoom", &["Z", "q"])]),
            (0, Some(1), taken("\"zoom\" cannot have the key \"q\": \"quit\" has it"))
        );
        assert_eq!(
            refusal(&[want("quit", &["F9"]), want("zoom", &["F9"])]),
            (1, Some(0), taken("\"zoom\" cannot have the key \"F9\": \"quit\" has it"))
        );
    }

    #[test]
    fn invalid_overrides_are_rejected() {
        assert_eq!(
            refusal(&[want("next-findng", &["x"])]).2,
            "there is no action \"next-findng\"; did you mean \"next-finding\"?"
        );
        assert_eq!(refusal(&[want("dance", &["x"])]).2, "there is no action \"dance\"; `stepback keys` lists them");
        assert_eq!(
            refusal(&[want("quit", &["Q", "Shift-q"])]),
            (0, Some(1), "\"quit\" has the key \"Q\" twice".into())
        );
        assert_eq!(refusal(&[want("quit", &["x"]), want("quit", &["y"])]), (1, None, "\"quit\" is set twice".into()));
        assert_eq!(
            refusal(&[want("quit-at-once", &[])]).2,
            "\"quit-at-once\" needs a key, or you may not be able to quit"
        );
    }

    #[test]
    fn keys_are_accepted_in_common_spellings() {
        for (written, name) in [
            ("ctrl+O", "Ctrl-o"),
            ("C-x", "Ctrl-x"),
            ("M-x", "Alt-x"),
            ("Alt-X", "Alt-X"),
            ("shift-l", "L"),
            ("right", "Right"),
            ("S-Right", "Shift-Right"),
            ("Shift-Tab", "BackTab"),
            ("Ctrl-Tab", "Ctrl-i"),
            ("escape", "Esc"),
            ("PgDn", "PageDown"),
            (" ", "Space"),
            ("space", "Space"),
            ("f5", "F5"),
            ("-", "-"),
            ("+", "+"),
            ("Ctrl--", "Ctrl--"),
            ("é", "é"),
            ("Ctrl-F5", "Ctrl-F5"),
        ] {
            assert_eq!(key_name(written).as_deref(), Ok(name), "{written}");
        }
        for (written, reason) in [
            ("Rigth", "there is no key \"Rigth\"; did you mean \"Right\"?"),
            ("", "there is no key \"\""),
            ("ll", "there is no key \"ll\""),
            ("F25", "there is no key \"F25\""),
            ("5", "\"5\" is a count: digits before a key repeat it"),
            ("Ctrl-Alt-x", "\"Ctrl-Alt-x\" combines two of Ctrl, Alt and Shift; terminals report only one"),
            ("Ctrl-m", "terminals report \"Ctrl-m\" as \"Enter\""),
            ("Alt-Tab", "terminals report \"Alt-Tab\" as \"Tab\""),
            ("Shift-1", "\"Shift-1\": write the character that it types"),
            ("\u{1b}", "\"\\u{1b}\" is not a key"),
        ] {
            assert_eq!(key_name(written).map_err(|error| error.to_string()), Err(reason.to_owned()), "{written}");
        }
    }
}

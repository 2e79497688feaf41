//! The parser of configurations. Every error has a line, so that the user can find it.

use std::fmt;
use std::path::PathBuf;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::text::clean;
use crate::text::suggestion::did_you_mean;
use crate::tui::key::KEYS;
use crate::tui::keymap::{BadKey, KeyOverride, Keymap};
use crate::tui::theme::Palette;

const TOP: [&str; 6] = ["theme", "ascii", "mouse", "sessions", "panes", "keys"];
const PANES: [&str; 2] = ["pinned", "detail_rows"];
/// The limit of pinned fields; more would fill any pane.
const MOST_PINNED: usize = 32;
/// The limit of folders with sessions.
const MOST_FOLDERS: usize = 32;
const DETAIL_ROWS: std::ops::RangeInclusive<u16> = 4..=100;

/// A configuration. `None` means not set.
#[derive(Clone, Default)]
pub(crate) struct Config {
    pub theme: Option<Palette>,
    /// Draw with ASCII only.
    pub ascii: Option<bool>,
    pub mouse: Option<bool>,
    /// Folders with sessions of coding agents, instead of the usual ones.
    pub sessions: Vec<PathBuf>,
    /// Names of fields to pin. They are not validated here, since each dialect has its own.
    pub pinned: Vec<String>,
    /// The height of the Event pane.
    pub detail_rows: Option<u16>,
    pub keymap: Keymap,
}

/// A place in the file. Lines and columns count from 1; a column is a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ConfigPlace {
    pub line: usize,
    pub column: usize,
}

/// An error in the text of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConfigFault {
    pub place: ConfigPlace,
    pub reason: String,
}

/// An error in a configuration file. Without a place the file could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadConfig {
    pub path: PathBuf,
    pub place: Option<ConfigPlace>,
    pub reason: String,
}

impl fmt::Display for BadConfig {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: ", clean(&self.path.to_string_lossy()))?;
        if let Some(place) = self.place {
            write!(out, "line {}: ", place.line)?;
        }
        out.write_str(&clean(&self.reason))
    }
}

impl std::error::Error for BadConfig {}

type TomlKey<'a, 'i> = &'a Spanned<std::borrow::Cow<'i, str>>;
type TomlEntry<'a, 'i> = (TomlKey<'a, 'i>, &'a Spanned<DeValue<'i>>);

/// Parses a configuration.
pub(crate) fn parse(text: &str) -> Result<Config, ConfigFault> {
    let (table, errors) = DeTable::parse_recoverable(text);
    let begins = |error: &toml::de::Error| error.span().map_or(text.len(), |span| span.start);
    // They are not sorted by place; the first in the file often causes the others.
    if let Some(error) = errors.iter().min_by_key(|error| begins(error)) {
        return Err(ConfigFault { place: place(text, begins(error)), reason: error.message().to_owned() });
    }
    let reader = ConfigReader { text };
    let mut config = Config::default();
    for (key, value) in in_order(table.get_ref()) {
        match key.get_ref().as_ref() {
            "theme" => config.theme = Some(reader.theme(value)?),
            "ascii" => config.ascii = Some(reader.truth("ascii", value)?),
            "mouse" => config.mouse = Some(reader.truth("mouse", value)?),
            "sessions" => config.sessions = reader.sessions(value)?,
            "panes" => reader.panes(&mut config, value)?,
            "keys" => config.keymap = reader.keys(value)?,
            other => return Err(reader.unknown(key, other, &TOP)),
        }
    }
    Ok(config)
}

/// The entries in the order of the file, so that the first error is reported.
fn in_order<'a, 'i>(table: &'a DeTable<'i>) -> Vec<TomlEntry<'a, 'i>> {
    let mut entries: Vec<TomlEntry<'a, 'i>> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

fn place(text: &str, at: usize) -> ConfigPlace {
    let before = &text.as_bytes()[..at.min(text.len())];
    let line_begins = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    let in_line = String::from_utf8_lossy(&before[line_begins..]);
    ConfigPlace { line: before.iter().filter(|byte| **byte == b'\n').count() + 1, column: in_line.chars().count() + 1 }
}

struct ConfigReader<'t> {
    text: &'t str,
}

impl ConfigReader<'_> {
    fn fault<T>(&self, at: &Spanned<T>, reason: String) -> ConfigFault {
        ConfigFault { place: place(self.text, at.span().start), reason }
    }

    fn unknown(&self, key: TomlKey<'_, '_>, name: &str, known: &[&'static str]) -> ConfigFault {
        let belongs = if PANES.contains(&name) {
            "; it belongs under [panes]".to_owned()
        } else if KEYS.iter().any(|binding| binding.name == name) {
            "; it belongs under [keys]".to_owned()
        } else {
            did_you_mean(name, known.iter().copied())
        };
        self.fault(key, format!("unknown key {name:?}{belongs}"))
    }

    fn theme(&self, value: &Spanned<DeValue<'_>>) -> Result<Palette, ConfigFault> {
        let names = Palette::ALL.map(|known| known.0);
        let choices = names.map(|name| format!("{name:?}")).join(", ");
        let Some(written) = value.get_ref().as_str() else {
            return Err(self.fault(value, format!("theme must be one of {choices}, not {}", sort(value))));
        };
        Palette::by_name(written).ok_or_else(|| {
            let guess = did_you_mean(written, names);
            let hint = if guess.is_empty() { format!("; there are {choices}") } else { guess };
            self.fault(value, format!("there is no theme {written:?}{hint}"))
        })
    }

    fn truth(&self, name: &str, value: &Spanned<DeValue<'_>>) -> Result<bool, ConfigFault> {
        let reason = || format!("{name} must be true or false, not {}", sort(value));
        value.get_ref().as_bool().ok_or_else(|| self.fault(value, reason()))
    }

    /// Relative paths would depend on the current folder.
    fn sessions(&self, value: &Spanned<DeValue<'_>>) -> Result<Vec<PathBuf>, ConfigFault> {
        let mut folders = Vec::new();
        for item in items(value) {
            let path = item.get_ref().as_str().map(PathBuf::from);
            let Some(path) = path.filter(|path| path.is_absolute() || path.starts_with("~")) else {
                let reason = "sessions must be a folder or a list of folders, each absolute or beginning with ~";
                return Err(self.fault(item, reason.to_owned()));
            };
            if folders.len() == MOST_FOLDERS {
                return Err(self.fault(item, format!("at most {MOST_FOLDERS} folders can be searched for sessions")));
            }
            folders.push(path);
        }
        Ok(folders)
    }

    fn table<'a, 'i>(
        &self,
        name: &str,
        value: &'a Spanned<DeValue<'i>>,
    ) -> Result<Vec<TomlEntry<'a, 'i>>, ConfigFault> {
        let reason = || format!("{name} must be a table, [{name}], not {}", sort(value));
        value.get_ref().as_table().map(in_order).ok_or_else(|| self.fault(value, reason()))
    }

    fn panes(&self, config: &mut Config, value: &Spanned<DeValue<'_>>) -> Result<(), ConfigFault> {
        for (key, value) in self.table("panes", value)? {
            match key.get_ref().as_ref() {
                "pinned" => config.pinned = self.pinned(value)?,
                "detail_rows" => config.detail_rows = Some(self.detail_rows(value)?),
                other => return Err(self.unknown(key, other, &PANES)),
            }
        }
        Ok(())
    }

    fn pinned(&self, value: &Spanned<DeValue<'_>>) -> Result<Vec<String>, ConfigFault> {
        let reason = || format!("pinned must be a list of field names, not {}", sort(value));
        let list = value.get_ref().as_array().ok_or_else(|| self.fault(value, reason()))?;
        let mut names: Vec<String> = Vec::new();
        for item in list.iter() {
            let Some(name) = item.get_ref().as_str().filter(|name| !name.trim().is_empty()) else {
                let what = if item.get_ref().is_str() { "an empty name" } else { sort(item) };
                return Err(self.fault(item, format!("pinned must be a list of field names, not {what}")));
            };
            if names.iter().any(|known| known == name) {
                return Err(self.fault(item, format!("{name:?} is pinned twice")));
            }
            if names.len() == MOST_PINNED {
                return Err(self.fault(item, format!("at most {MOST_PINNED} fields can be pinned")));
            }
            names.push(name.to_owned());
        }
        Ok(names)
    }

    fn detail_rows(&self, value: &Spanned<DeValue<'_>>) -> Result<u16, ConfigFault> {
        let number = value.get_ref().as_integer();
        let number = number.and_then(|number| u16::from_str_radix(number.as_str(), number.radix()).ok());
        number.filter(|number| DETAIL_ROWS.contains(number)).ok_or_else(|| {
            let (least, most) = (DETAIL_ROWS.start(), DETAIL_ROWS.end());
            self.fault(value, format!("detail_rows must be a number from {least} to {most}"))
        })
    }

    /// Builds the keymap. Its errors name an entry, which gives the place in the file.
    fn keys(&self, value: &Spanned<DeValue<'_>>) -> Result<Keymap, ConfigFault> {
        let entries = self.table("keys", value)?;
        let mut wanted = Vec::new();
        for (key, value) in &entries {
            let name = key.get_ref().as_ref();
            let texts = items(value).into_iter().map(|item| {
                let reason = || format!("{name} must be a key or a list of keys, not {}", sort(item));
                item.get_ref().as_str().map(str::to_owned).ok_or_else(|| self.fault(item, reason()))
            });
            wanted.push(KeyOverride { name: name.to_owned(), keys: texts.collect::<Result<_, ConfigFault>>()? });
        }
        Keymap::with(&wanted).map_err(|BadKey { wanted, key, reason }| match entries.get(wanted) {
            Some((name, value)) => match key.and_then(|key| items(value).get(key).copied()) {
                Some(item) => self.fault(item, reason),
                None => self.fault(name, reason),
            },
            None => self.fault(value, reason),
        })
    }
}

/// The items of a list; a single key needs no list.
fn items<'a, 'i>(value: &'a Spanned<DeValue<'i>>) -> Vec<&'a Spanned<DeValue<'i>>> {
    value.get_ref().as_array().map_or_else(|| vec![value], |list| list.iter().collect())
}

fn sort(value: &Spanned<DeValue<'_>>) -> &'static str {
    match value.get_ref() {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::action::{Action, Pane};
    use crate::tui::key::KeyContext;

    const WHOLE: &str =
        "\u{feff}# what I like\r\ntheme = \"high-contrast\"\r\nascii = true\r\nmouse = false\r\nsessions = '~/logs'\r\n
[panes]
pinned = ['outcome', \"total_usage\"]
detail_rows = 0x0c

[keys]
step = [\"l\", \"Right\", \"ctrl+f\"]
quit = \"Q\"
zoom = []
";

    #[test]
    fn a_whole_configuration_is_read() {
        let config = parse(WHOLE).expect("a configuration");
        assert_eq!(config.theme, Some(Palette::HighContrast));
        assert_eq!((config.ascii, config.mouse, config.detail_rows), (Some(true), Some(false), Some(12)));
        assert_eq!(config.pinned, ["outcome", "total_usage"]);
        assert_eq!(config.sessions, [PathBuf::from("~/logs")]);
        assert_eq!(config.keymap.keys_of("step"), ["l", "Right", "Ctrl-f"]);
        assert_eq!(config.keymap.lookup("Q", KeyContext::Pane(Pane::Events)), Some(Action::Quit));
        assert_eq!(config.keymap.keys_of("zoom"), [""; 0]);
        assert_eq!(config.keymap.keys_of("search"), ["/"]);
    }

    #[test]
    fn settings_that_are_absent_are_none() {
        for text in ["", "# nothing\n", "[panes]\n[keys]\n"] {
            let config = parse(text).expect("a configuration");
            assert_eq!((config.theme, config.ascii, config.mouse, config.detail_rows), (None, None, None, None));
            assert!(config.pinned.is_empty());
            for (row, binding) in config.keymap.rows().iter().zip(KEYS) {
                assert_eq!(row.keys, binding.keys);
            }
        }
    }

    #[test]
    fn every_error_has_a_line_a_column_and_advice() {
        for (text, line, column, reason) in [
            ("\n\nthme = \"none\"", 3, 1, "unknown key \"thme\"; did you mean \"theme\"?"),
            ("colour = 1", 1, 1, "unknown key \"colour\""),
            ("ascii = true\npinned = []", 2, 1, "unknown key \"pinned\"; it belongs under [panes]"),
            ("quit = 'Q'", 1, 1, "unknown key \"quit\"; it belongs under [keys]"),
            ("theme = 'nome'", 1, 9, "there is no theme \"nome\"; did you mean \"none\"?"),
            (
                "theme = 'solar'",
                1,
                9,
                "there is no theme \"solar\"; there are \"default\", \"high-contrast\", \"none\"",
            ),
            ("theme = 1", 1, 9, "theme must be one of \"default\", \"high-contrast\", \"none\", not a number"),
            ("ascii = 'yes'", 1, 9, "ascii must be true or false, not a text"),
            (
                "sessions = ['~/a', 'b']",
                1,
                20,
                "sessions must be a folder or a list of folders, each absolute or beginning with ~",
            ),
            ("mouse = []", 1, 9, "mouse must be true or false, not a list"),
            ("panes = 1", 1, 9, "panes must be a table, [panes], not a number"),
            ("[[keys]]", 1, 1, "keys must be a table, [keys], not a list"),
            ("[panes]\npined = []", 2, 1, "unknown key \"pined\"; did you mean \"pinned\"?"),
            ("[panes]\npinned = 'a'", 2, 10, "pinned must be a list of field names, not a text"),
            ("[panes]\npinned = ['é', 1]", 2, 16, "pinned must be a list of field names, not a number"),
            ("[panes]\npinned = [\n ' ']", 3, 2, "pinned must be a list of field names, not an empty name"),
            ("[panes]\npinned = ['a', 'a']", 2, 16, "\"a\" is pinned twice"),
            ("[panes]\ndetail_rows = 3", 2, 15, "detail_rows must be a number from 4 to 100"),
            ("[panes]\ndetail_rows = 1e9", 2, 15, "detail_rows must be a number from 4 to 100"),
            ("[keys]\nnext-hti = 'x'", 2, 1, "there is no action \"next-hti\"; did you mean \"next-hit\"?"),
            ("[keys]\nquit = 5", 2, 8, "quit must be a key or a list of keys, not a number"),
            ("[keys]\nquit = ['x', 5]", 2, 14, "quit must be a key or a list of keys, not a number"),
            ("[keys]\nquit = 'Rigth'", 2, 8, "there is no key \"Rigth\"; did you mean \"Right\"?"),
            (
                "[keys]\nhelp = 'F1'\nzoom = ['Z', 'q']",
                3,
                14,
                "\"zoom\" cannot have the key \"q\": \"quit\" has it; give that action another key",
            ),
            (
                "[keys]\nzoom = 'F9'\nhelp = 'F9'",
                3,
                8,
                "\"help\" cannot have the key \"F9\": \"zoom\" has it; give that action another key",
            ),
        ] {
            let fault = parse(text).err().unwrap_or_else(|| panic!("{text} is accepted"));
            assert_eq!(fault, ConfigFault { place: ConfigPlace { line, column }, reason: reason.to_owned() }, "{text}");
        }
    }

    #[test]
    fn invalid_toml_is_reported_with_its_line() {
        for (text, line) in [
            ("theme = ", 1),
            ("ascii = true\nascii = false", 2),
            ("a = 1\nb = \"\nc", 2),
            ("\n[panes", 2),
            ("theme = \"\u{1}\"", 1),
        ] {
            let fault = parse(text).err().unwrap_or_else(|| panic!("{text} is accepted"));
            assert_eq!(fault.place.line, line, "{text}: {}", fault.reason);
            assert!(!fault.reason.is_empty());
        }
        // Even the deepest text within the size limit does not overflow the stack.
        assert!(parse(&format!("theme = {}", "[".repeat(64 << 10))).is_err());
        assert!(parse(&"a.".repeat(32 << 10)).is_err());
    }

    #[test]
    fn too_many_pins_are_rejected() {
        let list = |count: usize| (0..count).map(|number| format!("'{number}'")).collect::<Vec<_>>().join(",");
        assert!(parse(&format!("panes.pinned = [{}]", list(MOST_PINNED))).is_ok());
        let fault = parse(&format!("panes.pinned = [{}]", list(MOST_PINNED + 1))).err();
        assert_eq!(fault.map(|fault| fault.reason).as_deref(), Some("at most 32 fields can be pinned"));
    }

    #[test]
    fn a_bad_file_is_reported_on_one_line_without_control_characters() {
        let bad = BadConfig {
            path: PathBuf::from("a\u{1b}b/config.toml"),
            place: Some(ConfigPlace { line: 3, column: 1 }),
            reason: "unknown key \"thme\"; did you mean \"theme\"?".to_owned(),
        };
        let text = r#"a\u{1b}b/config.toml: line 3: unknown key "thme"; did you mean "theme"?"#;
        assert_eq!(bad.to_string(), text);
        let bad = BadConfig { place: None, reason: "one\ntwo".to_owned(), ..bad };
        assert_eq!(bad.to_string(), r"a\u{1b}b/config.toml: one\ntwo");
    }
}

//! The table of all dialects, and the catalogue of all checks made from it.
//!
//! A file without records is opened as a log of the first dialect.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr))]

use std::path::{Path, PathBuf};

use crate::crashpack;
use crate::dialect::Dialect;
use crate::dialect::answer::Answer;
use crate::dialect::convert::ConvertForm;
use crate::dialect::diff::DiffMode;
use crate::dialect::folder::LogFolder;
use crate::log::Options;
use crate::replay::check::Check;
use crate::replay::damage;
use crate::{agent, doctor, session, tape, transfer, turn};

/// A dialect that only the tests know, to prove that a folder and a row are enough.
#[cfg(test)]
#[path = "../tests/toy/mod.rs"]
mod toy;

pub(crate) static DIALECTS: &[&Dialect] = &[
    &turn::dialect::DIALECT,
    &tape::dialect::DIALECT,
    &transfer::dialect::DIALECT,
    &agent::dialect::DIALECT,
    &session::dialect::DIALECT,
    #[cfg(test)]
    &toy::DIALECT,
];

/// The dialect with this name for `--dialect`.
pub(crate) fn by_name(name: &str) -> Option<&'static Dialect> {
    DIALECTS.iter().copied().find(|dialect| dialect.name == name)
}

/// The log of a folder that has started the others, if some of its logs belong together.
pub(crate) fn family_root(folder: &Path) -> Option<PathBuf> {
    let columns = DIALECTS.iter().filter_map(|dialect| dialect.family);
    columns.into_iter().find_map(|column| Some((column.in_folder)(folder).root()?.path.clone()))
}

/// The dialect whose logs are such folders.
pub(crate) fn of_folder(folder: &Path) -> Option<(&'static Dialect, &'static LogFolder)> {
    let rows = DIALECTS.iter().filter_map(|dialect| Some((*dialect, dialect.folder.as_ref()?)));
    rows.into_iter().find(|(_, column)| (column.is_one)(folder))
}

/// The modes of `diff` that dialects have, each with its dialect.
pub(crate) fn diff_modes() -> impl Iterator<Item = (&'static Dialect, &'static DiffMode)> {
    DIALECTS.iter().flat_map(|dialect| dialect.diff.modes.iter().map(|mode| (*dialect, mode)))
}

/// A mode of `diff` by its name or alias.
pub(crate) fn diff_mode(name: &str) -> Option<(&'static Dialect, &'static DiffMode)> {
    diff_modes().find(|(_, mode)| mode.name == name || mode.aliases.contains(&name))
}

/// The questions that `explain` answers, each once.
pub(crate) fn answers() -> impl Iterator<Item = &'static Answer> {
    once_each(DIALECTS.iter().flat_map(|dialect| dialect.answers), |answer| answer.name)
}

/// The forms that `convert` writes, each once.
pub(crate) fn convert_forms() -> impl Iterator<Item = &'static ConvertForm> {
    once_each(DIALECTS.iter().flat_map(|dialect| dialect.convert), |form| form.name)
}

/// The first row of each name: dialects may have rows in common.
fn once_each<T>(rows: impl Iterator<Item = T>, name: fn(&T) -> &'static str) -> impl Iterator<Item = T> {
    let mut names: Vec<&str> = Vec::new();
    rows.filter(move |row| {
        let is_new = !names.contains(&name(row));
        names.push(name(row));
        is_new
    })
}

/// The dialects whose logs answer a question.
pub(crate) fn answering(question: &str) -> impl Iterator<Item = &'static Dialect> {
    let answers = move |dialect: &&Dialect| dialect.answers.iter().any(|answer| answer.name == question);
    DIALECTS.iter().copied().filter(answers)
}

/// Every check of logs: damage first, then the dialects in order, those of crashpacks last.
pub(crate) fn catalogue() -> impl Iterator<Item = &'static Check> {
    let of_dialects = DIALECTS.iter().flat_map(|dialect| dialect.checks);
    damage::CHECKS.iter().chain(of_dialects).chain(crashpack::checks::CHECKS).copied()
}

/// Every check of the program: those of logs, then those of `doctor`.
pub(crate) fn all_checks() -> impl Iterator<Item = &'static Check> {
    catalogue().chain(doctor::checks::CHECKS.iter().copied())
}

/// By default all dialects are tried. This is here because `log` does not know any dialect.
impl Default for Options {
    fn default() -> Options {
        Options { turn: None, dialect: None, dialects: DIALECTS }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::log::Log;

    #[test]
    fn names_of_dialects_are_unique() {
        let names: BTreeSet<&str> = DIALECTS.iter().map(|dialect| dialect.name).collect();
        assert_eq!(names.len(), DIALECTS.len());
        assert!(names.iter().all(|name| by_name(name).is_some_and(|dialect| dialect.name == *name)));
        assert_eq!(by_name("none"), None);
    }

    #[test]
    fn every_dialect_is_detected_by_its_records() {
        let examples = [
            ("turn", r#"{"event_type":"turn_started","turn_id":"t"}"#),
            ("tape", r#"{"type":"header","version":5,"harn_version":"1"}"#),
            ("transfer", r#"{"transfer":"oracle","oracle":"o"}"#),
            ("agent", r#"{"type":"user","uuid":"u","parentUuid":null,"sessionId":"s","message":{"content":"hello"}}"#),
            ("session", r#"{"seq":0,"event":{"kind":"suspended","turn":1,"reason":"ask_user"}}"#),
            ("lift", r#"{"lift":"opened"}"#),
        ];
        assert_eq!(examples.map(|(name, _)| name).to_vec(), DIALECTS.iter().map(|row| row.name).collect::<Vec<_>>());
        for (name, line) in examples {
            let log = Log::from_bytes("example".to_owned(), None, line.into(), &Options::default()).expect(name);
            assert_eq!(log.dialect.name, name);
        }
    }
}

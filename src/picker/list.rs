//! The list of sessions: files in their order, what is known of each, and those that a user searches for.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use super::fill::{Details, Filling};
use super::scan::SessionFile;
use crate::agent::outline::Outline;
use crate::text::fuzzy::FuzzyPattern;

pub(crate) struct SessionList {
    files: Arc<[SessionFile]>,
    /// What is known of each file so far.
    details: Vec<Option<Details>>,
    known: usize,
}

/// One session of the list.
#[derive(Clone, Copy)]
pub(crate) struct Listed<'l> {
    pub file: &'l SessionFile,
    /// `None` as long as it has not been read.
    pub details: Option<&'l Details>,
}

impl SessionList {
    pub(crate) fn new(files: Arc<[SessionFile]>) -> SessionList {
        let details = files.iter().map(|_| None).collect();
        SessionList { files, details, known: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.files.len()
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.known == self.files.len()
    }

    pub(crate) fn get(&self, number: usize) -> Option<Listed<'_>> {
        let file = self.files.get(number)?;
        Some(Listed { file, details: self.details.get(number)?.as_ref() })
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Listed<'_>> {
        self.files.iter().zip(&self.details).map(|(file, details)| Listed { file, details: details.as_ref() })
    }

    pub(crate) fn learn(&mut self, number: usize, details: Details) {
        if let Some(known) = self.details.get_mut(number) {
            self.known += usize::from(known.is_none());
            *known = Some(details);
        }
    }

    /// Reads the files in their order until this many sessions are known.
    pub(crate) fn read(&mut self, limit: usize) -> io::Result<()> {
        let (mut from, mut sessions) = (0, 0);
        while from < self.len() && sessions < limit {
            let files: Arc<[SessionFile]> = self.files.iter().skip(from).take(limit).cloned().collect();
            let count = files.len();
            for (number, details) in Filling::start(files)?.rest() {
                sessions += usize::from(matches!(details, Details::Session(_)));
                self.learn(from + number, details);
            }
            from += count;
        }
        Ok(())
    }

    /// The numbers of the sessions that fit: the best first, and the newest first among equals. Files that are known not
    /// to be sessions are left out.
    pub(crate) fn search(&self, pattern: &FuzzyPattern) -> Vec<usize> {
        let sessions = self.iter().enumerate().filter(|(_, listed)| listed.details != Some(&Details::NotASession));
        let scored = sessions.filter_map(|(number, listed)| Some((listed.score(pattern)?, number)));
        let mut found: Vec<(u32, usize)> = scored.collect();
        // A stable sort: equals keep the order of the list.
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        found.into_iter().map(|(_, number)| number).collect()
    }
}

impl<'l> Listed<'l> {
    pub(crate) fn outline(self) -> Option<&'l Outline> {
        match self.details {
            Some(Details::Session(outline)) => Some(outline),
            _ => None,
        }
    }

    /// The name of the folder that the agent worked in. Before it is known, that of the folder of the file.
    pub(crate) fn project(self) -> String {
        let cwd = self.outline().and_then(|outline| outline.cwd.as_deref()).map(Path::new);
        let folder = cwd.or_else(|| self.file.path.parent()).unwrap_or(Path::new(""));
        folder.file_name().map_or_else(|| folder.display().to_string(), |name| name.to_string_lossy().into_owned())
    }

    /// What the session is about: its title, else its first prompt.
    pub(crate) fn subject(self) -> Option<&'l str> {
        let outline = self.outline()?;
        outline.title.as_deref().or(outline.prompt.as_deref())
    }

    /// How long ago the file was written, in seconds.
    pub(crate) fn age_seconds(self, now: SystemTime) -> Option<u64> {
        Some(now.duration_since(self.file.modified?).map_or(0, |age| age.as_secs()))
    }

    fn score(self, pattern: &FuzzyPattern) -> Option<u32> {
        if pattern.is_empty() {
            return Some(0);
        }
        let name = self.file.path.file_name().unwrap_or_default().to_string_lossy();
        let project = self.project();
        let outline = self.outline();
        let texts = outline.into_iter().flat_map(|outline| {
            let said = [&outline.title, &outline.prompt, &outline.branch, &outline.outcome, &outline.model];
            said.into_iter().flatten().map(|text| &**text).chain([outline.program])
        });
        pattern.score([&*name, &*project].into_iter().chain(texts))
    }
}

/// A length in the unit that fits: `812 B`, `96 kB`, `2.1 MB`.
pub(crate) fn size(bytes: u64) -> String {
    scaled(bytes, &[" B", " kB", " MB", " GB", " TB"])
}

/// A number of tokens: `812`, `96k`, `2.1M`.
pub(crate) fn tokens(count: u64) -> String {
    scaled(count, &["", "k", "M", "G", "T"])
}

fn scaled(number: u64, units: &[&str]) -> String {
    let (mut value, mut unit) = (number as f64, 0);
    while value >= 999.5 && unit + 1 < units.len() {
        (value, unit) = (value / 1000.0, unit + 1);
    }
    let places = usize::from(unit > 0 && value < 9.95);
    format!("{value:.places$}{}", units[unit])
}

/// A time ago, in the largest unit: `now`, `5 min`, `3 h`, `12 d`, `4 mo`, `2 y`.
pub(crate) fn age(seconds: u64) -> String {
    const MINUTE: u64 = 60;
    const HOUR: u64 = 60 * MINUTE;
    const DAY: u64 = 24 * HOUR;
    match seconds {
        _ if seconds < MINUTE => "now".to_owned(),
        _ if seconds < HOUR => format!("{} min", seconds / MINUTE),
        _ if seconds < DAY => format!("{} h", seconds / HOUR),
        _ if seconds < 60 * DAY => format!("{} d", seconds / DAY),
        _ if seconds < 730 * DAY => format!("{} mo", seconds / (30 * DAY)),
        _ => format!("{} y", seconds / (365 * DAY)),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::agent::outline::{Excerpt, outline};

    fn session(folder: &str, prompt: &str) -> Details {
        let line = format!(
            r#"{{"type":"user","uuid":"u","parentUuid":null,"sessionId":"s","cwd":"/p/{folder}","message":{{"content":"{prompt}"}}}}"#
        );
        Details::Session(Box::new(outline(&Excerpt { head: line.as_bytes(), tail: None }).expect("a session")))
    }

    fn list() -> SessionList {
        let file = |name: &str| SessionFile { path: PathBuf::from(name), bytes: 1, modified: None };
        let mut list = SessionList::new(["a/1.jsonl", "a/2.jsonl", "a/3.jsonl", "b/4.jsonl"].map(file).into());
        list.learn(0, session("lexer", "make the parser faster"));
        list.learn(1, session("parser", "a flaky test"));
        list.learn(2, Details::NotASession);
        list
    }

    #[test]
    fn sessions_are_found_by_any_of_their_texts() {
        let list = list();
        let found = |text: &str| list.search(&FuzzyPattern::new(text));
        assert_eq!(found(""), [0, 1, 3], "the one without details is listed");
        assert_eq!(found("parser"), [0, 1], "equals keep their order");
        assert_eq!(found("parser flaky"), [1]);
        assert_eq!(found("claude faster"), [0]);
        assert_eq!(found("4.js"), [3]);
        assert!(found("nothing like that").is_empty());
        assert!(!list.is_complete());
    }

    #[test]
    fn a_session_is_described_before_and_after_it_is_read() {
        let list = list();
        let of = |number: usize| list.get(number).map(|listed| (listed.project(), listed.subject().map(str::to_owned)));
        assert_eq!(of(0), Some(("lexer".to_owned(), Some("make the parser faster".to_owned()))));
        assert_eq!(of(3), Some(("b".to_owned(), None)));
        assert_eq!(of(4), None);
    }

    #[test]
    fn numbers_have_the_unit_that_fits() {
        assert_eq!(
            [0, 999, 1000, 9949, 9950, 999_499, 999_500].map(size),
            ["0 B", "999 B", "1.0 kB", "9.9 kB", "10 kB", "999 kB", "1.0 MB"]
        );
        assert_eq!(tokens(148_230), "148k");
        assert_eq!(size(u64::MAX), "18446744 TB");
        assert_eq!(
            [0, 60, 7199, 86_400, 5_184_000, 99_999_999].map(age),
            ["now", "1 min", "1 h", "1 d", "2 mo", "3 y"]
        );
    }
}

//! Bookmarks: named places of a log with notes, changes to a set of them, and its JSON form.
//!
//! Where the set is stored is not decided here. [`anchor`] describes the event of a bookmark, [`find`] finds it again.

pub(crate) mod anchor;
pub(crate) mod content;
pub(crate) mod find;

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer, Serialize};

use self::anchor::Anchor;
use super::Place;
use super::finding::is_hostile;

/// The version of the JSON form. Any addition increases it, so that an older program rejects the file instead of losing
/// what it does not know.
const VERSION: u32 = 1;
pub(crate) const NAME_LIMIT_CHARS: usize = 100;
pub(crate) const NOTE_LIMIT_CHARS: usize = 10_000;
pub(crate) const COUNT_LIMIT: usize = 10_000;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Bookmark {
    /// Unique in its set. Empty only before it is added to a set, which then generates a name.
    #[serde(deserialize_with = "checked_name")]
    pub name: String,
    /// The text as the user wrote it: escape it before printing.
    #[serde(deserialize_with = "checked_note")]
    pub note: String,
    pub anchor: Anchor,
}

/// One change to a set. It is applied to the current set, with the changes of other processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BookmarkEdit {
    /// A bookmark without a name gets the next of `m1`, `m2`, …
    Add(Bookmark),
    Remove(String),
    /// Replaces the note of a bookmark; an empty note removes it.
    Note(String, String),
}

/// Why a change cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refused {
    #[error("the name of a bookmark must not be empty")]
    EmptyName,
    #[error(
        "the name of a bookmark must not contain control characters, or begin or end with a space; choose another name"
    )]
    OddName,
    #[error("the name of a bookmark may have at most {NAME_LIMIT_CHARS} characters; choose a shorter name")]
    LongName,
    #[error("the note of a bookmark may have at most {NOTE_LIMIT_CHARS} characters; keep longer texts in a file")]
    LongNote,
    #[error("there is already a bookmark {0:?}; choose another name, or remove that bookmark first")]
    NameTaken(String),
    #[error("there is no bookmark {name:?}; {}", known_names(.known))]
    Unknown { name: String, known: Vec<String> },
    #[error("a log may have at most {COUNT_LIMIT} bookmarks; remove some first")]
    TooMany,
}

fn known_names(known: &[String]) -> String {
    const SHOWN: usize = 10;
    let shown: Vec<String> = known.iter().take(SHOWN).map(|name| format!("{name:?}")).collect();
    match known.len() {
        0 => "this log has none".to_owned(),
        count if count > SHOWN => format!("there are {} and {} more", shown.join(", "), count - SHOWN),
        _ => format!("there are {}", shown.join(", ")),
    }
}

/// The bookmarks of one log, in the order in which they were added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bookmarks {
    list: Vec<Bookmark>,
}

impl Bookmarks {
    pub(crate) fn as_slice(&self) -> &[Bookmark] {
        &self.list
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Bookmark> {
        self.list.iter().find(|bookmark| bookmark.name == name)
    }

    /// Applies one change or none, and returns the name of the bookmark concerned.
    pub(crate) fn apply(&mut self, edit: BookmarkEdit) -> Result<String, Refused> {
        match edit {
            BookmarkEdit::Add(bookmark) => self.add(bookmark),
            BookmarkEdit::Remove(name) => {
                let position = self.position(&name)?;
                self.list.remove(position);
                Ok(name)
            }
            BookmarkEdit::Note(name, note) => {
                check_note(&note)?;
                let position = self.position(&name)?;
                self.list[position].note = note;
                Ok(name)
            }
        }
    }

    fn add(&mut self, mut bookmark: Bookmark) -> Result<String, Refused> {
        if bookmark.name.is_empty() {
            bookmark.name = self.next_name();
        }
        check_name(&bookmark.name)?;
        check_note(&bookmark.note)?;
        if self.get(&bookmark.name).is_some() {
            return Err(Refused::NameTaken(bookmark.name));
        }
        if self.list.len() >= COUNT_LIMIT {
            return Err(Refused::TooMany);
        }
        let name = bookmark.name.clone();
        self.list.push(bookmark);
        Ok(name)
    }

    fn position(&self, name: &str) -> Result<usize, Refused> {
        self.list.iter().position(|bookmark| bookmark.name == name).ok_or_else(|| self.unknown(name))
    }

    pub(crate) fn unknown(&self, name: &str) -> Refused {
        let known = self.list.iter().map(|bookmark| bookmark.name.clone()).collect();
        Refused::Unknown { name: name.to_owned(), known }
    }

    /// One more than the highest number in use, so that the name of a removed bookmark is not reused soon.
    fn next_name(&self) -> String {
        let number = |bookmark: &Bookmark| {
            let digits = bookmark.name.strip_prefix('m')?;
            let is_plain = digits.len() <= 9 && digits.bytes().all(|byte| byte.is_ascii_digit());
            if is_plain { digits.parse::<u64>().ok() } else { None }
        };
        format!("m{}", self.list.iter().filter_map(number).max().unwrap_or(0) + 1)
    }

    pub(crate) fn to_json(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut bytes = serde_json::to_vec_pretty(&Document { version: VERSION, bookmarks: &*self.list })?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    pub(crate) fn from_json(bytes: &[u8]) -> Result<Bookmarks, Unreadable> {
        let head: VersionHead = serde_json::from_slice(bytes).map_err(|error| Unreadable::at(bytes, &error))?;
        if head.version != VERSION {
            let version = head.version;
            let reason =
                format!("it has version {version}, but this stepback only knows {VERSION}; use a newer stepback");
            return Err(Unreadable { place: None, reason });
        }
        let document: Document<Vec<Bookmark>> =
            serde_json::from_slice(bytes).map_err(|error| Unreadable::at(bytes, &error))?;
        let list = document.bookmarks;
        let mut names = BTreeSet::new();
        if let Some(twice) = list.iter().find(|bookmark| !names.insert(bookmark.name.as_str())) {
            return Err(Unreadable { place: None, reason: format!("the name {:?} occurs twice", twice.name) });
        }
        if list.len() > COUNT_LIMIT {
            return Err(Unreadable { place: None, reason: Refused::TooMany.to_string() });
        }
        Ok(Bookmarks { list })
    }
}

/// The beginning of every version of the form.
#[derive(Deserialize)]
struct VersionHead {
    version: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document<L> {
    version: u32,
    bookmarks: L,
}

/// Why some bytes are not a set of bookmarks, and where, if known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unreadable {
    pub place: Option<Place>,
    pub reason: String,
}

impl Unreadable {
    fn at(bytes: &[u8], error: &serde_json::Error) -> Self {
        let line = error.line().max(1);
        let start = if line == 1 { 0 } else { memchr::memchr_iter(b'\n', bytes).nth(line - 2).map_or(0, |at| at + 1) };
        let byte = (start + error.column().saturating_sub(1)).min(bytes.len());
        let message = error.to_string();
        let reason = message.rsplit_once(" at line ").map_or(message.as_str(), |parts| parts.0).to_owned();
        Unreadable { place: Some(Place { line: line as u64, byte: byte as u64 }), reason }
    }
}

fn check_name(name: &str) -> Result<(), Refused> {
    if name.is_empty() {
        Err(Refused::EmptyName)
    } else if name.chars().count() > NAME_LIMIT_CHARS {
        Err(Refused::LongName)
    } else if name.contains(is_hostile) || name.trim() != name {
        Err(Refused::OddName)
    } else {
        Ok(())
    }
}

fn check_note(note: &str) -> Result<(), Refused> {
    if note.chars().count() > NOTE_LIMIT_CHARS { Err(Refused::LongNote) } else { Ok(()) }
}

fn checked_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let name = String::deserialize(deserializer)?;
    check_name(&name).map_err(serde::de::Error::custom)?;
    Ok(name)
}

fn checked_note<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let note = String::deserialize(deserializer)?;
    check_note(&note).map_err(serde::de::Error::custom)?;
    Ok(note)
}

#[cfg(test)]
mod tests {
    use super::content::EventHash;
    use super::*;
    use crate::replay::Seq;

    fn bookmark(name: &str) -> Bookmark {
        let content = EventHash::of_event(br#"{"a":1}"#);
        let anchor = Anchor { at: Seq(7), kind: "steer".to_owned(), step: 2, ordinal: 1, turn: None, content };
        Bookmark { name: name.to_owned(), note: "why\n\u{1b}[2J".to_owned(), anchor }
    }

    fn set(names: &[&str]) -> Bookmarks {
        let mut set = Bookmarks::default();
        for name in names {
            set.apply(BookmarkEdit::Add(bookmark(name))).expect("added");
        }
        set
    }

    fn names(set: &Bookmarks) -> Vec<&str> {
        set.as_slice().iter().map(|bookmark| &*bookmark.name).collect()
    }

    #[test]
    fn edits_change_one_bookmark_by_its_name() {
        let mut set = set(&["one", "two"]);
        assert_eq!(set.apply(BookmarkEdit::Note("two".into(), "other".into())), Ok("two".to_owned()));
        assert_eq!(set.get("two").map(|bookmark| &*bookmark.note), Some("other"));
        assert_eq!(set.apply(BookmarkEdit::Remove("one".into())), Ok("one".to_owned()));
        assert_eq!(names(&set), ["two"]);
        assert_eq!(set.apply(BookmarkEdit::Add(bookmark("two"))), Err(Refused::NameTaken("two".to_owned())));
        let unknown = set.apply(BookmarkEdit::Remove("one".into())).expect_err("gone");
        assert_eq!(unknown.to_string(), r#"there is no bookmark "one"; there are "two""#);
        assert_eq!(names(&set), ["two"]);
    }

    #[test]
    fn generated_names_are_not_reused() {
        let mut set = set(&["", "", "m7", "m007", "m99999999999999999999", ""]);
        assert_eq!(names(&set), ["m1", "m2", "m7", "m007", "m99999999999999999999", "m8"]);
        set.apply(BookmarkEdit::Remove("m7".into())).expect("removed");
        assert_eq!(set.apply(BookmarkEdit::Add(bookmark(""))), Ok("m9".to_owned()));
    }

    #[test]
    fn odd_names_and_long_notes_are_rejected() {
        let mut set = Bookmarks::default();
        for (name, refused) in [
            ("a\u{1b}[2Jb", Refused::OddName),
            ("a\nb", Refused::OddName),
            ("\u{202e}a", Refused::OddName),
            (" a", Refused::OddName),
            (&"x".repeat(NAME_LIMIT_CHARS + 1), Refused::LongName),
        ] {
            assert_eq!(set.apply(BookmarkEdit::Add(bookmark(name))), Err(refused), "{name:?}");
        }
        set.apply(BookmarkEdit::Add(bookmark(&"é".repeat(NAME_LIMIT_CHARS)))).expect("characters, not bytes");
        set.apply(BookmarkEdit::Add(bookmark("a"))).expect("added");
        assert_eq!(set.apply(BookmarkEdit::Note("a".into(), "n".repeat(NOTE_LIMIT_CHARS + 1))), Err(Refused::LongNote));
    }

    #[test]
    fn a_set_survives_writing_and_reading() {
        for set in [set(&["one", "m1", "日本"]), Bookmarks::default()] {
            assert_eq!(Bookmarks::from_json(&set.to_json().expect("JSON")), Ok(set));
        }
    }

    #[test]
    fn invalid_files_are_rejected() {
        let json = String::from_utf8(set(&["one", "two"]).to_json().expect("JSON")).expect("UTF-8");
        let reason = |json: &str| Bookmarks::from_json(json.as_bytes()).expect_err("refused");
        let newer = reason(&json.replace("\"version\": 1", "\"version\": 2, \"colours\": []"));
        assert!(newer.place.is_none() && newer.reason.contains("version 2"), "{newer:?}");
        assert!(reason(&json.replacen("\"name\"", "\"colour\": 3, \"name\"", 1)).reason.contains("colour"));
        assert!(reason(&json.replace("two", "one")).reason.contains("twice"));
        let odd = reason(&json.replace("two", "\\u001b[2J"));
        assert!(odd.place.is_some_and(|place| place.line > 10) && odd.reason.contains("control"), "{odd:?}");
        assert_eq!(reason("{\n  \"version\": x").place, Some(Place { line: 2, byte: 15 }));
        assert_eq!(reason("").place, Some(Place { line: 1, byte: 0 }));
    }
}

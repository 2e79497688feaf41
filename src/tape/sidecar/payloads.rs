//! The payloads of a tape in its store: which are missing, damaged or not referred to.
//!
//! The pass does not wait for this. Once all records are known, the entries that they name are hashed on all cores; only
//! if one is not as it should be, the tape is read once more to find where it is referred to.

use std::collections::BTreeMap;

use crate::dialect::open_log::{DialectError, OpenLog};
use crate::dialect::sidecar::SidecarProgress;
use crate::minimize::parts::Parts;
use crate::replay::Seq;
use crate::replay::finding::{Finding, Findings};
use crate::tape::event::{Line, Record};
use crate::tape::integrity::{see_orphans, see_stored};
use crate::tape::payload::Payload;
use crate::tape::store::PayloadStore;
use crate::tape::stored::{Stored, StoredEntry};

/// What is wrong with the payloads that a tape refers to, and with those that it does not.
pub(super) fn findings(
    log: &dyn OpenLog,
    store: &PayloadStore,
    last: Seq,
    progress: &SidecarProgress<'_>,
) -> Result<Vec<Finding>, DialectError> {
    let mut lengths = BTreeMap::new();
    log.each_record(&mut |read| {
        if let Some(record) = referring(read.record) {
            note_references(&record, &mut lengths);
        }
    })?;
    let names = lengths.keys().map(String::as_str).collect();
    // A folder that cannot be listed has entries that cannot be read, and those are told one by one.
    let stored = store.survey_names(&names, progress).unwrap_or_default();
    let mut findings = Findings::default();
    let is_sound = |(name, length): (&String, &Length)| is_sound(name, *length, &stored);
    if !lengths.iter().all(is_sound) {
        log.each_record(&mut |read| {
            if let Some(record) = referring(read.record) {
                see_stored(read.at, &record, &stored, &mut findings);
            }
        })?;
    }
    see_orphans(last, &stored, &mut findings);
    Ok(findings.into_sorted())
}

/// What a store holds of all that some records refer to. What no record refers to is no concern of theirs.
pub(super) fn survey(store: &PayloadStore, parts: &Parts) -> Stored {
    let mut lengths = BTreeMap::new();
    for part in 0..parts.len() as u32 {
        if let Some(record) = referring(parts.record(part)) {
            note_references(&record, &mut lengths);
        }
    }
    let names = lengths.keys().map(String::as_str).collect();
    store.survey_names(&names, &|_| true).unwrap_or_default()
}

/// How long the records say that an entry is.
#[derive(Clone, Copy, PartialEq)]
enum Length {
    Bytes(u64),
    /// They do not agree.
    Several,
}

fn note_references(record: &Record, lengths: &mut BTreeMap<String, Length>) {
    for (_, payload) in record.kind.payloads() {
        if let Payload::Cas { content_hash, len_bytes } = payload {
            let length = Length::Bytes(*len_bytes);
            let known = lengths.entry(content_hash.clone()).or_insert(length);
            if *known != length {
                *known = Length::Several;
            }
        }
    }
}

fn is_sound(name: &str, length: Length, stored: &Stored) -> bool {
    match stored.referenced.get(name) {
        Some(StoredEntry::Read { length_bytes, content_hash }) => {
            content_hash == name && length == Length::Bytes(*length_bytes)
        }
        // Its name is told by the record alone.
        Some(StoredEntry::BadName) => true,
        _ => false,
    }
}

/// Tells the entries that a record refers to.
pub(super) fn each_reference<E>(line: &[u8], visit: &mut dyn FnMut(&str) -> Result<(), E>) -> Result<(), E> {
    let Some(record) = referring(line) else { return Ok(()) };
    record.kind.payloads().into_iter().try_for_each(|(_, payload)| match payload {
        Payload::Cas { content_hash, .. } => visit(content_hash),
        Payload::Inline { .. } => Ok(()),
    })
}

/// A record that may refer to the store: most do not, and are not worth decoding again.
fn referring(line: &[u8]) -> Option<Record> {
    // A key may be written with escapes.
    let may_refer = memchr::memmem::find(line, b"len_bytes").is_some() || memchr::memmem::find(line, b"\\u").is_some();
    // A file's bytes are never in the store. Inside a text the quotes would be escaped.
    let is_file = memchr::memmem::find(line, b"{\"kind\":\"file_").is_some();
    if !may_refer || is_file {
        return None;
    }
    match Line::parse(std::str::from_utf8(line).ok()?) {
        Ok(Line::Record(record)) => Some(*record),
        _ => None,
    }
}

//! The stored payloads of a tape: which are missing, damaged or not referred to.
//!
//! The pass does not wait for this. When all records are known, the entries that they refer to are hashed on all cores.
//! Only if one of them is bad, the tape is read again to find the records that refer to it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use memchr::memmem::Finder;

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

/// The findings about payloads that the tape refers to, and about those that it does not refer to.
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
    // If the folder cannot be listed, its entries cannot be read either, and are reported one by one.
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

/// The stored entries that some records refer to. Orphans are ignored.
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

/// The length of an entry according to the records.
#[derive(Clone, Copy, PartialEq)]
enum Length {
    Bytes(u64),
    /// The records disagree.
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
        // A bad name is found in the record itself.
        Some(StoredEntry::BadName) => true,
        _ => false,
    }
}

/// Visits the entries that a record refers to.
pub(super) fn each_reference<E>(line: &[u8], visit: &mut dyn FnMut(&str) -> Result<(), E>) -> Result<(), E> {
    let Some(record) = referring(line) else { return Ok(()) };
    record.kind.payloads().into_iter().try_for_each(|(_, payload)| match payload {
        Payload::Cas { content_hash, .. } => visit(content_hash),
        Payload::Inline { .. } => Ok(()),
    })
}

/// Decodes a record that may refer to the store. Most do not, and are not decoded again.
fn referring(line: &[u8]) -> Option<Record> {
    static WORDS: LazyLock<[Finder<'static>; 3]> =
        LazyLock::new(|| [Finder::new("len_bytes"), Finder::new("\\u"), Finder::new("{\"kind\":\"file_")]);
    let [length, escape, file] = &*WORDS;
    // A key may be written with escapes.
    let may_refer = length.find(line).is_some() || escape.find(line).is_some();
    // The content of files is never in the store. Inside a text, the quotes would be escaped.
    if !may_refer || file.find(line).is_some() {
        return None;
    }
    match Line::parse_any(std::str::from_utf8(line).ok()?) {
        Ok(Line::Record(record)) => Some(*record),
        _ => None,
    }
}

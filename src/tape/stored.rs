//! The examined payload store of a tape, as plain data, so that its checks stay pure.

use std::collections::{BTreeMap, BTreeSet};

use super::payload::Payload;
use super::whole::Tape;

/// The state of an entry that the tape refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StoredEntry {
    /// The name is not a hash, so no file was opened.
    BadName,
    Missing,
    /// A symbolic link, a folder or a device. It was not opened.
    NotAFile,
    /// Larger than the limit, so it was not read.
    TooLarge {
        length_bytes: u64,
    },
    Unreadable {
        reason: String,
    },
    Read {
        length_bytes: u64,
        content_hash: String,
    },
}

/// Access to stored payloads. Implementations do the IO.
pub(crate) trait Payloads: Send + Sync {
    /// The bytes of an entry, if there are at most `most` and they match the hash.
    fn bytes(&self, content_hash: &str, most: u64) -> Option<Vec<u8>>;
}

/// The result of examining the store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stored {
    /// The entries that the tape refers to, by name.
    pub referenced: BTreeMap<String, StoredEntry>,
    /// The number of entries in the folder.
    pub entries: usize,
    /// Entries that the tape does not refer to, sorted, up to a limit.
    pub orphans: Vec<String>,
}

/// The names of the stored payloads that a tape refers to, each once.
pub(crate) fn references(tape: &Tape) -> BTreeSet<&str> {
    let payloads = tape.records.iter().flat_map(|record| record.kind.payloads());
    payloads
        .filter_map(|(_, payload)| match payload {
            Payload::Cas { content_hash, .. } => Some(content_hash.as_str()),
            Payload::Inline { .. } => None,
        })
        .collect()
}

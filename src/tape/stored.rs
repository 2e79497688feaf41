//! What the edge found out about the store beside a tape. Plain data, so that the checks of it stay pure.

use std::collections::{BTreeMap, BTreeSet};

use super::payload::Payload;
use super::whole::Tape;

/// What stands under a name that the tape refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StoredEntry {
    /// The name is no hash; nobody looked for such a file.
    BadName,
    Missing,
    /// A symbolic link, a folder or a device. It was not opened.
    NotAFile,
    /// Above the limit, so its bytes were not read.
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

/// Where payloads that stand in no line are found. Who implements it does the IO.
pub(crate) trait Payloads: Send + Sync {
    /// The bytes of an entry, if there are at most `most` and they are those that its name promises.
    fn bytes(&self, content_hash: &str, most: u64) -> Option<Vec<u8>>;
}

/// The store as the edge found it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stored {
    /// By the names that the tape refers to.
    pub referenced: BTreeMap<String, StoredEntry>,
    /// How many entries the folder has.
    pub entries: usize,
    /// Entries that the tape does not refer to, sorted. At most as many as the edge keeps.
    pub orphans: Vec<String>,
}

/// The names that a tape's payloads have in its store, each once.
pub(crate) fn references(tape: &Tape) -> BTreeSet<&str> {
    let payloads = tape.records.iter().flat_map(|record| record.kind.payloads());
    payloads
        .filter_map(|(_, payload)| match payload {
            Payload::Cas { content_hash, .. } => Some(content_hash.as_str()),
            Payload::Inline { .. } => None,
        })
        .collect()
}

//! Tests of the built program on the command line.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at the first surprise")]

mod bookmarks;
mod broken;
mod compressed;
mod conformance;
mod crashpack;
mod desk;
mod docs;
mod doctor;
#[cfg(unix)]
mod faults;
mod fixtures;
mod following;
mod gate;
mod hostile;
#[cfg(unix)]
mod kills;
mod minimize;
mod page;
mod picture;
mod query;
mod redacted_packs;
mod redacted_places;
mod redaction;
#[cfg(unix)]
mod sessions;
mod signals;
mod tapes;
mod transfers;

#[path = "../support/corpus.rs"]
mod corpus;
#[path = "../support/files.rs"]
mod files;
#[path = "../support/growing.rs"]
mod growing;
#[path = "../support/secrets.rs"]
mod secrets;
#[path = "../support/templates.rs"]
mod templates;

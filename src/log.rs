//! Bytes in: opening a log, telling what it is, and cutting it into records.
//!
//! This room does IO and nothing else: it knows containers (lines, arrays, bundles, a SQLite store), not what
//! an event means. Memory stays bounded whatever the input is.

pub(crate) mod detect;
pub(crate) mod error;
pub(crate) mod holding;
pub(crate) mod open;
pub(crate) mod paged;
mod reading;
pub(crate) mod records;
pub(crate) mod source;
pub(crate) mod sqlite;
pub(crate) mod walk;

pub use error::LogError;
pub use open::{Log, Options};

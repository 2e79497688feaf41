//! Bytes in: opening a log, telling what it is, and cutting it into records.
//!
//! This room does IO and nothing else: it knows containers (lines, arrays, bundles, a SQLite store), not what
//! an event means. Memory stays bounded whatever the input is.

pub mod detect;
pub mod error;
pub mod holding;
pub mod open;
pub mod paged;
mod reading;
pub mod records;
pub mod source;
pub mod sqlite;
pub mod walk;

pub use error::LogError;
pub use open::{Log, Options};
pub use records::{Item, Records};

//! Reading logs: opening a file, detecting its dialect and container, and splitting it into records.
//!
//! This module does IO and nothing else: it knows containers (lines, arrays, bundles, a SQLite database), but not what
//! an event means. Memory is bounded for any input.

pub(crate) mod detect;
pub(crate) mod error;
pub(crate) mod file_handle;
pub(crate) mod held;
pub(crate) mod holding;
pub(crate) mod inflating;
mod joined;
pub(crate) mod line_reader;
mod lookalike;
pub(crate) mod open;
pub(crate) mod paged;
mod reading;
pub(crate) mod records;
pub(crate) mod source;
pub(crate) mod sqlite;
pub(crate) mod stream;
pub(crate) mod walk;

pub use error::LogError;
pub use open::{Log, Options};

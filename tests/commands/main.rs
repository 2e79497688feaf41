//! Tests of the built program on the command line.

mod bookmarks;
mod broken;
mod conformance;
mod docs;
mod fixtures;
mod hostile;
mod query;
mod redaction;
#[cfg(unix)]
mod signals;

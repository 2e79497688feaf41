//! The built program as scripts and people use it.

mod bookmarks;
mod broken;
mod conformance;
mod fixtures;
mod hostile;
mod query;
mod readme;

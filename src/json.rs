//! JSON as bytes: where a value begins and ends, what a string says, and a value as rows for people.
//!
//! Everything here is pure. It knows only what it is sure of: a scanner that meets anything unusual
//! answers `None`, and the caller decodes that value again with `serde_json`, which is exact.

mod near;
pub mod pretty;
pub mod scan;
pub mod spans;
pub mod string;
pub mod text;
pub mod token;
pub mod tree;

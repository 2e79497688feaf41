//! JSON as bytes: where a value begins and ends, and what a string says, without building a tree.
//!
//! Everything here is pure. It knows only what it is sure of: a scanner that meets anything unusual
//! answers `None`, and the caller decodes that value again with `serde_json`, which is exact.

mod near;
pub mod pretty;
pub mod scan;
pub mod spans;
pub mod text;
pub mod tree;

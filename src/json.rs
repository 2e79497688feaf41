//! JSON as bytes: tokens with spans, string literals, a fast scanner, layout over lines, and rows that fold.
//!
//! - [`string`] finds the end of a literal and reads escapes; all other modules use it. [`text`] is a string that stays
//!   escaped until it is read.
//! - [`token`] is the tokenizer, for whole texts. [`pretty`] and [`tree`] are built on it.
//! - [`spans`] finds the end of a value whose bytes arrive in pieces.
//! - [`raw`] holds values as slices of bytes, for records that are read leniently.
//! - [`scan`] is the fast path of decoding: it returns `None` for anything unusual, and the caller decodes that value
//!   again with `serde_json`, which is exact.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr))]

pub(crate) mod byte_index;
mod near;
pub(crate) mod pretty;
pub(crate) mod raw;
pub(crate) mod scan;
pub(crate) mod spans;
pub(crate) mod string;
pub(crate) mod text;
pub(crate) mod token;
pub(crate) mod tree;

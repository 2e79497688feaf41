//! Sessions of coding agents on this machine: where each program keeps them, and what a list shows of each.
//!
//! - [`place`] knows the folders, [`scan`] lists the files in them with size and date, newest first.
//! - [`read`] reads the beginning and the end of a file, and [`fill`] does so for all of them on threads.
//! - [`list`] joins both, and finds what a user searches for.
//!
//! Nothing is written, links are not followed, and no file is read as a whole unless it is short.

pub(crate) mod fill;
pub(crate) mod list;
pub(crate) mod place;
pub(crate) mod read;
pub(crate) mod scan;

//! Event tapes: what a run met at its host's boundary, record by record. Pure throughout.
//!
//! - Lines: [`header`], [`kind`] and [`payload`] say what they hold, [`wire`] parses and writes one, [`read`] a tape.
//! - One tape: [`facts`] with its [`chains`] of clock readings; [`stored`] is what the edge tells of the store.

pub mod chains;
pub mod facts;
pub mod header;
pub mod kind;
pub mod payload;
pub mod read;
pub mod stored;
pub mod wire;

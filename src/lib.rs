//! Stepback.
pub mod cli;
pub mod dialect;
pub mod json;
pub mod log;
pub mod redact;
pub mod replay;
pub mod turn;

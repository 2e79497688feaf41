//! Stepback.
pub mod json;
pub mod replay;
pub mod turn;

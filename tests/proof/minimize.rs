//! Minimizing: laws over random failing logs of each dialect.

mod lab;
mod laws;
mod planted;
mod tapes;
mod transfers;

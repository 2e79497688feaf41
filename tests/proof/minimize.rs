//! Minimizing: laws over random failing logs of each dialect, and the command as scripts use it.

mod command;
mod lab;
mod laws;
mod planted;
mod tapes;
mod transfers;

//! Minimizing: laws over random failing logs of each dialect, and the command as scripts use it.

mod support;

#[path = "minimize/command.rs"]
mod command;
#[path = "minimize/lab.rs"]
mod lab;
#[path = "minimize/laws.rs"]
mod laws;
#[path = "minimize/planted.rs"]
mod planted;
#[path = "minimize/tapes.rs"]
mod tapes;
#[path = "minimize/transfers.rs"]
mod transfers;

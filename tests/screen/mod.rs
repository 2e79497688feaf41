//! The screen without a terminal: keys and the mouse in, frames and requests out.

mod compare;
mod detail;
mod export;
mod frames;
mod inquiry;
mod keys;
mod minimize;
mod opening;
#[cfg(unix)]
mod panics;
mod picker;
mod tour;
mod walk;
mod whatif;

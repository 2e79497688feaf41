//! The screen without a terminal: keys and the mouse in, frames and wishes out.

mod detail;
mod exporting;
mod frames;
mod keys;
mod minimizing;
mod opening;
#[cfg(unix)]
mod panics;
mod variant;
mod versus;
mod walk;

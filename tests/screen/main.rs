//! The screen without a terminal: keys and the mouse in, frames and wishes out.

#[path = "../support/bench.rs"]
mod bench;
mod detail;
mod exporting;
mod frames;
mod keys;
mod minimizing;
mod opening;
#[path = "../support/random.rs"]
mod random;
mod variant;
mod versus;
mod walk;

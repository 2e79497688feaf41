//! The panes: each makes the lines that it shows of a moment.

pub mod aligned;
pub mod both;
pub mod coherence;
pub mod detail;
pub mod effects;
pub mod events;
pub mod projection;
pub mod strip;

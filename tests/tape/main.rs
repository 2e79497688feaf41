//! Tapes: recorded results, what stands beside them, damage, and the fixtures that the recorder writes.

mod beside;
mod damage;
#[path = "../support/files.rs"]
mod files;
mod fixtures;
mod machine;
mod pairs;
mod samples;
#[path = "../support/tapes.rs"]
mod tapes;

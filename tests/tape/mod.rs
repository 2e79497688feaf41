//! Tapes: recorded results, what stands beside them, damage, and the fixtures that the recorder writes.

mod beside;
mod damage;
mod machine;
mod pairs;
mod recorder;
mod samples;
mod stories;

//! Tapes: recorded results, sidecars, damage, and the fixtures that the recorder writes.

mod damage;
mod machine;
mod pairs;
mod recorder;
mod samples;
mod sidecars;
mod stories;

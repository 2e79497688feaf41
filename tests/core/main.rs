//! The library: recorded results, and laws over random logs.

mod compare;
mod condition;
mod conformance;
mod coverage;
mod debugger;
mod following;
mod laws;
mod lints;
mod locking;
#[path = "../support/random.rs"]
mod random;
mod timeline;
mod whatif;

//! The library: recorded results, and laws over random logs.

mod bounds;
mod compare;
mod condition;
mod conformance;
mod coverage;
mod debugger;
mod docs;
mod ending;
mod following;
mod killed;
mod laws;
mod lints;
mod locking;
mod timeline;
mod whatif;

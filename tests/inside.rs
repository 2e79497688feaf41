//! Tests that use internals of the library. They are modules of the library itself (`src/lib.rs`), so that the
//! internals need not be public. `cargo test --lib` runs them, together with the unit tests.
//!
//! The fuzz targets and what they need are also compiled without the tests, with the feature `fuzzing`.

#[cfg(test)]
mod agent;
#[cfg(test)]
mod core;
#[cfg(test)]
mod doctor;
pub mod fuzz;
#[cfg(test)]
mod proof;
#[cfg(test)]
mod screen;
#[cfg(test)]
mod session;
#[cfg(test)]
mod tape;

#[cfg(test)]
#[path = "support/bench.rs"]
mod bench;
#[cfg(test)]
#[path = "support/cases.rs"]
pub(crate) mod cases;
#[cfg_attr(not(test), allow(dead_code, reason = "the tests use more of it"))]
#[allow(clippy::expect_used, reason = "for tests")]
#[path = "support/corpus.rs"]
mod corpus;
#[cfg(test)]
#[path = "support/files.rs"]
mod files;
#[cfg(test)]
#[path = "support/growing.rs"]
mod growing;
#[cfg(test)]
#[cfg(unix)]
#[path = "support/pty.rs"]
#[allow(dead_code, reason = "the tests of the built program use more of it")]
mod pty;
#[cfg(test)]
#[path = "support/random.rs"]
mod random;
#[cfg_attr(not(test), allow(dead_code, reason = "the tests use more of it"))]
#[path = "support/secrets.rs"]
mod secrets;
#[cfg(test)]
#[path = "support/shapes.rs"]
mod shapes;
#[cfg(test)]
#[path = "support/tapes.rs"]
mod tapes;
#[cfg(test)]
#[path = "support/templates.rs"]
mod templates;

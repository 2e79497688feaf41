//! Tests that use internals of the library. They are modules of the library itself (`src/lib.rs`), so that the
//! internals need not be public. `cargo test --lib` runs them, together with the unit tests.

mod core;
mod proof;
mod screen;
mod session;
mod tape;

#[path = "support/bench.rs"]
mod bench;
#[path = "support/cases.rs"]
pub(crate) mod cases;
#[path = "support/corpus.rs"]
mod corpus;
#[path = "support/files.rs"]
mod files;
#[path = "support/growing.rs"]
mod growing;
#[cfg(unix)]
#[path = "support/pty.rs"]
#[allow(dead_code, reason = "the tests of the built program use more of it")]
mod pty;
#[path = "support/random.rs"]
mod random;
#[path = "support/secrets.rs"]
mod secrets;
#[path = "support/shapes.rs"]
mod shapes;
#[path = "support/tapes.rs"]
mod tapes;
#[path = "support/templates.rs"]
mod templates;

//! From a failing log to a proof that can be shared: minimizing, crashpacks, redaction.

mod crashpack;
#[path = "../support/files.rs"]
mod files;
mod minimize;
#[path = "../support/random.rs"]
mod random;
mod redact;

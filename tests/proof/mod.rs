//! From a failing log to a proof that can be shared: minimizing, crashpacks, redaction.

mod crashpack;
mod minimize;
mod redact;
mod transfer;

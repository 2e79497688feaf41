//! Exit codes, as scripts rely on them.

use std::process::{ExitCode, Termination};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// No finding that fails, no difference, or the finding was reproduced.
    Clean = 0,
    /// Findings that fail, or a difference.
    Findings = 1,
    /// Bad usage, an unreadable file, nothing written.
    Trouble = 2,
    /// `replay --expect`: the crashpack is damaged.
    Damaged = 3,
    /// Ctrl-C, as a shell reports it. The best result so far was written.
    Interrupted = 130,
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(self as u8)
    }
}

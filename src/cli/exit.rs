//! Exit codes, as scripts rely on them.

use std::process::{ExitCode, Termination};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Clean, or the same, or reproduced.
    Clean = 0,
    /// Findings, or a difference.
    Findings = 1,
    /// Bad usage, an unreadable file, nothing written.
    Trouble = 2,
    /// `replay --expect`: the pack is damaged.
    Damaged = 3,
    /// Ctrl-C, as a shell reports it. What had been reached was written all the same.
    Interrupted = 130,
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(self as u8)
    }
}

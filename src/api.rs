//! The public API of the library: open a log, walk it, check it, record a tape.
//!
//! Everything else is private to the crate.

pub use crate::cli::{Exit, run};
pub use crate::loader::check_results::CheckResults;
pub use crate::loader::{Loaded, PassError};
pub use crate::log::{Log, LogError, Options};
pub use crate::replay::Seq;
pub use crate::replay::check::{Check, Severity};
pub use crate::replay::finding::Finding;
pub use crate::replay::search::{Pattern, PatternError, Scope, Search};
pub use crate::replay::timeline::Replay;
pub use crate::tape::event::Phase as TapePhase;
pub use crate::tape::header::Header as TapeHeader;
pub use crate::tape::kind::Kind as TapeKind;
pub use crate::tape::recorder::{Clocks, Recorder, Sink};
pub use crate::tape::store::TapeFile;

use crate::loader::check_results::check_log;
use crate::loader::own_sidecars;

/// Runs every check of the log's dialect in one pass, including the checks of sidecars that its records refer to.
pub fn check(log: &Log) -> Result<CheckResults, LogError> {
    check_log(log, &*own_sidecars(log)?, &|_| {})
}

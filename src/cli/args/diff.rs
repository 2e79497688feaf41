//! The arguments of `stepback diff`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::{Arguments, ReadOptions};
use crate::tape::fidelity::Mode;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DiffMode {
    /// any logs, event by event: what is missing, new or changed
    Aligned,
    /// turn logs: number of events by kind, effects, and results of the engine's own checks
    Kinds,
    /// tapes, record by record: everything must be equal, including the clocks
    #[value(alias = "byte", alias = "byte_identical")]
    ByteIdentical,
    /// tapes, record by record: the content must be equal, times may differ
    Semantic,
    /// tapes: the program's own records as in byte-identical, those of its finishing work as in semantic
    #[value(alias = "phase_aware", alias = "byte-user-semantic-runtime")]
    PhaseAware,
    /// tapes: only the files written, the last exit code and the number of model calls
    Outcome,
}

impl DiffMode {
    /// The mode of the tape format's own comparison, if it is one of those.
    pub const fn of_tapes(self) -> Option<Mode> {
        match self {
            DiffMode::Aligned | DiffMode::Kinds => None,
            DiffMode::ByteIdentical => Some(Mode::ByteIdentical),
            DiffMode::Semantic => Some(Mode::Semantic),
            DiffMode::PhaseAware => Some(Mode::PhaseAware),
            DiffMode::Outcome => Some(Mode::Outcome),
        }
    }
}

/// The number of differences listed unless `--limit` is given.
const DIFFERENCES_LISTED: usize = 50;

#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The expected log
    pub left: PathBuf,

    /// The actual log
    pub right: PathBuf,

    #[command(flatten)]
    pub reading: ReadOptions,

    /// How to compare [default: aligned, or byte-identical with --compat]
    #[arg(long, value_enum)]
    pub mode: Option<DiffMode>,

    /// Compare tapes exactly as the tape format's own tool does, including what it does not notice
    #[arg(long)]
    pub compat: bool,

    /// List at most this many differences; the others are only counted
    #[arg(long, value_name = "N", default_value_t = DIFFERENCES_LISTED)]
    pub limit: usize,

    /// Fail also on drift: durations, cache hits and, if the logs have no turn in common, ids
    #[arg(long)]
    pub strict_drift: bool,

    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl DiffArgs {
    /// The arguments for what `stepback FILE --compare OTHER` prints if there is no terminal.
    pub fn of_screen(arguments: &Arguments, other: &Path) -> Self {
        DiffArgs {
            left: arguments.input.file.clone().unwrap_or_default(),
            right: other.to_owned(),
            reading: arguments.input.reading.clone(),
            mode: None,
            compat: false,
            limit: DIFFERENCES_LISTED,
            strict_drift: false,
            json: false,
        }
    }
}

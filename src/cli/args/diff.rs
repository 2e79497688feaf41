//! The arguments of `stepback diff`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::{Arguments, Reading};
use crate::tape::fidelity::Mode;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DiffMode {
    /// Event by event: what is missing, what is new, which members say another thing
    Aligned,
    /// Turn logs: by kinds of events, effects and verdicts
    Kinds,
    /// Tapes, record by record: everything must be equal, clocks too
    #[value(alias = "byte", alias = "byte_identical")]
    ByteIdentical,
    /// Tapes, record by record: what was said, whenever it was
    Semantic,
    /// Tapes: the program's records as byte-identical, those of the finishing work as semantic
    #[value(alias = "phase_aware", alias = "byte-user-semantic-runtime")]
    PhaseAware,
    /// Tapes: files written, the last exit code, the number of model calls
    Outcome,
}

impl DiffMode {
    /// The reference's mode, if it is one of those.
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

/// So many differences are listed unless somebody wants more.
const DIFFERENCES_LISTED: usize = 50;

#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The one log: what it says is expected
    pub left: PathBuf,

    /// The other log: what it says is actual
    pub right: PathBuf,

    #[command(flatten)]
    pub reading: Reading,

    /// How to compare; without it aligned, with --compat byte-identical
    #[arg(long, value_enum)]
    pub mode: Option<DiffMode>,

    /// Tapes: exactly as the reference does, its gaps included
    #[arg(long)]
    pub compat: bool,

    /// List so many differences; the rest are counted
    #[arg(long, value_name = "N", default_value_t = DIFFERENCES_LISTED)]
    pub limit: usize,

    /// Fail on drift too: durations, cache hits and, in runs that share no turn, ids
    #[arg(long)]
    pub strict_drift: bool,

    /// Print the compare document as JSON, the aligned comparison in it
    #[arg(long)]
    pub json: bool,
}

impl DiffArgs {
    /// What `stepback FILE --compare OTHER` prints where there is no screen.
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

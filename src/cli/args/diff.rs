//! The arguments of `stepback diff`.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};

use super::{Arguments, ReadOptions};
use crate::registry;

/// The mode that every dialect has.
pub(crate) const ALIGNED: &str = "aligned";

/// `aligned`, then the modes of each dialect.
fn modes() -> PossibleValuesParser {
    let aligned = PossibleValue::new(ALIGNED).help("any logs, event by event: what is missing, new or changed");
    let of_dialects = registry::diff_modes()
        .map(|(_, mode)| PossibleValue::new(mode.name).aliases(mode.aliases.iter().copied()).help(mode.describes));
    PossibleValuesParser::new(std::iter::once(aligned).chain(of_dialects))
}

/// The number of differences listed unless `--limit` is given.
const DIFFERENCES_LISTED: usize = 50;

#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// The expected log
    pub left: PathBuf,

    /// The actual log
    pub right: PathBuf,

    #[command(flatten)]
    pub reading: ReadOptions,

    /// Choose how to compare [default: aligned, or byte-identical with --compat]
    #[arg(long, value_name = "MODE", value_parser = modes())]
    pub mode: Option<String>,

    /// Compare tapes exactly as the tape format's own tool does, including the differences that it overlooks
    #[arg(long)]
    pub compat: bool,

    /// List at most this many differences; the others are only counted
    #[arg(long, value_name = "N", default_value_t = DIFFERENCES_LISTED)]
    pub limit: usize,

    /// Count drift as a difference: durations, cache hits and, if the logs have no turn in common, ids
    #[arg(long)]
    pub strict_drift: bool,

    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl DiffArgs {
    /// The arguments for what `stepback FILE --compare OTHER` prints if there is no terminal.
    pub(crate) fn of_screen(arguments: &Arguments, other: &Path) -> Self {
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

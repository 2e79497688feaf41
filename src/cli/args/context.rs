//! The arguments of `stepback context`.

use std::str::FromStr;

use clap::Args;

use super::Input;
use crate::replay::target::{BadTarget, Target};

#[derive(Debug, Args)]
pub(crate) struct ContextArgs {
    #[command(flatten)]
    pub input: Input,

    /// The moment: an event number, `N%`, `step:N`, `call:ID`, `finding:N` or `bookmark:NAME`, or `resume` for what the
    /// model would see if the session were resumed
    #[arg(long, value_name = "PLACE", default_value = "resume", allow_hyphen_values = true)]
    pub at: ContextMoment,

    /// Print what the context has gained and lost since this place
    #[arg(long, value_name = "PLACE", allow_hyphen_values = true)]
    pub against: Option<Target>,

    /// Print what the K-th compaction dropped, and what took its place [default of K: the last one]
    #[arg(long, value_name = "K", num_args = 0..=1, conflicts_with_all = ["at", "against"])]
    pub dropped: Option<Option<usize>>,

    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// A place in the log, or the moment of a resume.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ContextMoment {
    Resume,
    At(Target),
}

impl ContextMoment {
    pub(crate) const fn target(&self) -> Option<&Target> {
        match self {
            ContextMoment::Resume => None,
            ContextMoment::At(target) => Some(target),
        }
    }
}

impl FromStr for ContextMoment {
    type Err = BadTarget;

    fn from_str(text: &str) -> Result<Self, BadTarget> {
        if text == "resume" { Ok(ContextMoment::Resume) } else { text.parse().map(ContextMoment::At) }
    }
}

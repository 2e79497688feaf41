//! The arguments of `stepback explain`.

use clap::Args;

use super::{Input, described};
use crate::registry;

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    pub input: Input,

    /// The question to answer
    #[arg(value_parser = described(registry::answers().map(|answer| (answer.name, answer.describes))))]
    pub question: String,

    /// Print at most this many rows of each list of events
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub limit: usize,

    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

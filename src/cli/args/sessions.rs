//! The arguments of `stepback sessions`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct SessionsArgs {
    /// List only sessions whose project, prompt, title, branch, model, outcome, program or file name matches these words;
    /// letters may be left out. The best match comes first
    #[arg(value_name = "PATTERN")]
    pub pattern: Option<String>,

    /// Search this folder instead of the usual ones; may be given several times
    #[arg(long = "dir", value_name = "DIR")]
    pub folders: Vec<PathBuf>,

    /// List at most this many sessions
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,

    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

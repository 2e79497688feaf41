//! The arguments of `stepback doctor`.

use std::path::{Path, PathBuf};

use clap::Args;

use super::check::FailOn;
use crate::doctor::client::Client;

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Sessions of Claude Code, rollouts of Codex, or folders that are searched for them; `-` reads standard input
    #[arg(required = true, value_name = "SESSION")]
    pub files: Vec<PathBuf>,

    /// Assume this client: `current` heals everything that any version heals, `none` heals nothing, `recorded` is the
    /// version that wrote the session; or a version such as 2.1.86
    #[arg(long, value_name = "CLIENT", default_value = "current")]
    pub client: Client,

    /// Print JSON
    #[arg(long)]
    pub json: bool,

    /// Print the history that a resume would send, message by message
    #[arg(long)]
    pub history: bool,

    /// Print which lines a resume would send, and why not the others: compacted, rewound, cut off, skipped
    #[arg(long)]
    pub reach: bool,

    /// Remove what prevents a resume; without --output, print the edits
    #[arg(long)]
    pub repair: bool,

    /// Give lines whose parent is missing the message before them as parent. This may join branches that a rewind separated
    #[arg(long)]
    pub relink: bool,

    /// Write the repaired session to this new file; the session itself is never changed
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Print the edits without writing anything
    #[arg(long)]
    pub dry_run: bool,

    /// Fail if there is a finding of this severity or higher
    #[arg(long, value_enum, default_value_t = FailOn::Error, value_name = "SEVERITY")]
    pub fail_on: FailOn,
}

impl DoctorArgs {
    /// `doctor FILE --repair`, with a name for the copy or as a dry run.
    pub(crate) fn repairing(file: &Path, output: Option<&Path>) -> DoctorArgs {
        DoctorArgs {
            files: vec![file.to_owned()],
            client: Client::Current,
            json: false,
            history: false,
            reach: false,
            repair: true,
            relink: false,
            output: output.map(Path::to_owned),
            dry_run: output.is_none(),
            fail_on: FailOn::Error,
        }
    }

    /// Whether the edits are asked for, and not only whether there would be some.
    pub(crate) fn wants_edits(&self) -> bool {
        self.repair || self.relink || self.dry_run
    }
}

//! Arguments of `stepback check`, and which findings fail it.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{ReadOptions, described};
use crate::cli::format::FORMATS;
use crate::replay::check::{Severity, Tier};
use crate::replay::finding::Finding;

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Logs, crashpacks, or folders that are searched for them; `-` reads standard input
    #[arg(required_unless_present = "files_from")]
    pub files: Vec<PathBuf>,

    /// Read the names of more logs and folders from a file, one per line or separated by NUL; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub files_from: Option<PathBuf>,

    #[command(flatten)]
    pub reading: ReadOptions,

    /// Choose the output format
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = described(FORMATS.iter().map(|format| (format.name, format.describes))))]
    pub format: String,

    /// Print JSON; the same as --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,

    /// Fail if there is a finding of this severity or higher
    #[arg(long, value_enum, default_value_t = FailOn::Warning, value_name = "SEVERITY")]
    pub fail_on: FailOn,

    /// Fail only if the evidence of such a finding is at least this strong
    #[arg(long, value_enum, default_value_t = FailOnTier::Proven, value_name = "TIER")]
    pub fail_on_tier: FailOnTier,

    /// Run only checks whose id matches this pattern (can be repeated)
    #[arg(long, value_name = "GLOB")]
    pub only: Vec<String>,

    /// Skip checks whose id matches this pattern (can be repeated)
    #[arg(long, value_name = "GLOB")]
    pub skip: Vec<String>,

    /// Reject logs with undecodable records
    #[arg(long)]
    pub strict: bool,

    /// Do not fail if a file that was found in a folder cannot be read
    #[arg(long)]
    pub allow_unreadable: bool,

    /// Print every finding in full
    #[arg(long)]
    pub all: bool,
}

impl CheckArgs {
    pub(crate) fn fail_rules(&self) -> FailRules {
        FailRules { severity: self.fail_on, tier: self.fail_on_tier }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// any finding
    Info,
    /// warnings, errors and critical findings
    Warning,
    /// errors and critical findings
    Error,
    /// critical findings
    Critical,
    /// findings do not fail
    Never,
}

impl FailOn {
    pub(crate) fn fails(self, severity: Severity) -> bool {
        match self {
            FailOn::Info => true,
            FailOn::Warning => severity >= Severity::Warning,
            FailOn::Error => severity >= Severity::Error,
            FailOn::Critical => severity >= Severity::Critical,
            FailOn::Never => false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOnTier {
    /// contradictions that the log proves
    Proven,
    /// also findings that the log makes likely, but does not prove
    Likely,
    /// also hints
    Hint,
}

/// Which findings fail a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FailRules {
    pub severity: FailOn,
    pub tier: FailOnTier,
}

impl FailRules {
    pub(crate) const DEFAULT: FailRules = FailRules { severity: FailOn::Warning, tier: FailOnTier::Proven };

    pub(crate) fn fail(self, finding: &Finding) -> bool {
        let least = match self.tier {
            FailOnTier::Proven => Tier::Proven,
            FailOnTier::Likely => Tier::Likely,
            FailOnTier::Hint => Tier::Hint,
        };
        self.severity.fails(finding.severity) && finding.check.tier >= least
    }
}

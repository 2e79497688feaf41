//! Command-line arguments. The help, the completions and the manual page are generated from them.

mod check;
mod context;
mod diff;
mod doctor;
mod examples;
mod explain;
mod export;
mod files;
mod minimize;
mod screen;
mod sessions;

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Parser, Subcommand, ValueEnum};

pub(super) use check::{CheckArgs, FailRules};
pub(super) use context::ContextArgs;
pub(super) use diff::{ALIGNED, DiffArgs};
pub(super) use doctor::DoctorArgs;
pub(super) use explain::ExplainArgs;
pub(super) use export::ExportArgs;
pub(super) use files::FilesArgs;
pub(super) use minimize::{MinimizeArgs, TestForm};
pub(super) use screen::ScreenArgs;
pub(super) use sessions::SessionsArgs;

use super::paint::ColorChoice;
use crate::registry::{self, DIALECTS};
use crate::replay::target::Target;

/// Replay the recorded log of an AI agent event by event, and see where it contradicts itself.
#[derive(Debug, Parser)]
#[command(
    name = "stepback",
    version,
    args_conflicts_with_subcommands = true,
    max_term_width = 100,
    after_help = examples::PROGRAM
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,

    #[command(flatten)]
    pub input: OptionalInput,

    /// Start at this place: an event number, `N%`, `step:N`, `call:ID`, `finding:N` or `bookmark:NAME`
    #[arg(long, value_name = "PLACE", allow_hyphen_values = true)]
    pub at: Option<Target>,

    /// Open the built-in example, a turn that failed, instead of asking for a session
    #[arg(long, conflicts_with = "file")]
    pub demo: bool,

    /// Compare FILE (expected) with this log (actual), event by event
    #[arg(long, value_name = "OTHER", requires = "file")]
    pub compare: Option<PathBuf>,

    /// Keep reading while the log grows
    #[arg(long)]
    pub follow: bool,

    #[command(flatten)]
    pub screen: ScreenArgs,

    /// Choose when to use colours
    #[arg(long, value_enum, default_value_t = ColorChoice::Auto, global = true, value_name = "WHEN")]
    pub color: ColorChoice,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run all checks on logs, and fail if there are findings
    #[command(after_help = examples::CHECK)]
    Check(CheckArgs),
    /// Print a summary of a log: turns, final state, effects, findings
    #[command(after_help = examples::REPORT)]
    Report(ReportArgs),
    /// Print one line per event: its effects and what it changed
    #[command(after_help = examples::REPLAY)]
    Replay(ReplayArgs),
    /// Print everything known at one event: state, changes, effects, findings
    #[command(after_help = examples::SHOW)]
    Show(ShowArgs),
    /// Print the event that last wrote a field of the state
    #[command(after_help = examples::BLAME)]
    Blame(BlameArgs),
    /// List, add and remove bookmarks of a log
    #[command(after_help = examples::BOOKMARK)]
    Bookmark(BookmarkArgs),
    /// Print the events that match a jq filter
    #[command(after_help = examples::QUERY)]
    Query(QueryArgs),
    /// Compare two logs: the first difference, then all of them
    #[command(after_help = examples::DIFF)]
    Diff(DiffArgs),
    /// Convert a turn log to another container
    #[command(after_help = examples::CONVERT)]
    Convert(ConvertArgs),
    /// Examine sessions of Claude Code and Codex: whether they can be resumed, which line prevents it, and the smallest repair
    #[command(after_help = examples::DOCTOR)]
    Doctor(DoctorArgs),
    /// Answer a question about an agent session: why the context grew, where the time went, whether the agent loops, what was lost
    #[command(after_help = examples::EXPLAIN)]
    Explain(ExplainArgs),
    /// Print what the model of an agent session saw at an event or would see after a resume, or what a compaction dropped
    #[command(after_help = examples::CONTEXT)]
    Context(ContextArgs),
    /// List the sessions of coding agents on this machine, newest first
    #[command(after_help = examples::SESSIONS)]
    Sessions(SessionsArgs),
    /// Print the files of an agent session as far as its log proves them: content, which event wrote a line, what changed
    #[command(after_help = examples::FILES)]
    Files(FilesArgs),
    /// Write the smallest log that still reports the same finding
    #[command(after_help = examples::MINIMIZE)]
    Minimize(MinimizeArgs),
    /// Write a crashpack (a folder with the evidence of one finding and a script that replays it), or one page about a finding
    #[command(after_help = examples::EXPORT)]
    Export(ExportArgs),
    /// List all checks, or explain one
    #[command(after_help = examples::CHECKS)]
    Checks(ChecksArgs),
    /// List the keys and commands of the screen
    #[command(after_help = examples::KEYS)]
    Keys(KeysArgs),
    /// Print a completion script for a shell
    #[command(after_help = examples::COMPLETIONS)]
    Completions {
        /// The shell that the script is for
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    #[command(after_help = examples::MAN)]
    Man,
}

impl Command {
    /// Whether the exit code answers a question, such as whether a log is clean.
    pub(crate) fn has_verdict(&self) -> bool {
        match self {
            Command::Check(_) | Command::Diff(_) | Command::Doctor(_) | Command::Minimize(_) | Command::Export(_) => {
                true
            }
            Command::Replay(args) => args.expect.is_some(),
            _ => false,
        }
    }
}

/// The names of a table as possible values, each with its description.
fn described(rows: impl Iterator<Item = (&'static str, &'static str)>) -> PossibleValuesParser {
    PossibleValuesParser::new(rows.map(|(name, describes)| PossibleValue::new(name).help(describes)))
}

/// The heading of [`ReadOptions`] in the help.
const READING: &str = "How the log is read";

/// Options for reading a log, and its sidecar files.
///
/// They are alike for all commands, so the help lists them after the options of the command itself.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ReadOptions {
    /// Read the log as this dialect instead of detecting the dialect
    #[arg(long, help_heading = READING, value_name = "NAME", value_parser = described(DIALECTS.iter().map(|dialect| (dialect.name, dialect.describes))))]
    pub dialect: Option<String>,

    /// Read only this turn of a SQLite database; the start of its id is enough
    #[arg(long, help_heading = READING, value_name = "ID")]
    pub turn: Option<String>,

    /// Check a turn log against these saved messages [default: NAME.session.json beside NAME.json]
    #[arg(long, help_heading = READING, value_name = "FILE")]
    pub session: Option<PathBuf>,

    /// Open the minimized trace of a crashpack instead of the recorded one
    #[arg(long, help_heading = READING)]
    pub minimized: bool,

    /// Check a turn log against this snapshot of its engine's state
    #[arg(long, help_heading = READING, value_name = "FILE")]
    pub live: Option<PathBuf>,

    /// Check a turn log against these compaction rows [default: those of a SQLite database]
    #[arg(long, help_heading = READING, value_name = "FILE")]
    pub artifacts: Option<PathBuf>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct Input {
    /// The log or crashpack; `-` reads standard input
    pub file: PathBuf,

    #[command(flatten)]
    pub reading: ReadOptions,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct OptionalInput {
    /// The log or crashpack; `-` reads standard input [default: choose a session on this machine, or open the built-in example]
    pub file: Option<PathBuf>,

    #[command(flatten)]
    pub reading: ReadOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RedactRules {
    /// Everything that `export --redact` masks
    All,
    /// Only what the log format's own tools hide, to compare with their output; most tokens are not hidden
    Reference,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pub input: Input,

    /// Print JSON
    #[arg(long)]
    pub json: bool,

    /// Reject logs with undecodable records
    #[arg(long)]
    pub strict: bool,

    /// Add the state after each record to the JSON of a short session log
    #[arg(long, requires = "json")]
    pub steps: bool,

    /// Mask secrets in the whole JSON report, and add the masked events
    #[arg(long, requires = "json", value_enum, value_name = "RULES", num_args = 0..=1, require_equals = true,
        default_missing_value = "all")]
    pub redact: Option<RedactRules>,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    #[command(flatten)]
    pub input: Input,

    /// Print one line of JSON per event
    #[arg(long)]
    pub json: bool,

    /// Reject logs with undecodable records
    #[arg(long)]
    pub strict: bool,

    /// Wait for more events at the end of the log, and start again if the file is replaced
    #[arg(long, conflicts_with = "strict")]
    pub follow: bool,

    /// Report only whether the log has this finding [default: the finding that the crashpack is about]. Exit code: 0 the
    /// finding is reproduced, 1 the log is clean, 2 it has another finding, 3 the crashpack is damaged
    #[arg(long, value_name = "FINGERPRINT", num_args = 0..=1, conflicts_with_all = ["follow", "strict"])]
    pub expect: Option<Option<String>>,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    pub input: Input,

    /// Print this place: an event number, `N%`, `step:N`, `call:ID`, `finding:N` or `bookmark:NAME`
    #[arg(long, value_name = "PLACE", allow_hyphen_values = true, required_unless_present = "context")]
    pub at: Option<Target>,

    /// Print what the model saw, as `stepback context` does [default place: a resume]
    #[arg(long)]
    pub context: bool,

    /// Print what the context has gained and lost since this place
    #[arg(long, value_name = "PLACE", allow_hyphen_values = true, requires = "context")]
    pub against: Option<Target>,

    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BlameArgs {
    #[command(flatten)]
    pub input: Input,

    /// The name of a field of the state, as `show` prints it
    pub field: String,

    /// Look back from this place [default: the end of the log]
    #[arg(long, value_name = "PLACE", allow_hyphen_values = true)]
    pub at: Option<Target>,

    /// Print every event that wrote the field
    #[arg(long)]
    pub all: bool,

    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BookmarkArgs {
    #[command(flatten)]
    pub input: Input,

    #[command(subcommand)]
    pub action: Option<BookmarkAction>,

    /// Print JSON
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BookmarkAction {
    /// List the bookmarks and where they are now (the default)
    List,
    /// Add a bookmark
    Add {
        /// The place: an event number, `N%`, `step:N`, `call:ID`, `finding:N` or `bookmark:NAME`
        place: Target,

        /// Name the bookmark [default: m1, m2, …]
        #[arg(long)]
        name: Option<String>,

        /// Add a note to the bookmark
        #[arg(long, value_name = "TEXT")]
        note: Option<String>,
    },
    /// Remove a bookmark
    Remove {
        /// The name of the bookmark
        name: String,
    },
    /// Replace the note of a bookmark; an empty text removes it
    Note {
        /// The name of the bookmark
        name: String,
        /// The new note
        text: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct QueryArgs {
    #[command(flatten)]
    pub input: Input,

    /// A jq filter over `{seq, event, before, after, effects, findings}`, or one of the short forms KIND, `lane:NAME`,
    /// `field:NAME`, `effect:NAME`, `finding`, `finding:CHECK` and those of the dialect, such as `tool:NAME`
    #[arg(required_unless_present = "by")]
    pub filter: Option<String>,

    /// Count the matching events by `kind`, by `lane`, by a property that the dialect names such as `tool`, or by a member of
    /// the event such as `outcome.kind`
    #[arg(long, value_name = "NAME", conflicts_with_all = ["count", "limit"])]
    pub by: Option<String>,

    /// Print one line of JSON per event, or with `--by` per value
    #[arg(long, conflicts_with = "count")]
    pub json: bool,

    /// Print only the number of matching events
    #[arg(long)]
    pub count: bool,

    /// Stop after this many events
    #[arg(long, value_name = "N")]
    pub limit: Option<u64>,
}

impl QueryArgs {
    /// The filter; without one, every event matches.
    pub(crate) fn filter(&self) -> &str {
        self.filter.as_deref().unwrap_or("true")
    }
}

#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    pub input: Input,

    /// Write to this file; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,

    /// Choose the form [default: lines for .jsonl and .ndjson, else array; for agent sessions lines, or turn for .json]
    #[arg(long, value_name = "FORM", value_parser = described(registry::convert_forms().map(|form| (form.name, form.describes))))]
    pub to: Option<String>,

    /// Mask secrets, as `export --redact` does
    #[arg(long, value_enum, value_name = "RULES", num_args = 0..=1, require_equals = true,
        default_missing_value = "all")]
    pub redact: Option<RedactRules>,

    /// Hide e-mail addresses as well
    #[arg(long, requires = "redact")]
    pub redact_emails: bool,

    /// Hide the names of users in paths of home directories as well
    #[arg(long, requires = "redact")]
    pub redact_homes: bool,

    /// Overwrite an existing file
    #[arg(long)]
    pub force: bool,

    /// Reject logs with undecodable records
    #[arg(long)]
    pub strict: bool,
}

#[derive(Debug, Args)]
pub(crate) struct KeysArgs {
    /// Print the table as Markdown
    #[arg(long)]
    pub markdown: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ChecksArgs {
    /// Explain one check: what it means, what usually causes it, where to look
    #[arg(long, value_name = "ID")]
    pub explain: Option<String>,

    /// Print JSON
    #[arg(long, conflicts_with = "markdown")]
    pub json: bool,

    /// Print the table as Markdown
    #[arg(long)]
    pub markdown: bool,
}

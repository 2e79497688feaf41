//! The arguments, and with them the help, the completions and the manual page.

mod diff;
mod export;
mod minimize;

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Parser, Subcommand, ValueEnum};

pub use diff::{DiffArgs, DiffMode};
pub use export::ExportArgs;
pub use minimize::{MinimizeArgs, TestForm};

use super::format::FORMATS;
use super::paint::ColorChoice;
use crate::dialect::DIALECTS;
use crate::replay::check::Severity;
use crate::replay::target::Target;
use crate::tui::theme::Palette;

/// A replay debugger for agent turns: step a recorded log and see where it contradicts itself.
#[derive(Debug, Parser)]
#[command(name = "stepback", version, args_conflicts_with_subcommands = true, max_term_width = 100)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,

    #[command(flatten)]
    pub input: OptionalInput,

    /// Begin at this moment: an event number, `N%`, `step:N`, `call:ID`, `finding:N` or `bookmark:NAME`
    #[arg(long, value_name = "PLACE", allow_hyphen_values = true)]
    pub at: Option<Target>,

    /// Another log beside this one: event by event, what each has made of it, where they part
    #[arg(long, value_name = "OTHER", requires = "file")]
    pub compare: Option<PathBuf>,

    /// On the screen: go on when the log grows
    #[arg(long)]
    pub follow: bool,

    #[command(flatten)]
    pub screen: ScreenArgs,

    /// When to use colours
    #[arg(long, value_enum, default_value_t = ColorChoice::Auto, global = true, value_name = "WHEN")]
    pub color: ColorChoice,
}

/// How the screen looks.
#[derive(Clone, Debug, Args)]
pub struct ScreenArgs {
    /// On the screen: other colours than the configured ones
    #[arg(long, value_name = "NAME", value_parser = PALETTES)]
    pub theme: Option<String>,

    /// On the screen: no glyph outside ASCII
    #[arg(long)]
    pub ascii: bool,

    /// Save the screen as it would be, and go: `.svg` as a picture, else as text
    #[arg(long, value_name = "FILE")]
    pub screenshot: Option<PathBuf>,

    /// The size of the saved screen
    #[arg(long, value_name = "COLUMNSxROWS", default_value = "120x40", requires = "screenshot", value_parser = size)]
    pub size: (u16, u16),

    /// Replace the file of the saved screen if there is one
    #[arg(long, requires = "screenshot")]
    pub force: bool,

    /// The saved screen as on a light terminal
    #[arg(long, requires = "screenshot")]
    pub light: bool,
}

const PALETTES: [&str; 3] = {
    let [one, two, three] = Palette::ALL;
    [one.0, two.0, three.0]
};

/// A screen's size. Larger ones than this nobody has, and each cell takes memory.
fn size(text: &str) -> Result<(u16, u16), String> {
    const MOST: u16 = 1000;
    let size = text.split_once('x').and_then(|(columns, rows)| Some((columns.parse().ok()?, rows.parse().ok()?)));
    size.filter(|(columns, rows)| (1..=MOST).contains(columns) && (1..=MOST).contains(rows))
        .ok_or_else(|| format!("write columns and rows, each from 1 to {MOST}, as in 120x40"))
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run every check and fail on findings
    Check(CheckArgs),
    /// Print the whole of what can be derived from a log
    Report(ReportArgs),
    /// Print one line an event: effects, halt, what changed
    Replay(ReplayArgs),
    /// Print one moment: event, projection, changes, effects, findings, what is open
    Show(ShowArgs),
    /// Print the event that last wrote a field
    Blame(BlameArgs),
    /// List, set and remove named places of a log
    Bookmark(BookmarkArgs),
    /// Print the events for which a jq filter is true
    Query(QueryArgs),
    /// Compare two logs: where they part, then every difference
    Diff(DiffArgs),
    /// Write a log of any container as a turn log, envelope log, trace bundle or replay pack
    Convert(ConvertArgs),
    /// Write the smallest log that reports the same finding
    Minimize(MinimizeArgs),
    /// Write the evidence of one finding as a pack: trace, journal, ledger, a script that replays it
    Export(ExportArgs),
    /// Print the catalogue of checks
    Checks(ChecksArgs),
    /// Print the keys of the screen
    Keys(KeysArgs),
    /// Print a completion script
    Completions {
        /// The shell to write for
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

/// The names of a table as possible values, each with its description.
fn described(rows: impl Iterator<Item = (&'static str, &'static str)>) -> PossibleValuesParser {
    PossibleValuesParser::new(rows.map(|(name, describes)| PossibleValue::new(name).help(describes)))
}

/// What stands beside a log and how it is to be read.
#[derive(Clone, Debug, Default, Args)]
pub struct Reading {
    /// Read the log as this dialect instead of detecting it
    #[arg(long, value_name = "NAME", value_parser = described(DIALECTS.iter().map(|dialect| (dialect.name, dialect.describes))))]
    pub dialect: Option<String>,

    /// Only this turn of a SQLite store (a beginning of its id is enough)
    #[arg(long, value_name = "ID")]
    pub turn: Option<String>,

    /// The saved session; without it NAME.session.json beside NAME.json
    #[arg(long, value_name = "FILE")]
    pub session: Option<PathBuf>,

    /// Of a pack: the minimized trace instead of the one that was recorded
    #[arg(long)]
    pub minimized: bool,

    /// The engine's own snapshot of its state
    #[arg(long, value_name = "FILE")]
    pub live: Option<PathBuf>,

    /// Compaction rows of the store
    #[arg(long, value_name = "FILE")]
    pub artifacts: Option<PathBuf>,
}

#[derive(Clone, Debug, Args)]
pub struct Input {
    /// The log, or a pack; `-` is standard input
    pub file: PathBuf,

    #[command(flatten)]
    pub reading: Reading,
}

#[derive(Clone, Debug, Args)]
pub struct OptionalInput {
    /// The log, or a pack; `-` is standard input; without one the built-in failed turn
    pub file: Option<PathBuf>,

    #[command(flatten)]
    pub reading: Reading,
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Logs, packs, or folders to walk
    #[arg(required = true)]
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    pub reading: Reading,

    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = described(FORMATS.iter().map(|format| (format.name, format.describes))))]
    pub format: String,

    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,

    /// Fail from this severity up
    #[arg(long, value_enum, default_value_t = FailOn::Warning, value_name = "SEVERITY")]
    pub fail_on: FailOn,

    /// Only checks whose id matches this pattern (may be repeated)
    #[arg(long, value_name = "GLOB")]
    pub only: Vec<String>,

    /// No checks whose id matches this pattern (may be repeated)
    #[arg(long, value_name = "GLOB")]
    pub skip: Vec<String>,

    /// Refuse a log that holds any undecodable event
    #[arg(long)]
    pub strict: bool,

    /// Show every finding in full
    #[arg(long)]
    pub all: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    Info,
    Warning,
    Error,
    Critical,
    /// Findings never fail
    Never,
}

impl FailOn {
    pub fn fails(self, severity: Severity) -> bool {
        match self {
            FailOn::Info => true,
            FailOn::Warning => severity >= Severity::Warning,
            FailOn::Error => severity >= Severity::Error,
            FailOn::Critical => severity >= Severity::Critical,
            FailOn::Never => false,
        }
    }
}

#[derive(Debug, Args)]
pub struct ReportArgs {
    #[command(flatten)]
    pub input: Input,

    /// Print JSON
    #[arg(long)]
    pub json: bool,

    /// Refuse a log that holds any undecodable event
    #[arg(long)]
    pub strict: bool,

    /// With --json: add the events without their secrets
    #[arg(long, requires = "json")]
    pub redact: bool,
}

#[derive(Debug, Args)]
pub struct ReplayArgs {
    #[command(flatten)]
    pub input: Input,

    /// Print a line of JSON an event
    #[arg(long)]
    pub json: bool,

    /// Refuse a log that holds any undecodable event
    #[arg(long)]
    pub strict: bool,

    /// Wait at the end of the log for more, and open it again when it is replaced
    #[arg(long, conflicts_with = "strict")]
    pub follow: bool,

    /// Say only whether this finding is reproduced: 0 it is, 1 the log is clean, 2 it shows another one, 3 the pack is
    /// damaged
    #[arg(long, value_name = "FINGERPRINT", conflicts_with_all = ["follow", "strict"])]
    pub expect: Option<String>,
}

#[derive(Debug, Args)]
pub struct ShowArgs {
    #[command(flatten)]
    pub input: Input,

    /// The moment: an event number, `N%`, `step:N`, `call:ID`, `finding:N` or `bookmark:NAME`
    #[arg(long, value_name = "PLACE", allow_hyphen_values = true)]
    pub at: Target,

    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct BlameArgs {
    #[command(flatten)]
    pub input: Input,

    /// A field of the projection
    pub field: String,

    /// The last writer up to here; without it up to the end
    #[arg(long, value_name = "PLACE", allow_hyphen_values = true)]
    pub at: Option<Target>,

    /// Every writer, not only the last
    #[arg(long)]
    pub all: bool,

    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct BookmarkArgs {
    #[command(flatten)]
    pub input: Input,

    #[command(subcommand)]
    pub action: Option<BookmarkAction>,

    /// Print JSON
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum BookmarkAction {
    /// Print every bookmark and where it is now (also without an action)
    List,
    /// Set a bookmark
    Add {
        /// An event number, `N%`, `step:N`, `call:ID`, `finding:N` or `bookmark:NAME`
        place: Target,

        /// Its name; without one m1, m2, …
        #[arg(long)]
        name: Option<String>,

        /// Why it is worth coming back to
        #[arg(long, value_name = "TEXT")]
        note: Option<String>,
    },
    /// Remove a bookmark
    Remove { name: String },
    /// Write another note to a bookmark; an empty one takes it away
    Note { name: String, text: String },
}

#[derive(Debug, Args)]
pub struct QueryArgs {
    #[command(flatten)]
    pub input: Input,

    /// A jq filter over `{seq, event, before, after, effects, findings}`; or a kind's name, `field:NAME`,
    /// `effect:NAME`, `finding`, `finding:CHECK`
    pub filter: String,

    /// Print a line of JSON an event
    #[arg(long, conflicts_with = "count")]
    pub json: bool,

    /// Print only how many there are
    #[arg(long)]
    pub count: bool,

    /// Stop after this many
    #[arg(long, value_name = "N")]
    pub limit: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ConvertTo {
    /// A JSON array of events
    Array,
    /// One event a line
    Lines,
    /// One `{seq, ts_ms, kind, event}` a line
    Envelope,
    /// A trace bundle
    Trace,
    /// A replay pack: a trace bundle and, if there is one, the session
    Pack,
}

#[derive(Debug, Args)]
pub struct ConvertArgs {
    #[command(flatten)]
    pub input: Input,

    /// The file to write; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,

    /// What to write; without it lines for .jsonl and .ndjson, else an array
    #[arg(long, value_enum, value_name = "FORM")]
    pub to: Option<ConvertTo>,

    /// Hide secrets
    #[arg(long)]
    pub redact: bool,

    /// Replace a file that exists
    #[arg(long)]
    pub force: bool,

    /// Refuse a log that holds any undecodable event
    #[arg(long)]
    pub strict: bool,
}

#[derive(Debug, Args)]
pub struct KeysArgs {
    /// Print the table as Markdown, as it stands in the README
    #[arg(long)]
    pub markdown: bool,
}

#[derive(Debug, Args)]
pub struct ChecksArgs {
    /// Explain one check at length
    #[arg(long, value_name = "ID")]
    pub explain: Option<String>,

    /// Print JSON
    #[arg(long, conflicts_with = "markdown")]
    pub json: bool,

    /// Print the table as Markdown, as it stands in the README
    #[arg(long)]
    pub markdown: bool,
}

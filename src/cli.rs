//! The command line: one file per subcommand. Everything that the screen shows, a command prints.

mod args;
mod blame;
mod bookmark;
mod check;
mod checks;
mod context;
mod convert;
mod diff;
mod discover;
mod doctor;
mod exit;
mod explain;
mod export;
mod files;
mod format;
mod inquiry;
mod keys;
mod man;
mod minimize;
mod open;
mod paint;
mod pass;
mod pick;
mod print;
mod progress;
mod query;
mod redaction;
mod replay;
mod replayed;
mod report;
mod screen;
mod sessions;
mod show;
mod visits;

use std::io::{self, BufWriter, Write};

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use color_eyre::eyre;

pub(crate) use args::{Arguments, Command};
pub use exit::Exit;

use crate::replay::finding::is_hostile;
use crate::text::suggestion::did_you_mean;

/// Runs the program with its command-line arguments and returns the exit code.
pub fn run() -> Exit {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return refuse_arguments(&error),
    };
    let result = dispatch(&arguments);
    match result {
        Ok(exit) => exit,
        Err(report) if is_closed_pipe(&report) => Exit::Clean,
        Err(report) => {
            let paint = paint::Paint::for_stderr(arguments.color);
            let mut message = report.chain().map(ToString::to_string).collect::<Vec<_>>().join(": ");
            if let (None, Some(file)) = (&arguments.command, &arguments.input.file)
                && !file.exists()
            {
                message.push_str(&misspelled(&file.to_string_lossy()));
            }
            print::error(&paint, &message);
            Exit::Trouble
        }
    }
}

/// Reports arguments that cannot be used. clap takes a mistyped command for a FILE and then complains about the word after
/// it, so that case has a message of its own.
fn refuse_arguments(error: &clap::Error) -> Exit {
    let word = std::env::args_os().nth(1).unwrap_or_default();
    let is_mistyped = error.kind() == ErrorKind::ArgumentConflict
        && !word.to_string_lossy().starts_with('-')
        && !std::path::Path::new(&word).exists()
        && !Arguments::command().get_subcommands().any(|command| *command.get_name() == *word);
    if !is_mistyped && std::env::args_os().all(|argument| !argument.to_string_lossy().contains(is_hostile)) {
        error.exit();
    }
    if !is_mistyped {
        // clap repeats arguments as they are.
        let _ = writeln!(io::stderr(), "{}", paint::clean_lines(error.to_string().trim_end()));
        return Exit::Trouble;
    }
    let word = paint::clean(&word.to_string_lossy());
    let hint = misspelled(&word);
    // If standard error is closed, the message is lost.
    let _ = writeln!(
        io::stderr(),
        "error: there is no command or file {word:?}{hint}; `stepback --help` lists the commands"
    );
    Exit::Trouble
}

/// `; did you mean "check"?` for a word that looks like a command.
fn misspelled(word: &str) -> String {
    let program = Arguments::command();
    did_you_mean(word, program.get_subcommands().map(clap::Command::get_name))
}

fn dispatch(arguments: &Arguments) -> eyre::Result<Exit> {
    // Standard output is not locked: while the screen is open, the signal handler's thread must be able to restore the
    // terminal.
    let has_verdict = arguments.command.as_ref().is_none_or(Command::has_verdict);
    let mut out = BufWriter::with_capacity(1 << 16, Output { has_verdict, is_closed: false });
    let exit = execute(arguments, &mut out)?;
    out.flush()?;
    Ok(exit)
}

/// Standard output. A command whose exit code is a verdict runs to its end even if the reader of the pipe has gone.
struct Output {
    has_verdict: bool,
    is_closed: bool,
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_closed {
            return Ok(bytes.len());
        }
        match io::stdout().write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe && self.has_verdict => {
                self.is_closed = true;
                Ok(bytes.len())
            }
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match io::stdout().flush() {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe && self.has_verdict => Ok(()),
            flushed => flushed,
        }
    }
}

/// Runs one command and writes what it prints.
pub(crate) fn execute(arguments: &Arguments, out: &mut dyn Write) -> eyre::Result<Exit> {
    let paint = paint::Paint::for_stdout(arguments.color);
    let exit = match &arguments.command {
        None => report::run_default(arguments, &paint, out)?,
        Some(Command::Check(args)) => check::run(args, arguments, &paint, out)?,
        Some(Command::Report(args)) => report::run(args, &paint, out)?,
        Some(Command::Replay(args)) => replay::run(args, &paint, out)?,
        Some(Command::Show(args)) => show::run(args, &paint, out)?,
        Some(Command::Blame(args)) => blame::run(args, &paint, out)?,
        Some(Command::Bookmark(args)) => bookmark::run(args, &paint, out)?,
        Some(Command::Query(args)) => query::run(args, &paint, &paint::Paint::for_stderr(arguments.color), out)?,
        Some(Command::Diff(args)) => diff::run(args, &paint, out)?,
        Some(Command::Convert(args)) => convert::run(args, out)?,
        Some(Command::Doctor(args)) => doctor::run(args, &paint, &paint::Paint::for_stderr(arguments.color), out)?,
        Some(Command::Explain(args)) => explain::run(args, &paint, out)?,
        Some(Command::Context(args)) => context::run(args, &paint, out)?,
        Some(Command::Sessions(args)) => sessions::run(args, &paint, out)?,
        Some(Command::Files(args)) => files::run(args, &paint, out)?,
        Some(Command::Minimize(args)) => minimize::run(args, &paint, &paint::Paint::for_stderr(arguments.color), out)?,
        Some(Command::Export(args)) => export::run(args, &paint, out)?,
        Some(Command::Checks(args)) => checks::run(args, &paint, out)?,
        Some(Command::Keys(args)) => keys::run(args, &paint, out)?,
        Some(Command::Completions { shell }) => {
            clap_complete::generate(*shell, &mut Arguments::command(), "stepback", out);
            Exit::Clean
        }
        Some(Command::Man) => {
            man::write(out)?;
            Exit::Clean
        }
    };
    Ok(exit)
}

/// Whether the error means that the reader of our output closed the pipe, which is not a failure.
fn is_closed_pipe(report: &eyre::Report) -> bool {
    report.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
            || cause
                .downcast_ref::<serde_json::Error>()
                .is_some_and(|error| error.io_error_kind() == Some(io::ErrorKind::BrokenPipe))
    })
}

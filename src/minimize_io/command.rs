//! The user's command as the predicate: it gets a file, and exit code 0 means that the file is still interesting.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::minimize::candidate::Candidate;
use crate::minimize::parts::Parts;
use crate::minimize::tester::{Predicate, TestResult};
use crate::minimize::written::Form;

/// A test may take this many times as long as the first one, plus this much.
const PATIENCE_TIMES: u32 = 10;
const PATIENCE_AT_LEAST: Duration = Duration::from_secs(1);

pub(crate) struct ByCommand<'o> {
    command: String,
    /// The name of the file, since some commands go by its extension.
    file_name: OsString,
    parts: &'o Parts,
    form: &'o dyn Form,
    /// Whether the user wants to stop.
    is_over: &'o (dyn Fn() -> bool + Sync),
    limit: OnceLock<Duration>,
}

/// How one run of the command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommandRun {
    Ended(ExitStatus),
    TooLong,
    Stopped,
}

impl CommandRun {
    pub(crate) fn is_interesting(self) -> bool {
        matches!(self, CommandRun::Ended(status) if status.success())
    }
}

impl<'o> ByCommand<'o> {
    pub(crate) fn new(
        command: &str,
        log: Option<&Path>,
        parts: &'o Parts,
        form: &'o dyn Form,
        is_over: &'o (dyn Fn() -> bool + Sync),
    ) -> Self {
        let file_name = log.and_then(Path::file_name).map_or_else(|| OsString::from("log.json"), OsString::from);
        ByCommand { command: command.to_owned(), file_name, parts, form, is_over, limit: OnceLock::new() }
    }

    /// Runs the command on the original log. Its duration limits all later runs.
    pub(crate) fn first(&self, whole: &Candidate) -> io::Result<CommandRun> {
        let begun = Instant::now();
        let run = self.run(whole)?;
        let _ = self.limit.set(begun.elapsed() * PATIENCE_TIMES + PATIENCE_AT_LEAST);
        Ok(run)
    }

    pub(crate) fn run(&self, candidate: &Candidate) -> io::Result<CommandRun> {
        let folder = Folder::new()?;
        let file = folder.0.join(&self.file_name);
        std::fs::write(&file, self.form.write(self.parts, candidate))?;
        let mut child = spawn(&command_line(&self.command, &file.to_string_lossy()))?;
        self.wait(&mut child)
    }

    fn wait(&self, child: &mut Child) -> io::Result<CommandRun> {
        let begun = Instant::now();
        let mut pause = Duration::from_millis(1);
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(CommandRun::Ended(status));
            }
            let is_late = self.limit.get().is_some_and(|limit| begun.elapsed() > *limit);
            if is_late || (self.is_over)() {
                end(child);
                return Ok(if is_late { CommandRun::TooLong } else { CommandRun::Stopped });
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }
}

impl Predicate for ByCommand<'_> {
    fn test(&self, candidate: &Candidate) -> TestResult {
        // A command that cannot be started does not accept the candidate.
        TestResult { holds: self.run(candidate).is_ok_and(CommandRun::is_interesting), met: Vec::new() }
    }
}

/// The command with the file in place of `{}`, or at its end.
fn command_line(command: &str, file: &str) -> String {
    let file = format!("'{}'", file.replace('\'', "'\"'\"'"));
    if command.contains("{}") { command.replace("{}", &file) } else { format!("{command} {file}") }
}

/// Starts the command in its own process group where the system has these, so that all its processes can be ended. It
/// runs in the current folder, so relative names work.
fn spawn(line: &str) -> io::Result<Child> {
    let mut command = Command::new("sh");
    command.args(["-c", line]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn()
}

fn end(child: &mut Child) {
    #[cfg(unix)]
    {
        // Only the shell can signal the whole group without unsafe code. If that fails, nothing more can be done.
        let group = format!("kill -KILL -- -{}", child.id());
        let _ = Command::new("sh").args(["-c", &group]).stderr(Stdio::null()).status();
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// A temporary folder for one test, removed when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> io::Result<Folder> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("stepback-{}-{number}", std::process::id()));
        let mut builder = std::fs::DirBuilder::new();
        // Other users must not read the log.
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path)?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_replaces_the_braces_or_is_the_last_argument() {
        assert_eq!(command_line("grep -q x {} && true", "/t/a b"), "grep -q x '/t/a b' && true");
        assert_eq!(command_line("check.sh", "/t/it's"), r#"check.sh '/t/it'"'"'s'"#);
    }
}

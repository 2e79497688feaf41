//! A command of the user's decides, as shrinkers have it: it gets a file, and 0 means that it is still interesting.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::minimize::candidate::Candidate;
use crate::minimize::court::{Answer, Oracle};
use crate::minimize::parts::Parts;
use crate::minimize::written::Form;

/// A test may take so many times as long as the first one did, and this on top.
const PATIENCE_TIMES: u32 = 10;
const PATIENCE_AT_LEAST: Duration = Duration::from_secs(1);

pub struct ByCommand<'o> {
    command: String,
    /// What the file is called, so that a command that goes by endings is at ease.
    file_name: OsString,
    parts: &'o Parts,
    form: &'o dyn Form,
    /// Somebody wants it to end.
    is_over: &'o (dyn Fn() -> bool + Sync),
    limit: OnceLock<Duration>,
}

/// How a run of the command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Run {
    Ended(ExitStatus),
    TooLong,
    Stopped,
}

impl Run {
    pub fn is_interesting(self) -> bool {
        matches!(self, Run::Ended(status) if status.success())
    }
}

impl<'o> ByCommand<'o> {
    pub fn new(
        command: &str,
        log: Option<&Path>,
        parts: &'o Parts,
        form: &'o dyn Form,
        is_over: &'o (dyn Fn() -> bool + Sync),
    ) -> Self {
        let file_name = log.and_then(Path::file_name).map_or_else(|| OsString::from("log.json"), OsString::from);
        ByCommand { command: command.to_owned(), file_name, parts, form, is_over, limit: OnceLock::new() }
    }

    /// Runs the command on the log as it is. How long that takes limits all later runs.
    pub fn first(&self, whole: &Candidate) -> io::Result<Run> {
        let begun = Instant::now();
        let run = self.run(whole)?;
        let _ = self.limit.set(begun.elapsed() * PATIENCE_TIMES + PATIENCE_AT_LEAST);
        Ok(run)
    }

    pub fn run(&self, candidate: &Candidate) -> io::Result<Run> {
        let folder = Folder::new()?;
        let file = folder.0.join(&self.file_name);
        std::fs::write(&file, self.form.write(self.parts, candidate))?;
        let mut child = spawn(&command_line(&self.command, &file.to_string_lossy()))?;
        self.wait(&mut child)
    }

    fn wait(&self, child: &mut Child) -> io::Result<Run> {
        let begun = Instant::now();
        let mut pause = Duration::from_millis(1);
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(Run::Ended(status));
            }
            let is_late = self.limit.get().is_some_and(|limit| begun.elapsed() > *limit);
            if is_late || (self.is_over)() {
                end(child);
                return Ok(if is_late { Run::TooLong } else { Run::Stopped });
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }
}

impl Oracle for ByCommand<'_> {
    fn ask(&self, candidate: &Candidate) -> Answer {
        // A command that cannot be started says nothing for the candidate.
        Answer { holds: self.run(candidate).is_ok_and(Run::is_interesting), met: Vec::new() }
    }
}

/// The file in the place of `{}`, or behind all else.
fn command_line(command: &str, file: &str) -> String {
    let file = format!("'{}'", file.replace('\'', "'\"'\"'"));
    if command.contains("{}") { command.replace("{}", &file) } else { format!("{command} {file}") }
}

/// In a group of processes of its own, where there are such, so that all of it can be ended. It stands where we stand:
/// names in the command mean what they say.
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
        // The shell knows how to reach the whole group; nothing can be done where it does not.
        let group = format!("kill -KILL -- -{}", child.id());
        let _ = Command::new("sh").args(["-c", &group]).stderr(Stdio::null()).status();
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// A folder for one test. It goes when the test is over.
struct Folder(PathBuf);

impl Folder {
    fn new() -> io::Result<Folder> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("stepback-{}-{number}", std::process::id()));
        let mut builder = std::fs::DirBuilder::new();
        // A log is nobody else's business.
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
    fn the_file_stands_where_the_command_wants_it() {
        assert_eq!(command_line("grep -q x {} && true", "/t/a b"), "grep -q x '/t/a b' && true");
        assert_eq!(command_line("check.sh", "/t/it's"), r#"check.sh '/t/it'"'"'s'"#);
    }
}

//! Files of the agent's project: their content after any event, as far as the log proves it.
//!
//! Reads, writes, edits and patches whose content is recorded are proof. Commands are not: what they change is only seen when
//! a file is read again.

mod carried;
mod content;
mod evidence;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use self::content::{delete, patch, see_range, see_whole, write_whole};
use self::evidence::{Evidence, of_change, of_result};
use super::answer::label::cut;
use super::answer::{Collector, Seen, read};
use super::block::{Block, CallId, Outcome, Verdict};
use crate::dialect::files::{FileAt, FilesAt, Writer};
use crate::dialect::open_log::{DialectError, OpenLog};
use crate::replay::Seq;

/// The contents of all files together. When they are longer, the one that was seen last is not kept.
const MOST_BYTES: u64 = 64 << 20;
const MOST_FILES: usize = 20_000;
/// The calls behind later changes of a file are not kept.
const MOST_WRITERS: usize = 10_000;
/// Of more calls the older ones are forgotten; results come soon.
const MOST_CALLS: usize = 10_000;
const SAID_CHARACTERS: usize = 200;

/// Tools that run commands, which can change any file.
const SHELLS: [&str; 8] =
    ["Bash", "PowerShell", "shell", "local_shell_call", "exec_command", "unified_exec", "exec", "write_stdin"];

pub(super) fn files_at(log: &dyn OpenLog, wanted: &[Seq]) -> Result<Vec<FilesAt>, DialectError> {
    let watch = read(log, FileWatch { wanted: wanted.to_vec(), ..FileWatch::default() })?;
    Ok(watch.finish())
}

#[derive(Default)]
struct FileWatch {
    files: FilesAt,
    wanted: Vec<Seq>,
    taken: Vec<FilesAt>,
    commands: u64,
    /// By path: the commands before the last proof, and the bytes that are kept.
    marks: FxHashMap<Arc<str>, (u64, u64)>,
    bytes: u64,
    /// The calls whose changes were seen: programs may report them twice.
    reported: FxHashSet<u64>,
    /// The last calls.
    calls: FxHashMap<u64, Writer>,
    /// What the model said last.
    said: Arc<str>,
}

impl Collector for FileWatch {
    fn see(&mut self, seen: &Seen<'_, '_>) {
        self.take_before(seen.at);
        if seen.is_copy() || seen.is_replayed() {
            return;
        }
        for block in &seen.event.blocks {
            match block {
                Block::Text(content) => self.said = cut(&content.beginning(SAID_CHARACTERS)).into(),
                Block::ToolCall(call) => {
                    self.commands += u64::from(SHELLS.iter().any(|shell| call.name.is(shell)));
                    let writer = Writer { call: seen.at, tool: call.name.get().into(), said: Arc::clone(&self.said) };
                    if self.calls.len() >= MOST_CALLS {
                        self.calls.clear();
                    }
                    self.calls.extend(key(call.id).map(|key| (key, writer)));
                }
                Block::ToolResult(result) => {
                    let writer = key(result.id).and_then(|key| self.calls.get(&key).cloned());
                    let details = result.details.filter(|_| result.outcome == Outcome::Success);
                    if let Some((path, evidence)) = details.and_then(of_result) {
                        self.apply(seen.at, &path, &evidence, writer);
                    }
                }
                Block::Verdict(verdict) => self.see_verdict(seen.at, verdict),
                _ => {}
            }
        }
    }
}

fn key(id: CallId<'_>) -> Option<u64> {
    match id {
        CallId::Named(id) if !id.is_empty() => Some(id.hash()),
        _ => None,
    }
}

impl FileWatch {
    /// Keeps the files as they were after the wanted events before this one.
    fn take_before(&mut self, at: Seq) {
        while self.wanted.get(self.taken.len()).is_some_and(|wanted| *wanted < at) {
            self.take();
        }
    }

    fn take(&mut self) {
        let mut files = self.files.clone();
        for (path, file) in &mut files {
            let before = self.marks.get(path).map_or(0, |(before, _)| *before);
            file.commands_since = self.commands - before;
        }
        self.taken.push(files);
    }

    fn finish(mut self) -> Vec<FilesAt> {
        while self.taken.len() < self.wanted.len() {
            self.take();
        }
        self.taken
    }

    fn see_verdict(&mut self, at: Seq, verdict: &Verdict<'_>) {
        let Some(changes) = verdict.changes else { return };
        if key(verdict.id).is_some_and(|key| !self.reported.insert(key)) {
            return;
        }
        let writer = key(verdict.id).and_then(|key| self.calls.get(&key).cloned());
        changes.each_member(&mut |path, change| {
            let path = path.get();
            let Some((moved, evidence)) = of_change(change) else { return };
            self.apply(at, &path, &evidence, writer.clone());
            if let Some(moved) = moved {
                self.rename(at, &path, &moved);
            }
        });
    }

    fn apply(&mut self, at: Seq, path: &str, evidence: &Evidence<'_>, writer: Option<Writer>) {
        if self.files.len() >= MOST_FILES && !self.files.contains_key(path) {
            return;
        }
        let path: Arc<str> = self.files.get_key_value(path).map_or_else(|| path.into(), |(known, _)| Arc::clone(known));
        let file = self.files.entry(Arc::clone(&path)).or_default();
        if !matches!(evidence, Evidence::Read { .. }) && file.writers.len() < MOST_WRITERS {
            file.writers.extend(writer.map(|writer| (at, writer)));
        }
        match evidence {
            Evidence::Read { from, text, is_whole } => {
                file.reads += 1;
                if *is_whole {
                    see_whole(file, at, text);
                } else {
                    see_range(file, at, *from, &content::lines_of(text));
                }
            }
            Evidence::Created(text) => write_whole(file, at, text, true),
            Evidence::Written { before, after } => {
                if let Some(before) = before {
                    see_whole(file, at, before);
                }
                write_whole(file, at, after, false);
            }
            Evidence::Patched { before, hunks } => {
                if let Some(before) = before {
                    see_whole(file, at, before);
                }
                patch(file, at, hunks);
            }
            Evidence::Deleted => delete(file, at),
        }
        self.weigh(&path);
    }

    fn rename(&mut self, at: Seq, from: &str, to: &str) {
        let Some(file) = self.files.get_mut(from) else { return };
        let moved = FileAt { last: at, ..file.clone() };
        delete(file, at);
        let to: Arc<str> = to.into();
        self.files.insert(Arc::clone(&to), moved);
        self.weigh(&to);
    }

    /// Keeps the sum of all contents bounded.
    fn weigh(&mut self, path: &Arc<str>) {
        let Some(file) = self.files.get_mut(path) else { return };
        let of_lines: u64 = file.lines.iter().flatten().map(|line| line.text.len() as u64 + 32).sum();
        let of_changes: u64 =
            file.changes.iter().map(|change| 64 + 16 * (change.removed.len() + change.added.len()) as u64).sum();
        let mut bytes = of_lines + of_changes;
        let (_, before) = self.marks.get(path).copied().unwrap_or_default();
        if self.bytes - before + bytes > MOST_BYTES {
            *file = FileAt {
                is_too_large: true,
                reads: file.reads,
                writes: file.writes,
                last: file.last,
                changed_outside: file.changed_outside,
                ..FileAt::default()
            };
            bytes = 0;
        }
        self.bytes = self.bytes - before + bytes;
        self.marks.insert(Arc::clone(path), (self.commands, bytes));
    }
}

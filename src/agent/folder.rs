//! The files of a family of agent sessions: a session, and those of its subagents beside or below it.
//!
//! Claude Code writes subagents to `SESSION/subagents/`, old releases to `agent-ID.jsonl` beside the session. Codex writes
//! each thread to a rollout of its own in the folder of the day. Files are found by their places and first records; names
//! in records are only compared with those of files, so nothing outside of these folders is opened.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "at the edge: it reads files")]

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::block::Block;
use super::dialect::DIALECT;
use super::family::{AgentMember, families};
use super::sidecar::known;
use crate::dialect::Dialect;
use crate::dialect::container::Shape;
use crate::dialect::open_log::OpenLog;
use crate::dialect::recognize::Sample;
use crate::json::raw::RawText;
use crate::log::{Log, Options};
use crate::replay::family::FamilyTree;

/// A folder may have more files; these are not looked at.
const MOST_FILES: usize = 512;
/// The records at the start of a file in which its names are looked for.
const HEAD_RECORDS: usize = 64;
/// Larger files are not looked at.
const MOST_BYTES: u64 = 256 << 20;
const SUBAGENTS: &str = "subagents";
/// Subagents of workflows are two folders deeper.
const DEEPEST: usize = 3;

/// The names of a session, from its first records.
struct Names {
    path: PathBuf,
    /// The name of the file without its ending.
    stem: String,
    thread: String,
    /// The session that has started it.
    parent: Option<String>,
    is_claude: bool,
}

/// The family of a session.
pub(super) fn of_log(log: &Path) -> FamilyTree {
    let Some(own) = names_of(log) else { return FamilyTree::default() };
    let (all, skipped) = relatives(&own);
    let root = root_of(&all, log);
    let members = all.iter().filter(|names| root_of(&all, &names.path) == root).filter_map(member);
    families(&members.collect::<Vec<_>>(), skipped)
}

/// The family of the first session of a folder that has started others.
pub(super) fn in_folder(folder: &Path) -> FamilyTree {
    let mut files: Vec<PathBuf> = sessions_in(folder).collect();
    files.sort();
    let has_subagents = |file: &&PathBuf| subagents_of(file).is_some_and(|folder| folder.is_dir());
    let first = files.iter().find(has_subagents).or_else(|| {
        // Only sessions whose children are beside them are left, and one of these tells about all.
        files.iter().take(MOST_FILES).find(|file| names_of(file).is_some())
    });
    match first.and_then(|file| names_of(file)) {
        None => FamilyTree::default(),
        Some(own) => {
            let (all, skipped) = relatives(&own);
            families(&all.iter().filter_map(member).collect::<Vec<_>>(), skipped)
        }
    }
}

/// The sessions that a session has started, directly or not.
pub(super) fn checked_with(log: &Path) -> Vec<PathBuf> {
    let Some(own) = is_regular(log).then(|| names_of(log)).flatten() else { return Vec::new() };
    let all = relatives(&own).0;
    let is_below = |names: &&Names| names.path != log && ancestors(&all, &names.path).any(|above| above.path == log);
    all.iter().filter(is_below).map(|names| names.path.clone()).collect()
}

/// The sessions that may belong to one, with itself, and how many files were not looked at.
fn relatives(own: &Names) -> (Vec<Names>, usize) {
    let below = own.path.ancestors().skip(1).take(DEEPEST).find(|folder| folder.ends_with(SUBAGENTS));
    let main = below.and_then(Path::parent).map_or_else(|| own.path.clone(), |session| session.with_extension("jsonl"));
    let folder = match main.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        _ => PathBuf::from("."),
    };
    let mut files: Vec<PathBuf> = sessions_in(&folder).filter(|file| !own.is_claude || is_agent_file(file)).collect();
    if own.is_claude {
        let session = own.parent.as_deref().filter(|name| is_plain(name) && below.is_none());
        files.push(session.map_or(main, |session| folder.join(format!("{session}.jsonl"))));
        let mains: Vec<PathBuf> = files.clone();
        for main in &mains {
            if let Some(subagents) = subagents_of(main) {
                walk(&subagents, DEEPEST, &mut files);
            }
        }
    }
    files.retain(|file| *file != own.path && is_regular(file));
    files.sort();
    files.dedup();
    let skipped = files.len().saturating_sub(MOST_FILES);
    files.truncate(MOST_FILES);
    files.push(own.path.clone());
    files.sort();
    (files.iter().filter_map(|file| names_of(file)).collect(), skipped)
}

/// The sessions above one, nearest first.
fn ancestors<'n>(all: &'n [Names], path: &Path) -> impl Iterator<Item = &'n Names> {
    let parent = move |names: &'n Names| -> Option<&'n Names> {
        let parent = names.parent.as_deref()?;
        all.iter().find(|other| other.thread == parent && other.path != names.path)
    };
    let own = all.iter().find(|names| names.path == path);
    // Damaged files may name each other as parents.
    std::iter::successors(own.and_then(parent), move |names| parent(names)).take(all.len())
}

fn root_of(all: &[Names], path: &Path) -> PathBuf {
    ancestors(all, path).last().map_or_else(|| path.to_path_buf(), |names| names.path.clone())
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0'])
}

fn is_regular(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_file() && found.len() <= MOST_BYTES)
}

/// The name of a file without the endings of sessions; `None` if it has none.
fn stem(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_string_lossy().into_owned();
    let ending = [".jsonl", ".jsonl.zst", ".jsonl.gz"].into_iter().find(|ending| name.ends_with(ending))?;
    (!name.starts_with('.')).then(|| name[..name.len() - ending.len()].to_owned())
}

fn is_agent_file(path: &Path) -> bool {
    stem(path).is_some_and(|stem| stem.starts_with("agent-"))
}

/// The folder of the subagents of a session.
fn subagents_of(path: &Path) -> Option<PathBuf> {
    Some(path.with_file_name(stem(path)?).join(SUBAGENTS))
}

fn sessions_in(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let folder = folder.to_path_buf();
    let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
    entries.map(move |entry| folder.join(entry.file_name())).filter(|path| stem(path).is_some() && is_regular(path))
}

fn walk(folder: &Path, deepest: usize, found: &mut Vec<PathBuf>) {
    found.extend(sessions_in(folder).filter(|file| is_agent_file(file)));
    if deepest == 0 {
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) && found.len() <= MOST_FILES {
            walk(&entry.path(), deepest - 1, found);
        }
    }
}

fn open(path: &Path) -> Option<Log> {
    static ONLY: &[&Dialect] = &[&DIALECT];
    Log::open(path, &Options { turn: None, dialect: None, dialects: ONLY }).ok()
}

/// The names of a session; `None` if the file is not one.
fn names_of(path: &Path) -> Option<Names> {
    let stem = stem(path).or_else(|| Some(path.file_name()?.to_string_lossy().into_owned()))?;
    let log = open(path)?;
    let (mut header, mut session, mut seen) = (None, None, 0);
    let end = log.each_record_until(&mut |read| {
        seen += 1;
        let sample = Sample::new(read.record, Shape::Lines);
        session =
            session.take().or_else(|| Some((sample.word("sessionId")?.to_owned(), sample.word("agentId")?.to_owned())));
        if let Ok(event) = super::decode::AgentDecoder::default().decode(read.record) {
            let text = |text: Option<RawText<'_>>| text.map(|text| text.get().into_owned());
            header = header.take().or_else(|| {
                event.blocks.iter().find_map(|block| match block {
                    Block::Header(header) => Some((
                        text(header.thread).unwrap_or_default(),
                        text(header.parent.filter(|_| header.is_subagent)),
                    )),
                    _ => None,
                })
            });
        }
        let is_known = header.is_some() || session.is_some() || seen >= HEAD_RECORDS;
        if is_known { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    end.ok()?;
    let path = path.to_path_buf();
    Some(match (header, session) {
        (Some((thread, parent)), _) => Names { path, stem, thread, parent, is_claude: false },
        (None, Some((parent, agent))) if is_agent_file(&path) => {
            Names { path, stem, thread: agent, parent: Some(parent), is_claude: true }
        }
        (None, _) => Names { path, thread: stem.clone(), stem, parent: None, is_claude: true },
    })
}

/// What the family needs to know about a session.
fn member(names: &Names) -> Option<AgentMember> {
    let log = open(&names.path)?;
    let decoder = known(&log).ok()?;
    let mut member = AgentMember::new(names.path.clone(), &names.stem, &names.thread);
    member.parent = names.parent.as_deref().map(Arc::from);
    member.call = call_of(&names.path);
    log.each_record(&mut |read| {
        if let Ok(event) = decoder.decode(read.record) {
            member.see(read.at, &event);
        }
    })
    .ok()?;
    Some(member)
}

/// The call that started a subagent, as the file beside it says.
fn call_of(path: &Path) -> Option<Arc<str>> {
    /// Such a file holds a few names.
    const MOST_META_BYTES: u64 = 64 << 10;
    let beside = path.with_file_name(format!("{}.meta.json", stem(path)?));
    let is_small = beside.symlink_metadata().is_ok_and(|found| found.is_file() && found.len() <= MOST_META_BYTES);
    let text = is_small.then(|| fs::read(&beside)).and_then(Result::ok)?;
    let names = Sample::new(&text, Shape::Lines);
    names.word("toolUseId").map(Arc::from)
}

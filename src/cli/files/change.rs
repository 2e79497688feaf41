//! What changed in files from one event to another, as unified diffs.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write};
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

use crate::cli::paint::{Paint, clean};
use crate::compare::lcs::{Budget, pairs};
use crate::dialect::files::{Change, FileAt, FileLine, FilesAt};
use crate::replay::Seq;

/// Lines around a change.
const CONTEXT: usize = 3;

/// How a diff is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// The file is known as a whole at both ends.
    Whole,
    /// At the first event nothing was known; the content was found later, and no call had changed it.
    FoundLater,
    /// Only the changed lines are known, call by call.
    Calls,
}

impl Proof {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Proof::Whole => "whole",
            Proof::FoundLater => "found_later",
            Proof::Calls => "calls",
        }
    }
}

pub(super) struct FileChange {
    pub path: Arc<str>,
    pub proof: Proof,
    /// Lines with their line breaks.
    pub diff: Vec<String>,
    /// The events that changed the file.
    pub calls: Vec<u32>,
}

pub(super) fn between(
    before: &FilesAt,
    after: &FilesAt,
    only: Option<&Arc<str>>,
    (from, to): (Seq, Seq),
) -> Vec<FileChange> {
    let files = after.iter().filter(|(path, _)| only.is_none_or(|only| only == *path));
    files.filter_map(|(path, file)| of_file(path, before.get(path), file, (from, to))).collect()
}

fn of_file(path: &Arc<str>, before: Option<&FileAt>, after: &FileAt, (from, to): (Seq, Seq)) -> Option<FileChange> {
    let inside: Vec<&Change> = after.changes.iter().filter(|change| from < change.at && change.at <= to).collect();
    let calls: BTreeSet<u32> = inside.iter().map(|change| change.at.0).collect();
    let whole = |file: &FileAt| file.lines.iter().flatten().cloned().collect::<Vec<FileLine>>();
    let (old, proof): (Option<Vec<FileLine>>, Proof) = match before {
        Some(before) if before.is_whole => (Some(whole(before)), Proof::Whole),
        None if after.is_created => (Some(Vec::new()), Proof::Whole),
        _ => match &after.found {
            Some((found, lines)) if *found > from => (Some(lines.to_vec()), Proof::FoundLater),
            _ => (None, Proof::Calls),
        },
    };
    let (diff, proof) = match old.filter(|_| after.is_whole) {
        Some(old) => (unified(&old, &whole(after)), proof),
        None => (one_by_one(&inside), Proof::Calls),
    };
    if diff.is_empty() {
        return None;
    }
    Some(FileChange { path: Arc::clone(path), proof, diff, calls: calls.into_iter().collect() })
}

/// The changes of calls, where the whole file is not known.
fn one_by_one(changes: &[&Change]) -> Vec<String> {
    let mut diff = Vec::new();
    for change in changes {
        let (removed, added) = (change.removed.len(), change.added.len());
        diff.push(format!("@@ -{},{removed} +{},{added} @@ event {}\n", change.line, change.line, change.at));
        diff.extend(change.removed.iter().map(|line| format!("-{line}\n")));
        diff.extend(change.added.iter().map(|line| format!("+{line}\n")));
    }
    diff
}

fn hashes(lines: &[FileLine]) -> Vec<u64> {
    let hash = |line: &FileLine| {
        let mut hasher = FxBuildHasher.build_hasher();
        hasher.write(line.text.as_bytes());
        hasher.finish()
    };
    lines.iter().map(hash).collect()
}

/// One line of a diff: its mark, and its numbers on both sides, counted from 0.
struct DiffLine<'l> {
    mark: char,
    old: usize,
    new: usize,
    text: &'l str,
}

/// The unified diff of two texts; empty if they are equal.
fn unified(old: &[FileLine], new: &[FileLine]) -> Vec<String> {
    let mut budget = Budget::for_length((old.len() + new.len()) as u64);
    let (mut lines, mut at) = (Vec::new(), (0, 0));
    let common = pairs(&hashes(old), &hashes(new), &mut budget);
    for (one, two) in common.into_iter().chain([(old.len(), new.len())]) {
        lines.extend((at.0..one).map(|line| DiffLine { mark: '-', old: line, new: at.1, text: &old[line].text }));
        lines.extend((at.1..two).map(|line| DiffLine { mark: '+', old: one, new: line, text: &new[line].text }));
        if let Some(same) = old.get(one).filter(|_| two < new.len()) {
            lines.push(DiffLine { mark: ' ', old: one, new: two, text: &same.text });
        }
        at = (one + 1, two + 1);
    }
    hunks(&lines)
}

fn hunks(lines: &[DiffLine<'_>]) -> Vec<String> {
    let changed: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].mark != ' ').collect();
    let mut diff = Vec::new();
    let mut rest = &changed[..];
    while let Some(first) = rest.first() {
        let apart = rest.windows(2).position(|pair| pair[1] - pair[0] > 2 * CONTEXT);
        let (group, later) = rest.split_at(apart.map_or(rest.len(), |at| at + 1));
        let last = group.last().unwrap_or(first);
        let hunk = &lines[first.saturating_sub(CONTEXT)..(last + CONTEXT + 1).min(lines.len())];
        let counted = |other: char| hunk.iter().filter(|line| line.mark != other).count();
        let (old, new) = (counted('+'), counted('-'));
        let start = |line: usize, count: usize| if count == 0 { line } else { line + 1 };
        diff.push(format!("@@ -{},{old} +{},{new} @@\n", start(hunk[0].old, old), start(hunk[0].new, new)));
        diff.extend(hunk.iter().map(|line| format!("{}{}\n", line.mark, line.text)));
        rest = later;
    }
    diff
}

pub(super) fn write(changes: &[FileChange], paint: Paint, out: &mut dyn Write) -> io::Result<()> {
    if changes.is_empty() {
        return writeln!(out, "no record between these two events proves a change of a file");
    }
    for change in changes {
        let calls: Vec<String> = change.calls.iter().map(u32::to_string).collect();
        let by =
            if calls.is_empty() { "nothing in the log".to_owned() } else { format!("events {}", calls.join(", ")) };
        let proof = match change.proof {
            Proof::Whole => "",
            Proof::FoundLater => "; the old content was only found later, between the two events",
            Proof::Calls => "; only a part of the file is in the log, so its changes are shown one by one",
        };
        writeln!(out, "{}  {}", paint.strong(&clean(&change.path)), paint.dim(&format!("by {by}{proof}")))?;
        for line in &change.diff {
            let text = clean(line.trim_end_matches('\n'));
            let text = match line.as_bytes().first() {
                Some(b'+') => paint.good(&text),
                Some(b'-') => paint.bad(&text),
                Some(b'@') => paint.dim(&text),
                _ => text,
            };
            writeln!(out, "{text}")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::files::By;

    fn lines(text: &str) -> Vec<FileLine> {
        text.split(' ').map(|text| FileLine { text: text.into(), by: By::Found(Seq(0)) }).collect()
    }

    #[test]
    fn diffs_are_unified_with_three_lines_around() {
        let diff = unified(&lines("a b c d e f g h i j k l"), &lines("a B c d e f g h i j k l m"));
        assert_eq!(diff.concat(), "@@ -1,5 +1,5 @@\n a\n-b\n+B\n c\n d\n e\n@@ -10,3 +10,4 @@\n j\n k\n l\n+m\n");
        assert_eq!(unified(&[], &lines("a b")).concat(), "@@ -0,0 +1,2 @@\n+a\n+b\n");
        assert!(unified(&lines("a b"), &lines("a b")).is_empty());
    }
}

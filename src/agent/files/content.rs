//! The content of one file, as far as a log proves it: whole texts, ranges that were read, and patches.
//!
//! What contradicts an earlier proof shows that something else changed the file. Then nothing earlier counts any more.

use std::sync::Arc;

use super::carried::carried;
use crate::dialect::files::{By, Change, FileAt, FileLine};
use crate::replay::Seq;

/// Files with more lines than this are not kept.
const MOST_LINES: usize = 200_000;
/// Longer texts are not kept.
const MOST_BYTES: usize = 4 << 20;
/// Of more changes only the last ones are kept.
const MOST_CHANGES: usize = 1_000;

/// A line of a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PatchLine {
    Same(Box<str>),
    Removed(Box<str>),
    Added(Box<str>),
}

impl PatchLine {
    /// A line with its mark. Notes about a missing line break are not lines.
    pub(super) fn of(line: &str) -> Option<PatchLine> {
        let mark = line.chars().next()?;
        let text = without_return(line.get(1..)?).into();
        match mark {
            ' ' => Some(PatchLine::Same(text)),
            '-' => Some(PatchLine::Removed(text)),
            '+' => Some(PatchLine::Added(text)),
            _ => None,
        }
    }
}

/// A stretch of a patch: its first line in the old file, counted from 1, and its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hunk {
    pub line: usize,
    pub lines: Vec<PatchLine>,
}

impl Hunk {
    fn old(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().filter_map(|line| match line {
            PatchLine::Same(text) | PatchLine::Removed(text) => Some(&**text),
            PatchLine::Added(_) => None,
        })
    }

    /// The first line in the old file, counted from 0. Without old lines, the line before is named.
    fn start(&self) -> usize {
        if self.old().next().is_none() { self.line } else { self.line.saturating_sub(1) }
    }
}

/// The lines of a text. The line break at its end begins no line.
pub(super) fn lines_of(text: &str) -> Vec<&str> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    if text.is_empty() { Vec::new() } else { text.split('\n').map(without_return).collect() }
}

/// Programs keep the carriage return of a line in some records and not in others.
fn without_return(line: &str) -> &str {
    line.strip_suffix('\r').unwrap_or(line)
}

/// Whether a text is kept. If not, nothing is known about the file any more.
fn keeps(file: &mut FileAt, text: &str) -> bool {
    let is_kept = text.len() <= MOST_BYTES && text.bytes().filter(|byte| *byte == b'\n').count() < MOST_LINES;
    file.is_too_large = !is_kept;
    if !is_kept {
        forget(file);
    }
    is_kept
}

fn forget(file: &mut FileAt) {
    file.lines.clear();
    file.is_whole = false;
}

fn touch(file: &mut FileAt, at: Seq) {
    file.last = at;
    file.is_deleted = false;
}

/// The whole file was seen.
pub(super) fn see_whole(file: &mut FileAt, at: Seq, text: &str) {
    touch(file, at);
    if !keeps(file, text) {
        return;
    }
    let new = lines_of(text);
    let is_known = file.is_whole || file.lines.iter().any(Option::is_some);
    let is_consistent = match file.is_whole {
        true => file.lines.len() == new.len() && agrees(&file.lines, 0, &new),
        false => file.lines.len() <= new.len() && agrees(&file.lines, 0, &new),
    };
    let by = if is_consistent || !is_known { By::Found(at) } else { By::Outside(at) };
    if by == By::Outside(at) {
        file.changed_outside = Some(at);
    }
    file.lines = carried(&file.lines, &new, by).into_iter().map(Some).collect();
    file.is_whole = true;
    keep_found(file, at);
}

fn keep_found(file: &mut FileAt, at: Seq) {
    if file.found.is_none() && !file.is_created && file.writes == 0 {
        file.found = Some((at, file.lines.iter().flatten().cloned().collect()));
    }
}

/// Whether the known lines from `from` on are those that are seen.
fn agrees(known: &[Option<FileLine>], from: usize, seen: &[&str]) -> bool {
    let known = known.iter().skip(from).zip(seen);
    known.into_iter().all(|(known, seen)| known.as_ref().is_none_or(|known| &*known.text == *seen))
}

/// Some lines were seen, from `from` on, counted from 0.
pub(super) fn see_range(file: &mut FileAt, at: Seq, from: usize, seen: &[&str]) {
    touch(file, at);
    if from.saturating_add(seen.len()) > MOST_LINES {
        return;
    }
    let is_past_end = file.is_whole && from + seen.len() > file.lines.len();
    let is_outside = is_past_end || !agrees(&file.lines, from, seen);
    if is_outside {
        file.changed_outside = Some(at);
        forget(file);
    }
    if file.lines.len() < from + seen.len() {
        file.lines.resize(from + seen.len(), None);
    }
    let by = if is_outside { By::Outside(at) } else { By::Found(at) };
    for (line, text) in file.lines[from..].iter_mut().zip(seen) {
        line.get_or_insert_with(|| FileLine { text: Arc::from(*text), by });
    }
}

/// A call wrote the whole file.
pub(super) fn write_whole(file: &mut FileAt, at: Seq, text: &str, is_new: bool) {
    touch(file, at);
    file.is_created |= is_new && file.writes == 0 && file.reads == 0;
    file.writes += 1;
    if !keeps(file, text) {
        return;
    }
    let old: Vec<Option<FileLine>> = if is_new { Vec::new() } else { std::mem::take(&mut file.lines) };
    let new = carried(&old, &lines_of(text), By::Written(at));
    let removed = old.iter().flatten().map(|line| Arc::clone(&line.text)).collect();
    let added = new.iter().map(|line| Arc::clone(&line.text)).collect();
    add_change(file, Change { at, line: 1, removed, added });
    file.lines = new.into_iter().map(Some).collect();
    file.is_whole = true;
}

fn add_change(file: &mut FileAt, change: Change) {
    if file.changes.len() >= MOST_CHANGES {
        file.changes.remove(0);
    }
    file.changes.push(change);
}

/// A call changed stretches of the file.
pub(super) fn patch(file: &mut FileAt, at: Seq, hunks: &[Hunk]) {
    for hunk in hunks {
        let old: Vec<&str> = hunk.old().collect();
        see_range(file, at, hunk.start(), &old);
    }
    file.writes += 1;
    let mut shift = 0_isize;
    for hunk in hunks {
        let old = hunk.old().count();
        let Some(from) = hunk.start().checked_add_signed(shift) else { continue };
        if from + old > file.lines.len() {
            if from > MOST_LINES || file.is_too_large {
                continue;
            }
            file.lines.resize(from + old, None);
        }
        let (change, new) = replaced(&file.lines[from..from + old], hunk, at);
        shift += new.len() as isize - old as isize;
        file.lines.splice(from..from + old, new.into_iter().map(Some));
        add_change(file, change);
    }
}

/// The lines that replace those of a hunk, and the change.
fn replaced(old: &[Option<FileLine>], hunk: &Hunk, at: Seq) -> (Change, Vec<FileLine>) {
    let mut change = Change { at, line: hunk.line, removed: Vec::new(), added: Vec::new() };
    let (mut old, mut new) = (old.iter(), Vec::new());
    let mut is_first = true;
    for line in &hunk.lines {
        match line {
            PatchLine::Same(text) => {
                let known = old.next().cloned().flatten();
                new.push(known.unwrap_or_else(|| FileLine { text: Arc::from(&**text), by: By::Found(at) }));
                change.line += usize::from(is_first);
            }
            PatchLine::Removed(text) => {
                old.next();
                change.removed.push(Arc::from(&**text));
                is_first = false;
            }
            PatchLine::Added(text) => {
                let text: Arc<str> = Arc::from(&**text);
                change.added.push(Arc::clone(&text));
                new.push(FileLine { text, by: By::Written(at) });
                is_first = false;
            }
        }
    }
    (change, new)
}

pub(super) fn delete(file: &mut FileAt, at: Seq) {
    touch(file, at);
    file.writes += 1;
    let removed = file.lines.iter().flatten().map(|line| Arc::clone(&line.text)).collect();
    add_change(file, Change { at, line: 1, removed, added: Vec::new() });
    file.lines.clear();
    (file.is_whole, file.is_deleted) = (true, true);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(file: &FileAt) -> Vec<String> {
        let line = |line: &Option<FileLine>| match line {
            Some(line) => format!("{} {} {}", line.by.name(), line.by.at(), line.text),
            None => "?".to_owned(),
        };
        file.lines.iter().map(line).collect()
    }

    #[test]
    fn a_patch_keeps_who_wrote_the_other_lines() {
        let mut file = FileAt::default();
        see_whole(&mut file, Seq(1), "a\nb\nc\n");
        let hunk = Hunk {
            line: 1,
            lines: vec![
                PatchLine::Same("a".into()),
                PatchLine::Removed("b".into()),
                PatchLine::Added("B".into()),
                PatchLine::Added("b2".into()),
            ],
        };
        patch(&mut file, Seq(5), &[hunk]);
        assert_eq!(told(&file), ["found 1 a", "written 5 B", "written 5 b2", "found 1 c"]);
        assert!(file.is_whole && file.changed_outside.is_none());
        assert_eq!((file.changes[0].line, file.changes[0].added.len()), (2, 2));
        see_whole(&mut file, Seq(6), "a\nB\nb2\nc");
        assert_eq!(file.changed_outside, None, "the log predicted it");
        write_whole(&mut file, Seq(7), "a\nB\nnew\nc\n", false);
        assert_eq!(told(&file), ["found 1 a", "written 5 B", "written 7 new", "found 1 c"]);
    }

    #[test]
    fn what_contradicts_an_earlier_proof_was_changed_outside() {
        let mut file = FileAt::default();
        see_range(&mut file, Seq(1), 1, &["b", "c"]);
        assert_eq!(told(&file), ["?", "found 1 b", "found 1 c"]);
        assert!(!file.is_whole);
        see_range(&mut file, Seq(2), 2, &["X", "Y"]);
        assert_eq!(told(&file), ["?", "?", "outside 2 X", "outside 2 Y"]);
        assert_eq!(file.changed_outside, Some(Seq(2)));
        see_whole(&mut file, Seq(3), "a\nb\nX\nY");
        assert_eq!(told(&file), ["found 3 a", "found 3 b", "outside 2 X", "outside 2 Y"]);
        see_whole(&mut file, Seq(4), "a\nb\nX\nY\nz");
        assert_eq!(file.changed_outside, Some(Seq(4)));
        assert_eq!(told(&file)[4], "outside 4 z");
    }

    #[test]
    fn hunks_of_a_file_that_was_never_read_prove_their_lines() {
        let mut file = FileAt::default();
        let first = Hunk { line: 3, lines: vec![PatchLine::Removed("c".into()), PatchLine::Same("d".into())] };
        let second = Hunk { line: 6, lines: vec![PatchLine::Same("f".into()), PatchLine::Added("g".into())] };
        patch(&mut file, Seq(4), &[first, second]);
        assert_eq!(told(&file), ["?", "?", "found 4 d", "?", "found 4 f", "written 4 g"]);
        let insert = Hunk { line: 0, lines: vec![PatchLine::Added("top".into())] };
        patch(&mut file, Seq(5), &[insert]);
        assert_eq!(told(&file)[..2], ["written 5 top", "?"]);
        delete(&mut file, Seq(6));
        assert!(file.is_deleted && file.lines.is_empty());
    }

    #[test]
    fn files_that_are_too_large_are_not_kept() {
        let mut file = FileAt::default();
        see_whole(&mut file, Seq(1), &"x\n".repeat(MOST_LINES + 1));
        assert!(file.is_too_large && file.lines.is_empty() && !file.is_whole);
        see_range(&mut file, Seq(2), usize::MAX, &["x"]);
        patch(&mut file, Seq(3), &[Hunk { line: usize::MAX, lines: vec![PatchLine::Removed("x".into())] }]);
        assert!(file.lines.is_empty());
        assert_eq!(lines_of("\n"), Vec::<&str>::new());
    }
}

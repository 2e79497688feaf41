//! The Conversation tab: the messages around the playhead, as they are read.

mod part;

use std::collections::HashSet;

use unicode_width::UnicodeWidthStr;

use super::lines::{Join, TabLine, TabLines, Tint, TintedText};
use crate::replay::Seq;
use crate::replay::search::Pattern;
use crate::replay::timeline::Replay;
use crate::replay::utterance::{Conversation, Utterance};
use crate::text::{count, fit};

/// How many entries are fetched on each side of the playhead.
const BEFORE: usize = 120;
const AFTER: usize = 60;
/// If fewer than these are left on a side, more are fetched.
const NEAR: usize = 30;
/// Before the texts of an entry.
const INDENT: usize = 4;
/// The number of the entry that stands for an event without one.
const HERE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineKind {
    /// About the conversation as a whole.
    Note,
    Head,
    Text,
    /// What is hidden from a byte of the part on.
    Fold {
        from: usize,
    },
}

struct ConversationLine {
    entry: u32,
    part: u32,
    kind: LineKind,
    join: Join,
    pieces: Box<[TintedText]>,
}

#[derive(Default)]
pub(crate) struct ConversationTab {
    /// The event at the playhead at the last update.
    at: Option<Seq>,
    /// The length of the log when the entries were fetched.
    events: u32,
    conversation: Conversation,
    lines: Vec<ConversationLine>,
    /// The first line of each entry.
    heads: Vec<usize>,
    /// The event at the playhead, if it is not an entry, and its lines. They stand between the entries.
    here: Option<Utterance>,
    here_lines: Vec<ConversationLine>,
    here_from: usize,
    columns: usize,
    /// The parts that are unfolded, by the event and their number.
    unfolded: HashSet<(Seq, u32)>,
    is_unfolded: bool,
}

impl ConversationTab {
    pub(crate) fn at(&self) -> Option<Seq> {
        self.at
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Goes to another event. Returns whether other entries were fetched, so that the lines must be laid out again.
    pub(crate) fn look(&mut self, replay: &dyn Replay, at: Seq) -> bool {
        let has_moved = self.at.replace(at) != Some(at);
        let is_fetched = self.fetch(replay, at);
        let is_entry = self.conversation.entries.binary_search_by_key(&at, |(seq, _)| *seq).is_ok();
        if is_entry {
            self.here = None;
        } else if has_moved || is_fetched {
            self.here = replay.reading(at).ok().flatten();
        }
        self.lay_out_here();
        is_fetched
    }

    fn fetch(&mut self, replay: &dyn Replay, at: Seq) -> bool {
        let events = replay.len();
        let here = self.up_to(Some(at));
        let Conversation { entries, more_before, more_after } = &self.conversation;
        let has_before = here >= NEAR || !more_before;
        let has_after = entries.len() - here >= NEAR || (!more_after && events == self.events);
        if self.events > 0 && has_before && has_after {
            return false;
        }
        self.events = events;
        self.conversation = match replay.said(at, BEFORE, AFTER) {
            Ok(conversation) => conversation,
            Err(gone) => {
                let said = Utterance::new("gone", String::new(), &gone.reason);
                Conversation { entries: vec![(at, said)], ..Conversation::default() }
            }
        };
        true
    }

    /// Fetches the whole text of entries that were unfolded, and cut when they were fetched.
    pub(crate) fn complete(&mut self, replay: &dyn Replay) {
        for (seq, said) in &mut self.conversation.entries {
            let is_unfolded = (0..said.parts.len() as u32).any(|part| self.unfolded.contains(&(*seq, part)));
            if is_unfolded
                && said.is_cut()
                && let Ok(Some(whole)) = replay.reading(*seq)
            {
                *said = whole;
            }
        }
    }

    /// The number of entries up to an event.
    fn up_to(&self, at: Option<Seq>) -> usize {
        self.conversation.entries.partition_point(|(seq, _)| Some(*seq) <= at)
    }

    pub(crate) fn lay_out(&mut self, columns: usize) {
        self.columns = columns;
        (self.lines, self.heads) = (Vec::new(), Vec::new());
        if self.conversation.more_before {
            self.lines.push(note("… earlier messages; go back in the log to see them", columns));
        }
        for (number, (seq, said)) in self.conversation.entries.iter().enumerate() {
            self.heads.push(self.lines.len());
            self.lines.extend(self.entry_lines(number as u32, *seq, said));
        }
        self.heads.push(self.lines.len());
        if self.conversation.more_after {
            self.lines.push(note("… later messages; go forward in the log to see them", columns));
        }
        self.lay_out_here();
        if self.lines.is_empty() && self.here.is_none() {
            self.lines.push(note("this log has no messages", columns));
        }
    }

    fn lay_out_here(&mut self) {
        let from = self.heads.get(self.up_to(self.at)).copied();
        self.here_from = from.unwrap_or(self.lines.len());
        self.here_lines = match (self.at, &self.here) {
            (Some(at), Some(said)) => self.entry_lines(HERE, at, said),
            _ => Vec::new(),
        };
    }

    fn entry_lines(&self, entry: u32, seq: Seq, said: &Utterance) -> Vec<ConversationLine> {
        let head = ConversationLine { entry, part: 0, kind: LineKind::Head, join: Join::Apart, pieces: Box::new([]) };
        let mut lines = vec![head];
        for (part, text) in (0..).zip(&said.parts) {
            let is_unfolded = self.is_unfolded || self.unfolded.contains(&(seq, part));
            let laid = part::lay_out(text, self.columns.saturating_sub(INDENT), is_unfolded);
            lines.extend(laid.lines.into_iter().map(|line| {
                let (join, pieces) = (line.join, line.pieces.into());
                ConversationLine { entry, part, kind: LineKind::Text, join, pieces }
            }));
            if laid.hidden > 0 {
                let more = match is_unfolded {
                    false => format!("… {}", count(laid.hidden as u64, "more line")),
                    true => {
                        let bytes = text.text.len() - laid.shown + text.left_out;
                        format!("… {}; JSON and Raw show them all", count(bytes as u64, "more byte"))
                    }
                };
                let kind = LineKind::Fold { from: laid.shown };
                let pieces = [TintedText { tint: Tint::Dim, text: more }];
                lines.push(ConversationLine { entry, part, kind, join: Join::Apart, pieces: Box::new(pieces) });
            }
        }
        lines
    }

    /// Whether the line under the cursor folds: it says what is hidden, or it belongs to the event at the playhead.
    pub(crate) fn folds(&self, line: usize) -> bool {
        let Some(found) = self.get(line) else { return false };
        let is_here = self.entry(line).map(|(seq, _)| seq) == self.at;
        match found.kind {
            LineKind::Fold { .. } => true,
            LineKind::Text | LineKind::Head => is_here,
            LineKind::Note => false,
        }
    }

    /// Folds or unfolds the part under the cursor. The lines must be laid out again.
    pub(crate) fn toggle(&mut self, line: usize) {
        let (Some(found), Some((seq, _))) = (self.get(line), self.entry(line)) else { return };
        let key = (seq, found.part);
        if !self.unfolded.remove(&key) {
            self.unfolded.insert(key);
        }
    }

    pub(crate) fn toggle_all(&mut self) {
        self.is_unfolded = !self.is_unfolded;
        self.unfolded.clear();
    }

    /// The first line of an event's entry, or of the last entry before it.
    pub(crate) fn line_of(&self, at: Seq) -> usize {
        if self.at == Some(at) && !self.here_lines.is_empty() {
            return self.here_from;
        }
        let line = self.heads.get(self.up_to(Some(at)).saturating_sub(1)).copied().unwrap_or(0);
        if line >= self.here_from { line + self.here_lines.len() } else { line }
    }

    fn get(&self, line: usize) -> Option<&ConversationLine> {
        match line.checked_sub(self.here_from) {
            None => self.lines.get(line),
            Some(at) if at < self.here_lines.len() => self.here_lines.get(at),
            Some(_) => self.lines.get(line - self.here_lines.len()),
        }
    }

    fn entry(&self, line: usize) -> Option<(Seq, &Utterance)> {
        let line = self.get(line).filter(|line| line.kind != LineKind::Note)?;
        match line.entry {
            HERE => Some((self.at?, self.here.as_ref()?)),
            entry => self.conversation.entries.get(entry as usize).map(|(seq, said)| (*seq, said)),
        }
    }

    pub(crate) fn event(&self, line: usize) -> Option<Seq> {
        self.entry(line).map(|(seq, _)| seq)
    }

    pub(crate) fn text(&self, line: usize) -> Option<String> {
        self.entry(line).map(|(_, said)| said.text())
    }

    fn head(&self, seq: Seq, said: &Utterance, drawn: &mut TabLine) {
        let mark = if Some(seq) == self.at { "▶ " } else { "  " };
        let tint = if said.role == "user" { Tint::Heading } else { Tint::Strong };
        drawn.push(tint, format!("{mark}{}", said.role));
        drawn.push(Tint::Dim, format!(" {seq}"));
        let used = said.role.width() + 4 + seq.to_string().len();
        if !said.about.is_empty() {
            let tint = if said.is_failure { Tint::Error } else { Tint::Key };
            drawn.push(tint, format!(" {}", fit(&said.about, self.columns.saturating_sub(used))));
        }
    }
}

fn note(text: &str, columns: usize) -> ConversationLine {
    let pieces = Box::new([TintedText { tint: Tint::Dim, text: fit(text, columns) }]);
    ConversationLine { entry: 0, part: 0, kind: LineKind::Note, join: Join::Apart, pieces }
}

impl TabLines for ConversationTab {
    fn count(&self) -> usize {
        self.lines.len() + self.here_lines.len()
    }

    fn line(&self, at: usize) -> TabLine {
        let Some(line) = self.get(at) else { return TabLine::default() };
        let Some((seq, said)) = self.entry(at) else {
            return TabLine { pieces: line.pieces.to_vec(), ..TabLine::default() };
        };
        let mut drawn = TabLine { is_dim: Some(seq) > self.at, ..TabLine::default() };
        match line.kind {
            LineKind::Head => self.head(seq, said, &mut drawn),
            LineKind::Note => {}
            LineKind::Text | LineKind::Fold { .. } => {
                drawn.indent = INDENT;
                drawn.pieces = line.pieces.to_vec();
            }
        }
        drawn
    }

    fn join(&self, at: usize) -> Join {
        self.get(at).map_or(Join::Apart, |line| line.join)
    }

    fn hides(&self, at: usize, pattern: &Pattern) -> bool {
        let Some(ConversationLine { kind: LineKind::Fold { from }, part, .. }) = self.get(at) else { return false };
        let part = self.entry(at).and_then(|(_, said)| said.parts.get(*part as usize));
        let hidden = part.and_then(|part| part.text.get(*from..)).unwrap_or_default();
        pattern.find_all(hidden.as_bytes()).next().is_some()
    }
}

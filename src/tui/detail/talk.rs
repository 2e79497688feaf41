//! The tab Transcript: who said what around the playhead.

use unicode_width::UnicodeWidthStr;

use super::laid::{Drawn, Join, Laid, Tint};
use crate::replay::Seq;
use crate::replay::timeline::Replay;
use crate::replay::utterance::{Conversation, Utterance};
use crate::text::wrap::{WrapLimits, wrap};
use crate::text::{count, fit};

/// Entries on each side of the playhead.
const BEFORE: usize = 120;
const AFTER: usize = 60;
/// As many as these must be left on each side; else more are fetched, if there are more.
const NEAR: usize = 30;
const ENTRY_LINES: usize = 1_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// About the conversation as a whole.
    Note,
    Head,
    More {
        begins: bool,
    },
    Left,
}

struct Line {
    entry: u32,
    part: Part,
    text: Box<str>,
}

#[derive(Default)]
pub struct TalkTab {
    /// The event that it was last told of.
    at: Option<Seq>,
    /// How long the log was when this was fetched.
    events: u32,
    conversation: Conversation,
    lines: Vec<Line>,
    columns: usize,
}

impl TalkTab {
    pub fn at(&self) -> Option<Seq> {
        self.at
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Goes to another event. True if other entries were fetched, so that the lines must be laid out again.
    pub fn look(&mut self, replay: &dyn Replay, at: Seq) -> bool {
        self.at = Some(at);
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

    /// How many entries there are up to an event.
    fn up_to(&self, at: Option<Seq>) -> usize {
        self.conversation.entries.partition_point(|(seq, _)| Some(*seq) <= at)
    }

    pub fn lay_out(&mut self, columns: usize) {
        self.columns = columns;
        let mut lines = Vec::new();
        let note = |text: &str| Line { entry: 0, part: Part::Note, text: text.into() };
        let Conversation { entries, more_before, more_after } = &self.conversation;
        if *more_before {
            lines.push(note("… more was said before; go back in the log to see it"));
        }
        for (number, (_, said)) in entries.iter().enumerate() {
            let entry = number as u32;
            lines.push(Line { entry, part: Part::Head, text: "".into() });
            if said.text.is_empty() {
                continue;
            }
            let columns = columns.saturating_sub(2);
            let mut characters = said.text.chars();
            // A line break at the end is no line of its own.
            let trimmed = said.text.trim_end_matches(['\n', '\r']);
            if !trimmed.is_empty() && said.left_out == 0 {
                characters = trimmed.chars();
            }
            let room = WrapLimits { first_columns: columns, columns, lines: ENTRY_LINES, characters: usize::MAX };
            for piece in wrap(&mut characters, room) {
                lines.push(Line { entry, part: Part::More { begins: piece.begins }, text: piece.text.into() });
            }
            let left = said.left_out + characters.as_str().len();
            if left > 0 {
                let text = format!("… {} more; the event itself shows them", count(left as u64, "byte"));
                lines.push(Line { entry, part: Part::Left, text: text.into() });
            }
        }
        if *more_after {
            lines.push(note("… more is said later; go on in the log to see it"));
        }
        if lines.is_empty() {
            lines.push(note("nothing was said in this log"));
        }
        self.lines = lines;
    }

    /// The line with which an event's entry begins, or the last one before it.
    pub fn line_of(&self, at: Seq) -> usize {
        let entry = self.up_to(Some(at)).saturating_sub(1) as u32;
        self.lines.iter().position(|line| line.part == Part::Head && line.entry == entry).unwrap_or(0)
    }

    fn entry(&self, line: usize) -> Option<&(Seq, Utterance)> {
        let line = self.lines.get(line).filter(|line| line.part != Part::Note)?;
        self.conversation.entries.get(line.entry as usize)
    }

    pub fn event(&self, line: usize) -> Option<Seq> {
        self.entry(line).map(|(seq, _)| *seq)
    }

    pub fn text(&self, line: usize) -> Option<&str> {
        self.entry(line).map(|(_, said)| said.text.as_str())
    }
}

impl Laid for TalkTab {
    fn count(&self) -> usize {
        self.lines.len()
    }

    fn line(&self, at: usize) -> Drawn {
        let Some(line) = self.lines.get(at) else { return Drawn::default() };
        let entry = (line.part != Part::Note).then(|| self.conversation.entries.get(line.entry as usize)).flatten();
        let Some((seq, said)) = entry else { return Drawn::at(0).with(Tint::Dim, fit(&line.text, self.columns)) };
        let mut drawn = Drawn { is_dim: Some(*seq) > self.at, ..Drawn::default() };
        match line.part {
            Part::Head => {
                let is_here = line.entry as usize + 1 == self.up_to(self.at);
                let mark = match (is_here, Some(*seq) == self.at) {
                    (true, true) => "▶ ",
                    (true, false) => "▷ ",
                    _ => "  ",
                };
                drawn.push(Tint::Strong, format!("{mark}{}", said.role));
                drawn.push(Tint::Dim, format!(" {seq}"));
                let used = said.role.width() + 4 + seq.to_string().len();
                if !said.about.is_empty() {
                    drawn.push(Tint::Key, format!(" {}", fit(&said.about, self.columns.saturating_sub(used))));
                }
            }
            Part::Left => drawn = Drawn { indent: 2, ..drawn }.with(Tint::Dim, &*line.text),
            Part::More { .. } | Part::Note => drawn = Drawn { indent: 2, ..drawn }.with(Tint::Text, &*line.text),
        }
        drawn
    }

    fn join(&self, at: usize) -> Join {
        match self.lines.get(at).map(|line| line.part) {
            Some(Part::More { begins: true }) => Join::Break,
            Some(Part::More { begins: false }) => Join::Wrap,
            _ => Join::Apart,
        }
    }
}

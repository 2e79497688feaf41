//! The Conversation tab: the messages around the playhead.

use unicode_width::UnicodeWidthStr;

use super::lines::{Join, TabLine, TabLines, Tint};
use crate::replay::Seq;
use crate::replay::timeline::Replay;
use crate::replay::utterance::{Conversation, Utterance};
use crate::text::wrap::{WrapLimits, wrap};
use crate::text::{count, fit};

/// How many entries are fetched on each side of the playhead.
const BEFORE: usize = 120;
const AFTER: usize = 60;
/// If fewer than these are left on a side, more are fetched.
const NEAR: usize = 30;
const ENTRY_LINES: usize = 1_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConversationPart {
    /// About the conversation as a whole.
    Note,
    Head,
    More {
        begins: bool,
    },
    Left,
}

struct ConversationLine {
    entry: u32,
    part: ConversationPart,
    text: Box<str>,
}

#[derive(Default)]
pub(crate) struct ConversationTab {
    /// The event at the playhead at the last update.
    at: Option<Seq>,
    /// The length of the log when the entries were fetched.
    events: u32,
    conversation: Conversation,
    lines: Vec<ConversationLine>,
    columns: usize,
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

    /// The number of entries up to an event.
    fn up_to(&self, at: Option<Seq>) -> usize {
        self.conversation.entries.partition_point(|(seq, _)| Some(*seq) <= at)
    }

    pub(crate) fn lay_out(&mut self, columns: usize) {
        self.columns = columns;
        let mut lines = Vec::new();
        let note = |text: &str| ConversationLine { entry: 0, part: ConversationPart::Note, text: text.into() };
        let Conversation { entries, more_before, more_after } = &self.conversation;
        if *more_before {
            lines.push(note("… earlier messages; go back in the log to see them"));
        }
        for (number, (_, said)) in entries.iter().enumerate() {
            let entry = number as u32;
            lines.push(ConversationLine { entry, part: ConversationPart::Head, text: "".into() });
            if said.text.is_empty() {
                continue;
            }
            let columns = columns.saturating_sub(2);
            let mut characters = said.text.chars();
            // A line break at the end does not start another line.
            let trimmed = said.text.trim_end_matches(['\n', '\r']);
            if !trimmed.is_empty() && said.left_out == 0 {
                characters = trimmed.chars();
            }
            let room = WrapLimits { first_columns: columns, columns, lines: ENTRY_LINES, characters: usize::MAX };
            for piece in wrap(&mut characters, room) {
                lines.push(ConversationLine {
                    entry,
                    part: ConversationPart::More { begins: piece.begins },
                    text: piece.text.into(),
                });
            }
            let left = said.left_out + characters.as_str().len();
            if left > 0 {
                let text = format!("… {} more; the event shows them all", count(left as u64, "byte"));
                lines.push(ConversationLine { entry, part: ConversationPart::Left, text: text.into() });
            }
        }
        if *more_after {
            lines.push(note("… later messages; go forward in the log to see them"));
        }
        if lines.is_empty() {
            lines.push(note("this log has no messages"));
        }
        self.lines = lines;
    }

    /// The first line of an event's entry, or of the last entry before it.
    pub(crate) fn line_of(&self, at: Seq) -> usize {
        let entry = self.up_to(Some(at)).saturating_sub(1) as u32;
        self.lines.iter().position(|line| line.part == ConversationPart::Head && line.entry == entry).unwrap_or(0)
    }

    fn entry(&self, line: usize) -> Option<&(Seq, Utterance)> {
        let line = self.lines.get(line).filter(|line| line.part != ConversationPart::Note)?;
        self.conversation.entries.get(line.entry as usize)
    }

    pub(crate) fn event(&self, line: usize) -> Option<Seq> {
        self.entry(line).map(|(seq, _)| *seq)
    }

    pub(crate) fn text(&self, line: usize) -> Option<&str> {
        self.entry(line).map(|(_, said)| said.text.as_str())
    }
}

impl TabLines for ConversationTab {
    fn count(&self) -> usize {
        self.lines.len()
    }

    fn line(&self, at: usize) -> TabLine {
        let Some(line) = self.lines.get(at) else { return TabLine::default() };
        let entry =
            (line.part != ConversationPart::Note).then(|| self.conversation.entries.get(line.entry as usize)).flatten();
        let Some((seq, said)) = entry else { return TabLine::at(0).with(Tint::Dim, fit(&line.text, self.columns)) };
        let mut drawn = TabLine { is_dim: Some(*seq) > self.at, ..TabLine::default() };
        match line.part {
            ConversationPart::Head => {
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
            ConversationPart::Left => drawn = TabLine { indent: 2, ..drawn }.with(Tint::Dim, &*line.text),
            ConversationPart::More { .. } | ConversationPart::Note => {
                drawn = TabLine { indent: 2, ..drawn }.with(Tint::Text, &*line.text)
            }
        }
        drawn
    }

    fn join(&self, at: usize) -> Join {
        match self.lines.get(at).map(|line| line.part) {
            Some(ConversationPart::More { begins: true }) => Join::Break,
            Some(ConversationPart::More { begins: false }) => Join::Wrap,
            _ => Join::Apart,
        }
    }
}

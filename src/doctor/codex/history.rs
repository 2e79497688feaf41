//! The history that Codex sends when it resumes a rollout, rebuilt from its records.

use super::Rollout;
use super::item::Item;
use super::line::{CodexKind, CodexLine};
use crate::doctor::document::{Document, EntryId};
use crate::doctor::names::Name;

/// So many tokens of prompts survive an old compaction. A token is taken for four bytes.
const KEPT_TOKENS: usize = 20_000;

/// An item of the history, and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ItemAt {
    /// The rollout: those that this one continues come first, the last one is itself.
    pub file: usize,
    pub entry: EntryId,
    /// The index in the list of items that a compaction left.
    pub item: Option<usize>,
    pub made: Made,
}

/// How an item came into the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Made {
    /// As it was recorded.
    Recorded,
    /// A prompt that an old compaction kept as a plain text.
    Kept,
    /// The summary of an old compaction.
    Summary,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct CodexHistory {
    pub items: Vec<ItemAt>,
    /// A compaction whose turn was rolled back hides everything before it.
    pub cut: Option<EntryId>,
    /// The compaction from which the history was rebuilt.
    pub base: Option<(usize, EntryId)>,
}

/// A record with its place.
struct CodexStep<'r> {
    file: usize,
    entry: EntryId,
    line: &'r CodexLine,
}

impl Rollout {
    pub(crate) fn documents(&self) -> impl Iterator<Item = &Document<CodexLine>> {
        self.bases.iter().chain(std::iter::once(&self.document))
    }

    /// The index of this rollout among its documents.
    pub(crate) fn own(&self) -> usize {
        self.bases.len()
    }

    fn document_of(&self, file: usize) -> &Document<CodexLine> {
        self.bases.get(file).unwrap_or(&self.document)
    }

    pub(crate) fn item(&self, at: &ItemAt) -> Option<&Item> {
        match (&self.document_of(at.file).entries.get(at.entry)?.line.kind, at.item) {
            (CodexKind::Item(item), _) => Some(item),
            (CodexKind::Compacted(compacted), Some(index)) => compacted.replacement.as_ref()?.get(index),
            _ => None,
        }
    }

    /// The line of this file that an item comes from.
    pub(crate) fn line_of(&self, at: &ItemAt) -> Option<u32> {
        (at.file == self.own()).then(|| self.document.entries[at.entry].number)
    }

    /// The records that are replayed, up to a line of this file.
    fn steps(&self, before: Option<u32>) -> Vec<CodexStep<'_>> {
        let (own, is_paginated) = (self.own(), self.is_paginated());
        let mut steps = Vec::new();
        for (file, document) in self.documents().enumerate() {
            for (entry, found) in document.present() {
                let is_read = found.line.record.is_some() && (found.line.is_utf8 || !is_paginated);
                if is_read && (file != own || before.is_none_or(|before| found.number < before)) {
                    steps.push(CodexStep { file, entry, line: &found.line });
                }
            }
        }
        steps
    }
}

impl CodexHistory {
    /// The history of the records before a line, or of all.
    pub(crate) fn new(rollout: &Rollout, before: Option<u32>) -> CodexHistory {
        let steps = rollout.steps(before);
        let start = HistoryStart::find(&steps);
        let mut history = CodexHistory {
            cut: start.cut.filter(|step| steps[*step].file == rollout.own()).map(|step| steps[step].entry),
            base: start.base.map(|step| (steps[step].file, steps[step].entry)),
            items: Vec::new(),
        };
        if let Some(base) = start.base {
            history.replace(&steps[base]);
        }
        for step in &steps[start.replayed_from..] {
            history.step(rollout, step);
        }
        history
    }

    fn step(&mut self, rollout: &Rollout, step: &CodexStep) {
        let at = |made| ItemAt { file: step.file, entry: step.entry, item: None, made };
        match &step.line.kind {
            CodexKind::Item(_) => self.items.push(at(Made::Recorded)),
            CodexKind::Compacted(compacted) if compacted.replacement.is_some() => self.replace(step),
            CodexKind::Compacted(_) => {
                self.keep_prompts(rollout);
                self.items.push(at(Made::Summary));
            }
            CodexKind::RolledBack(turns) => self.roll_back(rollout, *turns),
            _ => {}
        }
    }

    /// A compaction with its replacement takes the place of everything.
    fn replace(&mut self, step: &CodexStep) {
        let CodexKind::Compacted(compacted) = &step.line.kind else { return };
        let items = compacted.replacement.as_ref().map_or(0, Vec::len);
        let at = |index| ItemAt { file: step.file, entry: step.entry, item: Some(index), made: Made::Recorded };
        self.items = (0..items).map(at).collect();
    }

    /// An old compaction keeps the newest prompts.
    fn keep_prompts(&mut self, rollout: &Rollout) {
        let (mut kept, mut tokens) = (Vec::new(), KEPT_TOKENS);
        for at in self.items.iter().rev() {
            let Some(item) = rollout.item(at).filter(|item| item.is_prompt && at.made != Made::Summary) else {
                continue;
            };
            if tokens == 0 {
                break;
            }
            tokens = tokens.saturating_sub(item.text_bytes.div_ceil(4));
            kept.push(ItemAt { made: Made::Kept, ..*at });
        }
        kept.reverse();
        self.items = kept;
    }

    /// Undoes turns, each from its prompt on, with the context just above the first of them.
    fn roll_back(&mut self, rollout: &Rollout, turns: u32) {
        let is_prompt = |at: &ItemAt| at.made == Made::Summary || rollout.item(at).is_some_and(|item| item.is_prompt);
        let prompts: Vec<usize> =
            self.items.iter().enumerate().filter(|(_, at)| is_prompt(at)).map(|(index, _)| index).collect();
        let (Some(first), true) = (prompts.first().copied(), turns > 0) else { return };
        let mut cut = prompts.len().checked_sub(turns as usize).map_or(first, |kept| prompts[kept]);
        while cut > first && rollout.item(&self.items[cut - 1]).is_some_and(|item| item.is_context) {
            cut -= 1;
        }
        self.items.truncate(cut);
    }
}

/// Where the replay begins.
#[derive(Default)]
struct HistoryStart {
    /// The newest compaction with a replacement that was not rolled back.
    base: Option<usize>,
    /// The records from here on are replayed.
    replayed_from: usize,
    /// The compaction behind which the replay begins, although its turn was rolled back.
    cut: Option<usize>,
}

/// A turn, met from its end.
#[derive(Default)]
struct HistorySegment {
    turn: Option<Name>,
    is_users: bool,
    compaction: Option<usize>,
}

impl HistoryStart {
    /// Searches backwards, turn by turn.
    fn find(steps: &[CodexStep]) -> HistoryStart {
        let (mut start, mut rolled_back) = (HistoryStart::default(), 0_usize);
        let mut segment: Option<HistorySegment> = None;
        for (index, step) in steps.iter().enumerate().rev() {
            match &step.line.kind {
                CodexKind::Compacted(compacted) => {
                    let segment = segment.get_or_insert_default();
                    if compacted.replacement.is_some() && segment.compaction.is_none() {
                        segment.compaction = Some(index);
                        (start.replayed_from, start.cut) = (index + 1, Some(index));
                    }
                }
                CodexKind::RolledBack(turns) => rolled_back = rolled_back.saturating_add(*turns as usize),
                CodexKind::TurnNamed(turn) => {
                    let segment = segment.get_or_insert_default();
                    segment.turn = segment.turn.or(*turn);
                }
                CodexKind::Aborted(turn) => match &mut segment {
                    Some(segment) => segment.turn = segment.turn.or(*turn),
                    None if turn.is_some() => {
                        segment = Some(HistorySegment { turn: *turn, ..HistorySegment::default() })
                    }
                    None => {}
                },
                CodexKind::UserMessage => segment.get_or_insert_default().is_users = true,
                CodexKind::Item(item) => segment.get_or_insert_default().is_users |= item.is_prompt,
                CodexKind::TurnStarted(turn) => {
                    let is_its =
                        |segment: &HistorySegment| segment.turn.is_none() || turn.is_none() || segment.turn == *turn;
                    if let Some(segment) = segment.take_if(|segment| is_its(segment)) {
                        start.close(&segment, &mut rolled_back);
                    }
                }
                _ => {}
            }
            if start.base.is_some() {
                // Older records are replaced by this compaction, whatever they are.
                break;
            }
        }
        if let Some(segment) = segment {
            start.close(&segment, &mut rolled_back);
        }
        if start.base.is_some() {
            start.cut = None;
        }
        start
    }

    fn close(&mut self, segment: &HistorySegment, rolled_back: &mut usize) {
        if *rolled_back > 0 {
            *rolled_back -= usize::from(segment.is_users);
        } else if self.base.is_none() {
            self.base = segment.compaction;
        }
    }
}

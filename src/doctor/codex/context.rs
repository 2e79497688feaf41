//! Questions about a rollout besides its resume: the history at a step, what compactions dropped, how far a resume
//! reaches.

use rustc_hash::FxHashSet;

use super::Rollout;
use super::history::{CodexHistory, ItemAt};
use super::item::{Item, ItemKind};
#[cfg(test)]
use super::judge::judge;
use super::line::CodexKind;
#[cfg(test)]
use crate::doctor::context::Context;
use crate::doctor::context::{Branch, Compacted, Dropped, InForce, Reach, SentPart, branches, difference};

impl Rollout {
    /// Whether the model made an item.
    fn is_models(&self, item: &Item) -> bool {
        match item.kind {
            ItemKind::Message => &*self.names.text(item.shown) == "assistant",
            ItemKind::Reasoning | ItemKind::Call(_) | ItemKind::WebSearch | ItemKind::Other => true,
            ItemKind::AgentMessage | ItemKind::Output(_) | ItemKind::Compaction => false,
        }
    }

    /// The lines of each answer of the model: items without anything else of the conversation between them.
    fn answers(&self) -> Vec<Vec<u32>> {
        let mut answers: Vec<Vec<u32>> = Vec::new();
        let mut is_open = false;
        for (_, entry) in self.document.present() {
            match &entry.line.kind {
                CodexKind::Item(item) if self.is_models(item) => match answers.last_mut().filter(|_| is_open) {
                    Some(answer) => answer.push(entry.number),
                    None => {
                        answers.push(vec![entry.number]);
                        is_open = true;
                    }
                },
                CodexKind::Item(_) | CodexKind::Compacted(_) | CodexKind::TurnStarted(_) | CodexKind::RolledBack(_) => {
                    is_open = false
                }
                _ => {}
            }
        }
        answers
    }

    /// The first lines of all answers of the model.
    #[cfg(test)]
    pub(crate) fn steps_of_model(&self) -> Vec<u32> {
        self.answers().iter().filter_map(|answer| answer.first().copied()).collect()
    }

    /// The history in force at a line. How long a prompt was is recorded on lines of their own.
    pub(crate) fn in_force(&self, line: Option<u32>) -> InForce {
        let answer = line.and_then(|line| self.answers().into_iter().find(|answer| answer.contains(&line)));
        let answer = answer.and_then(|answer| answer.first().copied());
        InForce { answer, ..self.before(answer.or(line.map(|line| line.saturating_add(1)))) }
    }

    /// The history of the lines before another one; without one, of all.
    fn before(&self, line: Option<u32>) -> InForce {
        let history = CodexHistory::new(self, line);
        InForce {
            answer: None,
            prompt_tokens: None,
            parts: history.items.iter().enumerate().map(|(index, at)| self.part(index, at)).collect(),
            lacks_base: self.bases.is_empty() && self.any_meta().is_some_and(|meta| meta.base.is_some()),
        }
    }

    fn part(&self, index: usize, at: &ItemAt) -> SentPart {
        let row = self.row(at);
        let bytes = self.item(at).map_or(0, |item| item.bytes);
        let (message, line, item) = (index + 1, row.lines.first().copied(), at.item);
        SentPart { message, role: row.role, kinds: row.kinds, line, item, bytes }
    }

    /// The history that the answer on a line was given to.
    #[cfg(test)]
    pub(crate) fn context(&self, line: u32) -> Option<Context> {
        let answer = self.answers().into_iter().find(|answer| answer.contains(&line))?;
        let first = *answer.first()?;
        let history = CodexHistory::new(self, Some(first));
        Some(Context {
            line: first,
            history: history.items.iter().map(|at| self.row(at)).collect(),
            problems: judge(self, &history).into_sorted(),
        })
    }

    fn lines_of(&self, history: &CodexHistory) -> Vec<u32> {
        history.items.iter().filter_map(|at| self.line_of(at)).collect()
    }

    /// The lines of all compactions.
    fn compaction_lines(&self) -> impl Iterator<Item = u32> {
        let is_compaction = |kind: &CodexKind| matches!(kind, CodexKind::Compacted(_));
        self.document.present().filter(move |(_, entry)| is_compaction(&entry.line.kind)).map(|(_, entry)| entry.number)
    }

    pub(crate) fn compactions(&self) -> usize {
        self.compaction_lines().count()
    }

    /// The histories on both sides of a compaction.
    pub(crate) fn compacted(&self, number: usize) -> Option<Compacted> {
        let line = self.compaction_lines().nth(number.checked_sub(1)?)?;
        let after = self.before(Some(line.saturating_add(1)));
        Some(Compacted { line, before: self.before(Some(line)), after })
    }

    /// What a compaction dropped. How many tokens that were is not recorded beside it.
    pub(crate) fn dropped(&self, number: usize) -> Option<Dropped> {
        let line = self.compaction_lines().nth(number.checked_sub(1)?)?;
        let before = self.lines_of(&CodexHistory::new(self, Some(line)));
        let after = self.lines_of(&CodexHistory::new(self, Some(line.saturating_add(1))));
        let summary = if after.contains(&line) { vec![line] } else { Vec::new() };
        Some(Dropped { summary, ..difference(line, &before, &after) })
    }

    /// Every line of the conversation, by the reason why it is in the history or not.
    pub(crate) fn branches(&self, history: &CodexHistory) -> Vec<Branch> {
        let reached: FxHashSet<u32> = self.lines_of(history).into_iter().collect();
        let cut = history.cut.map(|entry| self.document.entries[entry].number);
        // The newest compaction that was not undone.
        let is_effective = |line: u32| {
            reached.contains(&line)
                || history.base.is_some_and(|base| base.0 == self.own() && self.document.entries[base.1].number == line)
        };
        let compacted = self
            .document
            .present()
            .filter(|(_, entry)| matches!(entry.line.kind, CodexKind::Compacted(_)) && is_effective(entry.number))
            .map(|(_, entry)| entry.number)
            .max();
        let reason = |line: u32| match () {
            () if reached.contains(&line) => Reach::Reached,
            () if compacted.is_some_and(|compaction| line < compaction) => Reach::Compacted,
            () if cut.is_some_and(|cut| line <= cut) => Reach::CutOff,
            () => Reach::Rewound,
        };
        let of = |kind: &CodexKind, line: u32| match kind {
            CodexKind::Item(_) => Some(reason(line)),
            CodexKind::Compacted(_) => Some(if is_effective(line) { Reach::Reached } else { reason(line) }),
            CodexKind::Skipped | CodexKind::Damaged { is_item: true, .. } => Some(Reach::Skipped),
            _ => None,
        };
        let undone: Vec<u32> = self
            .document
            .present()
            .filter(|(_, entry)| matches!(entry.line.kind, CodexKind::RolledBack(_)))
            .map(|(_, entry)| entry.number)
            .collect();
        let explained_by = |reach: Reach, line: u32| match reach {
            Reach::Reached | Reach::Skipped => None,
            Reach::Compacted => compacted,
            Reach::CutOff => cut,
            Reach::Rewound => undone.get(undone.partition_point(|undone| *undone < line)).copied(),
        };
        let found = |line: u32, reach: Reach| {
            let explained_by = explained_by(reach, line);
            ((reach, explained_by), line, Branch { reach, lines: Vec::new(), explained_by, missing: None })
        };
        let entries = self.document.present();
        branches(entries.filter_map(|(_, entry)| Some(found(entry.number, of(&entry.line.kind, entry.number)?))))
    }
}

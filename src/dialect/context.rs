//! What a model saw: the history in force at an event, the column of a dialect's row and its result.

pub(crate) mod shown;

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::open_log::{DialectError, OpenLog};
use crate::replay::Seq;

/// Reads a log and returns the histories that are asked for.
pub(crate) type ContextColumn = fn(&dyn OpenLog, &[WhichContext]) -> Result<Vec<ContextAt>, DialectError>;

/// Which history is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum WhichContext {
    /// That of a resume.
    #[default]
    Resume,
    At(Seq),
    /// That before a compaction, by its number from 1; without one, before the last compaction.
    BeforeCompaction(Option<usize>),
    AfterCompaction(Option<usize>),
}

/// Which histories show what a compaction dropped.
pub(crate) const fn around_compaction(number: Option<usize>) -> [WhichContext; 2] {
    [WhichContext::BeforeCompaction(number), WhichContext::AfterCompaction(number)]
}

/// The history in force at an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ContextAt {
    pub asked: WhichContext,
    /// The compaction that was asked about: its number and its event.
    pub compaction: Option<(usize, Option<Seq>)>,
    /// The first event of the answer that the event is part of: the history is what the model saw when it gave that
    /// answer. `None` if the event is not part of an answer: the history is what the model would see if it were asked
    /// after the event.
    pub answer: Option<Seq>,
    /// The prompt of the answer in tokens, if it is recorded.
    pub tokens: Option<u64>,
    /// In the order in which they are sent.
    pub parts: Vec<ContextPart>,
    /// Parts of the history are in another log.
    pub is_continued: bool,
}

/// What one event has in a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ContextPart {
    /// `None` for a part from another log.
    pub at: Option<Seq>,
    /// The index in the list that a compaction left.
    pub item: Option<usize>,
    /// The number of its message, from 1.
    pub message: usize,
    pub role: Arc<str>,
    pub kinds: Vec<Arc<str>>,
    /// The size in the log; 0 if the log does not contain the text that was sent.
    pub bytes: u64,
    pub tokens: Option<PartTokens>,
    /// The event on one line.
    pub about: String,
}

/// The size of a part, computed from the sizes of the prompts before and after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PartTokens {
    pub number: u64,
    /// The sizes of prompts were divided among several parts.
    pub is_estimated: bool,
}

impl ContextAt {
    /// What all parts count for.
    pub(crate) fn known_tokens(&self) -> u64 {
        self.parts.iter().filter_map(|part| part.tokens).map(|tokens| tokens.number).sum()
    }

    /// Tokens of the recorded prompt that no part explains: the system prompt, the tools.
    pub(crate) fn unexplained_tokens(&self) -> Option<u64> {
        Some(self.tokens?.saturating_sub(self.known_tokens()))
    }

    pub(crate) fn messages(&self) -> usize {
        self.parts.last().map_or(0, |part| part.message)
    }
}

/// The difference of two histories.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ContextChange<'c> {
    pub added: Vec<&'c ContextPart>,
    pub gone: Vec<&'c ContextPart>,
    /// Parts that are in both.
    pub kept: usize,
}

/// The parts that one history has and another one lacks. Parts are compared by their events, not by their texts.
pub(crate) fn change<'c>(before: &'c ContextAt, after: &'c ContextAt) -> ContextChange<'c> {
    let keys =
        |context: &ContextAt| -> FxHashSet<_> { context.parts.iter().map(|part| (part.at, part.item)).collect() };
    let (old, new) = (keys(before), keys(after));
    let added: Vec<_> = after.parts.iter().filter(|part| !old.contains(&(part.at, part.item))).collect();
    let gone = before.parts.iter().filter(|part| !new.contains(&(part.at, part.item))).collect();
    ContextChange { kept: after.parts.len() - added.len(), added, gone }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(at: u32, item: Option<usize>, tokens: u64) -> ContextPart {
        ContextPart {
            at: Some(Seq(at)),
            item,
            message: at as usize,
            role: "user".into(),
            kinds: vec!["text".into()],
            bytes: 4 * tokens,
            tokens: Some(PartTokens { number: tokens, is_estimated: true }),
            about: format!("event {at}"),
        }
    }

    #[test]
    fn two_histories_differ_by_their_events() {
        let before = ContextAt { parts: vec![part(1, None, 10), part(2, None, 20)], ..ContextAt::default() };
        let after = ContextAt {
            parts: vec![part(2, None, 20), part(5, Some(0), 1), part(5, Some(1), 2)],
            tokens: Some(100),
            ..ContextAt::default()
        };
        let change = change(&before, &after);
        let at = |parts: &[&ContextPart]| parts.iter().map(|part| (part.at, part.item)).collect::<Vec<_>>();
        assert_eq!(at(&change.added), [(Some(Seq(5)), Some(0)), (Some(Seq(5)), Some(1))]);
        assert_eq!((at(&change.gone), change.kept), (vec![(Some(Seq(1)), None)], 1));
        assert_eq!((after.known_tokens(), after.unexplained_tokens(), after.messages()), (23, Some(77), 5));
        assert_eq!(before.unexplained_tokens(), None);
    }
}

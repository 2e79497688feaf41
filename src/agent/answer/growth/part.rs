//! Parts of the context: what each event added, as far as the sizes of prompts tell.

use crate::agent::content::Content;
use crate::replay::Seq;

/// A token is about so many bytes of text.
const BYTES_PER_TOKEN: u64 = 4;
/// What an image counts for, in bytes of text.
const IMAGE_BYTES: u64 = 6_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PartKind {
    /// What the first prompt holds and no record shows: the system prompt, the tools.
    Base,
    /// What the first prompt after a compaction holds and no record shows.
    Kept,
    Prompt,
    Text,
    Thinking,
    Call,
    Result,
    /// Texts that the program put in.
    Note,
    /// The prompt grew by more than the records explain.
    Unseen,
}

impl PartKind {
    pub(crate) const ALL: [PartKind; 9] = [
        PartKind::Base,
        PartKind::Kept,
        PartKind::Prompt,
        PartKind::Text,
        PartKind::Thinking,
        PartKind::Call,
        PartKind::Result,
        PartKind::Note,
        PartKind::Unseen,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            PartKind::Base => "base",
            PartKind::Kept => "kept",
            PartKind::Prompt => "prompt",
            PartKind::Text => "text",
            PartKind::Thinking => "thinking",
            PartKind::Call => "call",
            PartKind::Result => "result",
            PartKind::Note => "note",
            PartKind::Unseen => "unseen",
        }
    }

    pub(crate) const fn describes(self) -> &'static str {
        match self {
            PartKind::Base => "system prompt and tools",
            PartKind::Kept => "again after compactions, and what they kept",
            PartKind::Prompt => "prompts",
            PartKind::Text => "answers of the model",
            PartKind::Thinking => "thinking",
            PartKind::Call => "calls of tools",
            PartKind::Result => "results of tools",
            PartKind::Note => "put in by the program",
            PartKind::Unseen => "not in the log",
        }
    }

    const fn is_of_model(self) -> bool {
        matches!(self, PartKind::Text | PartKind::Thinking | PartKind::Call)
    }
}

/// How the tokens of a part are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Basis {
    /// It is all that two prompts differ by.
    Measured,
    /// The difference of two prompts, divided by the sizes of the texts.
    Estimated,
}

impl Basis {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Basis::Measured => "measured",
            Basis::Estimated => "estimated",
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub at: Seq,
    pub kind: PartKind,
    /// What it is, on one line, as the log says it.
    pub label: Box<str>,
    pub tool: Option<Box<str>>,
    pub bytes: u64,
    pub tokens: u64,
    pub basis: Basis,
    /// Identifies the record, for the lists of what a compaction kept.
    pub line: u64,
    /// How many compactions came before it.
    pub epoch: u32,
    pub is_kept: bool,
    /// The number of the source of words.
    pub source: Option<u32>,
    /// An earlier result with the same text.
    pub repeats: Option<Seq>,
}

impl Part {
    pub(crate) fn new(at: Seq, kind: PartKind, label: Box<str>, bytes: u64) -> Part {
        Part {
            at,
            kind,
            label,
            tool: None,
            bytes,
            tokens: 0,
            basis: Basis::Estimated,
            line: 0,
            epoch: 0,
            is_kept: false,
            source: None,
            repeats: None,
        }
    }

    fn estimate(&self) -> u64 {
        self.bytes.div_ceil(BYTES_PER_TOKEN)
    }
}

/// The size of a content in bytes of text.
pub(crate) fn size(content: Content<'_>) -> u64 {
    let texts: u64 = content.texts().map(|text| text.get().len() as u64).sum();
    texts.saturating_add(content.images().saturating_mul(IMAGE_BYTES))
}

/// Corrects the estimates of an answer by the tokens that the model is said to have written. Numbers that are far too
/// small are placeholders, which old releases wrote.
fn correct_answer(parts: &[Part], estimates: &mut [u64], output: u64) {
    let of_model = || (0..parts.len()).filter(|index| parts[*index].kind.is_of_model());
    let sum: u64 = of_model().map(|index| estimates[index]).sum();
    if sum == 0 || output < sum / 3 {
        return;
    }
    let thinking = of_model().find(|index| parts[*index].kind == PartKind::Thinking);
    match thinking.filter(|_| output > sum) {
        // What it wrote and the log does not show is thinking.
        Some(index) => estimates[index] += output - sum,
        None => of_model().for_each(|index| estimates[index] = scaled(estimates[index], output, sum)),
    }
}

fn scaled(number: u64, by: u64, of: u64) -> u64 {
    if of == 0 { 0 } else { u64::try_from(u128::from(number) * u128::from(by) / u128::from(of)).unwrap_or(u64::MAX) }
}

/// Divides what a prompt grew by among the parts that entered since the prompt before. Returns the rest, which no record
/// explains.
pub(crate) fn divide(grown: u64, parts: &mut [Part], output: u64, is_first: bool) -> u64 {
    let mut estimates: Vec<u64> = parts.iter().map(Part::estimate).collect();
    correct_answer(parts, &mut estimates, output);
    let sum: u64 = estimates.iter().sum();
    // Texts are seldom twice as dense as estimated. The first prompt also holds what no record shows.
    let most = if is_first { sum } else { sum.saturating_mul(2) };
    let shared = grown.min(most);
    let is_alone = parts.len() == 1 && shared == grown && !is_first;
    let mut left = shared;
    for (part, estimate) in parts.iter_mut().zip(&estimates) {
        part.tokens = scaled(*estimate, shared, sum);
        part.basis = if is_alone { Basis::Measured } else { Basis::Estimated };
        left -= part.tokens.min(left);
    }
    if let Some(greatest) = parts.iter_mut().max_by_key(|part| part.tokens) {
        greatest.tokens += left;
    }
    grown - shared
}

/// Gives parts their estimates, where the prompt did not grow. Returns their sum.
pub(crate) fn estimate(parts: &mut [Part]) -> u64 {
    parts.iter_mut().for_each(|part| part.tokens = part.estimate());
    parts.iter().map(|part| part.tokens).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(kind: PartKind, bytes: u64) -> Part {
        Part::new(Seq(0), kind, "".into(), bytes)
    }

    #[test]
    fn parts_and_the_rest_are_what_the_prompt_grew_by() {
        for (grown, output, is_first) in
            [(0, 0, false), (1, 0, false), (7, 3, false), (1_000, 100, false), (90_000, 12, true), (99, 1_000, true)]
        {
            let mut parts = [part(PartKind::Call, 40), part(PartKind::Thinking, 0), part(PartKind::Result, 4_003)];
            let rest = divide(grown, &mut parts, output, is_first);
            let sum: u64 = parts.iter().map(|part| part.tokens).sum();
            assert_eq!(sum + rest, grown);
        }
        assert_eq!(divide(5, &mut [], 0, false), 5);
    }

    #[test]
    fn a_single_part_is_measured_and_a_text_has_at_most_twice_the_expected_tokens() {
        let mut parts = [part(PartKind::Result, 400)];
        assert_eq!((divide(120, &mut parts, 0, false), parts[0].tokens, parts[0].basis), (0, 120, Basis::Measured));
        assert_eq!((divide(900, &mut parts, 0, false), parts[0].tokens, parts[0].basis), (700, 200, Basis::Estimated));
    }

    #[test]
    fn what_the_model_wrote_and_the_log_does_not_show_is_thinking() {
        let mut parts = [part(PartKind::Thinking, 0), part(PartKind::Text, 400)];
        assert_eq!(divide(600, &mut parts, 600, false), 0);
        assert_eq!((parts[0].tokens, parts[1].tokens), (500, 100));
    }
}

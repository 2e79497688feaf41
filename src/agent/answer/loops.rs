//! Loops: calls and sequences of calls that repeat, how often, and whether their results changed.
//!
//! Polls are left out: asking again how something stands is not a loop.

mod shown;

use rustc_hash::FxHashMap;

use super::label;
use super::{Collector, Seen};
use crate::agent::block::{Block, CallId, ToolCall};
use crate::agent::caption::output_text;
use crate::agent::content::{Content, canonical_hash};
use crate::agent::format::Format;
use crate::agent::poll::is_poll;
use crate::json::text::hash_bytes;
use crate::replay::Seq;

/// So many rounds are a loop.
const ROUNDS: usize = 3;
/// Longer sequences are not looked for.
const LONGEST_CYCLE: usize = 8;
/// Of more distinct calls no names are kept.
const MOST_NAMES: usize = 50_000;
/// Shorter texts, such as `Done.`, are said again for good reasons.
const SHORTEST_TEXT: usize = 20;

/// One call, or one text of the model.
#[derive(Clone, Copy, Debug)]
struct Act {
    what: u64,
    at: Seq,
    result: Option<u64>,
    /// A poll came right before it.
    is_after_poll: bool,
}

/// Whether the results of a round equal those of the round before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Results {
    Same,
    /// They differ in so many rounds.
    Changed(usize),
    /// Some are missing, and the others are equal.
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoopKind {
    Repeat,
    Cycle,
    /// The model says the same again.
    Text,
}

#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub kind: LoopKind,
    pub period: usize,
    pub rounds: usize,
    pub first: Seq,
    pub last: Seq,
    pub results: Results,
    /// Nothing else came after it.
    pub is_at_end: bool,
    /// The calls of a round, by their identities.
    round: Vec<u64>,
}

/// A call that was made again, not in a row.
#[derive(Clone, Debug)]
pub(crate) struct Again {
    pub what: u64,
    pub times: u32,
    pub first: Seq,
    pub last: Seq,
    pub is_same: bool,
}

#[derive(Default)]
pub(crate) struct Loops {
    format: Option<&'static Format>,
    acts: Vec<Act>,
    texts: Vec<Act>,
    polls: u64,
    is_after_poll: bool,
    /// The calls without a result so far.
    open: FxHashMap<u64, u32>,
    names: FxHashMap<u64, Box<str>>,
}

impl Collector for Loops {
    fn see(&mut self, seen: &Seen<'_, '_>) {
        self.format = Some(seen.event.format);
        if seen.is_copy() || seen.is_side() || seen.is_replayed() {
            return;
        }
        for block in &seen.event.blocks {
            match block {
                Block::ToolCall(call) => self.see_call(seen.at, call),
                Block::ToolResult(result) => self.see_result(result.id, result.content),
                Block::Text(content) => self.see_text(seen.at, *content),
                _ => {}
            }
        }
    }
}

fn key(id: CallId<'_>) -> Option<u64> {
    if let CallId::Named(id) = id { Some(id.hash()) } else { None }
}

impl Loops {
    fn see_call(&mut self, at: Seq, call: &ToolCall<'_>) {
        if is_poll(&call.name.get(), call.input) {
            self.polls += 1;
            self.is_after_poll = true;
            return;
        }
        let input = call.input.map_or(0, canonical_hash);
        let what = hash_bytes(&[call.name.hash().to_le_bytes(), input.to_le_bytes()].concat());
        if self.names.len() < MOST_NAMES {
            self.names.entry(what).or_insert_with(|| label::of_call(call));
        }
        let is_after_poll = std::mem::take(&mut self.is_after_poll);
        if let Some(key) = key(call.id) {
            self.open.insert(key, self.acts.len() as u32);
        }
        self.acts.push(Act { what, at, result: None, is_after_poll });
    }

    fn see_result(&mut self, id: CallId<'_>, content: Content<'_>) {
        let Some(act) = key(id).and_then(|key| self.open.remove(&key)) else { return };
        if let Some(act) = self.acts.get_mut(act as usize) {
            act.result = Some(hash_bytes(output_text(&content.text()).as_bytes()));
        }
    }

    fn see_text(&mut self, at: Seq, content: Content<'_>) {
        let text = content.text();
        if text.len() < SHORTEST_TEXT {
            return;
        }
        let what = hash_bytes(text.as_bytes());
        if self.names.len() < MOST_NAMES {
            self.names.entry(what).or_insert_with(|| label::cut(&text));
        }
        self.texts.push(Act { what, at, result: Some(0), is_after_poll: false });
    }

    pub(crate) fn finish(self) -> LoopsAnswer {
        let mut loops = runs(&self.acts, LONGEST_CYCLE, LoopKind::Cycle);
        loops.extend(runs(&self.texts, 1, LoopKind::Text));
        loops.sort_by_key(|found| found.first);
        let again = again(&self.acts, &loops);
        LoopsAnswer { collected: self, loops, again }
    }
}

/// The whole answer, in the order of the log.
pub(crate) struct LoopsAnswer {
    collected: Loops,
    loops: Vec<Loop>,
    again: Vec<Again>,
}

/// The longest stretches of acts that repeat with a period; those inside a longer one are left out.
fn runs(acts: &[Act], longest: usize, kind: LoopKind) -> Vec<Loop> {
    let mut found: Vec<(usize, usize, Loop)> = Vec::new();
    for period in 1..=longest {
        let is_equal = |at: usize| {
            let is_parted = period == 1 && acts[at].is_after_poll;
            acts[at].what == acts[at - period].what && !is_parted
        };
        let mut at = period;
        while at < acts.len() {
            let end = (at..acts.len()).find(|next| !is_equal(*next)).unwrap_or(acts.len());
            let from = at - period;
            if (end - from) / period >= ROUNDS && is_primitive(&acts[from..from + period]) {
                found.push((from, end, of_run(acts, from, end, period, kind)));
            }
            at = end.max(at) + 1;
        }
    }
    found.sort_by_key(|(from, end, found)| (std::cmp::Reverse(end - from), found.period));
    let mut kept: Vec<(usize, usize, Loop)> = Vec::new();
    for run in found {
        if !kept.iter().any(|(from, end, _)| *from <= run.0 && run.1 <= *end) {
            kept.push(run);
        }
    }
    kept.into_iter().map(|(_, _, found)| found).collect()
}

/// Whether a round is not itself made of equal rounds.
fn is_primitive(round: &[Act]) -> bool {
    let length = round.len();
    (1..length)
        .filter(|part| length.is_multiple_of(*part))
        .all(|part| (part..length).any(|at| round[at].what != round[at - part].what))
}

fn of_run(acts: &[Act], from: usize, end: usize, period: usize, kind: LoopKind) -> Loop {
    let rounds = (end - from) / period;
    let whole = &acts[from..from + rounds * period];
    let (mut changed, mut is_unknown) = (0, false);
    for (before, after) in whole.chunks(period).zip(whole.chunks(period).skip(1)) {
        let pairs = || before.iter().zip(after).map(|(before, after)| before.result.zip(after.result));
        changed += usize::from(pairs().any(|pair| pair.is_some_and(|(before, after)| before != after)));
        is_unknown |= pairs().any(|pair| pair.is_none());
    }
    let results = match (changed, is_unknown) {
        (0, false) => Results::Same,
        (0, true) => Results::Unknown,
        (changed, _) => Results::Changed(changed),
    };
    let kind = if kind == LoopKind::Cycle && period == 1 { LoopKind::Repeat } else { kind };
    Loop {
        kind,
        period,
        rounds,
        first: acts[from].at,
        last: acts[end - 1].at,
        results,
        is_at_end: end == acts.len(),
        round: acts[from..from + period].iter().map(|act| act.what).collect(),
    }
}

/// Calls that were made three times or more, outside of the loops.
fn again(acts: &[Act], loops: &[Loop]) -> Vec<Again> {
    let mut rows: FxHashMap<u64, (Again, Option<u64>)> = FxHashMap::default();
    for act in acts {
        let new = || (Again { what: act.what, times: 0, first: act.at, last: act.at, is_same: true }, act.result);
        let (row, result) = rows.entry(act.what).or_insert_with(new);
        row.times += 1;
        row.last = act.at;
        row.is_same &= act.result.is_some() && act.result == *result;
    }
    let is_in_loop = |what: u64| loops.iter().any(|found| found.round.contains(&what));
    let mut again: Vec<Again> =
        rows.into_values().map(|(row, _)| row).filter(|row| row.times >= ROUNDS as u32).collect();
    again.retain(|row| !is_in_loop(row.what));
    again.sort_by_key(|row| (std::cmp::Reverse((row.is_same, row.times)), row.first));
    again
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A letter is a call, a digit after it its result, a dot a poll.
    fn acts(text: &str) -> Vec<Act> {
        let mut acts: Vec<Act> = Vec::new();
        let mut is_after_poll = false;
        for (at, letter) in text.chars().enumerate() {
            match letter {
                '.' => is_after_poll = true,
                '0'..='9' => {
                    if let Some(act) = acts.last_mut() {
                        act.result = Some(u64::from(letter));
                    }
                }
                _ => {
                    let is_after_poll = std::mem::take(&mut is_after_poll);
                    acts.push(Act { what: u64::from(letter), at: Seq(at as u32), result: None, is_after_poll });
                }
            }
        }
        acts
    }

    fn told(text: &str) -> Vec<(usize, usize, u32, Results)> {
        let mut loops = runs(&acts(text), LONGEST_CYCLE, LoopKind::Cycle);
        loops.sort_by_key(|found| found.first);
        loops.iter().map(|found| (found.period, found.rounds, found.first.0, found.results)).collect()
    }

    #[test]
    fn repeats_and_cycles_are_found_with_their_rounds() {
        assert_eq!(told("a1b1c1a1b1"), []);
        assert_eq!(told("xa1a1a1a1y"), [(1, 4, 1, Results::Same)]);
        assert_eq!(told("a1a2a2"), [(1, 3, 0, Results::Changed(1))]);
        assert_eq!(told("a1aa1"), [(1, 3, 0, Results::Unknown)]);
        assert_eq!(told("xa1b1a1b1a1b1a1y"), [(2, 3, 1, Results::Same)]);
        assert_eq!(told("abcdabcdabcdabcd"), [(4, 4, 0, Results::Unknown)]);
        assert_eq!(told("aaaaaa"), [(1, 6, 0, Results::Unknown)], "not also a cycle of two");
        assert_eq!(told("a1a1.a1a1"), [], "a poll ends a row");
        assert_eq!(told("ab.ab.ab"), [(2, 3, 0, Results::Unknown)], "a cycle goes on over polls");
        assert_eq!(told("aaaxbbb"), [(1, 3, 0, Results::Unknown), (1, 3, 4, Results::Unknown)]);
    }

    #[test]
    fn calls_made_again_are_listed_unless_they_are_in_a_loop() {
        let acts = acts("a1b1a1c1a1d1d1d1");
        let loops = runs(&acts, LONGEST_CYCLE, LoopKind::Cycle);
        let again = again(&acts, &loops);
        assert_eq!(again.iter().map(|row| (row.what, row.times, row.is_same)).collect::<Vec<_>>(), [(97, 3, true)]);
    }
}

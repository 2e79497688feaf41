//! Search in a log: a pattern over records, changed fields and effects, hit by hit.
//!
//! A search proceeds in slices, so that the caller can stop in between. It begins at the playhead, because the user
//! wants the nearest hit first.

use std::ops::ControlFlow;

use regex::bytes::{Regex, RegexBuilder};

use super::Seq;
use super::direction::Direction;
use super::lines::Lines;
use super::moment::Sight;
use super::postings::Postings;
use super::source::Gone;
use super::timeline::Replay;
use super::vocabulary::Vocabulary;

/// What to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope {
    /// The record as it is in the log.
    pub records: bool,
    /// The changes of fields by a step: `step_idx 3→4`.
    pub fields: bool,
    /// The effects of a step: `call_model up to 32000 tokens`.
    pub effects: bool,
}

impl Scope {
    pub const RECORDS: Scope = Scope { records: true, fields: false, effects: false };
    pub const EVERYTHING: Scope = Scope { records: true, fields: true, effects: true };

    fn steps(self) -> bool {
        self.fields || self.effects
    }
}

/// A compiled pattern and its scope.
#[derive(Clone, Debug)]
pub struct Pattern {
    regex: Regex,
    pub text: String,
    pub scope: Scope,
}

/// Why a text is not a regular expression. The message shows where it is wrong.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(transparent)]
pub struct PatternError(regex::Error);

impl Pattern {
    /// Parses a regular expression. It ignores case if it has no capital letter. An error shows the position.
    pub fn parse(text: &str, scope: Scope) -> Result<Pattern, PatternError> {
        let regex = RegexBuilder::new(text).case_insensitive(!has_capital(text)).multi_line(true).build();
        Ok(Pattern { regex: regex.map_err(PatternError)?, text: text.to_owned(), scope })
    }

    /// The non-empty matches in a text.
    pub fn find_all<'t>(&'t self, text: &'t [u8]) -> impl Iterator<Item = std::ops::Range<usize>> + 't {
        self.regex.find_iter(text).map(|found| found.range()).filter(|range| !range.is_empty())
    }

    /// The first match in a text.
    pub fn find(&self, text: &[u8]) -> Option<std::ops::Range<usize>> {
        self.regex.find(text).map(|found| found.range())
    }
}

/// Whether a pattern has an upper-case letter outside of escapes such as `\W`.
fn has_capital(pattern: &str) -> bool {
    let mut escaped = false;
    pattern.chars().any(|character| {
        let counts = !escaped && character.is_uppercase();
        escaped = character == '\\' && !escaped;
        counts
    })
}

/// One search over one log.
#[derive(Clone)]
pub struct Search {
    pub pattern: Pattern,
    /// Where it began.
    origin: u32,
    /// From there to the current end of the log.
    ahead: Postings,
    ahead_to: u32,
    /// From the beginning to there.
    behind: Postings,
    behind_to: u32,
}

impl Search {
    /// A search that begins at `from`.
    pub fn new(pattern: Pattern, from: Seq) -> Self {
        Search {
            pattern,
            origin: from.0,
            ahead: Postings::default(),
            ahead_to: from.0,
            behind: Postings::default(),
            behind_to: 0,
        }
    }

    /// Searches up to `most` more events. Returns whether some are left.
    pub fn advance(&mut self, replay: &dyn Replay, most: u32) -> Result<bool, Gone> {
        let events = replay.len();
        let (hits, to, end) = if self.ahead_to < events {
            (&mut self.ahead, &mut self.ahead_to, events)
        } else {
            (&mut self.behind, &mut self.behind_to, self.origin.min(events))
        };
        let part = *to..end.min(to.saturating_add(most));
        if !part.is_empty() {
            scan(&self.pattern, replay, part.clone(), &mut |at| {
                hits.push(at);
                ControlFlow::Continue(())
            })?;
            *to = part.end;
        }
        Ok(!self.is_done(replay))
    }

    /// Whether every event of the log so far was searched.
    pub fn is_done(&self, replay: &dyn Replay) -> bool {
        let events = replay.len();
        self.ahead_to >= events && self.behind_to >= self.origin.min(events)
    }

    /// How many events were searched.
    pub fn searched(&self) -> u32 {
        (self.ahead_to - self.origin) + self.behind_to
    }

    /// The number of hits so far.
    pub fn count(&self) -> u32 {
        self.ahead.len() + self.behind.len()
    }

    pub fn contains(&self, at: Seq) -> bool {
        self.list_of(at).contains(at)
    }

    fn list_of(&self, at: Seq) -> &Postings {
        if at.0 < self.origin { &self.behind } else { &self.ahead }
    }

    /// The next hit in a direction, among those so far.
    pub fn next(&self, from: Seq, direction: Direction) -> Option<Seq> {
        if direction.is_forward() {
            let behind = || self.behind.after(from);
            let ahead = || if from.0 < self.origin { self.ahead.iter().next() } else { self.ahead.after(from) };
            if from.0 < self.origin { behind().or_else(ahead) } else { ahead() }
        } else {
            self.ahead.before(from).or_else(|| self.behind.before(from))
        }
    }

    /// The number of a hit among those so far, counted from 1.
    pub fn number(&self, at: Seq) -> Option<u32> {
        self.contains(at).then(|| self.behind.rank(at) + self.ahead.rank(at) + 1)
    }

    /// How many hits fall into each of `buckets` equal parts of the log.
    pub fn density(&self, events: u32, buckets: usize) -> Vec<u32> {
        let behind = self.behind.density(events, buckets);
        self.ahead.density(events, buckets).iter().zip(behind).map(|(ahead, behind)| ahead + behind).collect()
    }
}

/// Calls `visit` with the hits of a pattern in a range, in order, until it breaks.
pub(crate) fn scan(
    pattern: &Pattern,
    replay: &dyn Replay,
    part: std::ops::Range<u32>,
    visit: &mut dyn FnMut(Seq) -> ControlFlow<()>,
) -> Result<(), Gone> {
    if !pattern.scope.steps() {
        return replay.matching(part, &pattern.regex, visit);
    }
    let mut texts = StepTexts::default();
    let mut flow = ControlFlow::Continue(());
    replay.scan(part, &mut |sight| {
        texts.add(sight, pattern.scope, replay.vocabulary());
        if texts.lines.bytes() >= TEXTS_BYTES {
            flow = texts.matching(&pattern.regex, visit);
        }
        flow
    })?;
    if flow.is_continue() {
        let _ = texts.matching(&pattern.regex, visit);
    }
    Ok(())
}

/// Texts of steps are searched together when they reach this many bytes.
const TEXTS_BYTES: usize = 64 << 10;

/// The changes and effects of some steps as texts, with the step of each text.
#[derive(Default)]
struct StepTexts {
    lines: Lines,
    of: Vec<Seq>,
    text: String,
}

impl StepTexts {
    fn add(&mut self, sight: &dyn Sight, scope: Scope, vocabulary: &Vocabulary) {
        let StepTexts { lines, of, text } = self;
        let mut push = |bytes: &[u8]| {
            lines.push(bytes);
            of.push(sight.at());
        };
        if scope.records {
            push(sight.record());
        }
        if scope.fields {
            let sides = sight.sides();
            for field in sides.changed().iter() {
                begin(text, vocabulary.field_name(field));
                sides.write_change(field, text);
                push(text.as_bytes());
            }
        }
        if scope.effects {
            sight.each_effect(&mut |kind, effect| {
                begin(text, vocabulary.effect_name(kind));
                effect.write_detail(text);
                push(text.as_bytes());
            });
        }
    }

    /// Calls `visit` once per step with a matching text, and clears all texts.
    fn matching(&mut self, regex: &Regex, visit: &mut dyn FnMut(Seq) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut last = None;
        let flow = self.lines.matching(0..self.lines.len(), regex, &mut |position| {
            let at = self.of[position];
            if last.replace(at) == Some(at) { ControlFlow::Continue(()) } else { visit(at) }
        });
        self.lines.clear();
        self.of.clear();
        flow
    }
}

fn begin(text: &mut String, name: &str) {
    text.clear();
    text.push_str(name);
    text.push(' ');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capital_letter_makes_case_matter() {
        let find = |pattern: &str, text: &str| {
            Pattern::parse(pattern, Scope::RECORDS).expect("a pattern").find(text.as_bytes()).is_some()
        };
        assert!(find("error", "an ERROR"));
        assert!(!find("Error", "an ERROR"));
        assert!(find(r"\Werror", "an ERROR"), "a capital letter in an escape does not count");
        assert!(find(r"é+", "É"));
    }

    #[test]
    fn a_bad_pattern_is_reported_with_its_position() {
        let error = Pattern::parse("a(b", Scope::RECORDS).expect_err("unclosed").to_string();
        assert!(error.contains("unclosed") && error.contains('^'), "{error}");
        assert!(Pattern::parse(r"\w{1000}{1000}{1000}", Scope::RECORDS).is_err(), "too large");
    }
}

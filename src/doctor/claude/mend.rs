//! Repairs of a session: the smallest edits after which the agent loads it and the provider accepts it.
//!
//! Defects are mended in the order of the lines, and the result is judged again. Defects that are too far from each other
//! to matter to each other are mended in one round; a round costs as much as judging the session once.

mod blocks;
mod edit;
mod index;
mod kept;
mod links;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Transcript;
use super::chain::Break;
use super::history::ClaudeHistory;
use super::judge::judge;
use crate::doctor::checks::{
    BAD_ID, BLANK_TEXT, DUPLICATE_CALL, DUPLICATE_RESULT, EMPTY_CONTENT, EMPTY_TEXT, IMAGE, LONE_SURROGATE,
    MALFORMED_LINE, MISPLACED_RESULT, MISSING_RESULT, NUL_CHAR, NUL_LINE, ORPHAN_RESULT, SERVER_CALL_OPEN,
    SERVER_RESULT_ORPHAN, THINKING_ORDER, THINKING_UNSIGNED, TORN_TAIL,
};
use crate::doctor::document::EntryId;
use crate::doctor::lines::Lines;
use crate::doctor::problem::{Asked, Problem, Rule};
use crate::doctor::session::Step;
use crate::replay::check::Severity;
use index::Index;

/// A repair does not take more rounds than this.
const ROUNDS_MOST: usize = 5000;
/// The same defect is not mended more often than this.
const ATTEMPTS_MOST: u32 = 3;

/// Relinking does not take more rounds than this; nearly always one is enough.
const RELINKS_MOST: usize = 100;

/// How a defect is mended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mending {
    /// The line goes.
    DropLine,
    /// The block changes, and nothing else. Any number can be mended at once.
    Content,
    /// The block goes. What other blocks of the message are does not matter.
    TakeOut,
    /// The edit depends on the messages around it.
    Structure,
    /// The edit depends on messages that may be anywhere.
    Far,
}

fn mending(rule: &'static Rule) -> Option<Mending> {
    let table: [(Mending, &[&'static Rule]); 5] = [
        (Mending::DropLine, &[&MALFORMED_LINE, &NUL_LINE, &TORN_TAIL]),
        (Mending::Content, &[&EMPTY_TEXT, &BLANK_TEXT, &EMPTY_CONTENT, &LONE_SURROGATE, &NUL_CHAR, &IMAGE]),
        (Mending::TakeOut, &[&ORPHAN_RESULT, &DUPLICATE_RESULT, &THINKING_UNSIGNED]),
        (
            Mending::Structure,
            &[&MISSING_RESULT, &DUPLICATE_CALL, &BAD_ID, &SERVER_CALL_OPEN, &SERVER_RESULT_ORPHAN, &THINKING_ORDER],
        ),
        (Mending::Far, &[&MISPLACED_RESULT]),
    ];
    table.iter().find(|(_, rules)| rules.contains(&rule)).map(|(mending, _)| *mending)
}

/// Whether a repair removes a problem: every error, a NUL character, and a line that was cut.
pub(crate) fn is_repaired(problem: &Problem, by: Asked<'_>) -> bool {
    problem.severity(by) >= Severity::Error || problem.rule == &NUL_CHAR || problem.rule == &TORN_TAIL
}

/// Mends a session. Returns the problems that could not be mended.
pub(crate) fn mend(
    transcript: &mut Transcript,
    lines: &dyn Lines,
    by: Asked<'_>,
    steps: &mut Vec<Step>,
) -> Vec<Problem> {
    let mut attempts: FxHashMap<(&'static str, u32, String), u32> = FxHashMap::default();
    for _ in 0..ROUNDS_MOST {
        let history = ClaudeHistory::new(transcript, &super::ClaudeScope::default());
        let problems = judge(transcript, &history).into_sorted();
        let mut wanted: Vec<&Problem> = problems.iter().filter(|problem| is_repaired(problem, by)).collect();
        if wanted.is_empty() {
            return Vec::new();
        }
        let key = |problem: &Problem| {
            (problem.rule.check.id, problem.line, problem.id.as_deref().unwrap_or_default().to_owned())
        };
        wanted.retain(|problem| {
            mending(problem.rule).is_some() && attempts.get(&key(problem)).is_none_or(|tried| *tried < ATTEMPTS_MOST)
        });
        let mut mender = ClaudeMender::new(transcript, lines, &history);
        let mut mended = 0;
        for problem in wanted {
            let tried = attempts.entry(key(problem)).or_default();
            match mender.mend(problem, *tried) {
                MendOutcome::Waits => continue,
                MendOutcome::Failed => *tried = ATTEMPTS_MOST,
                MendOutcome::Mended(does) => {
                    steps.push(Step::new(problem, does));
                    *tried += 1;
                    mended += 1;
                }
            }
            if mending(problem.rule) == Some(Mending::Far) {
                break;
            }
        }
        if mended == 0 {
            break;
        }
    }
    let history = ClaudeHistory::new(transcript, &super::ClaudeScope::default());
    judge(transcript, &history).into_sorted().into_iter().filter(|problem| is_repaired(problem, by)).collect()
}

/// What became of one defect in a round.
enum MendOutcome {
    /// What was done.
    Mended(&'static str),
    /// It depends on another edit of this round.
    Waits,
    Failed,
}

/// One round of a repair.
struct ClaudeMender<'a> {
    transcript: &'a mut Transcript,
    lines: &'a dyn Lines,
    /// The history at the beginning of the round.
    history: &'a ClaudeHistory,
    index: Index,
    /// Lines of which blocks were removed in this round, so the numbers of their blocks are no longer right.
    touched: FxHashSet<EntryId>,
    /// Messages whose surroundings changed in this round.
    busy: FxHashSet<usize>,
}

impl<'a> ClaudeMender<'a> {
    fn new(transcript: &'a mut Transcript, lines: &'a dyn Lines, history: &'a ClaudeHistory) -> ClaudeMender<'a> {
        let index = Index::new(transcript);
        ClaudeMender { transcript, lines, history, index, touched: FxHashSet::default(), busy: FxHashSet::default() }
    }

    fn mend(&mut self, problem: &Problem, tried: u32) -> MendOutcome {
        let Some(mending) = mending(problem.rule) else { return MendOutcome::Failed };
        if mending == Mending::DropLine {
            self.transcript.document.drop_line(problem.spot.entry);
            return MendOutcome::Mended("drop the line");
        }
        let message = problem.spot.message.unwrap_or_default();
        let is_near_change = (message.saturating_sub(1)..=message + 1).any(|near| self.busy.contains(&near));
        let waits = match mending {
            Mending::DropLine | Mending::Content | Mending::TakeOut => false,
            Mending::Structure => is_near_change,
            Mending::Far => !self.busy.is_empty(),
        };
        if waits || self.touched.contains(&problem.spot.entry) {
            return MendOutcome::Waits;
        }
        let is_done = self.apply(problem, tried);
        if mending != Mending::Content {
            self.busy.insert(message);
        }
        is_done.map_or(MendOutcome::Failed, MendOutcome::Mended)
    }

    /// Makes the edit for a problem, and says which. The second time something simpler is tried.
    fn apply(&mut self, problem: &Problem, tried: u32) -> Option<&'static str> {
        let (rule, spot) = (problem.rule, problem.spot);
        if rule == &EMPTY_TEXT || rule == &BLANK_TEXT {
            self.fill_text(spot)
        } else if rule == &EMPTY_CONTENT {
            self.fill_content(spot.entry)
        } else if rule == &LONE_SURROGATE || rule == &NUL_CHAR {
            self.overwrite_escapes(spot, rule == &NUL_CHAR)
        } else if rule == &IMAGE {
            self.replace_image(spot)
        } else if rule == &BAD_ID {
            self.clean_id(spot)
        } else if rule == &DUPLICATE_CALL && tried == 0 {
            self.separate_calls(spot)
        } else if rule == &MISSING_RESULT && tried == 0 {
            self.insert_result(spot)
        } else if rule == &MISPLACED_RESULT && tried == 0 {
            self.move_result(spot)
        } else {
            self.take_out(spot)
        }
    }
}

/// Hangs every line at which the chain breaks onto the nearest earlier message of its lane. Returns how many.
pub(crate) fn relink(transcript: &mut Transcript, lines: &dyn Lines) -> usize {
    let mut relinked = 0;
    // A link can put kept lines back in place, and then the history takes another way.
    for _ in 0..RELINKS_MOST {
        let history = ClaudeHistory::relinked(transcript);
        let mut mender = ClaudeMender::new(transcript, lines, &history);
        let link = |found: &Break| {
            let parent = history.graph.nodes[found.bridged?].uuid;
            mender.set_parent(history.graph.nodes[found.node].uuid, Some(parent))
        };
        let count = history.chain.breaks.iter().filter(|found| found.is_relinked).filter_map(link).count();
        if count == 0 {
            break;
        }
        relinked += count;
    }
    relinked
}

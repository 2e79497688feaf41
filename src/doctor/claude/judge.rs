//! The rules of the agent and the provider, applied to the history of a session.

mod content;
mod links;
mod pairs;

pub(crate) use pairs::is_accepted;

use super::Transcript;
use super::history::ClaudeHistory;
use super::messages::{BlockAt, ClaudeMessage};
use crate::doctor::checks::{MALFORMED_LINE, NO_CONVERSATION, NUL_LINE, TORN_TAIL};
use crate::doctor::client::{Healing, Version};
use crate::doctor::document::EntryId;
use crate::doctor::lines::Damage;
use crate::doctor::problem::{Problem, Problems, Spot};

/// Everything that is wrong with a session.
pub(crate) fn judge(transcript: &Transcript, history: &ClaudeHistory) -> Problems {
    let mut problems = Problems::default();
    damage(transcript, &mut problems);
    links::judge(transcript, history, &mut problems);
    pairs::judge(transcript, history, &mut problems);
    content::judge(transcript, history, &mut problems);
    problems
}

fn since(major: u32, minor: u32, patch: u32) -> Option<Healing> {
    Some(Healing::Since(Version(major, minor, patch)))
}

/// Lines that are not records, and a file without any message.
fn damage(transcript: &Transcript, problems: &mut Problems) {
    for (id, entry) in transcript.document.present() {
        let super::line::ClaudeLine::Damaged(damage) = &entry.line else { continue };
        for number in entry.number..entry.number + entry.run {
            let problem = match damage {
                Damage::Malformed => Problem::new(&MALFORMED_LINE, number, "Failed to resume session <id>"),
                Damage::Nul => Problem::new(&NUL_LINE, number, ""),
                Damage::Torn => {
                    let glued = "the next line written is glued to these bytes and lost with them";
                    Problem::new(&TORN_TAIL, number, glued)
                }
            };
            let healing = if *damage == Damage::Torn { None } else { since(2, 1, 121) };
            problems.push(problem.healed(healing).at(Spot { entry: id, ..Spot::default() }));
        }
    }
    let has_message =
        transcript.document.present().any(|(_, entry)| entry.line.node().is_some_and(|node| node.is_message()));
    if !has_message {
        problems.push(Problem::new(&NO_CONVERSATION, 1, "No conversation found with session ID: <id>"));
    }
}

/// A block as the rules see it.
#[derive(Clone, Copy)]
struct BlockPlace {
    /// The index of the message.
    message: usize,
    /// The index of the block in the message.
    content: usize,
    at: BlockAt,
}

impl BlockPlace {
    fn spot(self) -> Spot {
        Spot { entry: self.at.entry, block: self.at.block, part: None, message: Some(self.message) }
    }
}

/// The blocks of a message.
fn places(message: usize, of: &ClaudeMessage) -> impl Iterator<Item = BlockPlace> {
    of.blocks.iter().enumerate().map(move |(content, at)| BlockPlace { message, content, at: *at })
}

impl Transcript {
    /// A problem at a block.
    fn problem(&self, rule: &'static crate::doctor::problem::Rule, place: BlockPlace, predicted: String) -> Problem {
        Problem::new(rule, self.shown_number(place.at.entry), predicted).at(place.spot())
    }

    /// The line of the input. An inserted line has none, so it is shown with the line before it.
    pub(crate) fn shown_number(&self, entry: EntryId) -> u32 {
        self.number(entry)
    }
}

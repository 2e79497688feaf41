//! A session of any agent: read line by line, examined, repaired.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::claude::{self, Transcript};
use super::client::Client;
use super::codex::{self, Rollout};
use super::context::{Branch, Reach};
use super::detect::Agent;
use super::document::{Edits, Piece};
#[cfg(any(test, feature = "fuzzing"))]
use super::lines::each;
use super::lines::{LineAt, Lines};
use super::problem::{Asked, Problem, Verdict};

/// A session as far as it was read.
#[derive(Clone, Debug)]
pub(crate) enum Session {
    Claude(Box<Transcript>),
    Codex(Box<Rollout>),
}

/// A message of the history, or an item of a rollout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// The role, or the type of an item that has none.
    pub role: Arc<str>,
    pub kinds: Vec<Arc<str>>,
    pub ids: Vec<Arc<str>>,
    /// Its lines; none for an item of another rollout.
    pub lines: Vec<u32>,
}

/// What is known about a session.
#[derive(Debug)]
pub(crate) struct Examination {
    pub problems: Vec<Problem>,
    /// So many problems were counted but not kept.
    pub dropped: u64,
    pub history: Vec<Row>,
    pub counts: Counts,
    /// How many lines of the conversation a resume reaches, and why not the others.
    pub reach: BTreeMap<Reach, usize>,
    /// The same line by line, in the order of the first lines.
    pub branches: Vec<Branch>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub messages: usize,
    /// Lines of the history, with those that lead from one message to the next.
    pub reachable_lines: usize,
    /// Lines that are not blank.
    pub total_lines: u64,
    /// Prompts and answers.
    pub conversation_lines: usize,
    pub reachable_conversation_lines: usize,
}

/// What a repair did.
#[derive(Debug)]
pub(crate) struct Repair {
    pub edits: Edits,
    /// Problems that could not be mended.
    pub unmended: Vec<Problem>,
    pub steps: Vec<Step>,
}

/// One edit of a repair, and the problem that it was made for.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub check: &'static str,
    pub line: u32,
    pub id: Option<Arc<str>>,
    pub does: &'static str,
}

impl Step {
    pub(crate) fn new(problem: &Problem, does: &'static str) -> Step {
        Step { check: problem.rule.check.id, line: problem.line, id: problem.id.clone(), does }
    }

    pub(crate) fn is_for(&self, problem: &Problem) -> bool {
        self.check == problem.rule.check.id && self.line == problem.line && self.id == problem.id
    }
}

impl Session {
    pub(crate) fn new(agent: Agent) -> Session {
        match agent {
            Agent::Claude => Session::Claude(Box::default()),
            Agent::Codex => Session::Codex(Box::default()),
        }
    }

    /// A session that is in memory.
    #[cfg(any(test, feature = "fuzzing"))]
    pub(crate) fn of_bytes(agent: Agent, bytes: &[u8]) -> Session {
        let mut session = Session::new(agent);
        each(bytes, |at, line| session.read(at, line));
        session
    }

    pub(crate) fn agent(&self) -> Agent {
        match self {
            Session::Claude(_) => Agent::Claude,
            Session::Codex(_) => Agent::Codex,
        }
    }

    /// Reads the next line of the file.
    pub(crate) fn read(&mut self, at: LineAt, bytes: &[u8]) {
        match self {
            Session::Claude(transcript) => transcript.read(at, bytes),
            Session::Codex(rollout) => rollout.read(at, bytes),
        }
    }

    /// The version of the agent that wrote it.
    pub(crate) fn version(&self) -> Option<Arc<str>> {
        match self {
            Session::Claude(transcript) => transcript.version.clone(),
            Session::Codex(rollout) => rollout.version.clone(),
        }
    }

    pub(crate) fn verdict(&self, problems: &[Problem], client: Client) -> Verdict {
        let version = self.version();
        Verdict::of(problems, Asked { client, recorded: version.as_deref() })
    }

    pub(crate) fn examine(&self) -> Examination {
        match self {
            Session::Claude(transcript) => transcript.examine(),
            Session::Codex(rollout) => rollout.examine(),
        }
    }

    /// Removes what the client would not survive. `lines` gives the bytes of the file.
    pub(crate) fn repair(&mut self, lines: &dyn Lines, client: Client) -> Repair {
        let version = self.version();
        let by = Asked { client, recorded: version.as_deref() };
        let mut steps = Vec::new();
        let (unmended, edits) = match self {
            Session::Claude(transcript) => {
                let unmended = claude::mend::mend(transcript, lines, by, &mut steps);
                (unmended, transcript.document.settle(lines))
            }
            Session::Codex(rollout) => {
                let unmended = codex::mend::mend(rollout, lines, by, &mut steps);
                (unmended, rollout.document.settle(lines))
            }
        };
        Repair { edits, unmended, steps }
    }

    /// Hangs lines whose parent is missing onto the message before them. Returns how many.
    pub(crate) fn relink(&mut self, lines: &dyn Lines) -> (usize, Edits) {
        match self {
            Session::Claude(transcript) => {
                let relinked = claude::mend::relink(transcript, lines);
                (relinked, transcript.document.settle(lines))
            }
            Session::Codex(_) => (0, Edits::default()),
        }
    }

    /// The parts of the file after changes.
    pub(crate) fn pieces(&self) -> Vec<Piece<'_>> {
        match self {
            Session::Claude(transcript) => transcript.document.pieces(),
            Session::Codex(rollout) => rollout.document.pieces(),
        }
    }

    /// The file after changes, in memory.
    #[cfg(any(test, feature = "fuzzing"))]
    pub(crate) fn bytes(&self, input: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        for piece in self.pieces() {
            match piece {
                Piece::Input(range) => out.extend_from_slice(&input[range.start as usize..range.end as usize]),
                Piece::Text(text) => out.extend_from_slice(text),
            }
        }
        out
    }
}

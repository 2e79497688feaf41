//! Blocks: what a record of a coding agent's session says, in words that all agents share.

use crate::json::raw::{RawJson, RawText};

use super::content::Content;

/// One thing that a record says. A record has any number of blocks.
#[derive(Clone, Debug)]
pub(crate) enum Block<'a> {
    Header(Box<Header<'a>>),
    /// The program says that a turn begins.
    TurnStart {
        id: Option<RawText<'a>>,
        window: Option<u64>,
    },
    TurnEnd(TurnEnd<'a>),
    Prompt {
        by: PromptBy,
        content: Content<'a>,
    },
    /// Text that the program put in, or that the user sent to the program and not to the model.
    Note {
        is_local: bool,
        content: Content<'a>,
    },
    /// The user stopped the model.
    Interrupt,
    /// A prompt that reached the model while it was working.
    Steer {
        content: Content<'a>,
    },
    Text(Content<'a>),
    Thinking(Content<'a>),
    ToolCall(ToolCall<'a>),
    ToolResult(ToolResult<'a>),
    /// What the program says about a call besides its result.
    Verdict(Verdict<'a>),
    Usage(Usage<'a>),
    Compaction(Compaction<'a>),
    /// A call to the model failed for good.
    Error {
        text: Content<'a>,
        is_own_event: bool,
    },
    /// A call to the model failed and is tried again.
    Retry {
        is_last: bool,
        error: Option<RawText<'a>>,
    },
    Subagent {
        id: RawText<'a>,
        is_background: bool,
        status: Option<RawText<'a>>,
        is_new: bool,
        /// The session that it writes, if that has another name.
        thread: Option<RawText<'a>>,
    },
    /// The end of a task in the background.
    TaskEnd(TaskEnd),
    Queue(QueueChange),
    /// Context that the program put in without a message.
    Attachment {
        name: Option<RawText<'a>>,
    },
    Plan {
        text: RawText<'a>,
    },
    /// The record repeats another one in other words.
    Twin,
    Metadata,
    /// A type that no known release writes, with its name.
    Unknown(Box<str>),
}

/// The header of a session file: which session this is, and what it continues.
#[derive(Clone, Debug, Default)]
pub(crate) struct Header<'a> {
    pub thread: Option<RawText<'a>>,
    /// It was forked from another session, or was started by one.
    pub is_descendant: bool,
    /// It was started by another session.
    pub is_subagent: bool,
    /// The session that it was forked from or started by.
    pub parent: Option<RawText<'a>>,
    /// Where the beginning of the history is, if it is in another file.
    pub base: Option<RawJson<'a>>,
    /// The first record that is not inherited.
    pub own_from: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum TurnEnd<'a> {
    /// The program says that the turn is over, not how it ended.
    Unstated,
    Completed,
    Failed(Content<'a>),
    Aborted(RawText<'a>),
    /// The user took the turn back. Outside of a turn this ends nothing.
    RolledBack,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PromptBy {
    User,
    /// The same prompt also stands in another record, which is not counted.
    UserWithTwin,
    /// A command of the program. It is a turn only if the model answers.
    Command,
    /// A message about a task in the background, which wakes the model.
    Notification,
}

#[derive(Clone, Debug)]
pub(crate) struct ToolCall<'a> {
    pub id: CallId<'a>,
    pub name: RawText<'a>,
    pub input: Option<RawJson<'a>>,
}

/// The name of a call, which its result repeats.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CallId<'a> {
    Named(RawText<'a>),
    /// A call without an id that answers itself.
    Unnamed,
}

#[derive(Clone, Debug)]
pub(crate) struct ToolResult<'a> {
    pub id: CallId<'a>,
    pub outcome: Outcome,
    /// The exit code in the text, if it has one.
    pub exit_code: Option<i64>,
    pub content: Content<'a>,
    /// The file that was written.
    pub written: Option<RawText<'a>>,
    /// The task that goes on in the background.
    pub task: Option<RawText<'a>>,
    /// The process that goes on running.
    pub process: Option<Box<str>>,
    /// The result in the program's own structure.
    pub details: Option<RawJson<'a>>,
}

/// What the program says about a call, where its result is only text.
#[derive(Clone, Debug)]
pub(crate) struct Verdict<'a> {
    pub id: CallId<'a>,
    pub outcome: Option<Outcome>,
    pub exit_code: Option<i64>,
    /// The files that were changed, as the names of an object's members.
    pub changes: Option<RawJson<'a>>,
    /// The program's reading of a command, as a list.
    pub commands: Option<RawJson<'a>>,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Outcome {
    Success,
    ToolError,
    Blocked,
    Timeout,
    Cancelled,
    /// It goes on in the background; this is an acknowledgement, not the answer.
    Launched,
    /// Its process goes on running.
    Running,
    Unknown,
}

impl Outcome {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Outcome::Success => "success",
            Outcome::ToolError => "tool_error",
            Outcome::Blocked => "blocked",
            Outcome::Timeout => "timeout",
            Outcome::Cancelled => "cancelled",
            Outcome::Launched => "launched",
            Outcome::Running => "running",
            Outcome::Unknown => "unknown",
        }
    }

    pub(crate) const fn is_failure(self) -> bool {
        matches!(self, Outcome::ToolError | Outcome::Timeout)
    }
}

/// What a call to the model used.
#[derive(Clone, Debug)]
pub(crate) enum Usage<'a> {
    /// On every line of a message; lines with the same key belong together.
    Message { key: u64, model: Option<RawText<'a>>, stop: Stop, tokens: Tokens, context: u64 },
    /// A running total. The same total again is the same call.
    Count { total: u64, identity: u64, last: Tokens, is_full: bool, window: Option<u64> },
    /// A running total without numbers.
    CountWithoutNumbers,
    /// One record per answer.
    Record { thread: Option<RawText<'a>>, response: u64, tokens: Tokens },
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tokens {
    /// All tokens of the prompt, including those read from a cache.
    pub prompt: u64,
    pub output: u64,
    pub cache_read: u64,
}

/// Why the model stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Not said.
    #[default]
    Unstated,
    /// It had nothing more to say.
    Done,
    Other,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Compaction<'a> {
    pub trigger: Option<RawText<'a>>,
    pub tokens_before: Option<u64>,
    pub tokens_after: Option<u64>,
    /// Which messages stay in the context, in the program's own structure.
    pub kept: Option<RawJson<'a>>,
    /// The items that take the place of all others.
    pub left: Option<RawJson<'a>>,
    /// What the program says about what it dropped, if that is in the same record.
    pub summary: Content<'a>,
}

/// The end of a task in the background, by the names that it was launched under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TaskEnd {
    pub task: Option<Box<str>>,
    pub call: Option<Box<str>>,
    pub status: Option<Box<str>>,
}

/// A change of the queue of prompts that were typed while the model was working.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QueueChange {
    /// Entries that are not prompts come from the program.
    Added { is_prompt: bool },
    /// The oldest entry becomes a prompt.
    Taken,
    /// The oldest entry goes into the running turn.
    Delivered,
    /// All prompts were taken back.
    Emptied,
}

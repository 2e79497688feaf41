//! Names and lanes of the kinds of agent events: one table.

use super::block::{Block, PromptBy};
use crate::replay::vocabulary::{Concern, KindWord, LaneId, LaneWord};

pub(crate) const LANES: &[LaneWord] = &[
    LaneWord::new("user", Concern::User),
    LaneWord::new("model", Concern::Model),
    LaneWord::new("tools", Concern::Tool),
    LaneWord::new("context", Concern::Context),
    LaneWord::new("turns", Concern::Run),
    LaneWord::new("session", Concern::Background),
];

const USER: LaneId = LaneId(0);
const MODEL: LaneId = LaneId(1);
const TOOLS: LaneId = LaneId(2);
const CONTEXT: LaneId = LaneId(3);
const TURNS: LaneId = LaneId(4);
const SESSION: LaneId = LaneId(5);

macro_rules! kinds {
    ($($kind:ident $name:literal $short:literal $lane:ident $(($routine:literal))?)*) => {
        /// What a record mainly is: the kind of its most telling block.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub(crate) enum AgentKind {
            $($kind),*
        }

        impl AgentKind {
            pub(crate) const WORDS: &'static [KindWord] =
                &[$(KindWord::new($name, $short, $lane)$(.routine($routine))?),*];
        }
    };
}

kinds! {
    Prompt "prompt" "prompt" USER
    Command "command" "command" USER
    Notification "notification" "notice" USER
    Steer "steer" "steer" USER
    Interrupt "interrupt" "interrupt" USER
    Queue "queue" "queue" USER
    Local "local" "local" USER
    Text "text" "text" MODEL
    Thinking "thinking" "thinking" MODEL
    Usage "usage" "usage" MODEL ("usage record")
    Error "error" "error" MODEL
    Retry "retry" "retry" MODEL
    ToolCall "tool_call" "call" TOOLS
    ToolResult "tool_result" "result" TOOLS
    Verdict "tool_report" "report" TOOLS
    Subagent "subagent" "subagent" TOOLS
    Task "task" "task" TOOLS
    Note "note" "note" CONTEXT
    Attachment "attachment" "attach" CONTEXT ("attachment")
    Compaction "compaction" "compaction" CONTEXT
    Summary "summary" "summary" CONTEXT
    Plan "plan" "plan" CONTEXT
    TurnStart "turn_start" "turn start" TURNS
    TurnEnd "turn_end" "turn end" TURNS
    Header "header" "header" SESSION
    Twin "twin" "twin" SESSION ("twin")
    Metadata "metadata" "metadata" SESSION ("metadata record")
    Unknown "unknown" "unknown" SESSION
}

impl AgentKind {
    /// The kind of a record with these blocks: that of its most telling block. Calls and results come first, since a
    /// line of old releases holds a whole message.
    pub(crate) fn of(blocks: &[Block<'_>]) -> AgentKind {
        let rank = |kind: &AgentKind| match kind {
            AgentKind::ToolCall => 0,
            AgentKind::ToolResult => 1,
            AgentKind::Text => 2,
            AgentKind::Thinking => 3,
            AgentKind::Usage => 5,
            AgentKind::Metadata | AgentKind::Twin => 6,
            _ => 4,
        };
        blocks.iter().map(AgentKind::of_block).min_by_key(rank).unwrap_or(AgentKind::Metadata)
    }

    fn of_block(block: &Block<'_>) -> AgentKind {
        match block {
            Block::Header(_) => AgentKind::Header,
            Block::TurnStart { .. } => AgentKind::TurnStart,
            Block::TurnEnd(_) => AgentKind::TurnEnd,
            Block::Prompt { by: PromptBy::User | PromptBy::UserWithTwin, .. } => AgentKind::Prompt,
            Block::Prompt { by: PromptBy::Command, .. } => AgentKind::Command,
            Block::Prompt { by: PromptBy::Notification, .. } => AgentKind::Notification,
            Block::Note { is_local: true, .. } => AgentKind::Local,
            Block::Note { is_local: false, .. } => AgentKind::Note,
            Block::Interrupt => AgentKind::Interrupt,
            Block::Steer { .. } => AgentKind::Steer,
            Block::Text(_) => AgentKind::Text,
            Block::Thinking(_) => AgentKind::Thinking,
            Block::ToolCall(_) => AgentKind::ToolCall,
            Block::ToolResult(_) => AgentKind::ToolResult,
            Block::Verdict(_) => AgentKind::Verdict,
            Block::Usage(_) => AgentKind::Usage,
            Block::Compaction(_) => AgentKind::Compaction,
            Block::Error { .. } => AgentKind::Error,
            Block::Retry { .. } => AgentKind::Retry,
            Block::Subagent { .. } => AgentKind::Subagent,
            Block::TaskEnd(_) => AgentKind::Task,
            Block::Queue(_) => AgentKind::Queue,
            Block::Attachment { .. } => AgentKind::Attachment,
            Block::Plan { .. } => AgentKind::Plan,
            Block::Twin => AgentKind::Twin,
            Block::Metadata => AgentKind::Metadata,
            Block::Unknown(_) => AgentKind::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_fit() {
        let mut names: Vec<&str> = AgentKind::WORDS.iter().map(|word| word.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), AgentKind::WORDS.len());
        for word in AgentKind::WORDS {
            assert!(word.short.len() <= KindWord::SHORT_COLUMNS, "{}", word.short);
        }
    }
}

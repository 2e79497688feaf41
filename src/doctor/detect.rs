//! Which agent wrote a file. Records are asked one after the other until one decides.

use super::claude::line::node_kind;
use super::lines::{Content, LineAt, content};
use super::shape::Shape;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Agent {
    Claude,
    Codex,
}

impl Agent {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Agent::Claude => "claude",
            Agent::Codex => "codex",
        }
    }

    pub(crate) const fn title(self) -> &'static str {
        match self {
            Agent::Claude => "Claude Code",
            Agent::Codex => "Codex",
        }
    }
}

/// What a record says about its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Vote {
    Is(Agent),
    /// Another program wrote it.
    Neither,
    /// Metadata that Claude Code writes, which never decides alone.
    ClaudeMetadata,
    Unsure,
}

/// Asks the lines of a file.
#[derive(Debug, Default)]
pub(crate) struct Detection {
    decision: Option<Option<Agent>>,
    has_metadata: bool,
}

impl Detection {
    /// Asks the next line. Returns whether the file is known by now.
    pub(crate) fn ask(&mut self, at: LineAt, bytes: &[u8]) -> bool {
        if self.decision.is_none()
            && let Content::Object(shape) = content(at, bytes)
        {
            match vote(&shape) {
                Vote::Is(agent) => self.decision = Some(Some(agent)),
                Vote::Neither => self.decision = Some(None),
                Vote::ClaudeMetadata => self.has_metadata = true,
                Vote::Unsure => {}
            }
        }
        self.decision.is_some()
    }

    /// The agent. If no record decides, the name of the file may.
    pub(crate) fn agent(&self, file_name: Option<&str>) -> Option<Agent> {
        if let Some(decision) = self.decision {
            return decision;
        }
        let is_rollout = file_name.is_some_and(|name| name.starts_with("rollout-") && name.ends_with(".jsonl"));
        match (self.has_metadata, is_rollout) {
            (true, _) => Some(Agent::Claude),
            (false, true) => Some(Agent::Codex),
            (false, false) => None,
        }
    }
}

/// The types of first records that other programs write: `codex exec --json`, Pi.
const OF_OTHER_PROGRAMS: [&str; 3] = ["thread.started", "turn.started", "session"];

fn vote(shape: &Shape) -> Vote {
    let root = Shape::ROOT;
    let has = |name: &str| shape.get(root, name).is_some();
    let kind = shape.text_of(root, "type");
    let is_of_another = kind.as_deref().is_some_and(|kind| OF_OTHER_PROGRAMS.contains(&kind));
    if is_of_another || (has("dir") && has("kind")) || has("resourceSpans") {
        return Vote::Neither;
    }
    match kind.as_deref() {
        Some(
            "session_meta" | "response_item" | "event_msg" | "turn_context" | "compacted" | "world_state"
            | "token_usage_record",
        ) if shape.get(root, "payload").is_some_and(|payload| shape.is_object(payload)) => {
            return Vote::Is(Agent::Codex);
        }
        None if has("record_type") || (has("id") && has("timestamp")) => return Vote::Is(Agent::Codex),
        _ => {}
    }
    if has("session_id") && !has("sessionId") {
        return Vote::Neither;
    }
    let Some(kind) = kind else { return Vote::Unsure };
    if node_kind(&kind).is_some() {
        let is_claude = has("sessionId") || has("parentUuid") || (has("uuid") && !has("session_id"));
        return if is_claude { Vote::Is(Agent::Claude) } else { Vote::Unsure };
    }
    let is_metadata = has("sessionId") || has("leafUuid") || kind.starts_with("file-history-");
    if is_metadata { Vote::ClaudeMetadata } else { Vote::Unsure }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::lines::each;

    fn agent(text: &str, name: &str) -> Option<Agent> {
        let mut detection = Detection::default();
        each(text.as_bytes(), |at, bytes| {
            detection.ask(at, bytes);
        });
        detection.agent(Some(name))
    }

    #[test]
    fn the_first_record_that_knows_decides() {
        let user = r#"{"type":"user","uuid":"u","message":{}}"#;
        let item = r#"{"timestamp":"t","type":"response_item","payload":{}}"#;
        assert_eq!(agent(user, ""), Some(Agent::Claude));
        assert_eq!(agent(item, ""), Some(Agent::Codex));
        assert_eq!(
            agent(&format!("// no\n{{\"type\":\"mode\",\"sessionId\":\"s\"}}\n{item}\n{user}"), ""),
            Some(Agent::Codex)
        );
        assert_eq!(agent(r#"{"id":"i","timestamp":"t","instructions":null}"#, ""), Some(Agent::Codex));
        assert_eq!(agent(r#"{"type":"mode","sessionId":"s"}"#, ""), Some(Agent::Claude), "metadata alone");
    }

    #[test]
    fn other_programs_are_not_taken_for_these() {
        for text in [
            r#"{"ts":"t","dir":"meta","kind":"session_start"}"#,
            r#"{"type":"thread.started","thread_id":"t"}"#,
            r#"{"type":"user","session_id":"s","uuid":"u","message":{}}"#,
            r#"{"resourceSpans":[]}"#,
            r#"{"type":"session","id":"i","timestamp":"t"}"#,
            r#"{"a":1}"#,
            "",
        ] {
            assert_eq!(agent(text, "a.jsonl"), None, "{text}");
        }
    }

    #[test]
    fn an_empty_rollout_is_known_by_its_name() {
        assert_eq!(agent("\n\n", "rollout-2026-10-01T09-00-00-blank.jsonl"), Some(Agent::Codex));
        assert_eq!(agent("\n\n", "notes.jsonl"), None);
    }
}

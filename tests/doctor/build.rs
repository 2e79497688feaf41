//! Small sessions, line by line.

use serde_json::{Value, json};

use crate::doctor::detect::Agent;
use crate::doctor::session::Session;

/// Lines of Claude Code. Uuids are short words; the time of a line is its number in seconds times ten, if not said otherwise.
#[derive(Default)]
pub(crate) struct Claude(Vec<Value>);

impl Claude {
    pub(crate) fn line(mut self, kind: &str, uuid: &str, parent: &str, rest: Value) -> Claude {
        let parent = if parent.is_empty() { Value::Null } else { json!(parent) };
        let seconds = 10 * self.0.len();
        let time = format!("2026-10-01T09:{:02}:{:02}.000Z", seconds / 60, seconds % 60);
        let mut line = json!({"type": kind, "uuid": uuid, "parentUuid": parent, "isSidechain": false, "sessionId": "s",
            "version": "2.1.270", "timestamp": time});
        line.as_object_mut().expect("an object").extend(rest.as_object().expect("an object").clone());
        self.0.push(line);
        self
    }

    pub(crate) fn user(self, uuid: &str, parent: &str, text: &str) -> Claude {
        self.line("user", uuid, parent, json!({"message": {"role": "user", "content": text}}))
    }

    pub(crate) fn blocks(self, uuid: &str, parent: &str, blocks: Value) -> Claude {
        self.line("user", uuid, parent, json!({"message": {"role": "user", "content": blocks}}))
    }

    pub(crate) fn answer(self, uuid: &str, parent: &str, blocks: Value) -> Claude {
        let message = json!({"id": format!("msg_{uuid}"), "role": "assistant", "content": blocks,
            "usage": {"input_tokens": 100, "cache_read_input_tokens": 11}});
        self.line("assistant", uuid, parent, json!({"message": message}))
    }

    pub(crate) fn says(self, uuid: &str, parent: &str, text: &str) -> Claude {
        self.answer(uuid, parent, json!([{"type": "text", "text": text}]))
    }

    pub(crate) fn calls(self, uuid: &str, parent: &str, ids: &[&str]) -> Claude {
        let call = |id: &&str| json!({"type": "tool_use", "id": id, "name": "Bash", "input": {}});
        self.answer(uuid, parent, ids.iter().map(call).collect())
    }

    pub(crate) fn results(self, uuid: &str, parent: &str, ids: &[&str]) -> Claude {
        let result = |id: &&str| json!({"type": "tool_result", "tool_use_id": id, "content": "ok"});
        self.blocks(uuid, parent, ids.iter().map(result).collect())
    }

    pub(crate) fn boundary(self, uuid: &str, metadata: Value) -> Claude {
        let mut all = json!({"trigger": "auto", "preTokens": 150_000});
        all.as_object_mut().expect("an object").extend(metadata.as_object().expect("an object").clone());
        self.line("system", uuid, "", json!({"subtype": "compact_boundary", "compactMetadata": all}))
    }

    pub(crate) fn summary(self, uuid: &str, parent: &str) -> Claude {
        let rest = json!({"isCompactSummary": true, "isVisibleInTranscriptOnly": true,
            "message": {"role": "user", "content": "summary"}});
        self.line("user", uuid, parent, rest)
    }

    pub(crate) fn marker(mut self, leaf: &str, is_explicit: bool) -> Claude {
        let mut line = json!({"type": "last-prompt", "leafUuid": leaf, "sessionId": "s"});
        if is_explicit {
            line["explicit"] = json!(true);
        }
        self.0.push(line);
        self
    }

    /// Changes the last line.
    pub(crate) fn with(mut self, member: &str, value: Value) -> Claude {
        self.0.last_mut().expect("a line")[member] = value;
        self
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect()
    }

    pub(crate) fn session(&self) -> Session {
        Session::of_bytes(Agent::Claude, &self.bytes())
    }
}

/// Records of Codex.
#[derive(Default)]
pub(crate) struct Codex(Vec<Value>);

impl Codex {
    pub(crate) fn new(meta: Value) -> Codex {
        let mut all =
            json!({"id": "thread", "timestamp": "t", "cwd": "/", "originator": "o", "cli_version": "0.147.0"});
        all.as_object_mut().expect("an object").extend(meta.as_object().expect("an object").clone());
        Codex::default().record("session_meta", all)
    }

    pub(crate) fn record(mut self, kind: &str, payload: Value) -> Codex {
        self.0.push(json!({"timestamp": "t", "type": kind, "payload": payload}));
        self
    }

    pub(crate) fn item(self, payload: Value) -> Codex {
        self.record("response_item", payload)
    }

    pub(crate) fn says(self, role: &str, text: &str) -> Codex {
        let kind = if role == "assistant" { "output_text" } else { "input_text" };
        self.item(json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]}))
    }

    pub(crate) fn event(self, kind: &str, rest: Value) -> Codex {
        let mut all = json!({"type": kind});
        all.as_object_mut().expect("an object").extend(rest.as_object().expect("an object").clone());
        self.record("event_msg", all)
    }

    /// A turn with a prompt and an answer.
    pub(crate) fn turn(self, text: &str) -> Codex {
        self.event("task_started", json!({"turn_id": text})).says("user", text).says("assistant", "ok")
    }

    /// Numbers the records from here on.
    pub(crate) fn numbered(mut self, from: u64) -> Codex {
        for (offset, line) in self.0.iter_mut().enumerate() {
            line["ordinal"] = json!(from + offset as u64);
        }
        self
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect()
    }

    pub(crate) fn session(&self) -> Session {
        Session::of_bytes(Agent::Codex, &self.bytes())
    }
}

/// The lines of a history, message by message.
pub(crate) fn lines(session: &Session) -> Vec<Vec<u32>> {
    session.examine().history.into_iter().map(|row| row.lines).collect()
}

/// The problems: check and line.
pub(crate) fn found(session: &Session) -> Vec<(String, u32)> {
    let problems = session.examine().problems;
    let short = |id: &str| id.trim_start_matches("doctor/").to_owned();
    problems.iter().map(|problem| (short(problem.rule.check.id), problem.line)).collect()
}

pub(crate) fn pairs(list: &[(&str, u32)]) -> Vec<(String, u32)> {
    list.iter().map(|(check, line)| ((*check).to_owned(), *line)).collect()
}

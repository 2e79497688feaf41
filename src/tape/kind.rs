//! The kinds of records in versions 1 to 5. Keys are in the order in which writers put them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::payload::Payload;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Kind {
    ClockRead {
        source: ClockSource,
        value_ms: i64,
    },
    ClockSleep {
        duration_ms: u64,
    },
    LlmCall(LlmCall),
    FileRead(FileBytes),
    FileWrite(FileBytes),
    FileDelete {
        path: String,
    },
    ProcessSpawn(ProcessSpawn),
    McpJsonRpc(McpJsonRpc),
    ModelJob {
        job_id: String,
        request_id: String,
        backend: String,
        state: String,
        event_kind: String,
        event: Payload,
        asset_digests: Vec<String>,
    },
    /// The next record or one of its payloads was changed to remove a secret.
    PayloadRedaction,
    CacheLookup {
        namespace: String,
        key: String,
        after_calls: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<Payload>,
    },
    PromptRender {
        render_id: String,
        template_uri: String,
        rendered: Payload,
        spans: Payload,
    },
    DecisionEvaluation {
        request_digest: String,
        response: Payload,
    },
    ToolCall(ToolCall),
    SessionControl {
        event: Payload,
    },
    /// A kind of a newer writer. The record keeps its tag and its line.
    #[serde(other)]
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClockSource {
    Wall,
    Monotonic,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LlmCall {
    pub request_digest: String,
    pub response: Payload,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_index: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Payload>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Payload>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attribution: Option<Attribution>,
}

/// Which bytes of a prompt came from which prompt render.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attribution {
    pub segments: Vec<Segment>,
    pub system_bytes: u64,
    pub system_attributed: u64,
    pub prompt_bytes: u64,
    pub prompt_attributed: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    pub field: String,
    pub start: u64,
    pub end: u64,
    pub render_id: String,
}

/// A file that was read or written. The tape never contains its bytes; for an append, this is only the appended part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileBytes {
    pub path: String,
    pub content_hash: String,
    pub len_bytes: u64,
}

/// A child process that has ended; -1 means that it had no exit code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessSpawn {
    pub program: String,
    pub args: Vec<String>,
    pub cwd: Option<String>,
    pub exit_code: i32,
    pub duration_ms: u64,
    pub stdout_payload: Payload,
    pub stderr_payload: Payload,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpJsonRpc {
    pub server: String,
    pub method: String,
    pub request_digest: String,
    pub response_digest: String,
    pub latency_ms: u64,
    pub request_payload: Payload,
    pub response_payload: Payload,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// May be empty or repeated, so it does not identify the call.
    pub call_id: String,
    pub tool: String,
    pub args_digest: String,
    pub after_calls: u64,
    pub outcome: Payload,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<FileEffect>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unservable: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transcript_changes: Vec<TranscriptChange>,
}

/// A file that a tool changed: its new content, or `None` if it was deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEffect {
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Payload>,
}

/// A change of a transcript. This is the only kind that rejects unknown keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum TranscriptChange {
    Fields(ChangedFields),
    Lifecycle(ChangedLifecycle),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangedFields {
    pub session_id: String,
    pub fields: std::collections::BTreeMap<String, FieldChange>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangedLifecycle {
    pub session_id: String,
    pub lifecycle: Lifecycle,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FieldChange {
    Set(Value),
    Append(Vec<Value>),
    Remove,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Lifecycle {
    Opened { transcript: Value },
    Closed {},
}

impl Kind {
    pub const TAGS: [&'static str; 16] = [
        "clock_read",
        "clock_sleep",
        "llm_call",
        "file_read",
        "file_write",
        "file_delete",
        "process_spawn",
        "mcp_json_rpc",
        "model_job",
        "payload_redaction",
        "cache_lookup",
        "prompt_render",
        "decision_evaluation",
        "tool_call",
        "session_control",
        "unknown",
    ];

    /// The index of `llm_call` in [`Kind::TAGS`].
    pub const LLM_CALL: u8 = 2;
    /// The index of `process_spawn` in [`Kind::TAGS`].
    pub const PROCESS_SPAWN: u8 = 6;

    /// The index in [`Kind::TAGS`].
    pub fn index(&self) -> usize {
        match self {
            Kind::ClockRead { .. } => 0,
            Kind::ClockSleep { .. } => 1,
            Kind::LlmCall(_) => Kind::LLM_CALL as usize,
            Kind::FileRead(_) => 3,
            Kind::FileWrite(_) => 4,
            Kind::FileDelete { .. } => 5,
            Kind::ProcessSpawn(_) => Kind::PROCESS_SPAWN as usize,
            Kind::McpJsonRpc(_) => 7,
            Kind::ModelJob { .. } => 8,
            Kind::PayloadRedaction => 9,
            Kind::CacheLookup { .. } => 10,
            Kind::PromptRender { .. } => 11,
            Kind::DecisionEvaluation { .. } => 12,
            Kind::ToolCall(_) => 13,
            Kind::SessionControl { .. } => 14,
            Kind::Unknown => 15,
        }
    }

    pub fn tag(&self) -> &'static str {
        Kind::TAGS[self.index()]
    }

    /// The payloads in the order of writing, each with its key.
    pub fn payloads(&self) -> Vec<(String, &Payload)> {
        let one = |key: &str, payload| (key.to_owned(), payload);
        match self {
            Kind::LlmCall(call) => {
                let mut all = vec![one("response", &call.response)];
                all.extend(call.request.iter().map(|payload| one("request", payload)));
                all.extend(call.messages.iter().enumerate().map(|(at, payload)| (format!("messages[{at}]"), payload)));
                all
            }
            Kind::ProcessSpawn(spawn) => {
                vec![one("stdout_payload", &spawn.stdout_payload), one("stderr_payload", &spawn.stderr_payload)]
            }
            Kind::McpJsonRpc(call) => {
                vec![one("request_payload", &call.request_payload), one("response_payload", &call.response_payload)]
            }
            Kind::CacheLookup { value, .. } => value.iter().map(|payload| one("value", payload)).collect(),
            Kind::PromptRender { rendered, spans, .. } => vec![one("rendered", rendered), one("spans", spans)],
            Kind::DecisionEvaluation { response, .. } => vec![one("response", response)],
            Kind::ToolCall(call) => {
                let mut all = vec![one("outcome", &call.outcome)];
                let contents = call.effects.iter().enumerate();
                all.extend(contents.filter_map(|(at, effect)| {
                    effect.content.as_ref().map(|payload| (format!("effects[{at}].content"), payload))
                }));
                all
            }
            Kind::ModelJob { event, .. } | Kind::SessionControl { event } => vec![one("event", event)],
            Kind::ClockRead { .. }
            | Kind::ClockSleep { .. }
            | Kind::FileRead(_)
            | Kind::FileWrite(_)
            | Kind::FileDelete { .. }
            | Kind::PayloadRedaction
            | Kind::Unknown => Vec::new(),
        }
    }

    /// The payload whose JSON contains the result in a few words, if the kind has one.
    pub fn main_payload(&self) -> Option<&Payload> {
        match self {
            Kind::LlmCall(call) => Some(&call.response),
            Kind::McpJsonRpc(call) => Some(&call.request_payload),
            Kind::DecisionEvaluation { response, .. } => Some(response),
            Kind::ToolCall(call) => Some(&call.outcome),
            Kind::SessionControl { event } => Some(event),
            _ => None,
        }
    }
}

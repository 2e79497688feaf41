//! The state of a run after a record: its clocks, the files it touched, and what it called.

use std::sync::Arc;

use imbl::OrdMap;

use super::event::{Phase, Record};
use super::kind::{Kind, ToolCall};
use super::process::ProcessEntry;
use crate::replay::Seq;

/// All maps are shared, so the cost of cloning does not depend on the length of the tape.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TapeState {
    pub virtual_time_ms: WallClock,
    pub monotonic_ms: i64,
    pub phase: Phase,
    pub files: OrdMap<Arc<str>, File>,
    pub deleted: OrdMap<Arc<str>, Deleted>,
    /// By the event that reported their end.
    pub processes: OrdMap<u32, Process>,
    pub model_calls: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub mcp_servers: OrdMap<Arc<str>, u64>,
    pub mcp_methods: OrdMap<Arc<str>, u64>,
    pub tools: OrdMap<Arc<str>, u64>,
    pub cache_hits: u64,
    pub cache_misses: u64,
    pub redactions: u64,
}

/// Milliseconds since 1970, as the program saw them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WallClock(pub i64);

/// The event that deleted a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Deleted(pub u32);

/// A file as the tape last knew it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct File {
    pub content_hash: Arc<str>,
    pub len_bytes: u64,
    /// The event that last wrote it, if one did.
    pub writer: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub program: Arc<str>,
    pub exit_code: i32,
}

impl TapeState {
    pub(crate) fn apply(&mut self, at: Seq, record: &Record) {
        self.virtual_time_ms = WallClock(record.virtual_time_ms);
        self.monotonic_ms = record.monotonic_ms;
        self.phase = record.phase;
        match &record.kind {
            Kind::LlmCall(_) => {
                let response = record.main_value();
                let tokens = |key: &str| response[key].as_u64().unwrap_or_default();
                self.model_calls = self.model_calls.saturating_add(1);
                self.input_tokens = self.input_tokens.saturating_add(tokens("input_tokens"));
                self.output_tokens = self.output_tokens.saturating_add(tokens("output_tokens"));
            }
            Kind::FileRead(file) => {
                let writer = self.files.get(file.path.as_str()).and_then(|known| known.writer);
                self.touch(&file.path, &file.content_hash, file.len_bytes, writer);
            }
            Kind::FileWrite(file) => self.touch(&file.path, &file.content_hash, file.len_bytes, Some(at.0)),
            Kind::FileDelete { path } => self.delete(path, at),
            Kind::ProcessSpawn(spawn) => {
                let process = Process { program: spawn.program.as_str().into(), exit_code: spawn.exit_code };
                self.processes.insert(at.0, process);
            }
            Kind::McpJsonRpc(call) => {
                count(&mut self.mcp_servers, &call.server);
                count(&mut self.mcp_methods, &call.method);
            }
            Kind::CacheLookup { value: Some(_), .. } => self.cache_hits += 1,
            Kind::CacheLookup { value: None, .. } => self.cache_misses += 1,
            Kind::ToolCall(call) => self.apply_tool(at, call),
            Kind::PayloadRedaction => self.redactions += 1,
            Kind::ClockRead { .. }
            | Kind::ClockSleep { .. }
            | Kind::ModelJob { .. }
            | Kind::PromptRender { .. }
            | Kind::DecisionEvaluation { .. }
            | Kind::SessionControl { .. }
            | Kind::Unknown => {}
        }
    }

    /// A replay that serves the entry advances its clock by the duration of the child.
    pub(crate) fn apply_process(&mut self, at: Seq, entry: &ProcessEntry) {
        self.monotonic_ms = self.monotonic_ms.saturating_add_unsigned(entry.duration_ms);
        let process = Process { program: entry.program.as_str().into(), exit_code: entry.exit_code };
        self.processes.insert(at.0, process);
    }

    fn apply_tool(&mut self, at: Seq, call: &ToolCall) {
        count(&mut self.tools, &call.tool);
        for effect in &call.effects {
            match &effect.content {
                Some(content) => self.touch(&effect.path, content.content_hash(), content.len_bytes(), Some(at.0)),
                None => self.delete(&effect.path, at),
            }
        }
    }

    fn touch(&mut self, path: &str, hash: &str, len_bytes: u64, writer: Option<u32>) {
        self.deleted.remove(path);
        self.files.insert(path.into(), File { content_hash: hash.into(), len_bytes, writer });
    }

    fn delete(&mut self, path: &str, at: Seq) {
        self.files.remove(path);
        self.deleted.insert(path.into(), Deleted(at.0));
    }

    /// The approximate number of entries in its maps.
    pub(crate) fn entries(&self) -> usize {
        let named = self.mcp_servers.len() + self.mcp_methods.len() + self.tools.len();
        self.files.len() + self.deleted.len() + self.processes.len() + named
    }
}

fn count(map: &mut OrdMap<Arc<str>, u64>, name: &str) {
    let before = map.get(name).copied().unwrap_or_default();
    map.insert(name.into(), before.saturating_add(1));
}

//! What is known of a run after a record: its clocks, the files it touched, and whom it called.

use std::sync::Arc;

use imbl::OrdMap;
use serde_json::{Value, json};

use super::kind::{Kind, ToolCall};
use super::label::parsed;
use super::wire::{Phase, Record};
use crate::replay::Seq;

/// Cloning shares all maps, so it costs the same however long the tape is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    pub virtual_time_ms: i64,
    pub monotonic_ms: i64,
    pub phase: Phase,
    pub files: OrdMap<Arc<str>, File>,
    /// Deleted paths, and by which event.
    pub deleted: OrdMap<Arc<str>, u32>,
    /// By the event that told of their end.
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

/// A file as the tape last knew it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub content_hash: Arc<str>,
    pub len_bytes: u64,
    /// The event that last wrote it, if one did.
    pub writer: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    pub program: Arc<str>,
    pub exit_code: i32,
}

impl State {
    pub fn apply(&mut self, at: Seq, record: &Record) {
        self.virtual_time_ms = record.virtual_time_ms;
        self.monotonic_ms = record.monotonic_ms;
        self.phase = record.phase;
        match &record.kind {
            Kind::LlmCall(call) => {
                let response = parsed(&call.response);
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
        self.deleted.insert(path.into(), at.0);
    }

    /// About how many entries its maps hold.
    pub fn entries(&self) -> usize {
        let named = self.mcp_servers.len() + self.mcp_methods.len() + self.tools.len();
        self.files.len() + self.deleted.len() + self.processes.len() + named
    }
}

fn count(map: &mut OrdMap<Arc<str>, u64>, name: &str) {
    let before = map.get(name).copied().unwrap_or_default();
    map.insert(name.into(), before.saturating_add(1));
}

/// One field: its name, its value, and whether two states have the same one.
pub struct Field {
    pub name: &'static str,
    pub value: fn(&State) -> Value,
    pub same: fn(&State, &State) -> bool,
}

/// Shared parts are passed over, so this costs as much as the maps differ.
fn same<K: Ord + Clone, V: Clone + PartialEq>(one: &OrdMap<K, V>, two: &OrdMap<K, V>) -> bool {
    one.ptr_eq(two) || one.diff(two).next().is_none()
}

fn counted(map: &OrdMap<Arc<str>, u64>) -> Value {
    Value::Object(map.iter().map(|(name, count)| (name.to_string(), json!(count))).collect())
}

macro_rules! plain {
    ($($name:ident),*) => {
        [$(Field { name: stringify!($name), value: |state| json!(state.$name), same: |one, two| one.$name == two.$name }),*]
    };
}

macro_rules! counts {
    ($($name:ident),*) => {
        [$(Field { name: stringify!($name), value: |state| counted(&state.$name), same: |one, two| same(&one.$name, &two.$name) }),*]
    };
}

pub static CLOCKS_AND_COUNTS: [Field; 8] = plain![
    virtual_time_ms,
    monotonic_ms,
    model_calls,
    input_tokens,
    output_tokens,
    cache_hits,
    cache_misses,
    redactions
];
pub static CALLED: [Field; 3] = counts![mcp_servers, mcp_methods, tools];
pub static OTHERS: [Field; 4] = [
    Field { name: "phase", value: |state| json!(state.phase.name()), same: |one, two| one.phase == two.phase },
    Field {
        name: "files",
        value: |state| {
            let shown = |file: &File| json!({"content_hash": *file.content_hash, "len_bytes": file.len_bytes, "writer": file.writer});
            Value::Object(state.files.iter().map(|(path, file)| (path.to_string(), shown(file))).collect())
        },
        same: |one, two| same(&one.files, &two.files),
    },
    Field {
        name: "deleted",
        value: |state| Value::Object(state.deleted.iter().map(|(path, at)| (path.to_string(), json!(at))).collect()),
        same: |one, two| same(&one.deleted, &two.deleted),
    },
    Field {
        name: "processes",
        value: |state| {
            let shown = |(at, process): (&u32, &Process)| json!({"at": at, "program": *process.program, "exit_code": process.exit_code});
            Value::Array(state.processes.iter().map(shown).collect())
        },
        same: |one, two| same(&one.processes, &two.processes),
    },
];

/// In the order of [`FIELD_NAMES`].
pub fn fields() -> impl Iterator<Item = &'static Field> {
    CLOCKS_AND_COUNTS.iter().chain(&CALLED).chain(&OTHERS)
}

pub const FIELD_NAMES: &[&str] = &[
    "virtual_time_ms",
    "monotonic_ms",
    "model_calls",
    "input_tokens",
    "output_tokens",
    "cache_hits",
    "cache_misses",
    "redactions",
    "mcp_servers",
    "mcp_methods",
    "tools",
    "phase",
    "files",
    "deleted",
    "processes",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_the_order_of_the_fields() {
        assert!(fields().map(|field| field.name).eq(FIELD_NAMES.iter().copied()));
    }
}

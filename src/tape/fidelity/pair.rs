//! Comparison of two records: the reference's rules by kind, in its order, and our rules for the other kinds.

use std::fmt::Display;

use super::super::event::Record;
use super::super::kind::{FileBytes, Kind, McpJsonRpc, ProcessSpawn, ToolCall};
use super::super::payload::Payload;
use super::Comparators;

/// What must be equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strictness {
    /// Also phases, clocks, durations and lengths.
    Strict,
    Content,
}

/// The differences found so far: category and message.
struct Differences {
    strictness: Strictness,
    found: Vec<(&'static str, String)>,
}

impl Differences {
    fn if_other<T: PartialEq + Display>(&mut self, category: &'static str, what: &str, one: &T, two: &T) {
        self.with_unit(category, what, one, two, "");
    }

    fn with_unit<T: PartialEq + Display>(&mut self, category: &'static str, what: &str, one: &T, two: &T, unit: &str) {
        if one != two {
            self.found.push((category, format!("{what} diverged: recorded={one}{unit} replay={two}{unit}")));
        }
    }

    fn if_strict<T: PartialEq + Display>(&mut self, category: &'static str, what: &str, one: &T, two: &T, unit: &str) {
        if self.strictness == Strictness::Strict {
            self.with_unit(category, what, one, two, unit);
        }
    }

    fn shown<T: PartialEq + std::fmt::Debug>(&mut self, category: &'static str, what: &str, one: &T, two: &T) {
        if one != two {
            self.found.push((category, format!("{what} diverged: recorded={one:?} replay={two:?}")));
        }
    }

    fn files(&mut self, categories: [&'static str; 3], kind: &str, one: &FileBytes, two: &FileBytes) {
        let [path, hash, length] = categories;
        self.if_other(path, &format!("{kind} path"), &one.path, &two.path);
        self.if_other(hash, &format!("{kind} content hash"), &one.content_hash, &two.content_hash);
        self.if_strict(length, &format!("{kind} length"), &one.len_bytes, &two.len_bytes, "");
    }

    fn processes(&mut self, one: &ProcessSpawn, two: &ProcessSpawn) {
        self.if_other("process_program", "subprocess program", &one.program, &two.program);
        self.shown("process_args", "subprocess args", &one.args, &two.args);
        self.shown("process_cwd", "subprocess cwd", &one.cwd, &two.cwd);
        self.if_other("process_exit_code", "subprocess exit code", &one.exit_code, &two.exit_code);
        self.if_strict("process_duration", "subprocess duration", &one.duration_ms, &two.duration_ms, "ms");
        let hashes = (one.stdout_payload.content_hash(), two.stdout_payload.content_hash());
        self.if_other("process_stdout_hash", "subprocess stdout hash", &hashes.0, &hashes.1);
        let hashes = (one.stderr_payload.content_hash(), two.stderr_payload.content_hash());
        self.if_other("process_stderr_hash", "subprocess stderr hash", &hashes.0, &hashes.1);
    }

    fn exchanges(&mut self, one: &McpJsonRpc, two: &McpJsonRpc) {
        self.if_other("mcp_server", "MCP server", &one.server, &two.server);
        self.if_other("mcp_method", "MCP method", &one.method, &two.method);
        self.if_other("mcp_request_digest", "MCP request digest", &one.request_digest, &two.request_digest);
        self.if_other("mcp_response_digest", "MCP response digest", &one.response_digest, &two.response_digest);
        self.if_strict("mcp_latency", "MCP latency", &one.latency_ms, &two.latency_ms, "ms");
        let hashes = (one.request_payload.content_hash(), two.request_payload.content_hash());
        self.if_other("mcp_request_hash", "MCP request hash", &hashes.0, &hashes.1);
        let hashes = (one.response_payload.content_hash(), two.response_payload.content_hash());
        self.if_other("mcp_response_hash", "MCP response hash", &hashes.0, &hashes.1);
    }
}

impl Differences {
    /// Compares the kinds that the reference does not.
    fn gaps(&mut self, (one, one_record): (&Kind, &Record), (two, two_record): (&Kind, &Record)) {
        match (one, two) {
            (Kind::ToolCall(one), Kind::ToolCall(two)) => self.tools(one, two),
            (
                Kind::PromptRender { template_uri, rendered, .. },
                Kind::PromptRender { template_uri: other_uri, rendered: other, .. },
            ) => {
                self.if_other("prompt_render_template", "prompt template", template_uri, other_uri);
                self.payloads("prompt_render_hash", "rendered prompt hash", Some(rendered), Some(other));
            }
            (
                Kind::CacheLookup { namespace, key, value, .. },
                Kind::CacheLookup { namespace: other_namespace, key: other_key, value: other, .. },
            ) => {
                self.if_other("cache_namespace", "cache namespace", namespace, other_namespace);
                self.if_other("cache_key", "cache key", key, other_key);
                self.payloads("cache_value_hash", "cache value hash", value.as_ref(), other.as_ref());
            }
            (Kind::SessionControl { event }, Kind::SessionControl { event: other }) => {
                self.payloads("session_control_hash", "session control hash", Some(event), Some(other));
            }
            (Kind::ModelJob { event, .. }, Kind::ModelJob { event: other, .. }) => {
                self.payloads("model_job_hash", "model job event hash", Some(event), Some(other));
            }
            (Kind::Unknown, Kind::Unknown) => {
                self.if_other("unknown_kind", "unknown record kind", &one_record.tag(), &two_record.tag());
            }
            // Markers have no content that could differ.
            _ => {}
        }
    }

    fn tools(&mut self, one: &ToolCall, two: &ToolCall) {
        self.if_other("tool_name", "tool", &one.tool, &two.tool);
        self.if_other("tool_args_digest", "tool args digest", &one.args_digest, &two.args_digest);
        self.payloads("tool_outcome_hash", "tool outcome hash", Some(&one.outcome), Some(&two.outcome));
        let effects = |call: &ToolCall| -> Vec<(String, String)> {
            let hash = |content: &Option<Payload>| match content {
                Some(payload) => payload.content_hash().to_owned(),
                None => "deleted".to_owned(),
            };
            call.effects.iter().map(|effect| (effect.path.clone(), hash(&effect.content))).collect()
        };
        self.shown("tool_effects", "tool effects", &effects(one), &effects(two));
    }

    fn payloads(&mut self, category: &'static str, what: &str, one: Option<&Payload>, two: Option<&Payload>) {
        let name = |payload: Option<&Payload>| {
            payload.map_or_else(|| "none".to_owned(), |known| known.content_hash().to_owned())
        };
        self.if_other(category, what, &name(one), &name(two));
    }
}

/// The differences between two records, in order.
pub(super) fn compare_pair(
    one: &Record,
    two: &Record,
    strictness: Strictness,
    comparators: Comparators,
) -> Vec<(&'static str, String)> {
    let mut differences = Differences { strictness, found: Vec::new() };
    let tags = (one.kind.tag(), two.kind.tag());
    if tags.0 != tags.1 {
        differences.if_other("kind_mismatch", "record kind", &tags.0, &tags.1);
        return differences.found;
    }
    if strictness == Strictness::Strict {
        differences.if_other("phase_mismatch", "record phase", &one.phase.name(), &two.phase.name());
        let times = (one.virtual_time_ms, two.virtual_time_ms);
        differences.if_other("virtual_time_drift", "virtual_time_ms", &times.0, &times.1);
        differences.if_other("monotonic_drift", "monotonic_ms", &one.monotonic_ms, &two.monotonic_ms);
    }
    match (&one.kind, &two.kind) {
        (Kind::ClockRead { source, value_ms }, Kind::ClockRead { source: other_source, value_ms: other_value }) => {
            differences.shown("clock_read_source", "clock_read source", source, other_source);
            differences.if_other("clock_read_value", "clock_read value_ms", value_ms, other_value);
        }
        (Kind::ClockSleep { duration_ms }, Kind::ClockSleep { duration_ms: other }) => {
            differences.with_unit("clock_sleep_duration", "sleep duration", duration_ms, other, "ms");
        }
        (Kind::LlmCall(one), Kind::LlmCall(two)) => {
            differences.if_other("llm_request_digest", "LLM request digest", &one.request_digest, &two.request_digest);
            let hashes = (one.response.content_hash(), two.response.content_hash());
            differences.if_other("llm_response_hash", "LLM response hash", &hashes.0, &hashes.1);
        }
        (
            Kind::DecisionEvaluation { request_digest, response },
            Kind::DecisionEvaluation { request_digest: other_digest, response: other_response },
        ) => {
            differences.if_other("llm_request_digest", "LLM request digest", request_digest, other_digest);
            let hashes = (response.content_hash(), other_response.content_hash());
            differences.if_other("llm_response_hash", "LLM response hash", &hashes.0, &hashes.1);
        }
        (Kind::FileRead(one), Kind::FileRead(two)) => {
            differences.files(["file_read_path", "file_read_hash", "file_read_len"], "file_read", one, two);
        }
        (Kind::FileWrite(one), Kind::FileWrite(two)) => {
            differences.files(["file_write_path", "file_write_hash", "file_write_len"], "file_write", one, two);
        }
        (Kind::FileDelete { path }, Kind::FileDelete { path: other }) => {
            differences.if_other("file_delete_path", "file_delete path", path, other);
        }
        (Kind::ProcessSpawn(one), Kind::ProcessSpawn(two)) => differences.processes(one, two),
        (Kind::McpJsonRpc(one), Kind::McpJsonRpc(two)) => differences.exchanges(one, two),
        (one_kind, two_kind) if comparators == Comparators::All => differences.gaps((one_kind, one), (two_kind, two)),
        (Kind::Unknown, _) => {
            let message = "encountered an unknown record kind — produced by a newer harn-vm version";
            differences.found.push(("unknown_kind", message.to_owned()));
        }
        // The reference has no comparison for the other kinds and reports that, even if they are equal.
        (kind, _) => {
            let message = format!("no comparator wired for record kind `{}`", kind.tag());
            differences.found.push(("comparator_gap", message));
        }
    }
    differences.found
}

//! One record held against another: the reference's rules, kind by kind, in its order.

use std::fmt::Display;

use super::super::kind::{FileBytes, Kind, McpJsonRpc, ProcessSpawn};
use super::super::wire::Record;

/// What has to be equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// Also phases, clocks, durations and lengths.
    Strict,
    Content,
}

/// Differences as they are found: a category and its sentence.
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

/// The differences of two records, in order.
pub fn compare_pair(one: &Record, two: &Record, strictness: Strictness) -> Vec<(&'static str, String)> {
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
        (Kind::Unknown, _) => {
            let message = "encountered an unknown record kind — produced by a newer harn-vm version";
            differences.found.push(("unknown_kind", message.to_owned()));
        }
        // The reference has no comparison for the others and says so, also where they are equal.
        (kind, _) => {
            let message = format!("no comparator wired for record kind `{}`", kind.tag());
            differences.found.push(("comparator_gap", message));
        }
    }
    differences.found
}

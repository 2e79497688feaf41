//! Records of a tape as rows of the event list, and their outcomes.

use serde::Deserialize;
use serde_json::Value;

use super::event::{Line, Record};
use super::kind::{ClockSource, Kind, ToolCall};
use super::summary::{moment, summary};
use crate::replay::caption::{Caption, Outcome, asked_value, brief, duration, size, tokens};

pub(crate) fn caption(line: &Line) -> Caption {
    match line {
        Line::Header(_) => Caption::new("", summary(line)).minor(),
        Line::Record(record) => of_record(record),
        Line::Process(entry) => of_process(&entry.program, &entry.args, entry.exit_code, entry.duration_ms),
    }
}

fn of_record(record: &Record) -> Caption {
    match &record.kind {
        Kind::ClockRead { source: ClockSource::Wall, value_ms } => {
            Caption::new("", "wall").measure(moment(*value_ms)).minor()
        }
        Kind::ClockRead { source: ClockSource::Monotonic, value_ms } => {
            Caption::new("", "monotonic").measure(format!("{value_ms} ms")).minor()
        }
        Kind::ClockSleep { duration_ms } => Caption::new("", "").measure(duration(*duration_ms)).minor(),
        Kind::LlmCall(_) => of_answer(&record.main_value()),
        Kind::FileRead(file) => Caption::new("", &*file.path).measure(size(file.len_bytes)),
        Kind::FileWrite(file) => Caption::new("", &*file.path).measure(size(file.len_bytes)),
        Kind::FileDelete { path } => Caption::new("", &**path),
        Kind::ProcessSpawn(spawn) => of_process(&spawn.program, &spawn.args, spawn.exit_code, spawn.duration_ms),
        Kind::McpJsonRpc(call) => {
            let request = record.main_value();
            let name = request["params"]["name"].as_str().unwrap_or_default();
            let asked = request["params"].get("arguments").map(asked_value).unwrap_or_default();
            let text = [call.method.as_str(), name, &asked].join(" ");
            Caption::new(&*call.server, text.trim()).measure(duration(call.latency_ms))
        }
        Kind::ModelJob { job_id, state, backend, .. } => Caption::new("", &**backend).result(&**state).ids(&**job_id),
        Kind::PayloadRedaction => Caption::new("", "a secret was removed from the next record"),
        Kind::CacheLookup { namespace, key, value, .. } => {
            let what = if namespace == "harn.read" { String::new() } else { format!("{namespace} ") };
            Caption::new("", format!("{what}{key}")).result(if value.is_some() { "" } else { "miss" }).minor()
        }
        Kind::PromptRender { template_uri, rendered, .. } => {
            Caption::new("prompt", &**template_uri).measure(size(rendered.len_bytes())).minor()
        }
        Kind::DecisionEvaluation { .. } => {
            let response = record.main_value();
            let answers = response.get("answers").map(asked_value).unwrap_or_default();
            Caption::new("", brief(&answers)).result(response["outcome"]["kind"].as_str().unwrap_or_default())
        }
        Kind::ToolCall(call) => of_tool(call, &record.main_value()),
        Kind::SessionControl { .. } => {
            let event = record.main_value();
            Caption::new("client", event["method"].as_str().or(event["event"].as_str()).unwrap_or_default())
        }
        Kind::Unknown => Caption::new("", record.tag()),
    }
}

fn of_process(program: &str, args: &[String], exit_code: i32, duration_ms: u64) -> Caption {
    let result = if exit_code == 0 { String::new() } else { format!("exit {exit_code}") };
    Caption::new(program, brief(&args.join(" "))).result(result).measure(duration(duration_ms))
}

fn of_answer(response: &Value) -> Caption {
    let calls = response["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default();
    let names: Vec<&str> = calls.iter().filter_map(|call| call["name"].as_str()).collect();
    let result = if names.is_empty() { String::new() } else { format!("calls {}", names.join(", ")) };
    let measure = match (response["input_tokens"].as_u64(), response["output_tokens"].as_u64()) {
        (Some(input), Some(output)) => tokens(input, output),
        _ => String::new(),
    };
    let model = response["model"].as_str().unwrap_or_default();
    Caption::new("model", brief(response["text"].as_str().unwrap_or_default()))
        .result(result)
        .measure(measure)
        .ids(model)
}

fn of_tool(call: &ToolCall, outcome: &Value) -> Caption {
    let value = &outcome["value"];
    let asked = value.get("arguments").map(asked_value).unwrap_or_default();
    let text = |name: &str| value[name].as_str().or(outcome[name].as_str()).map(brief);
    let result = text("error").or_else(|| text("message")).or_else(|| text("result"));
    let result = result.or_else(|| value.as_str().map(brief)).unwrap_or_default();
    let measure = value["execution_duration_ms"].as_u64().map(duration).unwrap_or_default();
    Caption::new(&*call.tool, asked).result(result).measure(measure).ids(&*call.call_id)
}

/// Only the kind of a tool's outcome.
#[derive(Deserialize)]
struct OutcomeKind {
    kind: String,
}

pub(crate) fn outcome(line: &Line) -> Option<Outcome> {
    let success = |is_success: bool| Some(if is_success { Outcome::Success } else { Outcome::Error });
    let record = match line {
        Line::Header(_) => return None,
        Line::Process(entry) => return success(entry.exit_code == 0),
        Line::Record(record) => record,
    };
    match &record.kind {
        Kind::ProcessSpawn(spawn) => success(spawn.exit_code == 0),
        Kind::ToolCall(_) => {
            let outcome: OutcomeKind = serde_json::from_str(record.main_text()?).ok()?;
            match outcome.kind.as_str() {
                "denied" | "blocked" => Some(Outcome::Denied),
                "timeout" => Some(Outcome::Timeout),
                kind => success(kind == "ok"),
            }
        }
        Kind::ModelJob { state, .. } => match state.as_str() {
            "succeeded" | "completed" => Some(Outcome::Success),
            "failed" | "cancelled" | "canceled" | "expired" => Some(Outcome::Error),
            _ => Some(Outcome::Running),
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(kind: &str) -> (Caption, Option<Outcome>) {
        let line = format!(r#"{{"type":"record","seq":0,"virtual_time_ms":0,"monotonic_ms":0,"kind":{kind}}}"#);
        let line = Line::parse_any(&line).expect("a record");
        (caption(&line), outcome(&line))
    }

    #[test]
    fn processes_and_tools_are_told_with_their_outcomes() {
        let empty = r#"{"content_hash":"x","text":""}"#;
        let process = |code: i32| {
            told(&format!(
                r#"{{"kind":"process_spawn","program":"git","args":["push","-f"],"cwd":null,"exit_code":{code},"duration_ms":70,"stdout_payload":{empty},"stderr_payload":{empty}}}"#
            ))
        };
        assert_eq!(process(0), (Caption::new("git", "push -f").measure("70 ms"), Some(Outcome::Success)));
        assert_eq!(
            process(1),
            (Caption::new("git", "push -f").result("exit 1").measure("70 ms"), Some(Outcome::Error))
        );
        let outcome = r#"{\"kind\":\"ok\",\"value\":{\"arguments\":{\"name\":\"tides\"},\"result\":\"saved\",\"execution_duration_ms\":6}}"#;
        let (caption, outcome) = told(&format!(
            r#"{{"kind":"tool_call","call_id":"c","tool":"save","args_digest":"d","after_calls":1,"outcome":{{"content_hash":"x","text":"{outcome}"}}}}"#
        ));
        assert_eq!(caption, Caption::new("save", "tides").result("saved").measure("6 ms").ids("c"));
        assert_eq!(outcome, Some(Outcome::Success));
    }

    #[test]
    fn an_answer_is_told_by_its_text_and_its_calls() {
        let response = r#"{\"text\":\"Saving.\",\"tool_calls\":[{\"name\":\"save\"}],\"input_tokens\":120,\"output_tokens\":30,\"model\":\"m\"}"#;
        let (caption, outcome) = told(&format!(
            r#"{{"kind":"llm_call","request_digest":"d","response":{{"content_hash":"x","text":"{response}"}}}}"#
        ));
        assert_eq!(caption, Caption::new("model", "Saving.").result("calls save").measure("120→30 tok").ids("m"));
        assert_eq!(outcome, None);
    }
}

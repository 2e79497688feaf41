//! One-line summaries of a tape's records.

use serde_json::Value;

use super::event::{Line, Record};
use super::kind::{ClockSource, Kind, ToolCall};
use crate::replay::caption::size;

pub(crate) fn summary(line: &Line) -> String {
    match line {
        Line::Header(line) => {
            let script = line.header.script_path.as_deref().unwrap_or("-");
            format!("version {}, {script}", line.header.version)
        }
        Line::Record(record) => of_record(record),
        Line::Process(entry) => of_process(&entry.program, &entry.args, entry.exit_code, entry.duration_ms),
    }
}

fn of_record(record: &Record) -> String {
    match &record.kind {
        Kind::ClockRead { source: ClockSource::Wall, value_ms } => format!("read wall clock → {}", moment(*value_ms)),
        Kind::ClockRead { source: ClockSource::Monotonic, value_ms } => format!("read monotonic clock → {value_ms} ms"),
        Kind::ClockSleep { duration_ms } => format!("sleep {duration_ms} ms"),
        Kind::LlmCall(_) => of_call(&record.main_value()),
        Kind::FileRead(file) => format!("read {} ({})", file.path, bytes_named(file.len_bytes, &file.content_hash)),
        Kind::FileWrite(file) => format!("write {} ({})", file.path, bytes_named(file.len_bytes, &file.content_hash)),
        Kind::FileDelete { path } => format!("delete {path}"),
        Kind::ProcessSpawn(spawn) => of_process(&spawn.program, &spawn.args, spawn.exit_code, spawn.duration_ms),
        Kind::McpJsonRpc(call) => {
            let request = record.main_value();
            let name = request["params"]["name"].as_str().map_or_else(String::new, |name| format!(" {name}"));
            format!("mcp {} {}{name} ({} ms)", call.server, call.method, call.latency_ms)
        }
        Kind::ModelJob { job_id, state, .. } => format!("job {job_id}: {state}"),
        Kind::PayloadRedaction => "secret removed".to_owned(),
        Kind::CacheLookup { namespace, key, value, .. } => match (namespace.as_str(), value) {
            ("harn.read", _) => format!("read {key}"),
            (namespace, Some(_)) => format!("cache {namespace} hit"),
            (namespace, None) => format!("cache {namespace} miss"),
        },
        Kind::PromptRender { template_uri, rendered, .. } => {
            format!("render {template_uri} ({})", size(rendered.len_bytes()))
        }
        Kind::DecisionEvaluation { .. } => {
            format!("evaluation → {}", record.main_value()["outcome"]["kind"].as_str().unwrap_or("?"))
        }
        Kind::ToolCall(call) => of_tool(call, &record.main_value()),
        Kind::SessionControl { .. } => {
            let event = record.main_value();
            format!("client {}", event["method"].as_str().or(event["event"].as_str()).unwrap_or("?"))
        }
        Kind::Unknown => format!("unknown ({})", record.tag()),
    }
}

fn of_process(program: &str, args: &[String], exit_code: i32, duration_ms: u64) -> String {
    let words: Vec<&str> = std::iter::once(program).chain(args.iter().map(String::as_str)).collect();
    format!("run {} → exit {exit_code} ({duration_ms} ms)", words.join(" "))
}

fn of_call(response: &Value) -> String {
    let tokens = |key: &str| response[key].as_u64().map_or_else(|| "?".to_owned(), |count| count.to_string());
    let mut label = format!("model call {}", response["model"].as_str().unwrap_or("?"));
    label.push_str(&format!(", {}→{} tokens", tokens("input_tokens"), tokens("output_tokens")));
    if let Some(stop) = response["stop_reason"].as_str() {
        label.push_str(&format!(", stop={stop}"));
    }
    label
}

fn of_tool(call: &ToolCall, outcome: &Value) -> String {
    let changed = match call.effects.len() {
        0 => String::new(),
        1 => ", 1 file changed".to_owned(),
        count => format!(", {count} files changed"),
    };
    format!("tool {} → {}{changed}", call.tool, outcome["kind"].as_str().unwrap_or("not kept"))
}

pub(crate) fn bytes_named(length: u64, hash: &str) -> String {
    let begin: String = hash.chars().take(4).collect();
    format!("{}, {begin}…", size(length))
}

/// A time in milliseconds since 1970, as UTC.
pub(crate) fn moment(unix_ms: i64) -> String {
    const DAY_MS: i64 = 86_400_000;
    let (day, in_day) = (unix_ms.div_euclid(DAY_MS), unix_ms.rem_euclid(DAY_MS));
    let (year, month, day) = civil(day);
    let (seconds, ms) = (in_day / 1000, in_day % 1000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z")
}

/// Year, month and day of a day since 1970. Years start in March, so that a leap day is the last day of its year, and
/// are grouped in spans of 400, after which the calendar repeats.
fn civil(day: i64) -> (i64, i64, i64) {
    const SPAN_DAYS: i64 = 146_097;
    // Counted from March 1 of the year 0.
    let day = day + 719_468;
    let (span, in_span) = (day.div_euclid(SPAN_DAYS), day.rem_euclid(SPAN_DAYS));
    let year = (in_span - in_span / 1460 + in_span / 36_524 - in_span / 146_096) / 365;
    let in_year = in_span - (365 * year + year / 4 - year / 100);
    let month = (5 * in_year + 2) / 153;
    let day_of_month = in_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (year + span * 400 + next, month, day_of_month)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_dates_of_the_calendar() {
        assert_eq!(moment(1_767_225_600_250), "2026-01-01T00:00:00.250Z");
        assert_eq!(moment(951_782_400_000), "2000-02-29T00:00:00.000Z");
        assert_eq!(moment(-1), "1969-12-31T23:59:59.999Z");
        // The ends of the range work, too.
        assert!(!moment(i64::MIN).is_empty() && !moment(i64::MAX).is_empty());
    }
}

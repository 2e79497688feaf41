//! Generated logs for the benchmarks.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Random numbers, the same every time.
fn numbers() -> impl FnMut() -> u64 {
    let mut random = 7_u64;
    move || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    }
}

fn words(count: u64, next: &mut dyn FnMut() -> u64) -> String {
    const WORDS: [&str; 12] =
        ["the", "turn", "reads", "its", "log", "and", "every", "step", "can", "be", "seen", "again"];
    let mut text = String::new();
    for _ in 0..count {
        let _ = write!(text, "{} ", WORDS[(next() % 12) as usize]);
    }
    text
}

/// Writes a session log of one run without findings: model answers, gated and approved calls, agents, memory, signals.
#[allow(dead_code, reason = "only one benchmark uses it")]
pub(crate) fn write_session(path: &Path, events: u32) {
    let mut out = BufWriter::new(File::create(path).expect("a file"));
    let mut next = numbers();
    let mut seq = 0;
    let mut emit = |event: String| {
        writeln!(out, r#"{{"seq":{seq},"event":{event}}}"#).expect("written");
        seq += 1;
        seq
    };
    let labels = |category: &str, primitive: &str| format!(r#""category":"{category}","primitive":"{primitive}""#);
    let (sched, mm) = (labels("sched", "sched"), labels("mm", "mm"));
    emit(r#"{"kind":"run_started","run_id":"run-1","goal":"go"}"#.to_owned());
    let (mut turn, mut count) = (0, 0);
    while count + 1 < events {
        turn += 1;
        let (text, call) = (words(8 + next() % 30, &mut next), format!("call-{turn}"));
        let asked = format!(
            r#"[{{"id":"{call}","name":"read_file","arguments":{{"path":"src/file_{}.rs","query":"{}"}}}}]"#,
            next(),
            words(6, &mut next)
        );
        emit(format!(
            r#"{{"kind":"llm_completed","turn":{turn},"message":{{"role":"assistant","content":"{text}","tool_calls":{asked},"token_count":80}}}}"#
        ));
        if next().is_multiple_of(4) {
            let gate = labels("syscall", "syscall");
            emit(format!(
                r#"{{"kind":"tool_gated","turn":{turn},"call_id":"{call}","tool":"read_file","reason":"ask_user",{gate}}}"#
            ));
            emit(format!(
                r#"{{"kind":"suspended","turn":{turn},"reason":"ask_user","pending_calls":["{call}"],{sched}}}"#
            ));
            emit(format!(r#"{{"kind":"resumed","turn":{turn},"approved":["{call}"],"denied":[],{sched}}}"#));
        }
        emit(format!(r#"{{"kind":"tool_requested","turn":{turn},"calls":{asked}}}"#));
        let text = words(10 + next() % 60, &mut next);
        emit(format!(
            r#"{{"kind":"tool_completed","turn":{turn},"results":[{{"call_id":"{call}","output":"{text}","is_error":false,"is_fatal":false}}]}}"#
        ));
        count = emit(format!(
            r#"{{"kind":"memory_written","turn":{turn},"memory_id":"m-{turn}","memory_kind":"project","size_bytes":{},{mm}}}"#,
            next() % 4096
        ));
    }
    emit(format!(r#"{{"kind":"run_terminal","reason":"completed","turns_used":{turn},"total_tokens":7}}"#));
    out.flush().expect("written");
}

/// Writes a log of reads and edits without findings, the same every time.
pub(crate) fn write(path: &Path, events: u32, turns: u32) {
    let mut out = BufWriter::new(File::create(path).expect("a file"));
    let mut next = numbers();
    let mut written = 0;
    for turn in 0..turns {
        let until = (u64::from(events) * u64::from(turn + 1) / u64::from(turns)) as u32;
        let id = format!("turn-{turn:05}");
        let mut emit = |line: String| {
            written += 1;
            writeln!(out, "{line}").expect("written");
            written
        };
        emit(format!(
            r#"{{"event_type":"turn_started","turn_id":"{id}","mode":"agent","input_text":"go","max_steps":100000000}}"#
        ));
        let (mut step, mut count) = (0, 0);
        while count + 1 < until {
            step += 1;
            emit(format!(
                r#"{{"event_type":"model_request_issued","turn_id":"{id}","step_idx":{step},"request_fp":{{"static_prefix_sha256":"{:064x}","full_prefix_sha256":"{:064x}"}},"token_budget":32000}}"#,
                next(),
                next()
            ));
            let text = words(8 + next() % 30, &mut next);
            count = emit(format!(
                r#"{{"event_type":"model_message","turn_id":"{id}","step_idx":{step},"usage":{{"input_tokens":900,"output_tokens":80}},"block_count":2,"text_preview":"{text}"}}"#
            ));
            for call in 0..1 + next() % 3 {
                let writes = next().is_multiple_of(4);
                let tool = if writes { "edit_file" } else { "read_file" };
                let (file, query) = (next(), words(6, &mut next));
                emit(format!(
                    r#"{{"event_type":"tool_call_planned","turn_id":"{id}","step_idx":{step},"call_id":"call-{step}-{call}","tool_name":"{tool}","input_json":"{{\"path\": \"src/file_{file}.rs\", \"query\": \"{query}\"}}","decision":{{"approval_required":{writes},"parallel_eligible":true,"read_only":{}}}}}"#,
                    !writes
                ));
                emit(format!(
                    r#"{{"event_type":"tool_call_started","turn_id":"{id}","call_id":"call-{step}-{call}","wave_idx":0}}"#
                ));
                let text = words(10 + next() % 60, &mut next);
                count = emit(format!(
                    r#"{{"event_type":"tool_call_finished","turn_id":"{id}","call_id":"call-{step}-{call}","tool_name":"{tool}","outcome":"success","duration_ms":12,"wrote_state":{writes},"result_preview":"{text}"}}"#
                ));
            }
        }
        emit(format!(r#"{{"event_type":"turn_ended","turn_id":"{id}","outcome":"completed","total_steps":{step}}}"#));
    }
    out.flush().expect("written");
}

//! Replaying tapes as the timeline does, over every sample.

use std::fs;

use crate::tests::tapes::{all, folders, load};
use serde_json::{Value, json};
use stepback::loader::Loaded;
use stepback::loader::check_results::check_log;
use stepback::log::{Log, Options};
use stepback::replay::Seq;
use stepback::replay::finding::Finding;
use stepback::replay::machine::Machine;
use stepback::replay::vocabulary::FieldId;
use stepback::tape::checker::check_tape;
use stepback::tape::decode::Decoder;
use stepback::tape::event::Phase;
use stepback::tape::header::Header;
use stepback::tape::kind::{Kind, LlmCall};
use stepback::tape::machine::{EventTape, VOCABULARY};
use stepback::tape::recorder::{Clocks, Recorder};
use stepback::tape::state::TapeState;
use stepback::tape::store::TapeFile;

/// The state after a sample, its effects, and its summaries.
fn replayed(name: &str) -> (TapeState, Vec<String>, Vec<String>) {
    let text = fs::read_to_string(folders()[0].join(format!("{name}.tape"))).expect("text");
    let (mut state, mut effects, mut labels) = (TapeState::default(), Vec::new(), Vec::new());
    for (line, at) in text.lines().skip(1).zip(0..) {
        let event = EventTape::decode(&mut Decoder::default(), line.as_bytes()).expect("an event");
        let before = state.clone();
        EventTape::effects(&before, &event, &mut |effect, shown| {
            let name = VOCABULARY.effect_name(effect);
            assert_eq!(shown.to_json()["kind"], name);
            effects.push(name.to_owned());
        });
        let changed = EventTape::apply_with_changes(&mut state, Seq(at), &event);
        for field in VOCABULARY.field_ids() {
            let differs = EventTape::value(&before, field) != EventTape::value(&state, field);
            assert_eq!(changed.contains(field), differs, "{name} {at} {}", VOCABULARY.field_name(field));
        }
        labels.push(EventTape::summary(&event));
    }
    (state, effects, labels)
}

fn value(state: &TapeState, field: &str) -> Value {
    EventTape::value(state, VOCABULARY.field(field).expect("a field"))
}

#[test]
fn the_sample_with_every_kind_is_replayed() {
    let (state, effects, labels) = replayed("kinds");
    assert_eq!(value(&state, "phase"), "runtime_finalize");
    assert_eq!(value(&state, "virtual_time_ms"), 1_767_225_600_040_i64);
    assert_eq!(value(&state, "model_calls"), 1);
    assert_eq!((value(&state, "input_tokens"), value(&state, "output_tokens")), (json!(5), json!(1)));
    assert_eq!(value(&state, "mcp_servers"), json!({"tracker": 1}));
    assert_eq!(value(&state, "tools"), json!({"write_file": 1}));
    assert_eq!(value(&state, "deleted"), json!({"/repo/out.txt": 5, "old.png": 9}));
    assert_eq!(value(&state, "processes"), json!([{"at": 6, "program": "git", "exit_code": 0}]));
    assert_eq!(value(&state, "files")["/repo/summary.txt"]["writer"], 17);
    assert_eq!(value(&state, "files")["/repo/in.txt"]["writer"], Value::Null);
    assert_eq!((value(&state, "cache_hits"), value(&state, "cache_misses")), (json!(1), json!(1)));
    let asked =
        ["sleep", "write", "delete", "spawn", "mcp_call", "model_call", "tool", "evaluation", "model_job", "write"];
    assert_eq!(effects, asked);
    let expected = [
        "read wall clock → 2026-01-01T00:00:00.000Z",
        "read monotonic clock → 0 ms",
        "sleep 40 ms",
        "read /repo/in.txt (3 B, 21b7…)",
        "write /repo/out.txt (4 B, 8870…)",
        "delete /repo/out.txt",
        "run git status --short → exit 0 (12 ms)",
        "mcp tracker tools/call find (35 ms)",
        "model call m-1, 5→1 tokens, stop=end_turn",
        "tool write_file → ok, 2 files changed",
        "render prompts/review.harn.prompt (38 B)",
        "read env.get [\"HOME\"]",
        "cache replies miss",
        "evaluation → answered",
        "job job-1: succeeded",
        "client session/prompt",
    ];
    assert_eq!(labels[..expected.len()], expected);
}

#[test]
fn a_loaded_tape_has_the_results_of_the_whole_tape() {
    for (folder, name) in all(".tape").into_iter().filter(|(_, name)| !name.starts_with("bad-")) {
        let (tape, stored) = load(&folder, &name);
        let path = folder.join(format!("{name}.tape"));
        let log = Log::open(&path, &Options::default()).expect("a log");
        assert_eq!((log.dialect.name, log.head.is_some()), ("tape", true), "{name}");
        let loaded = Loaded::begin_log_only(log, false).expect("a pass");
        loaded.wait_to_end(|_| ()).expect("an end");
        let replay = loaded.replay();
        let torn = u32::from(tape.torn.is_some());
        assert_eq!(replay.len(), tape.records.len() as u32 + torn, "{name}");
        let mut expected: Vec<Finding> = check_tape(&tape, &stored);
        expected.sort_by(|one, two| one.order().cmp(&two.order()));
        let found: Vec<Finding> = replay.findings().list.iter().map(|finding| Finding::clone(finding)).collect();
        assert_eq!(found, expected, "{name}");
        for (record, at) in tape.records.iter().zip(0..) {
            let moment = replay.moment(Seq(at)).expect("a record").expect("a moment");
            assert_eq!(VOCABULARY.kind_name(moment.kind), record.kind.tag(), "{name} {at}");
            assert_eq!(moment.sides.after(FieldId(0)), record.virtual_time_ms, "{name} {at}");
        }
    }
}

#[test]
fn a_stored_answer_shows_its_tokens() {
    let temp = tempfile::tempdir().expect("a folder");
    let path = temp.path().join("long.tape");
    let answer = json!({"model": "m-2", "input_tokens": 7, "output_tokens": 9, "text": "x".repeat(5000)}).to_string();
    let mut recorder =
        Recorder::begin(Header::default(), TapeFile::create_new(&path).expect("a tape")).expect("a head");
    let response = recorder.payload(answer.as_bytes()).expect("a payload");
    assert!(response.text().is_none(), "it is in the store");
    let call = LlmCall {
        request_digest: "d".to_owned(),
        response,
        call_index: None,
        request: None,
        messages: vec![],
        attribution: None,
    };
    recorder.record(Phase::UserScript, Clocks::default(), Kind::LlmCall(call)).expect("a record");
    recorder.end().finish().expect("a tape");
    let log = Log::open(&path, &Options::default()).expect("a log");
    let loaded = Loaded::begin_log_only(log, false).expect("a pass");
    loaded.wait_to_end(|_| ()).expect("an end");
    let moment = loaded.replay().moment(Seq(0)).expect("a record").expect("a moment");
    assert_eq!(moment.summary, "model call m-2, 7→9 tokens");
    assert_eq!(moment.sides.after(VOCABULARY.field("output_tokens").expect("a field")), 9);
}

#[test]
fn a_tape_that_is_replaced_is_read_through_its_open_handle() {
    let temp = tempfile::tempdir().expect("a folder");
    let (path, other) = (temp.path().join("a.tape"), temp.path().join("b.tape"));
    fs::copy("fixtures/tape/notes-good.tape", &path).expect("a tape");
    let annotations = "fixtures/tape/notes-good.tape.annotations.jsonl";
    fs::copy(annotations, temp.path().join("a.tape.annotations.jsonl")).expect("annotations");
    // The other tape refers to payloads that it does not have.
    fs::copy("fixtures/tape/every-kind.tape", &other).expect("a tape");
    let open = || Log::open(&path, &Options::default()).expect("a log");
    let results = |log: Log| {
        let loaded = Loaded::begin_log_only(log, false).expect("a pass");
        loaded.wait_to_end(|_| ()).expect("an end");
        let findings: Vec<String> = loaded.replay().findings().list.iter().map(|found| found.fingerprint()).collect();
        let checked = {
            let (log, sidecars) = loaded.log().expect("the log");
            let head = log.head.clone().expect("a head").bytes;
            let checked = check_log(&log, &*sidecars, &|_| {}).expect("checked");
            (head, checked.records, checked.findings.iter().map(Finding::fingerprint).collect::<Vec<_>>())
        };
        (loaded.replay().len(), findings, loaded.notes().as_ref().clone(), checked)
    };
    let expected = results(open());
    let log = open();
    fs::rename(&other, &path).expect("replaced");
    assert_eq!(results(log), expected);
    assert_ne!(results(open()), expected, "the name refers to the other tape now");
}

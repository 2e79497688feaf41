//! Tapes stepped as the timeline steps them, over every sample.

#[path = "support/tapes.rs"]
mod tapes;

use std::fs;

use serde_json::{Value, json};
use stepback::replay::Seq;
use stepback::replay::machine::Machine;
use stepback::tape::judge::judge;
use stepback::tape::machine::{EventTape, Ledger, VOCABULARY};
use stepback::tape::state::State;
use tapes::{folder, load, names};

/// The state after a sample, what stepping over it asked for, and its lines for people.
fn replayed(name: &str) -> (State, Vec<String>, Vec<String>) {
    let text = fs::read_to_string(folder().expect("a folder").join(format!("{name}.tape"))).expect("text");
    let (mut state, mut effects, mut labels) = (State::default(), Vec::new(), Vec::new());
    for (line, at) in text.lines().zip(0..) {
        let event = EventTape::decode(&mut (), line.as_bytes()).expect("an event");
        let before = state.clone();
        EventTape::effects(&before, &event, &mut |effect, shown| {
            let name = VOCABULARY.effect_name(effect);
            assert_eq!(shown.to_json()["kind"], name);
            effects.push(name.to_owned());
        });
        let changed = EventTape::apply_telling(&mut state, Seq(at), &event);
        for field in VOCABULARY.field_ids() {
            let differs = EventTape::value(&before, field) != EventTape::value(&state, field);
            assert_eq!(changed.contains(field), differs, "{name} {at} {}", VOCABULARY.field_name(field));
        }
        labels.push(EventTape::summary(&event));
    }
    (state, effects, labels)
}

fn value(state: &State, field: &str) -> Value {
    EventTape::value(state, VOCABULARY.field(field).expect("a field"))
}

#[test]
fn the_sample_with_every_kind_is_replayed() {
    if folder().is_none() {
        return;
    }
    let (state, effects, labels) = replayed("kinds");
    assert_eq!(value(&state, "phase"), "runtime_finalize");
    assert_eq!(value(&state, "virtual_time_ms"), 1_767_225_600_040_i64);
    assert_eq!(value(&state, "model_calls"), 1);
    assert_eq!((value(&state, "input_tokens"), value(&state, "output_tokens")), (json!(5), json!(1)));
    assert_eq!(value(&state, "mcp_servers"), json!({"tracker": 1}));
    assert_eq!(value(&state, "tools"), json!({"write_file": 1}));
    assert_eq!(value(&state, "deleted"), json!({"/repo/out.txt": 6, "old.png": 10}));
    assert_eq!(value(&state, "processes"), json!([{"at": 7, "program": "git", "exit_code": 0}]));
    assert_eq!(value(&state, "files")["/repo/summary.txt"]["writer"], 18);
    assert_eq!(value(&state, "files")["/repo/in.txt"]["writer"], Value::Null);
    assert_eq!((value(&state, "cache_hits"), value(&state, "cache_misses")), (json!(1), json!(1)));
    let asked =
        ["sleep", "write", "delete", "spawn", "mcp_call", "model_call", "tool", "evaluation", "model_job", "write"];
    assert_eq!(effects, asked);
    let expected = [
        "version 5, kinds.harn",
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
fn stepping_tells_what_changes_and_finds_what_the_whole_tape_shows() {
    // Torn and blank lines are the container's business.
    let is_plain = |name: &String| !name.starts_with("bad-") && name != "odd-torn-tail" && name != "odd-blank-lines";
    for name in names(".tape").into_iter().filter(is_plain) {
        replayed(&name);
        let (tape, stored) = load(&name);
        let text = fs::read_to_string(folder().expect("a folder").join(format!("{name}.tape"))).expect("text");
        let mut ledger = Ledger::new(stored.clone());
        for (line, at) in text.lines().zip(0..) {
            let event = EventTape::decode(&mut (), line.as_bytes()).expect("an event");
            EventTape::judge(&mut ledger, Seq(at), &event);
        }
        let at_end = EventTape::findings_at_end(&mut ledger);
        let found = EventTape::findings(&mut ledger).clone().go_on_with(at_end).into_sorted();
        // The header is the first event, so that every number is one more.
        let expected = judge(&tape, &stored).into_iter().map(|mut finding| {
            finding.at = finding.at.iter().map(|at| Seq(at.0 + 1)).collect();
            finding
        });
        assert_eq!(found, expected.collect::<Vec<_>>(), "{name}");
    }
}

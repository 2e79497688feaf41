//! Tests of `stepback query`.

use std::process::{Command, Output, Stdio};

use serde_json::Value;

const DEMO: &str = "assets/demo.json";

fn query(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stepback"))
        .arg("query")
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("NO_COLOR", "1")
        .env_remove("COLUMNS")
        .stdin(Stdio::null())
        .output()
        .expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// The numbers of the events that match a filter, which are the same in both outputs.
fn found(file: &str, filter: &str) -> Vec<u64> {
    let (human, json) = (query(&[file, filter]), query(&[file, filter, "--json"]));
    assert_eq!((human.status.code(), json.status.code()), (Some(0), Some(0)), "{filter}: {}", text(&human.stderr));
    let is_empty = text(&human.stderr) == "note: no event matches (38 events searched)\n" && human.stdout.is_empty();
    assert!(is_empty || human.stderr.is_empty(), "{filter}: {}", text(&human.stderr));
    let first = |line: &str| line.split_whitespace().next().and_then(|word| word.parse().ok()).expect("a number");
    let of_human: Vec<u64> = text(&human.stdout).lines().map(first).collect();
    let row = |line: &str| serde_json::from_str::<Value>(line).expect("JSON")["seq"].as_u64().expect("a number");
    let of_json: Vec<u64> = text(&json.stdout).lines().map(row).collect();
    assert_eq!(of_human, of_json, "{filter}");
    let counted = query(&[file, filter, "--count"]);
    assert_eq!(text(&counted.stdout).trim(), of_human.len().to_string(), "{filter}");
    of_human
}

#[test]
fn a_filter_and_its_short_form_find_the_same() {
    for (shorthand, filter) in [
        ("tool_call_finished", ".event.event_type == \"tool_call_finished\""),
        ("field:step_idx", ".before.step_idx != .after.step_idx"),
        ("effect:call_model", ".effects[].kind == \"call_model\""),
        ("finding", ".findings != []"),
        ("finding:turn/rejected-ran", "any(.findings[]; .check == \"turn/rejected-ran\")"),
    ] {
        let both = (found(DEMO, shorthand), found(DEMO, filter));
        assert!(!both.0.is_empty(), "{shorthand}");
        assert_eq!(both.0, both.1, "{shorthand}");
    }
    assert_eq!(found(DEMO, "finding:turn/rejected-ran"), [19, 21]);
}

/// Lanes are groups of kinds; in session logs they are the categories of the kernel.
#[test]
fn events_are_selected_by_lane_and_counted_by_value() {
    let log = "fixtures/session/ask-user.jsonl";
    let (sched, both) = (query(&[log, "lane:sched", "--count"]), query(&[log, "lane:sched,syscall", "--count"]));
    assert_eq!((text(&sched.stdout), text(&both.stdout)), ("2\n".to_owned(), "3\n".to_owned()));
    let unknown = query(&[log, "lane:nowhere"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("there is no lane nowhere; there is run,"), "{}", text(&unknown.stderr));

    let by_lane = text(&query(&[log, "--by", "lane"]).stdout);
    assert!(by_lane.lines().any(|line| line == "2  sched"), "{by_lane}");
    let counts = |output: &str| -> u64 {
        let count =
            |line: &str| serde_json::from_str::<Value>(line).expect("JSON")["count"].as_u64().expect("a number");
        output.lines().map(count).sum()
    };
    // With and without a replay, every event that matches is counted once.
    for filter in ["true", ".seq >= 0"] {
        for by in ["kind", "lane", "turn", "no.such.member"] {
            let counted = text(&query(&[log, filter, "--by", by, "--json"]).stdout);
            assert_eq!(counts(&counted), 9, "{filter} by {by}: {counted}");
        }
    }
    let nothing = text(&query(&[log, "--by", "no.such.member"]).stdout);
    assert_eq!(nothing, "9  (none)\n");
}

#[test]
fn dialects_add_short_forms_of_their_own() {
    let count = |log: &str, filter: &str| text(&query(&[log, filter, "--count"]).stdout).trim().to_owned();
    let (denied, spawned) = ("fixtures/session/denied-call-ran.jsonl", "fixtures/session/spawn-and-join.json");
    assert_eq!(count(denied, "primitive:sched"), count(denied, "lane:sched,proc,ipc"));
    assert_ne!(count(denied, "primitive:sched"), "0");
    // The call was offered, gated, denied, and ran.
    let by_call = text(&query(&[denied, "--by", "call"]).stdout);
    let calls = count(denied, "call:call-1");
    assert!(calls.parse().is_ok_and(|calls: u32| calls >= 4), "{calls}");
    assert!(by_call.lines().any(|line| line.trim_start() == format!("{calls}  call-1")), "{by_call}");
    assert_eq!((count(spawned, "agent:agent-cache"), count(spawned, "agent:nobody")), ("2".to_owned(), "0".to_owned()));
    assert_eq!(
        count("assets/demo.json", "tool:edit_file"),
        count("assets/demo.json", ".event.tool_name == \"edit_file\"")
    );
    let unknown = query(&[denied, "primitive:nowhere"]);
    assert!(text(&unknown.stderr).contains("there is no primitive nowhere; there is syscall, sched, mm"));
    // A name with a quote stays a name.
    assert_eq!(count(spawned, "agent:a\"b"), "0");
}

/// A filter that only reads the event is answered without a replay, with the same output.
#[test]
fn searches_with_and_without_a_replay_print_the_same() {
    let files = [
        DEMO,
        "fixtures/turn/crash-mid-tool.jsonl",
        "fixtures/broken/invalid-utf8.jsonl",
        "fixtures/broken/truncated-line.jsonl",
        "fixtures/broken/truncated-array.json",
        "fixtures/broken/deep-nesting.json",
        "fixtures/broken/nul-bytes.jsonl",
        "fixtures/session/torn-tail.jsonl",
        "fixtures/tape/every-kind.tape",
        "fixtures/transfer/malformed.jsonl",
    ];
    let filters = [
        ".event == null",
        ".event.duration_ms > 2",
        "(.event.event_type // \"\") | test(\"^tool\")",
        ".event | to_entries | length > 3",
        ".event.turn_id | error",
        "true",
    ];
    for (file, filter) in files.iter().flat_map(|file| filters.iter().map(move |filter| (*file, *filter))) {
        let replayed = format!("if .seq < 0 then false else {filter} end");
        for modes in [&[][..], &["--json"], &["--count"], &["--limit", "2"], &["--limit", "0", "--count"]] {
            let ask = |filter: &str| query(&[&[file, filter], modes].concat());
            let (mut searched, mut replayed) = (ask(filter), ask(&replayed));
            if modes.contains(&"--limit") {
                // A replay may look further than the last hit.
                (searched.stderr, replayed.stderr) = (Vec::new(), Vec::new());
            }
            assert_eq!(searched, replayed, "{file} {filter} {modes:?}");
        }
    }
}

#[test]
fn every_part_of_the_input_can_be_queried() {
    assert_eq!(found(DEMO, ".seq == (3, 5)"), [3, 5]);
    assert_eq!(found(DEMO, ".event.outcome.tool_error?"), [28, 29, 34]);
    assert_eq!(found(DEMO, "[.findings[].severity] | index(\"critical\")"), [19, 21]);
    assert_eq!(found(DEMO, ".after.outcome != null and .before.outcome == null").len(), 1);
    assert_eq!(found(DEMO, "keys == [\"after\", \"before\", \"effects\", \"event\", \"findings\", \"seq\"]").len(), 38);
    assert_eq!(found(DEMO, "false"), [0_u64; 0]);
}

#[test]
fn the_examples_in_the_guide_find_something() {
    let guide = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/guide.md")).expect("docs/guide.md");
    let mut tried = 0;
    for line in guide.lines().filter_map(|line| line.strip_prefix("$ stepback query assets/demo.json '")) {
        let filter = line.split('\'').next().expect("a filter");
        let output = query(&[DEMO, filter]);
        if output.status.code() == Some(2) {
            assert!(
                guide.contains(&text(&output.stderr)),
                "the error in the guide differs from\n{}",
                text(&output.stderr)
            );
        } else {
            assert!(!output.stdout.is_empty(), "{filter}");
        }
        tried += 1;
    }
    assert_eq!(tried, 4);
}

#[test]
fn a_limit_stops_early() {
    assert_eq!(text(&query(&[DEMO, "true", "--limit", "3"]).stdout).lines().count(), 3);
    assert_eq!(text(&query(&[DEMO, "true", "--limit", "0"]).stdout), "");
    assert_eq!(text(&query(&[DEMO, "true", "--limit", "5", "--count"]).stdout), "5\n");
}

#[test]
fn an_invalid_filter_is_reported_with_its_position() {
    for (filter, line, reason) in [
        (".event |", "          ^", "expected a term"),
        ("(.seq", "  ^", "closing parenthesis"),
        (".seq > 3 & true", "           ^", "no meaning in a filter"),
        (".seq | frobnicate(1)", "         ^^^^^^^^^^", "no function frobnicate with one argument"),
        ("$x", "  ^^", "no variable $x"),
        ("step_idx", "  ^^^^^^^^", "field:step_idx"),
        ("field:nothing", "        ^^^^^^^", "there is no field nothing"),
        ("now > 3", "  ^^^", "can only read the event"),
        ("env", "  ^^^", "can only read the event"),
        ("def f: f; f", "      ^", "may not call itself"),
        ("include \"x\"; .", "          ^^^", "expected"),
    ] {
        let output = query(&[DEMO, filter]);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{filter}: {errors}");
        assert_eq!(text(&output.stdout), "");
        let lines: Vec<&str> = errors.lines().collect();
        assert_eq!(lines[1].trim_start(), filter, "{errors}");
        assert!(lines[2].starts_with(&format!("{line} ")) && lines[2].contains(reason), "{filter}:\n{errors}");
    }
}

#[test]
fn a_filter_that_fails_is_reported_and_does_not_match() {
    let output = query(&[
        DEMO,
        ".event.event_type | if . == \"turn_ended\" then error(\"a\\u001b[2J\") else true end",
        "--count",
    ]);
    let errors = text(&output.stderr);
    assert_eq!((output.status.code(), text(&output.stdout).trim()), (Some(0), "37"));
    assert!(
        errors.starts_with("note: the filter failed at 1 event, first at ") && !errors.contains('\u{1b}'),
        "{errors}"
    );
    let endless = query(&[DEMO, "[repeat(1)] | length > 0", "--count"]);
    assert!(text(&endless.stderr).contains("10000 rounds"), "{}", text(&endless.stderr));
}

#[test]
fn hostile_texts_and_malformed_records_are_harmless() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("hostile.jsonl");
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let event = |text: &str, more: &str| {
        format!("{{\"event_type\":\"steer_injected\",\"turn_id\":\"t\",\"step_idx\":1,\"text\":\"{text}\"{more}}}\n")
    };
    let log = [
        event("a\u{202e}b", ""),
        "{\"event_type\":\"turn_en\n".to_owned(),
        event("c", &format!(",\"odd\":{deep}")),
        event(&deep, ""),
    ];
    std::fs::write(&path, log.concat()).expect("written");
    let path = path.to_str().expect("a plain path");
    for mode in [&[][..], &["--json"]] {
        let output = query(&[&[path, "true"], mode].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(!text(&output.stdout).contains('\u{202e}'));
        assert_eq!(text(&output.stdout).lines().count(), 4);
    }
    // The decoder rejects an event that nests as deeply as the third.
    assert_eq!(found(path, ".event == null"), [1, 2]);
    assert_eq!(found(path, "malformed"), [1, 2]);
    let output = query(&[path, "select(.seq == 3) | .event.text | fromjson", "--count"]);
    assert!(text(&output.stderr).contains("nested too deeply"), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout).trim(), "0");
}

#[test]
fn a_log_from_standard_input_works() {
    let demo = std::fs::File::open(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/demo.json")).expect("the demo");
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepback"));
    let output = command.args(["query", "-", "turn_started", "--count"]).stdin(demo).output().expect("the binary runs");
    assert_eq!(text(&output.stdout), "1\n");
}

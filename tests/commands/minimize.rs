//! `stepback minimize` as scripts use it: its output, what it rejects, and that its claims can be verified.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

const DEMO: &str = "assets/demo.json";

fn stepback(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepback"));
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).env("NO_COLOR", "1").stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> Output {
    stepback(arguments).output().expect("the program runs")
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs it and expects a result; returns the report.
fn minimized(log: &str, out: &Path, more: &[&str]) -> Value {
    let output = run(&[&["minimize", log, "-o", out.to_str().expect("a plain name")], more].concat());
    assert_eq!(output.status.code(), Some(0), "{log} {more:?}: {}", errors(&output));
    report(out)
}

fn report(out: &Path) -> Value {
    let path = format!("{}.minimization.json", out.display());
    serde_json::from_slice(&fs::read(path).expect("a report")).expect("JSON")
}

fn fingerprints(log: &Path, more: &[&str]) -> Vec<String> {
    let output = run(&[&["check", "--json", "--fail-on", "never", log.to_str().expect("a plain name")], more].concat());
    let checked: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", errors(&output)));
    let findings = checked["files"][0]["findings"].as_array().expect("findings");
    findings.iter().map(|finding| finding["fingerprint"].as_str().expect("a text").to_owned()).collect()
}

/// The records of a file as text, and how they are joined.
struct Taken {
    records: Vec<String>,
    is_array: bool,
}

impl Taken {
    fn apart(path: &Path) -> Taken {
        let text = fs::read_to_string(path).expect("a log");
        let is_array = text.starts_with('[');
        let records = if is_array {
            let elements: Vec<&serde_json::value::RawValue> = serde_json::from_str(&text).expect("an array");
            elements.iter().map(|element| element.get().to_owned()).collect()
        } else {
            text.lines().map(str::to_owned).collect()
        };
        Taken { records, is_array }
    }

    fn without(&self, removed: usize) -> String {
        let rest = self.records.iter().enumerate().filter(|(at, _)| *at != removed).map(|(_, record)| record.clone());
        let rest: Vec<String> = rest.collect();
        if self.is_array { format!("[{}]", rest.join(",")) } else { rest.join("\n") + "\n" }
    }
}

fn logs(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let is_log = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).expect("a plain name");
        !name.contains(".session.") && !name.contains(".live.")
    };
    let mut logs: Vec<PathBuf> = entries.filter(is_log).collect();
    logs.sort();
    logs
}

#[test]
fn every_failing_log_is_minimized_to_events_that_are_all_needed() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut minimal = 0;
    for log in logs("fixtures/turn").iter().chain([&Path::new(env!("CARGO_MANIFEST_DIR")).join(DEMO)]) {
        let name = log.file_name().and_then(|name| name.to_str()).expect("a plain name");
        let (out, rest) = (folder.path().join(name), folder.path().join("rest"));
        let shown = log.to_str().expect("a plain name");
        let output = run(&["minimize", shown, "-o", out.to_str().expect("a plain name")]);
        if output.status.code() == Some(2) {
            assert!(errors(&output).contains("reports nothing"), "{name}: {}", errors(&output));
            continue;
        }
        assert_eq!(output.status.code(), Some(0), "{name}: {}", errors(&output));
        let report = report(&out);
        let fingerprint = report["fingerprint"].as_str().expect("a text").to_owned();
        assert_eq!(report["complete"], true, "{name}");
        assert!(fingerprints(log, &[]).contains(&fingerprint), "{name}");
        assert!(fingerprints(&out, &[]).contains(&fingerprint), "{name}");
        let taken = Taken::apart(&out);
        assert_eq!(report["events"]["after"], taken.records.len(), "{name}");
        assert_eq!(report["certificate"].as_array().map(Vec::len), Some(taken.records.len()), "{name}");
        for removed in 0..taken.records.len() {
            fs::write(&rest, taken.without(removed)).expect("written");
            assert!(!fingerprints(&rest, &[]).contains(&fingerprint), "{name} without event {removed}");
        }
        minimal += 1;
    }
    assert!(minimal >= 15, "only {minimal} logs failed");
}

/// A finding about a payload keeps the one record that refers to it, and the payload is copied.
#[test]
fn a_damaged_payload_is_kept_with_its_record() {
    let log = "fixtures/tape/damaged-store.tape";
    let folder = tempfile::tempdir().expect("a folder");
    for check in ["tape/cas-hash", "tape/cas-missing", "tape/inline-hash"] {
        let out = folder.path().join(format!("{}.tape", check.replace('/', "-")));
        let report = minimized(log, &out, &["--finding", check]);
        assert_eq!((&report["complete"], &report["events"]["after"]), (&Value::from(true), &Value::from(1)), "{check}");
        let fingerprint = report["fingerprint"].as_str().expect("a text").to_owned();
        assert!(fingerprints(&out, &[]).contains(&fingerprint), "{check}");
        let none = fs::read_to_string(&out).expect("a tape").lines().next().expect("a header").to_owned();
        fs::write(&out, none + "\n").expect("written");
        assert!(!fingerprints(&out, &[]).contains(&fingerprint), "{check} without its event");
    }
    let printed = run(&["minimize", log, "--finding", "tape/cas-hash"]);
    assert_eq!(printed.status.code(), Some(2));
    assert!(errors(&printed).contains("name an output file for both"), "{}", errors(&printed));
}

#[test]
fn the_report_describes_the_phases() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("min.json");
    let report = minimized(DEMO, &out, &[]);
    assert_eq!(report["schema"], "stepback-minimization/1");
    assert!(report["fingerprint"].as_str().is_some_and(|text| text.starts_with("turn/rejected-ran call_id=call-4 ")));
    assert_eq!(report["events"]["before"], 38);
    assert_eq!(report["kept"], serde_json::json!([19, 21]));
    assert_eq!(report["certificate"][1]["original"], 21);
    assert_eq!(report["certificate"][1]["lost_without_it"], true);
    let hash = |path: &Path| blake3::hash(&fs::read(path).expect("a file")).to_hex().to_string();
    assert_eq!(report["blake3"]["after"], hash(&out));
    assert_eq!(report["blake3"]["before"], hash(&Path::new(env!("CARGO_MANIFEST_DIR")).join(DEMO)));
    let names: Vec<&str> =
        report["phases"].as_array().expect("phases").iter().filter_map(|phase| phase["name"].as_str()).collect();
    assert_eq!(names, ["closure", "units", "single units", "events", "payloads", "events again"]);
    assert!(report["tests"]["run"].as_u64().is_some_and(|tests| (1..60).contains(&tests)));
    // Minimizing the result changes nothing.
    let again = folder.path().join("again.json");
    minimized(out.to_str().expect("a plain name"), &again, &[]);
    assert_eq!(fs::read(&out).expect("a log"), fs::read(&again).expect("a log"));
}

#[test]
fn a_finding_can_be_named_in_three_ways() {
    let folder = tempfile::tempdir().expect("a folder");
    let listed = fingerprints(&Path::new(env!("CARGO_MANIFEST_DIR")).join(DEMO), &[]);
    let number =
        listed.iter().position(|fingerprint| fingerprint.starts_with("turn/failing-tool")).expect("it fails") + 1;
    let mut texts = Vec::new();
    for name in
        [listed[number - 1].clone(), number.to_string(), format!("finding:{number}"), "turn/failing-tool".to_owned()]
    {
        let out = folder.path().join(format!("{}.json", texts.len()));
        let report = minimized(DEMO, &out, &["--finding", &name]);
        assert_eq!(report["fingerprint"], listed[number - 1].as_str());
        texts.push(fs::read(&out).expect("a log"));
    }
    texts.dedup();
    assert_eq!(texts.len(), 1);
}

#[test]
fn invalid_requests_are_rejected_and_nothing_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a plain name").to_owned();
    let (out, mine) = (path("out.json"), path("mine.json"));
    fs::write(&mine, "mine").expect("written");
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join(DEMO), path("log.json")).expect("copied");
    let (log, lost) = (path("log.json"), "fixtures/turn/session-lost-rows.json");
    let (snapshot, live) =
        ("fixtures/turn/live-snapshot-differs.json", "fixtures/turn/live-snapshot-differs.live.json");
    for (arguments, expected) in [
        (vec!["fixtures/turn/clean.json", "-o", &out, "--finding", "1000"], "no finding"),
        (vec![&log, "-o", &mine], "this file exists"),
        (vec![&log, "-o", &log, "--force"], "this is the log itself"),
        (vec![&log, "-o", &out, "--report", &mine], "this file exists"),
        (vec![&log, "-o", &out, "--finding", "turn/no-such"], "no finding"),
        (vec![lost, "-o", &out, "--finding", "cover/plane-depth"], "not about the log's own records"),
        (vec![&log, "-o", &out, "--test", "false"], "the command rejects the whole log"),
        (vec![&log, "-o", &out, "--test", "true"], "also accepts a log without events"),
        (vec![&log, "-o", &out, "--test", "no-such-program {}"], "the shell does not find it"),
        (
            vec![snapshot, "-o", &out, "--live", live, "--finding", "gate/live-projection", "--emit-test", "rust"],
            "depends on the live snapshot",
        ),
        (vec![&log, "-o", &out, "--test", "true", "--finding", "1"], "cannot be used with"),
        (vec![&log, "--emit-test", "rust"], "--output"),
        (vec![&log, "-o", &out, "--max-time", "soon"], "expected seconds"),
        (vec!["no-such-file.json", "-o", &out], "no such file"),
    ] {
        let output = run(&[&["minimize"], arguments.as_slice()].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(errors(&output).contains(expected), "{arguments:?}: {}", errors(&output));
    }
    assert_eq!(fs::read(&mine).expect("a file"), b"mine");
    let mut names: Vec<_> =
        fs::read_dir(folder.path()).expect("a folder").map(|entry| entry.expect("an entry").file_name()).collect();
    names.sort();
    assert_eq!(names, ["log.json", "mine.json"]);
    let output = run(&["minimize", &log, "-o", &mine, "--force"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert_ne!(fs::read(&mine).expect("a file"), b"mine");
}

#[test]
fn without_an_output_file_the_log_goes_to_standard_output() {
    let output = run(&["minimize", DEMO]);
    assert_eq!(output.status.code(), Some(0));
    let events: Vec<Value> = serde_json::from_slice(&output.stdout).expect("an array");
    assert_eq!(events.len(), 2);
    assert!(errors(&output).contains("without it"), "{}", errors(&output));
}

#[test]
fn a_command_can_be_the_predicate() {
    let folder = tempfile::tempdir().expect("a folder");
    for (number, command) in
        ["grep -q failing {}", "grep -q call-6", "test $(grep -c tool_call_finished {}) -ge 4"].iter().enumerate()
    {
        let log = folder.path().join(format!("{number}.jsonl"));
        let whole = folder.path().join("whole.jsonl");
        let text: String = Taken::apart(&Path::new(env!("CARGO_MANIFEST_DIR")).join(DEMO))
            .records
            .iter()
            .map(|record| record.replace('\n', " ") + "\n")
            .collect();
        fs::write(&whole, text.replace("not found", "failing")).expect("written");
        let report = minimized(whole.to_str().expect("a plain name"), &log, &["--test", command]);
        let events = if number == 2 { 4 } else { 1 };
        assert_eq!(report["events"]["after"], events, "{command}");
        assert_eq!((&report["complete"], &report["test"]), (&Value::Bool(true), &Value::from(*command)));
        assert_eq!(report["fingerprint"], Value::Null);
    }
}

#[test]
fn a_test_that_hangs_is_killed_and_counts_as_failed() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out.json");
    // The test ends only for the whole log.
    let waited = folder.path().join("waited");
    let (log, waited_name) = ("{}", waited.display());
    let hangs = format!("{{ test -s {log} && sleep 100 && touch '{waited_name}'; }}");
    let command = format!("grep -q turn_ended {log} || {hangs}; grep -q turn_ended {log}");
    let report = minimized(DEMO, &out, &["--test", &command, "--max-tests", "3"]);
    assert!(!waited.exists(), "a test ran to its end");
    assert_eq!(report["complete"], false);
    assert!(fs::read_to_string(&out).expect("a log").contains("turn_ended"));
}

#[test]
fn a_budget_and_a_signal_keep_the_best_result_so_far() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out.json");
    let report = minimized(DEMO, &out, &["--max-tests", "1"]);
    assert_eq!((&report["complete"], &report["tests"]["run"]), (&Value::Bool(false), &Value::from(1)));
    assert!(fingerprints(&out, &[]).contains(&report["fingerprint"].as_str().expect("a text").to_owned()));
    let slow = folder.path().join("slow.json");
    let trials = folder.path().join("trials");
    let command = &format!("echo >> '{}'; sleep 0.1; grep -q call-4 {{}}", trials.display());
    let mut arguments = vec!["minimize", DEMO, "-o", slow.to_str().expect("a plain name"), "--test", command];
    let mut child = stepback(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
    while fs::read(&trials).map_or(0, |lines| lines.len()) < 6 {
        assert!(child.try_wait().expect("a child").is_none(), "it ended before the signal");
        std::thread::sleep(Duration::from_millis(5));
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill").success());
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let report = self::report(&slow);
    assert_eq!(report["complete"], false);
    assert!(fs::read_to_string(&slow).expect("a log").contains("call-4"));
    arguments.extend(["--force", "--max-time", "700ms"]);
    assert_eq!(run(&arguments).status.code(), Some(0));
    assert_eq!(self::report(&slow)["complete"], false);
}

#[test]
fn damage_is_minimized_and_containers_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let records = Taken::apart(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/turn/clean.json")).records;
    let lines: Vec<String> = records.iter().map(|record| record.replace('\n', " ")).collect();
    let wrapped = |(seq, line): (usize, &String)| format!(r#"{{"seq":{seq},"ts_ms":1,"kind":"x","event":{line}}}"#);
    let envelopes: Vec<String> = lines.iter().enumerate().map(wrapped).collect();
    let without_end = &envelopes[..envelopes.len() - 1];
    for (name, text, check, expected) in [
        ("torn.jsonl", lines.join("\n") + "\n{\"event_type\":\"turn_en", "log/torn-tail", "{\"event_type\":\"turn_en"),
        ("torn.json", format!("[{}", lines.join(",")), "log/torn-tail", "["),
        ("junk.jsonl", lines.join("\n") + "\nnonsense\n" + &lines[1], "log/malformed", "nonsense\n"),
        ("envelopes.jsonl", without_end.join("\n") + "\n", "gate/missing-turn-ended", "{\"seq\":"),
        ("envelopes.json", format!("[{}]", without_end.join(",")), "gate/missing-turn-ended", "[\n{\"seq\":"),
    ] {
        let (log, out) = (path(name), path(&format!("min-{name}")));
        fs::write(&log, text).expect("written");
        let report = minimized(log.to_str().expect("a plain name"), &out, &["--finding", check]);
        assert_eq!(report["complete"], true, "{name}");
        let text = fs::read_to_string(&out).expect("a log");
        assert!(text.starts_with(expected) || text.ends_with(expected), "{name}: {text}");
        assert!(fingerprints(&out, &[]).iter().any(|fingerprint| fingerprint.starts_with(check)), "{name}");
        assert!(report["events"]["after"].as_u64().is_some_and(|events| events <= 2), "{name}: {text}");
    }
}

#[test]
fn damage_around_the_records_of_a_tape_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let header = |version: u32| {
        format!(
            r#"{{"type":"header","version":{version},"harn_version":"x","started_at_unix_ms":1000,"script_path":"a","argv":[]}}"#
        )
    };
    let record = |seq: u32| {
        format!(
            r#"{{"type":"record","seq":{seq},"phase":"user_script","virtual_time_ms":1000,"monotonic_ms":0,"kind":{{"kind":"clock_sleep","duration_ms":0}}}}"#
        )
    };
    let records = [record(0), record(1), record(2)].join("\n");
    for (name, text, check, events) in [
        ("newer.tape", format!("{}\n{records}\n", header(99)), "tape/newer-version", 0),
        ("marked.tape", format!("\u{feff}{}\n{records}\n", header(5)), "tape/header-late", 0),
        ("blank.tape", format!("\n{}\n{records}\n", header(5)), "tape/header-late", 0),
        ("torn.tape", format!("{}\n{records}\n{{\"type\":\"rec", header(5)), "tape/torn-tail", 1),
    ] {
        let (log, out) = (folder.path().join(name), folder.path().join(format!("min-{name}")));
        fs::write(&log, text).expect("written");
        let report = minimized(log.to_str().expect("a plain name"), &out, &["--finding", check]);
        assert_eq!(
            (&report["complete"], &report["events"]["after"]),
            (&Value::Bool(true), &Value::from(events)),
            "{name}"
        );
        assert!(fingerprints(&out, &[]).contains(&check.to_owned()), "{name}");
    }
}

#[test]
fn a_given_snapshot_is_checked() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out.json");
    let live = ["--live", "fixtures/turn/live-snapshot-differs.live.json"];
    let log = "fixtures/turn/live-snapshot-differs.json";
    let report = minimized(log, &out, &[&live[..], &["--finding", "gate/live-projection"]].concat());
    let fingerprint = report["fingerprint"].as_str().expect("a text").to_owned();
    assert!(fingerprints(&out, &live).contains(&fingerprint));
}

#[test]
fn a_regression_test_can_be_written_and_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("two words.json");
    minimized(DEMO, &out, &["--emit-test", "json"]);
    let case: Value =
        serde_json::from_slice(&fs::read(folder.path().join("two words.json.test.json")).expect("a case"))
            .expect("JSON");
    assert_eq!(case["log"].as_str().map(str::as_bytes), Some(&*fs::read(&out).expect("a log")));
    assert_eq!((&case["expect"]["exit"], &case["expect"]["severity"]), (&Value::from(1), &Value::from("critical")));
    // The options that the user needed to read the log are in the test, too, and no byte is lost.
    let (odd, small) = (folder.path().join("odd.jsonl"), folder.path().join("small.jsonl"));
    fs::write(&odd, b"{\"event_type\":\"turn_ended\",\"turn_id\":\"\xff\"}\n").expect("written");
    minimized(
        odd.to_str().expect("a plain name"),
        &small,
        &["--dialect", "turn", "--finding", "log/malformed", "--emit-test", "json"],
    );
    let case: Value =
        serde_json::from_slice(&fs::read(folder.path().join("small.jsonl.test.json")).expect("a case")).expect("JSON");
    assert!(case["command"].as_array().is_some_and(|words| words.contains(&"--dialect".into())));
    assert!(case["log_hex"].as_str().is_some_and(|hex| hex.contains("22ff22")), "{case}");
    minimized(DEMO, &out, &["--emit-test", "rust", "--force"]);
    let program = folder.path().join("test");
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let mut compile = Command::new(rustc);
    compile
        .args(["--test", "--edition", "2021", "-o"])
        .arg(&program)
        .arg(folder.path().join("log_two_words_json_test.rs"));
    let compiled = compile.output().expect("rustc runs");
    assert!(compiled.status.success(), "{}", errors(&compiled));
    let tested = |binary: &str| Command::new(&program).env("STEPBACK", binary).output().expect("it runs");
    let passed = tested(env!("CARGO_BIN_EXE_stepback"));
    assert!(passed.status.success(), "{}", String::from_utf8_lossy(&passed.stdout));
    assert!(!tested("true").status.success(), "a program that finds nothing fails the test");
}

//! The features that every dialect shares, on session logs, by the commands that a user types.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use stepback::cli::Exit;
use stepback::loader::Loaded;
use stepback::log::{Log, Options};
use stepback::replay::Seq;
use stepback::replay::variant::{Variant, VariantChange};
use stepback::session;

use super::commands::{json as json_of, run};
use super::stories::path;
use crate::tests::growing::append;

const SECRET: &str = "sk-ant-api03-Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFy";

fn text(name: &str) -> String {
    fs::read_to_string(path(name)).expect("a fixture")
}

fn written(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).expect("written");
    path.to_string_lossy().into_owned()
}

fn checks(document: &Value) -> Vec<&str> {
    let findings = document["files"][0]["findings"].as_array().expect("findings").iter();
    findings.map(|finding| finding["check"].as_str().expect("a check")).collect()
}

#[test]
fn it_is_queried_by_kind_category_agent_call_and_turn() {
    let matches = |log: &str, filter: &str| run(&["query", &path(log), filter]).1.lines().count();
    assert_eq!(matches("spawn-and-join.json", "agent_process_changed"), 4);
    assert_eq!(matches("spawn-and-join.json", r#".event.kind == "agent_process_changed""#), 4);
    assert_eq!(matches("spawn-and-join.json", r#".event.agent_id == "agent-cache""#), 2);
    assert_eq!(matches("spawn-and-join.json", r#"any(.effects[]; .category == "proc")"#), 4);
    assert_eq!(matches("spawn-and-join.json", r#"any(.effects[]; .primitive == "mm")"#), 2);
    assert_eq!(matches("spawn-and-join.json", "effect:change_process"), 4);
    // In a numbered record, `.event` is the event.
    assert_eq!(matches("ask-user.jsonl", r#".event.kind == "suspended""#), 1);
    assert_eq!(matches("ask-user.jsonl", r#".event.call_id == "call-2""#), 1);
    assert_eq!(matches("ask-user.jsonl", ".event.turn == 2"), 4);
    assert_eq!(matches("ask-user.jsonl", ".after.suspended != null"), 1);
    assert_eq!(matches("ask-user.jsonl", "field:suspended"), 1);
}

#[test]
fn it_shows_where_the_run_stopped() {
    let (_, shown) = run(&["show", &path("ask-user.jsonl"), "--at", "8"]);
    for expected in ["open (run-1)", "ask_user for call-2", "call-2 run_bash", "permission not answered"] {
        assert!(shown.contains(expected), "{expected}: {shown}");
    }
    let (_, text) = run(&["report", &path("ask-user.jsonl")]);
    assert!(text.contains("suspended ask_user for call-2 (since event 8)"), "{text}");
    let (_, blamed) = run(&["blame", &path("ask-user.jsonl"), "suspended"]);
    assert!(blamed.contains('8'), "{blamed}");
}

#[test]
fn two_runs_are_compared_without_their_ids() {
    let folder = tempfile::tempdir().expect("a folder");
    let other = text("ask-user.jsonl").replace("call-", "c-4711-").replace("run-1", "run-2").replace("220", "230");
    let other = written(folder.path(), "other.jsonl", &other);
    let (exit, same) = json_of(&["diff", "--json", &path("ask-user.jsonl"), &other]);
    assert_eq!((exit, &same["aligned"]["changed"]), (Exit::Clean, &json!(0)), "{same}");
    let changed = text("ask-user.jsonl").replace("rm -r build dist", "rm -r src");
    let changed = written(folder.path(), "changed.jsonl", &changed);
    assert_eq!(json_of(&["diff", "--json", &path("ask-user.jsonl"), &changed]).0, Exit::Findings);
}

#[test]
fn a_log_is_minimized_to_what_contradicts_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let small = folder.path().join("small.jsonl").to_string_lossy().into_owned();
    run(&["minimize", &path("denied-call-ran.jsonl"), "--finding", "session/denied-call-ran", "-o", &small]);
    let (_, checked) = json_of(&["check", "--json", &small]);
    assert!(checks(&checked).contains(&"session/denied-call-ran"), "{checked}");
    assert!(fs::read_to_string(&small).expect("a log").lines().count() <= 3);
}

#[test]
fn a_pack_is_redacted_minimized_and_opens_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = text("denied-call-ran.jsonl").replace("Publish the fix.", &format!("Publish with {SECRET}"));
    let log = written(folder.path(), "secret.jsonl", &log);
    let pack = folder.path().join("pack").to_string_lossy().into_owned();
    run(&["export", &log, "--redact", "--minimize", "-o", &pack]);
    let trace = fs::read_to_string(PathBuf::from(&pack).join("trace.jsonl")).expect("a trace");
    assert!(trace.contains("REDACTED-") && !trace.contains(SECRET), "{trace}");
    assert!(PathBuf::from(&pack).join("trace.min.jsonl").is_file());
    let (exit, checked) = json_of(&["check", "--json", &pack]);
    assert_eq!(exit, Exit::Findings);
    assert_eq!(checks(&checked), ["session/denied-call-ran"]);
    let (_, report) = json_of(&["report", "--json", "--redact", &log]);
    assert!(!report.to_string().contains(SECRET));
}

#[test]
fn findings_are_written_as_sarif() {
    let (_, sarif) = json_of(&["check", "--format", "sarif", &path("budget-exceeded.jsonl")]);
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "session/budget-exceeded-continued");
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 7, "{result}");
}

#[test]
fn without_the_denial_the_call_may_run() {
    let options = Options::default();
    let log = Log::open(path("denied-call-ran.jsonl").as_ref(), &options).expect("a log");
    let original = Loaded::begin_log_only(log, false).expect("a pass");
    original.wait_to_end(|_| {}).expect("the end");
    let mut variant = Variant::new(original.replay().len());
    variant.apply(VariantChange::Skip(Seq(7))).expect("possible");
    variant.apply(VariantChange::Skip(Seq(6))).expect("possible");
    let varied = original.begin_variant(&variant).expect("a variant");
    varied.wait_to_end(|_| {}).expect("the end");
    let found =
        |loaded: &Loaded, check: &str| loaded.replay().findings().list.iter().any(|finding| finding.check.id == check);
    assert!(found(&original, "session/denied-call-ran") && !found(&varied, "session/denied-call-ran"));
    // The gate was never lifted, and the numbers of the records have a gap.
    assert!(found(&varied, "session/gated-call-ran-unapproved") && found(&varied, "session/seq-order"));
}

#[test]
fn a_growing_log_is_followed() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("growing.jsonl");
    fs::write(&log, text("torn-tail.jsonl")).expect("written");
    let options = Options { dialect: Some(&session::dialect::DIALECT), ..Options::default() };
    let loaded = Loaded::begin_log_only(Log::open(&log, &options).expect("a log"), true).expect("a pass");
    let replay = loaded.replay();
    let has = |check: &str| replay.findings().list.iter().any(|finding| finding.check.id == check);
    let wait_until = |what: &str, done: &dyn Fn() -> bool| {
        let until = Instant::now() + Duration::from_secs(30);
        while !done() {
            assert!(Instant::now() < until, "waited in vain until {what}");
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    wait_until("the torn record is there", &|| replay.progress().torn && replay.len() == 4);
    assert!(has("session/unreadable-record") && has("session/tool-request-unanswered"));
    append(&log, "ut\":\"text\",\"is_error\":false}]}}\n{\"seq\":5,\"event\":{\"kind\":\"run_terminal\"}}\n");
    wait_until("it is whole", &|| loaded.standing().at_end && replay.len() == 5);
    assert!(!has("session/unreadable-record") && !has("session/tool-request-unanswered"));
    assert!(has("session/seq-order"));
}

#[test]
fn logs_are_told_apart_by_their_content() {
    let detected = |text: &str| {
        let log = Log::from_bytes("test".to_owned(), None, text.into(), &Options::default());
        log.map_or("none", |log| log.dialect.name)
    };
    for (text, dialect) in [
        (r#"{"kind":"run_started"}"#, "session"),
        ("{\n  \"kind\": \"run_started\"\n}", "session"),
        (r#"[{"kind":"page_in"}]"#, "session"),
        (r#"[{"seq":0,"event":{"kind":"page_in"}}]"#, "session"),
        (r#"{"seq":0,"event":{"kind":"entropy_sample"}}"#, "session"),
        (r#"{"seq":0,"event":{"kind":"quantum_leap"}}"#, "session"),
        ("{\"seq\":0,\"event\":null}\n{\"seq\":1,\"event\":{\"kind\":\"resumed\"}}", "session"),
        ("not json\n{\"kind\":\"resumed\",\"turn\":1}", "session"),
        (r#"{"seq":0,"ts_ms":1,"kind":"turn_started","event":{"event_type":"turn_started","turn_id":"t"}}"#, "turn"),
        (r#"{"seq":0,"event":{"event_type":"model_delta","turn_id":"t","kind":"text"}}"#, "turn"),
        (r#"{"seq":0,"event":{}}"#, "turn"),
        (r#"{"type":"record","seq":0,"virtual_time_ms":0,"monotonic_ms":0,"kind":{"kind":"clock_read"}}"#, "tape"),
        (r#"{"type":"user","message":{"role":"user","content":"hi"},"kind":"human"}"#, "none"),
        (r#"{"kind":"fruit"}"#, "none"),
    ] {
        assert_eq!(detected(text), dialect, "{text}");
    }
}

/// The published logs open, step and are audited; healthy ones have no error.
#[test]
fn published_logs_open_step_and_audit() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/fixtures/session-log");
    let Ok(folders) = fs::read_dir(&root) else {
        eprintln!("skipped: the published logs are not next to this checkout");
        return;
    };
    let mut seen = 0;
    for folder in folders.map(|entry| entry.expect("entry").path()).filter(|path| path.is_dir()) {
        for log in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("entry").path()) {
            let name = log.file_name().expect("a name").to_string_lossy().into_owned();
            if !name.contains("events") {
                continue;
            }
            let loaded =
                Loaded::begin_log_only(Log::open(&log, &Options::default()).expect("a log"), false).expect("a pass");
            loaded.wait_to_end(|_| {}).expect("the end");
            let replay = loaded.replay();
            assert!(!replay.is_empty(), "{name}");
            for at in (0..replay.len()).rev() {
                assert!(replay.moment(Seq(at)).expect("a log").is_some(), "{name} {at}");
            }
            let (_, checked) = json_of(&["check", "--json", &log.to_string_lossy()]);
            let findings = checked["files"][0]["findings"].as_array().expect("findings").clone();
            let errors: Vec<&Value> = findings.iter().filter(|finding| finding["severity"] == "error").collect();
            assert!(errors.is_empty(), "{name}: {errors:?}");
            seen += 1;
        }
    }
    assert_eq!(seen, 9);
}

/// What people want to know first is on a small screen as soon as the last event is shown.
#[test]
fn a_small_screen_says_where_the_run_stopped_and_on_what() {
    for (name, expected) in [
        ("ask-user.jsonl", &["suspended ask_user for call-2", "permission not answered run_bash"][..]),
        ("torn-tail.jsonl", &["a torn tail"]),
        ("spawn-and-join.json", &["outcome               completed,", "processes             agent-queri"]),
        (
            "budget-exceeded.jsonl",
            &["outcome               →token_bu", "budgets               token_bu", "last_error            call-2"],
        ),
        (
            "denied-call-ran.jsonl",
            &[
                "outcome               →complet",
                "last_error            call-1 deni",
                "held_calls            call-1 deni",
            ],
        ),
    ] {
        let frame = crate::tests::bench::Bench::open(&format!("fixtures/session/{name}"), 80, 24).keys("G").frame();
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        for text in expected {
            assert!(words(&frame).contains(&words(text)), "{name}: {text}\n{frame}");
        }
    }
}

#[test]
fn the_path_of_a_call_is_followed_to_its_end() {
    let (_, shown) = json_of(&["show", &path("denied-call-ran.jsonl"), "--at", "8", "--json"]);
    let call = &shown["projection"]["last_calls"][0];
    let expected = "offered, gated (ask_user), asked, refused by user, denied, denied (the user refused), ran";
    assert_eq!((&call["id"], &call["path"]), (&json!("call-1"), &json!(expected)), "{shown}");
}

#[test]
fn bare_and_numbered_records_may_be_mixed_anywhere() {
    let mut text = "{\"turn\":1,\"kind\":\"page_in\",\"entry_count\":1,\"category\":\"mm\"}\n".repeat(5000);
    text.push_str("{\"seq\":7,\"event\":{\"kind\":\"suspended\",\"turn\":1,\"reason\":\"r\"}}\n");
    let folder = tempfile::tempdir().expect("a folder");
    let log = written(folder.path(), "mixed.jsonl", &text);
    let (_, checked) = json_of(&["check", "--json", &log]);
    assert_eq!(checked["files"][0]["events"], 5001);
    assert!(!checks(&checked).contains(&"session/unreadable-record"));
}

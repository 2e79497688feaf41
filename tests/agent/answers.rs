//! Answers about whole sessions: sums that add up, known stories, and every real sample.

use serde_json::Value;
use stepback::cli::Exit;

use super::facts::{expected, samples};
use super::stories::fixture;
use crate::tests::session::commands::json;

/// Rows are not limited.
const ALL: [&str; 2] = ["--limit", "1000000"];

fn explained(path: &str, question: &str) -> Value {
    let (exit, document) = json(&[&["explain", path, question, "--json"], &ALL[..]].concat());
    assert_eq!(exit, Exit::Clean, "{path}");
    assert_eq!(document["question"], question);
    document
}

fn of_fixture(name: &str, question: &str) -> Value {
    explained(&fixture(name).to_string_lossy(), question)
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().unwrap_or_else(|| panic!("{key} of {value}"))
}

fn sum(rows: &[Value], key: &str) -> f64 {
    rows.iter().map(|row| row[key].as_f64().expect("a number")).sum()
}

/// What entered since the last compaction, without what was dropped, is the recorded context.
fn growth_adds_up(name: &str, growth: &Value) {
    let number = |value: &Value| value.as_u64().unwrap_or_else(|| panic!("{name}: {value}"));
    if growth["context"].is_null() {
        assert_eq!(growth["steps"], 0, "{name}");
        return;
    }
    let since = &growth["since_compaction"];
    assert_eq!(number(&since["entered"]) - number(&since["dropped"]), number(&growth["context"]), "{name}");
    assert_eq!(sum(list(growth, "kinds"), "tokens"), number(&growth["entered"]) as f64, "{name}");
    assert!(sum(list(growth, "parts"), "tokens") <= number(&growth["entered"]) as f64, "{name}");
    let cache = &growth["cache"];
    for miss in list(cache, "misses") {
        assert!(number(&miss["lost"]) <= number(&miss["expected"]), "{name}");
    }
}

/// The parts of the time are the whole.
fn time_adds_up(name: &str, time: &Value) {
    let total = time["seconds"].as_f64().expect("a number");
    assert!((sum(list(time, "actors"), "seconds") - total).abs() < 0.01, "{name}");
    for key in ["steps", "waits"] {
        assert!(sum(list(time, key), "seconds") < total + 1.0, "{name} {key}");
    }
}

#[test]
fn answers_about_real_sessions_add_up() {
    let Some(folder) = samples() else { return };
    for name in expected(&folder).keys() {
        let path = folder.join(name);
        let path = path.to_string_lossy();
        growth_adds_up(name, &explained(&path, "growth"));
        time_adds_up(name, &explained(&path, "time"));
        let loops = explained(&path, "loops");
        let is_made = name.contains("made/");
        assert!(is_made || loops["verdict"] == "none" || loops["verdict"] == "repeats", "{name}: {loops}");
    }
}

#[test]
fn answers_about_our_own_sessions_add_up() {
    for folder in ["claude-code", "codex"] {
        for entry in std::fs::read_dir(fixture(folder)).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_file() {
                let path = path.to_string_lossy();
                growth_adds_up(&path, &explained(&path, "growth"));
                time_adds_up(&path, &explained(&path, "time"));
                explained(&path, "loops");
            }
        }
    }
}

#[test]
fn growth_names_what_filled_the_context() {
    let growth = of_fixture("claude-code/grown.jsonl", "growth");
    let parts: Vec<(u64, &str, &str)> = list(&growth, "parts")
        .iter()
        .take(3)
        .map(|part| {
            (
                part["at"].as_u64().expect("a number"),
                part["kind"].as_str().expect("a kind"),
                part["what"].as_str().expect("a text"),
            )
        })
        .collect();
    let log = "Read /srv/shop/logs/access.log";
    assert_eq!(parts, [(1, "base", ""), (2, "result", log), (12, "result", log)]);
    assert_eq!(growth["unused"][0]["at"], 2, "the log was read and never mentioned: {}", growth["unused"]);
    assert_eq!(list(&growth, "unused").len(), 1, "the other file was edited");
    assert_eq!((&growth["repeats"][0]["at"], &growth["repeats"][0]["first"]), (&12.into(), &2.into()));
    let miss = &growth["cache"]["misses"][0];
    assert_eq!((&miss["at"], &miss["cause"], &miss["tier"]), (&11.into(), &"pause".into(), &"likely".into()));
    let compacted = of_fixture("claude-code/compacted.jsonl", "growth");
    assert_eq!((&compacted["drops"][0]["why"], &compacted["drops"][0]["at"]), (&"compaction".into(), &4.into()));
    assert_eq!(compacted["parts"][0]["dropped_at"], 4);
    let dropped = of_fixture("claude-code/context-drop.jsonl", "growth");
    assert_eq!(dropped["parts"][0]["presence"], "unknown", "no record says what was dropped");
}

#[test]
fn time_is_that_of_the_model_of_tools_and_of_the_person() {
    let time = of_fixture("claude-code/grown.jsonl", "time");
    let of = |actor: &str| {
        let row = list(&time, "actors").iter().find(|row| row["actor"] == actor);
        row.map_or(0.0, |row| row["seconds"].as_f64().expect("a number"))
    };
    assert_eq!((of("person"), of("retries")), (1_503.0, 0.0));
    assert_eq!(time["waits"][0]["at"], 10);
    assert_eq!(list(&time, "tools")[0]["tool"], "Bash");
    let failed = of_fixture("claude-code/api-error.jsonl", "time");
    assert!(list(&failed, "actors").iter().any(|row| row["actor"] == "retries"), "{failed}");
}

#[test]
fn loops_are_told_with_their_rounds_and_results() {
    let repeat = of_fixture("claude-code/repeat.jsonl", "loops");
    let found = &list(&repeat, "loops")[0];
    assert_eq!((&found["kind"], &found["rounds"], &found["first"]), (&"repeat".into(), &4.into(), &1.into()));
    assert_eq!((&found["results"], &found["tier"]), (&"same".into(), &"likely".into()));
    let cycle = of_fixture("claude-code/cycle.jsonl", "loops");
    assert_eq!((&cycle["verdict"], &cycle["loops"][0]["period"]), (&"looping".into(), &2.into()));
    assert_eq!(cycle["loops"][0]["calls"], serde_json::json!(["Bash cat a.rs", "Bash cat b.rs"]));
    let changing = of_fixture("claude-code/repeat-changing.jsonl", "loops");
    assert_eq!((&changing["verdict"], &changing["loops"][0]["results"]), (&"repeats".into(), &"changed".into()));
    assert_eq!(of_fixture("claude-code/finished.jsonl", "loops")["verdict"], "none");
}

fn files(words: &[&str]) -> Value {
    let path = fixture("claude-code/grown.jsonl");
    json(&[&["files", &*path.to_string_lossy(), "--json"], words].concat()).1
}

#[test]
fn files_are_known_at_any_event() {
    let listed = files(&[]);
    let paths: Vec<&str> = list(&listed, "files").iter().map(|file| file["path"].as_str().expect("a path")).collect();
    assert_eq!(paths, ["/srv/shop/discount.py", "/srv/shop/logs/access.log", "/srv/shop/price.py"]);
    let line = |document: &Value| document["lines"][3].clone();
    let before = files(&["price.py", "--at", "5"]);
    assert_eq!(line(&before), serde_json::json!({"text": "        amount += item.price", "by": "found", "at": 4}));
    let after = files(&["price.py"]);
    let written = serde_json::json!({"text": "        amount += item.price * item.count", "by": "written", "at": 6});
    assert_eq!((line(&after), &after["whole"]), (written, &true.into()));
    assert_eq!(after["lines"][0]["by"], "found");
    assert_eq!(after["commands_since"], 1, "a command could have changed it");
}

#[test]
fn changes_of_a_stretch_are_a_diff() {
    let all = files(&["--diff", "0..15"]);
    let diffs: Vec<&str> = list(&all, "files").iter().map(|file| file["diff"].as_str().expect("a diff")).collect();
    assert_eq!(diffs.len(), 2, "{all}");
    assert!(diffs[0].starts_with("@@ -0,0 +1,4 @@\n+RATE = 0.1\n+\n"), "{}", diffs[0]);
    assert!(
        diffs[1].contains("-        amount += item.price\n+        amount += item.price * item.count\n"),
        "{}",
        diffs[1]
    );
    assert_eq!(all["files"][1]["proof"], "found_later");
    assert_eq!(files(&["--diff", "4..6"])["files"][0]["proof"], "whole");
    assert_eq!(files(&["--diff", "7..12"])["files"], serde_json::json!([]));
}

#[test]
fn files_of_real_sessions_are_consistent() {
    let Some(folder) = samples() else { return };
    let mut whole = 0;
    for name in expected(&folder).keys() {
        let path = folder.join(name);
        let path = path.to_string_lossy();
        let listed = json(&["files", &path, "--json"]).1;
        // Each file is a pass over the log: two of them say enough.
        for file in list(&listed, "files").iter().take(2) {
            let known = file["lines_known"].as_u64().expect("a number");
            let shown = json(&["files", &path, file["path"].as_str().expect("a path"), "--json"]).1;
            assert_eq!(list(&shown, "lines").iter().filter(|line| !line.is_null()).count() as u64, known, "{name}");
            assert!(file["whole"] == false || list(&shown, "lines").len() as u64 == known, "{name}");
            whole += u64::from(file["whole"] == true);
        }
        let last = format!("0..{}", u32::MAX);
        json(&["files", &path, "--diff", &last, "--json"]);
    }
    assert!(whole > 0, "no file is known as a whole");
}

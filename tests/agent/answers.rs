//! Answers about whole sessions: sums that add up, known stories, and every real sample.

use serde_json::Value;
use stepback::cli::Exit;

use super::facts::{expected, samples};
use super::stories::fixture;
use crate::tests::session::commands::{json, refused};

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
                explained(&path, "compaction");
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
    let is_base = |part: &&Value| part["kind"] == "base";
    let (base, rest): (Vec<&Value>, Vec<&Value>) = list(&compacted, "parts").iter().partition(is_base);
    assert_eq!((base.len(), &base[0]["presence"]), (1, &"kept".into()), "the system prompt is always sent");
    assert!(rest.iter().filter(|part| part["at"].as_u64() < Some(4)).all(|part| part["dropped_at"] == 4), "{rest:?}");
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

#[test]
fn compactions_tell_what_they_dropped_and_what_is_missed() {
    let document = of_fixture("claude-code/forgotten.jsonl", "compaction");
    let row = &list(&document, "compactions")[0];
    assert_eq!((&row["at"], &row["trigger"]), (&4.into(), &"auto".into()));
    assert_eq!((&row["tokens_before"], &row["tokens_after"]), (&21_460.into(), &15_200.into()));
    assert_eq!((&row["dropped_count"], &row["kept_count"], &row["dropped_prompts"]), (&4.into(), &0.into(), &1.into()));
    assert_eq!(row["summary"]["events"], serde_json::json!([5]));
    assert!(row["summary"]["text"].as_str().expect("a text").starts_with("This session is being continued"), "{row}");
    let lost: Vec<String> = list(row, "lost")
        .iter()
        .map(|lost| format!("{} {} {} {} {}", lost["kind"], lost["what"], lost["said"], lost["mentioned"], lost["by"]))
        .collect();
    assert_eq!(
        lost,
        [r#""identifier" "retry_budget" 0 6 "user""#, r#""file" "legacy.rs" 0 9 "model""#],
        "per_minute and limits.rs are in the summary"
    );
    let again = serde_json::json!([{"path": "/srv/gate/src/limits.rs", "before": 1, "after": 7}]);
    assert_eq!(row["read_again"], again);
    assert_eq!(of_fixture("claude-code/finished.jsonl", "compaction")["compactions"], serde_json::json!([]));
}

#[test]
fn compactions_of_real_sessions_miss_next_to_nothing() {
    let Some(folder) = samples() else { return };
    let mut compactions = 0;
    for name in expected(&folder).keys().filter(|name| !name.contains("made/")) {
        let document = explained(&folder.join(name).to_string_lossy(), "compaction");
        for row in list(&document, "compactions") {
            compactions += 1;
            assert!(list(row, "lost").len() <= 3, "{name}: {}", row["lost"]);
            let sizes = [&row["tokens_before"], &row["tokens_after"]].map(|tokens| tokens.as_u64().unwrap_or(0));
            assert!(sizes[1] == 0 || sizes[0] == 0 || sizes[1] < sizes[0], "{name}: {sizes:?}");
        }
    }
    assert!(compactions >= 4, "{compactions}");
}

fn context(name: &str, words: &[&str]) -> Value {
    let path = fixture(name);
    json(&[&["context", &*path.to_string_lossy(), "--json"], words].concat()).1
}

#[test]
fn show_prints_the_same_context() {
    let path = fixture("claude-code/forgotten.jsonl");
    let words = ["--at", "9", "--against", "3"];
    let shown = json(&[&["show", &*path.to_string_lossy(), "--context", "--json"][..], &words].concat()).1;
    assert_eq!(shown, context("claude-code/forgotten.jsonl", &words));
    let resume = context("claude-code/forgotten.jsonl", &["--at", "resume"]);
    assert_eq!(resume, context("claude-code/forgotten.jsonl", &[]));
}

#[test]
fn what_a_compaction_dropped_is_the_difference_of_two_contexts() {
    let change = context("claude-code/forgotten.jsonl", &["--dropped"]);
    let of =
        |key: &str| list(&change, key).iter().map(|part| part["at"].as_u64().expect("a number")).collect::<Vec<_>>();
    // The summary, and the prompt that the next answer was given to.
    assert_eq!((of("gone"), of("added")), (vec![0, 1, 2, 3], vec![5, 6]));
    for side in ["before", "after"] {
        assert_eq!((&change[side]["at"], &change[side]["compaction"]), (&4.into(), &1.into()));
    }
    assert_eq!(change["before"]["prompt_tokens"], 21_460);
    assert_eq!(context("claude-code/forgotten.jsonl", &["--dropped", "1"]), change);
    for (name, number, says) in [
        ("claude-code/forgotten.jsonl", "2", "numbered from 1 to 1"),
        ("claude-code/forgotten.jsonl", "0", "numbered from 1 to 1"),
        ("claude-code/grown.jsonl", "1", "no compaction"),
    ] {
        let path = fixture(name);
        let error = refused(&["context", &path.to_string_lossy(), "--dropped", number]);
        assert!(error.contains(says), "{error}");
    }
}

#[test]
fn the_context_is_the_history_in_force_at_an_event() {
    let events = |document: &Value| -> Vec<u64> {
        list(document, "parts").iter().map(|part| part["at"].as_u64().expect("a number")).collect()
    };
    let before = context("claude-code/forgotten.jsonl", &["--at", "3"]);
    assert_eq!((events(&before), &before["answer"]), (vec![0, 1, 2], &3.into()));
    assert_eq!((&before["prompt_tokens"], &before["messages"]), (&21_400.into(), &3.into()));
    let known: u64 = list(&before, "parts").iter().filter_map(|part| part["tokens"].as_u64()).sum();
    assert_eq!(before["tokens_not_in_log"], 21_400 - known);
    assert_eq!(before["parts"][1]["about"], "Read /srv/gate/src/limits.rs");
    let prompt = context("claude-code/forgotten.jsonl", &["--at", "6"]);
    assert_eq!((events(&prompt), &prompt["answer"]), (vec![5, 6], &Value::Null), "behind the compaction");
    let end = context("claude-code/forgotten.jsonl", &[]);
    assert_eq!((events(&end), &end["at"]), (vec![5, 6, 7, 8, 9], &Value::Null));
    let change = context("claude-code/forgotten.jsonl", &["--at", "9", "--against", "3"]);
    let of =
        |key: &str| list(&change, key).iter().map(|part| part["at"].as_u64().expect("a number")).collect::<Vec<_>>();
    assert_eq!((of("added"), of("gone"), &change["kept"]), (vec![5, 6, 7, 8], vec![0, 1, 2], &0.into()));
    let codex = context("codex/rollout-finished.jsonl", &[]);
    assert!(!list(&codex, "parts").is_empty(), "{codex}");
}

#[test]
fn contexts_of_real_sessions_fit_into_their_prompts() {
    let Some(folder) = samples() else { return };
    let mut measured = 0;
    for name in expected(&folder).keys().filter(|name| !name.contains("made/")) {
        let path = folder.join(name);
        let document = json(&["show", &path.to_string_lossy(), "--context", "--at", "60%", "--json"]).1;
        let events: Vec<u64> = list(&document, "parts").iter().filter_map(|part| part["at"].as_u64()).collect();
        let end = document["answer"].as_u64().or(document["at"].as_u64()).expect("an event");
        assert!(events.iter().all(|at| *at <= end), "{name}: {events:?} {end}");
        measured += u64::from(document["prompt_tokens"].is_u64());
    }
    assert!(measured > 5, "{measured}");
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
    assert_eq!((&after["writers"][0]["at"], &after["writers"][0]["tool"]), (&6.into(), &"Edit".into()));
    assert_eq!(after["writers"][0]["call"], 5);
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

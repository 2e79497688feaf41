//! The recorded results, case by case: problems, verdicts, histories, repairs and relinking.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::doctor::client::Client;
use crate::doctor::detect::{Agent, Detection};
use crate::doctor::document::Edits;
use crate::doctor::lines::{LineAt, each};
use crate::doctor::problem::{Asked, Problem};
use crate::doctor::session::{Examination, Row, Session};

fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Reads a file as the command does: the agent is detected, and rollouts that it continues are read from its folder.
pub(super) fn opened(path: &Path) -> (Session, Vec<u8>) {
    let bytes = fs::read(path).expect("a session");
    let name = path.file_name().and_then(|name| name.to_str());
    let mut detection = Detection::default();
    each(&bytes, |at, line| {
        detection.ask(at, line);
    });
    let agent = detection.agent(name).unwrap_or_else(|| panic!("{} is not a session", path.display()));
    let mut session = Session::of_bytes(agent, &bytes);
    if let Session::Codex(rollout) = &mut session {
        let mut read = |id: &str, limit: u64, line: &mut dyn FnMut(LineAt, &[u8])| {
            let entries = fs::read_dir(path.parent()?).ok()?;
            let names = entries.map(|entry| entry.expect("an entry").path());
            let is_it = |path: &PathBuf| {
                path.file_stem().is_some_and(|stem| stem.to_string_lossy().trim_end_matches(".jsonl").ends_with(id))
            };
            let bytes = fs::read(names.into_iter().find(is_it)?).ok()?;
            each(&bytes[..bytes.len().min(limit as usize)], line);
            Some(bytes.len() as u64)
        };
        rollout.read_bases(None, &mut read);
    }
    (session, bytes)
}

fn rows(rows: &[Row]) -> Value {
    rows.iter().map(|row| json!([&*row.role, texts(&row.kinds), texts(&row.ids)])).collect()
}

fn texts(list: &[std::sync::Arc<str>]) -> Value {
    list.iter().map(|text| json!(&**text)).collect()
}

/// Results within a message of the user may come in any order.
fn sorted_results(rows: &Value) -> Value {
    let sorted = |row: &Value| {
        let mut ids: Vec<String> = row[2].as_array().expect("ids").iter().map(ToString::to_string).collect();
        if row[0] == "user" {
            ids.sort();
        }
        json!([row[0], row[1], ids])
    };
    rows.as_array().expect("rows").iter().map(sorted).collect()
}

/// An error without its indices.
fn plain(error: &str) -> String {
    let digits = |character: char| character.is_ascii_digit();
    let mut out = String::new();
    let mut rest = error;
    while let Some(place) = rest.find(digits) {
        let (before, after) = rest.split_at(place);
        out.push_str(before);
        let is_index = before.ends_with("messages.") || before.ends_with("content.") || before.ends_with('[');
        let end = after.find(|character| !digits(character)).unwrap_or(after.len());
        out.push_str(if is_index { "N" } else { &after[..end] });
        rest = &after[end..];
    }
    out + rest
}

fn problems(list: &[Problem], version: Option<&str>) -> Value {
    let severity = |problem: &Problem, client| problem.severity(Asked { client, recorded: version }).name();
    list.iter()
        .map(|problem| {
            json!({
                "check": problem.rule.check.id,
                "line": problem.line,
                "id": problem.id.as_deref(),
                "severity": {"none": severity(problem, Client::None), "current": severity(problem, Client::Current)},
                "healed_since": problem.healing.map(|healing| healing.to_string()),
                "predicted_error": plain(&problem.predicted),
            })
        })
        .collect()
}

fn edits(edits: &Edits) -> Value {
    json!({
        "dropped": edits.dropped,
        "changed": edits.changed,
        "inserted_after": edits.inserted_after,
        "moved": edits.moved,
    })
}

struct Case {
    name: String,
    expected: Value,
    differences: Vec<String>,
}

impl Case {
    fn compare(&mut self, what: &str, expected: &Value, actual: &Value) {
        let is_unordered = self.expected["unordered_results"] == true && what.contains("history");
        let is_equal =
            if is_unordered { sorted_results(expected) == sorted_results(actual) } else { expected == actual };
        if !is_equal {
            self.differences.push(format!("{} {what}\n  expected {expected}\n  actual   {actual}", self.name));
        }
    }

    fn judged(&mut self, session: &Session, examined: &Examination) {
        let mut expected = self.expected["problems"].clone();
        for problem in expected.as_array_mut().expect("problems") {
            problem["predicted_error"] = json!(plain(problem["predicted_error"].as_str().expect("a text")));
        }
        let version = session.version();
        self.compare("problems", &expected, &problems(&examined.problems, version.as_deref()));
        for (name, client) in [("none", Client::None), ("current", Client::Current)] {
            let verdict = session.verdict(&examined.problems, client);
            self.compare(
                name,
                &self.expected[name].clone(),
                &json!({"ok": verdict.is_ok(), "verdict": verdict.name()}),
            );
        }
        for (name, number) in [
            ("messages", examined.counts.messages as u64),
            ("reachable_lines", examined.counts.reachable_lines as u64),
            ("total_lines", examined.counts.total_lines),
        ] {
            self.compare(name, &self.expected[name].clone(), &json!(number));
        }
        self.compare("history", &self.expected["history"].clone(), &rows(&examined.history));
        self.compare("dialect", &self.expected["dialect"].clone(), &json!(session.agent().name()));
    }

    fn repaired(&mut self, session: &Session, bytes: &[u8]) {
        let mut mended = session.clone();
        let repair = mended.repair(&bytes, Client::None);
        let repairable = match (repair.unmended.is_empty(), repair.edits.is_empty()) {
            (true, true) => Value::Null,
            (is_mended, _) => json!(is_mended),
        };
        self.compare("repairable", &self.expected["repairable"].clone(), &repairable);
        let copy = mended.bytes(bytes);
        if repairable != true {
            return;
        }
        let expected = self.expected["repaired"].clone();
        let again = Session::of_bytes(session.agent(), &copy);
        let examined = again.examine();
        self.compare("repaired history", &expected["history"], &rows(&examined.history));
        let mut lists = expected.clone();
        lists.as_object_mut().expect("edits").remove("history");
        self.compare("edits", &lists, &edits(&repair.edits));
        let verdict = again.verdict(&examined.problems, Client::None);
        self.compare("verdict after the repair", &json!(true), &json!(verdict.is_ok()));
        let mut twice = again.clone();
        self.compare("a second repair", &json!(true), &json!(twice.repair(&&copy[..], Client::None).edits.is_empty()));
    }

    fn relinked(&mut self, session: &Session, bytes: &[u8]) {
        let expected = self.expected["relinked_history"].clone();
        if expected.is_null() {
            return;
        }
        let mut linked = session.clone();
        linked.relink(&bytes);
        let again = Session::of_bytes(session.agent(), &linked.bytes(bytes));
        self.compare("relinked history", &expected, &rows(&again.examine().history));
    }
}

fn differences(folder: &Path) -> (usize, Vec<String>) {
    let Ok(entries) = fs::read_dir(folder) else { return (0, Vec::new()) };
    let (mut count, mut differences) = (0, Vec::new());
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let Some(name) = name.strip_suffix(".expect.json") else { continue };
        let expected: Value = serde_json::from_slice(&fs::read(&path).expect("a file")).expect("JSON");
        let (session, bytes) = opened(&folder.join(expected["file"].as_str().expect("a file")));
        let examined = session.examine();
        let mut case = Case { name: name.to_owned(), expected, differences: Vec::new() };
        case.judged(&session, &examined);
        case.repaired(&session, &bytes);
        case.relinked(&session, &bytes);
        count += 1;
        differences.extend(case.differences);
    }
    (count, differences)
}

#[test]
fn every_case_matches_the_recorded_results() {
    let (count, differences) = differences(&root("tests/conformance/doctor"));
    assert_eq!(count, 71);
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n"));
}

#[test]
fn published_cases_match_where_they_are() {
    let (count, differences) = differences(&root("../shared/conformance/doctor"));
    if count == 0 {
        eprintln!("skipped: the published cases are not next to this checkout");
    }
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n"));
}

#[test]
fn agents_are_named_as_in_the_cases() {
    assert_eq!([Agent::Claude.name(), Agent::Codex.name()], ["claude", "codex"]);
}

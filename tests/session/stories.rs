//! The logs in `fixtures/session` report the failure in their name, and no other.

use std::fs;
use std::path::Path;

use crate::tests::session::commands::json;
use stepback::cli::Exit;

/// File, number of events, findings of severity warning or higher with their events and subjects.
type Story = (&'static str, u64, &'static [(&'static str, u64, &'static str)]);

const STORIES: &[Story] = &[
    (
        "ask-user.jsonl",
        9,
        &[("session/permission-unresolved", 7, "run_bash"), ("session/suspend-unresumed", 8, "ask_user")],
    ),
    ("budget-exceeded.jsonl", 10, &[("session/budget-exceeded-continued", 6, "token_budget")]),
    ("denied-call-ran.jsonl", 11, &[("session/denied-call-ran", 8, "call-1")]),
    ("family/agent-parser.jsonl", 3, &[]),
    ("family/agent-tests.jsonl", 4, &[]),
    (
        "family/root.jsonl",
        5,
        &[("session/child-not-joined", 2, "agent-tests"), ("session/suspend-unresumed", 3, "sub_agent_await")],
    ),
    ("rollback.jsonl", 13, &[("session/rollback-unknown-checkpoint", 9, "4")]),
    ("spawn-and-join.json", 15, &[]),
    ("torn-tail.jsonl", 3, &[("session/tool-request-unanswered", 2, "call-1"), ("session/unreadable-record", 3, "")]),
];

pub(super) fn path(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/session").join(name).to_string_lossy().into_owned()
}

#[test]
fn every_story_reports_its_failure_and_no_other() {
    for (name, events, expected) in STORIES {
        let (exit, checked) = json(&["check", "--json", &path(name)]);
        let file = &checked["files"][0];
        assert_eq!((file["dialect"].as_str(), file["events"].as_u64()), (Some("session"), Some(*events)), "{name}");
        let findings = file["findings"].as_array().expect("findings").iter();
        let found: Vec<(&str, u64, &str)> = findings
            .filter(|finding| finding["severity"] != "info")
            .map(|finding| {
                let subjects = finding["subjects"].as_object().expect("subjects");
                let subject = subjects.values().next().map_or("", |subject| subject.as_str().expect("a text"));
                assert_ne!((&finding["expected"], &finding["actual"]), (&"".into(), &"".into()), "{name}");
                (finding["check"].as_str().expect("a check"), finding["at"][0].as_u64().expect("an event"), subject)
            })
            .collect();
        assert_eq!(found, *expected, "{name}");
        assert_eq!(exit == Exit::Clean, expected.is_empty(), "{name}");
    }
    let files = |folder: &str| {
        fs::read_dir(path(folder)).expect("a folder").flatten().filter(|entry| entry.path().is_file()).count()
    };
    assert_eq!(files("") + files("family"), STORIES.len(), "every file has a row");
}

/// In a large folder, the relatives are found by their names: no verdict depends on the number of other logs.
#[test]
fn a_large_folder_hides_no_contradiction() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["root", "agent-parser", "agent-tests"] {
        let file = format!("{name}.jsonl");
        fs::copy(path(&format!("family/{file}")), folder.path().join(&file)).expect("copied");
    }
    for number in 0..100 {
        let log = r#"{"kind":"run_started","run_id":"r","goal":"g"}"#;
        fs::write(folder.path().join(format!("other-{number}.jsonl")), log).expect("written");
    }
    let (_, checked) = json(&["check", "--json", folder.path().join("root.jsonl").to_str().expect("a name")]);
    let findings = checked["files"][0]["findings"].as_array().expect("findings");
    assert!(findings.iter().any(|finding| finding["check"] == "session/child-not-joined"), "{findings:?}");
}

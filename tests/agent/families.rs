//! Families of sessions: subagents in a folder, beside the session, in other rollouts, and in the same file.

use std::fs;
use std::path::Path;

use stepback::cli::Exit;
use tempfile::tempdir;

use super::stories::fixture;
use crate::agent::dialect::DIALECT;
use crate::replay::family::FamilyTree;
use crate::tests::session::commands::json;

const TEAM: &str = "claude-code/team/7ea30000-0000-4000-8000-000000000001";
const CODEX: &str = "codex/family/rollout-2026-09-14T11-00-00-019f8a00-0000-7000-8000-000000000001.jsonl";

fn tree(log: &Path) -> FamilyTree {
    (DIALECT.family.expect("families").of_log)(log)
}

/// Names, depths and the events of the parent that mention them.
fn rows(tree: &FamilyTree) -> Vec<(&str, usize, Vec<u32>)> {
    let places = |row: &crate::replay::family::FamilyRow| row.parent_at.iter().map(|at| at.0).collect();
    tree.rows.iter().map(|row| (row.name.as_str(), row.depth, places(row))).collect()
}

/// The names of the files that a check of one reports.
fn checked(path: &Path) -> (Exit, Vec<String>) {
    let (exit, document) = json(&["check", "--json", &path.to_string_lossy()]);
    let files = document["files"].as_array().expect("files").iter();
    let name = |file: &str| Path::new(file).file_name().map(|name| name.to_string_lossy().into_owned());
    (exit, files.filter_map(|file| name(file["file"].as_str()?)).collect())
}

#[test]
fn subagents_in_a_folder_are_below_the_call_that_started_them() {
    let main = fixture(&format!("{TEAM}.jsonl"));
    let expected = [
        ("7ea30000-0000-4000-8000-000000000001", 0, vec![]),
        ("agent-ae11 review lexer", 1, vec![1, 2]),
        ("agent-ae22 review parser", 1, vec![3, 4]),
    ];
    assert_eq!(rows(&tree(&main)), expected);
    let child = fixture(&format!("{TEAM}/subagents/agent-ae22.jsonl"));
    assert_eq!(tree(&child), tree(&main), "a child has the same family");
    assert_eq!(
        checked(&main).1,
        ["7ea30000-0000-4000-8000-000000000001.jsonl", "agent-ae11.jsonl", "agent-ae22.jsonl"]
    );
    assert_eq!(checked(&child).1, ["agent-ae22.jsonl"]);
    let folder = main.parent().expect("a folder");
    let root = (DIALECT.family.expect("families").in_folder)(folder).root().map(|row| row.path.clone());
    assert_eq!(root, Some(main));
}

#[test]
fn subagents_of_old_releases_are_beside_their_session() {
    let folder = tempdir().expect("a folder");
    let main = folder.path().join("7ea30000-0000-4000-8000-000000000001.jsonl");
    fs::copy(fixture(&format!("{TEAM}.jsonl")), &main).expect("copied");
    let child = folder.path().join("agent-ae22.jsonl");
    fs::copy(fixture(&format!("{TEAM}/subagents/agent-ae22.jsonl")), &child).expect("copied");
    fs::copy(fixture("claude-code/finished.jsonl"), folder.path().join("other.jsonl")).expect("copied");
    for path in [&main, &child] {
        let tree = tree(path);
        assert_eq!(tree.rows.iter().map(|row| row.depth).collect::<Vec<_>>(), [0, 1], "{tree:?}");
    }
    assert_eq!(checked(&main).1.len(), 2);
}

#[test]
fn a_rollout_belongs_to_the_thread_that_started_it() {
    let main = fixture(CODEX);
    let tree = tree(&main);
    assert_eq!(tree.rows.iter().map(|row| row.depth).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(tree.rows[0].path, main);
    assert_eq!(checked(&main).1.len(), 2);
    assert_eq!(checked(&tree.rows[1].path).1.len(), 1);
}

#[test]
fn a_sidechain_in_the_same_file_is_a_child_with_a_place() {
    let path = fixture("claude-code/sidechain.jsonl");
    let tree = tree(&path);
    let side = &tree.rows[1];
    assert_eq!((side.depth, &side.path, side.begins_at.map(|at| at.0)), (1, &path, Some(2)));
    assert!(side.parent_at.iter().any(|at| at.0 == 1), "the call: {:?}", side.parent_at);
    assert!(side.measure.contains("tok") && side.outcome == "turn completed", "{side:?}");
    assert_eq!(tree.position(&path), Some(0), "the file itself is its main chain");
}

#[test]
fn sessions_that_name_each_other_as_parents_end() {
    let folder = tempdir().expect("a folder");
    let rollout = |own: u8, parent: u8| {
        let line = format!(
            r#"{{"timestamp":"2026-09-14T11:00:01.000Z","type":"session_meta","payload":{{"id":"t{own}","parent_thread_id":"t{parent}","source":{{"subagent":"review"}}}}}}"#
        );
        let path = folder.path().join(format!("rollout-{own}.jsonl"));
        fs::write(&path, line + "\n").expect("written");
        path
    };
    let (one, _) = (rollout(1, 2), rollout(2, 1));
    assert!(!tree(&one).rows.is_empty());
    assert!(checked(&one).1.len() <= 2);
}

//! Rules that the recorded cases do not show, or not in all their parts.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::build::{Claude, Codex, found, lines, pairs};
use crate::doctor::client::Client;
use crate::doctor::lines::{LineAt, each};
use crate::doctor::problem::Verdict;
use crate::doctor::session::{Repair, Session};

/// A session of two branches that part at the first answer.
fn branches() -> Claude {
    Claude::default()
        .user("u1", "", "go")
        .says("a1", "u1", "one")
        .user("u2", "a1", "left")
        .says("a2", "u2", "left")
        .user("u3", "a1", "right")
        .says("a3", "u3", "right")
}

#[test]
fn a_marker_on_another_branch_wins_and_one_above_does_not() {
    assert_eq!(lines(&branches().session()), [[1], [2], [5], [6]]);
    let marked = branches().marker("a2", false).session();
    assert_eq!(lines(&marked), [[1], [2], [3], [4]]);
    assert_eq!(found(&marked), pairs(&[("leaf-ambiguous", 4)]));
    let above = branches().marker("u3", false).session();
    assert_eq!(lines(&above), [[1], [2], [5], [6]]);
    let explicit = branches().marker("u3", true).session();
    assert_eq!(lines(&explicit), [[1], [2], [5]]);
    assert_eq!(found(&explicit), [], "the marker and the tail are on one branch");
    assert_eq!(lines(&branches().marker("nowhere", false).session()), [[1], [2], [5], [6]]);
}

#[test]
fn the_newest_message_on_another_branch_is_told() {
    let session = branches().line(
        "user",
        "u4",
        "a3",
        json!({"timestamp": "2026-10-01T08:00:00.000Z",
        "message": {"role": "user", "content": "old"}}),
    );
    assert_eq!(found(&session.session()), [], "an old line at the end of the newest branch");
    let newer = branches().with("timestamp", json!("2026-10-01T08:00:00.000Z"));
    assert_eq!(found(&newer.session()), [], "the prompt above is still the newest");
    let tail_is_old = Claude::default()
        .user("u1", "", "go")
        .says("a1", "u1", "one")
        .user("u2", "a1", "newest")
        .user("u3", "a1", "older")
        .with("timestamp", json!("2026-10-01T09:00:15.000Z"));
    assert_eq!(found(&tail_is_old.session()), pairs(&[("leaf-ambiguous", 4)]));
}

#[test]
fn bridges_lead_to_the_newest_line_of_the_lane_within_five_seconds() {
    let session = |older: &str, lane: bool| {
        Claude::default()
            .user("u1", "", "go")
            .says("a1", "u1", "one")
            .with("timestamp", json!(older))
            .with("isSidechain", json!(lane))
            .user("u2", "gone", "two")
            .with("timestamp", json!("2026-10-01T09:10:00.000Z"))
            .session()
    };
    assert_eq!(lines(&session("2026-10-01T09:09:55.000Z", false)), [[1], [2], [3]]);
    assert_eq!(found(&session("2026-10-01T09:09:55.000Z", false)), pairs(&[("chain-bridged", 3)]));
    assert_eq!(lines(&session("2026-10-01T09:09:54.999Z", false)), [[3]]);
    assert_eq!(found(&session("2026-10-01T09:09:54.999Z", false)), pairs(&[("chain-broken", 3)]));
    assert_eq!(lines(&session("2026-10-01T09:10:00.001Z", false)), [[3]], "newer, so not before it");
    assert_eq!(found(&session("2026-10-01T09:09:55.000Z", true)), pairs(&[("chain-broken", 3)]), "another lane");
}

#[test]
fn a_circle_that_is_bridged_is_healed() {
    let session = Claude::default()
        .user("u1", "", "go")
        .with("timestamp", json!("2026-10-01T09:00:09.000Z"))
        .says("a1", "u2", "one")
        .user("u2", "a1", "two");
    let examined = session.session().examine();
    assert_eq!(found(&session.session()), pairs(&[("chain-cycle", 2)]));
    assert_eq!(examined.problems[0].healing.map(|healing| healing.to_string()).as_deref(), Some("2.1.108"));
    assert_eq!(session.session().verdict(&examined.problems, Client::Current), Verdict::Resumes);
    assert_eq!(session.session().verdict(&examined.problems, Client::None), Verdict::LosesHistory);
}

#[test]
fn the_file_of_a_subagent_is_judged_in_its_lane() {
    let side = |claude: Claude| claude.with("isSidechain", json!(true)).with("agentId", json!("a"));
    let session = side(side(Claude::default().user("u1", "in-the-parent", "go")).calls("a1", "u1", &["t"]));
    assert_eq!(found(&session.session()), pairs(&[("missing-result", 2)]), "its first line is not a break");
    assert_eq!(session.session().examine().counts.conversation_lines, 2);
}

/// A compaction that keeps the prompt and the answer before it.
fn compacted(metadata: Value) -> Claude {
    Claude::default()
        .user("u1", "", "old")
        .says("a1", "u1", "old")
        .user("u2", "a1", "keep")
        .says("a2", "u2", "keep")
        .boundary("b", metadata)
        .summary("s", "b")
        .user("u3", "s", "go on")
        .says("a3", "u3", "fine")
}

#[test]
fn kept_lines_follow_the_summary() {
    let list = json!({"preservedMessages": {"anchorUuid": "s", "uuids": ["u2", "a2"]}});
    assert_eq!(lines(&compacted(list).session()), [vec![6, 3], vec![4], vec![7], vec![8]]);
    let segment = json!({"preservedSegment": {"anchorUuid": "s", "headUuid": "u2", "tailUuid": "a2"}});
    assert_eq!(lines(&compacted(segment).session()), [vec![6, 3], vec![4], vec![7], vec![8]]);
    let plain = [vec![6, 7], vec![8]];
    assert_eq!(lines(&compacted(json!({})).session()), plain);
    let missing = json!({"preservedMessages": {"anchorUuid": "s", "uuids": ["u2", "gone"]}});
    assert_eq!(lines(&compacted(missing).session()), plain, "a kept line is missing, so nothing is put back");
    let no_head = json!({"preservedSegment": {"anchorUuid": "s", "headUuid": "a3", "tailUuid": "a2"}});
    assert_eq!(lines(&compacted(no_head).session()), plain);
}

#[test]
fn a_compaction_that_keeps_nothing_ends_what_an_older_one_kept() {
    let list = json!({"preservedMessages": {"anchorUuid": "s", "uuids": ["u2", "a2"]}});
    // The work goes on from before the second compaction, which would undo one that never kept anything.
    let session = compacted(list).boundary("b2", json!({})).summary("s2", "b2").user("u4", "a3", "from before");
    assert_eq!(lines(&session.session()), [[11]]);
    let never_kept = compacted(json!({})).boundary("b2", json!({})).summary("s2", "b2").user("u4", "a3", "from before");
    assert_eq!(lines(&never_kept.session()), [vec![6, 7], vec![8], vec![11]]);
    assert_eq!(found(&never_kept.session()), pairs(&[("compaction-undone", 9)]));
}

#[test]
fn messages_are_made_of_blocks_and_nothing_else() {
    let session =
        Claude::default().user("u1", "", "go").says("a1", "u1", "yes").blocks("u2", "a1", json!(["no block"]));
    assert_eq!(found(&session.session()), pairs(&[("empty-content", 3)]));
}

fn mended(claude: &Claude) -> (Repair, Session) {
    let bytes = claude.bytes();
    let mut session = claude.session();
    let repair = session.repair(&&bytes[..], Client::None);
    let copy = Session::of_bytes(session.agent(), &session.bytes(&bytes));
    assert!(repair.unmended.is_empty(), "{:?}", repair.unmended);
    assert!(copy.verdict(&copy.examine().problems, Client::None).is_ok(), "{:?}", found(&copy));
    (repair, copy)
}

#[test]
fn several_lost_results_are_inserted_one_after_the_other() {
    let session = Claude::default().user("u1", "", "go").calls("a1", "u1", &["t1", "t2"]).says("a2", "a1", "on");
    let (repair, copy) = mended(&session);
    assert_eq!(repair.edits.inserted_after, [Some(2), None]);
    assert_eq!(repair.edits.changed, [3]);
    let ids: Vec<usize> = copy.examine().history.iter().map(|row| row.ids.len()).collect();
    assert_eq!(ids, [0, 2, 2, 0]);
}

#[test]
fn a_late_second_result_is_taken_out_and_the_first_stays() {
    let session = Claude::default()
        .user("u1", "", "go")
        .calls("a1", "u1", &["t"])
        .results("r1", "a1", &["t"])
        .says("a2", "r1", "so")
        .results("r2", "a2", &["t"])
        .says("a3", "r2", "again");
    assert_eq!(found(&session.session()), pairs(&[("misplaced-result", 5)]));
    let (repair, _) = mended(&session);
    assert_eq!((repair.edits.dropped, repair.edits.changed, repair.edits.moved), (vec![5], vec![6], vec![]));
}

#[test]
fn one_of_several_results_of_a_line_is_moved_alone() {
    let session = Claude::default()
        .user("u1", "", "go")
        .calls("a1", "u1", &["t1"])
        .user("u2", "a1", "wait")
        .calls("a2", "u2", &["t2"])
        .results("r", "a2", &["t2", "t1"])
        .says("a3", "r", "so");
    let (repair, copy) = mended(&session);
    assert_eq!((repair.edits.changed, repair.edits.inserted_after), (vec![3, 5], vec![Some(2)]));
    let ids: Vec<Vec<String>> =
        copy.examine().history.iter().map(|row| row.ids.iter().map(ToString::to_string).collect()).collect();
    assert_eq!(ids, [vec![], vec!["t1"], vec!["t1"], vec!["t2"], vec!["t2"], vec![]] as [Vec<&str>; 6]);
}

#[test]
fn ids_that_become_equal_are_told_apart_again() {
    let session = Claude::default()
        .user("u1", "", "go")
        .calls("a1", "u1", &["x.1"])
        .results("r1", "a1", &["x.1"])
        .answer("a2", "r1", json!([{"type": "tool_use", "id": "x:1", "name": "Bash", "input": {"command": "ls"}}]))
        .results("r2", "a2", &["x:1"])
        .says("a3", "r2", "so");
    let (_, copy) = mended(&session);
    let ids: Vec<String> =
        copy.examine().history.iter().flat_map(|row| row.ids.iter().map(ToString::to_string)).collect();
    assert_eq!(ids, ["x_1", "x_1", "x_1-2", "x_1-2"]);
}

#[test]
fn a_kept_line_that_is_dropped_is_no_longer_listed() {
    for metadata in [
        json!({"preservedMessages": {"anchorUuid": "s", "uuids": ["u2", "a2"]}}),
        json!({"preservedSegment": {"anchorUuid": "s", "headUuid": "u2", "tailUuid": "a2"}}),
        json!({"preservedMessages": {"anchorUuid": "s", "uuids": ["u2", "a2"], "allUuids": ["u2", "a2"]},
               "preservedSegment": {"anchorUuid": "s", "headUuid": "u2", "tailUuid": "a2"}}),
    ] {
        // The last kept line is a result without a call, and the work goes on from it.
        let session = Claude::default()
            .user("u1", "", "old")
            .says("a1", "u1", "old")
            .user("u2", "a1", "keep")
            .results("a2", "u2", &["lost"])
            .boundary("b", metadata.clone())
            .summary("s", "b")
            .says("a3", "a2", "fine");
        let (repair, copy) = mended(&session);
        assert_eq!(repair.edits.dropped, [4], "{metadata}");
        assert_eq!(lines(&copy), [vec![5, 3], vec![6]], "{metadata}");
    }
}

#[test]
fn a_result_is_inserted_among_kept_lines() {
    for metadata in [
        json!({"preservedMessages": {"anchorUuid": "s", "uuids": ["u2", "a2"]}}),
        json!({"preservedSegment": {"anchorUuid": "s", "headUuid": "u2", "tailUuid": "a2"}}),
    ] {
        for parent in ["s", "a2"] {
            let session = Claude::default()
                .user("u1", "", "old")
                .says("a1", "u1", "old")
                .user("u2", "a1", "keep")
                .calls("a2", "u2", &["open"])
                .boundary("b", metadata.clone())
                .summary("s", "b")
                .user("u3", parent, "go on")
                .says("a3", "u3", "fine");
            let (repair, copy) = mended(&session);
            assert_eq!(repair.edits.inserted_after, [Some(4)], "{metadata} {parent}");
            let kinds: Vec<usize> = copy.examine().history.iter().map(|row| row.kinds.len()).collect();
            assert_eq!(kinds, [2, 1, 2, 1], "{metadata} {parent}");
        }
    }
}

#[test]
fn a_marker_follows_an_inserted_result() {
    let session = branches().calls("a4", "a2", &["open"]).marker("a4", false).user("u5", "a3", "tail");
    let (repair, copy) = mended(&session);
    assert_eq!((repair.edits.inserted_after.as_slice(), repair.edits.changed.as_slice()), (&[Some(7)][..], &[8][..]));
    assert_eq!(copy.examine().history.len(), 5);
}

#[test]
fn images_are_refused_by_size_and_number() {
    use crate::doctor::image::tests::{encoded, png};
    let image = |width| json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": encoded(&png(width, 9))}});
    let session = |widths: &[u32]| {
        let blocks: Value = widths.iter().map(|width| image(*width)).collect();
        Claude::default().blocks("u1", "", blocks).says("a1", "u1", "seen")
    };
    assert_eq!(found(&session(&[8000, 8001]).session()), pairs(&[("image", 1)]));
    assert_eq!(found(&session(&[2001; 20]).session()), []);
    assert_eq!(found(&session(&[2001; 21]).session()).len(), 21);
    let (repair, _) = mended(&session(&[9000, 10]));
    assert_eq!(repair.edits.changed, [1]);
}

#[test]
fn a_history_may_not_be_larger_than_a_request() {
    let large = "x".repeat(17 << 20);
    let session = Claude::default().user("u1", "", &large).says("a1", "u1", &large).user("u2", "a1", "so").session();
    assert_eq!(found(&session), pairs(&[("too-big", 2)]));
}

#[test]
fn a_rolled_back_compaction_hides_what_came_before() {
    let replacement = json!({"message": "", "replacement_history": [{"type": "compaction", "encrypted_content": "x"}]});
    let rollout = Codex::new(json!({}))
        .turn("one")
        .event("task_started", json!({"turn_id": "two"}))
        .says("user", "two")
        .record("compacted", replacement)
        .says("assistant", "ok")
        .event("thread_rolled_back", json!({"num_turns": 1}))
        .turn("three");
    let session = rollout.session();
    assert_eq!(found(&session), pairs(&[("codex-rollback-cut", 7)]));
    assert_eq!(lines(&session), [[8], [11], [12]], "the answer behind the compaction was not undone");
}

#[test]
fn forks_continue_other_rollouts() {
    let base = Codex::new(json!({"history_mode": "paginated"})).turn("one").turn("two").numbered(0);
    let bytes = base.bytes();
    let cut = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(3).map(|(at, _)| at + 1).expect("lines");
    let fork = |id: &str, ordinal: u64, byte: usize| {
        let position = json!({"thread_id": id, "end_ordinal_exclusive": ordinal, "end_byte_offset": byte});
        Codex::new(json!({"id": "fork", "history_mode": "paginated", "history_base": position}))
            .turn("mine")
            .numbered(4)
    };
    let legacy = Codex::new(json!({})).turn("one").bytes();
    let looping = fork("fork", 4, 10).bytes();
    let files: BTreeMap<&str, Vec<u8>> = [("base", bytes.clone()), ("legacy", legacy), ("fork", looping)].into();
    let opened = |rollout: &Codex| {
        let mut session = rollout.session();
        if let Session::Codex(rollout) = &mut session {
            rollout.read_bases(None, &mut |id: &str, limit: u64, line: &mut dyn FnMut(LineAt, &[u8])| {
                let bytes = files.get(id)?;
                each(&bytes[..bytes.len().min(limit as usize)], line);
                Some(bytes.len() as u64)
            });
        }
        session
    };
    let session = opened(&fork("base", 4, cut));
    assert_eq!(found(&session), []);
    assert_eq!(lines(&session), [vec![], vec![], vec![3], vec![4]], "the first turn of the base, then its own");
    for (id, ordinal, byte, reason) in [
        ("nowhere", 4, cut, "missing source rollout"),
        ("legacy", 4, cut, "source rollout is not paginated"),
        ("base", 0, cut, "cutoff cannot include source session metadata"),
        ("base", 4, bytes.len() + 1, "cutoff byte offset is past the source rollout"),
        ("fork", 4, cut, "cycle detected"),
    ] {
        let session = opened(&fork(id, ordinal, byte));
        let examined = session.examine();
        assert_eq!(found(&session), pairs(&[("codex-base", 1)]), "{reason}");
        assert!(examined.problems[0].predicted.ends_with(reason), "{}", examined.problems[0].predicted);
        assert_eq!(lines(&session), [[3], [4]], "{reason}");
    }
}

#[test]
fn heads_of_rollouts_are_judged() {
    let unknown = Codex::new(json!({"history_mode": "future"})).turn("one");
    assert_eq!(found(&unknown.session()), pairs(&[("codex-history-mode", 1)]));
    let meta = json!({"history_mode": "paginated", "subagent_history_start_ordinal": 9});
    let short = Codex::new(meta.clone()).turn("one").numbered(0);
    assert_eq!(found(&short.session()), pairs(&[("codex-subagent-incomplete", 4)]));
    let whole = Codex::new(meta).turn("one").turn("two").turn("three").numbered(0);
    assert_eq!(found(&whole.session()), []);
    let incomplete = Codex::default().record("session_meta", json!({"id": "x"})).turn("one");
    assert_eq!(found(&incomplete.session()), pairs(&[("codex-first-line", 1)]));
}

#[test]
fn items_inside_a_compaction_are_mended_in_place() {
    let long = "x".repeat(1_048_577);
    let items = json!([
        {"type": "unknown"},
        {"type": "message", "role": "user", "id": "foreign_1", "content": [{"type": "input_image", "image_url": "x:y"}]},
        {"type": "function_call", "name": "f", "call_id": "c", "arguments": long},
        {"type": "function_call_output", "call_id": "c", "output": [{"type": "input_image", "image_url": "z"}]},
    ]);
    let rollout =
        Codex::new(json!({})).record("compacted", json!({"message": "", "replacement_history": items})).turn("on");
    let bytes = rollout.bytes();
    let mut session = rollout.session();
    let checks: Vec<String> = found(&session).into_iter().map(|(check, _)| check).collect();
    assert_eq!(checks, ["codex-image-url", "codex-image-url", "codex-item-id", "codex-too-long"]);
    let repair = session.repair(&&bytes[..], Client::Current);
    assert!(repair.unmended.is_empty());
    assert_eq!(repair.edits.changed, [2]);
    let copy = session.bytes(&bytes);
    let line: Value = serde_json::from_slice(copy.split(|byte| *byte == b'\n').nth(1).expect("a line")).expect("JSON");
    let items = &line["payload"]["replacement_history"];
    assert_eq!(items[1]["id"], Value::Null);
    assert_eq!(items[1]["content"][0]["type"], "input_text");
    assert_eq!(items[3]["output"][0]["type"], "input_text");
    assert!(items[2]["arguments"].as_str().is_some_and(|text| text.len() < 100));
}

#[test]
fn records_that_codex_cannot_decode_are_told() {
    let rollout = Codex::new(json!({})).turn("one").item(json!({"type": "function_call", "name": "f"})).turn("two");
    assert_eq!(found(&rollout.session()), pairs(&[("codex-item-skipped", 5)]));
    let mut bytes = rollout.bytes();
    bytes.extend_from_slice(b"{\"timestamp\":\"t\",\"type\":\"response_item\",\"payl\n{\"timestamp\":\n\0\0\n");
    let session = Session::of_bytes(crate::doctor::detect::Agent::Codex, &bytes);
    assert_eq!(
        found(&session),
        pairs(&[("codex-item-skipped", 5), ("codex-item-skipped", 9), ("malformed-line", 10), ("nul-line", 11)])
    );
}

#[test]
fn prompts_survive_an_old_compaction_up_to_a_length() {
    let long = "x".repeat(50_000);
    let session = Codex::new(json!({}))
        .says("user", "first")
        .says("user", &long)
        .says("assistant", "no")
        .says("user", &long)
        .record("compacted", json!({"message": "summary"}))
        .turn("on")
        .session();
    assert_eq!(lines(&session), [[3], [5], [6], [8], [9]], "the first prompt is too far back");
}

/// A result without its call parts two answers. If it left, the thinking of the second would be out of order.
#[test]
fn a_block_that_parts_an_answer_from_thinking_is_replaced_and_nothing_healthy_goes() {
    let thinking = json!({"type": "thinking", "thinking": "", "signature": "s"});
    let session = |ids: &[&str]| {
        let start = Claude::default().user("u1", "", "go").says("a1", "u1", "waiting");
        let mut parent = "a1".to_owned();
        let results = ids.iter().fold(start, |claude, id| {
            let above = std::mem::replace(&mut parent, format!("r-{id}"));
            claude.results(&parent, &above, &[id])
        });
        results.answer("a2", &parent, json!([thinking, {"type": "text", "text": "fine"}]))
    };
    for ids in [&["x"][..], &["x", "y"]] {
        let mut mended = session(ids).session();
        let bytes = session(ids).bytes();
        let repair = mended.repair(&&bytes[..], Client::Current);
        let last = 2 + ids.len() as u32;
        assert_eq!((repair.edits.dropped, repair.unmended.len()), ((3..last).collect(), 0));
        let copy = Session::of_bytes(mended.agent(), &mended.bytes(&bytes));
        let kinds: Vec<Vec<String>> = copy.examine().history.iter().map(kinds).collect();
        assert_eq!(kinds, [vec!["text"], vec!["text"], vec!["text"], vec!["thinking", "text"]]);
    }
}

fn kinds(row: &crate::doctor::session::Row) -> Vec<String> {
    row.kinds.iter().map(ToString::to_string).collect()
}

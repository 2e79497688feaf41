//! The history at a step, what compactions dropped, and how far a resume reaches.

use serde_json::json;

use super::build::{Claude, Codex};
use crate::doctor::context::{Branch, Dropped, Reach};
use crate::doctor::session::Session;

fn context(session: &Session, line: u32) -> Option<(u32, Vec<Vec<u32>>)> {
    let context = session.context(line)?;
    Some((context.line, context.history.into_iter().map(|row| row.lines).collect()))
}

/// Two turns, a branch that was left, a compaction, and a turn after it.
fn worked() -> Claude {
    Claude::default()
        .user("u1", "", "go")
        .calls("a1", "u1", &["t"])
        .results("r1", "a1", &["t"])
        .says("a2", "r1", "done")
        .user("u2", "a2", "wrong way")
        .says("a3", "u2", "no")
        .user("u3", "a2", "right way")
        .says("a4", "u3", "yes")
        .boundary("b", json!({}))
        .with("logicalParentUuid", json!("a4"))
        .summary("s", "b")
        .user("u4", "s", "go on")
        .says("a5", "u4", "fine")
}

#[test]
fn the_history_at_a_step_is_what_was_answered() {
    let session = worked().session();
    assert_eq!(session.steps(), [2, 4, 6, 8, 12]);
    assert_eq!(context(&session, 2), Some((2, vec![vec![1]])));
    assert_eq!(context(&session, 6), Some((6, vec![vec![1], vec![2], vec![3], vec![4], vec![5]])));
    assert_eq!(context(&session, 8), Some((8, vec![vec![1], vec![2], vec![3], vec![4], vec![7]])));
    assert_eq!(context(&session, 12), Some((12, vec![vec![10, 11]])));
    assert_eq!(context(&session, 1), None, "a prompt is not an answer");
}

#[test]
fn the_lines_of_an_answer_share_its_history() {
    let message = |claude: Claude| {
        claude.with("message", json!({"id": "m", "role": "assistant", "content": [{"type": "text", "text": "x"}]}))
    };
    let session = message(message(Claude::default().user("u1", "", "go").says("a1", "u1", "")).says("a2", "a1", ""));
    assert_eq!(session.session().steps(), [2]);
    assert_eq!(context(&session.session(), 3), Some((2, vec![vec![1]])));
}

#[test]
fn a_compaction_drops_what_it_does_not_keep() {
    let dropped = worked().session().dropped(1).expect("a compaction");
    let expected = Dropped {
        line: 9,
        dropped: vec![1, 2, 3, 4, 7, 8],
        kept: vec![],
        summary: vec![10],
        tokens_before: Some(150_000),
        tokens_after: Some(111),
    };
    assert_eq!(dropped, expected);
    assert_eq!(worked().session().dropped(2), None);
    assert_eq!(worked().session().dropped(0), None);
    let kept = Claude::default()
        .user("u1", "", "old")
        .says("a1", "u1", "old")
        .user("u2", "a1", "keep")
        .says("a2", "u2", "keep")
        .boundary("b", json!({"preservedMessages": {"anchorUuid": "s", "uuids": ["u2", "a2"]}}))
        .summary("s", "b")
        .user("u3", "s", "on")
        .says("a3", "u3", "fine");
    let dropped = kept.session().dropped(1).expect("a compaction");
    assert_eq!((dropped.dropped, dropped.kept, dropped.summary), (vec![1, 2], vec![3, 4], vec![6]));
}

#[test]
fn every_line_has_a_reason() {
    use Reach::{Compacted, CutOff, Reached, Rewound, Skipped};
    let after_compaction = worked().user("u5", "s", "left").session();
    let reach = after_compaction.reach();
    let compacted = [1, 2, 3, 4, 5, 6, 7, 8].map(|line| (line, Compacted));
    assert_eq!(reach[..8], compacted);
    assert_eq!(reach[8..], [(10, Reached), (11, Rewound), (12, Rewound), (13, Reached)]);
    let broken = Claude::default()
        .user("u1", "", "go")
        .says("a1", "u1", "hours of work")
        .user("u2", "gone", "next day")
        .says("a2", "u2", "API error")
        .with("isApiErrorMessage", json!(true))
        .user("u3", "a2", "wrong way")
        .user("u4", "a2", "right way");
    let reach = broken.session().reach();
    assert_eq!(reach, [(1, CutOff), (2, CutOff), (3, Reached), (4, Skipped), (5, Rewound), (6, Reached)]);
    let rollout = Codex::new(json!({}))
        .turn("one")
        .record("compacted", json!({"message": "summary"}))
        .turn("two")
        .turn("three")
        .event("thread_rolled_back", json!({"num_turns": 1}))
        .item(json!({"type": "message"}));
    let reach = rollout.session().reach();
    let of = |line: u32| reach.iter().find(|(other, _)| *other == line).map(|(_, reach)| *reach);
    assert_eq!(
        [3, 4, 5, 7, 10, 11, 13].map(of),
        [Reached, Compacted, Reached, Reached, Rewound, Rewound, Skipped].map(Some)
    );
}

fn branch(reach: Reach, lines: &[u32], explained_by: Option<u32>, missing: Option<&str>) -> Branch {
    Branch { reach, lines: lines.to_vec(), explained_by, missing: missing.map(Into::into) }
}

#[test]
fn every_branch_has_a_line_that_explains_it() {
    use Reach::{Compacted, CutOff, Reached, Rewound};
    let rewound = worked().user("u5", "s", "left").says("a6", "u5", "x").user("u6", "s", "again");
    assert_eq!(
        rewound.session().examine().branches,
        [
            branch(Compacted, &[1, 2, 3, 4, 5, 6, 7, 8], Some(9), None),
            branch(Reached, &[10, 15], None, None),
            branch(Rewound, &[11, 12], Some(10), None),
            branch(Rewound, &[13, 14], Some(10), None),
        ]
    );
    let broken = Claude::default().user("u1", "", "go").user("x", "nowhere", "apart").user("u2", "gone", "next day");
    assert_eq!(
        broken.session().examine().branches,
        [branch(CutOff, &[1, 2], Some(3), Some("gone")), branch(Reached, &[3], None, None)]
    );
    let undone = Codex::new(json!({})).turn("one").turn("two").event("thread_rolled_back", json!({"num_turns": 1}));
    assert_eq!(
        undone.turn("three").session().examine().branches,
        [branch(Reached, &[3, 4, 10, 11], None, None), branch(Rewound, &[6, 7], Some(8), None)]
    );
}

#[test]
fn stretches_leave_out_lines_of_other_kinds_and_end_at_other_branches() {
    let found = branch(Reach::Reached, &[3, 5, 9, 14], None, None);
    assert_eq!(found.stretches(&[3, 5, 7, 9, 14, 20]), [(3, 5), (9, 14)]);
}

#[test]
fn the_history_at_a_step_of_codex_is_what_came_before_the_response() {
    let session = Codex::new(json!({}))
        .turn("one")
        .event("task_started", json!({"turn_id": "two"}))
        .says("user", "two")
        .item(json!({"type": "reasoning", "summary": [], "id": "rs_1"}))
        .item(json!({"type": "function_call", "name": "f", "arguments": "{}", "call_id": "c"}))
        .item(json!({"type": "function_call_output", "call_id": "c", "output": "ok"}))
        .says("assistant", "done")
        .session();
    assert_eq!(session.steps(), [4, 7, 10]);
    assert_eq!(context(&session, 8), Some((7, vec![vec![3], vec![4], vec![6]])));
    assert_eq!(context(&session, 10), Some((10, vec![vec![3], vec![4], vec![6], vec![7], vec![8], vec![9]])));
    assert_eq!(context(&session, 9), None);
}

#[test]
fn a_compaction_of_codex_takes_the_place_of_everything() {
    let items = json!([{"type": "compaction", "encrypted_content": "x"}]);
    let session = Codex::new(json!({}))
        .turn("one")
        .record("compacted", json!({"message": "", "replacement_history": items}))
        .turn("two")
        .session();
    let dropped = session.dropped(1).expect("a compaction");
    assert_eq!((dropped.line, dropped.dropped, dropped.kept, dropped.summary), (5, vec![3, 4], vec![], vec![5]));
}

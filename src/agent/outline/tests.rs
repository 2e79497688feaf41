//! Unit tests of outlines.

use super::*;

const USER: &str = r#"{"type":"user","uuid":"1","parentUuid":null,"sessionId":"s","cwd":"/p/app","gitBranch":"main","version":"2.1.200","timestamp":"2026-10-11T09:00:00Z","message":{"content":"  fix the parser\nplease"}}"#;
const CALL: &str = r#"{"type":"assistant","uuid":"2","parentUuid":"1","sessionId":"s","timestamp":"2026-10-11T09:00:10Z","message":{"id":"m1","model":"big","stop_reason":"tool_use","content":[{"type":"tool_use","id":"t","name":"Bash","input":{}}],"usage":{"input_tokens":100,"cache_read_input_tokens":900,"output_tokens":20}}}"#;
const RESULT: &str = r#"{"type":"user","uuid":"3","parentUuid":"2","sessionId":"s","timestamp":"2026-10-11T09:00:20Z","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"ok"}]}}"#;
const ANSWER: &str = r#"{"type":"assistant","uuid":"4","parentUuid":"3","sessionId":"s","timestamp":"2026-10-11T09:00:30Z","message":{"id":"m2","model":"big","stop_reason":"end_turn","content":[{"type":"text","text":"done"}],"usage":{"input_tokens":2000,"output_tokens":30}}}"#;
const INTERRUPT: &str = r#"{"type":"user","uuid":"5","parentUuid":"4","sessionId":"s","message":{"content":"[Request interrupted by user]"}}"#;

const META: &str = r#"{"timestamp":"2026-10-11T09:00:00Z","type":"session_meta","payload":{"id":"019f9d10-52c7-7000-8000-00009d1052c7","cwd":"/p/tool","cli_version":"0.147.0","git":{"branch":"dev"}}}"#;
const STARTED: &str =
    r#"{"timestamp":"2026-10-11T09:00:01Z","type":"event_msg","payload":{"type":"task_started","turn_id":"t1"}}"#;
const CONTEXT: &str =
    r#"{"timestamp":"2026-10-11T09:00:01Z","type":"turn_context","payload":{"cwd":"/p/tool","model":"large"}}"#;
const HARNESS: &str = r#"{"timestamp":"2026-10-11T09:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>x</environment_context>"}]}}"#;
const ASKED: &str = r#"{"timestamp":"2026-10-11T09:00:02Z","type":"event_msg","payload":{"type":"user_message","message":"why is it slow"}}"#;
const SAID: &str = r#"{"timestamp":"2026-10-11T09:00:08Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a loop"}]}}"#;
const COUNT: &str = r#"{"timestamp":"2026-10-11T09:00:09Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"total_tokens":5000,"input_tokens":4800,"output_tokens":200},"last_token_usage":{"input_tokens":2400,"output_tokens":100,"total_tokens":2500},"model_context_window":200000}}}"#;
const COMPLETE: &str = r#"{"timestamp":"2026-10-11T09:00:10Z","type":"event_msg","payload":{"type":"task_complete","turn_id":"t1","last_agent_message":"a loop"}}"#;

fn of_whole(lines: &[&str]) -> Outline {
    outline(&Excerpt { head: lines.join("\n").as_bytes(), tail: None }).expect("a session")
}

/// The tail begins in the middle of a line.
fn of_parts(head: &[&str], tail: &[&str]) -> Outline {
    let (head, tail) = (format!("{}\n{{\"type\":\"us", head.join("\n")), format!("cut\"}}\n{}\n", tail.join("\n")));
    outline(&Excerpt { head: head.as_bytes(), tail: Some(tail.as_bytes()) }).expect("a session")
}

fn text(text: &Option<Box<str>>) -> &str {
    text.as_deref().unwrap_or("unknown")
}

#[test]
fn a_whole_claude_code_session_is_described() {
    let found = of_whole(&[USER, CALL, RESULT, ANSWER]);
    assert_eq!((found.format, found.program), ("claude-code", "Claude Code"));
    assert_eq!(text(&found.prompt), "fix the parser\nplease");
    assert_eq!((text(&found.answer), text(&found.outcome)), ("done", "completed"));
    assert_eq!((text(&found.cwd), text(&found.branch), text(&found.model)), ("/p/app", "main", "big"));
    assert_eq!((found.context_tokens, found.total_tokens), (Some(2000), Some(3050)));
    assert_eq!(found.ended.zip(found.began).map(|(ended, began)| ended - began), Some(30_000_000));
    assert_eq!(found.findings, Some(0));
}

#[test]
fn a_whole_codex_session_is_described() {
    let found = of_whole(&[META, STARTED, CONTEXT, HARNESS, ASKED, SAID, COUNT, COMPLETE]);
    assert_eq!(found.format, "codex");
    assert_eq!((text(&found.prompt), text(&found.answer)), ("why is it slow", "a loop"));
    assert_eq!((text(&found.outcome), text(&found.model)), ("completed", "large"));
    assert_eq!((text(&found.cwd), text(&found.branch), text(&found.version)), ("/p/tool", "dev", "0.147.0"));
    assert_eq!((found.context_tokens, found.total_tokens), (Some(2400), Some(5000)));
}

#[test]
fn the_outcome_is_that_of_the_last_turn() {
    for (lines, outcome) in [
        (&[USER, CALL][..], "open"),
        (&[USER, CALL, RESULT], "open"),
        (&[USER, CALL, RESULT, ANSWER, INTERRUPT], "interrupted"),
        (&[META, STARTED, ASKED, SAID, COUNT], "open"),
    ] {
        assert_eq!(text(&of_whole(lines).outcome), outcome, "{lines:?}");
    }
}

#[test]
fn a_head_and_a_tail_are_enough() {
    let found = of_parts(&[USER], &[RESULT, ANSWER]);
    assert_eq!(
        (text(&found.prompt), text(&found.outcome), text(&found.answer)),
        ("fix the parser\nplease", "completed", "done")
    );
    assert_eq!((found.context_tokens, found.total_tokens, found.findings), (Some(2000), None, None));
    let found = of_parts(&[META, STARTED, ASKED], &[SAID, COUNT, COMPLETE]);
    assert_eq!((text(&found.outcome), found.total_tokens), ("completed", Some(5000)));
    assert_eq!(text(&of_parts(&[META, STARTED, ASKED], &[COMPLETE]).outcome), "completed", "nothing but the end");
    assert_eq!(text(&of_parts(&[META, STARTED, ASKED], &[SAID]).outcome), "open");
}

#[test]
fn what_only_the_unread_part_could_tell_is_unknown() {
    let title = r#"{"type":"ai-title","sessionId":"s","aiTitle":"Parser"}"#;
    let found = of_parts(&[USER, CALL, RESULT, ANSWER], &[title]);
    assert_eq!((text(&found.outcome), text(&found.answer), text(&found.title)), ("unknown", "unknown", "Parser"));
    assert_eq!((found.context_tokens, found.ended), (None, None));
}

#[test]
fn a_title_of_the_user_wins() {
    let titles = [
        r#"{"type":"custom-title","sessionId":"s","customTitle":"mine"}"#,
        r#"{"type":"ai-title","sessionId":"s","aiTitle":"theirs"}"#,
        r#"{"type":"custom-title","sessionId":"s","customTitle":""}"#,
    ];
    assert_eq!(text(&of_whole(&[USER, titles[0], titles[1], titles[2]]).title), "mine");
    assert_eq!(text(&of_whole(&[USER, titles[1]]).title), "theirs");
}

#[test]
fn a_command_is_the_prompt_if_there_is_no_other() {
    let command = r#"{"type":"user","uuid":"1","parentUuid":null,"sessionId":"s","message":{"content":"<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>all of it</command-args>"}}"#;
    assert_eq!(text(&of_whole(&[command, ANSWER]).prompt), "/review all of it");
    assert_eq!(text(&of_whole(&[command, USER]).prompt), "fix the parser\nplease");
}

#[test]
fn files_that_are_no_sessions_have_no_outline() {
    let snapshot = r#"{"type":"file-history-snapshot","messageId":"m","snapshot":{}}"#;
    for content in ["", "\n\n", "no json", "{\"a\":1}", snapshot, "\0\0\0", "[1,2]"] {
        assert_eq!(outline(&Excerpt { head: content.as_bytes(), tail: None }), None, "{content}");
        let cut = outline(&Excerpt { head: content.as_bytes(), tail: Some(content.as_bytes()) });
        assert!(cut.is_none_or(|cut| cut.prompt.is_none() && cut.outcome.is_none()), "{content}");
    }
}

#[test]
fn damage_hides_nothing_but_the_findings() {
    let nuls = format!("{}{USER}", "\0".repeat(10));
    let found = of_whole(&["{\"type\":\"us", &nuls, "\u{1b}[2J", ANSWER]);
    assert_eq!((text(&found.prompt), text(&found.outcome)), ("fix the parser\nplease", "completed"));
    assert_eq!(found.findings, None);
    let long = USER.replace("fix the parser", &"x".repeat(5000));
    assert_eq!(of_whole(&[&long]).prompt.map(|prompt| prompt.chars().count()), Some(TEXT_CHARACTERS));
}

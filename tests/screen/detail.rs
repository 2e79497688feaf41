//! The Event pane: its tabs, and the value under the cursor.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use crate::tests::bench::{self, DEMO};
use ratatui::style::Modifier;
use stepback::json::tree::{RowKind, Tree};
use stepback::replay::Seq;
use stepback::replay::condition::Condition;
use stepback::replay::direction::Direction;
use stepback::tui::action::{Action, Pane};
use stepback::tui::detail::Tab;
use stepback::tui::update::update;

/// A screen that shows only the event.
struct Bench(bench::Bench);

impl Deref for Bench {
    type Target = bench::Bench;

    fn deref(&self) -> &bench::Bench {
        &self.0
    }
}

impl DerefMut for Bench {
    fn deref_mut(&mut self) -> &mut bench::Bench {
        &mut self.0
    }
}

impl Bench {
    fn new(mut bench: bench::Bench) -> Bench {
        (bench.model.focus, bench.model.zoomed) = (Pane::Detail, true);
        bench.model.settle();
        Bench(bench)
    }

    fn demo(width: u16, height: u16) -> Bench {
        Bench::new(bench::Bench::open(DEMO, width, height))
    }

    /// A log of these lines, after a first line that makes it a turn log.
    fn of_lines(lines: &[Vec<u8>], width: u16, height: u16) -> Bench {
        let mut text = b"{\"event_type\":\"schema_version\",\"version\":1}\n".to_vec();
        for line in lines {
            text.extend_from_slice(line);
            text.push(b'\n');
        }
        Bench::new(bench::Bench::of(&text, width, height))
    }

    fn go(&mut self, at: u32) -> &mut Self {
        self.0.go(at);
        self
    }

    fn tab(&mut self, tab: Tab) -> &mut Self {
        self.model.detail.show_tab(tab);
        self.model.settle();
        self
    }

    /// Every line of the tab, also those that do not fit on the screen.
    fn all(&self) -> String {
        let lines = self.model.detail.lines(0..usize::MAX);
        let text = |drawn: stepback::tui::detail::lines::TabLine| {
            " ".repeat(drawn.indent) + &drawn.pieces.iter().map(|piece| piece.text.as_str()).collect::<String>() + "\n"
        };
        lines.map(|(_, drawn)| text(drawn)).collect()
    }

    /// To the first line that holds a text.
    fn to(&mut self, text: &str) -> &mut Self {
        self.model.detail.first();
        let found = self.all().lines().position(|line| line.contains(text)).unwrap_or_else(|| panic!("no {text}"));
        self.model.detail.cursor(found as i64);
        self
    }
}

#[test]
fn json_folds_and_shows_its_path() {
    let mut bench = Bench::demo(100, 30);
    bench.go(18);
    let frame = bench.frame();
    for text in ["Event #18", "[JSON]", " Conversation ", "tool_name: \"exec_shell\"", "read_only: false", "1/15"] {
        assert!(frame.contains(text), "{text}:\n{frame}");
    }
    assert!(frame.contains("input_json: \"…\" as JSON {"), "{frame}");
    assert!(frame.contains("    command: \"git checkout -- .\""), "{frame}");
    bench.to("command:");
    assert_eq!(bench.model.detail.path().as_deref(), Some(".input_json | fromjson | .command"));
    assert_eq!(bench.model.detail.value_text().as_deref(), Some("\"git checkout -- .\""));
    assert!(bench.frame().contains(".input_json | fromjson | .command"), "{}", bench.frame());
    bench.to("approval_required");
    bench.model.detail.toggle_fold();
    assert!(bench.all().contains("decision: {…} 3 members\n"), "{}", bench.all());
    assert_eq!(bench.model.detail.path().as_deref(), Some(".decision"), "the cursor goes to what hides it");
    bench.model.detail.toggle_fold();
    assert!(bench.all().contains("approval_required"));
    bench.model.detail.fold_all(true);
    assert_eq!(bench.all().lines().count(), 9, "{}", bench.all());
    bench.go(19).go(18);
    assert!(bench.all().contains("approval_required"), "folds go with their event");
}

#[test]
fn long_strings_are_wrapped() {
    let mut bench = Bench::demo(60, 30);
    bench.go(5);
    let all = bench.all();
    assert!(all.contains("  result_preview: \"test leap_years ... FAILED\n    \n    assertion"), "{all}");
    assert!(all.contains("41 passed; 1 failed\"\n"), "{all}");
    assert!(all.lines().all(|line| line.chars().count() <= 58), "{all}");
    bench.to("left: 366");
    bench.model.detail.toggle_fold();
    assert!(bench.all().contains("bytes folded"), "{}", bench.all());
}

#[test]
fn hits_are_found_wherever_they_are() {
    let mut bench = Bench::demo(100, 30);
    bench.go(18).model.detail.fold_all(true);
    assert_eq!(bench.model.detail.search("CHECKOUT"), Ok(0), "a capital makes case matter");
    assert_eq!(bench.model.detail.search("checkout"), Ok(1));
    assert_eq!(bench.model.detail.path().as_deref(), Some(".input_json | fromjson | .command"));
    let buffer = bench.buffer();
    let marked: String = buffer
        .content
        .iter()
        .filter(|cell| cell.modifier.contains(Modifier::UNDERLINED))
        .map(|cell| cell.symbol())
        .collect();
    assert_eq!(marked, "checkout");
    assert!(bench.frame().contains("/checkout 1 · "), "{}", bench.frame());
    assert!(!bench.model.detail.next_hit(Direction::Forward));
    assert_eq!(bench.model.detail.search("call"), Ok(3));
    assert!(bench.model.detail.next_hit(Direction::Backward) || bench.model.detail.next_hit(Direction::Forward));
    assert!(bench.model.detail.search("call(").is_err());
    bench.tab(Tab::Raw);
    assert!(bench.model.detail.hit_count() >= 3, "the bytes are searched too");
    assert_eq!(bench.model.detail.search(""), Ok(0));
}

#[test]
fn a_hit_may_span_lines() {
    let text = format!("{} needle {}", "x".repeat(50), "y".repeat(50));
    let line = format!(r#"{{"event_type":"steer_injected","turn_id":"t","step_idx":1,"text":"{text}"}}"#);
    let mut bench = Bench::of_lines(&[line.into_bytes()], 62, 20);
    bench.go(1);
    assert_eq!(bench.model.detail.search("xx needle yy"), Ok(1));
    let marked: Vec<usize> =
        (0..bench.model.detail.len()).filter(|line| !bench.model.detail.marks(*line).is_empty()).collect();
    assert_eq!(marked.len(), 2, "{}", bench.all());
}

#[test]
fn bytes_are_shown_as_they_are() {
    let mut bench = Bench::demo(100, 30);
    bench.go(18).tab(Tab::Raw);
    let frame = bench.frame();
    assert!(frame.contains("[Raw]") && frame.contains("line "), "{frame}");
    assert!(frame.contains("0000  7b 0a 20 20 20 20 22 65  76 65 6e 74 5f 74 79 70  {.    \"event_typ"), "{frame}");
    bench.model.detail.last();
    assert!(bench.frame().contains("}\n") || bench.frame().contains("}"), "{}", bench.frame());
    let length = bench.model.replay().record(Seq(18)).expect("there").expect("a record").len();
    assert_eq!(bench.model.detail.len(), 2 + length.div_ceil(16));
    let mut narrow = Bench::demo(60, 30);
    narrow.go(18).tab(Tab::Raw);
    assert!(narrow.frame().contains("0008  76 65 6e 74 5f 74 79 70  vent_typ"), "{}", narrow.frame());
}

#[test]
fn the_conversation_is_rebuilt_around_the_playhead() {
    let mut bench = Bench::demo(100, 60);
    bench.go(18).tab(Tab::Conversation);
    let all = bench.all();
    for text in [
        "  user 0\n    The leap year test fails.",
        "  assistant 17\n    The working tree has other changes",
        "▶ tool call 18 exec_shell call-4\n    │ {\n    │   \"command\": \"git checkout -- .\"\n    │ }\n  approval 19 call-4\n    rejected\n",
        "  tool result 21 exec_shell call-4 success\n    Updated 2 paths",
        "  tool result 28 edit_file call-5 tool_error\n    Error: the text to replace was not found",
        "  end 37 after 7 steps\n    failed: edit_file failed three times",
    ] {
        assert!(all.contains(text), "{text}:\n{all}");
    }
    assert_eq!(bench.model.detail.event(), Some(Seq(18)));
    let later = all.lines().position(|line| line.starts_with("  approval")).expect("an approval");
    for (line, drawn) in bench.model.detail.lines(0..usize::MAX) {
        assert_eq!(drawn.is_dim, line >= later, "line {line}:\n{all}");
    }
    bench.go(20);
    assert!(
        bench.all().contains(
            "  approval 19 call-4\n    rejected\n▶ tool_call_started 20\n    call-4 wave 0\n  tool result 21"
        ),
        "{}",
        bench.all()
    );
    let cursor = bench.model.detail.line();
    update(&mut bench.model, Action::Cursor(-3));
    assert_eq!(bench.model.detail.line(), cursor - 3);
}

/// An agent session is read, not decoded: text, changes and outputs, which fold.
#[test]
fn a_session_opens_as_a_conversation() {
    let output: String = (0..30).map(|line| format!("line {line}\\n")).collect();
    let lines = [
        r###"{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s","timestamp":"2026-01-01T00:00:00.000Z","version":"2.1.200","message":{"role":"user","content":"# Fix **it**\u001b[31m"}}"###.to_owned(),
        r#"{"type":"assistant","uuid":"u2","parentUuid":"u1","sessionId":"s","timestamp":"2026-01-01T00:00:01.000Z","message":{"id":"m1","model":"c","content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"/p/a.rs","old_string":"a","new_string":"b"}}],"usage":{"input_tokens":5,"output_tokens":5}}}"#.to_owned(),
        r#"{"type":"user","uuid":"u3","parentUuid":"u2","sessionId":"s","timestamp":"2026-01-01T00:00:02.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"Exit code 2\nOUT"}]}}"#.replace("OUT", &output),
        r#"{"type":"file-history-snapshot","messageId":"x","snapshot":{}}"#.to_owned(),
    ];
    let mut bench = Bench::new(bench::Bench::of(lines.join("\n").as_bytes(), 80, 40));
    bench.go(2);
    let all = bench.all();
    for text in [
        "  user 0\n    Fix it\\u{1b}[31m\n",
        "  tool call 1 Edit\n    /p/a.rs\n    -a\n    +b\n",
        "▶ tool result 2 tool_error\n    exit code 2\n    line 0\n",
        "    line 11\n    … 18 more lines\n",
    ] {
        assert!(all.contains(text), "{text}:\n{all}");
    }
    assert!(bench.frame().contains("[Conversation]"), "{}", bench.frame());
    assert_eq!(bench.model.detail.search("line 2[78]"), Ok(1), "hits in what is hidden are at its mark");
    bench.model.detail.search("").expect("no search");
    bench.to("… 18 more lines");
    update(&mut bench.model, Action::Fold);
    assert!(bench.all().contains("    line 29\n") && !bench.all().contains("more lines"), "{}", bench.all());
    update(&mut bench.model, Action::Fold);
    assert!(bench.all().contains("… 18 more lines"), "{}", bench.all());
    update(&mut bench.model, Action::FoldAll);
    assert!(bench.all().contains("line 29"), "{}", bench.all());
    bench.go(3);
    assert!(bench.all().ends_with("▶ metadata 3\n    file-history-snapshot\n"), "{}", bench.all());
    bench.to("-a");
    update(&mut bench.model, Action::Fold);
    assert_eq!(bench.model.at(), Seq(1), "on another message, Enter goes to its event");
}

/// The path of a row, as a jq filter, returns the row's value.
#[test]
fn paths_are_filters_that_return_the_value() {
    let odd = br#"{"event_type":"schema_version","version":1,"and":1,"if":{"a b":[true,{"\"x\\":null}]},"__loc__":2,"in":"{\"reduce\":[\"[7]\"]}","\u00e9":[[]]}"#;
    let bench = Bench::of_lines(&[odd.to_vec()], 80, 24);
    let demo = Bench::demo(80, 24);
    for (bench, from) in [(&bench, 1), (&demo, 0)] {
        let replay = bench.model.replay();
        for at in (from..replay.len()).map(Seq) {
            let record = replay.record(at).expect("there").expect("a record");
            let tree = Tree::new(Arc::from(record));
            for row in (0..tree.len()).filter(|row| tree.kind(*row) != RowKind::Close) {
                let value = String::from_utf8(tree.bytes(row).to_vec()).expect("UTF-8");
                let filter = format!(".event | ({}) == {value}", tree.path(row));
                let condition = Condition::parse(&filter, replay.vocabulary())
                    .unwrap_or_else(|bad| panic!("{filter}: {}", bad.reason));
                assert_eq!(condition.holds(replay, at), Ok(true), "{filter}");
            }
        }
    }
}

/// Any log is drawn, cannot control the terminal, and omissions are marked.
#[test]
fn hostile_records_are_drawn() {
    let long =
        format!(r#"{{"event_type":"steer_injected","turn_id":"t","step_idx":1,"text":"{}"}}"#, "word ".repeat(400_000));
    let deep = "[".repeat(100_000);
    let lines: Vec<Vec<u8>> = vec![
        b"{\"event_type\":\"x\",\"a\\u001b[2J\":\"\\u001b]0;x\\u0007\\u202e \\u0000\"}".to_vec(),
        b"\xff\xfe\x1b[31m not json at all \x00\x9b".to_vec(),
        b"{\"torn\": [1, 2, {\"a".to_vec(),
        deep.into_bytes(),
        long.into_bytes(),
        format!("[{}1]", "\"[]\",".repeat(300_000)).into_bytes(),
        "\u{301}".repeat(5_000).into_bytes(),
    ];
    let mut bench = Bench::of_lines(&lines, 80, 24);
    for at in 0..=lines.len() as u32 {
        bench.go(at);
        for tab in Tab::ALL {
            bench.tab(tab);
            for _ in 0..3 {
                let is_bad = |character: char| character.is_control() || character == '\u{202e}';
                // The cells themselves, since the frame as text is cleaned once more.
                let bad = bench.buffer().content.into_iter().find(|cell| cell.symbol().contains(is_bad));
                assert!(bad.is_none(), "{at} {tab:?}: {bad:?}\n{}", bench.frame());
                bench.model.detail.last();
                bench.model.detail.toggle_fold();
                let _ = (bench.model.detail.path(), bench.model.detail.value_text(), bench.model.detail.search("a|1"));
                bench.model.settle();
            }
        }
    }
    bench.go(5).tab(Tab::Json);
    bench.model.detail.search("").expect("no search");
    bench.model.detail.fold_all(false);
    assert!(bench.all().contains("… 1 900 000 more bytes; Raw shows them all"), "{}", bench.frame());
    bench.go(3);
    assert!(bench.all().contains("    2: {\nnot JSON from byte 17 on:\n  \"a"), "{}", bench.all());
}

#[test]
fn every_size_is_drawn() {
    for (width, height) in [(60, 15), (61, 16), (80, 24), (200, 60)] {
        let mut bench = Bench::demo(width, height);
        for zoomed in [true, false] {
            bench.model.zoomed = zoomed;
            for at in [0, 5, 18, 37] {
                for tab in Tab::ALL {
                    bench.go(at).tab(tab);
                    let frame = bench.frame();
                    assert!(frame.contains(&format!("[{}]", tab.name())), "{frame}");
                    for action in [Action::Page(1), Action::Cursor(5), Action::Page(-1)] {
                        update(&mut bench.model, action);
                        bench.frame();
                    }
                }
            }
        }
    }
}

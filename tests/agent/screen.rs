//! What the screen shows of a session without a key press, and while the session is being written.

use std::fs;

use stepback::loader::Loaded;
use stepback::log::{Log, Options};
use stepback::replay::Seq;
use stepback::tui::news::News;
use stepback::tui::update::news;

use super::stories::fixture;
use crate::tests::bench::{Bench, says};

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 60)];

fn open(name: &str, (width, height): (u16, u16)) -> Bench {
    Bench::open(&format!("fixtures/agent/{name}"), width, height)
}

#[test]
fn the_first_screen_answers_what_is_asked_first() {
    for (name, expected) in [
        ("claude-code/finished.jsonl", &["turn completed", "run      5 steps, ", "written  1 file: lex"][..]),
        ("claude-code/killed.jsonl", &["waiting for Bash", "open     Bash #3", "failed   none of 2 c"]),
        ("claude-code/interrupted.jsonl", &["stopped  1 interrupt"]),
        ("claude-code/denied.jsonl", &["stopped  1 denied"]),
        ("claude-code/api-error.jsonl", &["ended with an error"]),
        ("claude-code/failing-tool.jsonl", &["failed   3 of 3, fir"]),
        ("claude-code/repeat.jsonl", &["repeats  Bash 4 time"]),
        ("claude-code/compacted.jsonl", &["compaction"]),
        ("claude-code/background-open.jsonl", &["1 task in th"]),
        ("claude-code/sidechain.jsonl", &["context  "]),
        ("codex/rollout-finished.jsonl", &["turn completed", "context  15.5k of 272", "tokens   70.5k→450"]),
        ("codex/rollout-killed.jsonl", &["waiting for exec_command", "open     exec_command"]),
        ("codex/rollout-bare.jsonl", &["context  not recorded", "tokens   not recorded"]),
    ] {
        for size in SIZES {
            says(&open(name, size), expected);
        }
    }
}

#[test]
fn the_recap_leaves_the_screen_when_the_user_looks_at_a_moment() {
    let mut bench = open("claude-code/finished.jsonl", (80, 24));
    assert!(!bench.keys("l").frame().contains("run      "));
    says(bench.keys("G"), &["run      "]);
    // With the cursor on the fields, all of the pane is theirs.
    assert!(!bench.keys("Tab").frame().contains("run      "));
}

#[test]
fn a_field_is_selected_below_the_recap_where_it_is_drawn() {
    let mut bench = open("claude-code/finished.jsonl", (80, 24));
    let place = bench.place_of("branch");
    bench.click(place);
    let fields = bench.model.fields();
    let chosen = bench.model.chosen_field().expect("a field");
    assert_eq!(bench.model.replay().vocabulary().field_name(chosen), "branch", "{fields:?}");
}

/// The strip of a session is a chart of its context, to scale, with compactions marked.
#[test]
fn the_strip_shows_the_context() {
    let bench = open("claude-code/context-drop.jsonl", (80, 24));
    let overview = &bench.model.overview;
    let heights = overview.heights(7);
    let column = |at| heights[overview.column(Seq(at))];
    let contexts: Vec<u64> =
        (0..bench.model.replay().len()).map(|at| overview.columns[overview.column(Seq(at))].level).collect();
    assert!(overview.is_chart && contexts.windows(2).any(|pair| pair[1] < pair[0]), "{contexts:?}");
    for (at, context) in (0..).zip(&contexts) {
        let expected = (*context as f64 / *contexts.iter().max().expect("events") as f64 * 7.0).round() as usize;
        assert_eq!(column(at), expected, "at {at}: {contexts:?}");
    }
    let compacted = open("claude-code/compacted.jsonl", (80, 24)).frame();
    assert!(compacted.lines().nth(1).expect("the strip").contains('◇'), "{compacted}");
    // A turn log has no such level: its strip shows data.
    assert!(!Bench::open("assets/demo.json", 80, 24).model.overview.is_chart);
}

#[test]
fn a_chart_has_more_rows_on_a_tall_screen() {
    let tall = open("claude-code/grown.jsonl", (120, 40)).frame();
    let top = tall.lines().position(|line| line.contains("Events")).expect("the panes");
    assert_eq!(top, 5, "{tall}");
}

#[test]
fn derived_values_are_marked_and_missing_ones_say_why() {
    let mut bench = open("codex/rollout-finished.jsonl", (200, 60));
    bench.keys("G h");
    says(&bench, &["~ tools", "unchanged, "]);
    bench.click_on("unchanged, ");
    says(&bench, &["not recorded: C"]);
}

/// The time since the call began is shown only while the log is followed, and is alarming when it is unusual.
#[test]
fn a_wait_is_told_while_the_log_is_followed() {
    let mut bench = open("claude-code/killed.jsonl", (80, 24));
    let waiting = bench.model.ending.as_ref().and_then(|ending| ending.waiting).expect("a wait");
    news::apply(&mut bench.model, [News::Clock(waiting.since + 65_000)]);
    assert!(!bench.frame().contains("for 1 min"));
    bench.model.follows = true;
    says(&bench, &["waiting for Bash for 1 min 5 s"]);
    news::apply(&mut bench.model, [News::Clock(waiting.since + 9_000)]);
    says(&bench, &["waiting for Bash for 9 s"]);
}

/// A loop is visible after its third call, before the log ends.
#[test]
fn a_session_that_is_written_shows_its_loop() {
    let whole = fs::read_to_string(fixture("claude-code/repeat.jsonl")).expect("a fixture");
    let lines: Vec<&str> = whole.lines().collect();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("s.jsonl");
    // The third call has no result yet.
    fs::write(&path, lines[..6].join("\n") + "\n").expect("written");
    let log = Log::open(&path, &Options::default()).expect("a log");
    let loaded = Loaded::begin_log_only(log, false).expect("a pass");
    loaded.wait_to_end(|_| {}).expect("the end");
    let last = Seq(loaded.replay().len() - 1);
    let moment = loaded.replay().moment(last).expect("readable").expect("a moment");
    let ending = moment.ending.expect("an ending");
    assert_eq!(ending.words, "waiting for Bash (Bash ×3 alike)");
    assert!(
        moment.recap.iter().any(|line| line.text == "Bash 3 times alike #1" && line.is_alarming),
        "{:?}",
        moment.recap
    );
}

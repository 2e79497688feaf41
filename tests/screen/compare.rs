//! Comparing two logs on the screen: stepping, going from difference to difference, ending, and what is refused meanwhile.

use crate::tests::bench::{Bench, DEMO, says};
use serde_json::json;
use stepback::tui::action::Pane;
use stepback::tui::compare::state::CompareNews;

const CLEAN: &str = "fixtures/turn/clean.json";

/// A run that succeeded compared with one that failed, on a large screen.
fn both() -> Bench {
    let mut bench = Bench::open(CLEAN, 200, 60);
    bench.keys(": <compare fixtures/turn/clean-failed.json> Enter");
    bench
}

/// The numbers in the title of the event: those of both logs.
fn place(bench: &Bench) -> String {
    let frame = bench.frame();
    let line = frame.lines().find(|line| line.contains(" Event ") && line.contains('[')).expect("a title");
    let title = line.split(" Event ").nth(1).expect("a title");
    title.split(" ─").next().expect("its end").trim().to_owned()
}

#[test]
fn it_begins_at_the_first_difference_and_goes_from_one_to_the_next() {
    let mut bench = both();
    assert_eq!((place(&bench).as_str(), bench.model.at().0), ("13 │ 13", 13));
    says(&bench, &["event 13 (tool_call_finished) differs: .outcome", "difference 1 of 14"]);
    says(&bench, &["Expected: clean.json", "Actual: clean-failed.json", "each run has its own ids"]);
    let places = ["15 │ 15", "16 │ —", "— │ 16", "18 │ —", "19 │ —", "— │ 18", "— │ 19", "— │ 20", "— │ 21", "22 │ 24"];
    for place_of_it in places {
        assert_eq!(place(bench.keys("}")), place_of_it);
    }
    for place_of_it in places.iter().rev().skip(1) {
        assert_eq!(place(bench.keys("{")), *place_of_it);
    }
    assert_eq!(place(bench.keys("G |")), "13 │ 13");
    // The history leads back to the place before the jump.
    assert_eq!(place(bench.keys("Ctrl-o")), "25 │ 25");
}

#[test]
fn stepping_visits_the_events_of_both_logs() {
    let mut bench = both();
    let mut seen = Vec::new();
    for _ in 0..5 {
        seen.push(place(&bench));
        bench.keys("l");
    }
    assert_eq!(seen, ["13 │ 13", "14 │ 14", "15 │ 15", "16 │ —", "— │ 16"]);
    seen.reverse();
    for expected in &seen {
        assert_eq!(place(bench.keys("h")), *expected);
    }
    assert_eq!(place(bench.keys("5 l")), "17 │ 17");
    assert_eq!(place(bench.keys("g")), "0 │ 0");
    assert_eq!(place(bench.keys("G")), "25 │ 25");
    // A number is an event of the open log; the other log follows.
    assert_eq!(place(bench.keys("2 2 g")), "22 │ 24");
    // Playing visits the same places.
    bench.keys("|");
    bench.keys("Space");
    for expected in ["14 │ 14", "15 │ 15", "16 │ —", "— │ 16", "17 │ 17"] {
        stepback::tui::update::play::tick(&mut bench.model);
        assert_eq!(place(&bench), expected);
    }
}

#[test]
fn the_other_log_follows_every_movement() {
    let mut bench = both();
    assert_eq!(place(bench.keys("g / <completed> Enter")), "25 │ 25");
    assert_eq!(place(bench.keys(": <20> Enter")), "20 │ 22");
    bench.keys("m <why?> Enter g ]");
    assert_eq!(place(&bench), "20 │ 22");
    says(&bench, &["★20"]);
    assert_eq!(place(bench.keys("e")), "20 │ 22");
    bench.keys(": <break kind:turn_ended> Enter c");
    assert_eq!(place(&bench), "25 │ 25");
    bench.click_on("approval  ");
    assert_eq!(place(&bench), "20 │ 22");
    // The row of an event that only the other log has.
    bench.keys("|");
    bench.click_on("7.6k→88 tok");
    assert_eq!(place(&bench), "— │ 20");
    bench.keys("Ctrl-y");
    let request = format!("{:?}", bench.requests.last());
    assert!(request.contains("--compare clean-failed.json --at 19"), "{request}");
}

#[test]
fn both_sides_are_shown_at_every_place() {
    let mut bench = both();
    says(&bench, &["\"success\"", "the text to replace was not found", ".wrote_state  true → false"]);
    says(&bench, &["drift and generated names, not counted", ".duration_ms  22 → 9", "≈ turn_id"]);
    // The effects of equal events are equal except for generated names.
    says(bench.keys("1 1 g"), &["execute_batch call-f3", "both events are equal"]);
    assert!(!bench.frame().contains("− execute_batch"), "{}", bench.frame());
    bench.keys("|");
    says(&bench, &["≠ working_set_path_touch_count", "− notify_lsp edit_file", "≠    1    0 notify_lsp"]);
    says(bench.keys("3 l"), &["− expected, missing in the other log before its event 16", "\"call_id\": \"call-4\""]);
    says(bench.keys("l"), &["+ only in the other log, not expected before its event 17", "\"call_id\": \"call-f4\""]);
    // The other tabs show the event of the log that has it.
    says(bench.keys("v"), &["[JSON]", "call-f4"]);
    says(bench.keys("v v"), &["[Raw]", "call-f4"]);
    says(bench.keys("G v"), &["[Diff]", "expected \"completed\"", "actual   {\"failed\":", "− halt completed"]);
    bench.keys("Tab");
    assert_eq!(bench.model.focus, Pane::Projection);
    // The whole value of a field can be copied.
    bench.keys("Enter");
}

#[test]
fn what_if_is_refused_while_two_logs_are_compared() {
    let mut bench = both();
    for key in ["d", "i", "P", "J", "K", "u", "U", "O"] {
        says(bench.keys(key), &["what-if is not available while two logs are compared"]);
        assert!(bench.model.whatif.is_none());
    }
    bench.keys(": <compare> Enter");
    assert!(bench.model.shown_log.comparison().is_none() && !bench.frame().contains("Expected"), "{}", bench.frame());
    assert!(!bench.frame().contains("[Diff]"));
    says(bench.keys("d"), &["what-if: 1 change"]);
    // A variant can be compared too: it differs from its log in what was changed.
    says(bench.keys(": <compare fixtures/turn/clean.json> Enter"), &["of the right log is missing on the left"]);
    says(&bench, &["difference 1 of 1"]);
}

#[test]
fn a_log_that_is_opened_again_is_compared_again() {
    let mut bench = both();
    bench.keys("} Ctrl-r").compare();
    says(&bench, &["the log was opened again", "Actual: clean-failed.json", "difference 2 of 14"]);
    says(bench.keys(": <compare fixtures/turn/clean-again.json> Enter"), &["✓ both logs have the same content"]);
    says(bench.keys("}"), &["the logs do not differ"]);
}

#[test]
fn errors_are_shown_and_leave_the_screen_usable() {
    let mut bench = Bench::open(DEMO, 120, 40);
    let before = bench.keys("5 l").frame();
    says(bench.keys(": <compare no/such/log.json> Enter"), &["no such file"]);
    assert!(bench.model.shown_log.comparison().is_none());
    bench.keys("l h");
    assert_eq!(bench.frame(), before);
    // A log that is cut while it is compared.
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("other.jsonl");
    let line = json!({"event_type": "steer_injected", "turn_id": "t", "step_idx": 1, "text": "x"}).to_string() + "\n";
    std::fs::write(&path, line.repeat(2000)).expect("written");
    bench.keys(&format!(": <compare {}> Enter", path.display()));
    says(&bench, &["Actual: other.jsonl"]);
    std::fs::write(&path, "").expect("cut");
    says(bench.keys("G"), &["log"]);
    says(bench.keys(": <compare> Enter"), &["the comparison with"]);
}

/// While the logs are being compared the user can go on, and cancel.
#[test]
fn comparing_can_be_cancelled() {
    let mut bench = Bench::open(CLEAN, 120, 40);
    let begun = CompareNews::Begun { name: "other.json".to_owned(), from: None };
    stepback::tui::update::news::apply(&mut bench.model, [begun.into()]);
    says(&bench, &["opening other.json… · Esc cancels"]);
    says(bench.keys("l"), &["#1 · event 2 of 26"]);
    says(bench.keys("}"), &["the logs are still being compared"]);
    says(bench.keys("Esc"), &["the comparison was cancelled"]);
    assert!(bench.model.shown_log.comparison().is_none());
}

/// If one of the logs is empty, every event of the other one is alone.
#[test]
fn an_empty_log_lacks_every_event() {
    let mut bench = Bench::open("fixtures/broken/empty.json", 120, 40);
    bench.keys(": <compare fixtures/turn/clean.json> Enter");
    says(&bench, &["Event — │ 0", "difference 1 of 26", "turn_started", "≠ turn_id", "+ turn-2c40"]);
    assert_eq!(place(bench.keys("l l")), "— │ 2");
    assert_eq!(place(bench.keys("G")), "— │ 25");
    for key in ["Tab", "Tab", "Tab", "Tab", "v", "v", "v", "b", "w", "x", "D Esc", "m Esc", "y", "/ <turn> Enter"] {
        bench.keys(key);
    }
    let mut bench = Bench::open(CLEAN, 120, 40);
    bench.keys(": <compare fixtures/broken/empty.json> Enter");
    assert_eq!(place(bench.keys("G")), "25 │ —");
}

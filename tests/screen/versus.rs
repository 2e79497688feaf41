//! Two logs on the screen: stepped in lockstep, from difference to difference, ended, and what does not go together.

use crate::tests::bench::{Bench, DEMO, says};
use serde_json::json;
use stepback::tui::action::Pane;

const CLEAN: &str = "fixtures/turn/clean.json";

/// A run that went well beside one that failed, on a screen that cuts little.
fn both() -> Bench {
    let mut bench = Bench::open(CLEAN, 200, 60);
    bench.keys(": <compare fixtures/turn/clean-failed.json> Enter");
    bench
}

/// What the title of the event says: the events of both logs.
fn place(bench: &Bench) -> String {
    let frame = bench.frame();
    let line = frame.lines().find(|line| line.contains(" Event ") && line.contains('[')).expect("a title");
    let title = line.split(" Event ").nth(1).expect("a title");
    title.split(" ─").next().expect("its end").trim().to_owned()
}

#[test]
fn it_begins_where_the_logs_part_and_goes_from_difference_to_difference() {
    let mut bench = both();
    assert_eq!((place(&bench).as_str(), bench.model.at().0), ("13 │ 13", 13));
    says(&bench, &["event 13 (tool_call_finished) says another thing: .outcome", "difference 1 of 14"]);
    says(&bench, &["Expected: clean.json", "Actual: clean-failed.json", "ids are each run's own"]);
    let places = ["15 │ 15", "16 │ —", "— │ 16", "18 │ —", "19 │ —", "— │ 18", "— │ 19", "— │ 20", "— │ 21", "22 │ 24"];
    for place_of_it in places {
        assert_eq!(place(bench.keys("}")), place_of_it);
    }
    for place_of_it in places.iter().rev().skip(1) {
        assert_eq!(place(bench.keys("{")), *place_of_it);
    }
    assert_eq!(place(bench.keys("G |")), "13 │ 13");
    // What one jumped from is there again.
    assert_eq!(place(bench.keys("Ctrl-o")), "25 │ 25");
}

#[test]
fn stepping_goes_through_the_places_of_both() {
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
    // A number is one of the log that is open; the other goes along.
    assert_eq!(place(bench.keys("2 2 g")), "22 │ 24");
    // Played it goes the same way.
    bench.keys("|");
    bench.keys("Space");
    for expected in ["14 │ 14", "15 │ 15", "16 │ —", "— │ 16", "17 │ 17"] {
        stepback::tui::update::play::tick(&mut bench.model);
        assert_eq!(place(&bench), expected);
    }
}

#[test]
fn what_works_on_one_log_takes_the_other_along() {
    let mut bench = both();
    assert_eq!(place(bench.keys("g / <completed> Enter")), "25 │ 25");
    assert_eq!(place(bench.keys(": <20> Enter")), "20 │ 22");
    bench.keys("m <why?> Enter g ]");
    assert_eq!(place(&bench), "20 │ 22");
    says(&bench, &["★20"]);
    assert_eq!(place(bench.keys("e")), "20 │ 22");
    bench.keys(": <break kind:turn_ended> Enter c");
    assert_eq!(place(&bench), "25 │ 25");
    bench.click_on("approval_resolved");
    assert_eq!(place(&bench), "20 │ 22");
    // The row of an event that only the other log has.
    bench.keys("|");
    bench.click_on("step 4, 7602 in 88 out");
    assert_eq!(place(&bench), "— │ 20");
    bench.keys("Ctrl-y");
    let wish = format!("{:?}", bench.wishes.last());
    assert!(wish.contains("--compare clean-failed.json --at 19"), "{wish}");
}

#[test]
fn both_sides_are_told_at_every_place() {
    let mut bench = both();
    says(&bench, &["\"success\"", "the text to replace was not found", ".wrote_state  true → false"]);
    says(&bench, &["no difference: what drifts", ".duration_ms  22 → 9", "≈ turn_id"]);
    // What a pair that says the same asks for is the same but for its names.
    says(bench.keys("1 1 g"), &["execute_batch call-f3", "both say the same"]);
    assert!(!bench.frame().contains("− execute_batch"), "{}", bench.frame());
    bench.keys("|");
    says(&bench, &["≠ working_set_path_touch_count", "− notify_lsp edit_file", "≠    1    0 notify_lsp"]);
    says(
        bench.keys("3 l"),
        &["− expected, and missing in the other log before its event 16", "\"call_id\": \"call-4\""],
    );
    says(bench.keys("l"), &["+ in the other log only, not expected before its event 17", "\"call_id\": \"call-f4\""]);
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
fn what_if_waits_while_two_logs_are_compared() {
    let mut bench = both();
    for key in ["d", "i", "P", "J", "K", "u", "U", "O"] {
        says(bench.keys(key), &["no what-if while two logs are compared"]);
        assert!(bench.model.whatif.is_none());
    }
    bench.keys(": <compare> Enter");
    assert!(bench.model.versus.is_none() && !bench.frame().contains("Expected"), "{}", bench.frame());
    assert!(!bench.frame().contains("[Diff]"));
    says(bench.keys("d"), &["what if: 1 change"]);
    // A variant can be compared: with the log that it was made of it differs in what was changed.
    says(bench.keys(": <compare fixtures/turn/clean.json> Enter"), &["of the right log is not in the left"]);
    says(&bench, &["difference 1 of 1"]);
}

#[test]
fn a_log_that_is_opened_again_is_compared_again() {
    let mut bench = both();
    bench.keys("} Ctrl-r").compare();
    says(&bench, &["the log was opened again", "Actual: clean-failed.json", "difference 2 of 14"]);
    says(bench.keys(": <compare fixtures/turn/clean-again.json> Enter"), &["✓ both logs say the same"]);
    says(bench.keys("}"), &["the logs do not differ"]);
}

#[test]
fn troubles_are_told_and_leave_the_screen_as_it_was() {
    let mut bench = Bench::open(DEMO, 120, 40);
    let before = bench.keys("5 l").frame();
    says(bench.keys(": <compare no/such/log.json> Enter"), &["no such file"]);
    assert!(bench.model.versus.is_none());
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
    says(bench.keys(": <compare> Enter"), &["no longer compared with"]);
}

/// While it is not compared yet one can go on, and give up.
#[test]
fn comparing_can_be_given_up() {
    let mut bench = Bench::open(CLEAN, 120, 40);
    stepback::tui::update::versus::begin(&mut bench.model, "other.json".to_owned(), None);
    says(&bench, &["opening other.json… · Esc gives up"]);
    says(bench.keys("l"), &["seq 1/25"]);
    says(bench.keys("}"), &["the logs are still being compared"]);
    says(bench.keys("Esc"), &["comparing was given up"]);
    assert!(bench.model.versus.is_none());
}

/// Whichever of two logs is empty: every event of the other one stands alone, and nothing breaks.
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

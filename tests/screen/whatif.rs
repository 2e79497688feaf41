//! What-if on the screen: changes are made, compared with the original log, undone and saved.

use crate::tests::bench::{Bench, DEMO, says};
use stepback::tui::model::InputMode;

/// The demo on a screen that cuts nothing.
fn demo() -> Bench {
    Bench::open(DEMO, 200, 40)
}

#[test]
fn skipping_the_contradicting_event_removes_the_finding_and_undo_restores_it() {
    let mut bench = demo();
    bench.keys("f d");
    assert_eq!(bench.model.at().0, 19);
    says(&bench, &["what-if: 1 change", "#19 · event 20 of 37", "− gone call call-4 was rejected", "△ 1 warning"]);
    says(bench.keys("O"), &["original; the variant has 1 change", "call call-4 was rejected", "#20 · event 21 of 38"]);
    says(bench.keys("O"), &["#19 · event 20 of 37"]);
    says(bench.keys("u"), &["undone: event 19 skipped", "turn/rejected-ran", "#19 · event 20 of 38"]);
    assert!(!bench.frame().contains("what if:"), "{}", bench.frame());
    says(bench.keys("U"), &["redone: event 19 skipped", "what-if: 1 change"]);
    says(bench.keys("u u"), &["there is no what-if change to undo"]);
}

#[test]
fn an_edited_event_is_replayed_and_bad_json_stays_in_the_editor() {
    let mut bench = demo();
    says(bench.keys("f i"), &["What if event 19 were", "\"verdict\": \"rejected\""]);
    // Breaks the JSON: the editor says where.
    says(bench.keys("x Ctrl-s"), &["not valid JSON", "line 1 column 1"]);
    // An unsaved edit comes back when the event is edited again.
    says(bench.keys("Esc i"), &["x{"]);
    bench.keys("Delete");
    let InputMode::Editor(editor) = &mut bench.model.mode else { panic!("an editor") };
    let text = editor.typed().replace("rejected", "approved");
    editor.text.select_all();
    editor.text.insert_str(text);
    says(
        bench.keys("Ctrl-s"),
        &["event 19 edited", "− gone call call-4 was rejected", "approved", "#19 · event 20 of 38"],
    );
    says(&bench, &["▶ ≠19"]);
    // An unchanged text is not a draft: the editor shows the event as it is now.
    says(bench.keys("i Esc i"), &["\"verdict\": \"approved\""]);
}

#[test]
fn events_are_duplicated_and_moved() {
    let mut bench = demo();
    says(bench.keys("5 g P"), &["event 5 duplicated", "#6 · event 7 of 39", "▶!+"]);
    says(bench.keys("J"), &["event 6 moved to 7", "#7 · event 8 of 39"]);
    says(bench.keys("K"), &["event 7 moved to 6", "#6 · event 7 of 39", "what-if: 3 changes"]);
    says(bench.keys("g K"), &["this is the first event already"]);
    says(bench.keys("G J"), &["there is no event 39"]);
}

#[test]
fn a_variant_is_saved_once_and_leaving_it_unsaved_warns() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("variant.jsonl");
    let mut bench = demo();
    says(bench.keys(": <save x.jsonl> Enter"), &["there is no what-if variant to save"]);
    says(bench.keys("f d q"), &["(1 change) is not saved"]);
    // Any other key resets the warning.
    says(bench.keys("l h q"), &["is not saved"]);
    assert!(!bench.model.is_over);
    let save = format!(": <save {}> Enter", path.display());
    says(bench.keys(&save), &["37 events saved as"]);
    says(bench.keys(&save), &["this file exists; choose another name"]);
    // The saved file holds what the screen showed.
    let mut saved = Bench::at(&path, 200, 40);
    says(saved.keys("1 9 g"), &["tool_call_started", "call-4 wave 0", "#19 · event 20 of 37"]);
    bench.keys("q");
    assert!(bench.model.is_over);
}

#[test]
fn a_variant_refuses_bookmarks_and_reopening_discards_changes() {
    let mut bench = demo();
    says(bench.keys("f d : <bookmark here> Enter"), &["bookmarks belong to the original log"]);
    says(bench.keys("Ctrl-r"), &["is not saved"]);
    says(bench.keys("l Ctrl-r"), &["is not saved"]);
    says(bench.keys("h Ctrl-r Ctrl-r"), &["the log was opened again", "#19 · event 20 of 38", "turn/rejected-ran"]);
    says(bench.keys(": <reload> Enter"), &["#19 · event 20 of 38"]);
    says(bench.keys("O"), &["there is no variant"]);
}

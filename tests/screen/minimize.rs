//! Minimizing on the screen: the outcome, stopping early, saving, switching to the whole log, refusals.

use std::path::Path;

use crate::tests::bench::{Bench, DEMO, key, says};
use serde_json::Value;
use stepback::loader::check_results::check_log;
use stepback::loader::own_sidecars;
use stepback::log::{Log, Options};
use stepback::text::grouped;
use stepback::tui::minimize::state::MinimizeStage;
use stepback::tui::model::{InputMode, Model};

/// What `check` reports of a file.
fn reported(path: &Path) -> Vec<String> {
    let log = Log::open(path, &Options::default()).expect("a log");
    let checked = check_log(&log, &*own_sidecars(&log).expect("sidecars"), &|_| {}).expect("checked");
    checked.findings.iter().map(|finding| finding.fingerprint()).collect()
}

fn is_complete(model: &Model) -> Option<bool> {
    Some(model.minimizing.as_ref()?.done()?.complete)
}

#[test]
fn the_minimized_log_still_reports_the_finding_and_is_saved_with_its_certificate() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("min.json");
    let mut bench = Bench::open(DEMO, 120, 40);
    bench.keys("f M");
    says(&bench, &["Minimized: turn/rejected-ran", "38 events", "this is minimal", "original", "without it"]);
    assert_eq!(is_complete(&bench.model), Some(true));
    bench.keys("s").keys(&"Backspace ".repeat(20)).type_text(&path.display().to_string());
    says(&bench, &["saved as"]);
    let fingerprint = bench.model.minimizing.as_ref().expect("minimized").fingerprint.clone();
    assert!(reported(&path).contains(&fingerprint), "{:?}", reported(&path));
    let report = std::fs::read(folder.path().join("min.json.minimization.json")).expect("a report");
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    assert_eq!((&report["complete"], &report["fingerprint"]), (&Value::from(true), &Value::from(fingerprint)));
    // Another file is never replaced.
    let before = std::fs::read(&path).expect("a file");
    bench.keys(&format!(": <minimize {}> Enter", path.display()));
    says(&bench, &["this file exists; choose another name"]);
    assert_eq!(std::fs::read(&path).expect("a file"), before);
}

#[test]
fn a_file_can_be_named_before_it_begins() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("min.json");
    let mut bench = Bench::open(DEMO, 120, 40);
    bench.keys(&format!("f : <minimize {}> Enter", path.display()));
    says(&bench, &["saved as", "this is minimal"]);
    assert!(reported(&path).iter().any(|known| known.starts_with("turn/rejected-ran")));
}

#[test]
fn the_minimized_log_and_the_whole_one_are_switched() {
    let mut bench = Bench::open(DEMO, 120, 40);
    bench.keys("f M o");
    says(
        &bench,
        &["minimized from 38 events", "this is the minimized log; O shows the whole one", "turn/rejected-ran"],
    );
    let all = bench.model.replay().len();
    assert!(all < 10, "{all}");
    bench.keys("g l");
    assert_eq!(bench.model.at().0, 1);
    // The certificate can be shown again, and its finding is still selected.
    says(bench.keys("M"), &["Minimized: turn/rejected-ran"]);
    bench.keys("Esc G O");
    assert_eq!(bench.model.replay().len(), 38);
    assert!(!bench.frame().contains("minimized from"), "{}", bench.frame());
    bench.keys("O");
    assert_eq!((bench.model.replay().len(), bench.model.at().0), (all, all - 1));
    says(bench.keys("d"), &["what-if changes need the whole log"]);
    // Reopening shows the whole log, and forgets the minimized one.
    bench.keys("Ctrl-r");
    assert!(bench.model.minimizing.is_none() && bench.model.replay().len() == 38);
    says(bench.keys("f d"), &["what-if: 1 change"]);
}

/// Large enough for a key press in the middle.
fn long_log() -> String {
    let demo = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(DEMO)).expect("a file");
    let events: Vec<Value> = serde_json::from_slice(&demo).expect("JSON");
    let steer = "{\"event_type\":\"steer_injected\",\"turn_id\":\"t\",\"step_idx\":0,\"text\":\"x\"}\n";
    let lines: String = events.iter().map(|event| format!("{event}\n")).collect();
    format!("{}{lines}", steer.repeat(60_000))
}

#[test]
fn stopped_early_it_keeps_the_best_so_far() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("best.jsonl");
    let mut bench = Bench::of(long_log().as_bytes(), 120, 40);
    bench.waits = false;
    bench.keys(": <break finding:turn/rejected-ran> Enter c M");
    says(&bench, &["Minimizing turn/rejected-ran", "reading the log", "Esc cancels"]);
    let tries = |model: &Model| {
        model.minimizing.as_ref().is_some_and(|minimizing| matches!(minimizing.stage, MinimizeStage::Trying(_)))
    };
    // Other keys still work, and a second request reports that minimizing is in progress.
    let at = bench.model.at();
    says(bench.keys("h M"), &["is being minimized; Esc stops with"]);
    assert_eq!(bench.model.at().0 + 1, at.0);
    // Nothing is drawn between the first test and the key, since minimizing could finish meanwhile.
    bench.minimize_until(tries).press(key("Esc"));
    bench.minimize_until(|_| true);
    says(&bench, &[&format!("of {} events", grouped(60_038)), "stopping with the best so far"]);
    bench.minimize();
    says(&bench, &["not minimal: it was stopped early", "Minimized: turn/rejected-ran"]);
    assert_eq!(is_complete(&bench.model), Some(false));
    bench.keys("s").keys(&"Backspace ".repeat(20)).type_text(&path.display().to_string());
    assert!(reported(&path).iter().any(|known| known.starts_with("turn/rejected-ran")), "{}", bench.frame());
}

#[test]
fn before_the_first_test_it_is_cancelled() {
    let mut bench = Bench::open(DEMO, 120, 40);
    bench.waits = false;
    bench.keys("f M");
    says(bench.keys("Esc"), &["minimizing was cancelled"]);
    assert!(bench.model.minimizing.is_none());
    bench.minimize();
    assert!(matches!(bench.model.mode, InputMode::Normal) && bench.model.minimizing.is_none());
}

#[test]
fn a_finding_that_is_not_about_records_is_refused() {
    let mut bench = Bench::open("fixtures/broken/empty.json", 120, 40);
    bench.keys("M");
    says(&bench, &["the log holds no event, so it cannot be minimized further"]);
    let mut bench = Bench::open("fixtures/broken/missing-comma.json", 120, 40);
    bench.keys("f M");
    says(&bench, &["is not about the log's own records"]);
    assert!(bench.model.minimizing.is_none());
}

#[test]
fn a_log_that_was_truncated_meanwhile_is_refused() {
    let mut bench = Bench::of(long_log().as_bytes(), 120, 40);
    let shorter: String = long_log().lines().skip(59_000).map(|line| format!("{line}\n")).collect();
    std::fs::write(&bench.path, shorter).expect("written");
    says(bench.keys("M"), &["the file has fewer events than the screen shows"]);
    assert!(bench.model.minimizing.is_none());
}

/// The outcome does not interrupt a prompt.
#[test]
fn the_outcome_does_not_interrupt_a_prompt() {
    let mut bench = Bench::open(DEMO, 120, 40);
    bench.waits = false;
    bench.keys("f M / <call>");
    bench.minimize();
    assert!(matches!(bench.model.mode, InputMode::Prompt(_)), "{}", bench.frame());
    assert!(bench.model.message.as_ref().is_some_and(|text| text.contains("M shows it")));
    bench.keys("Esc M");
    says(&bench, &["this is minimal"]);
}

//! Export from the screen: the review, the masked secrets, and those that the user keeps.

use std::path::Path;

use crate::tests::bench::{Bench, says};
use serde_json::Value;
use stepback::crashpack_folder::Pack;

const SECRET: &str = "fixtures/secret/pushed-with-a-token.json";
const TOKEN: &str = "ghp_ExampleOnly";
const PASSWORD: &str = "not-a-real-pa55word";

/// Every byte of a pack, one file after the other.
fn whole(folder: &Path) -> String {
    let mut all = String::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        all.push_str(&if path.is_dir() { whole(&path) } else { std::fs::read_to_string(&path).expect("text") });
    }
    all
}

/// Why it could not be written, without the line breaks of the screen.
fn troubled(bench: &Bench) -> String {
    let exporting = bench.model.exporting.as_ref();
    exporting.and_then(|exporting| exporting.trouble.clone()).unwrap_or_default()
}

fn named(bench: &mut Bench, path: &Path) {
    bench.keys("Enter").keys("Ctrl-u").type_text(&path.display().to_string());
}

#[test]
fn a_pack_is_reviewed_and_written_without_its_secrets() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.pack");
    let mut bench = Bench::open(SECRET, 120, 40);
    bench.keys("X");
    let frame = bench.frame();
    assert!(!frame.contains(TOKEN) && frame.contains("REDACTED-github-token-1-32to63ch"), "{frame}");
    named(&mut bench, &path);
    says(&bench, &["Packed: turn/rejected-ran", "4 texts masked", "replay  sh"]);
    let text = whole(&path);
    assert!(!text.contains(TOKEN) && !text.contains(PASSWORD));
    let pack = Pack::open(&path).expect("a pack");
    assert!(pack.damage.is_empty());
    let manifest = pack.manifest.expect("a manifest");
    assert_eq!(manifest.finding.fingerprint, "turn/rejected-ran call_id=call-2 turn_id=turn-7c20");
    assert!(manifest.minimized.is_some());
    bench.keys("Enter");
    assert!(bench.model.exporting.is_none());
    // An existing folder is never replaced; another name is asked for.
    bench.keys(&format!(": <export {}> Enter Enter", path.display()));
    says(&bench, &["Export: turn/rejected-ran"]);
    assert!(troubled(&bench).contains("this folder exists and is not empty"));
    let other = folder.path().join("b.pack");
    named(&mut bench, &other);
    says(&bench, &["Packed: turn/rejected-ran"]);
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 2, "nothing is left on the way");
}

#[test]
fn a_kept_secret_stays_and_is_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.pack");
    let mut bench = Bench::open(SECRET, 80, 24);
    bench.keys("X j Space m");
    named(&mut bench, &path);
    says(&bench, &["Packed"]);
    let text = whole(&path);
    assert!(text.contains(TOKEN) && !text.contains(PASSWORD));
    let report: Value =
        serde_json::from_slice(&std::fs::read(path.join("redactions.json")).expect("a file")).expect("JSON");
    assert_eq!(report["left_on_purpose"][0]["mask"], "REDACTED-github-token-1-32to63ch");
    assert!(!path.join("minimization.json").exists());
}

#[test]
fn a_mask_that_breaks_the_finding_is_named_and_the_review_stays_open() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.pack");
    let mut bench = Bench::open(SECRET, 120, 40);
    bench.keys("X p <success> Enter");
    named(&mut bench, &path);
    let trouble = troubled(&bench);
    assert!(trouble.contains("no longer reports") && trouble.contains("REDACTED-pattern-1-1-1to7ch breaks it"));
    assert!(!path.exists());
    // The same pattern again removes it.
    bench.keys("p <success> Enter");
    named(&mut bench, &path);
    says(&bench, &["Packed"]);
}

#[test]
fn a_cancelled_export_leaves_nothing_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let events: Vec<Value> = serde_json::from_slice(&std::fs::read(SECRET).expect("a log")).expect("an array");
    let log: String = events.iter().map(|event| format!("{event}\n")).collect();
    let mut bench = Bench::of(log.repeat(400).as_bytes(), 120, 40);
    bench.keys("X");
    bench.waits = false;
    named(&mut bench, &folder.path().join("a.pack"));
    says(&bench, &["writing the pack", "Esc cancels"]);
    bench.keys("Esc");
    bench.pack();
    says(&bench, &["the export was cancelled; nothing was written"]);
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
    assert!(bench.model.exporting.is_none());
}

//! The walk of the README: every step shows what the README says.

use std::fs;
use std::path::Path;

use crate::tests::bench::{Bench, DEMO};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The text between backticks.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

#[test]
fn the_walk_leads_from_the_failure_to_its_cause() {
    let readme = fs::read_to_string(root().join("README.md")).expect("README.md");
    let part = readme.split_once("<!-- walk:begin -->").and_then(|(_, rest)| rest.split_once("<!-- walk:end -->"));
    let rows: Vec<&str> = part.expect("a walk").0.lines().filter(|line| line.starts_with("| `")).collect();
    assert!(rows.len() >= 5, "{rows:?}");
    let mut bench = Bench::open(DEMO, 120, 40);
    let mut presses = 0;
    for row in rows {
        let (keys, sees) = row[1..].split_once('|').expect("two columns");
        for name in quoted(keys) {
            presses += 1;
            bench.keys(name);
        }
        let frame = bench.frame();
        let seen = quoted(sees);
        assert!(!seen.is_empty(), "{row} says nothing that can be looked for");
        for text in seen {
            assert!(frame.contains(text), "after {keys}: {text}\n{frame}");
        }
    }
    assert!(presses < 15, "a walk, not a journey: {presses} keys");
}

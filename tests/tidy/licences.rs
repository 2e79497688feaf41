//! The licences of all dependencies: every one must be in the list, so that the program can be passed on under its own.

use std::process::Command;

use serde_json::Value;

use super::{accept, root};

/// Licences that ask for no more than keeping a notice, and the MPL, which concerns changes to its own files only.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "MPL-2.0+",
    "Unicode-3.0",
    "Unicode-DFS-2016",
    "Unlicense",
    "WTFPL",
    "Zlib",
];

/// Whether an expression leaves a choice of allowed licences.
fn is_allowed(expression: &str) -> bool {
    let parts = expression.split(" AND ");
    parts.map(|part| part.trim().trim_start_matches('(').trim_end_matches(')')).all(|part| {
        let mut choices = part.split(" OR ").flat_map(|choice| choice.split('/'));
        choices.any(|choice| ALLOWED.contains(&choice.trim()))
    })
}

#[test]
fn expressions_are_read_as_choices_and_sums() {
    for good in ["MIT", "MIT OR GPL-3.0", "MIT/Apache-2.0", "(MIT OR Apache-2.0) AND Unicode-3.0"] {
        assert!(is_allowed(good), "{good}");
    }
    for bad in ["GPL-3.0", "", "MIT AND GPL-3.0", "AGPL-3.0 OR SSPL-1.0", "(MIT OR Apache-2.0) AND Other"] {
        assert!(!is_allowed(bad), "{bad}");
    }
}

#[test]
fn every_dependency_has_a_licence_that_is_allowed() {
    let version = Command::new(env!("CARGO")).arg("-vV").output().expect("cargo");
    let version = String::from_utf8(version.stdout).expect("text");
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("a host");
    // Only the packages of this system are on the disk for certain.
    let arguments = ["metadata", "--locked", "--offline", "--format-version", "1", "--filter-platform", host];
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(root()).output().expect("cargo");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    assert!(packages.len() > 100, "{} packages", packages.len());
    let licence = |package: &Value| package["license"].as_str().unwrap_or_default().to_owned();
    let refused = packages.iter().filter(|package| !is_allowed(&licence(package)));
    let refused: Vec<String> =
        refused.map(|package| format!("{} {}: {:?}", package["name"], package["version"], licence(package))).collect();
    accept(&refused);
}

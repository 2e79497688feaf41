//! Events of a transfer crashpack, made from its journal: one per oracle and one per violation.
//!
//! Only lines of the form `key: value` are understood; everything else in a journal is skipped.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::crashpack::checks::damaged;
use crate::replay::finding::Finding;

pub(crate) const MANIFEST: &str = "manifest";
pub(crate) const JOURNAL: &str = "journal";
pub(crate) const JOURNAL_DIGEST: &str = "journal.digest";
/// The first line of the manifest.
pub(crate) const TITLE: &str = "# ATP Crashpack Manifest";

/// One event, a line of JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "transfer", rename_all = "lowercase")]
pub(crate) enum Event {
    Oracle(Oracle),
    Violation(Violation),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Oracle {
    pub oracle: String,
    pub events_recorded: u64,
    pub entities_tracked: u64,
    pub passed: bool,
    /// The number of violations that the journal declares, if it does.
    pub declared: Option<u64>,
    /// The number of violations that it lists.
    pub violations: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Violation {
    pub oracle: String,
    pub r#type: String,
    pub severity: String,
    pub description: String,
    pub evidence: String,
}

/// The events of a journal, in order: each oracle, followed by its violations.
pub(crate) fn events(journal: &str) -> Vec<Event> {
    let mut sections: Vec<(Oracle, Vec<Violation>)> = Vec::new();
    for line in journal.lines().map(str::trim) {
        let (line, begins) = line.strip_prefix("- ").map_or((line, false), |rest| (rest.trim(), true));
        let Some((key, value)) = line.split_once(':').map(|(key, value)| (key.trim(), value.trim())) else { continue };
        if key == "oracle" {
            sections.push((Oracle { oracle: value.to_owned(), ..Oracle::default() }, Vec::new()));
            continue;
        }
        let Some((oracle, violations)) = sections.last_mut() else { continue };
        if begins && key == "type" {
            violations.push(Violation { oracle: oracle.oracle.clone(), ..Violation::default() });
        }
        match violations.last_mut() {
            Some(violation) => fill_violation(violation, key, value),
            None => fill_oracle(oracle, key, value),
        }
    }
    let event = |(mut oracle, violations): (Oracle, Vec<Violation>)| {
        oracle.violations = violations.len() as u64;
        std::iter::once(Event::Oracle(oracle)).chain(violations.into_iter().map(Event::Violation))
    };
    sections.into_iter().flat_map(event).collect()
}

fn fill_oracle(oracle: &mut Oracle, key: &str, value: &str) {
    let number = || value.parse().unwrap_or_default();
    match key {
        "events_recorded" => oracle.events_recorded = number(),
        "entities_tracked" => oracle.entities_tracked = number(),
        "passed" => oracle.passed = value == "true",
        "violations" | "violation_count" => oracle.declared = value.parse().ok().or(oracle.declared),
        _ => {}
    }
}

fn fill_violation(violation: &mut Violation, key: &str, value: &str) {
    let field = match key {
        "type" => &mut violation.r#type,
        "severity" => &mut violation.severity,
        "description" => &mut violation.description,
        "evidence" => &mut violation.evidence,
        _ => return,
    };
    value.clone_into(field);
}

/// The journal as a log, one event per line.
pub(crate) fn lines(journal: &str) -> String {
    let line = |event: &Event| serde_json::to_string(event).map_or_else(|_| String::new(), |line| line + "\n");
    events(journal).iter().map(line).collect()
}

/// Verifies a journal against its digest.
pub(crate) fn verify(journal: &[u8], digest: &str) -> Option<Finding> {
    let value = |key: &str| digest.lines().find_map(|line| line.trim().strip_prefix(key)).map(str::trim);
    let hash: String = Sha256::digest(journal).iter().map(|byte| format!("{byte:02x}")).collect();
    let actual = format!("{} bytes, sha256 {hash}", journal.len());
    let is_same = value("digest: sha256:").is_some_and(|expected| expected.eq_ignore_ascii_case(&hash))
        && value("bytes:").is_some_and(|bytes| bytes == journal.len().to_string());
    let expected = digest.lines().map(str::trim).collect::<Vec<_>>().join(", ");
    (!is_same).then(|| damaged(JOURNAL, expected, actual))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) const TEXT: &str = "# journal\noracle: quiescence\n  events_recorded: 12\n  entities_tracked: 3\n  passed: false\n  \
                            violations:\n    - type: quiescence\n      severity: medium\n      description: two: still open\n      \
                            evidence: a, b\noracle: path_consistency\n  events_recorded: 4\n  passed: true\n";

    #[test]
    fn a_journal_has_one_event_per_oracle_and_per_violation() {
        let events = events(TEXT);
        assert_eq!(events.len(), 3);
        let Event::Oracle(first) = &events[0] else { panic!("{events:?}") };
        assert_eq!((first.events_recorded, first.entities_tracked, first.passed, first.violations), (12, 3, false, 1));
        let Event::Violation(violation) = &events[1] else { panic!("{events:?}") };
        assert_eq!((violation.description.as_str(), violation.evidence.as_str()), ("two: still open", "a, b"));
        assert_eq!(lines(TEXT).lines().count(), 3);
    }

    #[test]
    fn the_digest_covers_every_byte() {
        let good = "digest: sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\nbytes: 3\n";
        assert_eq!(verify(b"abc", good), None);
        assert!(verify(b"abd", good).is_some());
        assert!(verify(b"abc", &good.replace("3\n", "4\n")).is_some());
        assert!(verify(b"abc", "").is_some());
    }
}

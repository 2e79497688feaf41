//! The journal of a transfer crashpack: the verdict and the violations of each oracle, as text.
//!
//! Only lines of the form `key: value` are understood; everything else in a journal is skipped.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use super::event::{JournalEntry, Verdict, Violation};
use crate::crashpack::checks::damaged;
use crate::crashpack::{JOURNAL, escaped};
use crate::replay::finding::Finding;

const TITLE: &str = "# ATP Journal Digest\n";
const SEPARATOR: &str = ", ";

/// The entries of a journal, in order: each oracle, followed by its violations.
pub(crate) fn entries(journal: &str) -> Vec<JournalEntry> {
    let mut sections: Vec<(Verdict, Vec<Violation>)> = Vec::new();
    // The indentation of `evidence:`, while the lines below it are evidence.
    let mut evidence: Option<usize> = None;
    for line in journal.lines() {
        let indentation = line.len() - line.trim_start().len();
        let line = line.trim();
        if let Some(violation) = sections.last_mut().and_then(|section| section.1.last_mut())
            && evidence.is_some_and(|evidence| indentation > evidence)
        {
            let separator = if violation.evidence.is_empty() { "" } else { SEPARATOR };
            violation.evidence.extend([separator, line]);
            continue;
        }
        let (line, begins) = line.strip_prefix("- ").map_or((line, false), |rest| (rest.trim(), true));
        let Some((key, value)) = line.split_once(':').map(|(key, value)| (key.trim(), value.trim())) else { continue };
        evidence = (key == "evidence" && value.is_empty()).then_some(indentation);
        if key == "oracle" {
            sections.push((Verdict { oracle: value.to_owned(), ..Verdict::default() }, Vec::new()));
            continue;
        }
        let Some((verdict, violations)) = sections.last_mut() else { continue };
        if begins && key == "type" {
            violations.push(Violation { oracle: verdict.oracle.clone(), ..Violation::default() });
        }
        match violations.last_mut() {
            Some(violation) => fill_violation(violation, key, value),
            None => fill_verdict(verdict, key, value),
        }
    }
    let entry = |(mut verdict, violations): (Verdict, Vec<Violation>)| {
        verdict.violations = violations.len() as u64;
        std::iter::once(JournalEntry::Oracle(verdict)).chain(violations.into_iter().map(JournalEntry::Violation))
    };
    sections.into_iter().flat_map(entry).collect()
}

fn fill_verdict(verdict: &mut Verdict, key: &str, value: &str) {
    let number = || value.parse().unwrap_or_default();
    match key {
        "events_recorded" => verdict.events_recorded = number(),
        "entities_tracked" => verdict.entities_tracked = number(),
        "passed" => verdict.passed = value == "true",
        "violations" | "violation_count" => verdict.declared = value.parse().ok().or(verdict.declared),
        _ => {}
    }
}

fn fill_violation(violation: &mut Violation, key: &str, value: &str) {
    let field = match key {
        "type" => &mut violation.r#type,
        "severity" => &mut violation.severity,
        "description" => &mut violation.description,
        "evidence" => &mut violation.evidence,
        "at" => {
            violation.at = value.parse().ok();
            return;
        }
        _ => return,
    };
    value.clone_into(field);
}

/// The journal as a log, one event per line.
pub(crate) fn lines(journal: &str) -> String {
    let line = |entry: &JournalEntry| serde_json::to_string(entry).map_or_else(|_| String::new(), |line| line + "\n");
    entries(journal).iter().map(line).collect()
}

/// A violation for the journal, and its evidence.
pub(crate) type Listed = (Violation, Vec<(&'static str, String)>);

/// Writes a journal: each verdict with its violations. Texts are escaped, so that no value forges a line.
pub(crate) fn journal<'v>(verdicts: impl Iterator<Item = (Verdict, Vec<Listed>)> + 'v) -> String {
    let mut out = TITLE.to_owned();
    for (verdict, violations) in verdicts {
        let Verdict { oracle, events_recorded, entities_tracked, passed, .. } = verdict;
        let _ = writeln!(out, "oracle: {oracle}");
        let _ = writeln!(out, "  events_recorded: {events_recorded}");
        let _ = writeln!(out, "  entities_tracked: {entities_tracked}");
        let _ = writeln!(out, "  passed: {passed}");
        if !violations.is_empty() {
            out.push_str("  violations:\n");
        }
        violations.iter().for_each(|listed| write_violation(listed, &mut out));
    }
    out
}

fn write_violation((violation, evidence): &Listed, out: &mut String) {
    let _ = writeln!(out, "    - type: {}", violation.r#type);
    let _ = writeln!(out, "      severity: {}", violation.severity);
    let _ = writeln!(out, "      description: {}", escaped(&violation.description));
    if let Some(at) = violation.at {
        let _ = writeln!(out, "      at: {at}");
    }
    if !evidence.is_empty() {
        out.push_str("      evidence:\n");
    }
    for (key, value) in evidence {
        let _ = writeln!(out, "        {key}: {}", escaped(value));
    }
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The file that proves that a journal is unchanged.
pub(crate) fn digest(journal: &[u8]) -> String {
    format!("digest: {}\nbytes: {}\n", digest_reference(journal), journal.len())
}

/// The digest as the manifest refers to it.
pub(crate) fn digest_reference(journal: &[u8]) -> String {
    format!("sha256:{}", sha256(journal))
}

/// Verifies a journal against its digest.
pub(crate) fn verify(journal: &[u8], digest: &str) -> Option<Finding> {
    let value = |key: &str| digest.lines().find_map(|line| line.trim().strip_prefix(key)).map(str::trim);
    let hash = sha256(journal);
    let actual = format!("{} bytes, sha256 {hash}", journal.len());
    let is_same = value("digest: sha256:").is_some_and(|expected| expected.eq_ignore_ascii_case(&hash))
        && value("bytes:").is_some_and(|bytes| bytes == journal.len().to_string());
    let expected = digest.lines().map(str::trim).collect::<Vec<_>>().join(SEPARATOR);
    (!is_same).then(|| damaged(JOURNAL, expected, actual))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# journal\noracle: quiescence\n  events_recorded: 12\n  entities_tracked: 3\n  passed: false\n  \
                        violations:\n    - type: quiescence\n      severity: medium\n      description: two: still open\n      \
                        evidence: a, b\noracle: path_consistency\n  events_recorded: 4\n  passed: true\n";

    #[test]
    fn a_journal_has_one_entry_per_oracle_and_per_violation() {
        let entries = entries(TEXT);
        assert_eq!(entries.len(), 3);
        let JournalEntry::Oracle(first) = &entries[0] else { panic!("{entries:?}") };
        assert_eq!((first.events_recorded, first.entities_tracked, first.passed, first.violations), (12, 3, false, 1));
        let JournalEntry::Violation(violation) = &entries[1] else { panic!("{entries:?}") };
        assert_eq!((violation.description.as_str(), violation.evidence.as_str()), ("two: still open", "a, b"));
        assert_eq!(lines(TEXT).lines().count(), 3);
    }

    #[test]
    fn a_written_journal_is_read_again_and_no_value_forges_an_entry() {
        let verdict =
            |oracle: &str, passed| Verdict { oracle: oracle.into(), events_recorded: 3, passed, ..Verdict::default() };
        let violation = Violation {
            oracle: "one".into(),
            r#type: "one".into(),
            severity: "High".into(),
            description: "x\noracle: forged".into(),
            evidence: String::new(),
            at: Some(2),
        };
        let evidence =
            vec![("expected_hash", "a\n    - type: forged".to_owned()), ("actual_hash", "oracle: b".to_owned())];
        let text = journal(
            [(verdict("one", false), vec![(violation.clone(), evidence)]), (verdict("two", true), Vec::new())]
                .into_iter(),
        );
        let read = entries(&text);
        let [JournalEntry::Oracle(one), JournalEntry::Violation(found), JournalEntry::Oracle(two)] = &read[..] else {
            panic!("{read:?}")
        };
        assert_eq!((one.oracle.as_str(), one.violations, two.passed), ("one", 1, true));
        let evidence = "expected_hash: a\\n    - type: forged, actual_hash: oracle: b".to_owned();
        assert_eq!(*found, Violation { description: "x\\noracle: forged".into(), evidence, ..violation });
    }

    #[test]
    fn the_digest_covers_every_byte() {
        let good = digest(b"abc");
        assert_eq!(good, "digest: sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\nbytes: 3\n");
        assert_eq!(verify(b"abc", &good), None);
        assert!(verify(b"abd", &good).is_some());
        assert!(verify(b"abc", &good.replace("3\n", "4\n")).is_some());
        assert!(verify(b"abc", "").is_some());
    }
}

//! The ledger of transfers: it runs the oracles over the states, and compares a journal with them.
//!
//! Every oracle judges every state. A finding is made at the state in which a violation begins, and again only when its
//! evidence changes: a leak that lasts for a thousand states is one finding, a leak that grows is reported again.

use super::checks::{CONTRADICTION, VIOLATION};
use super::event::{JournalEntry, ObservedState, Verdict, Violation};
use super::oracle::{Evidence, ORACLE_COUNT, ORACLES, oracle_number};
use crate::replay::Seq;
use crate::replay::check::Severity;
use crate::replay::finding::{Finding, Findings};

#[derive(Clone, Default)]
pub(crate) struct TransferLedger {
    pub findings: Findings,
    /// For each oracle, the evidence against the last state.
    last: [Option<Evidence>; ORACLE_COUNT],
    /// For each oracle, the states of its findings, as many as are kept.
    reported: [Vec<Seq>; ORACLE_COUNT],
}

impl TransferLedger {
    pub(crate) fn see_state(&mut self, at: Seq, state: &ObservedState) {
        for (number, oracle) in ORACLES.iter().enumerate() {
            let evidence = (oracle.judge)(state);
            if evidence == self.last[number] {
                continue;
            }
            if let Some(evidence) = &evidence {
                self.findings.report(oracle.check, || {
                    Finding::new(oracle.check, [at]).expected(evidence.expected()).actual(evidence.actual())
                });
                if self.reported[number].len() < Findings::KEPT_PER_CHECK as usize {
                    self.reported[number].push(at);
                }
            }
            self.last[number] = evidence;
        }
    }

    pub(crate) fn see_entry(&mut self, at: Seq, entry: &JournalEntry) {
        match entry {
            JournalEntry::Oracle(verdict) => {
                if let Some((expected, actual)) = contradiction(verdict).or_else(|| self.refuted(verdict)) {
                    let finding = Finding::new(&CONTRADICTION, [at]).about("oracle", verdict.oracle.as_str());
                    self.findings.push(finding.expected(expected).actual(actual));
                }
            }
            JournalEntry::Violation(violation) if !self.is_confirmed(violation) => {
                let finding = Finding::new(&VIOLATION, [at]).severity(severity(violation));
                let finding =
                    finding.about("oracle", violation.oracle.as_str()).about("type", violation.r#type.as_str());
                self.findings.push(finding.expected("no violation").actual(violation.description.clone()));
            }
            JournalEntry::Violation(_) => {}
        }
    }

    /// Whether the states show a violation of the journal. It is a finding at its state already.
    fn is_confirmed(&self, violation: &Violation) -> bool {
        let Some(number) = oracle_number(&violation.r#type) else { return false };
        match violation.at {
            Some(at) => self.reported[number].binary_search(&Seq(at)).is_ok(),
            None => !self.reported[number].is_empty(),
        }
    }

    /// Whether the states violate an oracle that passed according to the journal.
    fn refuted(&self, verdict: &Verdict) -> Option<(String, String)> {
        let number = oracle_number(&verdict.oracle).filter(|_| verdict.passed)?;
        let first = self.reported[number].first()?;
        Some(("failed".to_owned(), format!("passed, but state {first} violates it")))
    }
}

/// The severity that the journal gives, else the one that is usual for the type.
pub(crate) fn severity(violation: &Violation) -> Severity {
    match violation.severity.to_ascii_lowercase().as_str() {
        "low" | "info" => Severity::Info,
        "medium" | "warning" => Severity::Warning,
        "high" | "error" => Severity::Error,
        "critical" => Severity::Critical,
        _ => oracle_number(&violation.r#type).map_or(Severity::Error, |number| ORACLES[number].check.severity),
    }
}

/// The name of a severity in a journal.
pub(crate) const fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "Low",
        Severity::Warning => "Medium",
        Severity::Error => "High",
        Severity::Critical => "Critical",
    }
}

fn contradiction(verdict: &Verdict) -> Option<(String, String)> {
    let Verdict { passed, declared, violations, .. } = verdict;
    match (passed, violations, declared) {
        (true, 1.., _) => Some(("no violation".to_owned(), format!("passed with {violations} violations"))),
        (false, 0, _) => Some(("a violation".to_owned(), "failed without a violation".to_owned())),
        (_, listed, Some(declared)) if listed != declared => {
            Some((format!("{declared} violations"), format!("{listed} are listed, {declared} counted")))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaking(count: u64) -> ObservedState {
        ObservedState { leaked_obligations: count, path_outcomes_consistent: true, ..ObservedState::default() }
    }

    fn found(ledger: &TransferLedger) -> Vec<(&'static str, u32)> {
        let sorted = ledger.findings.clone().into_sorted();
        sorted.iter().map(|finding| (finding.check.id, finding.at[0].0)).collect()
    }

    #[test]
    fn a_violation_is_reported_where_it_begins_and_where_its_evidence_changes() {
        let mut ledger = TransferLedger::default();
        for (at, count) in (0..).zip([0, 2, 2, 2, 5, 5, 0, 5]) {
            ledger.see_state(Seq(at), &leaking(count));
        }
        let leak = "transfer/obligation_leak";
        assert_eq!(found(&ledger), [(leak, 1), (leak, 4), (leak, 7)]);
    }

    #[test]
    fn a_journal_that_repeats_what_the_states_show_adds_no_finding() {
        let violation =
            |at| JournalEntry::Violation(Violation { r#type: "obligation_leak".into(), at, ..Violation::default() });
        let verdict = |passed: bool| {
            let violations = u64::from(!passed);
            JournalEntry::Oracle(Verdict { oracle: "obligation_leak".into(), passed, violations, ..Verdict::default() })
        };
        let mut ledger = TransferLedger::default();
        ledger.see_state(Seq(0), &leaking(1));
        for (at, entry) in (1..).zip([verdict(false), violation(Some(0)), violation(None)]) {
            ledger.see_entry(Seq(at), &entry);
        }
        assert_eq!(found(&ledger), [("transfer/obligation_leak", 0)]);
        ledger.see_entry(Seq(4), &violation(Some(3)));
        ledger.see_entry(Seq(5), &verdict(true));
        assert_eq!(found(&ledger)[1..], [("pack/violation", 4), ("pack/contradiction", 5)]);
    }

    #[test]
    fn a_summary_that_contradicts_the_list_is_reported() {
        let verdict = |passed, declared, violations| Verdict { passed, declared, violations, ..Verdict::default() };
        for (verdict, is_one) in [
            (verdict(true, None, 0), false),
            (verdict(false, None, 2), false),
            (verdict(false, Some(2), 2), false),
            (verdict(true, None, 1), true),
            (verdict(false, None, 0), true),
            (verdict(false, Some(3), 2), true),
        ] {
            assert_eq!(contradiction(&verdict).is_some(), is_one, "{verdict:?}");
        }
    }

    #[test]
    fn the_journals_severity_wins_over_that_of_the_type() {
        let of = |severity: &str, kind: &str| {
            let violation = Violation { severity: severity.into(), r#type: kind.into(), ..Violation::default() };
            super::severity(&violation).name()
        };
        assert_eq!([of("low", ""), of("High", ""), of("critical", "")], ["info", "error", "critical"]);
        assert_eq!([of("", "quiescence"), of("", "obligation_leak"), of("?", "new")], ["warning", "error", "error"]);
        for severity in Severity::ALL {
            assert_eq!(of(severity_word(severity), ""), severity.name());
        }
    }
}

//! Oracles: the result of each check of a trace, which is passed, failed or not run.

use serde_json::{Value, json};

use crate::replay::check::{Check, Severity};
use crate::replay::finding::Finding;

pub(crate) const SCHEMA: &str = "stepback-oracles/1";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OracleState {
    Passed,
    Failed,
    NotRun,
}

impl OracleState {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            OracleState::Passed => "passed",
            OracleState::Failed => "failed",
            OracleState::NotRun => "not_run",
        }
    }
}

/// The result of one check on one trace.
pub(crate) struct OracleResult {
    pub name: &'static str,
    /// The number of events that it was asked about.
    pub checks_run: u64,
    /// The number of records that it saw, including undecodable ones.
    pub subjects_examined: u64,
    pub violations: Vec<Finding>,
}

impl OracleResult {
    /// The state follows from the counts, so the two cannot contradict each other.
    pub(crate) fn state(&self) -> OracleState {
        if !self.violations.is_empty() {
            OracleState::Failed
        } else if self.checks_run == 0 {
            OracleState::NotRun
        } else {
            OracleState::Passed
        }
    }

    pub(crate) fn severity(&self) -> Option<Severity> {
        self.violations.iter().map(|violation| violation.severity).max()
    }

    fn to_json(&self) -> Value {
        json!({
            "oracle": self.name,
            "state": self.state().name(),
            "checks_run": self.checks_run,
            "subjects_examined": self.subjects_examined,
            "violations": self.violations.iter().map(Finding::to_json).collect::<Vec<_>>(),
        })
    }
}

/// The number of events and records that the checks saw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SeenCounts {
    pub events: u64,
    pub records: u64,
}

/// The result of each check. Checks that need sidecars are not run in a pack.
pub(crate) fn results(
    checks: impl Iterator<Item = &'static Check>,
    findings: &[Finding],
    seen: SeenCounts,
) -> Vec<OracleResult> {
    let result = |check: &'static Check| {
        let violations: Vec<Finding> = findings.iter().filter(|finding| finding.check == check).cloned().collect();
        let (run, examined) = match check.id.split_once('/') {
            _ if check.needs_sidecars() => (0, 0),
            // Damage is searched for in every record, and in the log as a whole.
            Some(("log", _)) => (seen.records.max(1), seen.records),
            _ => (seen.events, seen.records),
        };
        let run = run.max(violations.len() as u64);
        OracleResult { name: check.id, checks_run: run, subjects_examined: examined, violations }
    };
    checks.map(result).collect()
}

pub(crate) fn document(oracles: &[OracleResult]) -> Value {
    json!({"schema": SCHEMA, "oracles": oracles.iter().map(OracleResult::to_json).collect::<Vec<_>>()})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::Seq;

    static ONE: Check = Check {
        id: "turn/one",
        severity: Severity::Error,
        tier: crate::replay::check::Tier::Proven,
        says: "",
        explains: "",
    };
    static BESIDE: Check = Check {
        id: "cover/two",
        severity: Severity::Error,
        tier: crate::replay::check::Tier::Proven,
        says: "",
        explains: "",
    };

    #[test]
    fn the_state_follows_from_the_counts() {
        let states = |findings: &[Finding], events| {
            let results = results([&ONE, &BESIDE].into_iter(), findings, SeenCounts { events, records: events });
            results.iter().map(|oracle| oracle.state().name()).collect::<Vec<_>>()
        };
        assert_eq!(states(&[], 3), ["passed", "not_run"]);
        assert_eq!(states(&[], 0), ["not_run", "not_run"]);
        assert_eq!(states(&[Finding::new(&ONE, [Seq(1)])], 0), ["failed", "not_run"]);
    }
}

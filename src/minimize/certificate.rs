//! The certificate: the proof that no event can be removed, with what is reported without each.

use super::candidate::Candidate;
use super::checker::CandidateChecker;
use super::target::TargetFinding;
use super::tester::{BudgetSpent, Tester};
use super::unit_map::UnitRole;

/// What is reported without an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Without {
    /// Without it the file is not a log.
    NoLog,
    /// The finding is lost. These are reported instead, worst first; the rest are counted.
    Lost { instead: Vec<String>, more: usize },
    /// The finding is still reported: the log is not minimal.
    Kept,
}

impl Without {
    /// In words. They contain text from the log, which must be escaped before it is shown.
    pub(crate) fn describe(&self) -> String {
        match self {
            Without::NoLog => "no log".to_owned(),
            Without::Kept => "still reported".to_owned(),
            Without::Lost { instead, .. } if instead.is_empty() => "lost".to_owned(),
            Without::Lost { instead, more } => {
                let more = if *more > 0 { format!(" and {more} more") } else { String::new() };
                format!("lost; instead {}{more}", instead.join(", "))
            }
        }
    }
}

/// One event of the minimized log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CertificateRow {
    /// Its number in the minimized log.
    pub event: u32,
    /// Its number in the original.
    pub original: u32,
    pub kind: &'static str,
    pub without: Without,
}

/// How many of the other findings are named.
const NAMED: usize = 3;

/// Removes each event once. If the sweep before it was complete, all results are known already.
pub(crate) fn certificate(
    checker: &dyn CandidateChecker,
    tester: &mut Tester<'_>,
    best: &Candidate,
    target: Option<&TargetFinding>,
) -> Result<Vec<CertificateRow>, BudgetSpent> {
    let mut rows = Vec::with_capacity(best.len());
    for (event, original) in (0..).zip(best.kept.iter().copied()) {
        let kind = checker.kind_name(checker.unit_map().entry(original).kind);
        let without = if checker.unit_map().role(original) == UnitRole::Fixed {
            Without::NoLog
        } else {
            let candidate = best.without(&checker.unit_map().with_unit(best, original));
            match tester.holds(&candidate)? {
                true => Without::Kept,
                false => instead(checker, &candidate, target),
            }
        };
        rows.push(CertificateRow { event, original, kind, without });
    }
    Ok(rows)
}

fn instead(checker: &dyn CandidateChecker, candidate: &Candidate, target: Option<&TargetFinding>) -> Without {
    // A command answers yes or no, and nothing else.
    let Some(target) = target else { return Without::Lost { instead: Vec::new(), more: 0 } };
    let mut found = checker.findings(candidate);
    found.retain(|finding| !target.is(finding));
    found.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let more = found.len().saturating_sub(NAMED);
    Without::Lost { instead: found.iter().take(NAMED).map(|finding| finding.fingerprint()).collect(), more }
}

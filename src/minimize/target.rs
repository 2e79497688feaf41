//! The finding that a candidate must still report, and how to recognize it.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashSet, FxHasher};

use crate::replay::check::{Check, Severity};
use crate::replay::damage;
use crate::replay::finding::Finding;

/// A finding as its fingerprint identifies it: the check and its subjects, without numbers, counts or times.
///
/// If a check has no named subjects (such as the numbers of a tape's records), removing records can create another
/// violation with the same fingerprint. A stricter rule, such as requiring the events of the original finding, would not
/// work: then the result could lose an event and still report the fingerprint, so it would not be minimal for a user who
/// tries that with `check`. Since the closure comes first, the result is about the original events wherever these are
/// enough.
pub(crate) struct TargetFinding {
    check: &'static Check,
    subjects: Vec<(&'static str, Arc<str>)>,
    /// Identities of all findings of the original log, by which new ones are recognized.
    known: FxHashSet<u64>,
}

impl TargetFinding {
    /// `finding` is one of `all`, the findings of the original log.
    pub(crate) fn new(finding: &Finding, all: &[Finding]) -> TargetFinding {
        let (check, subjects) = (finding.check, finding.subjects.clone());
        TargetFinding { check, subjects, known: all.iter().map(identity).collect() }
    }

    pub(crate) fn is(&self, finding: &Finding) -> bool {
        finding.check == self.check && finding.subjects == self.subjects
    }

    /// Whether a finding is new and more than information: the original log does not report it. An empty candidate is
    /// not worth reporting.
    pub(crate) fn is_worth_reporting(&self, finding: &Finding) -> bool {
        finding.severity > Severity::Info && *finding.check != damage::EMPTY && !self.known.contains(&identity(finding))
    }

    pub(crate) fn check(&self) -> &'static Check {
        self.check
    }
}

fn identity(finding: &Finding) -> u64 {
    let mut hasher = FxHasher::default();
    (finding.check.id, &finding.subjects).hash(&mut hasher);
    hasher.finish()
}

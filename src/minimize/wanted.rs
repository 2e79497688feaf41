//! The finding that a smaller log must still report, and how others are told from it.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashSet, FxHasher};

use crate::replay::check::{Check, Severity};
use crate::replay::damage;
use crate::replay::finding::Finding;

/// A finding as its fingerprint names it: the check and what it is about. No number, count or time.
///
/// Where a check is about nothing that has a name (the numbers of a tape's records), taking records away can make up
/// another contradiction with this fingerprint. To ask for more here, say that it touches the events of the original one,
/// would not do: then an event could be taken out of the result and the fingerprint would still be reported, and whoever
/// tries that with `check` would rightly say that it is not minimal. The closure comes first, so what is left is about the
/// original's events wherever these are enough.
pub struct Wanted {
    check: &'static Check,
    subjects: Vec<(&'static str, Arc<str>)>,
    /// What the whole log reports, so that what turns up on the way is known to be new.
    known: FxHashSet<u64>,
}

impl Wanted {
    /// One of the findings of the log as it is.
    pub fn new(finding: &Finding, all: &[Finding]) -> Wanted {
        let (check, subjects) = (finding.check, finding.subjects.clone());
        Wanted { check, subjects, known: all.iter().map(identity).collect() }
    }

    pub fn is(&self, finding: &Finding) -> bool {
        finding.check == self.check && finding.subjects == self.subjects
    }

    /// Whether a finding was made by taking the log apart: the whole log does not report it, and it is more than
    /// information. That nothing is left is no news.
    pub fn is_worth_telling(&self, finding: &Finding) -> bool {
        finding.severity > Severity::Info && *finding.check != damage::EMPTY && !self.known.contains(&identity(finding))
    }

    pub fn check(&self) -> &'static Check {
        self.check
    }
}

fn identity(finding: &Finding) -> u64 {
    let mut hasher = FxHasher::default();
    (finding.check.id, &finding.subjects).hash(&mut hasher);
    hasher.finish()
}

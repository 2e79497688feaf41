//! Minimizing: the result is a part of the log that still reports the finding.

use std::sync::Arc;

use super::log::{checked, open};
use crate::loader::own_sidecars;
use crate::log::Options;
use crate::minimize::Extent;
use crate::minimize::candidate::Candidate;
use crate::minimize::tester::Unobserved;
use crate::minimize_io::gather;
use crate::minimize_io::task::{MinimizeTask, ProofError};

const RECORDS_LIMIT: usize = 40;
const MOST_TESTS: u64 = 400;

pub(super) fn target(input: &[u8]) {
    let Ok(log) = open(input, &Options::default()) else { return };
    let sidecars = own_sidecars(&log).expect("none");
    let Some(results) = checked(&log, &sidecars) else { return };
    let Some(finding) = results.findings.iter().max_by_key(|finding| finding.severity) else { return };
    let log = Arc::new(log);
    let Ok(task) = MinimizeTask::new(Arc::clone(&log), sidecars) else { return };
    let parts = gather(&log).expect("memory").parts;
    if parts.len() > RECORDS_LIMIT {
        return;
    }
    let checker = task.checker();
    let found = checker.findings(&Candidate::all(&parts));
    if task.refusal(finding, &found).is_some() {
        return;
    }
    let outcome = task.keeping(&*checker, (finding, &found), (Some(MOST_TESTS), Extent::Payloads), &mut Unobserved);
    assert!(outcome.minimized.tests <= MOST_TESTS && outcome.minimized.best.len() <= parts.len());
    let written = task.written(&outcome);
    assert!(written.len() <= input.len() + 2 * parts.len() + 16, "the minimized log is longer");
    let again = task.opened(&outcome).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(again.dialect, log.dialect);
    match task.still_fails(&again, &outcome) {
        Ok(()) | Err(ProofError::NeedsStore { .. }) => {}
        Err(error) => panic!("{error}"),
    }
    task.document(&outcome, None).expect("a report");
}

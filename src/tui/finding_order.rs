//! The orders in which findings are listed.

use crate::replay::Seq;
use crate::replay::check::Severity;
use crate::replay::shared::FindingList;

/// The numbers of the findings as the pane lists them: warnings and worse first, then those of severity info.
pub(crate) fn by_severity(findings: &FindingList) -> Vec<usize> {
    let is_info = |number: &usize| findings.list[*number].severity == Severity::Info;
    let (info, serious): (Vec<usize>, Vec<usize>) = (0..findings.list.len()).partition(is_info);
    serious.into_iter().chain(info).collect()
}

/// The events with findings above info in log order: each event once, with the number of its first finding.
pub(crate) fn divergent_events(findings: &FindingList) -> Vec<(Seq, usize)> {
    let serious = findings.list.iter().enumerate().filter(|(_, finding)| finding.severity > Severity::Info);
    let mut all: Vec<(Seq, usize)> =
        serious.flat_map(|(number, finding)| finding.at.iter().map(move |at| (*at, number))).collect();
    all.sort_unstable();
    all.dedup_by_key(|entry| entry.0);
    all
}

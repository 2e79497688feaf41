//! The orders in which findings are listed and visited.

use std::cmp::Reverse;

use crate::replay::Seq;
use crate::replay::check::Severity;
use crate::replay::direction::Direction;
use crate::replay::shared::FindingList;

/// The numbers of the findings as the pane lists them: warnings and worse first, then those of severity info.
pub(crate) fn by_severity(findings: &FindingList) -> Vec<usize> {
    let is_info = |number: &usize| findings.list[*number].severity == Severity::Info;
    let (info, serious): (Vec<usize>, Vec<usize>) = (0..findings.list.len()).partition(is_info);
    serious.into_iter().chain(info).collect()
}

/// The findings above info as they are visited, with the event of each: the worst first, then in the order of the log.
/// An event is visited once, for the worst finding that begins there.
pub(crate) fn visits(findings: &FindingList) -> Vec<(Seq, usize)> {
    let serious = findings.list.iter().enumerate().filter(|(_, finding)| finding.severity > Severity::Info);
    let mut all: Vec<(Seq, usize)> = serious.map(|(number, finding)| (finding.at[0], number)).collect();
    all.sort_by_key(|(at, number)| (*at, Reverse(findings.list[*number].severity), *number));
    all.dedup_by_key(|entry| entry.0);
    all.sort_by_key(|(at, number)| (Reverse(findings.list[*number].severity), *at));
    all
}

/// The visit after or before the one at an event; from anywhere else, the first or the last one.
pub(crate) fn next_visit(findings: &FindingList, at: Seq, direction: Direction) -> Option<(Seq, usize)> {
    let visits = visits(findings);
    let here = visits.iter().position(|(place, _)| *place == at);
    match (here, direction) {
        (Some(here), Direction::Forward) => visits.get(here + 1),
        (Some(here), Direction::Backward) => here.checked_sub(1).and_then(|before| visits.get(before)),
        (None, Direction::Forward) => visits.first(),
        (None, Direction::Backward) => visits.last(),
    }
    .copied()
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

//! The orders in which findings are listed and visited.

use std::cmp::Reverse;

use crate::replay::Seq;
use crate::replay::check::Severity;
use crate::replay::direction::Direction;
use crate::replay::shared::FindingList;

/// The findings as the pane lists them, by their numbers: those above severity info, then one per check of the others,
/// with how many of that check there are.
pub(crate) fn listed(findings: &FindingList) -> Vec<(usize, usize)> {
    let serious = findings.serious();
    let mut all: Vec<(usize, usize)> = (0..serious).map(|number| (number, 1)).collect();
    for (number, finding) in findings.list.iter().enumerate().skip(serious) {
        let known = all[serious..].iter_mut().find(|(first, _)| findings.list[*first].check.id == finding.check.id);
        match known {
            Some((_, count)) => *count += 1,
            None => all.push((number, 1)),
        }
    }
    all
}

/// The row of the list that stands for a finding.
pub(crate) fn row_of(findings: &FindingList, rows: &[(usize, usize)], wanted: usize) -> Option<usize> {
    let wanted_finding = findings.list.get(wanted)?;
    let is_its = |finding: &crate::replay::finding::Finding| {
        finding.severity == Severity::Info && finding.check.id == wanted_finding.check.id
    };
    let exact = rows.iter().position(|(number, _)| *number == wanted);
    exact.or_else(|| {
        let is_folded = wanted_finding.severity == Severity::Info;
        rows.iter().position(|(number, _)| is_folded && is_its(&findings.list[*number]))
    })
}

/// The findings above info as they are visited, with the event of each: the worst first, then in the order of the log.
/// An event is visited once, for the worst finding that begins there.
pub(crate) fn visits(findings: &FindingList) -> Vec<(Seq, usize)> {
    let serious = findings.list.iter().take(findings.serious()).enumerate();
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
    let serious = findings.list.iter().take(findings.serious()).enumerate();
    let mut all: Vec<(Seq, usize)> =
        serious.flat_map(|(number, finding)| finding.at.iter().map(move |at| (*at, number))).collect();
    all.sort_unstable();
    all.dedup_by_key(|entry| entry.0);
    all
}

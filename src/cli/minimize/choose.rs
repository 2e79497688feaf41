//! The choice of the finding that minimizing keeps.

use std::collections::BTreeSet;

use color_eyre::eyre::{self, eyre};

use super::{MinimizeRun, note};
use crate::loader::SidecarResults;
use crate::minimize_io::task::MinimizeTask;
use crate::replay::Seq;
use crate::replay::finding::Finding;

/// The finding that `--finding` names, or the first one of the highest severity. `found` are the findings about the
/// records alone.
pub(super) fn choose(run: &MinimizeRun<'_>, found: &[Finding]) -> eyre::Result<Finding> {
    let name = &run.task.log.name;
    let Some(wanted) = &run.args.finding else {
        let worst = found.iter().map(|finding| finding.severity).max();
        let first = found.iter().find(|finding| Some(finding.severity) == worst);
        let first = first.ok_or_else(|| eyre!("{name}: the log has no finding, so there is nothing to keep"))?;
        let all = as_checked(run, found)?;
        if let Some(worse) = all.iter().find(|finding| finding.severity > first.severity) {
            let (worse, kept) = (worse.check.id, first.fingerprint());
            note(&format!("{worse} is more severe, but it is not about the records of the log; keeping {kept}"));
        }
        return accept(run, first, found);
    };
    let all = as_checked(run, found)?;
    accept(run, named(name, &all, wanted)?, found)
}

/// The finding that the user names. `all` must be in the order in which `check` numbers them.
pub(crate) fn named<'f>(name: &str, all: &'f [Finding], wanted: &str) -> eyre::Result<&'f Finding> {
    let number = wanted.strip_prefix("finding:").unwrap_or(wanted).parse::<usize>().ok();
    let named = match number {
        Some(number) => number.checked_sub(1).and_then(|index| all.get(index)),
        None => {
            let is_it = |finding: &&Finding| finding.fingerprint() == *wanted;
            all.iter().find(is_it).or_else(|| of_check(all, wanted))
        }
    };
    named.ok_or_else(|| {
        eyre!("{name}: there is no finding {wanted:?}; `stepback check {name} --json` lists all findings with their fingerprints")
    })
}

/// The first finding of a check.
fn of_check<'f>(all: &'f [Finding], wanted: &str) -> Option<&'f Finding> {
    let mut of_check = all.iter().filter(|finding| finding.check.id == wanted);
    let first = of_check.next()?;
    let more = of_check.count();
    if more > 0 {
        note(&format!("there are {} more findings of {wanted}; keeping {}", more, first.fingerprint()));
    }
    Some(first)
}

/// All findings, in the order in which `check` numbers them.
fn as_checked(run: &MinimizeRun<'_>, found: &[Finding]) -> eyre::Result<Vec<Finding>> {
    let mut all = found.to_vec();
    all.extend(run.task.gathered.lost.iter().cloned());
    let last = Seq((run.task.gathered.parts.len() as u32).saturating_sub(1));
    // Findings about a tape's payloads come from the records as well as from the payload store.
    let known: BTreeSet<(Seq, String)> = found.iter().map(identity).collect();
    let MinimizeTask { log, sidecars, .. } = run.task;
    let results = SidecarResults::of(log, &**sidecars, last, &|_| true)?;
    all.extend(results.findings.into_iter().filter(|finding| !known.contains(&identity(finding))));
    all.sort_by(|one, two| one.order().cmp(&two.order()));
    Ok(all)
}

fn identity(finding: &Finding) -> (Seq, String) {
    (finding.at.first().copied().unwrap_or_default(), finding.fingerprint())
}

fn accept(run: &MinimizeRun<'_>, finding: &Finding, found: &[Finding]) -> eyre::Result<Finding> {
    match run.task.refusal(finding, found) {
        Some(reason) => Err(eyre!("{}: {reason}", run.task.log.name)),
        None => Ok(finding.clone()),
    }
}

//! The proof that nothing more can go: each event taken away once, and what is reported then.

use super::candidate::Candidate;
use super::court::{Court, Over};
use super::outline::Role;
use super::trial::Trial;
use super::wanted::Wanted;

/// What is reported without an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Without {
    /// There is no log without it.
    NoLog,
    /// The finding is lost. These are reported instead, worst first; the rest are counted.
    Lost { instead: Vec<String>, more: usize },
    /// It would still be there: the log is not minimal.
    Kept,
}

impl Without {
    /// In words. What is named comes from the log: it is to be cleaned before it is shown.
    pub fn told(&self) -> String {
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
pub struct Row {
    /// Its number in the minimized log.
    pub event: u32,
    /// Its number in the original.
    pub original: u32,
    pub kind: &'static str,
    pub without: Without,
}

/// Of what is reported instead so much is named.
const NAMED: usize = 3;

/// Takes each event away once. The tests have been made already where the sweep before came to its end.
pub fn certificate(
    trial: &dyn Trial,
    court: &mut Court<'_>,
    best: &Candidate,
    wanted: Option<&Wanted>,
) -> Result<Vec<Row>, Over> {
    let mut rows = Vec::with_capacity(best.len());
    for (event, original) in (0..).zip(best.kept.iter().copied()) {
        let kind = trial.kind_name(trial.outline().entry(original).kind);
        let without = if trial.outline().role(original) == Role::Fixed {
            Without::NoLog
        } else {
            let candidate = best.without(&[original]);
            match court.holds(&candidate)? {
                true => Without::Kept,
                false => instead(trial, &candidate, wanted),
            }
        };
        rows.push(Row { event, original, kind, without });
    }
    Ok(rows)
}

fn instead(trial: &dyn Trial, candidate: &Candidate, wanted: Option<&Wanted>) -> Without {
    // A command of the user's says yes or no, and nothing else.
    let Some(wanted) = wanted else { return Without::Lost { instead: Vec::new(), more: 0 } };
    let mut found = trial.findings(candidate);
    found.retain(|finding| !wanted.is(finding));
    found.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let more = found.len().saturating_sub(NAMED);
    Without::Lost { instead: found.iter().take(NAMED).map(|finding| finding.fingerprint()).collect(), more }
}

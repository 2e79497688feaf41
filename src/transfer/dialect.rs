//! The row of the transfer dialect.

use super::checks;
use super::machine::{Transfer, VOCABULARY};
use crate::dialect::Dialect;
use crate::dialect::diff::Diffing;
use crate::minimize::checker::MachineChecker;
use crate::replay::damage;
use crate::replay::judging::{Judged, glance};
use crate::replay::timeline::Timeline;

pub static DIALECT: Dialect = Dialect {
    name: "transfer",
    title: "transfer crashpack",
    describes: "transfer crashpack: the checks of a failed data transfer and their violations (a folder with manifest, journal and journal.digest)",
    checks: checks::CHECKS,
    vocabulary: &VOCABULARY,
    begin: |source, _| Timeline::<Transfer>::begin_dyn(source, (), Default::default()),
    judge: |_| Judged::<Transfer>::begin((), Default::default()),
    trial: |parts, _| Box::new(MachineChecker::<Transfer>::new(parts, Default::default())),
    glance: glance::<Transfer>,
    refuses: &[&damage::MALFORMED, &damage::TORN_TAIL, &damage::TOO_LONG],
    torn_tail: |at, place, _| damage::torn_tail(at, place),
    report: &super::report::REPORTING,
    diff: Diffing::NONE,
};

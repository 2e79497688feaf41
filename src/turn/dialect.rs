//! The row of the turn dialect.

use super::checks;
use super::judge::TurnChecker;
use super::machine::{TurnLog, VOCABULARY};
use crate::dialect::Dialect;
use crate::minimize::checker::MachineChecker;
use crate::replay::damage;
use crate::replay::judging::{Judged, glance};
use crate::replay::timeline::Timeline;

pub static DIALECT: Dialect = Dialect {
    name: "turn",
    title: "turn log",
    describes: "turn log of an agent engine: the events of its turns (JSON array, lines, envelopes, trace bundle, replay pack or sessions.db)",
    checks: checks::CHECKS,
    vocabulary: &VOCABULARY,
    begin: |source, start| {
        Timeline::<TurnLog>::begin_dyn(source, Default::default(), TurnChecker::new(start.beside.live.clone()))
    },
    judge: |start| Judged::<TurnLog>::begin(Default::default(), TurnChecker::new(start.beside.live.clone())),
    trial: |parts, start| Box::new(MachineChecker::<TurnLog>::new(parts, TurnChecker::new(start.beside.live.clone()))),
    glance: glance::<TurnLog>,
    refuses: &[&damage::MALFORMED, &damage::TORN_TAIL, &damage::TOO_LONG, &checks::UNKNOWN_EVENT],
    torn_tail: |at, place, _| damage::torn_tail(at, place),
    report: &super::report::REPORTING,
    diff: super::diff::DIFFING,
};

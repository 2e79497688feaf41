//! The dialects that stepback reads: a row each. A new one is a folder and a row.

use std::sync::Arc;

use crate::minimize::parts::Parts;
use crate::minimize::trial::{OnMachine, Trial};
use crate::replay::check::Check;
use crate::replay::damage;
use crate::replay::source::Source;
use crate::replay::timeline::{Begun, Timeline};
use crate::replay::vocabulary::Vocabulary;
use crate::turn;
use crate::turn::judge::Judge;
use crate::turn::report::Beside;
use crate::turn::turnlog::TurnLog;

pub struct Dialect {
    /// For `--dialect` and machines.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    pub describes: &'static str,
    pub checks: &'static [&'static Check],
    pub vocabulary: &'static Vocabulary,
    /// An empty replay of a log, and the pass that fills it.
    pub begin: fn(Arc<dyn Source>, &Beside) -> Begun,
    /// The records of a log, for whoever makes it smaller.
    pub trial: for<'p> fn(&'p Parts, &Beside) -> Box<dyn Trial + 'p>,
}

pub static DIALECTS: &[Dialect] = &[Dialect {
    name: "turn",
    title: "turn log",
    describes: "kernel turn events: JSON array, lines, envelopes, trace bundle, replay pack or sessions.db",
    checks: turn::checks::CHECKS,
    vocabulary: &turn::turnlog::VOCABULARY,
    begin: |source, beside| Timeline::<TurnLog>::begin_dyn(source, Judge::new(beside.live.clone())),
    trial: |parts, beside| Box::new(OnMachine::<TurnLog>::new(parts, Judge::new(beside.live.clone()))),
}];

pub static TURN: &Dialect = &DIALECTS[0];

/// Every check of every dialect, damage first.
pub fn catalogue() -> impl Iterator<Item = &'static Check> {
    damage::CHECKS.iter().chain(DIALECTS.iter().flat_map(|dialect| dialect.checks)).copied()
}

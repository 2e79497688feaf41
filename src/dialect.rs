//! The dialects that stepback reads: a row each. A new one is a folder, a row here, and one that tells how its records
//! look (`log::container`).

use std::sync::Arc;

use crate::crashpack;
use crate::minimize::parts::Parts;
use crate::minimize::trial::{OnMachine, Trial};
use crate::replay::check::Check;
use crate::replay::finding::Finding;
use crate::replay::judging::{Glance, Judged, Judging, glance};
use crate::replay::machine::Malformed;
use crate::replay::source::{Head, Source};
use crate::replay::timeline::{Begun, Timeline};
use crate::replay::vocabulary::Vocabulary;
use crate::replay::{Place, Seq, damage};
use crate::tape;
use crate::tape::machine::EventTape;
use crate::tape::stored::{Payloads, Stored};
use crate::transfer;
use crate::transfer::machine::Transfer;
use crate::turn;
use crate::turn::judge::Judge;
use crate::turn::machine::TurnLog;
use crate::turn::report::Beside;

/// What is known of a log before its first record.
pub struct Start<'s> {
    pub beside: &'s Beside,
    pub head: Option<&'s Head>,
    pub payloads: Option<Arc<dyn Payloads>>,
    /// What the payloads are worth, where somebody has looked at all of them before the first record.
    pub stored: Option<Arc<Stored>>,
}

pub struct Dialect {
    /// For `--dialect` and machines.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    pub describes: &'static str,
    pub checks: &'static [&'static Check],
    pub vocabulary: &'static Vocabulary,
    /// An empty replay of a log, and the pass that fills it.
    pub begin: fn(Arc<dyn Source>, &Start<'_>) -> Begun,
    /// The records of a log, for whoever makes it smaller.
    pub trial: for<'p> fn(&'p Parts, &Start<'_>) -> Box<dyn Trial + 'p>,
    /// Its checks alone.
    pub judge: fn(&Start<'_>) -> Box<dyn Judging>,
    /// One event on one line.
    pub glance: fn(&[u8]) -> Result<Glance, Malformed>,
    /// The checks for which `--strict` refuses a log as a whole: it cannot be read for what it is.
    pub refuses: &'static [&'static Check],
    /// What to say of a log that ends inside a record of so many bytes.
    pub torn_tail: fn(Seq, Place, usize) -> Finding,
}

impl Dialect {
    pub fn refuses(&self, check: &Check) -> bool {
        self.refuses.iter().any(|refused| refused.id == check.id)
    }
}

pub static DIALECTS: &[Dialect] = &[
    Dialect {
        name: "turn",
        title: "turn log",
        describes: "kernel turn events: JSON array, lines, envelopes, trace bundle, replay pack or sessions.db",
        checks: turn::checks::CHECKS,
        vocabulary: &turn::machine::VOCABULARY,
        begin: |source, start| {
            Timeline::<TurnLog>::begin_dyn(source, Default::default(), Judge::new(start.beside.live.clone()))
        },
        judge: |start| Judged::<TurnLog>::begin(Default::default(), Judge::new(start.beside.live.clone())),
        trial: |parts, start| Box::new(OnMachine::<TurnLog>::new(parts, Judge::new(start.beside.live.clone()))),
        glance: glance::<TurnLog>,
        refuses: &[&damage::MALFORMED, &damage::TORN_TAIL, &damage::TOO_LONG, &turn::checks::UNKNOWN_EVENT],
        torn_tail: |at, place, _| damage::torn_tail(at, place),
    },
    Dialect {
        name: "tape",
        title: "event tape",
        describes: "what a run met at its host's boundary: NAME.tape with its store NAME.tape.cas, versions 1 to 5",
        checks: tape::checks::CHECKS,
        vocabulary: &tape::machine::VOCABULARY,
        begin: |source, start| Timeline::<EventTape>::begin_dyn(source, tape_decoder(start), tape_ledger(start)),
        judge: |start| Judged::<EventTape>::begin(tape_decoder(start), tape_ledger(start)),
        trial: |parts, start| {
            Box::new(OnMachine::<EventTape>::new(parts, tape_ledger(start)).with_torn_tail(tape::judge::torn_tail))
        },
        glance: glance::<EventTape>,
        // The format's own reader leaves a torn last line out without a word.
        refuses: &[
            &damage::MALFORMED,
            &damage::TOO_LONG,
            &tape::checks::NEWER_VERSION,
            &tape::checks::NO_HEADER,
            &tape::checks::HEADER_LATE,
            &tape::checks::SECOND_HEADER,
        ],
        torn_tail: tape::judge::torn_tail,
    },
    Dialect {
        name: transfer::event::DIALECT,
        title: "transfer crashpack",
        describes: "the oracles of a transfer that failed and their violations: a folder with manifest, journal and journal.digest",
        checks: transfer::checks::CHECKS,
        vocabulary: &transfer::machine::VOCABULARY,
        begin: |source, _| Timeline::<Transfer>::begin_dyn(source, (), Default::default()),
        judge: |_| Judged::<Transfer>::begin((), Default::default()),
        trial: |parts, _| Box::new(OnMachine::<Transfer>::new(parts, Default::default())),
        glance: glance::<Transfer>,
        refuses: &[&damage::MALFORMED, &damage::TORN_TAIL, &damage::TOO_LONG],
        torn_tail: |at, place, _| damage::torn_tail(at, place),
    },
];

pub static TURN: &Dialect = &DIALECTS[0];
pub static TAPE: &Dialect = &DIALECTS[1];
pub static TRANSFER: &Dialect = &DIALECTS[2];

fn tape_decoder(start: &Start<'_>) -> tape::decode::Decoder {
    tape::decode::Decoder { payloads: start.payloads.clone() }
}

fn tape_ledger(start: &Start<'_>) -> tape::machine::Ledger {
    tape::machine::Ledger::new(start.head).with_store(start.stored.clone())
}

/// The row of a dialect. Whoever names one took the name from these rows.
pub fn by_name(name: &str) -> &'static Dialect {
    DIALECTS.iter().find(|dialect| dialect.name == name).unwrap_or(TURN)
}

/// Every check of every dialect, damage first, and that of packs last.
pub fn catalogue() -> impl Iterator<Item = &'static Check> {
    let of_dialects = DIALECTS.iter().flat_map(|dialect| dialect.checks);
    damage::CHECKS.iter().chain(of_dialects).chain(crashpack::checks::CHECKS).copied()
}

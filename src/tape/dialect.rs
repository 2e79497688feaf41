//! The row of the tape dialect.

use super::decode::Decoder;
use super::machine::{EventTape, Ledger, VOCABULARY};
use super::{checks, judge};
use crate::dialect::{Dialect, Start};
use crate::minimize::checker::MachineChecker;
use crate::replay::damage;
use crate::replay::judging::{Judged, glance};
use crate::replay::timeline::Timeline;

pub static DIALECT: Dialect = Dialect {
    name: "tape",
    title: "event tape",
    describes: "event tape of the Harn runtime: what a run exchanged with the outside (NAME.tape and its payload store NAME.tape.cas, versions 1 to 5)",
    checks: checks::CHECKS,
    vocabulary: &VOCABULARY,
    begin: |source, start| Timeline::<EventTape>::begin_dyn(source, decoder(start), ledger(start)),
    judge: |start| Judged::<EventTape>::begin(decoder(start), ledger(start)),
    trial: |parts, start| {
        Box::new(MachineChecker::<EventTape>::new(parts, ledger(start)).with_torn_tail(judge::torn_tail))
    },
    glance: glance::<EventTape>,
    // The format's own reader leaves a torn last line out without a word.
    refuses: &[
        &damage::MALFORMED,
        &damage::TOO_LONG,
        &checks::NEWER_VERSION,
        &checks::NO_HEADER,
        &checks::HEADER_LATE,
        &checks::SECOND_HEADER,
    ],
    torn_tail: judge::torn_tail,
    report: &super::report::REPORTING,
    diff: super::diff::DIFFING,
};

fn decoder(start: &Start<'_>) -> Decoder {
    Decoder { payloads: start.payloads.clone() }
}

fn ledger(start: &Start<'_>) -> Ledger {
    Ledger::new(start.head).with_store(start.stored.clone())
}

//! One pass of every check over an open log.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use super::open::{Held, Opened, decode_next};
use super::progress::Progress;
use crate::log::records::RECORD_LIMIT_BYTES;
use crate::log::{Item, Log, LogError};
use crate::replay::finding::{Finding, Findings};
use crate::replay::{Place, Seq, damage};
use crate::turn::coverage::{self, Coverage};
use crate::turn::decode::{Decoder, Malformed};
use crate::turn::event::Event;
use crate::turn::judge::Judge;
use crate::turn::thread::Thread;

/// What the checks have to say of a log.
pub struct Judged {
    /// Records that are events.
    pub events: u32,
    /// All records, undecodable ones too.
    pub records: u32,
    /// In the catalogue's order.
    pub findings: Vec<Finding>,
    /// Findings that were counted but not kept.
    pub dropped: u64,
    /// Something in it is no event.
    pub rejected: bool,
}

pub fn judge(opened: &Opened, progress: &Progress) -> Result<Judged, LogError> {
    let log = &opened.log;
    let mut judge = Judge::new(opened.beside.live.clone());
    let mut decoder = Decoder::default();
    let (mut records, mut rejected) = (0, false);
    walk_log(log, |at, met| {
        records = records.max(met.number_after(at));
        match met {
            Met::Record(place, bytes) => {
                match decode_next(log, bytes, &mut decoder) {
                    Ok(event) => judge.see(at, &event),
                    Err(malformed) => {
                        rejected = true;
                        let place = Place { byte: place.byte + malformed.byte as u64, ..place };
                        judge.see_malformed(at, place, &malformed);
                    }
                }
                progress.add(bytes.len() as u64 + 1);
            }
            Met::Damage(finding, _) => {
                rejected = true;
                judge.findings.push(finding);
            }
        }
        ControlFlow::Continue(())
    })?;
    if judge.events() == 0 {
        judge.findings.push(damage::empty());
    }
    let events = judge.events();
    let mut findings = judge.finish();
    cover(opened, Seq(records.saturating_sub(1)), &mut findings)?;
    let dropped = findings.dropped();
    Ok(Judged { events, records, findings: findings.into_sorted(), dropped, rejected })
}

/// The saved session and the stored compactions, where they are given.
fn cover(opened: &Opened, last: Seq, findings: &mut Findings) -> Result<(), LogError> {
    let beside = &opened.beside;
    if beside.session.is_none() && beside.artifacts.is_none() {
        return Ok(());
    }
    let held = Held::read(&opened.log)?;
    let recording = held.decode(&opened.log);
    let groups = recording.turns();
    let thread = Thread::of(&recording, &groups);
    match (&beside.session, &beside.artifacts) {
        (Some(session), artifacts) => {
            let events = recording.concatenated(&groups);
            findings.extend(Coverage::of(&thread, events, session, artifacts.as_deref()).findings(last));
        }
        (None, Some(rows)) => {
            findings
                .extend(coverage::compaction_text(&thread, rows).map(|text| coverage::compaction_finding(last, text)));
        }
        (None, None) => {}
    }
    Ok(())
}

/// What stands at a number of the log.
pub enum Met<'a> {
    Record(Place, &'a [u8]),
    /// Damage, and the record that it took if it took one: torn, or too long and therefore empty.
    Damage(Finding, Option<(Place, &'a [u8])>),
}

impl<'a> Met<'a> {
    fn record(self) -> Option<(Place, &'a [u8])> {
        match self {
            Met::Record(place, bytes) => Some((place, bytes)),
            Met::Damage(_, record) => record,
        }
    }

    /// How many numbers are taken once this is passed.
    fn number_after(&self, at: Seq) -> u32 {
        match self {
            Met::Damage(_, None) => at.0,
            Met::Record(..) | Met::Damage(_, Some(_)) => at.0 + 1,
        }
    }
}

/// Visits all that a log holds, until told to stop. The one place where records get their numbers: whatever
/// takes the place of a record counts, what stands between two of them belongs to the one before.
pub fn walk_log(log: &Log, mut visit: impl FnMut(Seq, Met<'_>) -> ControlFlow<()>) -> Result<(), LogError> {
    let mut stream = log.records()?;
    let mut at = Seq(0);
    while let Some(item) = stream.next_item().map_err(|error| LogError::io(&log.name, error))? {
        if at.0 == u32::MAX {
            let reason = "more records than can be numbered; cut the log in two".to_owned();
            return Err(LogError::Refused { path: log.name.clone(), reason });
        }
        let before = Seq(at.0.saturating_sub(1));
        let met = match item {
            Item::Record { place, bytes } => Met::Record(place, bytes),
            Item::Torn { place, bytes: b"" } => Met::Damage(damage::torn_tail(before, place), None),
            Item::Torn { place, bytes } => Met::Damage(damage::torn_tail(at, place), Some((place, bytes))),
            Item::TooLong { place, length_bytes } => {
                let finding = damage::too_long(at, place, length_bytes, RECORD_LIMIT_BYTES);
                Met::Damage(finding, Some((place, b"")))
            }
            Item::Irregular { place, reason } => Met::Damage(damage::malformed(before, place, reason), None),
        };
        let next = Seq(met.number_after(at));
        if visit(at, met).is_break() {
            break;
        }
        at = next;
    }
    Ok(())
}

/// Visits every record, until told to stop.
pub fn walk_records(log: &Log, mut visit: impl FnMut(Seq, (Place, &[u8])) -> ControlFlow<()>) -> Result<(), LogError> {
    walk_log(log, |at, met| met.record().map_or(ControlFlow::Continue(()), |record| visit(at, record)))
}

/// The same with each record decoded.
pub fn walk(
    log: &Log,
    mut visit: impl FnMut(Seq, &[u8], Result<Event<'_>, Malformed>) -> ControlFlow<()>,
) -> Result<(), LogError> {
    let mut decoder = Decoder::default();
    walk_records(log, |at, (_, record)| visit(at, record, decode_next(log, record, &mut decoder)))
}

/// A few records and their places, read again.
pub fn excerpt(log: &Log, wanted: &BTreeSet<u32>) -> Result<BTreeMap<u32, (Place, Vec<u8>)>, LogError> {
    let mut found = BTreeMap::new();
    let Some(last) = wanted.last().copied() else { return Ok(found) };
    walk_records(log, |at, (place, bytes)| {
        if wanted.contains(&at.0) {
            found.insert(at.0, (place, bytes.to_vec()));
        }
        if at.0 < last { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok(found)
}

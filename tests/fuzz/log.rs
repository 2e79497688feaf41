//! Logs of any dialect and container: reading is deterministic, and every way to a moment leads to the same one.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::sync::Arc;

use serde_json::Value;

use crate::dialect::container::{Container, Shape};
use crate::dialect::sidecar::Sidecars;
use crate::loader::check_results::{CheckResults, check_log};
use crate::loader::{Loaded, own_sidecars};
use crate::log::records::Records;
use crate::log::{Log, LogError, Options};
use crate::registry::DIALECTS;
use crate::replay::finding::is_hostile;
use crate::replay::imprint::Names;
use crate::replay::moment::{Emitted, Sides};
use crate::replay::timeline::Replay;
use crate::replay::vocabulary::FieldId;
use crate::replay::{Place, Seq};
use crate::text::clean;

/// How many moments of a log are visited.
const MOMENTS: u32 = 12;

pub(super) fn target(input: &[u8]) {
    match open(input, &Options::default()) {
        Ok(log) => {
            reads_in_pieces(&log, input);
            reads_as_named(&log, input);
            let sidecars = own_sidecars(&log).expect("nothing beside a log in memory");
            holds(&log, &sidecars);
        }
        // What no dialect recognizes can still be opened as any of them.
        Err(_) => {
            for dialect in DIALECTS.iter().copied() {
                let options = Options { dialect: Some(dialect), ..Options::default() };
                if let Ok(log) = open(input, &options) {
                    let _ = checked(&log, &own_sidecars(&log).expect("nothing beside a log in memory"));
                }
            }
        }
    }
}

/// Opens bytes twice, with the same result.
pub(super) fn open(input: &[u8], options: &Options) -> Result<Log, LogError> {
    let open = || Log::from_bytes("input".to_owned(), None, input.to_vec(), options);
    let (one, two) = (open(), open());
    match (&one, &two) {
        (Ok(one), Ok(two)) => {
            let parts = |log: &Log| (log.dialect, log.wrapping, log.container, log.head.clone().map(|head| head.bytes));
            assert_eq!(parts(one), parts(two));
        }
        (Err(one), Err(two)) => assert_eq!(one.to_string(), two.to_string()),
        _ => panic!("opened once, refused once"),
    }
    one
}

/// Naming the dialect that a log has anyway changes nothing.
fn reads_as_named(log: &Log, input: &[u8]) {
    let options = Options { dialect: Some(log.dialect), ..Options::default() };
    let named = open(input, &options).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((named.container, named.wrapping), (log.container, log.wrapping), "{}", log.dialect.name);
}

/// Checks a log twice, with the same results. `None` if it cannot be read.
pub(super) fn checked(log: &Log, sidecars: &Arc<dyn Sidecars>) -> Option<CheckResults> {
    let check = || check_log(log, &**sidecars, &|_| {});
    match (check(), check()) {
        (Ok(one), Ok(two)) => {
            assert_eq!((one.events, one.records, one.dropped), (two.events, two.records, two.dropped));
            assert_eq!(one.findings, two.findings);
            assert_eq!(one.refused, two.refused);
            for finding in &one.findings {
                assert!(!finding.at.is_empty() && !clean(&finding.message()).contains(is_hostile));
                assert!(!finding.fingerprint().contains(is_hostile), "{:?}", finding.fingerprint());
            }
            Some(one)
        }
        (Err(one), Err(two)) => {
            assert_eq!(one.to_string(), two.to_string());
            None
        }
        _ => panic!("checked once, refused once"),
    }
}

/// The laws of every log that opens.
pub(super) fn holds(log: &Log, sidecars: &Arc<dyn Sidecars>) {
    let Some(results) = checked(log, sidecars) else { return };
    let loaded = Loaded::begin(log.clone(), Arc::clone(sidecars), false).expect("a pass");
    loaded.wait_to_end(|_| {}).expect("the end");
    let replay = &**loaded.replay();
    assert_eq!(replay.len(), results.records);
    let found = replay.findings();
    assert!(found.list.iter().map(|finding| &**finding).eq(&results.findings), "the pass and the check differ");
    seeking_is_walking(replay);
}

/// One moment, in a form that can be compared.
#[derive(Debug, PartialEq)]
struct Glimpse {
    record: Vec<u8>,
    summary: String,
    malformed: Option<String>,
    effects: Vec<Emitted>,
    halt: Option<Value>,
    /// The values of every field before and after, and how the change is shown.
    fields: Vec<(Value, Value, String)>,
}

fn fields(replay: &dyn Replay, sides: &dyn Sides) -> Vec<(Value, Value, String)> {
    let all = (0..replay.vocabulary().fields.len()).map(|field| FieldId(field as u8));
    all.map(|field| (sides.before(field), sides.after(field), sides.change(field))).collect()
}

/// Walks over a log and keeps what is seen at these events.
fn walked(replay: &dyn Replay, places: &BTreeSet<u32>) -> BTreeMap<u32, Glimpse> {
    let (mut all, mut seen) = (BTreeMap::new(), 0);
    let walk = replay.scan(0..replay.len(), &mut |sight| {
        seen += 1;
        if !places.contains(&sight.at().0) {
            return ControlFlow::Continue(());
        }
        let (effects, halt) = sight.effects();
        let glimpse = Glimpse {
            record: sight.record().to_vec(),
            summary: sight.summary(),
            malformed: sight.malformed().map(str::to_owned),
            effects,
            halt,
            fields: fields(replay, sight.sides()),
        };
        all.insert(sight.at().0, glimpse);
        ControlFlow::Continue(())
    });
    walk.expect("memory");
    assert_eq!(seen, replay.len());
    all
}

fn seeking_is_walking(replay: &dyn Replay) {
    // In no order, so that moments are reached forwards and backwards.
    let places = (0..MOMENTS.min(replay.len())).map(|number| number.wrapping_mul(2_654_435_761) % replay.len());
    let walked = walked(replay, &places.clone().collect());
    for at in places {
        let moment = replay.moment(Seq(at)).expect("memory").expect("the pass has been here");
        let sides: &dyn Sides = &*moment.sides;
        let glimpse = Glimpse {
            fields: fields(replay, sides),
            record: moment.record,
            summary: moment.summary,
            malformed: moment.malformed,
            effects: moment.effects,
            halt: moment.halt,
        };
        assert_eq!(Some(&glimpse), walked.get(&at), "at {at}");
        assert!(!clean(&glimpse.summary).contains(is_hostile));
        let lines = replay.lines(&[Seq(at)]).expect("memory");
        assert_eq!(lines.iter().map(|line| &line.summary).collect::<Vec<_>>(), [&glimpse.summary]);
        replay.said(Seq(at), 3, 3).expect("memory");
        replay.stories(&[Seq(at)]).expect("memory");
        replay.decoded(Seq(at)).expect("memory");
    }
    replay.imprints(0..replay.len(), Names::Fresh, &mut |_| ControlFlow::Continue(())).expect("memory");
}

/// Returns its bytes in small pieces.
struct Trickle<'a>(&'a [u8], usize);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.0.len().min(self.1).min(buffer.len());
        buffer[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        self.1 = self.1 % 7 + 1;
        Ok(count)
    }
}

/// The records do not depend on how the bytes arrive.
fn reads_in_pieces(log: &Log, input: &[u8]) {
    let shape = match log.container {
        Container::Lines => Shape::Lines,
        Container::Array => Shape::Array,
        Container::Values => Shape::Values,
        Container::Document(_) | Container::Sqlite => return,
    };
    let read = |piece: usize| {
        let mut records = Records::new(Trickle(input, piece), shape, Place { line: 1, byte: 0 });
        let mut items = Vec::new();
        while let Some(item) = records.next_item().expect("memory") {
            items.push(format!("{item:?}"));
        }
        items
    };
    assert_eq!(read(1), read(usize::MAX));
}

//! Minimizing at the edge: the records from a file, tests on many threads, commands as predicates, and a result that is
//! verified by reading it again.
//!
//! [`crate::minimize`] decides what to try and when to stop.

pub(crate) mod command;
pub(crate) mod task;

use rayon::prelude::*;

use crate::dialect::container::Container;
use crate::log::detect::BOM;
use crate::log::walk::{Met, Walk};
use crate::log::{Log, LogError};
use crate::minimize::candidate::Candidate;
use crate::minimize::parts::{Parts, Whole};
use crate::minimize::tester::{Predicate, Runner, TestResult};
use crate::minimize::written::Form;
use crate::replay::Place;
use crate::replay::finding::Finding;
use crate::replay::log_writer::LogLayout;
use crate::replay::relink::BeginRelink;
use crate::replay::source::{Head, range_within};

/// The records of a log, and the damage around them.
pub(crate) struct Gathered {
    pub parts: Parts,
    /// Damage outside of the records, or in one that was not read. It cannot be kept.
    pub lost: Vec<Finding>,
}

/// Reads all records of a log.
pub(crate) fn gather(log: &Log) -> Result<Gathered, LogError> {
    let (mut parts, mut lost) = (Parts::default(), Vec::new());
    let mut walk = Walk::new(log)?;
    while let Some((_, met)) = walk.step()? {
        match met {
            Met::Record(_, bytes) => {
                parts.push(bytes, log.wrapping.event_in(bytes).map(|event| range_within(bytes, event)), Whole::Yes)
            }
            Met::Torn(_, _, bytes) => parts.push(bytes, Ok(0..bytes.len()), Whole::Torn),
            Met::Damage(finding, taken) => {
                if taken.is_some() {
                    parts.push(b"", Ok(0..0), Whole::Unread);
                }
                lost.push(finding);
            }
        }
    }
    Ok(Gathered { parts, lost })
}

/// The form of the original log. Lines stay lines; any other container becomes an array, since what surrounds the events
/// of a bundle or database is about events that are gone. The wrapping of an event stays.
pub(crate) struct OriginalForm {
    layout: LogLayout,
    head: Option<Vec<u8>>,
    relink: Option<BeginRelink>,
}

impl OriginalForm {
    pub(crate) fn of(log: &Log) -> OriginalForm {
        let layout = if matches!(log.container, Container::Lines | Container::Values) {
            LogLayout::Lines
        } else {
            LogLayout::Array
        };
        let head = log.head.as_ref().map(|head| [before(head), &head.bytes].concat());
        OriginalForm { layout, head, relink: log.dialect.relink }
    }
}

/// The bytes before the head stay, since they are a finding of their own.
fn before(head: &Head) -> &'static [u8] {
    match head.place {
        Place { byte: 0, .. } => b"",
        Place { line: 1, .. } => BOM,
        Place { .. } => b"\n",
    }
}

impl Form for OriginalForm {
    fn head(&self) -> Option<&[u8]> {
        self.head.as_deref()
    }

    fn layout(&self) -> LogLayout {
        self.layout
    }

    fn relink(&self) -> Option<BeginRelink> {
        self.relink
    }
}

/// Tests as many candidates at once as there are cores, if they are large enough to be worth a thread.
pub(crate) struct Parallel {
    pub from_events: usize,
}

impl Parallel {
    /// For tests in this process: a small one is done before another thread wakes up.
    pub(crate) const IN_PROCESS: Parallel = Parallel { from_events: 4096 };
    /// For tests that start another program.
    pub(crate) const OUTSIDE: Parallel = Parallel { from_events: 0 };
}

impl Runner for Parallel {
    fn width(&self, events: usize) -> usize {
        if events < self.from_events { 1 } else { rayon::current_num_threads() }
    }

    fn run(&self, candidates: &[Candidate], predicate: &dyn Predicate) -> Vec<TestResult> {
        match candidates {
            [candidate] => vec![predicate.test(candidate)],
            candidates => candidates.par_iter().map(|candidate| predicate.test(candidate)).collect(),
        }
    }
}

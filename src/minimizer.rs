//! Minimizing, at the edge: a log's records from its file, candidates on many threads, commands that decide, and a result
//! that is proven by reading it again.
//!
//! What to try and when to stop is decided in [`crate::minimize`], which touches nothing.

pub mod command;
pub mod subject;

use rayon::prelude::*;

use crate::log::container::{BOM, Container, Wrapping};
use crate::log::walk::{Met, Walk};
use crate::log::{Log, LogError, Options};
use crate::minimize::candidate::Candidate;
use crate::minimize::court::{Answer, Oracle, Runner};
use crate::minimize::parts::{Parts, Whole};
use crate::minimize::written::{Form, Shape};
use crate::replay::Place;
use crate::replay::finding::Finding;
use crate::replay::machine::Malformed;
use crate::replay::source::{Head, range_within};

/// A log taken apart.
pub struct Gathered {
    pub parts: Parts,
    /// Damage that belongs to no record, or to one that was not read. Nothing of it can be kept.
    pub lost: Vec<Finding>,
}

/// Reads all records of a log.
pub fn gather(log: &Log) -> Result<Gathered, LogError> {
    let (mut parts, mut lost) = (Parts::default(), Vec::new());
    let mut walk = Walk::new(log)?;
    while let Some((_, met)) = walk.step()? {
        match met {
            Met::Record(_, bytes) => parts.push(bytes, event_range(log.wrapping, bytes), Whole::Yes),
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

fn event_range(wrapping: Wrapping, record: &[u8]) -> Result<std::ops::Range<usize>, Malformed> {
    let reason = |error: serde_json::Error| Malformed { reason: error.to_string(), byte: 0, unknown_kind: None };
    wrapping.unwrap(record).map(|unwrapped| range_within(record, unwrapped.event)).map_err(reason)
}

/// Lines stay lines, all else becomes an array: what stands around the events of a bundle or store speaks of events
/// that are no longer there. What wraps an event stays around it.
pub struct AsBefore {
    shape: Shape,
    wrapping: Wrapping,
    head: Option<Vec<u8>>,
    options: Options,
}

impl AsBefore {
    pub fn of(log: &Log) -> AsBefore {
        let shape =
            if matches!(log.container, Container::Lines | Container::Values) { Shape::Lines } else { Shape::Array };
        let head = log.head.as_ref().map(|head| [before(head), &head.bytes].concat());
        let options = log.options();
        AsBefore { shape, wrapping: log.wrapping, head, options }
    }
}

/// Something before the head stays there: it is a finding of its own.
fn before(head: &Head) -> &'static [u8] {
    match head.place {
        Place { byte: 0, .. } => b"",
        Place { line: 1, .. } => BOM,
        Place { .. } => b"\n",
    }
}

impl Form for AsBefore {
    fn head(&self) -> Option<&[u8]> {
        self.head.as_deref()
    }

    fn shape(&self) -> Shape {
        self.shape
    }

    fn opens(&self, file: &[u8]) -> bool {
        let log = Log::from_bytes(String::new(), None, file.to_vec(), &self.options);
        log.is_ok_and(|log| log.wrapping == self.wrapping)
    }
}

/// As many candidates at once as there are cores, if they are large enough to be worth a thread.
pub struct Parallel {
    pub from_events: usize,
}

impl Parallel {
    /// For candidates that are tried in this process: smaller ones are tried before a thread wakes up.
    pub const IN_PROCESS: Parallel = Parallel { from_events: 4096 };
    /// For candidates that another program is started for.
    pub const OUTSIDE: Parallel = Parallel { from_events: 0 };
}

impl Runner for Parallel {
    fn width(&self, events: usize) -> usize {
        if events < self.from_events { 1 } else { rayon::current_num_threads() }
    }

    fn run(&self, candidates: &[Candidate], oracle: &dyn Oracle) -> Vec<Answer> {
        match candidates {
            [candidate] => vec![oracle.ask(candidate)],
            candidates => candidates.par_iter().map(|candidate| oracle.ask(candidate)).collect(),
        }
    }
}

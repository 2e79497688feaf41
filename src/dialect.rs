//! The row that describes a dialect: everything that the other rooms need to know about one.
//!
//! This room knows no dialect. Each row is in its dialect's own folder, and `registry` lists them.

pub mod diff;
pub mod open_log;
pub mod report;

use std::fmt;
use std::sync::Arc;

use crate::minimize::checker::CandidateChecker;
use crate::minimize::parts::Parts;
use crate::replay::check::Check;
use crate::replay::finding::Finding;
use crate::replay::judging::{Glance, Judging};
use crate::replay::machine::Malformed;
use crate::replay::source::{Head, Source};
use crate::replay::timeline::Begun;
use crate::replay::vocabulary::Vocabulary;
use crate::replay::{Place, Seq};
use crate::tape::stored::{Payloads, Stored};
use crate::turn::report::Beside;
use diff::Diffing;
use report::Reporting;

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
    pub trial: for<'p> fn(&'p Parts, &Start<'_>) -> Box<dyn CandidateChecker + 'p>,
    /// Its checks alone.
    pub judge: fn(&Start<'_>) -> Box<dyn Judging>,
    /// One event on one line.
    pub glance: fn(&[u8]) -> Result<Glance, Malformed>,
    /// The checks for which `--strict` refuses a log as a whole: it cannot be read for what it is.
    pub refuses: &'static [&'static Check],
    /// What to say of a log that ends inside a record of so many bytes.
    pub torn_tail: fn(Seq, Place, usize) -> Finding,
    /// What `report` says of a log.
    pub report: &'static Reporting,
    /// What `diff` can do besides comparing event by event.
    pub diff: Diffing,
}

/// A dialect is its row: two rows with one name do not exist (a test of `registry` proves it).
impl PartialEq for Dialect {
    fn eq(&self, other: &Dialect) -> bool {
        self.name == other.name
    }
}

impl Eq for Dialect {}

impl fmt::Debug for Dialect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Dialect").field(&self.name).finish()
    }
}

impl Dialect {
    pub fn refuses(&self, check: &Check) -> bool {
        self.refuses.iter().any(|refused| refused.id == check.id)
    }
}

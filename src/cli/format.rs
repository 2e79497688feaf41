//! The output formats of `check`: one file and one row of `FORMATS` per format.

mod github;
mod json;
mod jsonl;
mod junit;
mod sarif;
pub(super) mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use super::args::FailRules;
use super::check::FileResult;
use super::paint::Paint;
use super::pass::{CheckResults, excerpt};
use crate::log::Log;
use crate::replay::Place;
use crate::replay::finding::Finding;

pub(super) struct Context {
    pub paint: Paint,
    /// Print every finding in full.
    pub all: bool,
    /// Whether findings are printed with the numbers that other commands accept: only if none was filtered out.
    pub numbered: bool,
    pub fails: FailRules,
    /// Whether there is more than one log.
    pub several: bool,
}

/// How many logs had which result.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    pub clean: u64,
    pub failed: u64,
    pub trouble: u64,
    /// Logs of runs that failed, whatever the verdict about the log.
    pub failed_runs: u64,
}

impl Totals {
    pub(super) fn logs(self) -> u64 {
        self.clean + self.failed + self.trouble
    }
}

/// Writes results one by one, so that those of many logs are not kept in memory.
pub(super) trait FormatWriter {
    fn begin(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn file(&mut self, result: &FileResult, context: &Context, out: &mut dyn Write) -> io::Result<()>;

    fn end(&mut self, _totals: Totals, _context: &Context, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Whether the output of the first log depends on whether there is a second one.
    fn waits_for_a_second_log(&self) -> bool {
        true
    }
}

pub(super) struct Format {
    pub name: &'static str,
    pub describes: &'static str,
    pub writer: fn() -> Box<dyn FormatWriter>,
}

pub(super) static FORMATS: &[Format] = &[
    Format {
        name: "text",
        describes: "text for people: each finding with the events around it",
        writer: || Box::<text::TextWriter>::default(),
    },
    Format { name: "json", describes: "one JSON document for scripts", writer: || Box::<json::JsonWriter>::default() },
    Format {
        name: "jsonl",
        describes: "one line of JSON per finding, for tools that read lines",
        writer: || Box::<jsonl::JsonlWriter>::default(),
    },
    Format {
        name: "sarif",
        describes: "SARIF 2.1.0, for code scanning",
        writer: || Box::<sarif::SarifWriter>::default(),
    },
    Format { name: "junit", describes: "JUnit XML, for test reports", writer: || Box::<junit::JunitWriter>::default() },
    Format {
        name: "github",
        describes: "annotations for a GitHub workflow",
        writer: || Box::<github::GithubWriter>::default(),
    },
];

pub(super) fn by_name(name: &str) -> &'static Format {
    FORMATS.iter().find(|format| format.name == name).unwrap_or(&FORMATS[0])
}

/// The place of the first event of each finding in its file.
fn places(log: &Log, checked: &CheckResults) -> io::Result<BTreeMap<u32, Place>> {
    let wanted: BTreeSet<u32> =
        checked.findings.iter().filter_map(|finding| finding.at.first()).map(|at| at.0).collect();
    let found = excerpt(log, &checked.marks, &wanted).map_err(io::Error::other)?;
    Ok(found.into_iter().map(|(at, (place, _))| (at, place)).collect())
}

fn place_of(finding: &Finding, places: &BTreeMap<u32, Place>) -> Place {
    let of_event = finding.at.first().and_then(|at| places.get(&at.0)).copied();
    finding.place.or(of_event).unwrap_or_default()
}

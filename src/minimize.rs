//! Minimizing: from a failing log to the fewest events that still report the same finding.
//!
//! - The log: [`parts`] are its records, [`unit_map`] says which of them belong together, a [`candidate`] is a subset of
//!   them, a [`checker`] runs the checks of any dialect over one (`prefix` keeps ledgers, so that it need not start at
//!   the first event).
//! - Testing: [`target`] is the finding to keep, [`tester`] tests each content once and within a budget.
//! - Shrinking: [`closure`] guesses, [`narrow`] removes groups by sections and [`sweep`] one by one, [`payload`] (with a
//!   [`tree`] of JSON) shortens events, [`certificate`] proves that nothing more can be removed.
//! - Results: [`curve`] draws the size over time, [`report`] is the JSON document, [`written`] the new log.
//!
//! Everything here is pure. The edge brings a [`tester::Predicate`], a [`tester::Runner`] and a [`tester::Observer`]. The
//! same log and finding give the same result, however many candidates are tested at once.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr))]

pub(crate) mod candidate;
pub(crate) mod certificate;
pub(crate) mod checker;
pub(crate) mod closure;
pub(crate) mod curve;
pub(crate) mod narrow;
pub(crate) mod parts;
pub(crate) mod payload;
mod prefix;
pub(crate) mod report;
pub(crate) mod sweep;
pub(crate) mod target;
pub(crate) mod tester;
pub(crate) mod tree;
pub(crate) mod unit_map;
pub(crate) mod written;

use crate::replay::finding::Finding;

use candidate::Candidate;
use certificate::{CertificateRow, Without};
use checker::CandidateChecker;
use target::TargetFinding;
use tester::{BudgetSpent, Observer, OtherFinding, Predicate, Runner, TestResult, Tester};
use unit_map::UnitRole;
use written::ReadBack;

/// What one phase of minimizing removed, and its tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PhaseReport {
    pub name: &'static str,
    pub events_removed: usize,
    pub bytes_removed: u64,
    pub tests: u64,
}

/// The result of minimizing.
pub(crate) struct Minimized {
    pub best: Candidate,
    /// The certificate proves that no single event can be removed.
    pub complete: bool,
    pub phases: Vec<PhaseReport>,
    pub tests: u64,
    pub cached: u64,
    pub certificate: Vec<CertificateRow>,
    /// Other findings that candidates reported.
    pub met: Vec<OtherFinding>,
}

/// The predicate that a candidate still reports the target finding.
pub(crate) struct ByFinding<'o> {
    pub checker: &'o dyn CandidateChecker,
    pub target: &'o TargetFinding,
    /// A candidate must report the finding also when it is read from a file.
    pub read_back: &'o dyn ReadBack,
}

/// How many other findings of one candidate are kept.
const MET_PER_TEST: usize = 16;

impl Predicate for ByFinding<'_> {
    fn test(&self, candidate: &Candidate) -> TestResult {
        let mut met = Vec::new();
        let holds = self.checker.shows(candidate, self.target, &mut |finding: &Finding| {
            if met.len() < MET_PER_TEST {
                met.push(finding.clone());
            }
        });
        TestResult {
            holds: holds && (self.reads_alike(candidate) || self.read_back.reports(candidate, self.target)),
            met,
        }
    }

    fn settle(&self, base: &Candidate) {
        self.checker.settle(base);
    }
}

impl ByFinding<'_> {
    /// Whether a candidate is certain to be read as it is: a file is recognized by its events, but damaged records may
    /// change how it is read.
    fn reads_alike(&self, candidate: &Candidate) -> bool {
        let first = candidate.kept.first().map(|part| self.checker.parts().record(*part));
        self.checker.is_sound(candidate) && first.is_some_and(|record| self.read_back.may_begin(record))
    }
}

/// How far a log is minimized.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Events are removed, and those that stay are as they were.
    Events,
    /// Texts are shortened and members removed, too.
    #[default]
    Payloads,
}

pub(crate) struct MinimizeSetup<'w> {
    pub checker: &'w dyn CandidateChecker,
    /// `None` if a command is the predicate.
    pub target: Option<&'w TargetFinding>,
    pub predicate: &'w dyn Predicate,
    pub runner: &'w dyn Runner,
    pub max_tests: Option<u64>,
    pub extent: Extent,
}

/// Minimizes a log for which the predicate is known to hold.
pub(crate) fn minimize(setup: &MinimizeSetup<'_>, observer: &mut dyn Observer) -> Minimized {
    let best = Candidate::all(setup.checker.parts());
    let tester = Tester::new(setup.checker.parts(), setup.predicate, setup.runner, observer, setup.max_tests);
    let mut shrinking = Shrinking { setup, tester, best, phases: Vec::new() };
    let certificate = shrinking.run();
    let Shrinking { tester, best, phases, .. } = shrinking;
    let proven = |rows: &Vec<CertificateRow>| rows.iter().all(|row| row.without != Without::Kept);
    let complete = certificate.as_ref().is_ok_and(proven);
    let (tests, cached) = (tester.tests, tester.cached);
    Minimized {
        best,
        complete,
        phases,
        tests,
        cached,
        certificate: certificate.unwrap_or_default(),
        met: tester.into_met(),
    }
}

struct Shrinking<'s> {
    setup: &'s MinimizeSetup<'s>,
    tester: Tester<'s>,
    best: Candidate,
    phases: Vec<PhaseReport>,
}

impl Shrinking<'_> {
    fn run(&mut self) -> Result<Vec<CertificateRow>, BudgetSpent> {
        self.tester.settle(&self.best.clone());
        loop {
            let before = self.best.clone();
            self.phase("closure", Self::closure)?;
            self.phase("units", |it| it.units(|tester, best, units| narrow::narrow(tester, best, &units)))?;
            self.phase("single units", |it| it.units(sweep::sweep))?;
            self.phase("events", Self::events)?;
            if self.setup.extent == Extent::Payloads {
                self.phase("payloads", |it| payload::shrink(it.setup.checker, &mut it.tester, &mut it.best))?;
            }
            self.phase("events again", Self::sweep_events)?;
            // Minimizing the result again would go through the same round and remove nothing.
            if self.best == before {
                break;
            }
        }
        self.tester.phase = "certificate";
        certificate::certificate(self.setup.checker, &mut self.tester, &self.best, self.setup.target)
    }

    /// Runs a phase and records what it did, also if it is cut short.
    fn phase(
        &mut self,
        name: &'static str,
        run: impl FnOnce(&mut Self) -> Result<(), BudgetSpent>,
    ) -> Result<(), BudgetSpent> {
        let measure = |it: &Self| (it.best.len(), it.best.bytes(it.setup.checker.parts()), it.tester.tests);
        let (events, bytes, tests) = measure(self);
        self.tester.phase = name;
        let result = run(self);
        let (events_now, bytes_now, tests_now) = measure(self);
        let did = PhaseReport {
            name,
            events_removed: events - events_now,
            bytes_removed: bytes.saturating_sub(bytes_now),
            tests: tests_now - tests,
        };
        match self.phases.iter_mut().find(|phase| phase.name == name) {
            Some(phase) => {
                phase.events_removed += did.events_removed;
                phase.bytes_removed += did.bytes_removed;
                phase.tests += did.tests;
            }
            None => self.phases.push(did),
        }
        result
    }

    fn closure(&mut self) -> Result<(), BudgetSpent> {
        let Some(target) = self.setup.target else { return Ok(()) };
        let checker = self.setup.checker;
        let found = checker.findings(&self.best);
        let Some(finding) = found.iter().find(|finding| target.is(finding)) else { return Ok(()) };
        let base = self.best.clone();
        for guess in closure::closures(checker.unit_map(), &base, finding) {
            let candidate = base.keeping(guess);
            if self.tester.holds(&candidate)? {
                self.best = candidate;
                self.tester.settle(&self.best);
                break;
            }
        }
        Ok(())
    }

    /// Plain units first, then the frames around them, which may be empty by then.
    fn units(
        &mut self,
        take: impl Fn(&mut Tester<'_>, &mut Candidate, Vec<Vec<u32>>) -> Result<(), BudgetSpent>,
    ) -> Result<(), BudgetSpent> {
        for role in [UnitRole::Plain, UnitRole::Frame] {
            let units = self.setup.checker.unit_map().units(&self.best, role);
            take(&mut self.tester, &mut self.best, units)?;
        }
        Ok(())
    }

    fn events(&mut self) -> Result<(), BudgetSpent> {
        let kinds = self.setup.checker.unit_map().kinds(&self.best);
        sweep::each(&mut self.tester, &mut self.best, kinds)?;
        let singles = self.setup.checker.unit_map().singles(&self.best);
        if singles.len() > sweep::FEW {
            narrow::narrow(&mut self.tester, &mut self.best, &singles)?;
        }
        self.sweep_events()
    }

    fn sweep_events(&mut self) -> Result<(), BudgetSpent> {
        let singles = self.setup.checker.unit_map().singles(&self.best);
        sweep::sweep(&mut self.tester, &mut self.best, singles)
    }
}

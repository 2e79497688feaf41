//! From a failing log to a minimal one: the fewest events that still report the same finding.
//!
//! - A log taken apart: [`parts`] are its records, [`outline`] says what of them belongs together, [`candidate`] is a part
//!   of it that may be tried, [`trial`] what it reports, on the machine of any dialect (from `keyframes` on, where it begins
//!   like the log in hand).
//! - Trying: [`wanted`] is the finding that must stay, [`court`] asks for each content once and within a budget.
//! - Getting smaller: [`closure`] guesses, [`narrow`] takes groups away by sections and [`sweep`] one by one, [`payload`]
//!   (over a [`tree`] of JSON) lets events say less, [`certificate`] proves that nothing more can go.
//! - [`curve`] draws how the size fell, [`report`] tells all of it as JSON, [`written`] is the log that comes out.
//!
//! Pure: who has files, a clock, threads or a command to ask brings an [`court::Oracle`], a [`court::Runner`] and a
//! [`court::Clerk`]. The same log and finding give the same result, however many candidates are tried at once.

pub mod candidate;
pub mod certificate;
pub mod closure;
pub mod court;
pub mod curve;
mod keyframes;
pub mod narrow;
pub mod outline;
pub mod parts;
pub mod payload;
pub mod report;
pub mod sweep;
pub mod tree;
pub mod trial;
pub mod wanted;
pub mod written;

use crate::replay::finding::Finding;

use candidate::Candidate;
use certificate::{Row, Without};
use court::{Answer, Clerk, Court, Met, Oracle, Over, Runner};
use outline::Role;
use trial::Trial;
use wanted::Wanted;
use written::Form;

/// What one phase did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phase {
    pub name: &'static str,
    pub events_removed: usize,
    pub bytes_removed: u64,
    pub tests: u64,
}

/// What came out.
pub struct Minimized {
    pub best: Candidate,
    /// No single event can go any more, and the certificate shows it.
    pub complete: bool,
    pub phases: Vec<Phase>,
    pub tests: u64,
    pub cached: u64,
    pub certificate: Vec<Row>,
    /// What turned up on the way and is not what was looked for.
    pub met: Vec<Met>,
}

/// Asks the machine whether a finding is still there.
pub struct ByFinding<'o> {
    pub trial: &'o dyn Trial,
    pub wanted: &'o Wanted,
    /// How the result will be written. What cannot be opened again is no log.
    pub form: &'o dyn Form,
}

/// Of what one candidate reports instead so much is remembered.
const MET_PER_TEST: usize = 16;

impl Oracle for ByFinding<'_> {
    fn ask(&self, candidate: &Candidate) -> Answer {
        let mut met = Vec::new();
        let holds = self.trial.shows(candidate, self.wanted, &mut |finding: &Finding| {
            if met.len() < MET_PER_TEST {
                met.push(finding.clone());
            }
        });
        // A file is told by its events; where none is left, only opening it tells.
        let opens =
            || self.trial.has_event(candidate) || self.form.opens(&self.form.write(self.trial.parts(), candidate));
        Answer { holds: holds && opens(), met }
    }

    fn settle(&self, base: &Candidate) {
        self.trial.settle(base);
    }
}

/// How it is done.
pub struct Work<'w> {
    pub trial: &'w dyn Trial,
    /// `None` when a command decides.
    pub wanted: Option<&'w Wanted>,
    pub oracle: &'w dyn Oracle,
    pub runner: &'w dyn Runner,
    pub max_tests: Option<u64>,
}

/// Makes a log smaller that is known to be interesting.
pub fn minimize(work: &Work<'_>, clerk: &mut dyn Clerk) -> Minimized {
    let best = Candidate::all(work.trial.parts());
    let court = Court::new(work.trial.parts(), work.oracle, work.runner, clerk, work.max_tests);
    let mut shrinking = Shrinking { work, court, best, phases: Vec::new() };
    let certificate = shrinking.run();
    let Shrinking { court, best, phases, .. } = shrinking;
    let proven = |rows: &Vec<Row>| rows.iter().all(|row| row.without != Without::Kept);
    let complete = certificate.as_ref().is_ok_and(proven);
    let (tests, cached) = (court.tests, court.cached);
    Minimized {
        best,
        complete,
        phases,
        tests,
        cached,
        certificate: certificate.unwrap_or_default(),
        met: court.into_met(),
    }
}

struct Shrinking<'s> {
    work: &'s Work<'s>,
    court: Court<'s>,
    best: Candidate,
    phases: Vec<Phase>,
}

impl Shrinking<'_> {
    fn run(&mut self) -> Result<Vec<Row>, Over> {
        self.court.settle(&self.best.clone());
        loop {
            let before = self.best.clone();
            self.phase("closure", Self::closure)?;
            self.phase("units", |it| it.units(|court, best, units| narrow::narrow(court, best, &units)))?;
            self.phase("single units", |it| it.units(sweep::sweep))?;
            self.phase("events", Self::events)?;
            self.phase("payloads", |it| payload::shrink(it.work.trial, &mut it.court, &mut it.best))?;
            self.phase("events again", Self::sweep_events)?;
            // Whoever minimizes the result again goes through the same round, and finds nothing either.
            if self.best == before {
                break;
            }
        }
        self.court.phase = "certificate";
        certificate::certificate(self.work.trial, &mut self.court, &self.best, self.work.wanted)
    }

    /// Runs a phase and writes down what it did, also when it does not come to its end.
    fn phase(&mut self, name: &'static str, run: impl FnOnce(&mut Self) -> Result<(), Over>) -> Result<(), Over> {
        let measure = |it: &Self| (it.best.len(), it.best.bytes(it.work.trial.parts()), it.court.tests);
        let (events, bytes, tests) = measure(self);
        self.court.phase = name;
        let result = run(self);
        let (events_now, bytes_now, tests_now) = measure(self);
        let did = Phase {
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

    fn closure(&mut self) -> Result<(), Over> {
        let Some(wanted) = self.work.wanted else { return Ok(()) };
        let trial = self.work.trial;
        let found = trial.findings(&self.best);
        let Some(finding) = found.iter().find(|finding| wanted.is(finding)) else { return Ok(()) };
        let base = self.best.clone();
        for guess in closure::closures(trial.outline(), &base, finding) {
            let candidate = base.keeping(guess);
            if self.court.holds(&candidate)? {
                self.best = candidate;
                self.court.settle(&self.best);
                break;
            }
        }
        Ok(())
    }

    /// Units first, and the frames around them when nothing stands in those any more.
    fn units(
        &mut self,
        take: impl Fn(&mut Court<'_>, &mut Candidate, Vec<Vec<u32>>) -> Result<(), Over>,
    ) -> Result<(), Over> {
        for role in [Role::Plain, Role::Frame] {
            let units = self.work.trial.outline().units(&self.best, role);
            take(&mut self.court, &mut self.best, units)?;
        }
        Ok(())
    }

    fn events(&mut self) -> Result<(), Over> {
        let kinds = self.work.trial.outline().kinds(&self.best);
        sweep::each(&mut self.court, &mut self.best, kinds)?;
        let singles = self.work.trial.outline().singles(&self.best);
        if singles.len() > sweep::FEW {
            narrow::narrow(&mut self.court, &mut self.best, &singles)?;
        }
        self.sweep_events()
    }

    fn sweep_events(&mut self) -> Result<(), Over> {
        let singles = self.work.trial.outline().singles(&self.best);
        sweep::sweep(&mut self.court, &mut self.best, singles)
    }
}

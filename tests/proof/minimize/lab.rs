//! Minimizing through the library: a log of any dialect, one of its findings, and the result.

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use stepback::minimize::candidate::Candidate;
use stepback::minimize::certificate::Without;
use stepback::minimize::checker::{CandidateChecker, MachineChecker};
use stepback::minimize::parts::Parts;
use stepback::minimize::target::TargetFinding;
use stepback::minimize::tester::{Predicate, Runner, Sequential, TestResult, Unobserved};
use stepback::minimize::written::{Form, ReadBack};
use stepback::minimize::{ByFinding, Extent, MinimizeSetup, Minimized, minimize};
use stepback::replay::finding::Finding;
use stepback::replay::log_writer::LogLayout;
use stepback::replay::machine::Machine;

/// A form in which any lines are a log.
pub(super) struct AnyLines;

impl Form for AnyLines {
    fn head(&self) -> Option<&[u8]> {
        None
    }

    fn layout(&self) -> LogLayout {
        LogLayout::Lines
    }
}

impl ReadBack for AnyLines {
    fn may_begin(&self, _: &[u8]) -> bool {
        true
    }

    fn reports(&self, _: &Candidate, _: &TargetFinding) -> bool {
        true
    }
}

/// Like a machine with many cores, but in a known order: the last candidates first.
pub(super) struct Ahead(pub usize);

impl Runner for Ahead {
    fn width(&self, _: usize) -> usize {
        self.0
    }

    fn run(&self, candidates: &[Candidate], predicate: &dyn Predicate) -> Vec<TestResult> {
        let mut answers: Vec<TestResult> = candidates.iter().rev().map(|candidate| predicate.test(candidate)).collect();
        answers.reverse();
        answers
    }
}

/// The result for a log.
pub(super) struct Small {
    pub text: String,
    pub minimized: Minimized,
    pub finding: Finding,
}

/// A dialect under test.
pub(super) struct Lab<M: Machine> {
    pub fresh: fn() -> M::Ledger,
}

impl<M: Machine> Lab<M> {
    pub(super) fn findings(&self, text: &str) -> Vec<Finding> {
        let parts = Parts::of_lines(text);
        MachineChecker::<M>::new(&parts, (self.fresh)()).findings(&Candidate::all(&parts))
    }

    pub(super) fn reports(&self, text: &str, finding: &Finding) -> bool {
        self.findings(text).iter().any(|found| found.fingerprint() == finding.fingerprint())
    }

    /// The smallest log with a finding, which is identified by its fingerprint.
    pub(super) fn minimize(&self, text: &str, finding: &Finding, runner: &dyn Runner, max_tests: Option<u64>) -> Small {
        let parts = Parts::of_lines(text);
        let checker = MachineChecker::<M>::new(&parts, (self.fresh)());
        let found = checker.findings(&Candidate::all(&parts));
        let finding = found.iter().find(|found| found.fingerprint() == finding.fingerprint()).expect("it is reported");
        let target = TargetFinding::new(finding, &found);
        let predicate = ByFinding { checker: &checker, target: &target, read_back: &AnyLines };
        let setup = MinimizeSetup {
            checker: &checker,
            target: Some(&target),
            predicate: &predicate,
            runner,
            max_tests,
            extent: Extent::Payloads,
        };
        let minimized = minimize(&setup, &mut Unobserved);
        let text = String::from_utf8(AnyLines.write(&parts, &minimized.best)).expect("UTF-8");
        Small { text, minimized, finding: finding.clone() }
    }

    pub(super) fn small(&self, text: &str, finding: &Finding) -> Small {
        self.minimize(text, finding, &Sequential, None)
    }

    /// Checks all guarantees of one minimized log.
    pub(super) fn holds_the_laws(&self, text: &str, finding: &Finding) -> Result<Small, TestCaseError> {
        let small = self.small(text, finding);
        let lines: Vec<&str> = small.text.lines().collect();
        prop_assert!(small.minimized.complete);
        prop_assert!(self.reports(&small.text, finding), "{} is lost in\n{}", finding.fingerprint(), small.text);
        for without in 0..lines.len() {
            let rest: String = lines
                .iter()
                .enumerate()
                .filter(|(at, _)| *at != without)
                .map(|(_, line)| format!("{line}\n"))
                .collect();
            prop_assert!(
                !self.reports(&rest, finding),
                "{} is reported without event {without} of\n{}",
                finding.fingerprint(),
                small.text
            );
        }
        self.is_part_of(text, &small)?;
        let again = self.small(&small.text, finding);
        prop_assert_eq!(&again.text, &small.text, "minimized again");
        prop_assert!(again.minimized.best.edits.is_empty());
        let ahead = self.minimize(text, finding, &Ahead(5), None);
        prop_assert_eq!(&ahead.text, &small.text, "tried ahead");
        prop_assert_eq!(
            (ahead.minimized.tests, ahead.minimized.cached),
            (small.minimized.tests, small.minimized.cached)
        );
        Ok(small)
    }

    /// Every record of the small log is one of the original, in the same order and not longer.
    fn is_part_of(&self, text: &str, small: &Small) -> Result<(), TestCaseError> {
        let (originals, best): (Vec<&str>, _) = (text.lines().collect(), &small.minimized.best);
        prop_assert!(best.kept.is_sorted());
        prop_assert_eq!(best.kept.len(), small.text.lines().count());
        for (line, part) in small.text.lines().zip(best.kept.iter()) {
            let original = originals[*part as usize];
            match best.edits.get(part) {
                None => prop_assert_eq!(line, original),
                Some(_) => {
                    let fresh = (self.fresh)();
                    let none = Parts::default();
                    let checker = MachineChecker::<M>::new(&none, fresh);
                    prop_assert!(checker.is_alike(original.as_bytes(), line.as_bytes()), "{original}\n{line}");
                    prop_assert!(line.len() <= original.len());
                }
            }
        }
        let lost = |row: &stepback::minimize::certificate::CertificateRow| row.without != Without::Kept;
        prop_assert_eq!(small.minimized.certificate.len(), best.len());
        prop_assert!(small.minimized.certificate.iter().all(lost));
        Ok(())
    }
}

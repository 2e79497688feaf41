//! The findings of an agent session, with the details that a report lists for each check.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::replay::Seq;
use crate::replay::check::{Check, Severity};
use crate::replay::finding::{Finding, Findings};

/// How many findings of a check the facts name.
const NAMED: usize = 4;

/// The findings of one check in the facts of a report.
#[derive(Clone, Debug)]
pub(crate) struct CheckFacts {
    pub count: u32,
    pub severity: Severity,
    /// The first ones: the record, and what there is to say about it.
    pub first: Vec<(Seq, Vec<Value>)>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    pub findings: Findings,
    pub facts: BTreeMap<&'static str, CheckFacts>,
}

impl Found {
    /// Reports a finding. `details` are for the facts.
    pub(crate) fn report(
        &mut self,
        check: &'static Check,
        at: Seq,
        details: impl FnOnce() -> Vec<Value>,
        make: impl FnOnce() -> Finding,
    ) {
        let empty = || CheckFacts { count: 0, severity: check.severity, first: Vec::new() };
        let facts = self.facts.entry(check.id).or_insert_with(empty);
        facts.count += 1;
        if facts.first.len() < NAMED {
            facts.first.push((at, details()));
        }
        self.findings.report(check, make);
    }

    /// Reports a finding about one record, of which there is nothing more to say.
    pub(crate) fn plain(&mut self, check: &'static Check, at: Seq, make: impl FnOnce(Finding) -> Finding) {
        self.report(check, at, Vec::new, || make(Finding::new(check, [at])));
    }

    /// An empty list that continues this one, for findings that may be taken back.
    pub(crate) fn continued(&self) -> Found {
        Found { findings: self.findings.continued(), facts: self.facts.clone() }
    }
}

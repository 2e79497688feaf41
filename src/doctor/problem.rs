//! Problems of a session, and the verdict that follows from them.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::client::{Client, Healing};
use super::document::EntryId;
use crate::replay::Seq;
use crate::replay::check::{Check, Severity};
use crate::replay::finding::Finding;

/// A check of this room, with the party that refuses.
#[derive(Debug)]
pub(crate) struct Rule {
    pub check: Check,
    pub tier: Tier,
    /// History is lost without an error.
    pub loses_history: bool,
}

impl PartialEq for Rule {
    fn eq(&self, other: &Rule) -> bool {
        self.check == other.check
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tier {
    /// The agent does not load the file, or loses a part of it.
    Loader,
    /// The provider refuses the request.
    Provider,
    /// Seen by users; the file alone does not prove it.
    Reported,
}

impl Tier {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Tier::Loader => "loader",
            Tier::Provider => "provider",
            Tier::Reported => "reported",
        }
    }

    /// How strong the evidence is, in the terms of all checks.
    pub(crate) const fn evidence(self) -> crate::replay::check::Tier {
        match self {
            Tier::Loader | Tier::Provider => crate::replay::check::Tier::Proven,
            Tier::Reported => crate::replay::check::Tier::Likely,
        }
    }
}

/// Defines the rules: a static for each, and the table of their checks. `loses` marks those that lose history.
macro_rules! rules {
    ($($name:ident $id:literal $severity:ident $tier:ident $($loses:ident)? : $says:literal $explains:literal)*) => {
        $(pub(crate) static $name: $crate::doctor::problem::Rule = $crate::doctor::problem::Rule {
            check: $crate::replay::check::Check {
                id: $id,
                severity: $crate::replay::check::Severity::$severity,
                tier: $crate::doctor::problem::Tier::$tier.evidence(),
                says: $says,
                explains: $explains,
            },
            tier: $crate::doctor::problem::Tier::$tier,
            loses_history: $crate::doctor::problem::rules!(@loses $($loses)?),
        };)*

        /// Every check of this room, in the order of the catalogue.
        pub(crate) static CHECKS: &[&$crate::replay::check::Check] = &[$(&$name.check),*];
    };
    (@loses loses) => { true };
    (@loses) => { false };
}

pub(crate) use rules;

/// Where a problem is in the document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spot {
    pub entry: EntryId,
    /// The block or item of the line.
    pub block: usize,
    /// The part inside the block, such as an image in the content of a result.
    pub part: Option<usize>,
    /// The message of the history; problems far from each other can be mended together.
    pub message: Option<usize>,
}

/// One defect.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub rule: &'static Rule,
    /// The line of the input. 0 stands for the file as a whole.
    pub line: u32,
    pub id: Option<Arc<str>>,
    /// The error to expect, with indices that may be a little off; or what happens without an error.
    pub predicted: String,
    /// Since when clients heal it.
    pub healing: Option<Healing>,
    /// What else the file says about it.
    pub detail: Option<String>,
    pub spot: Spot,
}

impl Problem {
    pub(crate) fn new(rule: &'static Rule, line: u32, predicted: impl Into<String>) -> Problem {
        Problem {
            rule,
            line,
            id: None,
            predicted: predicted.into(),
            healing: None,
            detail: None,
            spot: Spot::default(),
        }
    }

    #[must_use]
    pub(crate) fn about(mut self, id: impl Into<Arc<str>>) -> Problem {
        self.id = Some(id.into());
        self
    }

    #[must_use]
    pub(crate) fn healed(mut self, healing: Option<Healing>) -> Problem {
        self.healing = healing;
        self
    }

    #[must_use]
    pub(crate) fn detailed(mut self, detail: Option<String>) -> Problem {
        self.detail = detail;
        self
    }

    #[must_use]
    pub(crate) fn at(mut self, spot: Spot) -> Problem {
        self.spot = spot;
        self
    }

    /// Whether this client deals with it.
    pub(crate) fn is_healed(&self, by: Asked<'_>) -> bool {
        self.healing.is_some_and(|healing| by.client.heals(healing, by.recorded))
    }

    pub(crate) fn severity(&self, by: Asked<'_>) -> Severity {
        if self.is_healed(by) { Severity::Info } else { self.rule.check.severity }
    }

    /// The sentence of the check about this problem.
    pub(crate) fn message(&self) -> String {
        self.finding().message()
    }

    /// The problem as a finding. Its event is its line, counted from 0.
    pub(crate) fn finding(&self) -> Finding {
        let at = Seq(self.line.saturating_sub(1));
        let finding = Finding::new(&self.rule.check, [at]).about("line", self.line.to_string());
        match &self.id {
            Some(id) => finding.about("id", Arc::clone(id)),
            None => finding,
        }
    }
}

/// The client that is asked for, and the version that the session was written with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    pub client: Client,
    pub recorded: Option<&'a str>,
}

/// Collects problems. Most of a million equal ones are counted and not kept.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    list: Vec<Problem>,
    counts: FxHashMap<&'static str, u32>,
}

impl Problems {
    const KEPT_PER_CHECK: u32 = 10_000;

    pub(crate) fn push(&mut self, problem: Problem) {
        let count = self.counts.entry(problem.rule.check.id).or_default();
        *count = count.saturating_add(1);
        if *count <= Self::KEPT_PER_CHECK {
            self.list.push(problem);
        }
    }

    /// How many were counted but not kept.
    pub(crate) fn dropped(&self) -> u64 {
        self.counts.values().map(|count| u64::from(count.saturating_sub(Self::KEPT_PER_CHECK))).sum()
    }

    /// In the order of the lines.
    pub(crate) fn into_sorted(mut self) -> Vec<Problem> {
        self.list.sort_by(|one, two| one.order().cmp(&two.order()));
        self.list
    }
}

impl Problem {
    fn order(&self) -> (u32, &'static str, usize, Option<usize>) {
        (self.line, self.rule.check.id, self.spot.block, self.spot.part)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Resumes,
    /// It resumes, but the model does not see all of it.
    LosesHistory,
    /// The provider refuses the history.
    Refused,
    /// The agent does not load the file.
    Unreadable,
    NotASession,
}

impl Verdict {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Verdict::Resumes => "resumes",
            Verdict::LosesHistory => "loses-history",
            Verdict::Refused => "refused",
            Verdict::Unreadable => "unreadable",
            Verdict::NotASession => "not-a-session",
        }
    }

    /// Whether the session can be resumed at all.
    pub(crate) const fn is_ok(self) -> bool {
        matches!(self, Verdict::Resumes | Verdict::LosesHistory)
    }

    pub(crate) fn of(problems: &[Problem], by: Asked<'_>) -> Verdict {
        let at = |severity| problems.iter().filter(move |problem| problem.severity(by) == severity);
        if at(Severity::Error).any(|problem| problem.rule.tier == Tier::Loader) {
            Verdict::Unreadable
        } else if at(Severity::Error).next().is_some() {
            Verdict::Refused
        } else if at(Severity::Warning).any(|problem| problem.rule.loses_history) {
            Verdict::LosesHistory
        } else {
            Verdict::Resumes
        }
    }
}

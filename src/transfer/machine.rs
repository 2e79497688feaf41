//! The machine of transfer crashpacks: what the timeline sees.

use serde_json::{Value, json};

use super::checks::{CONTRADICTION, VIOLATION};
use super::event::{Event, Oracle, Violation};
use crate::replay::Seq;
use crate::replay::check::Severity;
use crate::replay::finding::{Finding, Findings};
use crate::replay::imprint::{Drifting, Names};
use crate::replay::machine::{About, Machine, Malformed};
use crate::replay::vocabulary::{FieldId, KindId, KindWord, LaneId, Vocabulary};

pub(crate) static VOCABULARY: Vocabulary = Vocabulary {
    tag: &["transfer"],
    untagged: &[],
    kinds: &[
        KindWord { name: "oracle", short: "oracle", lane: LaneId(0) },
        KindWord { name: "violation", short: "violation", lane: LaneId(1) },
    ],
    lanes: &["oracles", "violations"],
    fields: &["oracle", "oracles", "passed", "failed", "violations", "events_recorded", "worst"],
    effects: &[],
    has_steps: false,
    turn_begins: None,
    compacts: None,
    call: None,
    speakers: &[],
    drifting: Drifting { names: &[], drift: &[] },
};

/// The results of the oracles so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TransferState {
    oracle: String,
    oracles: u64,
    passed: u64,
    failed: u64,
    violations: u64,
    events_recorded: u64,
    worst: Option<Severity>,
}

#[derive(Clone, Default)]
pub(crate) struct TransferLedger {
    findings: Findings,
}

/// The severity that the journal gives, else the one that is usual for the type.
pub(crate) fn severity(violation: &Violation) -> Severity {
    match (violation.severity.to_ascii_lowercase().as_str(), violation.r#type.as_str()) {
        ("low" | "info", _) => Severity::Info,
        ("medium" | "warning", _) => Severity::Warning,
        ("high" | "error", _) => Severity::Error,
        ("critical", _) => Severity::Critical,
        (_, "quiescence") => Severity::Warning,
        _ => Severity::Error,
    }
}

fn contradiction(oracle: &Oracle) -> Option<(String, String)> {
    let Oracle { passed, declared, violations, .. } = oracle;
    match (passed, violations, declared) {
        (true, 1.., _) => Some(("no violation".to_owned(), format!("passed with {violations} violations"))),
        (false, 0, _) => Some(("a violation".to_owned(), "failed without a violation".to_owned())),
        (_, listed, Some(declared)) if listed != declared => {
            Some((format!("{declared} violations"), format!("{listed} are listed, {declared} counted")))
        }
        _ => None,
    }
}

pub(crate) struct Transfer;

impl Machine for Transfer {
    type Event<'a> = Event;
    type Decoder = ();
    type State = TransferState;
    type Ledger = TransferLedger;

    const VOCABULARY: &'static Vocabulary = &VOCABULARY;

    fn decode(_: &mut (), record: &[u8]) -> Result<Event, Malformed> {
        Ok(serde_json::from_slice(record)?)
    }

    fn about<T>(event: &Event, visit: impl FnOnce(About<'_>) -> T) -> T {
        let kind = KindId(u8::from(matches!(event, Event::Violation(_))));
        visit(About { kind, turn: None, step: None, call: None })
    }

    fn identity(event: &Event, _: Names) -> u64 {
        let name = match event {
            Event::Oracle(oracle) => format!("oracle {}", oracle.oracle),
            Event::Violation(violation) => format!("violation {} {}", violation.oracle, violation.r#type),
        };
        let hash = blake3::hash(name.as_bytes());
        hash.as_bytes().iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
    }

    fn to_json(event: &Event) -> Value {
        json!(event)
    }

    fn summary(event: &Event) -> String {
        match event {
            Event::Oracle(oracle) => {
                let verdict = if oracle.passed { "passed" } else { "failed" };
                format!("{} {verdict}, {} events recorded", oracle.oracle, oracle.events_recorded)
            }
            Event::Violation(violation) => {
                format!("{} {}: {}", violation.r#type, severity(violation).name(), violation.description)
            }
        }
    }

    fn apply(state: &mut TransferState, _: Seq, event: &Event) {
        match event {
            Event::Oracle(oracle) => {
                state.oracle.clone_from(&oracle.oracle);
                state.oracles += 1;
                state.passed += u64::from(oracle.passed);
                state.failed += u64::from(!oracle.passed);
                state.events_recorded = state.events_recorded.saturating_add(oracle.events_recorded);
            }
            Event::Violation(violation) => {
                state.violations += 1;
                state.worst = state.worst.max(Some(severity(violation)));
            }
        }
    }

    fn value(state: &TransferState, field: FieldId) -> Value {
        match VOCABULARY.field_name(field) {
            "oracle" => json!(state.oracle),
            "oracles" => json!(state.oracles),
            "passed" => json!(state.passed),
            "failed" => json!(state.failed),
            "violations" => json!(state.violations),
            "events_recorded" => json!(state.events_recorded),
            _ => json!(state.worst.map(Severity::name)),
        }
    }

    fn check(ledger: &mut TransferLedger, at: Seq, event: &Event) {
        match event {
            Event::Oracle(oracle) => {
                if let Some((expected, actual)) = contradiction(oracle) {
                    let finding = Finding::new(&CONTRADICTION, [at]).about("oracle", oracle.oracle.as_str());
                    ledger.findings.push(finding.expected(expected).actual(actual));
                }
            }
            Event::Violation(violation) => {
                let finding = Finding::new(&VIOLATION, [at]).severity(severity(violation));
                let finding =
                    finding.about("oracle", violation.oracle.as_str()).about("type", violation.r#type.as_str());
                ledger.findings.push(finding.expected("no violation").actual(violation.description.clone()));
            }
        }
    }

    fn findings(ledger: &mut TransferLedger) -> &mut Findings {
        &mut ledger.findings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_that_contradicts_the_list_is_reported() {
        let oracle = |passed, declared, violations| Oracle { passed, declared, violations, ..Oracle::default() };
        for (oracle, is_one) in [
            (oracle(true, None, 0), false),
            (oracle(false, None, 2), false),
            (oracle(false, Some(2), 2), false),
            (oracle(true, None, 1), true),
            (oracle(false, None, 0), true),
            (oracle(false, Some(3), 2), true),
        ] {
            assert_eq!(contradiction(&oracle).is_some(), is_one, "{oracle:?}");
        }
    }

    #[test]
    fn the_journals_severity_wins_over_that_of_the_type() {
        let of = |severity: &str, kind: &str| {
            let violation = Violation { severity: severity.into(), r#type: kind.into(), ..Violation::default() };
            super::severity(&violation).name()
        };
        assert_eq!([of("low", ""), of("High", ""), of("critical", "")], ["info", "error", "critical"]);
        assert_eq!([of("", "quiescence"), of("", "obligation_leak"), of("?", "new")], ["warning", "error", "error"]);
    }
}

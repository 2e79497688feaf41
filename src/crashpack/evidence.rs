//! The evidence ledger: the weight of each oracle's result.
//!
//! Weights are assigned by severity, not measured, and are never added up across oracles.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::oracle::{OracleResult, OracleState};
use crate::replay::check::Severity;
use crate::replay::finding::Finding;

pub(crate) const SCHEMA: &str = "stepback-evidence/1";
const EQUATION: &str = "BF = P(evidence | violation) / P(evidence | clean)";

/// Seeds and metadata that the user wants to keep with the crashpack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Given {
    pub seeds: BTreeMap<String, u64>,
    pub metadata: BTreeMap<String, String>,
}

/// A file and its purpose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Artifact {
    pub name: String,
    pub role: &'static str,
}

/// log10 of the Bayes factor for "this invariant is violated".
pub(crate) fn weight_log10(oracle: &OracleResult) -> f64 {
    match oracle.state() {
        OracleState::Passed => -1.0,
        OracleState::NotRun => 0.0,
        OracleState::Failed => weight_of(oracle.severity().unwrap_or(Severity::Info)),
    }
}

/// The weight of a violation of this severity.
pub(crate) const fn weight_of(severity: Severity) -> f64 {
    match severity {
        Severity::Info => 0.6,
        Severity::Warning => 1.0,
        Severity::Error => 1.6,
        Severity::Critical => 2.4,
    }
}

/// The weight as text.
pub(crate) fn weight_text(severity: Severity) -> String {
    let weight = weight_of(severity);
    format!("{weight:.1}, {} (assigned by severity, not measured)", strength(weight))
}

/// The band of a weight, which includes its lower bound.
pub(crate) fn strength(weight_log10: f64) -> &'static str {
    match weight_log10 {
        weight if weight < 0.0 => "against",
        weight if weight < 0.5 => "negligible",
        weight if weight < 1.0 => "substantial",
        weight if weight < 2.0 => "strong",
        _ => "decisive",
    }
}

pub(crate) fn ledger(oracles: &[OracleResult], given: &Given, artifacts: &[Artifact]) -> Value {
    let number = |state| oracles.iter().filter(|oracle| oracle.state() == state).count();
    // A u64 does not fit into a JSON number in every language.
    let seeds: BTreeMap<&String, String> = given.seeds.iter().map(|(name, seed)| (name, seed.to_string())).collect();
    let artifacts: BTreeMap<&str, &str> = artifacts.iter().map(|file| (file.name.as_str(), file.role)).collect();
    json!({
        "schema": SCHEMA,
        "seeds": seeds,
        "metadata": given.metadata,
        "artifacts": artifacts.iter().map(|(name, role)| json!({"name": name, "role": role})).collect::<Vec<_>>(),
        "entries": oracles.iter().map(entry).collect::<Vec<_>>(),
        "summary": {
            "oracles": oracles.len(),
            "failed": number(OracleState::Failed),
            "not_run": number(OracleState::NotRun),
            "max_severity": oracles.iter().filter_map(OracleResult::severity).max().map(Severity::name),
        },
    })
}

fn entry(oracle: &OracleResult) -> Value {
    let weight = weight_log10(oracle);
    json!({
        "oracle": oracle.name,
        "state": oracle.state().name(),
        "weight_log10": weight,
        "strength": strength(weight),
        "fingerprints": fingerprints(oracle),
        "lines": [{
            "equation": EQUATION,
            "substitution": format!("BF = 10^{weight:.1} = {:.2}", 10_f64.powf(weight)),
            "intuition": intuition(oracle),
        }],
    })
}

/// The fingerprints, each once, in the order of the log.
fn fingerprints(oracle: &OracleResult) -> Vec<String> {
    let mut seen = std::collections::BTreeSet::new();
    oracle.violations.iter().map(Finding::fingerprint).filter(|name| seen.insert(name.clone())).collect()
}

fn intuition(oracle: &OracleResult) -> String {
    let name = oracle.name;
    match (oracle.state(), oracle.severity()) {
        (OracleState::Failed, Some(severity)) => {
            let times = oracle.violations.len();
            let times = if times == 1 { "once".to_owned() } else { format!("{times} times") };
            format!("{name} failed {times}, at worst with severity {}", severity.name())
        }
        (OracleState::NotRun, _) => format!("{name} was not run, so it is neutral"),
        _ => format!("{name} checked {} events and found nothing", oracle.checks_run),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::Seq;
    use crate::replay::check::Check;

    static CHECK: Check = Check {
        id: "turn/x",
        severity: Severity::Error,
        tier: crate::replay::check::Tier::Proven,
        says: "",
        explains: "",
    };

    fn oracle(checks_run: u64, severities: &[Severity]) -> OracleResult {
        let finding = |severity: &Severity| Finding::new(&CHECK, [Seq(0)]).severity(*severity);
        let violations = severities.iter().map(finding).collect();
        OracleResult { name: "turn/x", checks_run, subjects_examined: checks_run, violations }
    }

    #[test]
    fn the_worst_violation_decides_the_weight() {
        for (oracle, weight, band) in [
            (oracle(3, &[]), -1.0, "against"),
            (oracle(0, &[]), 0.0, "negligible"),
            (oracle(3, &[Severity::Info]), 0.6, "substantial"),
            (oracle(3, &[Severity::Info, Severity::Warning]), 1.0, "strong"),
            (oracle(3, &[Severity::Error, Severity::Warning]), 1.6, "strong"),
            (oracle(3, &[Severity::Critical]), 2.4, "decisive"),
        ] {
            assert_eq!((weight_log10(&oracle), strength(weight)), (weight, band));
        }
        assert_eq!([strength(0.5), strength(2.0), strength(-0.1)], ["substantial", "decisive", "against"]);
    }

    #[test]
    fn seeds_are_texts_and_artifacts_are_listed_once() {
        let given = Given { seeds: [("rng".to_owned(), u64::MAX)].into(), ..Given::default() };
        let file = || Artifact { name: "trace.json".to_owned(), role: "trace" };
        let ledger = ledger(&[oracle(1, &[Severity::Error])], &given, &[file(), file()]);
        assert_eq!(ledger["seeds"]["rng"], "18446744073709551615");
        assert_eq!(ledger["artifacts"].as_array().map(Vec::len), Some(1));
        assert_eq!(ledger["summary"]["max_severity"], "error");
    }
}

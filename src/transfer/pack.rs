//! The content of a transfer crashpack: everything that is derived from the states in its trace.

use serde_json::Value;

use super::checker::severity_word;
use super::event::{ObservedState, TransferEvent, Verdict, Violation};
use super::folder::{TRACE_LIMIT_BYTES, is_whole};
use super::journal::{self, Listed, digest, digest_reference, journal};
use super::manifest::{MANIFEST, preamble, sealed};
use super::oracle::{Evidence, ORACLES, TransferOracle};
use super::trace::{TRACE, element, lines};
use crate::crashpack::evidence::{Artifact, ledger};
use crate::crashpack::oracle::OracleResult;
use crate::crashpack::{JOURNAL, JOURNAL_DIGEST, LEDGER, concern};
use crate::dialect::export::{OwnPack, OwnPackFacts, OwnPackFiles};
use crate::dialect::open_log::{DialectError, OpenLog};
use crate::replay::Seq;
use crate::replay::finding::Finding;
use crate::text::harmless;

const SCRIPT: &str = "replay_command.sh";
const PATHLOG: &str = "pathlog";
const QUICLOG: &str = "quiclog";
const REPAIRLOG: &str = "repairlog";

const ROLES: [(&str, &str); 9] = [
    (TRACE, "trace"),
    (JOURNAL, "journal"),
    (JOURNAL_DIGEST, "digest"),
    (LEDGER, "evidence"),
    (MANIFEST, "manifest"),
    (PATHLOG, "log"),
    (QUICLOG, "log"),
    (REPAIRLOG, "log"),
    (SCRIPT, "replay"),
];

pub(crate) static OWN_PACK: OwnPack = OwnPack {
    title: "transfer crashpack",
    trace: TRACE,
    script: SCRIPT,
    manifest: MANIFEST,
    seed_prefix: "ATP_SEED_",
    trace_limit_bytes: TRACE_LIMIT_BYTES,
    element,
    lines: |trace| lines(trace).unwrap_or_default(),
    derived,
    sealed,
    is_whole,
};

/// What one oracle found in all states.
pub(crate) struct OracleTally {
    pub oracle: &'static TransferOracle,
    /// The number of states that it judged, and of those that violate it.
    pub judged: u64,
    pub violating: u64,
    /// Its findings, each with its evidence.
    pub violations: Vec<(Finding, Evidence)>,
}

impl OracleTally {
    fn see(&mut self, at: Seq, state: &ObservedState, findings: &[Finding]) {
        self.judged += 1;
        let Some(evidence) = (self.oracle.judge)(state) else { return };
        self.violating += 1;
        // Findings are sorted by their first event.
        let from = findings.partition_point(|finding| finding.at[0] < at);
        let own = findings[from..].iter().take_while(|finding| finding.at[0] == at);
        let own = own.filter(|finding| finding.check == self.oracle.check);
        self.violations.extend(own.map(|finding| (finding.clone(), evidence.clone())));
    }

    fn entry(&self) -> (Verdict, Vec<Listed>) {
        let name = || self.oracle.name.to_owned();
        let verdict = Verdict {
            oracle: name(),
            events_recorded: self.judged,
            entities_tracked: self.violating,
            passed: self.violations.is_empty(),
            ..Verdict::default()
        };
        let listed = |(finding, evidence): &(Finding, Evidence)| {
            let violation = Violation {
                oracle: name(),
                r#type: name(),
                severity: severity_word(finding.severity).to_owned(),
                description: finding.message(),
                evidence: String::new(),
                at: finding.at.first().map(|at| at.0),
            };
            (violation, evidence.named())
        };
        (verdict, self.violations.iter().map(listed).collect())
    }

    fn result(&self, records: u64) -> OracleResult {
        OracleResult {
            name: self.oracle.name,
            checks_run: self.judged,
            subjects_examined: records,
            violations: self.violations.iter().map(|(finding, _)| finding.clone()).collect(),
        }
    }
}

/// The results of all oracles, and the number of records. `visit` sees every state and the reason of every malformed one.
pub(crate) fn tally(
    log: &dyn OpenLog,
    findings: &[Finding],
    visit: &mut dyn FnMut(Seq, Result<&ObservedState, &str>),
) -> Result<(Vec<OracleTally>, u64), DialectError> {
    let fresh = |oracle| OracleTally { oracle, judged: 0, violating: 0, violations: Vec::new() };
    let (mut tallies, mut records): (Vec<OracleTally>, u64) = (ORACLES.iter().map(fresh).collect(), 0);
    log.each_record(&mut |read| {
        records += 1;
        match read.event().and_then(TransferEvent::decode) {
            Ok(TransferEvent::State(state)) => {
                tallies.iter_mut().for_each(|tally| tally.see(read.at, &state, findings));
                visit(read.at, Ok(&state));
            }
            Ok(TransferEvent::Journal(_)) => {}
            Err(malformed) => visit(read.at, Err(&malformed.reason)),
        }
    })?;
    Ok((tallies, records))
}

fn derived(facts: &OwnPackFacts<'_>) -> Result<OwnPackFiles, DialectError> {
    let mut logs: [(&'static str, String); 3] = [PATHLOG, QUICLOG, REPAIRLOG].map(|name| (name, String::new()));
    let (tallies, records) = tally(facts.log, facts.findings, &mut |at, state| {
        for (name, log) in &mut logs {
            log.push_str(&match state {
                Ok(state) => concern::line(at, "state", &about(name, state)),
                Err(reason) => concern::line(at, "malformed", reason),
            });
        }
    })?;
    let journal = journal(tallies.iter().map(OracleTally::entry));
    let results: Vec<OracleResult> = tallies.iter().map(|tally| tally.result(records)).collect();
    let artifacts: Vec<Artifact> =
        ROLES.iter().map(|(name, role)| Artifact { name: (*name).to_owned(), role }).collect();
    let ledger = pretty(&ledger(&results, facts.given, &artifacts)).map_err(DialectError::read)?;
    let violations = tallies.iter().map(|tally| tally.violations.len()).sum();
    let preamble = preamble(violations, &digest_reference(journal.as_bytes()), facts.given);
    let records = journal::lines(&journal);
    let mut files = vec![(JOURNAL_DIGEST, digest(journal.as_bytes())), (JOURNAL, journal), (LEDGER, ledger)];
    files.extend(logs);
    Ok(OwnPackFiles { files, records, preamble })
}

/// What a log says about a state: the outcomes of the paths, the traffic, or what has to be repaired.
fn about(log: &str, state: &ObservedState) -> String {
    let ObservedState { journal_gaps, pending_operations, leaked_obligations, .. } = state;
    match log {
        PATHLOG if state.path_outcomes_consistent => "path outcomes are consistent".to_owned(),
        PATHLOG => "path outcomes are inconsistent".to_owned(),
        QUICLOG => format!("pending_operations {pending_operations}"),
        _ => {
            let (actual, expected) = (&state.manifest_hash, &state.expected_manifest_hash);
            let differs = if actual == expected { String::new() } else { format!(", expected {expected}") };
            format!("manifest {actual}{differs}; journal_gaps {journal_gaps}; leaked_obligations {leaked_obligations}")
        }
    }
}

fn pretty(document: &Value) -> serde_json::Result<String> {
    Ok(harmless(serde_json::to_string_pretty(document)?) + "\n")
}

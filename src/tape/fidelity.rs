//! Fidelity of a replay to its recording: the reference's four modes to compare two tapes, with its categories,
//! messages and score. Records are not aligned: record N is compared with record N.

mod pair;
mod request;

use std::collections::BTreeMap;

use serde::Serialize;

use super::event::{Phase, Record};
use super::kind::Kind;
use super::payload::Payload;
use super::whole::Tape;
use pair::{Strictness, compare_pair};

/// Returns the bytes of a stored payload, or `None` if they are not available.
pub(crate) type Bodies<'b> = dyn Fn(&Payload) -> Option<Vec<u8>> + 'b;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FidelityMode {
    ByteIdentical,
    Semantic,
    Outcome,
    PhaseAware,
}

impl FidelityMode {
    /// The mode with this name, in any spelling that the reference accepts.
    #[cfg(test)]
    pub(crate) fn named(name: &str) -> Result<FidelityMode, String> {
        match name {
            "byte" | "byte-identical" | "byte_identical" => Ok(FidelityMode::ByteIdentical),
            "semantic" => Ok(FidelityMode::Semantic),
            "outcome" => Ok(FidelityMode::Outcome),
            "phase-aware" | "phase_aware" | "byte-user-semantic-runtime" => Ok(FidelityMode::PhaseAware),
            name => Err(format!(
                "unknown fidelity mode `{name}` — expected `byte-identical`, `semantic`, `outcome`, or `phase-aware`"
            )),
        }
    }
}

/// Which rules apply to kinds that the reference does not compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparators {
    /// The reference's: six kinds and unknown ones always diverge, even if they are equal.
    Reference,
    /// Ours: every kind is compared by its content.
    All,
}

/// One difference. The first one of a report is where the runs diverge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Divergence {
    /// The number of the recorded record, or of the replay's if only the replay has it.
    pub seq: Option<u64>,
    pub category: &'static str,
    pub message: String,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct FidelityReport {
    pub mode: FidelityMode,
    pub recorded_records: usize,
    pub replay_records: usize,
    pub divergences: Vec<Divergence>,
    pub score: f32,
}

/// Categories that are only about time: they often precede the change that matters.
const DRIFT: [&str; 6] = [
    "virtual_time_drift",
    "monotonic_drift",
    "phase_mismatch",
    "process_duration",
    "mcp_latency",
    "clock_sleep_duration",
];

impl FidelityReport {
    /// The first divergence that is not only about time; otherwise the first one.
    pub(crate) fn root(&self) -> Option<&Divergence> {
        let content = self.divergences.iter().find(|found| !DRIFT.contains(&found.category));
        content.or(self.divergences.first())
    }
}

/// A tape, and access to its stored payloads.
#[derive(Clone, Copy)]
pub(crate) struct TapeWithBodies<'s> {
    pub tape: &'s Tape,
    pub bodies: &'s Bodies<'s>,
}

/// Compares by the reference's rules.
#[cfg(test)]
pub(crate) fn compare(recorded: TapeWithBodies<'_>, replay: TapeWithBodies<'_>, mode: FidelityMode) -> FidelityReport {
    compare_by(recorded, replay, mode, Comparators::Reference)
}

pub(crate) fn compare_by(
    recorded: TapeWithBodies<'_>,
    replay: TapeWithBodies<'_>,
    mode: FidelityMode,
    comparators: Comparators,
) -> FidelityReport {
    let compare_rows = |one: &[_], two: &[_], strictness| compare_rows(one, two, strictness, comparators);
    let (one, two) = (&recorded.tape.records, &replay.tape.records);
    let versions = (recorded.tape.header.header.version, replay.tape.header.header.version);
    let divergences = if versions.0 != versions.1 {
        vec![Divergence {
            seq: None,
            category: "tape_format_version",
            message: format!(
                "the recorded tape was written in format version {} and the replay in version {}; re-record the tape with this runtime",
                versions.0, versions.1
            ),
        }]
    } else {
        let mut found = match mode {
            FidelityMode::ByteIdentical => compare_rows(&all(one), &all(two), Strictness::Strict),
            FidelityMode::Semantic => compare_rows(&all(one), &all(two), Strictness::Content),
            FidelityMode::PhaseAware => {
                let mut found = compare_rows(&of_program(one), &of_program(two), Strictness::Strict);
                found.extend(compare_rows(&of_finish(one), &of_finish(two), Strictness::Content));
                found
            }
            FidelityMode::Outcome => outcomes(one, two),
        };
        request::explain(&mut found, recorded, replay);
        found.into_iter().map(|found| found.divergence).collect()
    };
    let score = match (mode, divergences.is_empty()) {
        (_, true) => 1.0,
        (FidelityMode::Outcome, false) => 0.0,
        (_, false) => 1.0 - (divergences.len() as f32 / one.len().max(two.len()).max(1) as f32).min(1.0),
    };
    FidelityReport { mode, recorded_records: one.len(), replay_records: two.len(), divergences, score }
}

/// A divergence, and the recorded model call if its request differs.
struct Found<'r> {
    divergence: Divergence,
    call: Option<&'r Record>,
}

fn found(seq: Option<u64>, category: &'static str, message: String) -> Found<'static> {
    Found { divergence: Divergence { seq, category, message }, call: None }
}

fn all(records: &[Record]) -> Vec<&Record> {
    records.iter().collect()
}

fn of_program(records: &[Record]) -> Vec<&Record> {
    records.iter().filter(|record| record.phase == Phase::UserScript).collect()
}

/// Without clock reads of the runtime, which differ from run to run.
fn of_finish(records: &[Record]) -> Vec<&Record> {
    let of_finish = records.iter().filter(|record| record.phase == Phase::RuntimeFinalize);
    of_finish.filter(|record| !matches!(record.kind, Kind::ClockRead { .. })).collect()
}

fn compare_rows<'r>(
    recorded: &[&'r Record],
    replay: &[&Record],
    strictness: Strictness,
    comparators: Comparators,
) -> Vec<Found<'r>> {
    let mut divergences = Vec::new();
    for (one, two) in recorded.iter().zip(replay) {
        for (category, message) in compare_pair(one, two, strictness, comparators) {
            let call = (category == "llm_request_digest" && matches!(one.kind, Kind::LlmCall(_))).then_some(*one);
            divergences.push(Found { call, ..found(Some(one.seq), category, message) });
        }
    }
    let common = recorded.len().min(replay.len());
    for (at, one) in recorded.iter().enumerate().skip(common) {
        let left = recorded.len() - at;
        let message = format!("replay tape ended at #{at}; recorded had {left} more record(s)");
        divergences.push(found(Some(one.seq), "missing_in_replay", message));
    }
    for (at, two) in replay.iter().enumerate().skip(common) {
        let message = format!("replay produced an extra record at #{at} (kind={})", two.kind.tag());
        divergences.push(found(Some(two.seq), "missing_in_recorded", message));
    }
    divergences
}

/// The lasting results of a run.
#[derive(Default)]
struct Outcome<'r> {
    /// The hash after the last write; `None` if the file was deleted.
    files: BTreeMap<&'r str, Option<&'r str>>,
    exit_code: Option<i32>,
    calls: usize,
}

impl<'r> Outcome<'r> {
    fn of(records: &'r [Record]) -> Outcome<'r> {
        let mut outcome = Outcome::default();
        for record in records {
            match &record.kind {
                Kind::FileWrite(file) => {
                    outcome.files.insert(&file.path, Some(&file.content_hash));
                }
                Kind::FileDelete { path } => {
                    outcome.files.insert(path, None);
                }
                Kind::ProcessSpawn(spawn) => outcome.exit_code = Some(spawn.exit_code),
                Kind::LlmCall(_) => outcome.calls += 1,
                _ => {}
            }
        }
        outcome
    }
}

fn outcomes(recorded: &[Record], replay: &[Record]) -> Vec<Found<'static>> {
    let (one, two) = (Outcome::of(recorded), Outcome::of(replay));
    let mut divergences = Vec::new();
    if one.files != two.files {
        let paths = |outcome: &Outcome<'_>| format!("{:?}", outcome.files.keys().collect::<Vec<_>>());
        let message = format!("final FS write set diverged: recorded={} replay={}", paths(&one), paths(&two));
        divergences.push(found(None, "outcome_fs_diff", message));
    }
    if one.exit_code != two.exit_code {
        let message =
            format!("last subprocess exit code diverged: recorded={:?} replay={:?}", one.exit_code, two.exit_code);
        divergences.push(found(None, "outcome_exit_code", message));
    }
    if one.calls != two.calls {
        let message = format!("LLM call count diverged: recorded={} replay={}", one.calls, two.calls);
        divergences.push(found(None, "outcome_llm_call_count", message));
    }
    divergences
}

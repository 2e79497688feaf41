//! Trace bundles, replay packs and the comparison of two bundles.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::effect::EffectCounts;
use super::event::Event;
use super::kind::EventKind;
use super::thread::Thread;
use super::whole::{Recording, TurnGroup};

/// The newest version of bundles and packs that is read, and the one that is written.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// The source of a bundle's events.
pub(crate) enum BundleSource<'s> {
    /// A file without times: it is one turn, and its times are made up.
    Fixture(&'s str),
    /// A thread of turns, with the times in its database.
    Thread { id: &'s str, workspace: Option<&'s str> },
}

/// The results of replaying the events of a bundle.
pub(crate) struct Summary {
    pub coherence_error: Option<String>,
    pub effects: EffectCounts,
    pub turns: Vec<Value>,
    pub synthetic_timeline: bool,
}

impl Summary {
    /// The summary of a thread, by the reference's rules.
    pub(crate) fn of_thread(thread: &Thread) -> Self {
        let (coherent, with_events) = (thread.coherent_turns(), thread.turns.len());
        let turns = thread.turns.iter().map(|turn| {
            let error = turn.verdict.sentence();
            let outcome = turn.fold.state.projection.outcome.as_deref();
            turn_json(&turn.fold.turn_id, turn.event_count, error, outcome.map(|outcome| format!("{outcome:?}")))
        });
        Summary {
            coherence_error: (!thread.all_coherent())
                .then(|| format!("{coherent}/{with_events} turns coherent ({with_events} turns with events)")),
            effects: thread.effects,
            turns: turns.collect(),
            synthetic_timeline: false,
        }
    }

    /// The summary of a plain file, by the reference's rules: the whole file is one turn.
    pub(crate) fn of_fixture(recording: &Recording<'_>) -> Self {
        let whole = super::report::WholeLog::of(recording);
        let name = recording.iter().find_map(|event| event.turn_id().map(|id| id.get().into_owned()));
        let error = whole.verdict.sentence();
        let outcome = whole.fold.state.projection.outcome.as_deref().map(|outcome| format!("{outcome:?}"));
        let name = name.unwrap_or_else(|| "unknown".to_owned());
        Summary {
            turns: vec![turn_json(&name, recording.events.len(), error.clone(), outcome)],
            coherence_error: error,
            effects: whole.fold.effects,
            synthetic_timeline: true,
        }
    }

    pub(crate) fn to_json(&self) -> Value {
        let mut json = json!({
            "coherence_ok": self.coherence_error.is_none(),
            "turns": self.turns,
            "effect_counts": self.effects.to_json(),
            "synthetic_timeline": self.synthetic_timeline,
        });
        if let Some(error) = &self.coherence_error {
            json["coherence_error"] = json!(error);
        }
        json
    }
}

fn turn_json(turn_id: &str, events: usize, error: Option<String>, outcome: Option<String>) -> Value {
    let mut json = json!({"turn_id": turn_id, "event_count": events, "coherence_ok": error.is_none()});
    if let Some(error) = error {
        json["coherence_error"] = json!(error);
    }
    if let Some(outcome) = outcome {
        json["outcome"] = json!(outcome);
    }
    json
}

/// The compactions and checkpoints, in order.
pub(crate) fn analysis<'e>(events: impl Iterator<Item = &'e Event<'e>>) -> Value {
    let (mut compactions, mut checkpoints) = (Vec::new(), Vec::new());
    for event in events {
        match event {
            Event::CompactionArtifactCreated { turn_id, artifact_id, replaced_range, .. } => compactions.push(json!({
                "turn_id": turn_id, "artifact_id": artifact_id,
                "replaced_from": replaced_range.from, "replaced_to": replaced_range.to,
            })),
            Event::CapacityCheckpoint { turn_id, step_idx, tokens_used, token_budget, action, .. } => {
                checkpoints.push(json!({
                    "turn_id": turn_id, "step_idx": step_idx, "tokens_used": tokens_used,
                    "token_budget": token_budget, "action": format!("{action:?}"),
                }));
            }
            _ => {}
        }
    }
    json!({"compaction_timeline": compactions, "capacity_checkpoints": checkpoints})
}

/// One event of a bundle: its sequence number, its time in milliseconds, and its payload, byte for byte.
pub(crate) struct BundleRow {
    pub times: (u64, u64),
    pub payload: Value,
}

/// A bundle of all events of a recording.
pub(crate) fn bundle(
    recording: &Recording<'_>,
    groups: &[TurnGroup],
    source: &BundleSource<'_>,
    row: &dyn Fn(usize) -> BundleRow,
    generated_at_ms: u64,
) -> Value {
    let (source, summary) = match source {
        BundleSource::Fixture(path) => {
            (json!({"kind": "fixture", "fixture_path": path}), Summary::of_fixture(recording))
        }
        BundleSource::Thread { id, workspace } => (
            json!({"kind": "thread", "thread_id": id, "workspace_label": workspace}),
            Summary::of_thread(&Thread::of(recording, groups)),
        ),
    };
    let events = (0..recording.events.len()).map(|index| {
        let BundleRow { times: (seq, ts_ms), payload } = row(index);
        json!({"seq": seq, "ts_ms": ts_ms, "payload": payload})
    });
    json!({
        "schema_version": SCHEMA_VERSION,
        "generator": {"tool": "stepback", "version": env!("CARGO_PKG_VERSION"), "generated_at_ms": generated_at_ms},
        "source": source,
        "replay_summary": summary.to_json(),
        "events": events.collect::<Vec<_>>(),
        "analysis": analysis(recording.iter()),
        "redaction": {"applied": false, "rules": []},
    })
}

/// A replay pack that contains a bundle.
pub(crate) fn pack(bundle: Value, session: Option<Value>, exported_at_ms: u64) -> Value {
    let source = &bundle["source"];
    let mut metadata = json!({
        "exported_at_ms": exported_at_ms,
        "includes_session": session.is_some(),
        "golden_replay_compatible": bundle["replay_summary"]["coherence_ok"],
    });
    for key in ["workspace_label", "thread_id", "fixture_path"] {
        if source[key].is_string() {
            metadata[key] = source[key].clone();
        }
    }
    let mut pack = json!({"schema_version": SCHEMA_VERSION, "metadata": metadata, "trace": bundle});
    if let Some(session) = session {
        pack["session_messages"] = session;
    }
    pack
}

/// What is needed to validate a pack, without its events and messages.
#[derive(Debug, Deserialize)]
pub(crate) struct PackHead {
    pub schema_version: u32,
    pub includes_session: bool,
    pub has_session: bool,
    pub event_count: usize,
    /// The result of the gate that the pack claims.
    pub stored_coherence_ok: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct PackValidation {
    /// Valid by the reference's rules, which trust the stored result.
    pub ok: bool,
    pub warnings: Vec<String>,
    /// Valid by our rules, which replay the events.
    pub recomputed_ok: bool,
}

impl PackHead {
    /// Why the pack is rejected, if its version is too new.
    pub(crate) fn unsupported(&self) -> Option<String> {
        (self.schema_version > SCHEMA_VERSION)
            .then(|| format!("unsupported replay pack schema {} (max supported {SCHEMA_VERSION})", self.schema_version))
    }

    pub(crate) fn validate(&self, replayed_ok: bool) -> PackValidation {
        let mut warnings = Vec::new();
        if self.schema_version != SCHEMA_VERSION {
            warnings.push(format!("schema_version {} != current {SCHEMA_VERSION}", self.schema_version));
        }
        if self.includes_session && !self.has_session {
            warnings.push("metadata.includes_session but session_messages missing".to_owned());
        }
        if self.has_session && !self.includes_session {
            warnings.push("session_messages present but metadata.includes_session is false".to_owned());
        }
        if self.event_count == 0 {
            warnings.push("trace.events is empty".to_owned());
        }
        let missing = warnings.iter().any(|warning| warning.contains("missing"));
        PackValidation {
            ok: self.stored_coherence_ok && self.event_count > 0 && !missing,
            recomputed_ok: replayed_ok && self.event_count > 0 && !missing,
            warnings,
        }
    }
}

/// The kinds whose counts a comparison lists if they differ.
const GUARD_KINDS: [EventKind; 7] = [
    EventKind::SteerInjected,
    EventKind::StepLimitContinuation,
    EventKind::LoopGuardContinuation,
    EventKind::LoopGuardTriggered,
    EventKind::CapacityCheckpoint,
    EventKind::CycleAdvanced,
    EventKind::DeferredToolActivated,
];

/// One side of a comparison. As in the reference, each file counts as one turn.
pub(crate) struct BundleSide<'s> {
    name: &'s str,
    recording: &'s Recording<'s>,
    summary: Summary,
}

impl<'s> BundleSide<'s> {
    pub(crate) fn new(name: &'s str, recording: &'s Recording<'s>) -> Self {
        BundleSide { name, recording, summary: Summary::of_fixture(recording) }
    }

    /// Without the time of writing, so that the same logs make the same document.
    fn bundle(&self) -> Value {
        let row = |index: usize| {
            let seq = index as u64 + 1;
            BundleRow { times: (seq, seq * 1000), payload: json!(self.recording.events[index].event) }
        };
        bundle(self.recording, &[], &BundleSource::Fixture(self.name), &row, 0)
    }
}

/// The bundles of both sides, and their differences.
pub(crate) fn compare_document(left: &BundleSide<'_>, right: &BundleSide<'_>) -> Value {
    json!({
        "document_kind": "compare",
        "schema_version": SCHEMA_VERSION,
        "left": left.bundle(),
        "right": right.bundle(),
        "diff": compare(left, right),
    })
}

/// The reference's comparison of two bundles: kinds and counts, never contents.
pub(crate) fn compare(left: &BundleSide<'_>, right: &BundleSide<'_>) -> Value {
    let kinds = |side: &BundleSide<'_>| -> Vec<&'static str> {
        side.recording.iter().map(|event| event.kind().name()).collect()
    };
    let (left_kinds, right_kinds) = (kinds(left), kinds(right));
    let mismatch = left_kinds.iter().zip(&right_kinds).position(|(one, two)| one != two);
    let shorter_ends = (left_kinds.len() != right_kinds.len()).then(|| left_kinds.len().min(right_kinds.len()));
    let first_mismatch = mismatch.or(shorter_ends);
    let effect_deltas =
        left.summary.effects.iter().zip(right.summary.effects.iter()).filter(|(one, two)| one.1 != two.1);
    let count = |kinds: &[&str], kind: EventKind| kinds.iter().filter(|name| **name == kind.name()).count();
    let guard_deltas = GUARD_KINDS.iter().filter_map(|kind| {
        let (left, right) = (count(&left_kinds, *kind), count(&right_kinds, *kind));
        (left != right).then(|| json!({"kind": kind.name(), "left": left, "right": right}))
    });
    let (left_ok, right_ok) = (left.summary.coherence_error.is_none(), right.summary.coherence_error.is_none());
    json!({
        "coherence_match": left_ok == right_ok,
        "left_coherence_ok": left_ok,
        "right_coherence_ok": right_ok,
        "event_kind_sequence_match": first_mismatch.is_none(),
        "first_kind_mismatch_index": first_mismatch,
        "left_event_count": left_kinds.len(),
        "right_event_count": right_kinds.len(),
        "turn_count_left": left.summary.turns.len(),
        "turn_count_right": right.summary.turns.len(),
        "effect_count_deltas": effect_deltas.map(|(one, two)| json!({
            "field": one.0.name(), "left": one.1, "right": two.1, "delta": i64::from(two.1) - i64::from(one.1),
        })).collect::<Vec<_>>(),
        "guard_event_deltas": guard_deltas.collect::<Vec<_>>(),
        "left_event_kinds": left_kinds,
        "right_event_kinds": right_kinds,
    })
}

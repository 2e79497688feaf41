//! The report of a turn log: everything that can be derived from it, as a document and as text.

mod text;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::conversation::{self, RebuildRules};
use super::coverage::{self, Coverage};
use super::document::AboutDocument;
use super::event::Event;
use super::fold::Fold;
use super::gate::{GateChain, GateReport};
use super::memory::USER_MEMORY;
use super::sidecar::TurnSidecars;
use super::thread::Thread;
use super::trace::Summary;
use super::whole::{HeldEvents, Recording};
use super::{resume, trace::analysis};
use crate::dialect::open_log::DialectError;
use crate::dialect::report::{ReportInput, Reporting};
use crate::replay::finding::Findings;

pub(crate) static REPORTING: Reporting =
    Reporting { document, text: text::text, refuses_strictly: false, has_reference_redaction: true };

fn document(input: &dyn ReportInput) -> Result<Value, DialectError> {
    let log = input.log();
    let held = HeldEvents::read(log)?;
    let recording = held.decode();
    let none = TurnSidecars::default();
    let mut document = report(&recording, TurnSidecars::of(input.sidecars()).unwrap_or(&none));
    if !held.damage.is_empty() {
        document["strict_accepts"] = json!(false);
    }
    document["dialect"] = json!(input.dialect().name);
    document["container"] = json!(log.container());
    let about = log.around().and_then(|around| around.downcast_ref::<AboutDocument>());
    if let Some(head) = about.and_then(|about| about.pack_head(recording.events.len())) {
        let replayed_ok = document["trace"]["replay_summary"]["coherence_ok"] == json!(true);
        document["pack"] = json!(head.validate(replayed_ok));
    }
    for (key, redacted) in input.redacted(&|| recording.iter().map(|event| json!(event)).collect()) {
        document[key] = redacted;
    }
    Ok(document)
}

/// The whole log folded as if it were one turn, which the reference calls its projection.
pub(crate) struct WholeLog {
    pub fold: Fold,
    pub verdict: GateReport,
}

impl WholeLog {
    pub(crate) fn of(recording: &Recording<'_>) -> Self {
        let mut fold = Fold::in_full(Arc::from(""));
        let mut findings = Findings::default();
        for recorded in &recording.events {
            fold.see(recorded.at, &recorded.event, &recorded.digest, &mut findings);
        }
        let verdict = fold.finish(&mut findings);
        WholeLog { fold, verdict }
    }
}

/// Everything that the reference derives, under its own keys, and the corrections, under ours.
pub(crate) fn report(recording: &Recording<'_>, sidecars: &TurnSidecars) -> Value {
    let whole = WholeLog::of(recording);
    let groups = recording.turns();
    let thread = Thread::of(recording, &groups);
    let projection = &whole.fold.state.projection;
    let mut report = json!({
        "strict_accepts": recording.rejected.is_empty(),
        "event_count": recording.events.len(),
        "projection": projection.to_json(),
        "coherence": whole.verdict.sentence(),
        "chains": chains(&whole.verdict),
        "extra_checks": extra_checks(&whole),
        "guards": guards(recording, &whole),
        "effect_counts": whole.fold.effects.to_json(),
        "step_checks": whole.fold.steps.to_json(),
        "thread": thread.to_json(),
        "resume_hints": resume::hints(&thread),
        "trace": {
            "replay_summary": Summary::of_thread(&thread).to_json(),
            "analysis": analysis(recording.concatenated(&groups)),
        },
        "transcript": previews(recording, RebuildRules::Reference),
        "transcript_corrected": previews(recording, RebuildRules::Corrected),
        "session_messages": conversation::session_messages(recording.iter(), RebuildRules::Reference),
        "session_messages_corrected": conversation::session_messages(recording.iter(), RebuildRules::Corrected),
        "has_session_substrate": conversation::has_substrate(recording.iter()),
    });
    if !recording.rejected.is_empty() {
        let rejected = recording.rejected.iter();
        report["rejected"] =
            rejected.map(|(at, malformed)| json!({"index": at.0, "error": malformed.reason})).collect();
    }
    if let Some(live) = &sidecars.live {
        let text = live.text(projection);
        report["coherence_live"] = json!(whole.verdict.sentence_after(text.as_deref()));
    }
    match (&sidecars.saved_messages, &sidecars.compactions) {
        (Some(session), artifacts) => {
            let coverage = Coverage::of(&thread, recording, &groups, session, artifacts.as_deref());
            report["session"] = coverage.to_json(&thread);
            let failed = report["session"]["coverage"]["overall_ok"] == json!(false);
            let summary = failed.then(|| report["session"]["coverage"]["summary"].as_str().map(str::to_owned));
            report["resume_parity"] = json!(resume::session_parity(&thread, summary));
        }
        (None, Some(rows)) => report["compaction_artifacts"] = json!(coverage::compaction_text(&thread, rows)),
        (None, None) => {}
    }
    report
}

fn previews(recording: &Recording<'_>, rules: RebuildRules) -> Value {
    conversation::previews(recording.iter(), rules).iter().map(conversation::PreviewRow::to_json).collect()
}

fn chains(verdict: &GateReport) -> Value {
    // Some chains can never report anything; they are listed because scripts expect their keys.
    const SILENT: [&str; 3] = ["guard", "capacity_replay", "layered_context_seam_replay"];
    const SPEAKING: [GateChain; 7] = [
        GateChain::Effect,
        GateChain::OuterBoundaryCaps,
        GateChain::LoopGuardReplay,
        GateChain::CapacityFields,
        GateChain::Memory,
        GateChain::MemoryPlaneQueryReplay,
        GateChain::SystemPromptRefreshReplay,
    ];
    let speaking = SPEAKING.iter().filter_map(|chain| Some((chain.label()?, json!(verdict.chain(*chain)))));
    let silent = SILENT.iter().map(|label| (*label, Value::Null));
    speaking.chain(silent).map(|(label, text)| (label.to_owned(), text)).collect::<Map<_, _>>().into()
}

fn extra_checks(whole: &WholeLog) -> Value {
    let steps = &whole.fold.steps;
    let source = steps.compiler_source_text().map(str::to_owned);
    let projection = steps.compiler_projection_text(&whole.fold.state.projection);
    let labelled = |label: &str, text: &Option<String>| text.as_ref().map(|text| format!("{label}: {text}"));
    let batch: Vec<String> = [
        whole.verdict.chain(GateChain::Memory),
        labelled("query_replay", &whole.fold.gate.query_replay_text()),
        labelled("compiler_source", &source),
        labelled("compiler_projection", &projection),
    ]
    .into_iter()
    .flatten()
    .collect();
    json!({
        "compiler_source": source,
        "compiler_projection": projection,
        "memory_plane_batch4": (!batch.is_empty()).then(|| batch.join("; ")),
        "layered_context_seam_projection": null,
    })
}

fn guards(recording: &Recording<'_>, whole: &WholeLog) -> Value {
    let mut step = 0;
    let mut reasons: BTreeMap<u32, BTreeMap<String, u32>> = BTreeMap::new();
    let mut kinds: BTreeMap<u32, BTreeMap<&str, u32>> = BTreeMap::new();
    let (mut cooldowns, mut refreshes) = (0, 0);
    for event in recording.iter() {
        match event {
            Event::ModelRequestIssued { step_idx, .. } => step = *step_idx,
            Event::LoopGuardTriggered { reason, .. } => {
                *reasons.entry(step).or_default().entry(reason.get().into_owned()).or_default() += 1;
            }
            Event::CapacityCheckpoint { step_idx, kind, cooldown_blocked, .. } => {
                *kinds.entry(*step_idx).or_default().entry(kind.name()).or_default() += 1;
                cooldowns += u32::from(*cooldown_blocked);
            }
            Event::MemoryPlaneQueried { query_key, .. } if *query_key == *USER_MEMORY => refreshes += 1,
            _ => {}
        }
    }
    let projection = &whole.fold.state.projection;
    let guard = &whole.fold.gate.guard;
    let working = projection.scratchpad_reminder_count
        + projection.cycle_briefing_count
        + projection.steer_injection_count
        + projection.step_limit_continuations
        + projection.loop_guard_continuations
        + u32::from(projection.scratchpad_summary_injected);
    json!({
        "loop_guard_reasons_by_step": reasons,
        "loop_guard_log": {
            "identical_tool_call": guard.triggers.identical_tool_call,
            "failure_halt": guard.triggers.failure_halt,
            "deferred_set_area_batch": guard.triggers.deferred_set_area_batch,
            "other": guard.triggers.other,
        },
        "loop_guard_sim": {
            "identical_blocks": guard.simulation.identical_blocks,
            "failure_halts": guard.simulation.failure_halts,
        },
        "capacity_kinds_by_step": kinds,
        "capacity_cooldown_blocked": cooldowns,
        "memory_layers": {
            "working": working,
            "episodic": projection.topic_memory_injection_count,
            "archival": projection.compaction_artifact_count,
        },
        "refresh_query_cycles": refreshes,
    })
}

//! A thread: its turns, their totals, and lower bounds for the number of saved messages.

use serde_json::{Value, json};

use super::conversation::{self, MessageRole, RebuildRules};
use super::effect::EffectCounts;
use super::event::Event;
use super::fold::Fold;
use super::gate::GateReport;
use super::whole::{Recording, TurnGroup};
use crate::replay::finding::Findings;

/// One turn, replayed from a fresh projection.
pub(crate) struct TurnResult {
    pub fold: Fold,
    pub verdict: GateReport,
    pub event_count: usize,
}

/// Counts over all turns.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MessageStats {
    pub turns_with_events: u32,
    pub model_requests: u32,
    pub model_messages: u32,
    pub planned_calls: u32,
    pub steers: u32,
    pub artifacts: u32,
    pub summaries: u32,
    pub reminders: u32,
    pub briefings: u32,
    pub step_limit_continuations: u32,
    pub loop_guard_continuations: u32,
    pub seams: u32,
}

/// One compaction, with the log's own numbers.
pub(crate) struct Compaction {
    pub turn_id: String,
    pub artifact_id: String,
    pub from: u32,
    pub to: u32,
    pub summary_tokens: u32,
}

impl Compaction {
    /// The number of removed messages. 64 bits hold any range of both ends.
    pub(crate) fn removed(&self) -> u64 {
        (u64::from(self.to) + 1).saturating_sub(u64::from(self.from))
    }
}

pub(crate) struct Thread {
    pub turns: Vec<TurnResult>,
    pub stats: MessageStats,
    pub effects: EffectCounts,
    pub compactions: Vec<Compaction>,
    /// Turn, step and block count of every model message.
    pub timeline: Vec<(String, u32, u32)>,
    pub previews: Vec<conversation::PreviewRow>,
    pub preview_bodies: usize,
}

impl Thread {
    pub(crate) fn of(recording: &Recording<'_>, groups: &[TurnGroup]) -> Self {
        let turns: Vec<TurnResult> = groups.iter().map(|group| TurnResult::of(recording, group)).collect();
        let mut effects = EffectCounts::default();
        turns.iter().for_each(|turn| effects.add_all(&turn.fold.effects));
        let events = || recording.concatenated(groups);
        let mut stats = MessageStats { turns_with_events: turns.len() as u32, ..MessageStats::default() };
        let (mut timeline, mut compactions) = (Vec::new(), Vec::new());
        for event in events() {
            stats.count(event);
            match event {
                Event::ModelMessage { turn_id, step_idx, block_count, .. } => {
                    timeline.push((turn_id.get().into_owned(), *step_idx, *block_count));
                }
                Event::CompactionArtifactCreated { turn_id, artifact_id, replaced_range, summary_token_count } => {
                    compactions.push(Compaction {
                        turn_id: turn_id.get().into_owned(),
                        artifact_id: artifact_id.get().into_owned(),
                        from: replaced_range.from,
                        to: replaced_range.to,
                        summary_tokens: *summary_token_count,
                    });
                }
                _ => {}
            }
        }
        let previews = conversation::previews(events(), RebuildRules::Reference);
        let preview_bodies = conversation::preview_body_count(events());
        Thread { turns, stats, effects, compactions, timeline, previews, preview_bodies }
    }

    pub(crate) fn coherent_turns(&self) -> usize {
        self.turns.iter().filter(|turn| turn.verdict.sentence().is_none()).count()
    }

    pub(crate) fn all_coherent(&self) -> bool {
        !self.turns.is_empty() && self.coherent_turns() == self.turns.len()
    }

    pub(crate) fn latest(&self) -> Option<&TurnResult> {
        self.turns.last()
    }

    /// Messages, tool results and seams: there are at least as many saved messages.
    pub(crate) fn estimated_min_session_messages(&self) -> u32 {
        let stats = &self.stats;
        stats.model_messages.saturating_add(stats.planned_calls).saturating_add(stats.seams)
    }

    pub(crate) fn messages_removed_estimate(&self) -> u32 {
        let removed: u64 =
            self.compactions.iter().fold(0, |sum, artifact| sum.saturating_add(reference_removed(artifact)));
        u32::try_from(removed).unwrap_or(u32::MAX)
    }

    pub(crate) fn peak_session_depth_hint(&self) -> u32 {
        self.compactions.iter().map(|artifact| artifact.to.saturating_add(1)).max().unwrap_or(0)
    }

    /// Steers, summaries, reminders and continuations: each is a saved user message.
    pub(crate) fn min_memory_rows(&self) -> u32 {
        let stats = &self.stats;
        stats.steers + stats.summaries + stats.reminders + self.continuations()
    }

    fn continuations(&self) -> u32 {
        self.stats.step_limit_continuations + self.stats.loop_guard_continuations
    }

    pub(crate) fn timeline_text(&self) -> Option<String> {
        let empty = self.timeline.iter().find(|entry| entry.2 == 0);
        empty.map(|(turn, step, _)| format!("turn {turn} step {step} has block_count 0"))
    }

    pub(crate) fn timeline_vs_requests_text(&self) -> Option<String> {
        let (anchors, requests) = (self.timeline.len(), self.stats.model_requests);
        (anchors > requests as usize)
            .then(|| format!("timeline anchors ({anchors}) exceed model_request_count ({requests})"))
    }

    pub(crate) fn to_json(&self) -> Value {
        let stats = &self.stats;
        let latest = self.latest();
        // An anchor never differs from itself, but hosts read these keys.
        let anchor = json!({"ok": true, "summary": null});
        let role_count = |role: MessageRole| self.previews.iter().filter(|row| row.role == role).count();
        json!({
            "report": self.report_json(),
            "latest_turn_id": latest.map(|turn| &*turn.fold.turn_id),
            "latest_projection": latest.map_or_else(|| json!({}), |turn| turn.fold.state.projection.to_sparse_json()),
            "message_stats": stats.to_json(),
            "message_timeline": self.timeline.iter().map(|(turn_id, step_idx, block_count)| {
                json!({"turn_id": turn_id, "step_idx": step_idx, "block_count": block_count})
            }).collect::<Vec<_>>(),
            "message_timeline_coherence": self.timeline_text(),
            "timeline_vs_requests": self.timeline_vs_requests_text(),
            "message_plane_index": {
                "model_message_count": stats.model_messages,
                "model_request_count": stats.model_requests,
                "tool_call_planned_count": stats.planned_calls,
                "steer_injection_count": stats.steers,
                "estimated_min_session_messages": self.estimated_min_session_messages(),
            },
            "role_estimate": {
                "min_assistant_messages": stats.model_messages + stats.seams,
                "min_tool_result_messages": stats.planned_calls,
                "min_steer_user_messages": stats.steers,
            },
            "memory_user_estimate": {
                "min_steer_user_messages": stats.steers,
                "min_scratchpad_summary_user_messages": stats.summaries,
                "min_scratchpad_reminder_user_messages": stats.reminders,
                "min_continuation_user_messages": self.continuations(),
                "min_memory_injected_user_messages": self.min_memory_rows(),
            },
            "compaction_timeline": self.compactions.iter().map(|artifact| json!({
                "turn_id": artifact.turn_id,
                "artifact_id": artifact.artifact_id,
                "replaced_from": artifact.from,
                "replaced_to": artifact.to,
                "messages_removed_count": reference_removed(artifact),
                "summary_token_count": artifact.summary_tokens,
            })).collect::<Vec<_>>(),
            "compaction_index": {
                "artifact_count": self.compactions.len(),
                "messages_removed_estimate": self.messages_removed_estimate(),
                "peak_session_depth_hint": self.peak_session_depth_hint(),
            },
            "anchors": {
                "continuation": anchor, "request_approval": anchor, "notify_lsp": anchor,
                "memory_plane_replay": anchor, "compaction_replay": anchor,
            },
            "effect_counts": self.effects.to_json(),
            "transcript_preview_index": {
                "preview_row_count": self.previews.len(),
                "user_preview_count": role_count(MessageRole::User),
                "assistant_preview_count": role_count(MessageRole::Assistant),
                "tool_result_preview_count": role_count(MessageRole::ToolResult),
                "preview_body_event_count": self.preview_bodies,
            },
        })
    }

    fn report_json(&self) -> Value {
        let turns = self.turns.iter().map(|turn| {
            let error = turn.verdict.sentence();
            json!({
                "turn_id": &*turn.fold.turn_id,
                "event_count": turn.event_count,
                "coherence_ok": error.is_none(),
                "coherence_error": error,
                "outcome": turn.fold.state.projection.outcome.as_deref(),
            })
        });
        json!({
            "thread_id": "thread",
            "turn_count": self.turns.len(),
            "turns_with_events": self.turns.len(),
            "turns_coherent": self.coherent_turns(),
            "all_coherent": self.all_coherent(),
            "turns": turns.collect::<Vec<_>>(),
        })
    }
}

/// The reference counts in 32 bits, so the range that covers everything overflows to 0.
pub(crate) fn reference_removed(artifact: &Compaction) -> u64 {
    u64::from(artifact.removed() as u32)
}

impl TurnResult {
    fn of(recording: &Recording<'_>, group: &TurnGroup) -> Self {
        let mut fold = Fold::in_full(std::sync::Arc::clone(&group.turn_id));
        let mut findings = Findings::default();
        // The text of a turn counts events within that turn, as if it were a whole log.
        for index in &group.events {
            let recorded = &recording.events[*index];
            fold.see(recorded.at, &recorded.event, &recorded.digest, &mut findings);
        }
        let verdict = fold.finish(&mut findings);
        TurnResult { fold, verdict, event_count: group.events.len() }
    }
}

impl MessageStats {
    fn count(&mut self, event: &Event<'_>) {
        let counter = match event {
            Event::ModelRequestIssued { .. } => &mut self.model_requests,
            Event::ModelMessage { .. } => &mut self.model_messages,
            Event::ToolCallPlanned { .. } => &mut self.planned_calls,
            Event::SteerInjected { .. } => &mut self.steers,
            Event::CompactionArtifactCreated { .. } => &mut self.artifacts,
            Event::ScratchpadSummaryInjected { .. } => &mut self.summaries,
            Event::ScratchpadReminderInjected { .. } => &mut self.reminders,
            Event::CycleBriefingInjected { .. } => &mut self.briefings,
            Event::StepLimitContinuation { .. } => &mut self.step_limit_continuations,
            Event::LoopGuardContinuation { .. } => &mut self.loop_guard_continuations,
            Event::LayeredContextSeamInjected { .. } => &mut self.seams,
            _ => return,
        };
        *counter += 1;
    }

    fn to_json(self) -> Value {
        json!({
            "turns_with_events": self.turns_with_events,
            "model_request_count": self.model_requests,
            "model_message_count": self.model_messages,
            "tool_call_planned_count": self.planned_calls,
            "steer_injection_count": self.steers,
            "compaction_artifact_count": self.artifacts,
            "scratchpad_summary_count": self.summaries,
            "scratchpad_reminder_count": self.reminders,
            "cycle_briefing_count": self.briefings,
            "step_limit_continuation_count": self.step_limit_continuations,
            "loop_guard_continuation_count": self.loop_guard_continuations,
            "layered_context_seam_count": self.seams,
        })
    }
}

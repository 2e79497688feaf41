//! Coverage checks: the saved messages and the stored compactions against what the log implies.

use serde::Deserialize;
use serde_json::{Value, json};

use super::checks;
use super::conversation::{self, MessageRole, PreviewRow, RebuildRules};
use super::event::Event;
use super::message::{Message, MessageBlock};
use super::thread::{Thread, reference_removed};
use super::whole::{Recording, TurnGroup};
use crate::replay::Seq;
use crate::replay::check::Check;
use crate::replay::finding::Finding;

/// A row of the `compaction_artifacts` table. Its range is half-open, unlike the event's.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct CompactionRow {
    pub id: String,
    pub replaced_start: i64,
    pub replaced_end: i64,
    pub summary_tokens: i64,
}

/// The number of saved messages by role.
#[derive(Clone, Copy, Debug, Default)]
struct RoleIndex {
    users: usize,
    assistants: usize,
    tool_results: usize,
    text_users: usize,
    total: usize,
}

impl RoleIndex {
    fn of(session: &[Message]) -> Self {
        let mut index = RoleIndex { total: session.len(), ..RoleIndex::default() };
        for message in session {
            match message.role.as_str() {
                "assistant" => index.assistants += 1,
                "user" => {
                    index.users += 1;
                    if message.first_tool_result().is_some() {
                        index.tool_results += 1;
                    } else if message.content.iter().any(|block| matches!(block, MessageBlock::Text { .. })) {
                        index.text_users += 1;
                    }
                }
                _ => {}
            }
        }
        index
    }

    fn to_json(self) -> Value {
        json!({
            "user_message_count": self.users,
            "assistant_message_count": self.assistants,
            "tool_result_message_count": self.tool_results,
            "text_user_message_count": self.text_users,
            "total_message_count": self.total,
        })
    }
}

/// The results of all cross-checks. Each is the reference's text, or `None` if there is nothing to report.
pub(crate) struct Coverage {
    roles: RoleIndex,
    message_coverage: Option<String>,
    timeline_vs_session: Option<String>,
    plane_depth: Option<String>,
    compaction_depth: Option<String>,
    role_index: Option<String>,
    memory_user_depth: Option<String>,
    preview_count: Option<String>,
    preview_bodies: Option<String>,
    structural_parity: Option<String>,
    pub compaction_rows: Option<String>,
    should_repair: bool,
}

impl Coverage {
    pub(crate) fn of(
        thread: &Thread,
        recording: &Recording<'_>,
        groups: &[TurnGroup],
        session: &[Message],
        artifacts: Option<&[CompactionRow]>,
    ) -> Self {
        let rows = session.len();
        let roles = RoleIndex::of(session);
        let messages = thread.stats.model_messages as usize;
        let anchors = thread.timeline.len();
        let estimate = thread.estimated_min_session_messages() as usize;
        let removed = thread.messages_removed_estimate() as usize;
        let (restored, memory_rows) = (rows + removed, thread.min_memory_rows() as usize);
        let has_bodies = thread.preview_bodies > 0;
        // The reference rebuilds turn by turn. If turns interleave, an engine that saves messages as they come has them
        // in the order of the log, which is also right: only messages that differ from both orders count.
        let unless_in_log_order = |differs: String, in_log_order: Option<String>| in_log_order.map(|_| differs);
        let preview_bodies = has_bodies.then(|| compare_previews(session, &thread.previews)).flatten();
        let preview_bodies = preview_bodies.and_then(|differs| {
            let previews = conversation::previews(recording.iter(), RebuildRules::Reference);
            unless_in_log_order(differs, compare_previews(session, &previews))
        });
        let by_turn = recording.concatenated(groups);
        let has_substrate = conversation::has_substrate(by_turn.clone());
        let structural_parity = has_substrate.then(|| compare_sessions(by_turn, session)).flatten();
        let structural_parity = structural_parity
            .and_then(|differs| unless_in_log_order(differs, compare_sessions(recording.iter(), session)));
        Coverage {
            roles,
            message_coverage: (messages > 0 && rows < messages)
                .then(|| format!("session messages ({rows}) below kernel model_message events ({messages})")),
            timeline_vs_session: (anchors > 0 && rows < anchors)
                .then(|| format!("session messages ({rows}) below timeline anchors ({anchors})")),
            plane_depth: (rows < estimate)
                .then(|| format!("session messages ({rows}) below kernel plane estimate ({estimate})")),
            compaction_depth: (!thread.compactions.is_empty() && restored < estimate).then(|| {
                format!("session ({rows}) + compaction removed ({removed}) = {restored} below kernel plane estimate ({estimate})")
            }),
            role_index: role_text(&roles, thread),
            memory_user_depth: (memory_rows > 0 && roles.text_users < memory_rows).then(|| {
                format!("session text user messages ({}) below kernel memory-plane injections ({memory_rows})", roles.text_users)
            }),
            preview_count: (has_bodies && rows != thread.previews.len()).then(|| {
                format!("transcript preview row mismatch: session={rows} rebuilt={}", thread.previews.len())
            }),
            should_repair: if has_substrate { structural_parity.is_some() } else { preview_bodies.is_some() },
            preview_bodies,
            structural_parity,
            compaction_rows: artifacts.and_then(|rows| compaction_text(thread, rows)),
        }
    }

    pub(crate) fn to_json(&self, thread: &Thread) -> Value {
        json!({
            "role_index": self.roles.to_json(),
            "message_coverage": self.message_coverage,
            "timeline_vs_session": self.timeline_vs_session,
            "plane_depth": self.plane_depth,
            "compaction_depth": self.compaction_depth,
            "role_index_check": self.role_index,
            "memory_user_depth": self.memory_user_depth,
            "transcript_preview_count": self.preview_count,
            "transcript_preview_bodies": self.preview_bodies,
            "structural_parity": self.structural_parity,
            "compaction_artifacts": self.compaction_rows,
            "should_repair": self.should_repair,
            "coverage": self.report(thread),
        })
    }

    /// The coverage report; `None` if the thread has nothing that saved messages could lack.
    fn report(&self, thread: &Thread) -> Option<Value> {
        let stats = &thread.stats;
        if stats.model_messages == 0 && thread.min_memory_rows() == 0 && thread.compactions.is_empty() {
            return None;
        }
        let (timeline, requests) = (thread.timeline_text(), thread.timeline_vs_requests_text());
        let texts = [
            &timeline,
            &self.message_coverage,
            &self.timeline_vs_session,
            &requests,
            &self.plane_depth,
            &self.compaction_depth,
            &self.role_index,
            &self.memory_user_depth,
            &self.compaction_rows,
            &self.preview_count,
            &self.preview_bodies,
        ];
        let summary: Vec<&str> = texts.iter().filter_map(|text| text.as_deref()).collect();
        let removed = thread.messages_removed_estimate();
        Some(json!({
            "coherence_ok": timeline.is_none(),
            "coverage_ok": self.message_coverage.is_none(),
            "timeline_vs_session_ok": self.timeline_vs_session.is_none(),
            "timeline_vs_requests_ok": requests.is_none(),
            "plane_depth_ok": self.plane_depth.is_none(),
            "compaction_depth_ok": self.compaction_depth.is_none(),
            "role_index_ok": self.role_index.is_none(),
            "memory_plane_user_ok": self.memory_user_depth.is_none(),
            "compaction_artifact_ok": self.compaction_rows.is_none(),
            "transcript_preview_ok": self.preview_count.is_none(),
            "transcript_preview_body_ok": self.preview_bodies.is_none(),
            "overall_ok": summary.is_empty(),
            "summary": (!summary.is_empty()).then(|| summary.join("; ")),
            "session_message_count": self.roles.total,
            "kernel_model_message_count": stats.model_messages,
            "model_request_count": stats.model_requests,
            "timeline_anchor_count": thread.timeline.len(),
            "estimated_min_session_messages": thread.estimated_min_session_messages(),
            "compaction_messages_removed_estimate": removed,
            "compaction_peak_session_depth_hint": thread.peak_session_depth_hint(),
            "compaction_restored_session_estimate": self.roles.total + removed as usize,
        }))
    }

    /// The results as findings. They are about the whole thread and belong to its last event.
    pub(crate) fn findings(&self, last: Seq) -> impl Iterator<Item = Finding> {
        let rows: [(&'static Check, &Option<String>); 9] = [
            (&checks::COVER_MESSAGES, &self.message_coverage),
            (&checks::COVER_PLANE_DEPTH, &self.plane_depth),
            (&checks::COVER_COMPACTION_DEPTH, &self.compaction_depth),
            (&checks::COVER_ROLES, &self.role_index),
            (&checks::COVER_MEMORY_ROWS, &self.memory_user_depth),
            (&checks::COVER_PREVIEW, &self.preview_count),
            (&checks::COVER_PREVIEW, &self.preview_bodies),
            (&checks::COVER_STRUCTURE, &self.structural_parity),
            (&checks::COVER_COMPACTION_ROWS, &self.compaction_rows),
        ];
        rows.into_iter().filter_map(move |(check, text)| {
            let text = text.clone()?;
            Some(Finding::new(check, [last]).expected("a session that matches the log").actual(text))
        })
    }
}

/// The finding for stored compactions that differ when there are no saved messages.
pub(crate) fn compaction_finding(last: Seq, text: String) -> Finding {
    Finding::new(&checks::COVER_COMPACTION_ROWS, [last]).expected("rows that match the log").actual(text)
}

fn role_text(roles: &RoleIndex, thread: &Thread) -> Option<String> {
    let (assistants, bound) = (roles.assistants, (thread.stats.model_messages + thread.stats.seams) as usize);
    let (results, planned) = (roles.tool_results, thread.stats.planned_calls as usize);
    let mut texts = Vec::new();
    if assistants < bound {
        texts.push(format!("session assistant messages ({assistants}) below kernel model_message events ({bound})"));
    }
    if results < planned {
        texts.push(format!(
            "session tool_result messages ({results}) below kernel tool_call_planned events ({planned})"
        ));
    }
    (!texts.is_empty()).then(|| texts.join("; "))
}

/// The preview of a saved message.
fn session_preview(message: &Message) -> Option<(MessageRole, &str)> {
    match message.role.as_str() {
        "assistant" => message.first_text().map(|text| (MessageRole::Assistant, text)),
        "user" => match message.first_tool_result() {
            Some(result) => Some((MessageRole::ToolResult, result)),
            None => message.first_text().map(|text| (MessageRole::User, text)),
        },
        _ => None,
    }
}

fn compare_previews(session: &[Message], rebuilt: &[PreviewRow]) -> Option<String> {
    if session.len() != rebuilt.len() {
        let (saved, rebuilt) = (session.len(), rebuilt.len());
        return Some(format!("transcript preview body length mismatch: session={saved} rebuilt={rebuilt}"));
    }
    session.iter().zip(rebuilt).enumerate().find_map(|(index, (message, row))| {
        let Some((role, text)) = session_preview(message) else {
            return Some(format!("session[{index}] has no preview body"));
        };
        if role != row.role {
            let rebuilt = row.role;
            return Some(format!(
                "transcript preview body[{index}] role mismatch: session={role:?} rebuilt={rebuilt:?}"
            ));
        }
        let rebuilt = &row.text;
        (text != rebuilt)
            .then(|| format!("transcript preview body[{index}] text mismatch: session={text:?} rebuilt={rebuilt:?}"))
    })
}

fn compare_sessions<'e>(events: impl Iterator<Item = &'e Event<'e>> + Clone, session: &[Message]) -> Option<String> {
    let rebuilt = conversation::session_messages(events, RebuildRules::Reference);
    if rebuilt != session {
        return Some(format!("session message struct mismatch: rebuilt={} expected={}", rebuilt.len(), session.len()));
    }
    let bytes = |rows: &[Message]| serde_json::to_string(rows).unwrap_or_default();
    let (rebuilt, saved) = (bytes(&rebuilt), bytes(session));
    // Equal rows can differ in bytes only by the sign of a zero.
    (rebuilt != saved)
        .then(|| format!("session JSON byte mismatch: rebuilt_bytes={} expected_bytes={}", rebuilt.len(), saved.len()))
}

/// Compares the compactions of the log with the stored rows, pair by pair.
pub(crate) fn compaction_text(thread: &Thread, rows: &[CompactionRow]) -> Option<String> {
    let kernel = &thread.compactions;
    if kernel.len() != rows.len() {
        return Some(format!("kernel compaction events ({}) != session artifacts ({})", kernel.len(), rows.len()));
    }
    let mut texts = Vec::new();
    for (event, row) in kernel.iter().zip(rows) {
        let id = &event.artifact_id;
        if *id != row.id {
            texts.push(format!("artifact id mismatch kernel={id} session={}", row.id));
        }
        let mut compare = |name: &str, kernel: i64, session: i64| {
            if kernel != session {
                texts.push(format!("artifact {id} {name} kernel={kernel} session={session}"));
            }
        };
        compare("replaced_start", i64::from(event.from), row.replaced_start);
        compare("replaced_end", i64::from(event.to.saturating_add(1)), row.replaced_end);
        compare("removed_count", reference_removed(event) as i64, (row.replaced_end - row.replaced_start).max(0));
        compare("summary_tokens", i64::from(event.summary_tokens), row.summary_tokens);
    }
    (!texts.is_empty()).then(|| texts.join("; "))
}

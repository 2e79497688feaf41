//! Builds events from fields, for the kinds that make up nearly all of a log.

use super::fields::{Fields, WireField};
use crate::json::scan::ValueShape;
use crate::turn::event::{ApprovalVerdict, Decision, DeltaKind, Event, Fingerprint, ToolOutcome, Usage};
use crate::turn::kind::EventKind;

/// The event, or `None` if its kind is not built here or anything about it is unusual.
pub(super) fn event<'a>(kind: EventKind, fields: Fields<'a, '_>) -> Option<Event<'a>> {
    let event = match kind {
        EventKind::ModelRequestIssued => Event::ModelRequestIssued {
            turn_id: fields.text(WireField::TurnId)?,
            step_idx: fields.number(WireField::StepIdx)?,
            request_fp: Fingerprint {
                static_prefix_sha256: fields.text(WireField::StaticPrefix)?,
                full_prefix_sha256: fields.text(WireField::FullPrefix)?,
            },
            token_budget: fields.number(WireField::TokenBudget)?,
        },
        EventKind::ModelMessage => Event::ModelMessage {
            turn_id: fields.text(WireField::TurnId)?,
            step_idx: fields.number(WireField::StepIdx)?,
            usage: Usage {
                input_tokens: fields.number(WireField::InputTokens)?,
                output_tokens: fields.number(WireField::OutputTokens)?,
                ..Usage::default()
            },
            block_count: fields.number(WireField::BlockCount)?,
            text_preview: fields.text_or_empty(WireField::TextPreview)?,
            assistant_text: fields.text_or_empty(WireField::AssistantText)?,
        },
        EventKind::ToolCallPlanned => Event::ToolCallPlanned {
            turn_id: fields.text(WireField::TurnId)?,
            step_idx: fields.number(WireField::StepIdx)?,
            call_id: fields.text(WireField::CallId)?,
            tool_name: fields.text(WireField::ToolName)?,
            input_json: fields.text(WireField::InputJson)?,
            decision: Decision {
                approval_required: fields.boolean(WireField::ApprovalRequired)?,
                parallel_eligible: fields.boolean(WireField::ParallelEligible)?,
                read_only: fields.boolean(WireField::ReadOnly)?,
            },
        },
        EventKind::ModelDelta => Event::ModelDelta {
            turn_id: fields.text(WireField::TurnId)?,
            step_idx: fields.number(WireField::StepIdx)?,
            kind: match fields.word(WireField::Kind)? {
                "text" => DeltaKind::Text,
                "thinking_text" => DeltaKind::ThinkingText,
                "tool_call_arg" => DeltaKind::ToolCallArg,
                _ => return None,
            },
            call_id: match fields.get(WireField::CallId) {
                None | Some((_, ValueShape::Null)) => None,
                Some(_) => Some(fields.text(WireField::CallId)?),
            },
            text: fields.text(WireField::Body)?,
        },
        EventKind::ToolCallStarted => Event::ToolCallStarted {
            turn_id: fields.text(WireField::TurnId)?,
            call_id: fields.text(WireField::CallId)?,
            wave_idx: fields.number(WireField::WaveIdx)?,
        },
        EventKind::ToolCallFinished => Event::ToolCallFinished {
            turn_id: fields.text(WireField::TurnId)?,
            call_id: fields.text(WireField::CallId)?,
            tool_name: fields.text(WireField::ToolName)?,
            outcome: match fields.word(WireField::Outcome)? {
                "success" => ToolOutcome::Success,
                "timeout" => ToolOutcome::Timeout,
                _ => return None,
            },
            duration_ms: fields.number(WireField::DurationMs)?,
            wrote_state: fields.boolean(WireField::WroteState)?,
            result_preview: fields.text_or_empty(WireField::ResultPreview)?,
            session_content: fields.text_or_empty(WireField::SessionContent)?,
        },
        EventKind::ApprovalResolved => Event::ApprovalResolved {
            turn_id: fields.text(WireField::TurnId)?,
            call_id: fields.text(WireField::CallId)?,
            verdict: match fields.word(WireField::Verdict)? {
                "approved" => ApprovalVerdict::Approved,
                "rejected" => ApprovalVerdict::Rejected,
                "retried" => ApprovalVerdict::Retried,
                _ => return None,
            },
        },
        EventKind::MemoryPlaneQueried => Event::MemoryPlaneQueried {
            turn_id: fields.text(WireField::TurnId)?,
            step_idx: fields.number(WireField::StepIdx)?,
            layer: fields.text(WireField::Layer)?,
            query_key: fields.text(WireField::QueryKey)?,
            compiler_source: fields.text_or_empty(WireField::CompilerSource)?,
        },
        _ => return None,
    };
    Some(event)
}

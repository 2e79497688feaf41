//! From fields to an event, for the kinds that make up nearly all of a log.

use super::fields::{Field, Fields};
use crate::json::scan::Shape;
use crate::turn::event::{Decision, DeltaKind, Event, Fingerprint, ToolOutcome, Usage, Verdict};
use crate::turn::kind::Kind;

/// The event, if it is one of the kinds that are built here and nothing about it is unusual.
pub fn event<'a>(kind: Kind, fields: &Fields<'a>) -> Option<Event<'a>> {
    let event = match kind {
        Kind::ModelRequestIssued => Event::ModelRequestIssued {
            turn_id: fields.text(Field::TurnId)?,
            step_idx: fields.number(Field::StepIdx)?,
            request_fp: Fingerprint {
                static_prefix_sha256: fields.text(Field::StaticPrefix)?,
                full_prefix_sha256: fields.text(Field::FullPrefix)?,
            },
            token_budget: fields.number(Field::TokenBudget)?,
        },
        Kind::ModelMessage => Event::ModelMessage {
            turn_id: fields.text(Field::TurnId)?,
            step_idx: fields.number(Field::StepIdx)?,
            usage: Usage {
                input_tokens: fields.number(Field::InputTokens)?,
                output_tokens: fields.number(Field::OutputTokens)?,
                ..Usage::default()
            },
            block_count: fields.number(Field::BlockCount)?,
            text_preview: fields.text_or_empty(Field::TextPreview)?,
            assistant_text: fields.text_or_empty(Field::AssistantText)?,
        },
        Kind::ToolCallPlanned => Event::ToolCallPlanned {
            turn_id: fields.text(Field::TurnId)?,
            step_idx: fields.number(Field::StepIdx)?,
            call_id: fields.text(Field::CallId)?,
            tool_name: fields.text(Field::ToolName)?,
            input_json: fields.text(Field::InputJson)?,
            decision: Decision {
                approval_required: fields.boolean(Field::ApprovalRequired)?,
                parallel_eligible: fields.boolean(Field::ParallelEligible)?,
                read_only: fields.boolean(Field::ReadOnly)?,
            },
        },
        Kind::ModelDelta => Event::ModelDelta {
            turn_id: fields.text(Field::TurnId)?,
            step_idx: fields.number(Field::StepIdx)?,
            kind: match fields.word(Field::Kind)? {
                "text" => DeltaKind::Text,
                "thinking_text" => DeltaKind::ThinkingText,
                "tool_call_arg" => DeltaKind::ToolCallArg,
                _ => return None,
            },
            call_id: match fields.get(Field::CallId) {
                None | Some((_, Shape::Null)) => None,
                Some(_) => Some(fields.text(Field::CallId)?),
            },
            text: fields.text(Field::Body)?,
        },
        Kind::ToolCallStarted => Event::ToolCallStarted {
            turn_id: fields.text(Field::TurnId)?,
            call_id: fields.text(Field::CallId)?,
            wave_idx: fields.number(Field::WaveIdx)?,
        },
        Kind::ToolCallFinished => Event::ToolCallFinished {
            turn_id: fields.text(Field::TurnId)?,
            call_id: fields.text(Field::CallId)?,
            tool_name: fields.text(Field::ToolName)?,
            outcome: match fields.word(Field::Outcome)? {
                "success" => ToolOutcome::Success,
                "timeout" => ToolOutcome::Timeout,
                _ => return None,
            },
            duration_ms: fields.number(Field::DurationMs)?,
            wrote_state: fields.boolean(Field::WroteState)?,
            result_preview: fields.text_or_empty(Field::ResultPreview)?,
            session_content: fields.text_or_empty(Field::SessionContent)?,
        },
        Kind::ApprovalResolved => Event::ApprovalResolved {
            turn_id: fields.text(Field::TurnId)?,
            call_id: fields.text(Field::CallId)?,
            verdict: match fields.word(Field::Verdict)? {
                "approved" => Verdict::Approved,
                "rejected" => Verdict::Rejected,
                "retried" => Verdict::Retried,
                _ => return None,
            },
        },
        Kind::MemoryPlaneQueried => Event::MemoryPlaneQueried {
            turn_id: fields.text(Field::TurnId)?,
            step_idx: fields.number(Field::StepIdx)?,
            layer: fields.text(Field::Layer)?,
            query_key: fields.text(Field::QueryKey)?,
            compiler_source: fields.text_or_empty(Field::CompilerSource)?,
        },
        _ => return None,
    };
    Some(event)
}

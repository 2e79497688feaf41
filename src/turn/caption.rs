//! Events of a turn as rows of the event list, and their outcomes.

use super::event::{ApprovalVerdict, CapacityAction, Event, ToolOutcome, TurnOutcome};
use super::summary::{outcome_text, summary};
use crate::replay::caption::{Caption, Outcome, asked, brief, duration, tokens};

pub(crate) fn caption(event: &Event<'_>) -> Caption {
    match event {
        Event::SchemaVersion { .. } => Caption::new("", summary(event)).minor(),
        Event::TurnStarted { turn_id, input_text, max_steps, .. } => {
            let caption = Caption::new("user", brief(&input_text.get())).ids(turn_id.get());
            caption.measure(format!("up to {max_steps} steps"))
        }
        Event::TurnEnded { turn_id, outcome, total_steps } => {
            let caption = Caption::new("", "").result(outcome_text(outcome)).ids(turn_id.get());
            caption.measure(format!("{total_steps} steps"))
        }
        Event::ModelRequestIssued { step_idx, token_budget, .. } => {
            Caption::new("", format!("step {step_idx}")).measure(format!("up to {token_budget} tok")).minor()
        }
        Event::ModelDelta { text, .. } => Caption::new("", brief(&text.get())).minor(),
        Event::ModelMessage { usage, text_preview, assistant_text, .. } => {
            let text = if text_preview.is_empty() { assistant_text } else { text_preview };
            let measure = tokens(u64::from(usage.input_tokens), u64::from(usage.output_tokens));
            Caption::new("model", brief(&text.get())).measure(measure)
        }
        Event::ToolCallPlanned { call_id, tool_name, input_json, .. } => {
            Caption::new(tool_name.get(), asked(&input_json.get())).ids(call_id.get())
        }
        Event::ToolCallStarted { call_id, wave_idx, .. } => {
            Caption::new("", "").measure(format!("wave {wave_idx}")).ids(call_id.get()).minor()
        }
        Event::ToolCallFinished { call_id, tool_name, outcome, duration_ms, result_preview, .. } => {
            let result = match outcome {
                ToolOutcome::Success | ToolOutcome::Timeout => brief(&result_preview.get()),
                ToolOutcome::Blocked { reason: text }
                | ToolOutcome::GuardHalt { reason: text }
                | ToolOutcome::ToolError { message: text } => brief(text),
            };
            let measure = duration(u64::from(*duration_ms));
            Caption::new(tool_name.get(), "").result(result).measure(measure).ids(call_id.get())
        }
        Event::ApprovalResolved { call_id, verdict, .. } => {
            Caption::new("", "").result(format!("{verdict:?}").to_lowercase()).ids(call_id.get())
        }
        Event::SteerInjected { text, .. } => Caption::new("", brief(&text.get())),
        Event::MemoryPlaneQueried { layer, query_key, .. } => Caption::new("", format!("{layer} {query_key}")).minor(),
        Event::LoopGuardTriggered { call_id, reason, .. } => {
            Caption::new("", "").result(brief(&reason.get())).ids(call_id.get())
        }
        Event::HarnessVerify { stage, predicate, pass, retry_no, duration_ms, .. } => {
            let result = format!("{}, try {retry_no}", if *pass { "passed" } else { "failed" });
            let caption = Caption::new("", format!("{stage} {predicate}")).result(result);
            caption.measure(duration(u64::from(*duration_ms)))
        }
        Event::StageGateBlocked { stage, tool_name, code, .. } => {
            Caption::new("", format!("{tool_name} in {stage}")).result(code.get())
        }
        _ => Caption::new("", summary(event)),
    }
}

pub(crate) fn outcome(event: &Event<'_>) -> Option<Outcome> {
    Some(match event {
        Event::ToolCallStarted { .. } => Outcome::Running,
        Event::ToolCallFinished { outcome, .. } => match outcome {
            ToolOutcome::Success => Outcome::Success,
            ToolOutcome::Timeout => Outcome::Timeout,
            ToolOutcome::Blocked { .. } | ToolOutcome::GuardHalt { .. } => Outcome::Denied,
            ToolOutcome::ToolError { .. } => Outcome::Error,
        },
        Event::ApprovalResolved { verdict, .. } => match verdict {
            ApprovalVerdict::Approved => Outcome::Success,
            ApprovalVerdict::Rejected => Outcome::Denied,
            ApprovalVerdict::Retried => return None,
        },
        Event::TurnEnded { outcome, .. } => match outcome {
            TurnOutcome::Completed | TurnOutcome::CycleHandoff { .. } => Outcome::Success,
            TurnOutcome::Interrupted => Outcome::Denied,
            _ => Outcome::Error,
        },
        Event::LoopGuardTriggered { .. } | Event::StageGateBlocked { .. } => Outcome::Denied,
        Event::HarnessVerify { pass, .. } if *pass => Outcome::Success,
        Event::HarnessVerify { .. } => Outcome::Error,
        Event::CapacityCheckpoint { action: CapacityAction::Abort { .. }, .. } => Outcome::Error,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turn::decode::TurnDecoder;

    fn told(event: &str) -> (Caption, Option<Outcome>) {
        let event = TurnDecoder::default().decode(event.as_bytes()).expect("an event");
        (caption(&event), outcome(&event))
    }

    #[test]
    fn a_call_is_told_by_its_tool_and_what_it_was_asked() {
        let (plan, outcome) = told(
            r#"{"event_type":"tool_call_planned","turn_id":"t","step_idx":1,"call_id":"c-1","tool_name":"exec_shell","input_json":"{\"command\":\"ls\"}","decision":{"approval_required":true,"parallel_eligible":false,"read_only":false}}"#,
        );
        assert_eq!((&plan, outcome), (&Caption::new("exec_shell", "ls").ids("c-1"), None));
        let (end, outcome) = told(
            r#"{"event_type":"tool_call_finished","turn_id":"t","call_id":"c-1","tool_name":"exec_shell","outcome":{"tool_error":{"message":"no such file"}},"duration_ms":1300,"wrote_state":false,"result_preview":"x"}"#,
        );
        assert_eq!(outcome, Some(Outcome::Error));
        let whole = plan.ending_with(&end);
        assert_eq!(
            (whole.text.as_str(), whole.result.as_str(), whole.measure.as_str()),
            ("ls", "no such file", "1.3 s")
        );
    }

    #[test]
    fn what_was_not_allowed_is_denied() {
        let verdict = |verdict: &str| {
            let text =
                format!(r#"{{"event_type":"approval_resolved","turn_id":"t","call_id":"c","verdict":"{verdict}"}}"#);
            told(&text).1
        };
        assert_eq!(
            ["rejected", "approved", "retried"].map(verdict),
            [Some(Outcome::Denied), Some(Outcome::Success), None]
        );
    }
}

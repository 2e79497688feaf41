//! Lints for requests and answers: steps count up, and each request gets one answer within its budget.

use std::sync::Arc;

use crate::replay::Seq;
use crate::replay::check::Check;
use crate::replay::finding::{Finding, Findings};

use super::{End, found};
use crate::turn::checks;
use crate::turn::event::Event;

#[derive(Clone, Copy)]
struct OpenRequest {
    at: Seq,
    step: u32,
    token_budget: u32,
    answers: u32,
    /// Whether the missing answer has been reported at the end of the turn.
    closed: bool,
}

#[derive(Clone, Default)]
pub(super) struct SeenSteps {
    max_steps: u32,
    extended: bool,
    request: Option<OpenRequest>,
}

impl SeenSteps {
    pub(super) fn begin(&mut self, max_steps: u32) {
        self.max_steps = max_steps;
    }

    pub(super) fn see(&mut self, turn: &Arc<str>, at: Seq, event: &Event<'_>, findings: &mut Findings) {
        match event {
            Event::StepLimitContinuation { .. } => self.extended = true,
            Event::ModelRequestIssued { step_idx, token_budget, .. } => {
                self.request_follows(turn, at, *step_idx, findings);
                self.request =
                    Some(OpenRequest { at, step: *step_idx, token_budget: *token_budget, answers: 0, closed: false });
            }
            Event::ModelMessage { step_idx, usage, block_count, .. } => {
                if *block_count == 0 {
                    findings.push(
                        about(turn, &checks::EMPTY_MESSAGE, [at], *step_idx)
                            .expected("at least one block")
                            .actual("block_count 0"),
                    );
                }
                self.message_answers(turn, at, usage.output_tokens, findings);
            }
            _ => {}
        }
    }

    fn request_follows(&self, turn: &Arc<str>, at: Seq, step: u32, findings: &mut Findings) {
        if let Some(before) = self.request {
            if before.answers == 0 && !before.closed {
                findings.push(unanswered(turn, before, at));
            }
            let order = if step < before.step {
                Some((&checks::STEP_BACKWARDS, format!("a step above {}", before.step)))
            } else if step == before.step {
                Some((&checks::STEP_REPEATED, format!("a step above {}", before.step)))
            } else if step - before.step > 1 {
                Some((&checks::STEP_SKIPPED, format!("step {}", before.step + 1)))
            } else {
                None
            };
            if let Some((check, expected)) = order {
                findings.push(about(turn, check, [at], step).expected(expected).actual(format!("step {step}")));
            }
        }
        if self.max_steps > 0 && step > self.max_steps && !self.extended {
            findings.push(
                about(turn, &checks::OVER_LIMIT, [at], step)
                    .expected(format!("at most {} steps", self.max_steps))
                    .actual(format!("step {step} without a continuation")),
            );
        }
    }

    fn message_answers(&mut self, turn: &Arc<str>, at: Seq, output_tokens: u32, findings: &mut Findings) {
        let Some(request) = &mut self.request else { return };
        request.answers += 1;
        if request.answers == 2 {
            findings.push(
                about(turn, &checks::ANSWERED_TWICE, [request.at, at], request.step)
                    .expected("one message")
                    .actual("another one"),
            );
        }
        if output_tokens > request.token_budget {
            findings.push(
                about(turn, &checks::OVER_BUDGET, [request.at, at], request.step)
                    .expected(format!("at most {} tokens", request.token_budget))
                    .actual(format!("{output_tokens} tokens")),
            );
        }
    }

    pub(super) fn finish(&self, turn: &Arc<str>, end: End, findings: &mut Findings) {
        if let Some(request) = self.request
            && request.answers == 0
        {
            findings.push(unanswered(turn, request, end.at));
        }
    }

    /// Forgets what was open at the end, because it has been reported.
    pub(super) fn close(&mut self) {
        if let Some(request) = &mut self.request
            && request.answers == 0
        {
            request.closed = true;
        }
    }
}

fn unanswered(turn: &Arc<str>, request: OpenRequest, until: Seq) -> Finding {
    about(turn, &checks::NO_ANSWER, [request.at, until], request.step).expected("a model_message").actual("none")
}

fn about(turn: &Arc<str>, check: &'static Check, at: impl Into<Box<[Seq]>>, step: u32) -> Finding {
    found(turn, check, at).about("step", step.to_string())
}

//! The audit of an agent's session: the memory of its checks, in one pass.
//!
//! The state decides what each event means; the audit turns what happened into findings. What only the end can tell,
//! such as a call without a result, is judged there: a result may come before its call, and a parent after its child.

use std::sync::Arc;

use serde_json::json;

use super::audit::found::Found;
use super::audit::habits::HabitAudit;
use super::audit::links::LinkAudit;
use super::audit::order::OrderAudit;
use super::audit::reach::Reach;
use super::block::Block;
use super::checks;
use super::event::AgentEvent;
use super::facts::FactCounts;
use super::state::AgentState;
use super::state::happening::{Happening, ResolvedCall};
use super::state::turns::TurnOutcome;
use crate::agent::block::Outcome;
use crate::json::raw::RawText;
use crate::replay::Seq;
use crate::replay::check::Check;
use crate::replay::finding::{Finding, Findings};

/// Part of the messages that may be out of reach without a finding.
const TOLERATED_LOSS: f64 = 0.2;
/// A context that grows by more than this in one step is worth a look.
const JUMP_TOKENS: u64 = 20_000;
const DROP_TOKENS: u64 = 10_000;
const DROP_SHARE: f64 = 0.7;

#[derive(Clone, Default)]
pub(crate) struct AgentChecker {
    pub found: Found,
    pub state: AgentState,
    pub counts: FactCounts,
    pub links: LinkAudit,
    order: OrderAudit,
    habits: HabitAudit,
    /// Where the steps of the main chain and of sidechains begin.
    steps: [Vec<u32>; 2],
}

fn text(id: RawText<'_>) -> Arc<str> {
    Arc::from(&*id.get())
}

impl AgentChecker {
    pub(crate) fn see(&mut self, at: Seq, event: &AgentEvent<'_>) {
        let Self { found, state, counts, links, order, habits, steps } = self;
        counts.see_event(event);
        let mut is_foreign = false;
        state.apply(at, event, &mut |happening| {
            is_foreign |= matches!(happening, Happening::Copied { .. });
            counts.see(&happening);
            see_happening(at, &happening, found, habits, steps);
        });
        counts.see_state(event, state);
        order.see(at, event, state, found);
        links.see(at, event);
        if !is_foreign {
            see_blocks(at, event, found);
        }
    }

    /// A record that was left out of this log: the links and numbers around it are closed.
    pub(crate) fn see_removed(&mut self, event: &AgentEvent<'_>) {
        self.links.remove(event);
        self.order.remove(event);
    }

    /// The findings that depend on the end, as if the log ended here.
    pub(crate) fn at_end(&self) -> Found {
        let mut found = self.found.continued();
        let facts = self.state.facts;
        self.links.finish(facts, &mut found);
        self.finish_reach(&mut found);
        self.finish_results(&mut found);
        self.finish_calls(&mut found);
        self.habits.finish(&self.state.calls, &mut found);
        self.finish_turn(&mut found);
        self.finish_background(&mut found);
        found
    }

    pub(crate) fn findings_at_end(&self) -> Findings {
        self.at_end().findings
    }

    fn finish_reach(&self, found: &mut Found) {
        let facts = self.state.facts;
        if self.links.dangling(facts).is_empty() {
            return;
        }
        let Some(reach) = Reach::of(&self.links, facts) else { return };
        let is_much = f64::from(reach.lost()) > TOLERATED_LOSS * f64::from(reach.messages);
        if let Some(first) = reach.first_lost.filter(|_| is_much && !reach.has_boundary) {
            found.report(
                &checks::HISTORY_LOST,
                first,
                || vec![json!(reach.lost())],
                || {
                    Finding::new(&checks::HISTORY_LOST, [first])
                        .expected(format!("{} messages in reach", reach.messages))
                        .actual(reach.lost().to_string())
                },
            );
        }
    }

    /// Results without a call. A part of a session, or one whose beginning is elsewhere, proves nothing.
    fn finish_results(&self, found: &mut Found) {
        let AgentState { copy, calls, facts, .. } = &self.state;
        let is_partial = facts.is_subagent()
            || copy.is_descendant
            || copy.has_foreign_start()
            || copy.has_base
            || self.links.begins_midway(*facts).is_some();
        if is_partial {
            return;
        }
        let mut orphans: Vec<(Seq, u64)> = calls
            .results
            .iter()
            .filter(|(key, _)| !calls.calls.contains_key(*key))
            .map(|(key, result)| (result.at, *key))
            .collect();
        orphans.sort_unstable();
        for (at, key) in orphans {
            let call = calls.early_name(key);
            found.plain(&checks::ORPHAN_RESULT, at, |finding| {
                finding.about("call_id", call).expected("a call with this id").actual("no call")
            });
        }
    }

    /// Calls without a result.
    fn finish_calls(&self, found: &mut Found) {
        let AgentState { calls, compactions, .. } = &self.state;
        for ((at, key), call) in &calls.open {
            let is_side = calls.calls.get(key).is_some_and(|call| call.is_side);
            let steps = &self.steps[usize::from(is_side)];
            let next_step = steps.get(steps.partition_point(|step| step <= at)).copied();
            let after = compactions.iter().position(|compaction| compaction.at.0 > *at);
            let compaction = after.and_then(|place| compactions.get(place)).map(|compaction| compaction.at.0);
            let check = match (next_step, compaction) {
                (Some(step), compaction) if compaction.is_none_or(|compaction| step < compaction) => {
                    &checks::UNANSWERED_CALL
                }
                (_, Some(_)) => &checks::COMPACTED_CALL,
                _ => &checks::OPEN_CALL,
            };
            let later = next_step.or(compaction).map(Seq);
            found.report(check, Seq(*at), || vec![json!(*call.tool)], || open_call(check, Seq(*at), later, call));
        }
    }

    fn finish_turn(&self, found: &mut Found) {
        let open = self.state.turns.at_end(self.state.end_rules());
        if let Some((turn, TurnOutcome::Open)) = open {
            found.plain(&checks::OPEN_TURN, turn.at, |finding| {
                let finding = match &turn.id {
                    Some(id) => finding.about("turn_id", Arc::clone(id)),
                    None => finding,
                };
                finding.expected("an end of the turn").actual("the end of the file")
            });
        }
    }

    fn finish_background(&self, found: &mut Found) {
        let AgentState { agents, queue, .. } = &self.state;
        for (at, task) in agents.launched.iter().filter(|(_, task)| !task.is_process) {
            found.plain(&checks::BACKGROUND_OPEN, Seq(*at), |finding| {
                finding.about("task", Arc::clone(&task.name)).expected("a message about its end").actual("none")
            });
        }
        let last_step = self.steps.iter().filter_map(|steps| steps.last()).max().copied();
        let is_left = |at: Seq| last_step.is_none_or(|step| at.0 > step);
        for entry in queue.iter().filter(|entry| entry.is_prompt && is_left(entry.at)) {
            found.plain(&checks::QUEUE_LEFT, entry.at, |finding| {
                finding.expected("delivered to the model").actual("still in the queue")
            });
        }
    }
}

fn open_call(check: &'static Check, at: Seq, later: Option<Seq>, call: &super::state::calls::OpenCall) -> Finding {
    let events: Vec<Seq> = [at].into_iter().chain(later).collect();
    Finding::new(check, events)
        .about("call_id", Arc::clone(&call.id))
        .about("tool", Arc::clone(&call.tool))
        .expected("a result")
        .actual("none")
}

fn see_blocks(at: Seq, event: &AgentEvent<'_>, found: &mut Found) {
    for block in &event.blocks {
        match block {
            Block::Error { text, is_own_event: true } => found.plain(&checks::API_ERROR, at, |finding| {
                let words = text.beginning(160);
                finding.expected("an answer").actual(if words.is_empty() { "an error".to_owned() } else { words })
            }),
            Block::Retry { is_last: true, .. } => found.plain(&checks::RETRIES_EXHAUSTED, at, |finding| {
                finding.expected("an answer").actual("the last retry")
            }),
            Block::Unknown(name) => {
                let about = || Finding::new(&checks::UNKNOWN_LINE, [at]).about("type", &**name);
                let make = || about().expected("a known type").actual(name.to_string());
                found.report(&checks::UNKNOWN_LINE, at, || vec![json!(name)], make);
            }
            _ => {}
        }
    }
}

fn see_happening(
    at: Seq,
    happening: &Happening<'_>,
    found: &mut Found,
    habits: &mut HabitAudit,
    steps: &mut [Vec<u32>; 2],
) {
    match happening {
        Happening::Copied { is_first: true } => found.plain(&checks::COPIED_PREFIX, at, |finding| {
            finding.expected("records of this session").actual("records of its parent")
        }),
        Happening::OtherSession { thread } => found.plain(&checks::SEVERAL_SESSIONS, at, |finding| {
            finding.about("thread", text(thread.unwrap_or_default())).expected("one session").actual("another header")
        }),
        Happening::BaseElsewhere { thread } => found.plain(&checks::BASE_ELSEWHERE, at, |finding| {
            finding
                .about("thread", text(thread.unwrap_or_default()))
                .expected("the whole history")
                .actual("a reference")
        }),
        Happening::TurnUnfinished { began, id } => {
            let make = || {
                let finding = Finding::new(&checks::TURN_UNFINISHED, [*began, at]);
                let finding = match id {
                    Some(id) => finding.about("turn_id", Arc::clone(id)),
                    None => finding,
                };
                finding.expected("an end of the turn").actual("another turn")
            };
            found.report(&checks::TURN_UNFINISHED, *began, Vec::new, make);
        }
        Happening::Interrupted => found.plain(&checks::INTERRUPTED, at, |finding| {
            finding.expected("the model's own end").actual("stopped by the user")
        }),
        Happening::LineReplayed => replayed(at, None, found),
        Happening::CallReplayed { first } | Happening::ResultReplayed { first } => {
            replayed(at, Some(*first), found);
        }
        Happening::StepBegan { at, is_side } => steps[usize::from(*is_side)].push(at.0),
        Happening::ContextKnown { before, after, is_same_model, is_compacted } => {
            see_context(at, (*before, *after), *is_same_model && !is_compacted, found);
        }
        Happening::UsageDiffers { before, after } => found.plain(&checks::USAGE_DIFFERS, at, |finding| {
            finding.expected(before.to_string()).actual(after.to_string())
        }),
        Happening::TotalFell { before, after } => amounts(&checks::TOTAL_DECREASED, at, (*before, *after), found),
        Happening::CallPlanned { planned, .. } => habits.see_call(at, planned, found),
        Happening::CallDuplicated { call, tool, first } => {
            found.report(&checks::DUPLICATE_CALL, at, Vec::new, || {
                Finding::new(&checks::DUPLICATE_CALL, [at, *first])
                    .about("call_id", text(*call))
                    .expected("the same call as before")
                    .actual(format!("another call, of {tool}"))
            });
        }
        Happening::ResultConflicts { call, first } => found.report(&checks::CONFLICTING_RESULT, at, Vec::new, || {
            Finding::new(&checks::CONFLICTING_RESULT, [at, *first])
                .about("call_id", text(*call))
                .expected("the same text as before")
                .actual("another text")
        }),
        Happening::StatusConflict { call, result, report, in_text, in_report } => {
            found.report(&checks::STATUS_CONFLICT, *result, Vec::new, || {
                Finding::new(&checks::STATUS_CONFLICT, [*result, *report])
                    .about("call_id", text(*call))
                    .expected(format!("exit code {in_report}"))
                    .actual(format!("exit code {in_text}"))
            });
        }
        Happening::Resolved(resolved) => see_resolved(resolved, habits, found),
        _ => {}
    }
}

fn replayed(at: Seq, first: Option<Seq>, found: &mut Found) {
    found.report(&checks::REPLAYED_HISTORY, at, Vec::new, || {
        let events: Vec<Seq> = [at].into_iter().chain(first).collect();
        Finding::new(&checks::REPLAYED_HISTORY, events).expected("a new line").actual("a copy")
    });
}

fn see_resolved(resolved: &ResolvedCall, habits: &mut HabitAudit, found: &mut Found) {
    habits.see_result(resolved, found);
    if resolved.outcome == Outcome::Blocked {
        let ResolvedCall { tool, planned, result, .. } = resolved;
        found.report(
            &checks::DENIED,
            *result,
            || vec![json!(**tool)],
            || {
                Finding::new(&checks::DENIED, [*result, *planned])
                    .about("tool", Arc::clone(tool))
                    .expected("run")
                    .actual("refused")
            },
        );
    }
}

fn see_context(at: Seq, (before, after): (u64, u64), is_comparable: bool, found: &mut Found) {
    if after.saturating_sub(before) > JUMP_TOKENS {
        amounts(&checks::CONTEXT_JUMP, at, (before, after), found);
    }
    let is_drop = before.saturating_sub(after) > DROP_TOKENS && (after as f64) < DROP_SHARE * before as f64;
    if is_drop && is_comparable {
        amounts(&checks::CONTEXT_DROP, at, (before, after), found);
    }
}

/// A finding about two numbers of tokens.
fn amounts(check: &'static Check, at: Seq, (before, after): (u64, u64), found: &mut Found) {
    let make = || Finding::new(check, [at]).expected(before.to_string()).actual(after.to_string());
    found.report(check, at, || vec![json!(before), json!(after)], make);
}

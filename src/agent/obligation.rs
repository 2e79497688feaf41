//! Obligations of a session: calls without results, tasks and processes that go on, prompts that wait, an open turn.

use std::sync::Arc;

use super::state::AgentState;
use crate::replay::Seq;
use crate::replay::machine::Obligation;

pub(crate) fn obligations(state: &AgentState, most: usize) -> (Vec<Obligation>, usize) {
    let obligation = |what, subject: Arc<str>, since| Obligation { what, subject, since };
    let mut list: Vec<Obligation> = Vec::new();
    if let Some(turn) = &state.turns.current {
        let subject = turn.id.clone().unwrap_or_else(|| turn.by.name().into());
        list.push(obligation("turn not over", subject, turn.at));
    }
    list.extend(state.calls.open.iter().take(most).map(|((at, _), call)| {
        let what = if call.is_question() { "question not answered" } else { "call not answered" };
        obligation(what, format!("{} {}", call.tool, call.id).into(), Seq(*at))
    }));
    list.extend(state.agents.launched.iter().take(most).map(|(at, task)| {
        let what = if task.is_process { "process running" } else { "task in the background" };
        obligation(what, Arc::clone(&task.name), Seq(*at))
    }));
    let waiting = state.queue.iter().filter(|entry| entry.is_prompt);
    list.extend(waiting.clone().take(most).map(|entry| obligation("prompt in the queue", "prompt".into(), entry.at)));
    let count = usize::from(state.turns.current.is_some())
        + state.calls.open.len()
        + state.agents.launched.len()
        + waiting.count();
    list.sort_by_key(|obligation| obligation.since);
    list.truncate(most);
    (list, count)
}

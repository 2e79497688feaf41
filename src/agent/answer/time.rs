//! Where the time went: the model, tools, retries, the person; as observed, or as an upper bound.
//!
//! The time between two records belongs to the one that acted until the second was written. Programs seldom measure it, so it
//! is an upper bound: it includes what is not recorded, such as waiting for a permission. The parts add up to the whole.

mod shown;

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::label::{self, CallLabels};
use super::{Collector, Seen};
use crate::agent::block::{Block, CallId, PromptBy, ToolResult, Usage};
use crate::agent::caption::measured;
use crate::agent::format::Format;
use crate::replay::Seq;

/// Of more waits the shorter ones are only counted.
const MOST_WAITS: usize = 20_000;
/// More steps are only counted in the totals.
const MOST_STEPS: usize = 200_000;

/// Who acted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Actor {
    Model,
    /// Tools, as far as the program measured them.
    Tools,
    /// From a call to its result, where no duration is recorded; it includes waiting for a permission.
    ToolsAtMost,
    /// What a call took besides its measured duration: waiting for a permission, starting, queueing.
    AroundTools,
    Person,
    Retries,
    Compaction,
    /// Waiting for tasks in the background after the turn was over.
    Background,
    /// Records that say nothing about who acted.
    Other,
}

impl Actor {
    pub(crate) const ALL: [Actor; 9] = [
        Actor::Model,
        Actor::Tools,
        Actor::ToolsAtMost,
        Actor::AroundTools,
        Actor::Person,
        Actor::Retries,
        Actor::Compaction,
        Actor::Background,
        Actor::Other,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Actor::Model => "model",
            Actor::Tools => "tools",
            Actor::ToolsAtMost => "tools_at_most",
            Actor::AroundTools => "around_tools",
            Actor::Person => "person",
            Actor::Retries => "retries",
            Actor::Compaction => "compaction",
            Actor::Background => "background",
            Actor::Other => "other",
        }
    }

    pub(crate) const fn describes(self) -> &'static str {
        match self {
            Actor::Model => "model",
            Actor::Tools => "tools, measured",
            Actor::ToolsAtMost => "tools, from call to result",
            Actor::AroundTools => "around tools: permission, start",
            Actor::Person => "waiting for the person",
            Actor::Retries => "failed requests and retries",
            Actor::Compaction => "compaction",
            Actor::Background => "waiting for the background",
            Actor::Other => "not known",
        }
    }

    /// Whether the program measured it.
    pub(crate) const fn is_observed(self) -> bool {
        matches!(self, Actor::Tools)
    }
}

/// Microseconds by actor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spent([u64; Actor::ALL.len()]);

impl Spent {
    pub(crate) fn of(&self, actor: Actor) -> u64 {
        self.0[actor as usize]
    }

    fn add(&mut self, actor: Actor, time: u64) {
        self.0[actor as usize] += time;
    }

    pub(crate) fn sum(&self) -> u64 {
        self.0.iter().sum()
    }
}

/// What decides who acted until a record was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LoopSign {
    Answer,
    Result,
    Prompt,
    Notification,
    Retry,
    Error,
    Interrupt,
    TurnEnd,
    Compaction,
}

pub(crate) struct Wait {
    pub at: Seq,
    pub actor: Actor,
    pub time: u64,
    pub label: Box<str>,
}

pub(crate) struct StepTime {
    pub at: Seq,
    pub spent: Spent,
}

/// How long the calls of a tool took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ToolTime {
    pub calls: u64,
    pub measured: u64,
    pub total: u64,
    pub longest: u64,
}

#[derive(Default)]
pub(crate) struct TimeSpent {
    format: Option<&'static Format>,
    first: Option<i64>,
    /// The latest time so far: times may go back.
    now: i64,
    /// Time since the last sign, in records that say nothing.
    pending: u64,
    last: Option<LoopSign>,
    is_over: bool,
    message: Option<u64>,
    open: FxHashMap<u64, (Box<str>, Option<i64>)>,
    labels: CallLabels,
    total: Spent,
    steps: Vec<StepTime>,
    step_count: u64,
    waits: Vec<Wait>,
    tools: BTreeMap<Box<str>, ToolTime>,
}

impl Collector for TimeSpent {
    fn see(&mut self, seen: &Seen<'_, '_>) {
        self.format = Some(seen.event.format);
        if seen.is_copy() || seen.is_side() || seen.is_replayed() {
            return;
        }
        self.see_time(seen.event.line.time);
        self.see_message(seen);
        for block in &seen.event.blocks {
            self.see_block(seen.at, seen.event.line.time, block);
        }
    }
}

fn key(id: CallId<'_>) -> u64 {
    if let CallId::Named(id) = id { id.hash() } else { 0 }
}

impl TimeSpent {
    fn see_time(&mut self, time: Option<i64>) {
        let Some(time) = time else { return };
        if self.first.is_none() {
            (self.first, self.now) = (Some(time), time);
        }
        self.pending += u64::try_from(time - self.now).unwrap_or(0);
        self.now = self.now.max(time);
    }

    /// The lines of one message are one step, whatever stands between them.
    fn see_message(&mut self, seen: &Seen<'_, '_>) {
        let key = seen.event.blocks.iter().find_map(|block| match block {
            Block::Usage(Usage::Message { key, .. }) => Some(*key),
            _ => None,
        });
        if let Some(key) = key
            && self.message.replace(key) != Some(key)
        {
            self.begin_step(seen.at);
        }
    }

    fn begin_step(&mut self, at: Seq) {
        self.step_count += 1;
        if self.steps.len() < MOST_STEPS {
            self.steps.push(StepTime { at, spent: Spent::default() });
        }
    }

    fn see_block(&mut self, at: Seq, time: Option<i64>, block: &Block<'_>) {
        match block {
            Block::Text(_) | Block::Thinking(_) => self.answer(at, "the model answers".into()),
            Block::ToolCall(call) => {
                self.answer(at, label::of_call(call));
                self.labels.add(call);
                self.open.insert(key(call.id), (call.name.get().into(), time));
            }
            Block::ToolResult(result) => self.result(at, time, result),
            Block::Prompt { by: PromptBy::Notification, content } => {
                self.prompt(at, LoopSign::Notification, label::cut(&content.beginning(200)));
            }
            Block::Prompt { content, .. } => self.prompt(at, LoopSign::Prompt, label::cut(&content.beginning(200))),
            Block::Retry { .. } => self.spend(at, LoopSign::Retry, Actor::Retries, "the request failed".into()),
            Block::Error { text, .. } => {
                self.spend(at, LoopSign::Error, Actor::Retries, label::cut(&text.beginning(200)));
                self.end_turn();
            }
            Block::Interrupt => {
                let actor = self.actor();
                self.spend(at, LoopSign::Interrupt, actor, "until the user interrupted".into());
                self.end_turn();
            }
            Block::Compaction(compaction) => {
                // The user asked for it: how long that took them is not recorded.
                let is_asked_for = compaction.trigger.is_some_and(|trigger| trigger.is("manual"));
                let actor = if is_asked_for { Actor::Person } else { Actor::Compaction };
                self.spend(at, LoopSign::Compaction, actor, "until the context was compacted".into());
            }
            Block::TurnEnd(_) => {
                let actor = if self.is_over { Actor::Other } else { self.actor_at_end() };
                self.spend(at, LoopSign::TurnEnd, actor, "until the turn ended".into());
                self.end_turn();
            }
            _ => {}
        }
    }

    fn end_turn(&mut self) {
        self.is_over = true;
        self.open.clear();
    }

    /// Who acts while a turn is open.
    fn actor(&self) -> Actor {
        if self.open.is_empty() { Actor::Model } else { Actor::ToolsAtMost }
    }

    /// After its last answer the program ends a turn by itself.
    fn actor_at_end(&self) -> Actor {
        if self.last == Some(LoopSign::Answer) && self.open.is_empty() { Actor::Other } else { self.actor() }
    }

    fn answer(&mut self, at: Seq, label: Box<str>) {
        let begins = self.message.is_none() && self.last != Some(LoopSign::Answer);
        if begins {
            self.begin_step(at);
        }
        let actor = match self.last {
            Some(LoopSign::Retry) => Actor::Retries,
            _ if self.is_over => Actor::Other,
            _ => Actor::Model,
        };
        self.spend(at, LoopSign::Answer, actor, label);
        self.is_over = false;
    }

    fn prompt(&mut self, at: Seq, sign: LoopSign, label: Box<str>) {
        let is_quiet =
            matches!(self.last, None | Some(LoopSign::Answer | LoopSign::Compaction)) && self.open.is_empty();
        let has_ended = self.is_over || is_quiet;
        let actor = match sign {
            _ if !has_ended => self.actor(),
            LoopSign::Notification => Actor::Background,
            _ => Actor::Person,
        };
        self.spend(at, sign, actor, label);
        self.is_over = false;
    }

    fn result(&mut self, at: Seq, time: Option<i64>, result: &ToolResult<'_>) {
        let (tool, label) = self.labels.take(result.id).unwrap_or_default();
        let called = self.open.remove(&key(result.id)).and_then(|(_, called)| called);
        let measured = measured(result).map(|milliseconds| milliseconds.saturating_mul(1_000));
        self.tally(&tool, measured, called.zip(time));
        if matches!(&*tool, "AskUserQuestion" | "request_user_input") {
            self.spend(at, LoopSign::Result, Actor::Person, label);
            return;
        }
        match measured {
            Some(measured) => {
                let around = self.pending.saturating_sub(measured);
                self.pending -= around;
                self.spend(at, LoopSign::Result, Actor::Tools, label.clone());
                self.pending = around;
                self.spend(at, LoopSign::Result, Actor::AroundTools, label);
            }
            None => self.spend(at, LoopSign::Result, Actor::ToolsAtMost, label),
        }
    }

    fn tally(&mut self, tool: &str, measured: Option<u64>, times: Option<(i64, i64)>) {
        let bound = times.map(|(from, to)| u64::try_from(to.saturating_sub(from)).unwrap_or(0));
        let took = measured.or(bound).unwrap_or(0);
        let row = self.tools.entry(tool.into()).or_default();
        row.calls += 1;
        row.measured += u64::from(measured.is_some());
        row.total = row.total.saturating_add(took);
        row.longest = row.longest.max(took);
    }

    /// The time up to here was spent by an actor.
    fn spend(&mut self, at: Seq, sign: LoopSign, actor: Actor, label: Box<str>) {
        self.last = Some(sign);
        let time = std::mem::take(&mut self.pending);
        if time == 0 {
            return;
        }
        self.total.add(actor, time);
        if let Some(step) = self.steps.last_mut().filter(|_| self.step_count <= MOST_STEPS as u64) {
            step.spent.add(actor, time);
        }
        self.waits.push(Wait { at, actor, time, label });
        if self.waits.len() > MOST_WAITS {
            self.waits.sort_by_key(|wait| std::cmp::Reverse(wait.time));
            self.waits.truncate(MOST_WAITS / 2);
        }
    }

    pub(crate) fn finish(mut self) -> TimeAnswer {
        let rest = std::mem::take(&mut self.pending);
        self.total.add(Actor::Other, rest);
        self.waits.sort_by_key(|wait| (std::cmp::Reverse(wait.time), wait.at));
        TimeAnswer(self)
    }
}

/// The whole answer, the longest waits first.
pub(crate) struct TimeAnswer(TimeSpent);

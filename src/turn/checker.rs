//! The checks of a turn log that need only the log, in one pass.
//!
//! The gate works by turn: events are grouped by the turn that they name, because two turns in one log would share
//! counters that the engine kept apart. The lints follow the order of the log instead.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::replay::finding::{Finding, Findings};
use crate::replay::machine::Malformed;
use crate::replay::{Place, Seq, damage};

use super::checks;
use super::digest::Digest;
use super::ending::LastTurn;
use super::event::Event;
use super::fold::Fold;
use super::lint::{self, Lints};
use super::live::{LiveSnapshot, LiveWatch};

#[derive(Clone, Default)]
pub(crate) struct TurnChecker {
    lints: Lints,
    turns: Vec<Fold>,
    by_turn: FxHashMap<u64, usize>,
    /// The turn of the previous event: in nearly every log, the events of a turn are adjacent.
    current: Option<(Box<str>, usize)>,
    live: Option<LiveWatch>,
    timeline: MessageTimeline,
    pub last_turn: LastTurn,
    events: u32,
    last: Seq,
    pub findings: Findings,
}

/// What the checks need of the thread's message timeline.
#[derive(Clone, Default)]
struct MessageTimeline {
    messages: u32,
    requests: u32,
    told_empty: bool,
    /// The first message without a request.
    surplus: Option<Seq>,
}

impl TurnChecker {
    /// `live` is the engine's own snapshot, if there is one.
    pub(crate) fn new(live: Option<LiveSnapshot>) -> Self {
        TurnChecker { live: live.map(LiveWatch::new), ..TurnChecker::default() }
    }

    #[cfg(test)]
    pub(crate) fn see(&mut self, at: Seq, event: &Event<'_>) {
        self.see_digested(at, event, &Digest::of(event));
    }

    pub(crate) fn see_digested(&mut self, at: Seq, event: &Event<'_>, digest: &Digest) {
        self.events += 1;
        self.last = at;
        self.lints.see(at, event, digest, &mut self.findings);
        self.timeline.see(at, event, &mut self.findings);
        self.last_turn.see(event);
        if let Some(live) = &mut self.live {
            live.see(at, event, digest);
        }
        if let Some(turn) = self.turn_of(event) {
            self.turns[turn].see(at, event, digest, &mut self.findings);
        }
    }

    /// A record that is not an event: it is reported and otherwise skipped.
    pub(crate) fn see_malformed(&mut self, at: Seq, place: Place, malformed: &Malformed) {
        self.findings.push(match &malformed.unknown_kind {
            Some(kind) => lint::unknown_event(at, kind),
            None => damage::malformed(at, place, &malformed.reason),
        });
    }

    fn turn_of(&mut self, event: &Event<'_>) -> Option<usize> {
        let turn_id = event.turn_id()?;
        if let Some((id, turn)) = &self.current
            && *turn_id == **id
        {
            return Some(*turn);
        }
        let id = turn_id.get();
        let turns = &mut self.turns;
        let turn = *self.by_turn.entry(turn_id.hash()).or_insert_with(|| {
            turns.push(Fold::new(Arc::from(&*id)));
            turns.len() - 1
        });
        self.current = Some((Box::from(&*id), turn));
        Some(turn)
    }

    /// The findings that depend on the end, as if the log ended here. More events may still follow.
    pub(crate) fn at_end(&mut self) -> Findings {
        let mut findings = self.findings.continued();
        if self.turns.is_empty() && self.events > 0 {
            // There are only schema rows: the log has no turn that could have ended.
            Fold::new(Arc::from("")).finish_at(self.last, &mut findings);
        }
        for turn in &mut self.turns {
            turn.finish(&mut findings);
        }
        self.lints.finish(&mut findings);
        self.timeline.finish(&mut findings);
        if let Some(live) = &self.live {
            live.finish(&mut findings);
        }
        findings
    }

    /// All findings, including those that depend on the end.
    #[cfg(test)]
    pub(crate) fn finish(mut self) -> Findings {
        let at_end = self.at_end();
        self.findings.followed_by(at_end)
    }
}

impl Fold {
    fn finish_at(mut self, at: Seq, findings: &mut Findings) {
        self.gate.stopped_at(at);
        self.finish(findings);
    }
}

impl MessageTimeline {
    fn see(&mut self, at: Seq, event: &Event<'_>, findings: &mut Findings) {
        match event {
            Event::ModelRequestIssued { .. } => {
                self.requests += 1;
                if self.messages <= self.requests {
                    self.surplus = None;
                }
            }
            Event::ModelMessage { turn_id, step_idx, block_count, .. } => {
                self.messages += 1;
                if self.messages > self.requests {
                    self.surplus.get_or_insert(at);
                }
                if *block_count == 0 && !self.told_empty {
                    self.told_empty = true;
                    findings.push(
                        Finding::new(&checks::THREAD_EMPTY_MESSAGE, [at])
                            .about("turn_id", &*turn_id.get())
                            .about("step", step_idx.to_string())
                            .expected("at least one block")
                            .actual("block_count 0"),
                    );
                }
            }
            _ => {}
        }
    }

    fn finish(&self, findings: &mut Findings) {
        if self.messages > self.requests {
            findings.push(
                Finding::new(&checks::THREAD_MORE_MESSAGES, [self.surplus.unwrap_or_default()])
                    .expected(format!("{} requests", self.requests))
                    .actual(format!("{} messages", self.messages)),
            );
        }
    }
}

//! Lifecycle lints: rules for any turn, whichever program wrote its log.
//!
//! They follow the order of the log: a turn begins at `turn_started`, and every event until the next one is checked
//! against it. Each lint sees an event once. What is still open at the end becomes a finding there.

mod calls;
mod habits;
mod steps;

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::replay::Seq;
use crate::replay::check::Check;
use crate::replay::finding::{Finding, Findings};

use super::checks;
use super::digest::Digest;
use super::event::{Event, TurnOutcome};

/// The newest schema that is known.
const SCHEMA_VERSION: u32 = 1;

/// The current turn.
#[derive(Clone)]
struct Turn {
    id: Arc<str>,
    started_at: Option<Seq>,
    ended: Option<EndSeen>,
    foreign: FxHashSet<u64>,
    calls: calls::SeenCalls,
    steps: steps::SeenSteps,
    habits: habits::Habits,
}

#[derive(Clone, Copy)]
struct EndSeen {
    at: Seq,
    told_what_followed: bool,
}

/// How a turn ended, which decides what may still be open.
#[derive(Clone, Copy)]
struct End {
    at: Seq,
    /// Whether it was interrupted or failed, so that open calls are expected.
    abrupt: bool,
}

#[derive(Clone, Default)]
pub(crate) struct Lints {
    turn: Option<Turn>,
    last: Seq,
}

impl Turn {
    fn new(id: Arc<str>, started_at: Option<Seq>) -> Self {
        Turn {
            id,
            started_at,
            ended: None,
            foreign: FxHashSet::default(),
            calls: calls::SeenCalls::default(),
            steps: steps::SeenSteps::default(),
            habits: habits::Habits::default(),
        }
    }

    fn found(&self, check: &'static Check, at: impl Into<Box<[Seq]>>) -> Finding {
        found(&self.id, check, at)
    }
}

/// A finding about a turn.
fn found(turn_id: &Arc<str>, check: &'static Check, at: impl Into<Box<[Seq]>>) -> Finding {
    Finding::new(check, at).about("turn_id", Arc::clone(turn_id))
}

impl Lints {
    pub(crate) fn see(&mut self, at: Seq, event: &Event<'_>, digest: &Digest, findings: &mut Findings) {
        self.last = at;
        match event {
            Event::SchemaVersion { version } => {
                if *version > SCHEMA_VERSION {
                    findings.push(schema_newer(at, *version));
                }
                return;
            }
            Event::TurnStarted { turn_id, max_steps, .. } => {
                self.start(at, Arc::from(&*turn_id.get()), *max_steps, findings);
                return;
            }
            _ => {}
        }
        let Some(turn_id) = event.turn_id() else { return };
        let turn = self.turn.get_or_insert_with(|| {
            let turn = Turn::new(Arc::from(&*turn_id.get()), None);
            findings
                .push(turn.found(&checks::NO_START, [at]).expected("turn_started first").actual(event.kind().name()));
            turn
        });
        if *turn_id != *turn.id && turn.foreign.insert(turn_id.hash()) {
            findings.push(
                Finding::new(&checks::FOREIGN_ID, [at])
                    .about("turn_id", &*turn_id.get())
                    .about("expected", Arc::clone(&turn.id))
                    .expected(turn.id.to_string())
                    .actual(turn_id.get().into_owned()),
            );
        }
        turn.see(at, event, digest, findings);
    }

    fn start(&mut self, at: Seq, id: Arc<str>, max_steps: u32, findings: &mut Findings) {
        if let Some(before) = self.turn.take() {
            if let (Some(started_at), None) = (before.started_at, &before.ended) {
                findings.push(
                    found(&id, &checks::STARTED_INSIDE, [started_at, at])
                        .expected("turn_ended first")
                        .actual("another turn_started"),
                );
            }
            before.close(End { at, abrupt: false }, findings);
        }
        let mut turn = Turn::new(id, Some(at));
        turn.steps.begin(max_steps);
        self.turn = Some(turn);
    }

    /// Treats the end of the log as the end of the open turn.
    pub(crate) fn finish(&self, findings: &mut Findings) {
        if let Some(turn) = &self.turn {
            turn.close(End { at: self.last, abrupt: false }, findings);
        }
    }
}

impl Turn {
    fn see(&mut self, at: Seq, event: &Event<'_>, digest: &Digest, findings: &mut Findings) {
        if let Some(ended) = &mut self.ended
            && !ended.told_what_followed
        {
            ended.told_what_followed = true;
            let places = [ended.at, at];
            findings.push(
                self.found(&checks::EVENT_AFTER_END, places)
                    .about("kind", event.kind().name())
                    .expected("nothing after turn_ended")
                    .actual(event.kind().name()),
            );
        }
        self.calls.see(&self.id, at, event, digest, findings);
        self.steps.see(&self.id, at, event, findings);
        self.habits.see(&self.id, at, event, digest, findings);
        if let Event::TurnEnded { outcome, .. } = event
            && self.ended.is_none()
        {
            self.settle(End { at, abrupt: is_abrupt(outcome) }, findings);
            self.calls.close();
            self.steps.close();
            self.ended = Some(EndSeen { at, told_what_followed: false });
        }
    }

    /// Closes a turn without `turn_ended`, at the end of the log or when another turn starts.
    fn close(&self, end: End, findings: &mut Findings) {
        if self.ended.is_none() {
            self.settle(end, findings);
        }
        self.habits.finish(&self.id, findings);
    }

    fn settle(&self, end: End, findings: &mut Findings) {
        self.calls.finish(&self.id, end, findings);
        self.steps.finish(&self.id, end, findings);
    }
}

fn is_abrupt(outcome: &TurnOutcome) -> bool {
    matches!(outcome, TurnOutcome::Interrupted | TurnOutcome::Failed { .. })
}

fn schema_newer(at: Seq, version: u32) -> Finding {
    Finding::new(&checks::SCHEMA_NEWER, [at])
        .about("version", version.to_string())
        .expected(format!("schema version {SCHEMA_VERSION}"))
        .actual(version.to_string())
}

/// The finding for a record with an unknown tag, written by a newer program.
pub(crate) fn unknown_event(at: Seq, kind: &str) -> Finding {
    Finding::new(&checks::UNKNOWN_EVENT, [at])
        .about("kind", kind)
        .expected("one of the known event types")
        .actual(kind.to_owned())
}

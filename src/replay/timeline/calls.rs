//! Lookup of calls: the first event about one, and the stories of calls, for a list that shows a call in one row.

use std::ops::ControlFlow;

use rustc_hash::FxHashMap;

use super::{Replay, Timeline};
use crate::replay::Seq;
use crate::replay::caption::{Caption, Outcome};
use crate::replay::index::{CallsBegun, GROUP};
use crate::replay::machine::Machine;
use crate::replay::source::Gone;
use crate::replay::vocabulary::{CallKinds, KindId};

/// The call that an event belongs to: how it began and how it ended, as far as both are near.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallStory {
    /// Its first event.
    pub begin: Option<(Seq, Caption)>,
    pub end: Option<CallEnd>,
    /// The log ends before the call does.
    pub is_open: bool,
}

/// The event that says how a call went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallEnd {
    pub at: Seq,
    pub outcome: Option<Outcome>,
    pub caption: Caption,
    /// Whether the event ends the call. If not, the call was not allowed, but may still have run.
    pub is_last: bool,
}

/// Unfinished stories, by the number of the event whose story is wanted.
#[derive(Default)]
struct Stories {
    list: Vec<CallStory>,
    /// The story that a call is in now; a call id may be used again.
    current: FxHashMap<String, usize>,
    /// How many stories have not ended.
    open: usize,
}

impl Stories {
    fn begin(&mut self, call: String, story: CallStory) -> usize {
        self.open += 1;
        self.list.push(story);
        self.current.insert(call, self.list.len() - 1);
        self.list.len() - 1
    }
}

impl<M: Machine> Timeline<M> {
    /// The first event about a call.
    pub(super) fn first_about(&self, call: &str) -> Result<Option<Seq>, Gone> {
        // The bytes of nearly every record show that it is about another call, provided that the id is written without
        // escapes.
        let is_plain = !call.is_empty() && call.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"\\".contains(&byte));
        let finder = memchr::memmem::Finder::new(call);
        for by_bytes in if is_plain { &[true, false][..] } else { &[false] } {
            let mut decoder = self.decoder.clone();
            let mut found = None;
            self.records(0..self.progress().events, &mut |at, record| {
                if *by_bytes && finder.find(record).is_none() {
                    return ControlFlow::Continue(());
                }
                let event = self.source.event(record).and_then(|event| M::decode(&mut decoder, event));
                if event.is_ok_and(|event| M::about(&event, |about| about.call == Some(call))) {
                    found = Some(at);
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            })?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// The calls of some events, in ascending order.
    pub(super) fn stories_of(&self, wanted: &[Seq]) -> Result<Vec<Option<CallStory>>, Gone> {
        let mut found: Vec<Option<usize>> = vec![None; wanted.len()];
        let (Some(kinds), Some(first), Some(last)) = (&M::vocabulary().call, wanted.first(), wanted.last()) else {
            return Ok(vec![None; wanted.len()]);
        };
        let mut stories = self.begun_before(*first, wanted, kinds)?;
        let end = last.0.saturating_add(CallsBegun::LOOKED_AT_EVENTS);
        let mut decoder = self.decoder.clone();
        let mut at = *first;
        while at.0 < end && (at <= *last || stories.open > 0) {
            let Some(kind) = self.shared.look(|shared| shared.rows.kind(at)) else { break };
            let asks = wanted.binary_search(&at).ok();
            // Behind the last event, only ends are news.
            if kind == kinds.ends || (at <= *last && (kind == kinds.begins || kinds.continues(kind))) {
                self.with_call(&mut decoder, at, |event, call| {
                    let story = tell::<M>(&mut stories, kinds, (at, kind), event, call);
                    if let Some(asks) = asks {
                        found[asks] = Some(story);
                    }
                })?;
            }
            at.0 += 1;
        }
        let progress = self.progress();
        let is_over = progress.at_end && at.0 >= progress.events;
        stories.list.iter_mut().for_each(|story| story.is_open = story.end.is_none() && is_over);
        Ok(found.into_iter().map(|story| story.map(|story| stories.list[story].clone())).collect())
    }

    /// The stories of the calls that some events continue, and that began before the first of them.
    fn begun_before(&self, first: Seq, wanted: &[Seq], kinds: &CallKinds) -> Result<Stories, Gone> {
        let mut stories = Stories::default();
        let mut missing: Vec<String> = Vec::new();
        let mut decoder = self.decoder.clone();
        for at in wanted.iter().copied() {
            let kind = self.shared.look(|shared| shared.rows.get(at).filter(|row| row.continues_call));
            if kind.is_some() {
                self.with_call(&mut decoder, at, |_, call| missing.push(call))?;
            }
        }
        missing.sort_unstable();
        missing.dedup();
        let least = first.0.saturating_sub(CallsBegun::LOOKED_AT_EVENTS);
        for at in (least..first.0).rev().map(Seq) {
            if missing.is_empty() {
                break;
            }
            if self.shared.look(|shared| shared.rows.kind(at)) == Some(kinds.begins) {
                self.with_call(&mut decoder, at, |event, call| {
                    if let Ok(place) = missing.binary_search(&call) {
                        missing.remove(place);
                        let story = CallStory { begin: Some((at, M::caption(event))), ..CallStory::default() };
                        stories.begin(call, story);
                    }
                })?;
            }
        }
        Ok(stories)
    }

    /// Decodes an event, and calls `visit` if it is about a call.
    fn with_call(
        &self,
        decoder: &mut M::Decoder,
        at: Seq,
        visit: impl FnOnce(&M::Event<'_>, String),
    ) -> Result<(), Gone> {
        let Some(records) = self.group(at.0 / GROUP)? else { return Ok(()) };
        let record = records.record((at.0 % GROUP) as usize, &*self.source)?;
        let event = self.source.event(&record).and_then(|event| M::decode(decoder, event));
        if let Ok(event) = event
            && let Some(call) = M::about(&event, |about| about.call.map(str::to_owned))
        {
            visit(&event, call);
        }
        Ok(())
    }
}

/// Adds an event to the story of its call, and returns the story.
fn tell<M: Machine>(
    stories: &mut Stories,
    kinds: &CallKinds,
    (at, kind): (Seq, KindId),
    event: &M::Event<'_>,
    call: String,
) -> usize {
    if kind == kinds.begins {
        return stories.begin(call, CallStory { begin: Some((at, M::caption(event))), ..CallStory::default() });
    }
    let story = match stories.current.get(&call) {
        Some(story) => *story,
        None => stories.begin(call, CallStory::default()),
    };
    let known = &mut stories.list[story];
    let outcome = M::outcome(event);
    let has_ended = known.end.as_ref().is_some_and(|end| end.is_last);
    // A call that was not allowed should not run, so the refusal ends its story unless there is another end.
    if kind == kinds.ends || (outcome.is_some_and(Outcome::is_failure) && !has_ended) {
        if kind == kinds.ends && !has_ended {
            stories.open -= 1;
        }
        known.end = Some(CallEnd { at, outcome, caption: M::caption(event), is_last: kind == kinds.ends });
    }
    story
}

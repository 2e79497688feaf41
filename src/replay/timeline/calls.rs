//! Lookup of calls: the first event about one, and how it ended, for a list that shows a call on one line.

use std::ops::ControlFlow;

use rustc_hash::FxHashMap;

use super::{CallOutcome, Replay, Timeline};
use crate::replay::Seq;
use crate::replay::index::GROUP;
use crate::replay::machine::Machine;
use crate::replay::source::Gone;

/// Calls that last longer than this are not followed to their end: a frame must not read half a log.
const LOOKED_AT_EVENTS: u32 = 4 * GROUP;

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

    pub(super) fn outcomes_of(&self, begins: &[Seq]) -> Result<Vec<Option<CallOutcome>>, Gone> {
        let mut outcomes = vec![None; begins.len()];
        let (Some(kinds), Some(first)) = (&M::vocabulary().call, begins.iter().min()) else { return Ok(outcomes) };
        let last = begins.iter().max().unwrap_or(first);
        let mut decoder = self.decoder.clone();
        let mut open: FxHashMap<String, usize> = FxHashMap::default();
        for at in (first.0..last.0.saturating_add(LOOKED_AT_EVENTS)).map(Seq) {
            let asked = begins.iter().position(|begin| *begin == at);
            if at > *last && open.is_empty() {
                break;
            }
            let Some(kind) = self.shared.look(|shared| shared.rows.kind(at)) else { break };
            if asked.is_none() && (kind != kinds.ends || open.is_empty()) {
                continue;
            }
            let Some(records) = self.group(at.0 / GROUP)? else { break };
            let record = records.record((at.0 % GROUP) as usize, &*self.source)?;
            let Ok(event) = self.source.event(&record).and_then(|event| M::decode(&mut decoder, event)) else {
                continue;
            };
            let Some(call) = M::about(&event, |about| about.call.map(str::to_owned)) else { continue };
            if let Some(asked) = asked {
                open.insert(call, asked);
            } else if let (Some(asked), Some(text)) = (open.remove(&call), M::outcome(&event)) {
                outcomes[asked] = Some(CallOutcome { at, text });
            }
        }
        Ok(outcomes)
    }
}

//! Imprints of the events of a log, for comparing it with another. They do not depend on states, so nothing is
//! replayed.

use std::ops::{ControlFlow, Range};

use serde_json::Value;

use super::{Replay, Timeline};
use crate::replay::Seq;
use crate::replay::imprint::{Imprint, Names};
use crate::replay::machine::Machine;
use crate::replay::source::Gone;
use crate::replay::vocabulary::KindId;

/// The hashes of one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Imprinted {
    pub at: Seq,
    /// Which event it is; the same for all records that are not events.
    pub identity: u64,
    pub imprint: Imprint,
}

impl<M: Machine> Timeline<M> {
    pub(super) fn imprinted(
        &self,
        part: Range<u32>,
        names: Names,
        visit: &mut dyn FnMut(Imprinted) -> ControlFlow<()>,
    ) -> Result<(), Gone> {
        let mut decoder = self.decoder.clone();
        self.records(part, &mut |at, record| {
            // A record that the pass reported as damage is damage, even if its bytes alone would decode.
            let is_event = self.shared.look(|shared| shared.rows.kind(at)) != Some(KindId::MALFORMED);
            let event = is_event.then(|| self.source.event(record).and_then(|event| M::decode(&mut decoder, event)));
            let (identity, imprint) = match event {
                Some(Ok(event)) => (M::identity(&event, names), M::imprint(&event)),
                _ => (0, Imprint::of_bytes(record)),
            };
            visit(Imprinted { at, identity, imprint })
        })
    }

    pub(super) fn decoded_event(&self, at: Seq) -> Result<Option<Value>, Gone> {
        let is_event = self.shared.look(|shared| shared.rows.kind(at)) != Some(KindId::MALFORMED);
        let Some(record) = (self as &dyn Replay).record(at)? else { return Ok(None) };
        let event = self.source.event(&record).and_then(|event| M::decode(&mut self.decoder.clone(), event));
        Ok(Some(match event {
            Ok(event) if is_event => M::to_json(&event),
            _ => Value::String(String::from_utf8_lossy(&record).into_owned()),
        }))
    }
}

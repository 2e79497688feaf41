//! Facts about a session file that the decoder needs before it reads the first record.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "at the edge: it reads files")]

use std::ops::ControlFlow;
use std::sync::Arc;

use super::checker::AgentChecker;
use super::decode::AgentDecoder;
use super::format;
use super::machine::AgentLog;
use crate::dialect::container::Shape;
use crate::dialect::open_log::{DialectError, OpenLog};
use crate::dialect::recognize::{Certainty, Sample};
use crate::dialect::sidecar::{SidecarRequest, Sidecars, SidecarsOf};

/// A file up to this length is read whole; of a longer one only so much. What it does not show is learnt on the way.
const HEAD_BYTES: usize = 4 << 20;

pub(crate) struct AgentSidecars {
    decoder: AgentDecoder,
}

pub(super) fn sidecars(request: &SidecarRequest<'_>) -> Result<Arc<dyn Sidecars>, DialectError> {
    Ok(Arc::new(AgentSidecars { decoder: known(request.log)? }))
}

impl SidecarsOf for AgentSidecars {
    type Machine = AgentLog;

    fn decoder(&self) -> AgentDecoder {
        self.decoder
    }

    fn ledger(&self) -> AgentChecker {
        AgentChecker::default()
    }

    fn for_part(&self, part: &dyn OpenLog) -> Result<Self, DialectError> {
        Ok(AgentSidecars { decoder: known(part)? })
    }
}

/// The format of a log, and what its records prove about all of it.
pub(crate) fn known(log: &dyn OpenLog) -> Result<AgentDecoder, DialectError> {
    let mut best = None;
    let (mut decoder, mut bytes) = (AgentDecoder::default(), 0);
    log.each_record_until(&mut |read| {
        bytes += read.record.len();
        if decoder.format.is_none()
            && let Some((format, certainty)) = format::recognize(&Sample::new(read.record, Shape::Lines))
        {
            if best.is_none_or(|(_, known)| certainty > known) {
                best = Some((format, certainty));
            }
            decoder.format = best.filter(|(_, certainty)| *certainty == Certainty::Sure).map(|(format, _)| format);
        }
        // The readers find out by themselves as long as the format is not certain.
        if let Ok(event) = decoder.decode(read.record) {
            decoder.facts = decoder.facts.and(event.own_facts());
        }
        if bytes < HEAD_BYTES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    decoder.format = decoder.format.or(best.map(|(format, _)| format));
    Ok(decoder)
}

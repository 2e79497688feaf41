//! The chain for memory queries: those logged against those that replaying the log demands.

use crate::replay::Seq;
use crate::replay::finding::Finding;
use crate::replay::meeting::Meeting;

use super::{Contradictions, GateChain};
use crate::turn::checks;
use crate::turn::effect::{EffectCounts, EffectKind};
use crate::turn::event::Event;

#[derive(Clone, Default)]
pub(super) struct Queries {
    /// Logged queries on the left, replayed ones on the right.
    totals: Meeting,
}

impl Queries {
    pub(super) fn see(&mut self, at: Seq, event: &Event<'_>, emitted: &EffectCounts) {
        match event {
            Event::MemoryPlaneQueried { .. } => self.totals.add_left(1),
            Event::ModelRequestIssued { .. } => {}
            _ => return,
        }
        self.totals.add_right(emitted.of(EffectKind::QueryMemory));
        self.totals.settle(at);
    }

    /// The reference's text, if the totals differ and any query was logged.
    pub(super) fn text(&self) -> Option<String> {
        let (logged, replayed) = (self.totals.left(), self.totals.right());
        (logged > 0 && logged != replayed)
            .then(|| format!("memory_plane_queried log={logged} replay_query_memory={replayed}"))
    }

    pub(super) fn finish(&self, say: &mut Contradictions<'_>) {
        let Some(text) = self.text() else { return };
        let finding = Finding::new(&checks::MEMORY_QUERY_REPLAY, [self.totals.diverged_at().unwrap_or_default()])
            .expected(format!("{} memory queries, as replayed", self.totals.right()))
            .actual(format!("{} logged", self.totals.left()));
        say.say(GateChain::MemoryPlaneQueryReplay, finding, || text);
    }
}

//! The coherence gate: whether the log contradicts the results of replaying it. One pass, one file per chain.
//!
//! Each chain sees every event once and keeps counters and hashes, never the texts of events. Rules that no log can
//! break are not implemented. The gate has two outputs: the reference's text, word for word, and findings that name the
//! event where log and replay diverge.

mod archival;
mod capacity;
mod caps;
mod loop_guard;
mod queries;
mod refresh;

use std::sync::Arc;

use crate::replay::Seq;
use crate::replay::finding::{Finding, Findings};

use super::checks;
use super::digest::Digest;
use super::effect::EffectCounts;
use super::event::Event;

/// The chains that can report something, in the reference's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum GateChain {
    Effect,
    OuterBoundaryCaps,
    LoopGuardReplay,
    CapacityFields,
    Memory,
    MemoryPlaneQueryReplay,
    SystemPromptRefreshReplay,
    /// The last chain of the reference, which has no label.
    TurnEnded,
}

impl GateChain {
    pub(crate) const fn label(self) -> Option<&'static str> {
        match self {
            GateChain::Effect => Some("effect"),
            GateChain::OuterBoundaryCaps => Some("outer_boundary_caps"),
            GateChain::LoopGuardReplay => Some("loop_guard_replay"),
            GateChain::CapacityFields => Some("capacity_fields"),
            GateChain::Memory => Some("memory"),
            GateChain::MemoryPlaneQueryReplay => Some("memory_plane_query_replay"),
            GateChain::SystemPromptRefreshReplay => Some("system_prompt_refresh_replay"),
            GateChain::TurnEnded => None,
        }
    }
}

/// The texts of all chains, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct GateReport {
    texts: Vec<(GateChain, String)>,
}

impl GateReport {
    /// The text of a chain, without its label.
    pub(crate) fn chain(&self, chain: GateChain) -> Option<String> {
        let texts: Vec<&str> =
            self.texts.iter().filter(|(of, _)| *of == chain).map(|(_, text)| text.as_str()).collect();
        let part = if chain == GateChain::Memory { "archival_fields: " } else { "" };
        (!texts.is_empty()).then(|| format!("{part}{}", texts.join("; ")))
    }

    /// The reference's text: all chains in order, each with its label.
    pub(crate) fn sentence(&self) -> Option<String> {
        self.sentence_after(None)
    }

    /// The same text, preceded by the differences from the live snapshot.
    pub(crate) fn sentence_after(&self, live: Option<&str>) -> Option<String> {
        let live = live.map(|text| format!("live_projection: {text}"));
        let chains = self.chains().map(|chain| {
            let text = self.chain(chain).unwrap_or_default();
            chain.label().map_or(text.clone(), |label| format!("{label}: {text}"))
        });
        let parts: Vec<String> = live.into_iter().chain(chains).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    fn chains(&self) -> impl Iterator<Item = GateChain> + '_ {
        let mut chains: Vec<GateChain> = self.texts.iter().map(|(chain, _)| *chain).collect();
        chains.sort_unstable();
        chains.dedup();
        chains.into_iter()
    }
}

/// Collects what the chains report.
pub(crate) struct Contradictions<'a> {
    turn_id: &'a Arc<str>,
    findings: &'a mut Findings,
    texts: Option<&'a mut Vec<(GateChain, String)>>,
}

impl Contradictions<'_> {
    /// `text` is the reference's text; the turn is added to `finding` as a subject.
    fn say(&mut self, chain: GateChain, finding: Finding, text: impl FnOnce() -> String) {
        self.findings.push(finding.about("turn_id", Arc::clone(self.turn_id)));
        if let Some(texts) = &mut self.texts {
            texts.push((chain, text()));
        }
    }
}

/// The gate of a log or of one of its turns.
#[derive(Clone)]
pub(crate) struct Gate {
    turn_id: Arc<str>,
    texts: Option<Vec<(GateChain, String)>>,
    /// The number of decoded events so far: the index used in the reference's texts.
    seen: u32,
    last: Seq,
    ended: bool,
    caps: caps::Caps,
    pub(crate) guard: loop_guard::LoopGuard,
    queries: queries::Queries,
    refresh: refresh::Refresh,
}

impl Gate {
    /// `with_texts` also keeps the reference's texts, which only the report needs.
    pub(crate) fn new(turn_id: Arc<str>, with_texts: bool) -> Self {
        Gate {
            turn_id,
            texts: with_texts.then(Vec::new),
            seen: 0,
            last: Seq(0),
            ended: false,
            caps: caps::Caps::default(),
            guard: loop_guard::LoopGuard::default(),
            queries: queries::Queries::default(),
            refresh: refresh::Refresh::default(),
        }
    }

    /// Sees one event and the effects of replaying it.
    pub(crate) fn see(
        &mut self,
        at: Seq,
        event: &Event<'_>,
        digest: &Digest,
        emitted: &EffectCounts,
        findings: &mut Findings,
    ) {
        let index = self.seen;
        self.seen += 1;
        self.last = at;
        let mut say = Contradictions { turn_id: &self.turn_id, findings, texts: self.texts.as_mut() };
        match event {
            Event::TurnEnded { .. } => self.ended = true,
            Event::CapacityCheckpoint { .. } => capacity::see(at, index, event, &mut say),
            Event::CompactionArtifactCreated { .. } => archival::see(at, index, event, &mut say),
            _ => {}
        }
        self.caps.see(at, event);
        self.guard.see(at, event, digest);
        self.queries.see(at, event, emitted);
        self.refresh.see(at, event, emitted);
    }

    /// Reports what depends on the end of the log.
    pub(crate) fn finish(&mut self, findings: &mut Findings) -> GateReport {
        let mut say = Contradictions { turn_id: &self.turn_id, findings, texts: self.texts.as_mut() };
        if !self.ended {
            let finding = Finding::new(&checks::MISSING_TURN_ENDED, [self.last])
                .expected("a turn_ended event")
                .actual("the log of the turn stops here");
            let text = || "missing TurnEnded event".to_owned();
            say.say(GateChain::Effect, finding, text);
            if let Some(texts) = &mut say.texts {
                texts.push((GateChain::TurnEnded, text()));
            }
        }
        self.caps.finish(&mut say);
        self.guard.finish(&mut say);
        self.queries.finish(&mut say);
        self.refresh.finish(&mut say);
        GateReport { texts: self.texts.take().unwrap_or_default() }
    }

    /// Sets the last event for a log without any event of a turn.
    pub(crate) fn stopped_at(&mut self, at: Seq) {
        self.last = at;
    }

    /// The text about memory queries, which the memory batch check includes.
    pub(crate) fn query_replay_text(&self) -> Option<String> {
        self.queries.text()
    }
}

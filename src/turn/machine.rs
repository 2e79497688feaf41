//! The machine of turn logs: what the timeline sees.

use serde_json::{Value, json};

use crate::json::byte_index::IndexedText;
use crate::replay::caption::{Caption, Outcome};
use crate::replay::ending::Ending;
use crate::replay::finding::Findings;
use crate::replay::imprint::{Imprint, Names};
use crate::replay::machine::{self, About, Emit, Machine, Malformed, Obligation, Unit};
use crate::replay::utterance::Utterance;
use crate::replay::vocabulary::{CallKinds, EffectId, Facet, FieldId, FieldSet, KindId, LaneGroups, Vocabulary};
use crate::replay::{Place, Seq};

use super::caption::{caption, outcome};
use super::checker::TurnChecker;
use super::decode::TurnDecoder;
use super::digest::Digest;
use super::effect::{EffectKind, TurnEffect};
use super::ending::LastTurn;
use super::event::Event;
use super::identity::{DRIFTING, identity};
use super::kind::{EventKind, Lane};
use super::obligation::Obligations;
use super::projection::{FIELD_NAMES, FIELDS};
use super::state::{TurnState, effects};
use super::summary::summary;
use super::unit::unit;
use super::utterance::{SPEAKERS, said};

pub(crate) static VOCABULARY: Vocabulary = Vocabulary {
    tag: &["event_type"],
    untagged: &[],
    kinds: EventKind::WORDS,
    lanes: Lane::WORDS,
    lane_groups: LaneGroups::NONE,
    facets: &[
        Facet { name: "turn", members: &[&["turn_id"]] },
        Facet { name: "tool", members: &[&["tool_name"]] },
        Facet { name: "call", members: &[&["call_id"]] },
        Facet { name: "outcome", members: &[&["outcome"]] },
    ],
    fields: FIELD_NAMES,
    effects: EffectKind::NAMES,
    has_steps: true,
    turn_begins: Some(KindId(EventKind::TurnStarted as u8)),
    compacts: Some(KindId(EventKind::CompactionArtifactCreated as u8)),
    call: Some(CallKinds {
        begins: KindId(EventKind::ToolCallPlanned as u8),
        within: &[KindId(EventKind::ToolCallStarted as u8), KindId(EventKind::ApprovalResolved as u8)],
        ends: KindId(EventKind::ToolCallFinished as u8),
    }),
    speakers: SPEAKERS,
    is_conversation: false,
    drifting: DRIFTING,
};

/// An event with the hashes of its texts.
pub(crate) struct Digested<'a> {
    pub event: Event<'a>,
    pub digest: Digest,
}

/// The state: the projection, the open obligations, and the ending of the last turn.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct Replayed {
    pub state: TurnState,
    pub obligations: Obligations,
    last_turn: LastTurn,
}

impl machine::Effect for TurnEffect<'_> {
    fn to_json(&self) -> Value {
        TurnEffect::to_json(self)
    }

    fn write_detail(&self, out: &mut String) {
        TurnEffect::write_detail(self, out);
    }
}

pub(crate) struct TurnLog;

impl Machine for TurnLog {
    type Event<'a> = Digested<'a>;
    type Decoder = TurnDecoder;
    type State = Replayed;
    type Ledger = TurnChecker;

    const VOCABULARY: &'static Vocabulary = &VOCABULARY;

    fn decode<'a>(decoder: &mut TurnDecoder, record: &'a [u8]) -> Result<Digested<'a>, Malformed> {
        let event = decoder.decode(record)?;
        Ok(Digested { digest: Digest::of(&event), event })
    }

    fn decode_indexed<'a>(decoder: &mut TurnDecoder, event: IndexedText<'a>) -> Result<Digested<'a>, Malformed> {
        let event = decoder.decode_indexed(event)?;
        Ok(Digested { digest: Digest::of(&event), event })
    }

    fn about<T>(event: &Digested<'_>, visit: impl FnOnce(About<'_>) -> T) -> T {
        let event = &event.event;
        let (turn, call) = (event.turn_id().map(|id| id.get()), event.call_id().map(|id| id.get()));
        visit(About {
            kind: KindId(event.kind() as u8),
            turn: turn.as_deref(),
            step: event.step(),
            call: call.as_deref(),
        })
    }

    fn identity(event: &Digested<'_>, names: Names) -> u64 {
        identity(&event.event, names)
    }

    fn imprint(event: &Digested<'_>) -> Imprint {
        Imprint::of(&event.event, &DRIFTING)
    }

    fn unit(event: &Digested<'_>) -> Unit {
        unit(&event.event)
    }

    fn to_json(event: &Digested<'_>) -> Value {
        json!(event.event)
    }

    fn summary(event: &Digested<'_>) -> String {
        summary(&event.event)
    }

    fn ending(last: &Self::State) -> Option<Ending> {
        Some(last.last_turn.ending())
    }

    fn ending_after_checks(ledger: &TurnChecker) -> Option<Ending> {
        Some(ledger.last_turn.ending())
    }

    fn caption(event: &Digested<'_>) -> Caption {
        caption(&event.event)
    }

    fn outcome(event: &Digested<'_>) -> Option<Outcome> {
        outcome(&event.event)
    }

    fn said(event: &Digested<'_>) -> Option<Utterance> {
        said(&event.event)
    }

    fn effects(before: &Replayed, event: &Digested<'_>, emit: &mut Emit<'_>) -> Option<Value> {
        let halt =
            effects(&before.state.projection, &event.event, &mut |effect| emit(EffectId(effect.kind() as u8), &effect));
        halt.map(|outcome| json!(outcome))
    }

    fn apply(state: &mut Replayed, at: Seq, event: &Digested<'_>) {
        let Digested { event, digest } = event;
        state.obligations.see(at, event, digest);
        state.last_turn.see(event);
        state.state.apply(event, digest);
    }

    fn apply_with_changes(state: &mut Replayed, at: Seq, event: &Digested<'_>) -> FieldSet {
        let before = state.state.projection.clone();
        Self::apply(state, at, event);
        before.changed(&state.state.projection)
    }

    fn changed(before: &Replayed, after: &Replayed) -> FieldSet {
        before.state.projection.changed(&after.state.projection)
    }

    fn value(state: &Replayed, field: FieldId) -> Value {
        FIELDS[field.0 as usize].value(&state.state.projection)
    }

    fn brief(state: &Replayed, field: FieldId, most: usize) -> String {
        FIELDS[field.0 as usize].brief(&state.state.projection, most)
    }

    fn write_change(before: &Replayed, after: &Replayed, field: FieldId, out: &mut String) {
        FIELDS[field.0 as usize].write_change(&before.state.projection, &after.state.projection, out);
    }

    fn step_in_force(state: &Replayed) -> u32 {
        state.state.projection.step_idx
    }

    fn obligations(state: &Replayed, most: usize) -> (Vec<Obligation>, usize) {
        (state.obligations.oldest(most), state.obligations.len())
    }

    fn entries(state: &Replayed) -> usize {
        state.state.entries() + state.obligations.len()
    }

    fn check(ledger: &mut TurnChecker, at: Seq, event: &Digested<'_>) {
        ledger.see_digested(at, &event.event, &event.digest);
    }

    fn check_malformed(ledger: &mut TurnChecker, at: Seq, place: Place, malformed: &Malformed) {
        ledger.see_malformed(at, place, malformed);
    }

    fn findings(ledger: &mut TurnChecker) -> &mut Findings {
        &mut ledger.findings
    }

    fn findings_at_end(ledger: &mut TurnChecker) -> Findings {
        ledger.at_end()
    }
}

//! The machine of session logs: what the timeline sees.

use serde_json::Value;

use super::caption::{caption, outcome};
use super::checker::SessionChecker;
use super::decode::{decode, decode_indexed};
use super::effect::{EFFECT_NAMES, KernelDecision, decision};
use super::event::SessionEvent;
use super::field::{FIELD_NAMES, FIELDS};
use super::identity::{DRIFTING, identity, unit};
use super::kind::{LANES, PRIMITIVES, SessionKind};
use super::state::SessionState;
use super::summary::{ending, summary};
use super::utterance::{SPEAKERS, said};
use crate::json::byte_index::IndexedText;
use crate::json::text::Text;
use crate::replay::caption::{Caption, Outcome};
use crate::replay::ending::Ending;
use crate::replay::finding::Findings;
use crate::replay::imprint::Names;
use crate::replay::machine::{About, Emit, Machine, Malformed, Obligation, Unit};
use crate::replay::shown_field::ShownField;
use crate::replay::utterance::Utterance;
use crate::replay::vocabulary::{CallKinds, EffectId, Facet, FieldId, FieldSet, KindId, Vocabulary};
use crate::replay::{Place, Seq};

pub(crate) static VOCABULARY: Vocabulary = Vocabulary {
    tag: &["kind"],
    untagged: &[KindId(SessionKind::Unknown as u8)],
    kinds: SessionKind::WORDS,
    lanes: LANES,
    lane_groups: PRIMITIVES,
    facets: &[
        Facet { name: "agent", members: &[&["agent_id"]] },
        Facet {
            name: "call",
            members: &[
                &["call_id"],
                &["calls", "id"],
                &["tool_calls", "id"],
                &["message", "tool_calls", "id"],
                &["results", "call_id"],
            ],
        },
        Facet { name: "turn", members: &[&["turn"]] },
    ],
    fields: FIELD_NAMES,
    effects: EFFECT_NAMES,
    has_steps: true,
    turn_begins: Some(KindId(SessionKind::RunStarted as u8)),
    compacts: Some(KindId(SessionKind::Compressed as u8)),
    call: Some(CallKinds {
        begins: KindId(SessionKind::ToolRequested as u8),
        within: &[KindId(SessionKind::ToolGated as u8)],
        ends: KindId(SessionKind::ToolCompleted as u8),
    }),
    speakers: SPEAKERS,
    is_conversation: false,
    drifting: DRIFTING,
};

fn field(id: FieldId) -> &'static ShownField<SessionState> {
    &FIELDS[id.0 as usize]
}

pub(crate) struct SessionLog;

impl Machine for SessionLog {
    type Event<'a> = SessionEvent<'a>;
    type Decoder = ();
    type State = SessionState;
    type Ledger = SessionChecker;

    const VOCABULARY: &'static Vocabulary = &VOCABULARY;

    fn decode<'a>(_: &mut (), event: &'a [u8]) -> Result<SessionEvent<'a>, Malformed> {
        decode(event)
    }

    fn decode_indexed<'a>(_: &mut (), event: IndexedText<'a>) -> Result<SessionEvent<'a>, Malformed> {
        decode_indexed(event)
    }

    /// A run is what other dialects call a turn: one request, with an id of its own. The kernel's turns are its steps.
    fn about<T>(event: &SessionEvent<'_>, visit: impl FnOnce(About<'_>) -> T) -> T {
        let run = event.members.text("run_id").filter(|_| event.kind == SessionKind::RunStarted);
        let (run, call) = (run.as_ref().map(Text::get), event.call());
        let call = call.as_ref().map(Text::get);
        let step = event.turn().and_then(|turn| u32::try_from(turn).ok());
        visit(About { kind: KindId(event.kind as u8), turn: run.as_deref(), step, call: call.as_deref() })
    }

    fn step_in_force(state: &SessionState) -> u32 {
        state.turn.and_then(|turn| u32::try_from(turn).ok()).unwrap_or_default()
    }

    fn identity(event: &SessionEvent<'_>, names: Names) -> u64 {
        identity(event, names)
    }

    fn unit(event: &SessionEvent<'_>) -> Unit {
        unit(event)
    }

    fn to_json(event: &SessionEvent<'_>) -> Value {
        event.to_value()
    }

    fn summary(event: &SessionEvent<'_>) -> String {
        summary(event)
    }

    fn ending(last: &SessionState) -> Option<Ending> {
        ending(last)
    }

    fn ending_after_checks(ledger: &SessionChecker) -> Option<Ending> {
        ledger.ending()
    }

    fn caption(event: &SessionEvent<'_>) -> Caption {
        caption(event)
    }

    fn outcome(event: &SessionEvent<'_>) -> Option<Outcome> {
        outcome(event)
    }

    fn said(event: &SessionEvent<'_>) -> Option<Utterance> {
        said(event)
    }

    fn effects(_: &SessionState, event: &SessionEvent<'_>, emit: &mut Emit<'_>) -> Option<Value> {
        if let Some(place) = decision(event.kind) {
            emit(EffectId(place), &KernelDecision { name: EFFECT_NAMES[place as usize], event });
        }
        (event.kind == SessionKind::RunTerminal).then(|| event.members.value("reason"))
    }

    fn apply(state: &mut SessionState, at: Seq, event: &SessionEvent<'_>) {
        state.apply(at, event);
    }

    fn changed(before: &SessionState, after: &SessionState) -> FieldSet {
        let mut set = FieldSet::default();
        for (field, at) in FIELDS.iter().zip(0..) {
            if !(field.same)(before, after) {
                set.insert(FieldId(at));
            }
        }
        set
    }

    fn value(state: &SessionState, id: FieldId) -> Value {
        (field(id).value)(state)
    }

    fn brief(state: &SessionState, id: FieldId, most: usize) -> String {
        (field(id).brief)(state, most)
    }

    fn write_change(before: &SessionState, after: &SessionState, id: FieldId, out: &mut String) {
        (field(id).write_change)(before, after, out);
    }

    fn obligations(state: &SessionState, most: usize) -> (Vec<Obligation>, usize) {
        state.obligations(most)
    }

    fn entries(state: &SessionState) -> usize {
        state.entries()
    }

    fn check(ledger: &mut SessionChecker, at: Seq, event: &SessionEvent<'_>) {
        ledger.see(at, event);
    }

    fn check_wrapping(ledger: &mut SessionChecker, at: Seq, record: &[u8], is_event: bool) {
        ledger.see_wrapping(at, record, is_event);
    }

    fn check_malformed(ledger: &mut SessionChecker, at: Seq, place: Place, malformed: &Malformed) {
        ledger.see_malformed(at, place, malformed);
    }

    fn findings(ledger: &mut SessionChecker) -> &mut Findings {
        &mut ledger.findings
    }

    fn findings_at_end(ledger: &mut SessionChecker) -> Findings {
        ledger.at_end()
    }
}

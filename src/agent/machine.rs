//! The machine of agent sessions: what the timeline sees.

use serde_json::Value;

use super::caption::{caption, outcome};
use super::checker::AgentChecker;
use super::decode::AgentDecoder;
use super::effect::{EFFECT_NAMES, emit};
use super::ending::{ending, recap};
use super::event::AgentEvent;
use super::field::{FIELD_NAMES, FIELDS};
use super::identity::{DRIFTING, identity, single_call, unit};
use super::kind::{AgentKind, LANES};
use super::obligation::obligations;
use super::skeleton::skeleton;
use super::state::AgentState;
use super::summary::summary;
use super::utterance::{SPEAKERS, said};
use crate::json::byte_index::IndexedText;
use crate::json::raw::RawText;
use crate::replay::Seq;
use crate::replay::caption::{Caption, Outcome};
use crate::replay::ending::Ending;
use crate::replay::finding::Findings;
use crate::replay::imprint::Names;
use crate::replay::machine::{About, Emit, Machine, Malformed, Obligation, Origin, Unit};
use crate::replay::recap::RecapLine;
use crate::replay::shown_field::ShownField;
use crate::replay::utterance::Utterance;
use crate::replay::vocabulary::{CallKinds, Facet, FieldId, FieldSet, KindId, LaneGroups, Vocabulary};

/// Records of several programs have no common tag, so no filter can be answered by a tag alone.
const UNTAGGED: [KindId; AgentKind::WORDS.len()] = {
    let mut kinds = [KindId(0); AgentKind::WORDS.len()];
    let mut at = 0;
    while at < kinds.len() {
        kinds[at] = KindId(at as u8);
        at += 1;
    }
    kinds
};

pub(crate) static VOCABULARY: Vocabulary = Vocabulary {
    tag: &["type"],
    untagged: &UNTAGGED,
    kinds: AgentKind::WORDS,
    lanes: LANES,
    lane_groups: LaneGroups::NONE,
    facets: &[
        Facet { name: "tool", members: &[&["message", "content", "name"], &["payload", "name"]] },
        Facet { name: "model", members: &[&["message", "model"], &["payload", "model"]] },
    ],
    fields: FIELD_NAMES,
    effects: EFFECT_NAMES,
    has_steps: true,
    turn_begins: Some(KindId(AgentKind::Prompt as u8)),
    compacts: Some(KindId(AgentKind::Compaction as u8)),
    call: Some(CallKinds {
        begins: KindId(AgentKind::ToolCall as u8),
        within: &[KindId(AgentKind::Verdict as u8)],
        ends: KindId(AgentKind::ToolResult as u8),
    }),
    speakers: SPEAKERS,
    is_conversation: true,
    drifting: DRIFTING,
};

fn field(id: FieldId) -> &'static ShownField<AgentState> {
    &FIELDS[id.0 as usize]
}

pub(crate) struct AgentLog;

impl Machine for AgentLog {
    type Event<'a> = AgentEvent<'a>;
    type Decoder = AgentDecoder;
    type State = AgentState;
    type Ledger = AgentChecker;

    const VOCABULARY: &'static Vocabulary = &VOCABULARY;

    fn decode<'a>(decoder: &mut AgentDecoder, record: &'a [u8]) -> Result<AgentEvent<'a>, Malformed> {
        decoder.decode(record)
    }

    fn decode_indexed<'a>(decoder: &mut AgentDecoder, event: IndexedText<'a>) -> Result<AgentEvent<'a>, Malformed> {
        decoder.decode(event)
    }

    fn about<T>(event: &AgentEvent<'_>, visit: impl FnOnce(About<'_>) -> T) -> T {
        let (turn, call) = (event.line.turn.map(RawText::get), single_call(event).map(RawText::get));
        visit(About { kind: KindId(event.kind as u8), turn: turn.as_deref(), step: None, call: call.as_deref() })
    }

    fn step_in_force(state: &AgentState) -> u32 {
        u32::try_from(state.steps.count).unwrap_or(u32::MAX)
    }

    fn identity(event: &AgentEvent<'_>, names: Names) -> u64 {
        identity(event, names)
    }

    fn unit(event: &AgentEvent<'_>) -> Unit {
        unit(event)
    }

    fn to_json(event: &AgentEvent<'_>) -> Value {
        event.to_value()
    }

    fn summary(event: &AgentEvent<'_>) -> String {
        summary(event)
    }

    fn ending(last: &AgentState) -> Option<Ending> {
        ending(last)
    }

    fn recap(last: &AgentState) -> Vec<RecapLine> {
        recap(last)
    }

    fn level(state: &AgentState) -> Option<u64> {
        state.steps.context
    }

    fn ending_after_checks(ledger: &AgentChecker) -> Option<Ending> {
        ending(&ledger.state)
    }

    fn caption(event: &AgentEvent<'_>) -> Caption {
        caption(event)
    }

    fn outcome(event: &AgentEvent<'_>) -> Option<Outcome> {
        outcome(event)
    }

    fn said(event: &AgentEvent<'_>) -> Option<Utterance> {
        said(event)
    }

    fn effects(before: &AgentState, event: &AgentEvent<'_>, effects: &mut Emit<'_>) -> Option<Value> {
        emit(before, event, effects)
    }

    fn apply(state: &mut AgentState, at: Seq, event: &AgentEvent<'_>) {
        state.apply(at, event, &mut |_| {});
    }

    fn changed(before: &AgentState, after: &AgentState) -> FieldSet {
        let mut set = FieldSet::default();
        for (field, at) in FIELDS.iter().zip(0..) {
            if !(field.same)(before, after) {
                set.insert(FieldId(at));
            }
        }
        set
    }

    fn value(state: &AgentState, id: FieldId) -> Value {
        (field(id).value)(state)
    }

    fn origin(state: &AgentState, id: FieldId) -> Origin {
        let Some(format) = state.format else { return Origin::Unstated };
        let name = VOCABULARY.field_name(id);
        match format.gaps.iter().find(|gap| gap.field == name) {
            Some(gap) => Origin::NotRecorded(gap.reason),
            None if format.derived.contains(&name) => Origin::Derived,
            None => Origin::Observed,
        }
    }

    fn brief(state: &AgentState, id: FieldId, most: usize) -> String {
        (field(id).brief)(state, most)
    }

    fn write_change(before: &AgentState, after: &AgentState, id: FieldId, out: &mut String) {
        (field(id).write_change)(before, after, out);
    }

    fn obligations(state: &AgentState, most: usize) -> (Vec<Obligation>, usize) {
        obligations(state, most)
    }

    fn entries(state: &AgentState) -> usize {
        state.entries()
    }

    const CLOSES_GAPS: bool = true;

    fn check_removed(ledger: &mut AgentChecker, event: &AgentEvent<'_>) {
        ledger.see_removed(event);
    }

    fn is_alike(event: &AgentEvent<'_>, other: &AgentEvent<'_>) -> bool {
        event.kind == other.kind && skeleton(event) == skeleton(other)
    }

    fn check(ledger: &mut AgentChecker, at: Seq, event: &AgentEvent<'_>) {
        ledger.see(at, event);
    }

    fn findings(ledger: &mut AgentChecker) -> &mut Findings {
        &mut ledger.found.findings
    }

    fn findings_at_end(ledger: &mut AgentChecker) -> Findings {
        ledger.findings_at_end()
    }
}

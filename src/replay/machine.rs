//! The rules of a dialect: how records become events, how events change the state, and what is checked.
//!
//! Everything else (the timeline, the debugger, comparing, minimizing) is written once for this trait. A dialect
//! implements the methods without a default; the others are for features that only some dialects have.

use serde_json::Value;

use super::caption::{Caption, Outcome};
use super::ending::Ending;
use super::finding::Findings;
use super::imprint::{Imprint, Names};
use super::recap::RecapLine;
use super::utterance::Utterance;
use super::vocabulary::{EffectId, FieldId, FieldSet, KindId, Vocabulary};
use super::{Place, Seq, damage};
use crate::json::byte_index::IndexedText;

/// Why a record is not an event. It keeps its position in the log.
#[derive(Clone, Debug, PartialEq)]
pub struct Malformed {
    pub reason: String,
    /// The byte of the record at which decoding stopped.
    pub byte: usize,
    /// The tag of the record, if it is unknown: the writer is probably newer, and the record not damaged.
    pub unknown_kind: Option<String>,
}

impl From<serde_json::Error> for Malformed {
    fn from(error: serde_json::Error) -> Malformed {
        let message = error.to_string();
        // The reason identifies the finding, so it does not name the place.
        let reason = message.rsplit_once(" at line ").map_or(message.as_str(), |parts| parts.0).to_owned();
        Malformed { reason, byte: error.column().saturating_sub(1), unknown_kind: None }
    }
}

/// The properties of an event that the index keeps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About<'e> {
    pub kind: KindId,
    pub turn: Option<&'e str>,
    /// The step that the event names, if any.
    pub step: Option<u32>,
    /// The call that the event is about, if any.
    pub call: Option<&'e str>,
}

/// Where the value of a field comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The dialect does not distinguish.
    Unstated,
    /// It stands in a record.
    Observed,
    /// It was computed from several records.
    Derived,
    /// The program that wrote this log does not record the field, for this reason. The value means nothing.
    NotRecorded(&'static str),
}

impl Origin {
    /// The name for scripts; `None` if the dialect does not distinguish.
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Origin::Unstated => None,
            Origin::Observed => Some("observed"),
            Origin::Derived => Some("derived"),
            Origin::NotRecorded(_) => Some("not recorded"),
        }
    }

    /// Why there is no value.
    pub const fn gap(self) -> Option<&'static str> {
        match self {
            Origin::NotRecorded(reason) => Some(reason),
            _ => None,
        }
    }
}

/// One effect for display, built from the event on demand.
pub trait Effect {
    fn to_json(&self) -> Value;
    /// The payload on one line, without the kind.
    fn write_detail(&self, out: &mut String);
}

/// An open obligation and the event that created it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obligation {
    pub what: &'static str,
    pub subject: std::sync::Arc<str>,
    pub since: Seq,
}

/// The unit to which an event belongs when a log is minimized: removing only some events of a unit would create new
/// contradictions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Unit {
    /// The event is never removed, because without it there is no log. Only the first event of a log can be fixed.
    Fixed,
    /// The event encloses others that name the same thing, and is removed after them.
    Frame(u64),
    /// All events with this number are removed together.
    Of(u64),
    /// Like the one above, but never one by one: a log with only a part of the unit is not one that its program could
    /// write.
    Whole(u64),
    Alone,
}

/// Receives the effects of a step in order.
pub(crate) type Emit<'s> = dyn FnMut(EffectId, &dyn Effect) + 's;

/// The rules of a dialect. Pure, total and deterministic: no IO, no clock, and no `Result` except from the decoder, for
/// a record that is not an event.
pub(crate) trait Machine: 'static {
    type Event<'a>: Send + Sync;
    /// Cached data about earlier records, and access to sidecars. The cache never changes the result of decoding a
    /// record.
    type Decoder: Clone + Default + Send + Sync;
    /// Everything that stepping needs and a moment shows. Cloning takes constant time, however long the log is.
    type State: Clone + Default + Send + Sync;
    /// The memory of the checks. It sees each event once, in the forward pass only. Minimizing clones it to continue
    /// from a common prefix.
    type Ledger: Clone + Send + Sync;

    /// The words of the dialect. Their number is limited, which the compiler checks ([`Vocabulary::is_within_limits`]).
    const VOCABULARY: &'static Vocabulary;

    fn vocabulary() -> &'static Vocabulary {
        const { assert!(Self::VOCABULARY.is_within_limits(), "too many kinds, fields or effects") };
        Self::VOCABULARY
    }

    fn decode<'a>(decoder: &mut Self::Decoder, record: &'a [u8]) -> Result<Self::Event<'a>, Malformed>;

    /// Decodes an event of an indexed chunk, with the same result as [`Machine::decode`]. For dialects whose decoder is
    /// faster with an index.
    fn decode_indexed<'a>(decoder: &mut Self::Decoder, event: IndexedText<'a>) -> Result<Self::Event<'a>, Malformed> {
        Self::decode(decoder, event.text.as_bytes())
    }

    /// Calls `visit` with the properties that the index keeps of an event.
    fn about<T>(event: &Self::Event<'_>, visit: impl FnOnce(About<'_>) -> T) -> T;

    /// Identifies the event within its run, whatever its content: by its kind and what it is about. Comparing pairs
    /// events by it. Names that every run makes up count only if `names` is exact.
    fn identity(event: &Self::Event<'_>, names: Names) -> u64;

    /// The hashes of the event's content. The vocabulary lists the members that are not content. A
    /// dialect with large events hashes them without building a `Value`.
    fn imprint(event: &Self::Event<'_>) -> Imprint {
        Imprint::of(&Self::to_json(event), &Self::VOCABULARY.drifting)
    }

    /// The unit of the event when a log is minimized.
    fn unit(_event: &Self::Event<'_>) -> Unit {
        Unit::Alone
    }

    /// The event as the dialect decodes it: the members that are compared.
    fn to_json(event: &Self::Event<'_>) -> Value;

    /// A short summary without the kind. It contains text from the log.
    fn summary(event: &Self::Event<'_>) -> String;

    /// The record with the payloads that it refers to inserted, if the decoder can find them.
    fn in_full(_: &Self::Decoder, _: &[u8]) -> Option<Vec<u8>> {
        None
    }

    /// The event as a row of the event list.
    fn caption(event: &Self::Event<'_>) -> Caption {
        Caption::new("", Self::summary(event))
    }

    /// How the call, process or run that the event reports went. The pass asks for every event, so it must be cheap.
    fn outcome(_event: &Self::Event<'_>) -> Option<Outcome> {
        None
    }

    /// The ending of the run after the last event of the log. `None` if the dialect has no runs, or this log contains
    /// no part of one.
    fn ending(_last: &Self::State) -> Option<Ending> {
        None
    }

    /// What a reader asks first about the run, after the last event of the log.
    fn recap(_last: &Self::State) -> Vec<RecapLine> {
        Vec::new()
    }

    /// A number whose course over the log is worth a chart, such as the size of the context.
    fn level(_state: &Self::State) -> Option<u64> {
        None
    }

    /// The same as [`Machine::ending`], from what the checks remember of a log, for `check`, which has no states.
    fn ending_after_checks(_ledger: &Self::Ledger) -> Option<Ending> {
        None
    }

    /// What the event says. It is an entry of the conversation if the vocabulary lists its kind as a speaker.
    fn said(_event: &Self::Event<'_>) -> Option<Utterance> {
        None
    }

    /// Emits the effects of a step, given the state before it. Returns the outcome if the event halts the turn.
    fn effects(_before: &Self::State, _event: &Self::Event<'_>, _emit: &mut Emit<'_>) -> Option<Value> {
        None
    }

    /// Changes the state to the one after the step.
    fn apply(state: &mut Self::State, at: Seq, event: &Self::Event<'_>);

    /// Like [`Machine::apply`], and returns the fields that changed.
    fn apply_with_changes(state: &mut Self::State, at: Seq, event: &Self::Event<'_>) -> FieldSet {
        let before = state.clone();
        Self::apply(state, at, event);
        Self::changed(&before, state)
    }

    /// The fields in which two states differ. Dialects with large states compare them without building values.
    fn changed(before: &Self::State, after: &Self::State) -> FieldSet {
        let mut set = FieldSet::default();
        for field in Self::vocabulary().field_ids() {
            if Self::value(before, field) != Self::value(after, field) {
                set.insert(field);
            }
        }
        set
    }

    fn value(state: &Self::State, field: FieldId) -> Value;

    /// Where the value of a field comes from in this log.
    fn origin(_state: &Self::State, _field: FieldId) -> Origin {
        Origin::Unstated
    }

    /// A value for display in about `most` characters; omissions are marked.
    fn brief(state: &Self::State, field: FieldId, most: usize) -> String {
        let text = match Self::value(state, field) {
            Value::String(text) => text,
            value => value.to_string(),
        };
        match text.char_indices().nth(most) {
            Some(_) => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
            None => text,
        }
    }

    /// The change of a field by a step, for display: `3→4`, `+c-1 −c-2`.
    fn write_change(before: &Self::State, after: &Self::State, field: FieldId, out: &mut String) {
        const MOST: usize = 40;
        out.push_str(&format!("{}→{}", Self::brief(before, field, MOST), Self::brief(after, field, MOST)));
    }

    /// The step that the state is in, if the dialect counts steps.
    fn step_in_force(_state: &Self::State) -> u32 {
        0
    }

    /// The open obligations, oldest first, at most `most` of them, and their total number.
    fn obligations(_state: &Self::State, _most: usize) -> (Vec<Obligation>, usize) {
        (Vec::new(), 0)
    }

    /// The approximate number of entries in the state's growing sets: the cost of a keyframe.
    fn entries(_state: &Self::State) -> usize {
        1
    }

    /// Whether [`Machine::check_removed`] needs to be called.
    const CLOSES_GAPS: bool = false;

    /// Sees an event that was left out of a log, before those after it. For dialects whose records refer to each other:
    /// a log is written as if the event had never been there (`Relinker`), and is checked so, too.
    fn check_removed(_ledger: &mut Self::Ledger, _event: &Self::Event<'_>) {}

    /// Whether a shortened event may replace the original one: both must be about the same things.
    fn is_alike(event: &Self::Event<'_>, other: &Self::Event<'_>) -> bool {
        let names = |event: &Self::Event<'_>| {
            Self::about(event, |about| {
                (about.kind, about.turn.map(str::to_owned), about.step, about.call.map(str::to_owned))
            })
        };
        names(event) == names(other)
    }

    fn check(ledger: &mut Self::Ledger, at: Seq, event: &Self::Event<'_>);

    /// Sees a record that wraps something, before [`Machine::check`] sees the event in it. `is_event` is false if that is
    /// not an event. For dialects that check the numbers in the wrapping.
    fn check_wrapping(_ledger: &mut Self::Ledger, _at: Seq, _record: &[u8], _is_event: bool) {}

    fn check_malformed(ledger: &mut Self::Ledger, at: Seq, place: Place, malformed: &Malformed) {
        Self::findings(ledger).push(damage::malformed(at, place, &malformed.reason));
    }

    /// The findings so far that no later event can change.
    fn findings(ledger: &mut Self::Ledger) -> &mut Findings;

    /// The findings that depend on the end of the log, if it ended here. The ledger can continue afterwards.
    fn findings_at_end(ledger: &mut Self::Ledger) -> Findings {
        Self::findings(ledger).continued()
    }
}

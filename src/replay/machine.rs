//! The rules of a dialect: how its records become events, what stepping over them does, what its checks say.
//!
//! Everything else (the timeline, the debugger, comparing, minimizing) is written once over this trait. A dialect
//! implements the methods without a default; the others are for what only some dialects have.

use serde_json::Value;

use super::finding::Findings;
use super::imprint::{Imprint, Names};
use super::utterance::Utterance;
use super::vocabulary::{EffectId, FieldId, FieldSet, KindId, Vocabulary};
use super::{Place, Seq, damage};

/// Why a record is no event. It keeps its place in the log all the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Malformed {
    pub reason: String,
    /// Byte of the record at which decoding stopped.
    pub byte: usize,
    /// The record's tag, when it is one that nobody knows: a newer writer rather than damage.
    pub unknown_kind: Option<String>,
}

/// What the index keeps of an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About<'e> {
    pub kind: KindId,
    pub turn: Option<&'e str>,
    /// The step that the event names, if it names one.
    pub step: Option<u32>,
    /// The call that the event is about, if it is about one.
    pub call: Option<&'e str>,
}

/// One effect as it is shown. Made from the event when somebody looks.
pub trait Effect {
    fn to_json(&self) -> Value;
    /// One line for a person: the payload without the kind.
    fn write_detail(&self, out: &mut String);
}

/// One open promise and the event that made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obligation {
    pub what: &'static str,
    pub subject: std::sync::Arc<str>,
    pub since: Seq,
}

/// What an event belongs to when a log is taken apart: taking away only some of the events of one unit would make up
/// contradictions of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Unit {
    /// Without it there is no log: it always stays. Only the first event of a log can be so.
    Fixed,
    /// It stands around others that name the same thing, and goes after them.
    Frame(u64),
    /// All events with this number go together.
    Of(u64),
    Alone,
}

/// Takes the effects of a step, in their order.
pub(crate) type Emit<'s> = dyn FnMut(EffectId, &dyn Effect) + 's;

/// A dialect's rules. Pure, total, deterministic: no IO, no clock, and no `Result` but the decoder's, which says
/// that a record is no event.
pub(crate) trait Machine: 'static {
    type Event<'a>: Send + Sync;
    /// What decoding may remember of the records before, and where it finds what stands beside them. What it remembers
    /// never changes what a record decodes to.
    type Decoder: Clone + Default + Send + Sync;
    /// All that stepping needs, and all that a moment shows. Cloning costs the same however long the log is.
    type State: Clone + Default + Send + Sync;
    /// What the checks have to remember. It sees each event once, in the forward pass only. Whoever tries many logs
    /// that begin alike goes on from a clone.
    type Ledger: Clone + Send + Sync;

    /// Its words. Their number is limited, which the compiler checks ([`Vocabulary::is_within_limits`]).
    const VOCABULARY: &'static Vocabulary;

    fn vocabulary() -> &'static Vocabulary {
        const { assert!(Self::VOCABULARY.is_within_limits(), "too many kinds, fields or effects") };
        Self::VOCABULARY
    }

    fn decode<'a>(decoder: &mut Self::Decoder, record: &'a [u8]) -> Result<Self::Event<'a>, Malformed>;

    /// Tells `visit` what the index keeps of an event.
    fn about<T>(event: &Self::Event<'_>, visit: impl FnOnce(About<'_>) -> T) -> T;

    /// Which event of its run this is, whatever it says: its kind and what it is about. Whoever compares two runs pairs
    /// events by it. Names that every run makes up anew count only where they are exact.
    fn identity(event: &Self::Event<'_>, names: Names) -> u64;

    /// What the event says, in a few numbers. The vocabulary lists what of it is no content.
    fn imprint(event: &Self::Event<'_>) -> Imprint;

    /// What the event belongs to when a log is taken apart.
    fn unit(_event: &Self::Event<'_>) -> Unit {
        Unit::Alone
    }

    /// The event as the dialect understands it: the members that are compared.
    fn to_json(event: &Self::Event<'_>) -> Value;

    /// What a person wants to know of an event at a glance, its kind aside. The texts are the log's own.
    fn summary(event: &Self::Event<'_>) -> String;

    /// A record with what it only refers to put in, where the decoder knows where that stands.
    fn in_full(_: &Self::Decoder, _: &[u8]) -> Option<Vec<u8>> {
        None
    }

    /// How a call ended and how long it took, if the event ends one.
    fn outcome(_event: &Self::Event<'_>) -> Option<String> {
        None
    }

    /// What an event adds to the conversation. Only kinds that the vocabulary calls speakers are asked.
    fn said(_event: &Self::Event<'_>) -> Option<Utterance> {
        None
    }

    /// What a step asks for in the state before it. Answers the outcome if the event halts the turn.
    fn effects(_before: &Self::State, _event: &Self::Event<'_>, _emit: &mut Emit<'_>) -> Option<Value> {
        None
    }

    /// The state after a step.
    fn apply(state: &mut Self::State, at: Seq, event: &Self::Event<'_>);

    /// The same, and the fields that it changed.
    fn apply_telling(state: &mut Self::State, at: Seq, event: &Self::Event<'_>) -> FieldSet {
        let before = state.clone();
        Self::apply(state, at, event);
        Self::changed(&before, state)
    }

    /// The fields in which two states differ. A dialect whose states are large compares them without making values.
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

    /// A value for a person in about `most` characters; what is left out is said.
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

    /// What a step did to a field, for people: `3→4`, `+c-1 −c-2`.
    fn write_change(before: &Self::State, after: &Self::State, field: FieldId, out: &mut String) {
        const MOST: usize = 40;
        out.push_str(&format!("{}→{}", Self::brief(before, field, MOST), Self::brief(after, field, MOST)));
    }

    /// The step that the state is in, where the dialect counts steps.
    fn step_in_force(_state: &Self::State) -> u32 {
        0
    }

    /// What is open, oldest first, at most `most` of it, and how much there is.
    fn obligations(_state: &Self::State, _most: usize) -> (Vec<Obligation>, usize) {
        (Vec::new(), 0)
    }

    /// About how many entries the state's growing sets hold: what a keyframe may cost.
    fn entries(_state: &Self::State) -> usize {
        1
    }

    fn check(ledger: &mut Self::Ledger, at: Seq, event: &Self::Event<'_>);

    fn check_malformed(ledger: &mut Self::Ledger, at: Seq, place: Place, malformed: &Malformed) {
        Self::findings(ledger).push(damage::malformed(at, place, &malformed.reason));
    }

    /// What has been found so far and stands whatever follows.
    fn findings(ledger: &mut Self::Ledger) -> &mut Findings;

    /// What only the end can tell, if the log ended here. The ledger can go on afterwards.
    fn findings_at_end(ledger: &mut Self::Ledger) -> Findings {
        Self::findings(ledger).continued()
    }
}

//! Happenings: changes that an event made to the state, in the form that the checks need.
//!
//! Stepping decides what counts: whether a line begins a message, repeats a call, or is a copy. The checks only listen,
//! so that the state and the findings cannot disagree.

use std::sync::Arc;

use super::turns::{TurnBy, TurnOutcome};
use crate::agent::block::Outcome;
use crate::json::raw::RawText;
use crate::replay::Seq;

#[derive(Clone, Debug)]
pub(crate) enum Happening<'e> {
    /// The record is a copy from the session that this one continues; nothing else happens in it.
    Copied {
        is_first: bool,
    },
    /// Another session's header.
    OtherSession {
        thread: Option<RawText<'e>>,
    },
    /// The beginning of the history is in another file.
    BaseElsewhere {
        thread: Option<RawText<'e>>,
    },
    TurnBegan {
        by: TurnBy,
    },
    /// The file says that a turn is over.
    TurnEnded,
    TurnClosed {
        outcome: TurnOutcome,
    },
    /// A turn whose end the file should state began another one.
    TurnUnfinished {
        began: Seq,
        id: Option<Arc<str>>,
    },
    Interrupted,
    /// The user line repeats an earlier one.
    LineReplayed,
    /// A new answer of the model; `at` is its first record.
    StepBegan {
        at: Seq,
        is_side: bool,
    },
    /// The size of the context at a new step, and at the step before it.
    ContextKnown {
        before: u64,
        after: u64,
        is_same_model: bool,
        is_compacted: bool,
    },
    UsageDiffers {
        before: u64,
        after: u64,
    },
    /// The running total fell without a reason.
    TotalFell {
        before: u64,
        after: u64,
    },
    CountRepeated,
    CountWithoutNumbers,
    /// A running total or a record with new numbers.
    UsageCounted,
    CallPlanned {
        planned: PlannedCall,
        had_result: bool,
    },
    CallReplayed {
        first: Seq,
    },
    CallDuplicated {
        call: RawText<'e>,
        tool: Arc<str>,
        first: Seq,
    },
    ResultReplayed {
        first: Seq,
    },
    ResultConflicts {
        call: RawText<'e>,
        first: Seq,
    },
    /// A call and its result are both known.
    Resolved(ResolvedCall),
    /// The text of a result and the program's report disagree about the exit code.
    StatusConflict {
        call: RawText<'e>,
        result: Seq,
        report: Seq,
        in_text: i64,
        in_report: i64,
    },
    Steered,
    Queued,
}

#[derive(Clone, Debug)]
pub(crate) struct PlannedCall {
    pub key: u64,
    pub tool: Arc<str>,
    /// Identifies the tool and its input.
    pub input: u64,
    /// It only asks how another call stands.
    pub is_poll: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct ResolvedCall {
    pub tool: Arc<str>,
    pub outcome: Outcome,
    pub planned: Seq,
    pub result: Seq,
    /// The time between the two records, in milliseconds. It includes waiting for a permission.
    pub lasted: Option<u64>,
}

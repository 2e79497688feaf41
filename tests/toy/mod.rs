//! Lift logs: a toy dialect in one file, which proves that a dialect is a folder and a row.
//!
//! A lift writes a JSON line for each call, stop and door movement. Only the tests know this dialect. The walk-through
//! in ARCHITECTURE.md follows this file from top to bottom; `proof` uses it with every part of stepback.

mod proof;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::dialect::Dialect;
use crate::dialect::container::{Shape, Wrapping};
use crate::dialect::diff::Diffing;
use crate::dialect::export::ExportColumn;
use crate::dialect::recognize::{Certainty, Recognized};
use crate::dialect::report;
use crate::dialect::sidecar::no_sidecars;
use crate::replay::check_pass::glance;
use crate::replay::finding::{Finding, Findings};
use crate::replay::imprint::{Drifting, Names};
use crate::replay::machine::{About, Machine, Malformed};
use crate::replay::vocabulary::{Concern, FieldId, KindId, KindWord, LaneId, LaneWord, Vocabulary};
use crate::replay::{Seq, damage};

/// One event. `lift` is its tag.
#[derive(Serialize, Deserialize)]
#[serde(tag = "lift", rename_all = "lowercase")]
enum LiftEvent {
    Called { floor: i64, note: Option<String> },
    Moved { floor: i64, took_ms: u64 },
    Opened,
    Closed,
}

static VOCABULARY: Vocabulary = Vocabulary {
    tag: &["lift"],
    untagged: &[],
    kinds: &[
        KindWord::new("called", "called", LaneId(0)),
        KindWord::new("moved", "moved", LaneId(1)),
        KindWord::new("opened", "opened", LaneId(2)),
        KindWord::new("closed", "closed", LaneId(2)),
    ],
    lanes: &[
        LaneWord::new("calls", Concern::User),
        LaneWord::new("motion", Concern::Process),
        LaneWord::new("doors", Concern::Tool),
    ],
    fields: &["floor", "doors", "calls"],
    drifting: Drifting { names: &[], drift: &["took_ms"] },
    ..Vocabulary::NONE
};

crate::replay::check::checks! {
    MOVED_OPEN "lift/moved-open" Critical
        "the lift moved to floor {floor} with open doors"
        "The lift moved although its doors were open. Look at the event that opened them."
    NEVER_SERVED "lift/never-served" Warning
        "the call to floor {floor} was never served"
        "The log ends before the lift reached the floor that a person called it to."
}

#[derive(Clone, Default)]
struct LiftState {
    floor: i64,
    is_open: bool,
    calls: u64,
}

/// The memory of the checks: where the doors were opened, and the calls that wait.
#[derive(Clone, Default)]
struct LiftLedger {
    findings: Findings,
    opened: Option<Seq>,
    waiting: Vec<(i64, Seq)>,
}

struct Lift;

impl Machine for Lift {
    type Event<'a> = LiftEvent;
    type Decoder = ();
    type State = LiftState;
    type Ledger = LiftLedger;

    const VOCABULARY: &'static Vocabulary = &VOCABULARY;

    fn decode(_: &mut (), record: &[u8]) -> Result<LiftEvent, Malformed> {
        Ok(serde_json::from_slice(record)?)
    }

    fn about<T>(event: &LiftEvent, visit: impl FnOnce(About<'_>) -> T) -> T {
        let kind = match event {
            LiftEvent::Called { .. } => 0,
            LiftEvent::Moved { .. } => 1,
            LiftEvent::Opened => 2,
            LiftEvent::Closed => 3,
        };
        visit(About { kind: KindId(kind), turn: None, step: None, call: None })
    }

    fn identity(event: &LiftEvent, _: Names) -> u64 {
        Lift::about(event, |about| u64::from(about.kind.0))
    }

    fn to_json(event: &LiftEvent) -> Value {
        json!(event)
    }

    fn summary(event: &LiftEvent) -> String {
        match event {
            LiftEvent::Called { floor, note: Some(note) } => format!("to floor {floor}: {note}"),
            LiftEvent::Called { floor, .. } | LiftEvent::Moved { floor, .. } => format!("to floor {floor}"),
            LiftEvent::Opened | LiftEvent::Closed => "the doors".to_owned(),
        }
    }

    fn apply(state: &mut LiftState, _: Seq, event: &LiftEvent) {
        match event {
            LiftEvent::Called { .. } => state.calls += 1,
            LiftEvent::Moved { floor, .. } => state.floor = *floor,
            LiftEvent::Opened => state.is_open = true,
            LiftEvent::Closed => state.is_open = false,
        }
    }

    fn value(state: &LiftState, field: FieldId) -> Value {
        match VOCABULARY.field_name(field) {
            "floor" => json!(state.floor),
            "doors" => json!(if state.is_open { "open" } else { "closed" }),
            _ => json!(state.calls),
        }
    }

    fn check(ledger: &mut LiftLedger, at: Seq, event: &LiftEvent) {
        match event {
            LiftEvent::Called { floor, .. } => ledger.waiting.push((*floor, at)),
            LiftEvent::Moved { floor, .. } => {
                ledger.waiting.retain(|(wanted, _)| wanted != floor);
                if let Some(opened) = ledger.opened {
                    let finding = Finding::new(&MOVED_OPEN, [at, opened]).about("floor", floor.to_string());
                    ledger.findings.push(finding.expected("closed doors").actual("open doors"));
                }
            }
            LiftEvent::Opened => ledger.opened = Some(at),
            LiftEvent::Closed => ledger.opened = None,
        }
    }

    fn findings(ledger: &mut LiftLedger) -> &mut Findings {
        &mut ledger.findings
    }

    fn findings_at_end(ledger: &mut LiftLedger) -> Findings {
        let mut findings = ledger.findings.continued();
        for (floor, at) in &ledger.waiting {
            let finding = Finding::new(&NEVER_SERVED, [*at]).about("floor", floor.to_string());
            findings.push(finding.expected("the lift at the floor").actual("the end of the log"));
        }
        findings
    }
}

/// The row: everything that the rest of stepback knows about the dialect.
pub(super) static DIALECT: Dialect = Dialect {
    name: "lift",
    title: "lift log",
    describes: "calls, stops and doors of a lift: JSON lines",
    looks: "a lift log is lines of objects with a `lift`",
    recognize: |sample| sample.has("lift").then_some(Recognized::event(Certainty::Sure, Wrapping::Bare)),
    shapes: &[Shape::Lines],
    joins_lines: false,
    documents: &[],
    in_sqlite: false,
    checks: CHECKS,
    vocabulary: &VOCABULARY,
    sidecars: no_sidecars::<Lift>,
    glance: glance::<Lift>,
    refuses: &[&damage::MALFORMED],
    torn_tail: |at, place, _| damage::torn_tail(at, place),
    report: &report::PLAIN,
    answers: &[],
    context: None,
    files: None,
    diff: Diffing::NONE,
    export: ExportColumn::PLAIN,
    relink: None,
    convert: &[],
    folder: None,
    family: None,
};

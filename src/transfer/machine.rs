//! The machine of transfers: what the timeline sees.

use serde_json::Value;

use super::checker::{TransferLedger, severity};
use super::event::{JournalEntry, ObservedState, TransferEvent};
use super::state::{FIELD_NAMES, FIELDS, TransferState, VIOLATED};
use crate::replay::Seq;
use crate::replay::caption::{Caption, Outcome};
use crate::replay::finding::Findings;
use crate::replay::imprint::Names;
use crate::replay::machine::{About, Machine, Malformed, Obligation};
use crate::replay::vocabulary::{Concern, FieldId, FieldSet, KindId, KindWord, LaneId, LaneWord, Vocabulary};

const STATE: KindId = KindId(0);
const ORACLE: KindId = KindId(1);
const VIOLATION: KindId = KindId(2);

pub(crate) static VOCABULARY: Vocabulary = Vocabulary {
    tag: &["transfer"],
    untagged: &[STATE],
    kinds: &[
        KindWord::new("state", "state", LaneId(0)),
        KindWord::new("oracle", "oracle", LaneId(1)),
        KindWord::new("violation", "violation", LaneId(2)),
    ],
    lanes: &[
        LaneWord::new("states", Concern::Exchange),
        LaneWord::new("oracles", Concern::Rule),
        LaneWord::new("violations", Concern::Rule),
    ],
    fields: FIELD_NAMES,
    ..Vocabulary::NONE
};

fn kind(event: &TransferEvent) -> KindId {
    match event {
        TransferEvent::State(_) => STATE,
        TransferEvent::Journal(JournalEntry::Oracle(_)) => ORACLE,
        TransferEvent::Journal(JournalEntry::Violation(_)) => VIOLATION,
    }
}

/// A state on one line: what is wrong with it, the worst first.
fn state_line(state: &ObservedState) -> String {
    let ObservedState { journal_gaps, pending_operations, leaked_obligations, .. } = state;
    let wrong = [
        (state.manifest_hash != state.expected_manifest_hash).then(|| "manifest differs".to_owned()),
        (*leaked_obligations > 0).then(|| format!("leaked {leaked_obligations}")),
        (*journal_gaps > 0).then(|| format!("gaps {journal_gaps}")),
        (!state.path_outcomes_consistent).then(|| "paths disagree".to_owned()),
        (*pending_operations > 0).then(|| format!("pending {pending_operations}")),
    ];
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    if wrong.is_empty() { "satisfies every oracle".to_owned() } else { wrong.join(", ") }
}

/// Operations may be pending while a transfer is running; everything else must hold at any time.
fn state_outcome(state: &ObservedState) -> Outcome {
    let is_wrong = state.manifest_hash != state.expected_manifest_hash
        || state.journal_gaps > 0
        || state.leaked_obligations > 0
        || !state.path_outcomes_consistent;
    match (is_wrong, state.pending_operations) {
        (true, _) => Outcome::Error,
        (false, 0) => Outcome::Success,
        (false, _) => Outcome::Running,
    }
}

pub(crate) struct Transfer;

impl Machine for Transfer {
    type Event<'a> = TransferEvent;
    type Decoder = ();
    type State = TransferState;
    type Ledger = TransferLedger;

    const VOCABULARY: &'static Vocabulary = &VOCABULARY;

    fn decode(_: &mut (), record: &[u8]) -> Result<TransferEvent, Malformed> {
        TransferEvent::decode(record)
    }

    fn about<T>(event: &TransferEvent, visit: impl FnOnce(About<'_>) -> T) -> T {
        visit(About { kind: kind(event), turn: None, step: None, call: None })
    }

    fn identity(event: &TransferEvent, _: Names) -> u64 {
        let name = match event {
            TransferEvent::State(_) => return 0,
            TransferEvent::Journal(JournalEntry::Oracle(verdict)) => format!("oracle {}", verdict.oracle),
            TransferEvent::Journal(JournalEntry::Violation(violation)) => {
                format!("violation {} {}", violation.oracle, violation.r#type)
            }
        };
        let hash = blake3::hash(name.as_bytes());
        hash.as_bytes().iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
    }

    fn to_json(event: &TransferEvent) -> Value {
        event.to_json()
    }

    fn summary(event: &TransferEvent) -> String {
        match event {
            TransferEvent::State(state) => state_line(state),
            TransferEvent::Journal(JournalEntry::Oracle(verdict)) => {
                let word = if verdict.passed { "passed" } else { "failed" };
                format!("{} {word}, {} events recorded", verdict.oracle, verdict.events_recorded)
            }
            TransferEvent::Journal(JournalEntry::Violation(violation)) => {
                format!("{} {}: {}", violation.r#type, severity(violation).name(), violation.description)
            }
        }
    }

    fn caption(event: &TransferEvent) -> Caption {
        match event {
            TransferEvent::State(state) => Caption::new("", "").result(state_line(state)),
            TransferEvent::Journal(JournalEntry::Oracle(verdict)) => {
                let caption = Caption::new("", &*verdict.oracle).measure(format!("{} events", verdict.events_recorded));
                caption.result(if verdict.passed { "passed" } else { "failed" })
            }
            TransferEvent::Journal(JournalEntry::Violation(violation)) => {
                Caption::new("", &*violation.r#type).result(&*violation.description)
            }
        }
    }

    fn outcome(event: &TransferEvent) -> Option<Outcome> {
        let success = match event {
            TransferEvent::State(state) => return Some(state_outcome(state)),
            TransferEvent::Journal(JournalEntry::Oracle(verdict)) => verdict.passed,
            TransferEvent::Journal(JournalEntry::Violation(_)) => false,
        };
        Some(if success { Outcome::Success } else { Outcome::Error })
    }

    fn apply(state: &mut TransferState, at: Seq, event: &TransferEvent) {
        state.apply(at, event);
    }

    fn changed(before: &TransferState, after: &TransferState) -> FieldSet {
        let mut set = FieldSet::default();
        for field in before.suspects(after) {
            let value = FIELDS[field as usize].1;
            if value(before) != value(after) {
                set.insert(FieldId(field));
            }
        }
        set
    }

    fn value(state: &TransferState, field: FieldId) -> Value {
        (FIELDS[field.0 as usize].1)(state)
    }

    fn brief(state: &TransferState, field: FieldId, most: usize) -> String {
        let text = match Self::value(state, field) {
            Value::String(text) => text,
            _ if field.0 == VIOLATED => state.violated().collect::<Vec<_>>().join(" "),
            value => value.to_string(),
        };
        match text.char_indices().nth(most) {
            Some(_) => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
            None => text,
        }
    }

    /// Oracles that are violated now are marked with `+`, those that no longer are with `−`.
    fn write_change(before: &TransferState, after: &TransferState, field: FieldId, out: &mut String) {
        const MOST: usize = 40;
        if field.0 != VIOLATED {
            out.push_str(&format!("{}→{}", Self::brief(before, field, MOST), Self::brief(after, field, MOST)));
            return;
        }
        let new = after.violated().filter(|name| !before.violated().any(|known| known == *name));
        let gone = before.violated().filter(|name| !after.violated().any(|known| known == *name));
        let words: Vec<String> =
            new.map(|name| format!("+{name}")).chain(gone.map(|name| format!("−{name}"))).collect();
        out.push_str(&words.join(" "));
    }

    fn obligations(state: &TransferState, most: usize) -> (Vec<Obligation>, usize) {
        let mut open = state.obligations();
        let total = open.len();
        open.truncate(most);
        (open, total)
    }

    fn check(ledger: &mut TransferLedger, at: Seq, event: &TransferEvent) {
        match event {
            TransferEvent::State(state) => ledger.see_state(at, state),
            TransferEvent::Journal(entry) => ledger.see_entry(at, entry),
        }
    }

    fn findings(ledger: &mut TransferLedger) -> &mut Findings {
        &mut ledger.findings
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transfer::event::tests::CLEAN;

    #[test]
    fn a_line_says_what_is_wrong_with_a_state() {
        let line = |text: &str| Transfer::summary(&Transfer::decode(&mut (), text.as_bytes()).expect("a state"));
        assert_eq!(line(CLEAN), "satisfies every oracle");
        let wrong = CLEAN.replacen("\"a\"", "\"b\"", 1).replace(":0", ":2").replace("true", "false");
        assert_eq!(line(&wrong), "manifest differs, leaked 2, gaps 2, paths disagree, pending 2");
    }

    #[test]
    fn stepping_shows_what_is_new_and_what_is_gone() {
        let pending = CLEAN.replace("operations\":0", "operations\":3");
        let leaking = CLEAN.replace("obligations\":0", "obligations\":1");
        let mut states = vec![TransferState::default()];
        for (at, line) in (0..).zip([CLEAN, &pending, &leaking]) {
            let mut state = states[at as usize].clone();
            Transfer::apply(&mut state, Seq(at), &Transfer::decode(&mut (), line.as_bytes()).expect("a state"));
            states.push(state);
        }
        let change = |at: usize| {
            let mut out = String::new();
            Transfer::write_change(&states[at], &states[at + 1], FieldId(VIOLATED), &mut out);
            out
        };
        assert_eq!([change(1), change(2)], ["+quiescence", "+obligation_leak −quiescence"]);
        let names = |at: usize| {
            let changed = Transfer::changed(&states[at], &states[at + 1]);
            changed.iter().map(|field| VOCABULARY.field_name(field)).collect::<Vec<_>>()
        };
        assert_eq!(names(1), ["pending_operations", "violated", "states"]);
        assert_eq!(names(0).len(), 7, "everything but the violated oracles and the journal");
        let (open, total) = Transfer::obligations(&states[2], 9);
        assert_eq!((open[0].what, &*open[0].subject, open[0].since, total), ("pending operations", "3", Seq(1), 1));
        assert_eq!(Transfer::obligations(&states[1], 9).1, 0);
    }
}

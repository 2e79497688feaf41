//! Laws of comparing two runs, over random logs that span several groups and contain damaged records.

use crate::tests::random::{events, lines};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};
use stepback::compare::drift::Drift;
use stepback::compare::run::{AlignedPair, AlignedRun, How, Side};
use stepback::compare::verdict::ComparisonVerdict;
use stepback::compare::{CompareOptions, Comparison, Trouble, members_at};
use stepback::loader::Loaded;
use stepback::log::{Log, Options};
use stepback::replay::Seq;
use stepback::replay::direction::Direction;
use stepback::replay::imprint::{Class, Names};
use stepback::replay::timeline::Replay;
use stepback::turn;
use stepback::turn::sidecar::TurnSidecars;

/// Records of a log: random events, some of them damaged.
fn records(most: usize) -> impl Strategy<Value = Vec<String>> {
    let order = prop::collection::vec((any::<Index>(), 0..40_u32), 1..most);
    (events(40), order).prop_map(|(pool, order)| {
        let record = |(pick, damage): (Index, u32)| match damage {
            0 => r#"{"event_type":"turn_ended","turn_id":7}"#.to_owned(),
            1 => r#"{"event_type":"nobody_knows","turn_id":"t1"}"#.to_owned(),
            _ if pool.is_empty() => json!({"event_type": "schema_version", "version": 1}).to_string(),
            _ => pool[pick.index(pool.len())].to_string(),
        };
        order.into_iter().map(record).collect()
    })
}

fn loaded(text: String) -> Loaded {
    let options = Options { dialect: Some(&turn::dialect::DIALECT), ..Options::default() };
    let log = Log::from_bytes("test".to_owned(), None, text.into_bytes(), &options).expect("a log");
    let loaded = Loaded::begin_log_only(log, false).expect("a pass");
    loaded.wait_to_end(|_| {}).expect("the end");
    loaded
}

fn as_lines(records: &[String]) -> Loaded {
    loaded(records.iter().map(|record| format!("{record}\n")).collect())
}

/// Two logs and their comparison.
struct Pair {
    left: Loaded,
    right: Loaded,
    comparison: Comparison,
}

impl Pair {
    fn of(left: &[String], right: &[String]) -> Pair {
        Pair::between(as_lines(left), as_lines(right))
    }

    fn between(left: Loaded, right: Loaded) -> Pair {
        let comparison = Comparison::between(&**left.replay(), &**right.replay()).expect("compared");
        Pair { left, right, comparison }
    }

    fn left(&self) -> &dyn Replay {
        &**self.left.replay()
    }

    fn right(&self) -> &dyn Replay {
        &**self.right.replay()
    }

    fn drift(&self) -> Drift {
        self.comparison.drift(self.left(), self.right()).expect("read")
    }

    fn verdict(&self) -> ComparisonVerdict {
        self.comparison.verdict(self.left(), self.right()).expect("read")
    }

    /// The paths that differ at a pair, by class.
    fn paths(&self, spot: AlignedPair, class: Class) -> Vec<String> {
        let members = members_at(self.left(), self.right(), spot.left, spot.right).expect("read");
        members.of(class).map(|member| member.path.clone()).collect()
    }

    /// The runs cover both logs, and each pair is what its run claims.
    fn assert_sound(&self) {
        let (mut left, mut right) = (0, 0);
        for run in self.comparison.runs() {
            assert_eq!((run.left, run.right), (left, right), "{:?}", self.comparison.runs());
            left += run.width(Side::Left);
            right += run.width(Side::Right);
            for spot in (0..run.count).map(|number| run.spot(number)) {
                let is_pair = matches!(run.how, How::Same | How::Changed);
                let differs = is_pair
                    && (!self.paths(spot, Class::Content).is_empty()
                        || self.comparison.names == Names::Exact && !self.paths(spot, Class::Name).is_empty());
                assert_eq!(differs, run.how == How::Changed, "{spot:?}");
            }
        }
        assert_eq!((left, right), (self.left().len(), self.right().len()));
    }
}

fn mirrored(run: &AlignedRun) -> (How, u32, u32, u32) {
    let how = match run.how {
        How::OnlyLeft => How::OnlyRight,
        How::OnlyRight => How::OnlyLeft,
        how => how,
    };
    (how, run.right, run.left, run.count)
}

/// Runs in a form that does not depend on which side of a gap comes first.
fn unordered(runs: impl Iterator<Item = (How, u32, u32, u32)>) -> Vec<(String, u32, u32)> {
    let mut list: Vec<_> = runs
        .map(|(how, left, right, count)| match how {
            // For a run on one side only that side's position counts: the other depends on the order.
            How::OnlyLeft => (how.name().to_owned(), left, count),
            How::OnlyRight => (how.name().to_owned(), right, count),
            _ => (format!("{} {left} {right}", how.name()), left, count),
        })
        .collect();
    list.sort();
    list
}

/// Where two lists diverge.
fn parting(left: &[String], right: &[String]) -> usize {
    left.iter().zip(right).take_while(|(one, two)| one == two).count()
}

/// An event that no builder generates.
fn stranger() -> String {
    json!({"event_type": "cycle_advanced", "turn_id": "t1", "from_cycle": 7, "to_cycle": 8, "reason": "a stranger"})
        .to_string()
}

proptest! {
    #![proptest_config(crate::tests::cases::cases!(12, "compare"))]

    #[test]
    fn a_log_is_the_same_as_itself(records in records(1400)) {
        let pair = Pair::of(&records, &records);
        prop_assert!(pair.comparison.is_same() && pair.comparison.first_divergence().is_none());
        prop_assert_eq!(pair.comparison.runs().len(), 1);
        prop_assert_eq!(pair.verdict(), ComparisonVerdict::Same);
        prop_assert_eq!(pair.drift(), Drift::default());
        // In another container, too.
        let decodable: Vec<String> = records.iter().filter(|record| !record.contains("nobody_knows")).cloned().collect();
        let values: Vec<Value> = decodable.iter().map(|record| serde_json::from_str(record).expect("JSON")).collect();
        if !values.is_empty() {
            let envelopes: Vec<Value> = values.iter().enumerate()
                .map(|(seq, event)| json!({"seq": seq, "ts_ms": seq * 7, "kind": "x", "event": event})).collect();
            let pair = Pair::between(as_lines(&decodable), loaded(serde_json::to_string_pretty(&values).expect("JSON")));
            // Records that are not events are compared by their bytes, including blanks.
            prop_assert!(pair.comparison.divergences().all(|spot| pair.left().row(spot.left).is_some_and(|row| row.kind.0 == 255)));
            let clean: Vec<String> = decodable.iter().filter(|record| !record.contains("\"turn_id\":7")).cloned().collect();
            let whole = Pair::between(as_lines(&decodable), loaded(lines(&envelopes)));
            prop_assert!(clean.len() != decodable.len() || whole.comparison.is_same());
        }
    }

    #[test]
    fn an_alignment_is_sound_and_does_not_depend_on_the_order_of_the_logs(
        one in records(700),
        two in records(700),
        cut in any::<Index>(),
    ) {
        // Partly equal: the beginning of one, the whole of the other, the end of the first again.
        let cut = cut.index(one.len());
        let mixed: Vec<String> = one[..cut].iter().chain(&two).chain(&one[cut..]).cloned().collect();
        for (left, right) in [(&one, &two), (&one, &mixed), (&mixed, &two)] {
            let pair = Pair::of(left, right);
            pair.assert_sound();
            let turned = Pair::of(right, left);
            let ours = pair.comparison.runs().iter().map(mirrored);
            let theirs = turned.comparison.runs().iter().map(|run| (run.how, run.left, run.right, run.count));
            prop_assert_eq!(unordered(ours), unordered(theirs));
            prop_assert_eq!(pair.comparison.divergence_count(), turned.comparison.divergence_count());
        }
    }

    #[test]
    fn an_additional_event_is_one_difference(records in records(1200), at in any::<Index>(), copied in any::<Option<Index>>()) {
        let mut longer = records.clone();
        let at = at.index(records.len() + 1);
        longer.insert(at, copied.map_or_else(stranger, |copied| records[copied.index(records.len())].clone()));
        // Among equal neighbours it is undefined which one is new: it is the first that does not fit.
        let place = Seq(parting(&records, &longer) as u32);
        let extra = Pair::of(&records, &longer);
        prop_assert_eq!(extra.comparison.divergences().collect::<Vec<_>>(), [AlignedPair { how: How::OnlyRight, left: place, right: place }]);
        let missing = Pair::of(&longer, &records);
        let spot = AlignedPair { how: How::OnlyLeft, left: place, right: place };
        prop_assert_eq!(missing.comparison.first_divergence(), Some(spot));
        prop_assert_eq!(missing.comparison.divergence_count(), 1);
        if copied.is_none() {
            prop_assert_eq!(missing.verdict(), ComparisonVerdict::Missing { spot });
        }
        prop_assert_eq!(missing.drift(), Drift::default());
    }

    #[test]
    fn one_changed_event_is_one_difference(records in records(1200), at in any::<Index>()) {
        let at = at.index(records.len());
        let mut event: Value = serde_json::from_str(&records[at]).expect("JSON");
        let member = ["result_preview", "text", "outcome", "token_budget", "tokens_used", "wave_idx", "block_count"]
            .into_iter().find(|member| event.get(member).is_some());
        let mut changed = records.clone();
        // Every kind has members besides those that identify it; these are the common ones.
        let Some(member) = member.filter(|_| event["event_type"] != "turn_ended") else { return Ok(()) };
        event[member] = match &event[member] {
            Value::Number(number) => json!(number.as_u64().expect("a number") + 1),
            _ if member == "outcome" => json!({"blocked": {"reason": "changed"}}),
            _ => json!("another text"),
        };
        changed[at] = event.to_string();
        let pair = Pair::of(&records, &changed);
        let spot = AlignedPair { how: How::Changed, left: Seq(at as u32), right: Seq(at as u32) };
        prop_assert_eq!(pair.comparison.divergences().collect::<Vec<_>>(), [spot]);
        let begins = format!(".{member}");
        let names_it = matches!(pair.verdict(), ComparisonVerdict::Differs { path, .. } if path.starts_with(&begins));
        prop_assert!(names_it, "{:?}", pair.verdict());
        let difference = pair.comparison.at(pair.left(), pair.right(), spot).expect("read").expect("a pair");
        prop_assert!(difference.members.list.iter().all(|found| found.path.starts_with(&begins)));
    }

    /// However one event of a log is replaced, the logs diverge there, whichever side comes first.
    #[test]
    fn logs_diverge_at_a_replaced_event(records in records(900), at in any::<Index>(), like in any::<Index>()) {
        let at = at.index(records.len());
        let mut other = records.clone();
        other[at] = if like.index(2) == 0 { stranger() } else { records[like.index(records.len())].clone() };
        let place = parting(&records, &other);
        let (pair, turned) = (Pair::of(&records, &other), Pair::of(&other, &records));
        if place == records.len() {
            prop_assert!(pair.comparison.is_same() && turned.comparison.is_same());
            return Ok(());
        }
        for pair in [&pair, &turned] {
            let first = pair.comparison.first_divergence().expect("a difference");
            prop_assert_eq!((first.left, first.right), (Seq(at as u32), Seq(at as u32)));
            // At most two: the removed event, and its replacement.
            prop_assert!(pair.comparison.divergence_count() <= 2, "{:?}", pair.comparison.runs());
            pair.assert_sound();
        }
    }

    /// A difference longer than the window is aligned piece by piece: perhaps less precisely, never wrongly.
    #[test]
    fn small_windows_align_soundly(one in records(300), two in records(300), window in 2..80_u32, at in any::<Index>()) {
        let mixed: Vec<String> = one.iter().chain(&two).chain(&one).cloned().collect();
        for (left, right) in [(&one, &two), (&one, &mixed), (&mixed, &two)] {
            let mut pair = Pair::of(left, right);
            let whole = pair.comparison.first_divergence();
            pair.comparison =
                Comparison::made(pair.left(), pair.right(), CompareOptions { window, ..CompareOptions::default() }).expect("compared");
            pair.assert_sound();
            prop_assert_eq!(pair.comparison.is_same(), whole.is_none());
            let place = |spot: AlignedPair| spot.order();
            prop_assert_eq!(pair.comparison.first_divergence().map(place), whole.map(place));
        }
        // Small and far apart: no window contains both, and each is still found.
        let mut other = mixed.clone();
        other.insert(0, stranger());
        other.insert(1 + at.index(mixed.len()), stranger());
        let pair = Pair::of(&mixed, &other);
        let way = CompareOptions { window, ..CompareOptions::default() };
        let pieces = Comparison::made(pair.left(), pair.right(), way).expect("compared");
        prop_assert!(pieces.divergence_count() >= pair.comparison.divergence_count());
        if !pieces.is_coarse {
            prop_assert_eq!(pieces.count(How::OnlyRight), pieces.count(How::OnlyLeft) + 2);
        }
    }

    #[test]
    fn drift_is_not_a_difference(records in records(1200), more in 1..1000_u64) {
        let mut drifted = 0;
        let later: Vec<String> = records.iter().map(|record| {
            let mut event: Value = serde_json::from_str(record).expect("JSON");
            if let Some(duration) = event.get("duration_ms").and_then(Value::as_u64) {
                event["duration_ms"] = json!(duration + more);
                drifted += 1;
            }
            event.to_string()
        }).collect();
        // The keys of records that are not events may have moved.
        let same_damage: Vec<String> = records.iter().map(|record| serde_json::from_str::<Value>(record).expect("JSON").to_string()).collect();
        let pair = Pair::of(&same_damage, &later);
        prop_assert_eq!(pair.verdict(), ComparisonVerdict::Same);
        let drift = pair.drift();
        prop_assert_eq!(drift.events, drifted);
        prop_assert!(drift.members.keys().all(|path| path == ".duration_ms"));
        if let Some(member) = drift.members.get(".duration_ms") {
            let (left, right) = member.sums.expect("numbers");
            prop_assert_eq!(right - left, (more * drifted) as f64);
        }
    }

    #[test]
    fn a_run_with_its_own_names_has_the_same_content(records in records(900)) {
        let anew: Vec<String> = records.iter().map(|record| {
            let mut event: Value = serde_json::from_str(record).expect("JSON");
            for name in ["turn_id", "call_id", "artifact_id"] {
                if let Some(id) = event.get(name).and_then(Value::as_str) {
                    event[name] = json!(format!("anew-{id}"));
                }
            }
            event.to_string()
        }).collect();
        let is_event = |record: &&String| !record.contains("nobody_knows") && !record.contains("\"turn_id\":7");
        let clean = |records: &[String]| records.iter().filter(is_event).cloned().collect::<Vec<_>>();
        let (one, two) = (clean(&records), clean(&anew));
        let pair = Pair::of(&one, &two);
        prop_assert_eq!(pair.verdict(), ComparisonVerdict::Same);
        let has_turn = one.iter().any(|record| record.contains("turn_id"));
        prop_assert_eq!(pair.comparison.names, if has_turn { Names::Fresh } else { Names::Exact });
        prop_assert_eq!(pair.drift().events > 0, has_turn);
        // With exact names, the names differ.
        let exact = Comparison::made(pair.left(), pair.right(), CompareOptions { names: Some(Names::Exact), ..CompareOptions::default() }).expect("compared");
        prop_assert_eq!(exact.is_same(), !has_turn);
    }

    #[test]
    fn navigation_visits_every_difference_in_both_directions(one in records(300), two in records(300)) {
        let pair = Pair::of(&one, &two);
        let all: Vec<AlignedPair> = pair.comparison.divergences().collect();
        for (number, spot) in all.iter().enumerate() {
            prop_assert_eq!(pair.comparison.next(*spot, Direction::Forward), all.get(number + 1).copied());
            prop_assert_eq!(pair.comparison.next(*spot, Direction::Backward), number.checked_sub(1).map(|before| all[before]));
        }
        let spots: Vec<AlignedPair> =
            pair.comparison.runs().iter().flat_map(|run| (0..run.count).map(|number| run.spot(number))).collect();
        prop_assert!(spots.windows(2).all(|two| two[0].order() < two[1].order()));
        prop_assert_eq!((pair.comparison.first(), pair.comparison.last()), (spots.first().copied(), spots.last().copied()));
        for (number, spot) in spots.iter().enumerate() {
            for side in Side::BOTH {
                if let Some(at) = spot.event(side) {
                    prop_assert_eq!(pair.comparison.spot(side, at), Some(*spot));
                }
            }
            for by in [0, 1, -1, 2, -7, 40, -40, i64::from(u32::MAX), -i64::from(u32::MAX)] {
                let wanted = (number as i64 + by).clamp(0, spots.len() as i64 - 1) as usize;
                prop_assert_eq!(pair.comparison.step(*spot, by), spots[wanted]);
            }
            let passed = spots[..=number].iter().filter(|spot| spot.how != How::Same).count() as u64;
            prop_assert_eq!(pair.comparison.divergences_up_to(*spot), passed);
            let (before, after) = pair.comparison.around(*spot, 3);
            prop_assert_eq!(&before[..], &spots[number.saturating_sub(3)..number]);
            prop_assert_eq!(&after[..], &spots[number + 1..spots.len().min(number + 4)]);
        }
    }
}

#[test]
fn an_empty_log_lacks_everything() {
    let some = [stranger(), stranger()];
    let pair = Pair::of(&some, &[]);
    let run = AlignedRun { how: How::OnlyLeft, left: 0, right: 0, count: 2 };
    assert_eq!(pair.comparison.runs(), [run]);
    assert!(matches!(pair.verdict(), ComparisonVerdict::Missing { .. }));
    assert!(Pair::of(&[], &[]).comparison.is_same());
}

#[test]
fn damage_at_the_point_of_divergence_is_reported() {
    let whole = [stranger(), json!({"event_type": "schema_version", "version": 1}).to_string()];
    let broken = [stranger(), "{\"event_type\":\"schema_ver".to_owned()];
    let pair = Pair::of(&whole, &broken);
    let verdict = pair.verdict();
    // The event is missing on the left, and a damaged record is on the right; in either order, damage is reported.
    assert!(matches!(verdict, ComparisonVerdict::Damaged { side: Side::Right, .. }), "{verdict:?}");
    assert!(verdict.sentence(pair.left(), pair.right()).contains("damaged"));
}

#[test]
fn a_log_that_is_still_being_read_is_not_compared() {
    use std::sync::Arc;
    use stepback::dialect::sidecar::Sidecars;
    let whole = as_lines(&[stranger()]);
    let (unread, _feed) = TurnSidecars::default().begin(Arc::clone(whole.replay().source()));
    let refused = Comparison::between(&*unread, &**whole.replay());
    assert_eq!(refused, Err(Trouble::Unfinished(Side::Left)));
}

/// A call of a turn, from its plan to its result.
fn call(turn: &str, id: &str) -> [String; 2] {
    let decision = json!({"approval_required": false, "parallel_eligible": true, "read_only": true});
    [
        json!({"event_type": "tool_call_planned", "turn_id": turn, "step_idx": 1, "call_id": id, "tool_name": "read_file",
            "input_json": "{}", "decision": decision}),
        json!({"event_type": "tool_call_finished", "turn_id": turn, "call_id": id, "tool_name": "read_file",
            "outcome": "success", "duration_ms": 1, "wrote_state": false, "result_preview": "x"}),
    ]
    .map(|event| event.to_string())
}

#[test]
fn generated_names_correspond_one_to_one() {
    let log = |turn: &str, ids: [&str; 4]| {
        let (one, two, three, four) = (call(turn, ids[0]), call(turn, ids[1]), call(turn, ids[2]), call(turn, ids[3]));
        [one[0].clone(), two[0].clone(), three[1].clone(), four[1].clone()]
    };
    let left = log("t1", ["c1", "c2", "c1", "c2"]);
    assert!(Pair::of(&left, &log("t2", ["d9", "d8", "d9", "d8"])).comparison.is_same());
    // Each result goes to the other call, however similar the calls are.
    let crossed = Pair::of(&left, &log("t2", ["d9", "d8", "d8", "d9"]));
    let spot = |at| AlignedPair { how: How::Changed, left: Seq(at), right: Seq(at) };
    assert_eq!(crossed.comparison.divergences().collect::<Vec<_>>(), [spot(2), spot(3)]);
    assert_eq!(crossed.verdict(), ComparisonVerdict::Differs { spot: spot(2), path: ".call_id".to_owned() });
    // Two calls of one log are a single call in the other, and the reverse.
    let merged = log("t2", ["d9", "d9", "d9", "d9"]);
    assert_eq!(Pair::of(&left, &merged).comparison.divergences().collect::<Vec<_>>(), [spot(1), spot(3)]);
    assert_eq!(Pair::of(&merged, &left).comparison.divergences().collect::<Vec<_>>(), [spot(1), spot(3)]);
    // Inconsistent names are not reported as drift.
    assert_eq!(crossed.drift().events, 2);
}

#[test]
fn a_different_result_is_reported_with_its_fields() {
    let pair = Pair::of(&[stranger()], &[stranger()]);
    let vocabulary = pair.left().vocabulary();
    let mut fields = stepback::replay::vocabulary::FieldSet::default();
    fields.insert(vocabulary.field("outcome").expect("a field"));
    let sentence = ComparisonVerdict::OtherResult { fields }.sentence(pair.left(), pair.right());
    assert_eq!(sentence, "both logs have the same content, but replaying them gives different results: outcome");
    let effects = ComparisonVerdict::OtherResult { fields: Default::default() }.sentence(pair.left(), pair.right());
    assert!(effects.ends_with("other effects"), "{effects}");
    // This never happens for a turn log: its states contain nothing that drifts.
    let slow = call("t1", "c1").map(|event| event.replace("\"duration_ms\":1,", "\"duration_ms\":900,"));
    assert_eq!(Pair::of(&call("t1", "c1"), &slow).verdict(), ComparisonVerdict::Same);
}

#[test]
fn comparing_reports_progress_and_can_be_cancelled() {
    use std::cell::Cell;
    use std::ops::ControlFlow;
    let records: Vec<String> = std::iter::repeat_with(stranger).take(600).collect();
    // Neither end is the same, so everything must be compared.
    let [one, two] = call("t1", "c1");
    let around = |first: &String, count: usize, last: &String| -> Vec<String> {
        [first].into_iter().chain(&records[..count]).chain([last]).cloned().collect()
    };
    let (left, right) = (as_lines(&around(&one, 600, &two)), as_lines(&around(&two, 500, &one)));
    let seen = Cell::new(0);
    let watch = |events| {
        seen.set(seen.get().max(events));
        ControlFlow::Continue(())
    };
    let way = CompareOptions { watch: &watch, ..CompareOptions::default() };
    Comparison::made(&**left.replay(), &**right.replay(), way).expect("compared");
    assert!(seen.get() > 600, "{}", seen.get());
    let way = CompareOptions { watch: &|_| ControlFlow::Break(()), ..CompareOptions::default() };
    assert_eq!(Comparison::made(&**left.replay(), &**right.replay(), way), Err(Trouble::GaveUp));
}

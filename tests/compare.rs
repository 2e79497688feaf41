//! Laws of comparing two runs, over random logs that are long enough for groups, damaged records included.

mod support;

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};
use stepback::compare::drift::Drift;
use stepback::compare::run::{How, Run, Side, Spot};
use stepback::compare::verdict::Verdict;
use stepback::compare::{Comparison, Trouble, members_at};
use stepback::loader::Loaded;
use stepback::log::{Log, Options};
use stepback::replay::Seq;
use stepback::replay::imprint::{Class, Names};
use stepback::replay::timeline::Replay;
use stepback::turn::report::Beside;
use support::{events, lines};

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
    let options = Options { dialect: Some("turn"), ..Options::default() };
    let log = Log::from_bytes("test".to_owned(), None, text.into_bytes(), &options).expect("a log");
    let loaded = Loaded::begin(log, Beside::default(), false).expect("a pass");
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

    fn verdict(&self) -> Verdict {
        self.comparison.verdict(self.left(), self.right()).expect("read")
    }

    /// Paths that differ at a pair, by their class.
    fn paths(&self, spot: Spot, class: Class) -> Vec<String> {
        let members = members_at(self.left(), self.right(), spot.left, spot.right).expect("read");
        members.of(class).map(|member| member.path.clone()).collect()
    }

    /// The runs cover both logs, and each pair is what its run says.
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

fn mirrored(run: &Run) -> (How, u32, u32, u32) {
    let how = match run.how {
        How::OnlyLeft => How::OnlyRight,
        How::OnlyRight => How::OnlyLeft,
        how => how,
    };
    (how, run.right, run.left, run.count)
}

/// What a list of runs says whichever side of a gap comes first.
fn unordered(runs: impl Iterator<Item = (How, u32, u32, u32)>) -> Vec<(String, u32, u32)> {
    let mut list: Vec<_> = runs
        .map(|(how, left, right, count)| match how {
            // Of a run on one side only its place there counts: that on the other depends on what comes first.
            How::OnlyLeft => (how.name().to_owned(), left, count),
            How::OnlyRight => (how.name().to_owned(), right, count),
            _ => (format!("{} {left} {right}", how.name()), left, count),
        })
        .collect();
    list.sort();
    list
}

/// Where two lists part.
fn parting(left: &[String], right: &[String]) -> usize {
    left.iter().zip(right).take_while(|(one, two)| one == two).count()
}

/// An event that no builder makes.
fn stranger() -> String {
    json!({"event_type": "cycle_advanced", "turn_id": "t1", "from_cycle": 7, "to_cycle": 8, "reason": "a stranger"})
        .to_string()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_log_is_the_same_as_itself(records in records(1400)) {
        let pair = Pair::of(&records, &records);
        prop_assert!(pair.comparison.is_same() && pair.comparison.first_divergence().is_none());
        prop_assert_eq!(pair.comparison.runs().len(), 1);
        prop_assert_eq!(pair.verdict(), Verdict::Same);
        prop_assert_eq!(pair.drift(), Drift::default());
        // In another container too.
        let decodable: Vec<String> = records.iter().filter(|record| !record.contains("nobody_knows")).cloned().collect();
        let values: Vec<Value> = decodable.iter().map(|record| serde_json::from_str(record).expect("JSON")).collect();
        if !values.is_empty() {
            let envelopes: Vec<Value> = values.iter().enumerate()
                .map(|(seq, event)| json!({"seq": seq, "ts_ms": seq * 7, "kind": "x", "event": event})).collect();
            let pair = Pair::between(as_lines(&decodable), loaded(serde_json::to_string_pretty(&values).expect("JSON")));
            // Records that are no events are compared by their bytes, blanks included.
            prop_assert!(pair.comparison.divergences().all(|spot| pair.left().row(spot.left).is_some_and(|row| row.kind.0 == 255)));
            let clean: Vec<String> = decodable.iter().filter(|record| !record.contains("\"turn_id\":7")).cloned().collect();
            let whole = Pair::between(as_lines(&decodable), loaded(lines(&envelopes)));
            prop_assert!(clean.len() != decodable.len() || whole.comparison.is_same());
        }
    }

    #[test]
    fn an_alignment_is_sound_and_does_not_depend_on_who_comes_first(
        one in records(700),
        two in records(700),
        cut in any::<Index>(),
    ) {
        // Partly alike: the beginning of one, the whole of the other, the end of the first again.
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
    fn one_more_event_is_one_difference(records in records(1200), at in any::<Index>(), copied in any::<Option<Index>>()) {
        let mut longer = records.clone();
        let at = at.index(records.len() + 1);
        longer.insert(at, copied.map_or_else(stranger, |copied| records[copied.index(records.len())].clone()));
        // Among equal neighbours nobody can tell which one is new: it is the first that does not fit.
        let place = Seq(parting(&records, &longer) as u32);
        let extra = Pair::of(&records, &longer);
        prop_assert_eq!(extra.comparison.divergences().collect::<Vec<_>>(), [Spot { how: How::OnlyRight, left: place, right: place }]);
        let missing = Pair::of(&longer, &records);
        let spot = Spot { how: How::OnlyLeft, left: place, right: place };
        prop_assert_eq!(missing.comparison.first_divergence(), Some(spot));
        prop_assert_eq!(missing.comparison.divergence_count(), 1);
        if copied.is_none() {
            prop_assert_eq!(missing.verdict(), Verdict::Missing { spot });
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
        // Every kind has something that is not what it is known by, but these are the common ones.
        let Some(member) = member.filter(|_| event["event_type"] != "turn_ended") else { return Ok(()) };
        event[member] = match &event[member] {
            Value::Number(number) => json!(number.as_u64().expect("a number") + 1),
            _ if member == "outcome" => json!({"blocked": {"reason": "changed"}}),
            _ => json!("another text"),
        };
        changed[at] = event.to_string();
        let pair = Pair::of(&records, &changed);
        let spot = Spot { how: How::Changed, left: Seq(at as u32), right: Seq(at as u32) };
        prop_assert_eq!(pair.comparison.divergences().collect::<Vec<_>>(), [spot]);
        let begins = format!(".{member}");
        let names_it = matches!(pair.verdict(), Verdict::Differs { path, .. } if path.starts_with(&begins));
        prop_assert!(names_it, "{:?}", pair.verdict());
        let difference = pair.comparison.at(pair.left(), pair.right(), spot).expect("read").expect("a pair");
        prop_assert!(difference.members.list.iter().all(|found| found.path.starts_with(&begins)));
    }

    #[test]
    fn what_drifts_is_drift_only(records in records(1200), more in 1..1000_u64) {
        let mut drifted = 0;
        let later: Vec<String> = records.iter().map(|record| {
            let mut event: Value = serde_json::from_str(record).expect("JSON");
            if let Some(duration) = event.get("duration_ms").and_then(Value::as_u64) {
                event["duration_ms"] = json!(duration + more);
                drifted += 1;
            }
            event.to_string()
        }).collect();
        // Keys of records that are no events may have moved.
        let same_damage: Vec<String> = records.iter().map(|record| serde_json::from_str::<Value>(record).expect("JSON").to_string()).collect();
        let pair = Pair::of(&same_damage, &later);
        prop_assert_eq!(pair.verdict(), Verdict::Same);
        let drift = pair.drift();
        prop_assert_eq!(drift.events, drifted);
        prop_assert!(drift.members.keys().all(|path| path == ".duration_ms"));
        if let Some(member) = drift.members.get(".duration_ms") {
            let (left, right) = member.sums.expect("numbers");
            prop_assert_eq!(right - left, (more * drifted) as f64);
        }
    }

    #[test]
    fn a_run_with_names_of_its_own_says_the_same(records in records(900)) {
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
        prop_assert_eq!(pair.verdict(), Verdict::Same);
        let has_turn = one.iter().any(|record| record.contains("turn_id"));
        prop_assert_eq!(pair.comparison.names, if has_turn { Names::Fresh } else { Names::Exact });
        prop_assert_eq!(pair.drift().events > 0, has_turn);
        // Whoever insists on the names sees them.
        let exact = Comparison::by_names(pair.left(), pair.right(), Names::Exact).expect("compared");
        prop_assert_eq!(exact.is_same(), !has_turn);
    }

    #[test]
    fn walking_meets_every_difference_both_ways(one in records(300), two in records(300)) {
        let pair = Pair::of(&one, &two);
        let all: Vec<Spot> = pair.comparison.divergences().collect();
        for (number, spot) in all.iter().enumerate() {
            prop_assert_eq!(pair.comparison.next(*spot, true), all.get(number + 1).copied());
            prop_assert_eq!(pair.comparison.next(*spot, false), number.checked_sub(1).map(|before| all[before]));
        }
        let spots: Vec<Spot> =
            pair.comparison.runs().iter().flat_map(|run| (0..run.count).map(|number| run.spot(number))).collect();
        prop_assert!(spots.windows(2).all(|two| two[0].order() < two[1].order()));
        for (number, spot) in spots.iter().enumerate() {
            for side in Side::BOTH {
                if let Some(at) = spot.event(side) {
                    prop_assert_eq!(pair.comparison.spot(side, at), Some(*spot));
                }
            }
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
    let run = Run { how: How::OnlyLeft, left: 0, right: 0, count: 2 };
    assert_eq!(pair.comparison.runs(), [run]);
    assert!(matches!(pair.verdict(), Verdict::Missing { .. }));
    assert!(Pair::of(&[], &[]).comparison.is_same());
}

#[test]
fn damage_where_the_logs_part_is_told() {
    let whole = [stranger(), json!({"event_type": "schema_version", "version": 1}).to_string()];
    let broken = [stranger(), "{\"event_type\":\"schema_ver".to_owned()];
    let pair = Pair::of(&whole, &broken);
    let verdict = pair.verdict();
    // The event is gone on the left, the record is there on the right; whichever comes first, damage is the word for it.
    assert!(matches!(verdict, Verdict::Damaged { side: Side::Right, .. }), "{verdict:?}");
    assert!(verdict.sentence(pair.left(), pair.right()).contains("damaged"));
}

#[test]
fn a_log_that_is_still_read_is_not_compared() {
    use std::sync::Arc;
    use stepback::dialect::{Start, TURN};
    let whole = as_lines(&[stranger()]);
    let (unread, _feed) = (TURN.begin)(
        Arc::clone(whole.replay().source()),
        &Start { beside: &Beside::default(), head: None, payloads: None },
    );
    let refused = Comparison::between(&*unread, &**whole.replay());
    assert_eq!(refused, Err(Trouble::Unfinished(Side::Left)));
}

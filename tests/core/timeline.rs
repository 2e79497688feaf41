//! Laws of the timeline and the debugger over random logs of every shape, long enough to cross keyframes.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use crate::tests::random::{events, lines};
use proptest::prelude::*;
use serde_json::{Value, json};
use stepback::dialect::sidecar::Sidecars;
use stepback::loader::Loaded;
use stepback::log::{Log, Options};
use stepback::replay::condition::Condition;
use stepback::replay::debugger::breakpoint::{On, RunEnd};
use stepback::replay::debugger::{Debugger, Stop};
use stepback::replay::direction::Direction;
use stepback::replay::keyframes::Keyframes;
use stepback::replay::machine::Malformed;
use stepback::replay::moment::Moment;
use stepback::replay::pass::Feed;
use stepback::replay::search::{Pattern, Scope, Search};
use stepback::replay::source::{Gone, Source, Span};
use stepback::replay::timeline::{Replay, Timeline};
use stepback::replay::vocabulary::{EffectId, KindId};
use stepback::replay::{Place, Seq};
use stepback::turn;
use stepback::turn::checker::TurnChecker;
use stepback::turn::decode::exact;
use stepback::turn::digest::Digest;
use stepback::turn::machine::TurnLog;
use stepback::turn::projection::FIELDS;
use stepback::turn::sidecar::TurnSidecars;
use stepback::turn::state::TurnState;

/// The states of a log after each record, computed the slow way.
struct Naive {
    /// Values of every field after each record; the first entry has the initial values.
    fields: Vec<Vec<Value>>,
    effects: Vec<Vec<Value>>,
}

impl Naive {
    fn of(records: &[String]) -> Naive {
        let values = |state: &TurnState| FIELDS.iter().map(|field| field.value(&state.projection)).collect::<Vec<_>>();
        let mut state = TurnState::default();
        let mut naive = Naive { fields: vec![values(&state)], effects: Vec::new() };
        for record in records {
            let mut effects = Vec::new();
            if let Ok(event) = exact(record.as_bytes()) {
                state.step(&event, &Digest::of(&event), &mut |effect| effects.push(effect.to_json()));
            }
            naive.fields.push(values(&state));
            naive.effects.push(effects);
        }
        naive
    }

    fn writes(&self, at: usize, field: usize) -> bool {
        self.fields[at][field] != self.fields[at + 1][field]
    }
}

const FILTERS: [&str; 5] = [
    r#".event.event_type == "turn_started""#,
    ".after.step_idx > 2 and .before.step_idx <= 2",
    ".event.duration_ms > 1",
    "(.effects | length) > 1",
    r#".findings[].severity == "error""#,
];

/// Records of a log: random events, some of them damaged.
fn records(most: usize) -> impl Strategy<Value = Vec<String>> {
    let order = prop::collection::vec((any::<prop::sample::Index>(), 0..40_u32), 1..most);
    (events(40), order).prop_map(|(pool, order)| {
        let record = |(pick, damage): (prop::sample::Index, u32)| match damage {
            0 => r#"{"event_type":"turn_ended","turn_id":7}"#.to_owned(),
            1 => r#"{"event_type":"nobody_knows","turn_id":"t1"}"#.to_owned(),
            _ if pool.is_empty() => json!({"event_type": "schema_version", "version": 1}).to_string(),
            _ => pool[pick.index(pool.len())].to_string(),
        };
        order.into_iter().map(record).collect()
    })
}

fn loaded(log: Log) -> Loaded {
    let loaded = Loaded::begin_log_only(log, false).expect("a pass");
    loaded.wait_to_end(|_| {}).expect("the end");
    loaded
}

fn replay_of(text: String) -> Loaded {
    let options = Options { dialect: Some(&turn::dialect::DIALECT), ..Options::default() };
    loaded(Log::from_bytes("test".to_owned(), None, text.into_bytes(), &options).expect("a log"))
}

fn as_lines(records: &[String]) -> Loaded {
    replay_of(records.iter().map(|record| format!("{record}\n")).collect())
}

fn moment(replay: &dyn Replay, at: u32) -> Moment {
    replay.moment(Seq(at)).expect("the log is as it was").expect("the pass has been here")
}

fn assert_moment(replay: &dyn Replay, naive: &Naive, at: u32) {
    let moment = moment(replay, at);
    let vocabulary = replay.vocabulary();
    for field in vocabulary.field_ids() {
        let (index, name) = (field.0 as usize, vocabulary.field_name(field));
        assert_eq!(moment.sides.before(field), naive.fields[at as usize][index], "{name} before {at}");
        assert_eq!(moment.sides.after(field), naive.fields[at as usize + 1][index], "{name} after {at}");
        assert_eq!(moment.sides.changed().contains(field), naive.writes(at as usize, index), "{name} at {at}");
    }
    let effects: Vec<Value> = moment.effects.iter().map(|effect| effect.payload.clone()).collect();
    assert_eq!(effects, naive.effects[at as usize], "effects at {at}");
    for effect in vocabulary.effect_ids() {
        let name = vocabulary.effect_name(effect);
        let so_far = naive.effects[..=at as usize].iter().flatten().filter(|effect| effect["kind"] == name).count();
        assert_eq!(moment.tally.of(effect) as usize, so_far, "{name} up to {at}");
    }
}

proptest! {
    #![proptest_config(crate::tests::cases::cases!(12, "timeline"))]

    #[test]
    fn a_moment_is_the_fold_up_to_it(records in records(1400), seeks in prop::collection::vec(any::<prop::sample::Index>(), 1..60)) {
        let (loaded, naive) = (as_lines(&records), Naive::of(&records));
        let replay = &**loaded.replay();
        prop_assert_eq!(replay.len() as usize, records.len());
        for seek in &seeks {
            assert_moment(replay, &naive, seek.index(records.len()) as u32);
        }
        let middle = seeks[0].index(records.len()) as u32;
        // Forwards over the borders of blocks and back again: each moment is the same as before.
        let last = (middle + 300).min(replay.len() - 1);
        (middle..=last).for_each(|at| assert_moment(replay, &naive, at));
        (middle..=last).rev().for_each(|at| assert_moment(replay, &naive, at));
    }

    /// The same with few keyframes.
    #[test]
    fn a_moment_is_the_fold_whatever_the_stride(
        records in records(2600),
        most in 2..5_usize,
        seeks in prop::collection::vec(any::<prop::sample::Index>(), 1..30),
    ) {
        let source = Arc::new(InMemory::of(&records));
        let keyframes = Keyframes::at_most(most);
        let (replay, mut pass) = Timeline::<TurnLog>::begin_keeping(Arc::clone(&source) as _, Default::default(), TurnChecker::new(None), keyframes);
        for (at, record) in records.iter().enumerate() {
            pass.record(source.spans[at], Place::default(), record.as_bytes());
        }
        pass.end(None, Vec::new());
        prop_assert!(replay.stride_events() as usize * most >= records.len().min(256 * most));
        let naive = Naive::of(&records);
        for seek in &seeks {
            assert_moment(&*replay, &naive, seek.index(records.len()) as u32);
        }
    }

    #[test]
    fn writers_are_the_differences_of_neighbours(records in records(900)) {
        let (loaded, naive) = (as_lines(&records), Naive::of(&records));
        let replay = &**loaded.replay();
        for field in replay.vocabulary().field_ids() {
            let expected: Vec<u32> =
                (0..records.len()).filter(|at| naive.writes(*at, field.0 as usize)).map(|at| at as u32).collect();
            let mut found = Vec::new();
            replay.writers(field, &mut |writers| found = writers.iter().map(|at| at.0).collect());
            prop_assert_eq!(&found, &expected, "{}", replay.vocabulary().field_name(field));
            for at in [0, records.len() as u32 / 2, records.len() as u32 - 1] {
                let last = expected.iter().copied().rfind(|writer| *writer <= at);
                prop_assert_eq!(replay.blame(field, Seq(at)).map(|writer| writer.0), last);
            }
        }
    }

    #[test]
    fn every_shape_gives_the_same_moments(records in records(600), at in any::<prop::sample::Index>()) {
        let naive = Naive::of(&records);
        let at = at.index(records.len()) as u32;
        let values: Vec<Value> = records.iter().map(|record| serde_json::from_str(record).expect("JSON")).collect();
        let envelopes: Vec<Value> =
            values.iter().enumerate().map(|(seq, event)| json!({"seq": seq, "kind": "x", "event": event})).collect();
        let rows: Vec<Value> =
            values.iter().enumerate().map(|(seq, event)| json!({"seq": seq, "ts_ms": 1, "payload": event})).collect();
        let bundle = json!({"schema_version": 1, "generator": {}, "events": rows});
        let pretty: String = values.iter().map(|value| serde_json::to_string_pretty(value).expect("JSON") + "\n").collect();
        for text in [
            records.join("\r\n\r\n"),
            json!(values).to_string(),
            serde_json::to_string_pretty(&values).expect("JSON"),
            pretty,
            lines(&envelopes),
            serde_json::to_string_pretty(&json!(envelopes)).expect("JSON"),
            bundle.to_string(),
            json!({"schema_version": 1, "metadata": {}, "trace": bundle}).to_string(),
        ] {
            let loaded = replay_of(text);
            prop_assert_eq!(loaded.replay().len() as usize, records.len());
            assert_moment(&**loaded.replay(), &naive, at);
        }
        let folder = tempfile::tempdir().expect("a folder");
        let store = folder.path().join("sessions.db");
        write_store(&store, &records);
        let loaded = loaded(Log::open(&store, &Options::default()).expect("a store"));
        // A store groups by turn, and all of these rows belong to one turn.
        prop_assert_eq!(loaded.replay().len() as usize, records.len());
        assert_moment(&**loaded.replay(), &naive, at);
    }

    /// Published findings stay, however far the pass has come, and at the end they are those of a check.
    #[test]
    fn findings_do_not_depend_on_how_far_the_pass_is(records in records(700), stops in prop::collection::vec(any::<prop::sample::Index>(), 1..8)) {
        let mut checker = TurnChecker::new(None);
        for (at, record) in records.iter().enumerate() {
            match exact(record.as_bytes()) {
                Ok(event) => checker.see(Seq(at as u32), &event),
                Err(malformed) => checker.see_malformed(Seq(at as u32), Place::default(), &malformed),
            }
        }
        let expected: Vec<Value> = checker.finish().into_sorted().iter().map(without_place).collect();
        let naive = Naive::of(&records);
        let source = Arc::new(InMemory::of(&records));
        let (replay, mut feed) = TurnSidecars::default().begin(Arc::clone(&source) as _);
        let mut stops: Vec<usize> = stops.iter().map(|stop| stop.index(records.len())).collect();
        stops.sort_unstable();
        for (at, record) in records.iter().enumerate() {
            feed.record(source.spans[at], Place { line: at as u64 + 1, byte: 0 }, record.as_bytes());
            if stops.contains(&at) {
                feed.publish();
                prop_assert_eq!(replay.len() as usize, at + 1);
                for finding in &replay.findings().list {
                    prop_assert!(expected.contains(&without_place(finding)), "taken back: {:?}", finding);
                }
                assert_moment(&*replay, &naive, at as u32 / 2);
                assert_moment(&*replay, &naive, at as u32);
                // As if the log ended here, although it does not.
                feed.end(None, Vec::new());
                feed.resume();
            }
        }
        feed.end(None, Vec::new());
        let found: Vec<Value> = replay.findings().list.iter().map(|finding| without_place(finding)).collect();
        let only_damage = records.iter().all(|record| exact(record.as_bytes()).is_err());
        if !only_damage {
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn reverse_continue_finds_the_last_hit_that_continue_passes(
        records in records(800),
        on in prop::collection::vec((0..5_u8, 0..30_u8), 1..4),
        from in any::<prop::sample::Index>(),
    ) {
        let loaded = as_lines(&records);
        let replay = loaded.replay();
        let mut debugger = Debugger::new(Arc::clone(replay));
        for (sort, number) in on {
            let vocabulary = replay.vocabulary();
            let on = match sort {
                0 => On::Kind(KindId(number)),
                1 => On::Effect(EffectId(number % vocabulary.effects.len() as u8)),
                2 => On::Finding(None),
                3 => On::Condition(Condition::parse(FILTERS[number as usize % FILTERS.len()], vocabulary).expect("a filter")),
                _ => On::Change(vocabulary.field_ids().nth(number as usize % vocabulary.fields.len()).expect("a field")),
            };
            debugger.breakpoints.add(on, String::new());
        }
        let mut forward = Vec::new();
        debugger.jump(Seq(0));
        while let RunEnd::Hit { at, breakpoints } = debugger.run(Direction::Forward, &|| false).expect("a run") {
            prop_assert!(!breakpoints.is_empty());
            prop_assert_eq!(debugger.at(), at);
            forward.push(at);
        }
        let mut sorted = forward.clone();
        sorted.sort();
        sorted.dedup();
        prop_assert_eq!(&sorted, &forward, "each hit once, ascending");
        // The run stopped at every event at which a breakpoint holds.
        for at in 1..replay.len() {
            let holds = debugger.breakpoints.iter().any(|known| {
                known.on.find(&**replay, at..at + 1, Direction::Forward, &|| false).expect("a look").is_some()
            });
            prop_assert_eq!(holds, forward.contains(&Seq(at)), "{}", at);
        }
        let from = Seq(from.index(records.len()) as u32);
        debugger.jump(from);
        let expected = forward.iter().copied().rfind(|at| *at < from);
        let first_holds = debugger.breakpoints.iter().any(|known| {
            known.on.find(&**replay, 0..1, Direction::Forward, &|| false).expect("a look").is_some()
        });
        let expected = expected.or((first_holds && from > Seq(0)).then_some(Seq(0)));
        match debugger.run(Direction::Backward, &|| false).expect("a run") {
            RunEnd::Hit { at, .. } => prop_assert_eq!(Some(at), expected),
            RunEnd::Over => {
                prop_assert_eq!(None, expected);
                prop_assert_eq!(debugger.at(), from);
            }
            RunEnd::GaveUp => prop_assert!(false, "it was not cancelled"),
        }
    }

    #[test]
    fn a_search_finds_every_matching_record(
        records in records(700),
        pattern in prop::sample::select(vec!["c1", "T2", "turn_(started|ended)", "^.{0,120}$", "read_file.*success", "zzz", "é", r"\}\s*\{", r"\A\{.event", r"[^x]*1", r"\bturn\b|c2", r"}$", "(?-m)^.{90,130}$"]),
        origin in any::<prop::sample::Index>(),
        slice in 1..400_u32,
    ) {
        let loaded = as_lines(&records);
        let replay = &**loaded.replay();
        let insensitive = !pattern.contains('T');
        let regex = regex::RegexBuilder::new(pattern).case_insensitive(insensitive).multi_line(true).build().expect("a pattern");
        let naive: Vec<Seq> =
            (0..records.len()).filter(|at| regex.is_match(&records[*at])).map(|at| Seq(at as u32)).collect();
        let origin = Seq(origin.index(records.len()) as u32);
        let mut search = Search::new(Pattern::parse(pattern, Scope::RECORDS).expect("a pattern"), origin);
        while search.advance(replay, slice).expect("the log is as it was") {}
        prop_assert_eq!(search.count() as usize, naive.len());
        prop_assert_eq!(search.searched(), replay.len());
        for at in [Seq(0), origin, Seq(replay.len() - 1)] {
            prop_assert_eq!(search.next(at, Direction::Forward), naive.iter().copied().find(|hit| *hit > at));
            prop_assert_eq!(search.next(at, Direction::Backward), naive.iter().copied().rfind(|hit| *hit < at));
            prop_assert_eq!(search.contains(at), naive.contains(&at));
            let number = naive.iter().position(|hit| *hit == at).map(|place| place as u32 + 1);
            prop_assert_eq!(search.number(at), number);
        }
        prop_assert_eq!(search.density(replay.len(), 13).iter().sum::<u32>() as usize, naive.len());
    }

    #[test]
    fn moves_go_to_the_nearest_place_of_their_kind(records in records(500), from in any::<prop::sample::Index>()) {
        let loaded = as_lines(&records);
        let replay = loaded.replay();
        let mut debugger = Debugger::new(Arc::clone(replay));
        let from = Seq(from.index(records.len()) as u32);
        debugger.jump(from);
        let row = |at: u32| replay.row(Seq(at)).expect("a row");
        let all = 0..replay.len();
        let neighbour = |test: &dyn Fn(u32) -> bool, direction: Direction| {
            if direction.is_forward() { all.clone().find(|at| *at > from.0 && test(*at)) } else { all.clone().rfind(|at| *at < from.0 && test(*at)) }
        };
        let begins = |of: &dyn Fn(u32) -> (Option<u32>, u32), at: u32| at == 0 || of(at - 1) != of(at);
        for direction in [Direction::Forward, Direction::Backward] {
            let kind = row(from.0).kind;
            let of_kind = neighbour(&|at| row(at).kind == kind, direction);
            prop_assert_eq!(debugger.find(Stop::Kind(kind), direction).map(|at| at.0), of_kind);
            let turn = neighbour(&|at| begins(&|at| (row(at).turn, 0), at), direction);
            prop_assert_eq!(debugger.find(Stop::Turn, direction).map(|at| at.0), turn);
            let step = neighbour(&|at| begins(&|at| (row(at).turn, row(at).step), at), direction);
            prop_assert_eq!(debugger.find(Stop::Step, direction).map(|at| at.0), step);
        }
        let here = debugger.at();
        let there = debugger.jump(Seq(replay.len() - 1));
        if there != here {
            prop_assert_eq!(debugger.back(), Some(here));
            prop_assert_eq!(debugger.forward(), Some(there));
        }
    }

    /// Filters hide events from the list, but never the one under the playhead.
    #[test]
    fn the_list_shows_the_playhead_and_nothing_hidden(
        records in records(400),
        hidden in prop::collection::vec(0..27_u8, 0..12),
        from in any::<prop::sample::Index>(),
    ) {
        let loaded = as_lines(&records);
        let replay = loaded.replay();
        let mut debugger = Debugger::new(Arc::clone(replay));
        debugger.filter.folds = false;
        hidden.iter().for_each(|kind| debugger.filter.toggle_kind(KindId(*kind)));
        let from = Seq(from.index(records.len()) as u32);
        debugger.jump(from);
        let shown = |at: Seq| !debugger.filter.hides_kind(replay.row(at).expect("a row").kind);
        let (before, after) = (7, 9);
        let window = debugger.window(before, after);
        let place = window.iter().position(|at| *at == from).expect("the playhead is there");
        let above: Vec<Seq> = (0..from.0).rev().map(Seq).filter(|at| shown(*at)).take(before).collect();
        let below: Vec<Seq> = (from.0 + 1..replay.len()).map(Seq).filter(|at| shown(*at)).take(after).collect();
        prop_assert!(window[..place].iter().rev().eq(&above));
        prop_assert!(window[place + 1..].iter().eq(&below));
    }
}

#[test]
fn a_search_of_fields_and_effects_finds_the_changes_of_a_step() {
    let loaded = loaded(Log::open(Path::new("assets/demo.json"), &Options::default()).expect("the demo"));
    let replay = &**loaded.replay();
    let hits = |text: &str, scope: Scope| {
        let mut search = Search::new(Pattern::parse(text, scope).expect("a pattern"), Seq(0));
        while search.advance(replay, 7).expect("the log is as it was") {}
        let mut hits = Vec::new();
        let mut at = search.contains(Seq(0)).then_some(Seq(0)).or_else(|| search.next(Seq(0), Direction::Forward));
        while let Some(hit) = at {
            hits.push(hit.0);
            at = search.next(hit, Direction::Forward);
        }
        hits
    };
    let mut written = Vec::new();
    let field = replay.vocabulary().field("step_idx").expect("a field");
    replay.writers(field, &mut |writers| written = writers.iter().map(|at| at.0).collect());
    let fields = Scope { records: false, fields: true, effects: false };
    assert_eq!(hits(r"^step_idx \d+→\d+$", fields), written);
    let effects = Scope { records: false, fields: false, effects: true };
    let mut calls = Vec::new();
    replay
        .scan(0..replay.len(), &mut |sight| {
            if sight.effects().0.iter().any(|effect| effect.payload["kind"] == "call_model") {
                calls.push(sight.at().0);
            }
            ControlFlow::Continue(())
        })
        .expect("a scan");
    assert!(!calls.is_empty());
    assert_eq!(hits("^call_model", effects), calls);
}

fn without_place(finding: &stepback::replay::finding::Finding) -> Value {
    let mut json = finding.to_json();
    for key in ["line", "byte", "row"] {
        json.as_object_mut().expect("an object").remove(key);
    }
    json
}

/// Records without a file.
struct InMemory {
    text: Vec<u8>,
    spans: Vec<Span>,
}

impl InMemory {
    fn of(records: &[String]) -> Self {
        let mut memory = InMemory { text: Vec::new(), spans: Vec::new() };
        for record in records {
            memory.spans.push(Span { offset: memory.text.len() as u64, length: record.len() as u32 });
            memory.text.extend(record.as_bytes());
        }
        memory
    }
}

impl Source for InMemory {
    fn read(&self, spans: &[Span], visit: &mut dyn FnMut(usize, &[u8])) -> Result<(), Gone> {
        for (position, span) in spans.iter().enumerate() {
            visit(position, &self.text[span.offset as usize..][..span.length as usize]);
        }
        Ok(())
    }

    fn event<'a>(&self, record: &'a [u8]) -> Result<&'a [u8], Malformed> {
        Ok(record)
    }

    fn place(&self, _: (Span, Place), wanted: Span) -> Place {
        Place { line: 1, byte: wanted.offset }
    }
}

fn write_store(path: &Path, records: &[String]) {
    let mut store = rusqlite::Connection::open(path).expect("a store");
    store
        .execute_batch("CREATE TABLE kernel_events (id INTEGER PRIMARY KEY AUTOINCREMENT, seq INTEGER NOT NULL, ts_ms INTEGER NOT NULL, kind TEXT NOT NULL, turn_id TEXT, payload TEXT NOT NULL)")
        .expect("a table");
    let transaction = store.transaction().expect("a transaction");
    for (seq, record) in records.iter().enumerate() {
        transaction
            .execute(
                "INSERT INTO kernel_events (seq, ts_ms, kind, turn_id, payload) VALUES (?, 0, 'x', 't', ?)",
                rusqlite::params![seq as i64, record],
            )
            .expect("a row");
    }
    transaction.commit().expect("written");
}

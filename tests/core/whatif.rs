//! Laws of what-if: a variant equals its saved file, no change gives the original, and differences are correct.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::tests::random::{events, lines};
use proptest::prelude::*;
use serde_json::{Value, json};
use stepback::loader::Loaded;
use stepback::loader::save::{SaveError, Saved};
use stepback::log::{Log, Options};
use stepback::replay::Seq;
use stepback::replay::moment::Moment;
use stepback::replay::timeline::Replay;
use stepback::replay::variant::difference::{self, FindingDifference, StepDifference};
use stepback::replay::variant::{Variant, VariantChange};
use stepback::turn;
use stepback::turn::sidecar::TurnSidecars;
use stepback::wholefile::DestinationError;

fn options() -> Options {
    Options { dialect: Some(&turn::dialect::DIALECT), ..Options::default() }
}

fn passed(loaded: Loaded) -> Loaded {
    loaded.wait_to_end(|_| {}).expect("the end");
    loaded
}

fn loaded(text: String) -> Loaded {
    let log = Log::from_bytes("test".to_owned(), None, text.into_bytes(), &options()).expect("a log");
    passed(Loaded::begin_log_only(log, false).expect("a pass"))
}

fn opened(path: &Path, sidecars: TurnSidecars) -> Loaded {
    passed(Loaded::begin(Log::open(path, &options()).expect("a log"), Arc::new(sidecars), false).expect("a pass"))
}

fn fixture(name: &str) -> Loaded {
    opened(&Path::new("fixtures/turn").join(name), TurnSidecars::default())
}

fn varied(original: &Loaded, variant: &Variant) -> Loaded {
    passed(original.begin_variant(variant).expect("a variant"))
}

fn of(original: &Loaded, changes: impl IntoIterator<Item = VariantChange>) -> Variant {
    let mut variant = Variant::new(original.replay().len());
    changes.into_iter().for_each(|change| variant.apply(change).expect("possible"));
    variant
}

fn moment(replay: &dyn Replay, at: Seq) -> Moment {
    replay.moment(at).expect("the log is as it was").expect("the pass has been here")
}

/// The findings, without damage and places in the file.
fn found(replay: &dyn Replay) -> Vec<Value> {
    let list = &replay.findings().list;
    let mut found: Vec<Value> = list.iter().map(|finding| finding.to_json()).collect();
    found.retain(|finding| !finding["check"].as_str().expect("an id").starts_with("log/"));
    found
}

fn assert_same(one: &dyn Replay, two: &dyn Replay) {
    assert_eq!(one.len(), two.len());
    assert_eq!(found(one), found(two));
    assert_eq!(one.by_kind(), two.by_kind());
    for at in (0..one.len()).map(Seq) {
        let (a, b) = (moment(one, at), moment(two, at));
        assert!(StepDifference::between(&a, &b).is_empty(), "at {at}");
        assert_eq!((a.kind, a.step, &a.turn, a.tally), (b.kind, b.step, &b.turn, b.tally), "at {at}");
        assert_eq!((&a.malformed, &a.summary, &a.obligations), (&b.malformed, &b.summary, &b.obligations), "at {at}");
        if at.0 % 16 == 0 {
            let values =
                |moment: &Moment| one.vocabulary().field_ids().map(|f| moment.sides.after(f)).collect::<Vec<_>>();
            assert_eq!(values(&a), values(&b), "at {at}");
        }
    }
    for field in one.vocabulary().field_ids() {
        let writers = |replay: &dyn Replay| {
            let mut found = Vec::new();
            replay.writers(field, &mut |writers| found = writers.iter().collect::<Vec<_>>());
            found
        };
        assert_eq!(writers(one), writers(two), "{}", one.vocabulary().field_name(field));
    }
}

fn findings(original: &Loaded, changed: &Loaded, variant: &Variant) -> FindingDifference {
    difference::findings(&**original.replay(), &**changed.replay(), variant).expect("both are at their ends")
}

/// The records of a log; some of them are not events.
fn values(most: usize) -> impl Strategy<Value = Vec<Value>> {
    let order = prop::collection::vec((any::<prop::sample::Index>(), 0..40_u32), 1..most);
    (events(40), order).prop_map(|(pool, order)| {
        let value = |(pick, damage): (prop::sample::Index, u32)| match damage {
            0 => json!({"event_type": "turn_ended", "turn_id": 7}),
            1 => json!({"event_type": "nobody_knows", "turn_id": "t1"}),
            _ if pool.is_empty() => json!({"event_type": "schema_version", "version": 1}),
            _ => pool[pick.index(pool.len())].clone(),
        };
        order.into_iter().map(value).collect()
    })
}

/// The log in one of the supported forms.
fn written(events: &[Value], shape: usize) -> String {
    let pretty = |value: &Value| serde_json::to_string_pretty(value).expect("JSON");
    let wrap = |name: &str| -> Vec<Value> {
        let wrapped = |(seq, event): (usize, &Value)| json!({"seq": seq, "ts_ms": 1, "kind": "x", name: event});
        events.iter().enumerate().map(wrapped).collect()
    };
    match shape {
        0 => lines(events),
        1 => json!(events).to_string(),
        2 => events.iter().map(|event| pretty(event) + "\n").collect(),
        3 => lines(&wrap("event")),
        4 => pretty(&json!(wrap("event"))),
        _ => json!({"schema_version": 1, "generator": {}, "events": wrap("payload")}).to_string(),
    }
}

type Raw = (u8, prop::sample::Index, prop::sample::Index);

fn changes() -> impl Strategy<Value = (Vec<Raw>, Vec<Value>)> {
    let change = (0..5_u8, any::<prop::sample::Index>(), any::<prop::sample::Index>());
    (prop::collection::vec(change, 0..12), events(12))
}

fn change(variant: &mut Variant, raw: Raw, texts: &[Value]) {
    let (sort, one, two) = raw;
    if variant.is_empty() {
        return;
    }
    let at = |index: prop::sample::Index| Seq(index.index(variant.len() as usize) as u32);
    let made = match sort {
        0 | 4 => {
            let text = texts.get(two.index(texts.len().max(1))).cloned().unwrap_or(json!({"event_type": "odd"}));
            let event = if sort == 0 { text.to_string() } else { serde_json::to_string_pretty(&text).expect("JSON") };
            VariantChange::Replace { at: at(one), event: event.into_bytes() }
        }
        1 => VariantChange::Skip(at(one)),
        2 => VariantChange::Duplicate(at(one)),
        _ => VariantChange::Move { from: at(one), to: at(two) },
    };
    variant.apply(made).expect("possible");
}

proptest! {
    #![proptest_config(crate::tests::cases::cases!(12, "whatif"))]

    #[test]
    fn a_variant_equals_its_saved_file(
        events in values(700),
        shape in 0..6_usize,
        as_lines in any::<bool>(),
        (raw, texts) in changes(),
    ) {
        let original = loaded(written(&events, shape));
        prop_assert_eq!(original.replay().len() as usize, events.len());
        let mut variant = Variant::new(original.replay().len());
        raw.into_iter().for_each(|raw| change(&mut variant, raw, &texts));
        let changed = varied(&original, &variant);
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join(if as_lines { "saved.jsonl" } else { "saved.json" });
        let saved = original.save_variant(&variant, &target).expect("saved");
        prop_assert_eq!(saved, Saved { records: variant.len(), left_out: 0 });
        assert_same(&**changed.replay(), &**opened(&target, TurnSidecars::default()).replay());
        // Places refer to the file of the original.
        for at in (0..variant.len()).step_by(97).map(Seq) {
            let origin = variant.origin(at).expect("an origin");
            let places = (moment(&**changed.replay(), at).place, moment(&**original.replay(), origin.original).place);
            prop_assert_eq!(places.0, places.1);
        }
        // The reported difference at an event is the actual one.
        for at in (0..variant.len()).step_by(61).map(Seq) {
            let step = difference::step(&**original.replay(), &**changed.replay(), &variant, at).expect("read");
            let step = step.expect("both passes have been here");
            let one = moment(&**original.replay(), variant.origin(at).expect("an origin").original);
            let two = moment(&**changed.replay(), at);
            for field in changed.replay().vocabulary().field_ids() {
                prop_assert_eq!(step.fields.contains(field), one.sides.after(field) != two.sides.after(field));
            }
            prop_assert_eq!(step.effects_gone.is_empty() && step.effects_new.is_empty(), one.effects == two.effects);
        }
        while variant.undo().is_some() {}
        let undone = varied(&original, &variant);
        assert_same(&**undone.replay(), &**original.replay());
        prop_assert!(findings(&original, &undone, &variant).is_empty());
    }

    /// The original may have grown since the variant was created: the variant has only the events from then.
    #[test]
    fn a_variant_has_the_events_from_its_creation(events in values(700), cut in any::<prop::sample::Index>()) {
        let (original, cut) = (loaded(lines(&events)), cut.index(events.len()) + 1);
        let changed = varied(&original, &Variant::new(cut as u32));
        assert_same(&**changed.replay(), &**loaded(lines(&events[..cut])).replay());
    }
}

fn ids(findings: &[std::sync::Arc<stepback::replay::finding::Finding>]) -> Vec<&'static str> {
    findings.iter().map(|finding| finding.check.id).collect()
}

#[test]
fn skipping_the_cause_of_a_finding_removes_it() {
    for (file, check) in [
        ("approval-ignored.json", "turn/rejected-ran"),
        ("event-after-end.json", "turn/event-after-end"),
        ("finished-twice.ndjson", "turn/finish-twice"),
        ("late-result.json", "turn/orphan-finish"),
        ("checkpoint-impossible.json", "gate/capacity-fields"),
        ("call-id-reused.pack.json", "turn/duplicate-call"),
        ("steps-go-backwards.trace.json", "turn/step-backwards"),
    ] {
        let original = fixture(file);
        let list = original.replay().findings();
        let finding = list.list.iter().find(|finding| finding.check.id == check).expect(file);
        let at = *finding.at.last().expect("a place");
        let variant = of(&original, [VariantChange::Skip(at)]);
        let changed = varied(&original, &variant);
        let difference = findings(&original, &changed, &variant);
        assert!(ids(&difference.gone).contains(&check), "{file}: {difference:?}");
        assert!(!ids(&difference.new).contains(&check), "{file}: {difference:?}");
    }
}

#[test]
fn a_change_elsewhere_moves_findings_and_creates_none() {
    let original = fixture("late-result.json");
    let schema = json!({"event_type": "schema_version", "version": 1}).to_string().into_bytes();
    let variant =
        of(&original, [VariantChange::Duplicate(Seq(0)), VariantChange::Replace { at: Seq(0), event: schema }]);
    let changed = varied(&original, &variant);
    let difference = findings(&original, &changed, &variant);
    assert!(!ids(&difference.gone).contains(&"turn/orphan-finish"), "{difference:?}");
    assert!(!ids(&difference.new).contains(&"turn/orphan-finish"), "{difference:?}");
    let place = |loaded: &Loaded| {
        let list = loaded.replay().findings();
        list.list.iter().find(|finding| finding.check.id == "turn/orphan-finish").map(|finding| finding.at[0].0)
    };
    assert_eq!(place(&changed), place(&original).map(|at| at + 1));
}

#[test]
fn an_event_edited_into_a_non_event_is_new_damage_and_existing_damage_is_not() {
    let events = [
        json!({"event_type": "turn_started", "turn_id": "t", "mode": "agent", "input_text": "", "max_steps": 3}),
        json!({"event_type": "steer_injected", "turn_id": "t", "step_idx": 0, "text": "x"}),
    ];
    // A line that is not JSON, and a torn one at the end.
    let original = loaded(format!("{}not json\n{{\"event_type\":\"turn", lines(&events)));
    assert_eq!(original.replay().len(), 4);
    let variant = Variant::new(4);
    let difference = findings(&original, &varied(&original, &variant), &variant);
    assert!(difference.is_empty(), "{difference:?}");
    let broken =
        of(&original, [VariantChange::Replace { at: Seq(1), event: b"{\"event_type\":\"turn_ended\"}".to_vec() }]);
    let difference = findings(&original, &varied(&original, &broken), &broken);
    assert_eq!((ids(&difference.new), difference.new[0].at[0]), (vec!["log/malformed"], Seq(1)), "{difference:?}");
    let mended = of(&original, [VariantChange::Replace { at: Seq(2), event: events[1].to_string().into_bytes() }]);
    let difference = findings(&original, &varied(&original, &mended), &mended);
    assert_eq!(ids(&difference.gone), ["log/malformed"]);
    // In a file of lines such records are kept; in an array they cannot be.
    let folder = tempfile::tempdir().expect("a folder");
    let save = |name: &str| original.save_variant(&variant, &folder.path().join(name)).expect("saved");
    assert_eq!(save("a.jsonl"), Saved { records: 4, left_out: 0 });
    assert_eq!(save("a.json"), Saved { records: 2, left_out: 2 });
    assert_eq!(opened(&folder.path().join("a.jsonl"), TurnSidecars::default()).replay().len(), 4);
}

#[test]
fn the_envelope_of_an_event_stays() {
    let event = json!({"event_type": "schema_version", "version": 1});
    let original = loaded(format!("{{\"seq\":7,\"kind\":\"x\",\"event\":{event},\"extra\":[1]}}\n"));
    let variant = of(
        &original,
        [
            VariantChange::Replace {
                at: Seq(0),
                event: b"{\n\"event_type\":\"schema_version\",\"version\":2}".to_vec(),
            },
            VariantChange::Duplicate(Seq(0)),
        ],
    );
    let changed = varied(&original, &variant);
    let record = changed.replay().record(Seq(1)).expect("read").expect("a record");
    let expected =
        "{\"seq\":7,\"kind\":\"x\",\"event\":{\n\"event_type\":\"schema_version\",\"version\":2},\"extra\":[1]}";
    assert_eq!(String::from_utf8_lossy(&record), expected);
    assert_eq!(moment(&**changed.replay(), Seq(1)).event(), b"{\n\"event_type\":\"schema_version\",\"version\":2}");
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("saved.ndjson");
    original.save_variant(&variant, &target).expect("saved");
    let line = expected.replace('\n', " ") + "\n";
    assert_eq!(std::fs::read_to_string(&target).expect("text"), line.repeat(2));
}

/// Rows of a store have numbers instead of places, and need not ascend.
#[test]
fn a_store_can_be_varied_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("sessions.db");
    let store = rusqlite::Connection::open(&path).expect("a store");
    store
        .execute_batch("CREATE TABLE kernel_events (id INTEGER PRIMARY KEY AUTOINCREMENT, seq INTEGER NOT NULL, ts_ms INTEGER NOT NULL, kind TEXT NOT NULL, turn_id TEXT, payload TEXT NOT NULL)")
        .expect("a table");
    for seq in 0..40 {
        let turn = if seq % 3 == 0 { "t1" } else { "t2" };
        let event = json!({"event_type": "steer_injected", "turn_id": turn, "step_idx": seq, "text": "x"});
        let payload = serde_json::to_string_pretty(&event).expect("JSON");
        let row = rusqlite::params![seq, turn, payload];
        let insert =
            "INSERT INTO kernel_events (seq, ts_ms, kind, turn_id, payload) VALUES (?1, 0, 'steer_injected', ?2, ?3)";
        store.execute(insert, row).expect("a row");
    }
    drop(store);
    let original = opened(&path, TurnSidecars::default());
    assert_eq!(original.replay().len(), 40);
    let event = json!({"event_type": "steer_injected", "turn_id": "t1", "step_idx": 9, "text": "y"});
    let variant = of(
        &original,
        [
            VariantChange::Move { from: Seq(39), to: Seq(2) },
            VariantChange::Replace { at: Seq(5), event: event.to_string().into_bytes() },
            VariantChange::Duplicate(Seq(5)),
            VariantChange::Skip(Seq(0)),
        ],
    );
    let changed = varied(&original, &variant);
    for name in ["saved.jsonl", "saved.json"] {
        let target = folder.path().join(name);
        original.save_variant(&variant, &target).expect("saved");
        assert_same(&**changed.replay(), &**opened(&target, TurnSidecars::default()).replay());
    }
    for at in (0..variant.len()).map(Seq) {
        let origin = variant.origin(at).expect("an origin");
        let places = (moment(&**changed.replay(), at).place, moment(&**original.replay(), origin.original).place);
        assert_eq!(places.0, places.1);
    }
}

fn json_file<T: serde::de::DeserializeOwned>(name: &str) -> T {
    let bytes = std::fs::read(Path::new("fixtures/turn").join(name)).expect("a file");
    serde_json::from_slice(&bytes).expect("JSON")
}

#[test]
fn sidecars_apply_to_variants_too() {
    let live = TurnSidecars { live: Some(json_file("live-snapshot-differs.live.json")), ..TurnSidecars::default() };
    let session =
        TurnSidecars { saved_messages: Some(json_file("session-lost-rows.session.json")), ..TurnSidecars::default() };
    for (file, beside, family) in
        [("live-snapshot-differs.json", live, "gate/live-projection"), ("session-lost-rows.json", session, "cover/")]
    {
        let original = opened(&Path::new("fixtures/turn").join(file), beside);
        let variant = Variant::new(original.replay().len());
        let changed = varied(&original, &variant);
        assert_same(&**changed.replay(), &**original.replay());
        let is_of_family = |finding: &Value| finding["check"].as_str().is_some_and(|check| check.starts_with(family));
        assert!(found(&**changed.replay()).iter().any(is_of_family), "{file}");
        assert!(findings(&original, &changed, &variant).is_empty());
    }
}

#[test]
fn saving_replaces_no_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let (log, other) = (folder.path().join("log.json"), folder.path().join("other.json"));
    std::fs::copy("fixtures/turn/clean.json", &log).expect("copied");
    std::fs::write(&other, "mine").expect("written");
    let original = opened(&log, TurnSidecars::default());
    let variant = of(&original, [VariantChange::Skip(Seq(1))]);
    let before = std::fs::read(&log).expect("the log");
    let refused = |target: &Path| original.save_variant(&variant, target).expect_err("refused");
    let itself = folder.path().join(".").join("log.json");
    assert!(matches!(refused(&itself), SaveError::Destination(DestinationError::IsLog(_))));
    assert!(matches!(refused(&other), SaveError::Destination(DestinationError::Exists(_))));
    assert!(matches!(refused(folder.path()), SaveError::Destination(DestinationError::Exists(_))));
    assert!(matches!(refused(&folder.path().join("no/such/folder.json")), SaveError::Io { .. }));
    assert!(refused(&other).to_string().ends_with("other.json: this file exists; choose another name"));
    assert_eq!(std::fs::read(&log).expect("the log"), before);
    assert_eq!(std::fs::read(&other).expect("the other"), b"mine");
    // Also if the path of the log is free because its file was removed.
    std::fs::remove_file(&log).expect("removed");
    assert!(matches!(refused(&log), SaveError::Destination(DestinationError::IsLog(_))));
    assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 1);
}

#[test]
fn a_variant_can_be_dropped_early_and_rejects_a_changed_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log.jsonl");
    let event = json!({"event_type": "steer_injected", "turn_id": "t", "step_idx": 0, "text": "x".repeat(100)});
    let text = lines(&vec![event; 60_000]);
    std::fs::write(&path, &text).expect("written");
    let original = opened(&path, TurnSidecars::default());
    let variant = of(&original, [VariantChange::Move { from: Seq(59_999), to: Seq(0) }]);
    let changed = original.begin_variant(&variant).expect("a variant");
    assert!(changed.wait(Duration::from_secs(60), |replay| !replay.is_empty()));
    assert_eq!(moment(&**changed.replay(), Seq(0)).place.line, 60_000);
    changed.cancel();
    drop(changed);
    assert!(original.begin_variant(&Variant::new(60_001)).is_err(), "it never had so many");
    std::fs::write(&path, text.replace('x', "y")).expect("written");
    let changed = original.begin_variant(&variant).expect("a variant");
    let trouble = changed.wait_to_end(|_| {}).expect_err("these are other records");
    assert!(trouble.reason.contains("changed"), "{trouble}");
    assert!(changed.begin_variant(&Variant::new(0)).is_err(), "a variant of a variant");
}

//! Laws of conditions: the index and the filter agree, both directions find the same, nothing panics.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use crate::tests::random::{events, lines};
use proptest::prelude::*;
use serde_json::Value;
use stepback::loader::Loaded;
use stepback::log::{Log, Options};
use stepback::replay::Seq;
use stepback::replay::condition::Condition;
use stepback::replay::direction::Direction;
use stepback::replay::timeline::Replay;
use stepback::turn;
use stepback::turn::machine::VOCABULARY;

fn load(text: &str) -> Loaded {
    let options = Options { dialect: Some(&turn::dialect::DIALECT), ..Options::default() };
    let log = Log::from_bytes("test".to_owned(), None, text.as_bytes().to_vec(), &options).expect("a log");
    let loaded = Loaded::begin_log_only(log, false).expect("a pass");
    assert!(loaded.wait(Duration::from_secs(60), |_| false), "the pass takes too long");
    loaded
}

fn hits(condition: &Condition, replay: &Arc<dyn Replay>) -> Vec<u32> {
    let mut found = Vec::new();
    let seen = condition.each(&**replay, 0..u32::MAX, &mut |at| {
        found.push(at.0);
        ControlFlow::Continue(())
    });
    seen.expect("memory");
    found
}

fn parse(text: &str) -> Condition {
    Condition::parse(text, &VOCABULARY).unwrap_or_else(|bad| panic!("{bad}"))
}

/// A log with records that are not events in between.
fn damaged(log: &[Value], holes: &[usize]) -> String {
    let mut records: Vec<String> = log.iter().map(Value::to_string).collect();
    for (number, hole) in holes.iter().enumerate() {
        let junk = ["{\"event_type\":\"nobody_knows\"}", "[1,2]", "{\"event_type\":\"turn_ended\"}"][number % 3];
        records.insert(hole % (records.len() + 1), junk.to_owned());
    }
    records.iter().map(|record| format!("{record}\n")).collect()
}

fn field() -> impl Strategy<Value = String> {
    let names: Vec<&str> = VOCABULARY.fields.iter().copied().chain(["no_such_field"]).collect();
    prop::sample::select(names).prop_map(str::to_owned)
}

fn comparison() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["==", "!=", "<", "<=", ">", ">="])
}

fn literal() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "null",
        "true",
        "false",
        "-1",
        "0",
        "1",
        "2",
        "2.0",
        "1.5",
        "300",
        "1e3",
        "99999999999999999999",
        "\"\"",
        "\"t1\"",
        "\"agent\"",
        "\"turn_ended\"",
        "\"turn\\u005fended\"",
        "[]",
        "{}",
    ])
}

fn test() -> impl Strategy<Value = String> {
    let kinds: Vec<&str> = VOCABULARY.kinds.iter().map(|kind| kind.name).chain(["malformed", "odd"]).collect();
    let effects: Vec<&str> = VOCABULARY.effects.iter().copied().chain(["odd"]).collect();
    let checks = vec!["turn/after-end", "step/query-memory", "log/malformed", "log/unknown-kind", "odd"];
    prop_oneof![
        (prop::sample::select(kinds), prop::sample::select(vec!["==", "!="]))
            .prop_map(|(kind, cmp)| format!(".event.event_type {cmp} \"{kind}\"")),
        (field(), prop::sample::select(vec!["!=", "==", "<"]), any::<bool>()).prop_map(|(field, cmp, turned)| {
            let (one, two) = if turned { ("after", "before") } else { ("before", "after") };
            format!(".{one}.{field} {cmp} .{two}.{field}")
        }),
        (field(), comparison(), literal()).prop_map(|(field, cmp, with)| format!(".after.{field} {cmp} {with}")),
        (field(), comparison(), literal()).prop_map(|(field, cmp, with)| format!("{with} {cmp} .after.{field}")),
        (field(), comparison(), literal()).prop_map(|(field, cmp, with)| format!(".before.{field} {cmp} {with}")),
        (comparison(), literal()).prop_map(|(cmp, with)| format!(".seq {cmp} {with}")),
        (comparison(), literal()).prop_map(|(cmp, with)| format!("(.findings | length) {cmp} {with}")),
        (comparison(), literal()).prop_map(|(cmp, with)| format!("(.findings | length {cmp} {with})")),
        (comparison(), literal()).prop_map(|(cmp, with)| format!(".event {cmp} {with}")),
        prop::sample::select(effects.clone()).prop_map(|kind| format!("any(.effects[]; .kind == \"{kind}\")")),
        prop::sample::select(effects).prop_map(|kind| format!(".effects[].kind == \"{kind}\"")),
        prop::sample::select(checks.clone()).prop_map(|check| format!("any(.findings[]; .check == \"{check}\")")),
        prop::sample::select(checks).prop_map(|check| format!("(.findings | any(.check == \"{check}\"))")),
        literal().prop_map(str::to_owned),
        Just(".event.duration_ms > 1".to_owned()),
        Just("(.event.usage | length) > 0".to_owned()),
        Just(".event.step_idx + 1 == 2".to_owned()),
        Just(".effects[] | .token_budget > 100".to_owned()),
        Just("(.event.text | startswith(\"l\"))".to_owned()),
        Just("(.event.call_id | test(\"c[12]\"))".to_owned()),
        prop::sample::select(NATIVE.to_vec()).prop_map(str::to_owned),
        Just("empty".to_owned()),
        Just("(.seq | error)".to_owned()),
        Just(".after.pending_call_ids[]".to_owned()),
    ]
}

/// Filters that are answered natively at most events, and left to the filter where a value has another form.
const NATIVE: [&str; 24] = [
    "(.event | has(\"call_id\"))",
    "(.event.text | contains(\"o\"))",
    "(.event.text | endswith(\"e\") | not)",
    "(.event.text | length) > 3",
    "(.event.input | length) >= 1",
    "(.event.usage.input_tokens // 0) + (.event.usage.output_tokens // 1) > 7",
    ".event.step_idx * 2 - 1 == .after.step_idx",
    ".event.step_idx / 2 > 0.5",
    ".event.step_idx % 2 == 1",
    ".event.a.b.c == null",
    ".event.call_id?.x",
    ".event[\"call_id\"] < \"c2\"",
    ".event.event_type == .event.kind",
    ".event.list[] | select(. > 1)",
    "any(.event.list[]; .x == 2)",
    "all(.event.list[]; . != 2)",
    "(.event.list | any)",
    "(.event.list | length) == 2",
    "(.event.text | test(\"^[a-z]+ .\"; \"i\"))",
    "(.event.event_type | test(\"tool_(call|x)_\"))",
    "any(.effects[]; .kind | startswith(\"s\"))",
    "any(.findings[]; .severity == \"warning\" and (.check | contains(\"turn\")))",
    "(.before.pending_call_ids | length) < (.after.pending_call_ids | length)",
    ".after.total_usage.output_tokens > 10",
];

/// Events whose values have rare forms.
const ODD: &str = r#"
{"event_type":"steer_injected","turn_id":"t","step_idx":1,"text":"lo\u0041\"ng","list":[1,2,{"x":2}],"input":{"a":1,"a":2}}
{"event_type":"steer_injected","turn_id":"t","step_idx":1,"text":"","list":[],"usage":{"input_tokens":1.50,"output_tokens":-7}}
{"event_type":"steer_injected","turn_id":"t","step_idx":1,"text":"x","list":[false,null],"call_id":{"x":1,"\u0078":0},"kind":"steer_injected"}
{"event_type":"steer_injected","turn_id":"t","step_idx":1,"text":"x","list":{"b":3,"a":[]},"usage":{"input_tokens":99999999999999999999},"a":{"b":7}}
{"event_type":"steer_injected","turn_id":"t","step_idx":1,"text":"x","list":"text","usage":null,"call_id":"c1","a":{"b":{"c":null}},"a":null}
 {"event_type" : "steer_injected" , "turn_id":"t","step_idx":1,"text":"\ud83d\ude00 é", "list" : [ 3 , [ 4 ] , 1e1 ] , "usage" : { "input_tokens" : 5 } } 
"#;

fn filter() -> impl Strategy<Value = String> {
    test().prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(one, two)| format!("({one}) and ({two})")),
            (inner.clone(), inner.clone()).prop_map(|(one, two)| format!("({one}) or ({two})")),
            inner.clone().prop_map(|one| format!("({one}) | not")),
            inner.clone().prop_map(|one| format!("select({one})")),
            (inner.clone(), inner.clone()).prop_map(|(one, two)| format!("select({one}) | {two}")),
            (inner.clone(), inner.clone()).prop_map(|(one, two)| format!("({one}), ({two})")),
            (inner.clone(), inner).prop_map(|(one, two)| format!("if {one} then {two} else . end")),
        ]
    })
}

proptest! {
    #![proptest_config(crate::tests::cases::cases!(80, "condition"))]

    /// The index gives the same answer as the filter with a complete input.
    #[test]
    fn the_index_and_the_filter_agree(
        log in events(60),
        holes in prop::collection::vec(0..60_usize, 0..4),
        filters in prop::collection::vec(filter(), 1..12),
    ) {
        let loaded = load(&damaged(&log, &holes));
        let replay = loaded.replay();
        for filter in filters {
            let fast = parse(&filter);
            // A definition hides from the analysis what is read, so everything is built and the filter runs everywhere.
            let slow = parse(&format!("def whole: .; whole | {filter}"));
            prop_assert!(!slow.is_plain());
            prop_assert_eq!(hits(&fast, replay), hits(&slow, replay), "{}", filter);
        }
    }

    #[test]
    fn find_agrees_with_each_in_both_directions(
        log in events(60),
        filter in filter(),
        from in 0..60_u32,
        length in 0..60_u32,
    ) {
        let loaded = load(&lines(&log));
        let replay = loaded.replay();
        let condition = parse(&filter);
        let part = from..from + length;
        let inside: Vec<u32> = hits(&condition, replay).into_iter().filter(|at| part.contains(at)).collect();
        let find = |direction| condition.find(&**replay, part.clone(), direction, &|| false).expect("memory");
        prop_assert_eq!(find(Direction::Forward), inside.first().copied().map(Seq), "{}", filter);
        prop_assert_eq!(find(Direction::Backward), inside.last().copied().map(Seq), "{}", filter);
        for at in part.filter(|at| (*at as usize) < log.len()) {
            prop_assert_eq!(condition.holds(&**replay, Seq(at)).expect("memory"), inside.contains(&at), "{} at {}", filter, at);
        }
    }

    #[test]
    fn no_text_panics(text in ".{0,60}") {
        if let Err(bad) = Condition::parse(&text, &VOCABULARY) {
            prop_assert!(text.get(bad.at.clone()).is_some(), "{:?} of {:?}", bad.at, text);
            prop_assert!(!bad.to_string().is_empty());
        }
    }

    /// Texts that look like filters get further than random ones.
    #[test]
    fn no_text_of_filter_words_panics(words in prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..14)) {
        let text = words.join(" ");
        if let Ok(condition) = Condition::parse(&text, &VOCABULARY) {
            let loaded = load(&format!("{}\n", r#"{"event_type":"steer_injected","turn_id":"t","step_idx":1,"text":"x"}"#));
            let _ = condition.holds(&**loaded.replay(), Seq(0));
        }
    }
}

proptest! {
    #![proptest_config(crate::tests::cases::cases!(3, "condition"))]

    /// The same over several chunks, with ranges of the log in which no event is unsure.
    #[test]
    fn long_logs_are_searched_alike(
        log in events(40),
        filter in filter(),
        low in 0..3000_u32,
        high in 3000..6000_u32,
        part in (0..5000_u32, 0..5000_u32),
    ) {
        prop_assume!(log.len() > 5);
        let long: Vec<Value> = log.iter().cycle().take(6000).cloned().collect();
        let loaded = load(&lines(&long));
        let replay = loaded.replay();
        let (part, kind) = (part.0..part.0 + part.1, &log[0]["event_type"]);
        for filter in [
            format!("(.seq < {low} or .seq > {high}) and ({filter})"),
            format!("(.seq < {low} or .seq > {high}) and .after.total_usage.output_tokens > 500 and .effects != []"),
            format!("(.seq > {high}) and .before.step_idx < .after.step_idx"),
            // States change at events in between, where the filter is not run.
            format!(".event.event_type == {kind} and .before.memory_plane_query_count % 2 == 1"),
            format!(".event.event_type == {kind} and .after.model_message_count % 3 == .before.step_idx"),
        ] {
            let (fast, slow) = (parse(&filter), parse(&format!("def whole: .; whole | {filter}")));
            let all = hits(&slow, replay);
            prop_assert_eq!(&hits(&fast, replay), &all, "{}", filter);
            let inside: Vec<Seq> = all.into_iter().filter(|at| part.contains(at)).map(Seq).collect();
            let find = |direction| fast.find(&**replay, part.clone(), direction, &|| false).expect("memory");
            prop_assert_eq!((find(Direction::Forward), find(Direction::Backward)), (inside.first().copied(), inside.last().copied()), "{}", filter);
        }
    }
}

/// Which way an answer came never shows: hits and failures are those of the filter.
#[test]
fn native_tests_and_the_filter_agree_about_odd_values() {
    let deep = |levels: usize| {
        let (open, close) = ("[".repeat(levels), "]".repeat(levels));
        format!(r#"{{"event_type":"steer_injected","turn_id":"t","step_idx":1,"text":"deep","list":{open}{close}}}"#)
    };
    let mut text = ODD.trim_start().to_owned();
    for record in [deep(90), deep(120), deep(140), format!("{{\"event_type\":\"odd\",\"x\":{}}}", "9".repeat(500))] {
        text.push_str(&record);
        text.push('\n');
    }
    let loaded = load(&text);
    assert_eq!(loaded.replay().len(), 10);
    for filter in NATIVE {
        let (fast, slow) = (parse(filter), parse(&format!("def whole: .; whole | {filter}")));
        assert!(fast.is_native() && !slow.is_native(), "{filter}");
        assert_eq!(hits(&fast, loaded.replay()), hits(&slow, loaded.replay()), "{filter}");
        let (fast, slow) = (fast.errors(), slow.errors());
        assert_eq!((fast.count, fast.first), (slow.count, slow.first), "{filter}");
    }
}

/// A value holds from its writer to the next, in either direction and from any start.
#[test]
fn a_rarely_written_value_is_found_in_both_directions() {
    let steer = r#"{"event_type":"steer_injected","turn_id":"t","step_idx":1,"text":"x"}"#;
    let query = r#"{"event_type":"memory_plane_queried","turn_id":"t","step_idx":1,"layer":"working","query_key":"odd","compiler_source":""}"#;
    let writers = [100_u32, 2500, 2600];
    let log: String = (0..6000).map(|at| format!("{}\n", if writers.contains(&at) { query } else { steer })).collect();
    let loaded = load(&log);
    for value in 0..4_usize {
        let condition = parse(&format!(".after.memory_plane_query_count == {value}"));
        assert!(condition.is_plain());
        let from = value.checked_sub(1).map_or(0, |before| writers[before]);
        let held = from..writers.get(value).copied().unwrap_or(6000);
        for part in [0..6000, 0..2499, 0..2550, 50..101, 1024..2048, 2048..3072, 2550..5000, 5000..6000] {
            let find =
                |direction| condition.find(&**loaded.replay(), part.clone(), direction, &|| false).expect("memory");
            let (first, end) = (held.start.max(part.start), held.end.min(part.end));
            let expected = (first < end).then(|| (Seq(first), Seq(end - 1)));
            assert_eq!(find(Direction::Forward).zip(find(Direction::Backward)), expected, "{value} in {part:?}");
            assert_eq!(find(Direction::Backward).is_some(), expected.is_some(), "{value} in {part:?}");
        }
    }
}

/// Any search can be cancelled.
#[test]
fn a_search_can_be_cancelled() {
    let event = r#"{"event_type":"steer_injected","turn_id":"t","step_idx":1,"text":"x"}"#;
    let loaded = load(&format!("{event}\n").repeat(5000));
    for filter in [".seq < 0", ".event.text == \"y\"", ".after.steer_injection_count + 1 < 0"] {
        for direction in [Direction::Forward, Direction::Backward] {
            let asked = std::cell::Cell::new(0);
            let give_up = || {
                asked.set(asked.get() + 1);
                asked.get() > 2
            };
            let found = parse(filter).find(&**loaded.replay(), 0..u32::MAX, direction, &give_up).expect("memory");
            assert!(found.is_none() && asked.get() <= 4, "{filter}: asked {} times", asked.get());
        }
    }
}

const WORDS: &[&str] = &[
    ".", "..", ".event", ".seq", ".after", ".[]", "[", "]", "{", "}", "(", ")", "|", ",", "and", "or", "not", "==",
    "<", "-", "+", "*", "/", "%", "//", "?", "1", "0", "\"a\"", "\"\\(", ")\"", "$x", "as", "reduce", "foreach", "def",
    "f:", ";", "if", "then", "else", "end", "try", "catch", "label", "break", "length", "keys", "map", "select",
    "first", "limit", "range", "@base64", "=", "|=", "any", "tojson", "fromjson", "tostring", "test", ":", "a", "null",
    "error",
];

/// Deeply nested filters must be rejected or survive, on a thread with the usual small stack.
#[test]
fn no_filter_overflows_the_stack() {
    let loaded = load(&format!("{}\n", r#"{"event_type":"steer_injected","turn_id":"t","step_idx":1,"text":"x"}"#));
    let shapes: &[(&str, &str, &str)] = &[
        ("(", ".", ")"),
        ("[", ".", "]"),
        ("{a:", ".", "}"),
        ("-", "1", ""),
        ("try ", ".", ""),
        ("", ".", "?"),
        ("if ", ".", " then . end"),
        ("if . then ", ".", " end"),
        (".|", ".", ""),
        ("", ".", "|."),
        (".,", ".", ""),
        ("1+", "1", ""),
        ("", "1", "+1"),
        (". as $x|", ".", ""),
        ("def f: ", ".", "; f"),
        ("def f: .; ", "f", ""),
        ("label $x|", ".", ""),
        ("reduce ", ".", " as $x (.;.)"),
        ("\"\\(", ".", ")\""),
        (".[", "0", "]"),
        ("first(", ".", ")"),
        (".a//", ".", ""),
        (". and ", ".", ""),
        ("", ".", ".a"),
        ("", ".", "[]?"),
        (". as [", "$x", "] | ."),
        (".=", ".", ""),
        ("map(", ".", ")?"),
        ("[.]|", ".", ""),
    ];
    for (before, core, after) in shapes {
        for times in [10, 60, 70, 140, 290, 590, 1200, 4900] {
            let text = format!("{}{core}{}", before.repeat(times), after.repeat(times));
            if let Ok(condition) = Condition::parse(&text, &VOCABULARY) {
                let _ = condition.holds(&**loaded.replay(), Seq(0)).expect("memory");
            }
        }
    }
}

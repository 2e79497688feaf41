//! Bounds of filters: whatever a filter computes, a run ends with an answer or with the limit that it met.

use std::time::Duration;

use proptest::prelude::*;
use stepback::loader::Loaded;
use stepback::log::{Log, Options};
use stepback::replay::Seq;
use stepback::replay::condition::Condition;
use stepback::replay::direction::Direction;
use stepback::turn;
use stepback::turn::machine::VOCABULARY;

fn load(texts: &[String]) -> Loaded {
    let event = |text: &String| {
        let event = serde_json::json!({"event_type": "steer_injected", "turn_id": "t", "step_idx": 1, "text": text});
        format!("{event}\n")
    };
    let log: String = texts.iter().map(event).collect();
    let options = Options { dialect: Some(&turn::dialect::DIALECT), ..Options::default() };
    let log = Log::from_bytes("test".to_owned(), None, log.into_bytes(), &options).expect("a log");
    let loaded = Loaded::begin_log_only(log, false).expect("a pass");
    assert!(loaded.wait(Duration::from_secs(60), |_| false), "the pass takes too long");
    loaded
}

/// The answer of a filter at the first event, or why it failed there.
fn answer(loaded: &Loaded, filter: &str) -> Result<bool, String> {
    let condition = Condition::parse(filter, &VOCABULARY).unwrap_or_else(|bad| panic!("{bad}"));
    let holds = condition.holds(&**loaded.replay(), Seq(0)).expect("memory");
    match condition.errors().first {
        Some((_, reason)) => {
            assert!(!holds, "{filter} holds and failed: {reason}");
            Err(reason)
        }
        None => Ok(holds),
    }
}

/// Filters that need endless time, memory or stack.
const EXPLOSIVE: &[(&str, &str)] = &[
    ("reduce range(10000) as $i (null; [.]) | tostring", "nested levels"),
    ("reduce range(10000) as $i (null; [.]) | 1", "nested levels"),
    ("reduce range(10000) as $i (null; {a: .}) | 1", "nested levels"),
    ("reduce range(9999) as $i ([]; .[0] = . ) | 1", "out of bounds"),
    ("reduce range(9999) as $i ([0]; .[0] = . ) | 1", "nested levels"),
    ("\"ab\" * 5000000000", "steps"),
    ("\"ab\" * 99999999999999999999999999", "steps"),
    ("reduce range(40) as $i (\"x\"; . + .)", "steps"),
    ("reduce range(40) as $i ([0]; . + .)", "steps"),
    ("reduce range(64) as $i (0; [., .]) | tojson", "steps"),
    ("reduce range(64) as $i (0; [., .]) | \"\\(.)\"", "steps"),
    ("reduce range(64) as $i (0; [., .]) | [..] | length", "steps"),
    ("reduce range(64) as $i (0; [., .]) as $a | reduce range(64) as $i (0; [., .]) | . == $a", "steps"),
    ("reduce range(64) as $i (0; {a: ., b: .}) as $a | reduce range(64) as $i (0; {a: ., b: .}) | . < $a", "steps"),
    ("reduce range(64) as $i (0; [., .]) as $a | reduce range(64) as $i (0; [., .]) | contains($a)", "steps"),
    ("reduce range(64) as $i (0; [., .]) | flatten | length", "rounds"),
    ("reduce range(64) as $i (0; [., .]) | . - [.] | length > 9", "steps"),
    ("reduce range(64) as $i (0; [., .]) | walk(.) | length > 9", "steps"),
    ("reduce range(64) as $i (0; [., .]) | {} - .", "cannot calculate"),
    ("reduce range(64) as $i (0; [., .]) | error", "…"),
    ("[[range(10)] | combinations(10)] | length", "steps"),
    ("[range(20) | [0, 1]] | [combinations] | length", "steps"),
    ("\"x\" * 100000 | gsub(\"\"; \"y\") | length < 0", "steps"),
    ("\"x\" * 1000000 | [scan(\".\")] | length < 0", "steps"),
    ("reduce range(10000) as $i (3; . * .)", "digits"),
    (
        "last((0,0)|(0,0)|(0,0)|(0,0)|(0,0)|(0,0)|(0,0)|(0,0)|(0,0)|(0,0)|(0,0)|(0,0)|(0,0)|(0,0)|(0,0)|(0,0)|(0,0)|(0,0)|(0,0)|(0,0)|(0,0)|(0,0)|(0,0)|(0,0)|(0,0)|(0,0)|(0,0)|(0,0)|(0,0)|(0,0))",
        "steps",
    ),
    (
        "reduce ((.,.)|(.,.)|(.,.)|(.,.)|(.,.)|(.,.)|(.,.)|(.,.)|(.,.)|(.,.)|(.,.)|(.,.)|(.,.)|(.,.)|(.,.)|(.,.)|(.,.)|(.,.)|(.,.)|(.,.)|(.,.)|(.,.)|(.,.)|(.,.)|(.,.)|(.,.)|(.,.)|(.,.)|(.,.)|(.,.)) as $x (0; .)",
        "steps",
    ),
    ("try (\"ab\" * 5000000000) catch true", "steps"),
    ("(reduce range(40) as $i (\"x\"; . + .))? // true", "steps"),
    ("recurse(.) |= 1", ""),
    ("repeat(.) |= 1", ""),
    ("reduce range(10000) as $i (.; .) |= 1", "too deeply"),
    ("[path(recurse(.a?))] | length", ""),
    ("[range(5000)] as $a | null | path(getpath($a + $a + $a + $a))", "keys"),
    ("[range(5000) | \"a\"] as $a | {} | path(getpath($a + $a + $a + $a))", "keys"),
    ("null | setpath([range(10000) | \"a\"]; 1)", ""),
    ("[range(9000)] | sort_by([range(9000)] | length) | length < 0", "rounds"),
    ("[range(3000)] | map([range(3)]) | unique_by(. as $x | [$x, $x, $x] | tojson * 100) | length < 0", "rounds"),
    ("\"x\" * 60000000 / \"\" | length", "steps"),
    ("\"x\" * 10000000 | explode | length < 0", "steps"),
    ("\"a\" * 300000 | indices(\"a\" * 1000) | length < 0", "steps"),
    ("[range(2000) | \"(a{\\(.)}){20}\" as $p | \"a\" | test($p)] | length < 0", ""),
    ("{(nan): 1}", "key of an object"),
    ("{} | .[[nan]] = 1", "key of an object"),
];

#[test]
fn explosive_filters_fail_with_the_limit_that_they_met() {
    let loaded = load(&["x".to_owned()]);
    let wrong: Vec<String> = EXPLOSIVE
        .iter()
        .filter_map(|(filter, reason)| {
            let failed = answer(&loaded, filter);
            let is_right = failed.as_ref().is_err_and(|told| told.contains(reason) && told.chars().count() < 300);
            (!is_right).then(|| format!("{filter}: {failed:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(answer(&loaded, ".event.text == \"x\""), Ok(true), "the next run has a budget of its own");
}

/// What a harmless filter reads is the log's choice.
#[test]
fn no_text_of_a_log_makes_a_harmless_filter_explode() {
    let digits = "1".repeat(2_000_000);
    let texts = [
        digits.clone(),
        format!("[{}]", vec![&digits[..20_000]; 50].join(",")),
        format!("{}1", "[".repeat(200_000)),
        format!("#\"\n{}", "[".repeat(200_000)),
        format!("{{{}1:1}}", "NaN:1,".repeat(200_000)),
        format!("0.{digits}e{digits}"),
        "1e999999999999".to_owned(),
        "[1,2".to_owned(),
    ];
    for text in texts {
        let loaded = load(&[text]);
        for filter in [
            ".event.text | fromjson | length >= 0",
            ".event.text | fromjson | tojson | length >= 0",
            ".event.text | tonumber > 3",
            ".event.text | test(\"(1|2)+$\")",
            ".event.text | ascii_upcase | gsub(\"N\"; \"n\") | length >= 0",
            "[.event | .. | strings | length] | add > 0",
        ] {
            let _ = answer(&loaded, filter);
        }
        assert_eq!(answer(&loaded, "[.event | .. | strings | length] | add > 0"), Ok(true));
    }
}

#[test]
fn long_numbers_are_read_in_linear_time_and_as_numbers() {
    let loaded = load(&[format!("{{\"a\":1{},\"b\":0.{}1}}", "0".repeat(300), "0".repeat(300))]);
    assert_eq!(
        answer(&loaded, ".event.text | fromjson | .a > 1e299 and .a < 1e301 and .b < 1e-299 and .b >= 0"),
        Ok(true)
    );
    let loaded = load(&[format!("{{\"a\":1{},\"b\":0.{}1}}", "0".repeat(500), "5".repeat(500))]);
    assert_eq!(answer(&loaded, ".event.text | fromjson | .a == infinite and .b > 0.555 and .b < 0.556"), Ok(true));
}

/// What filters did before there was a budget, they still do.
#[test]
fn ordinary_filters_fit_their_budget() {
    let loaded = load(&[format!("a,b\n{}", "word ".repeat(2000))]);
    let mut wrong = Vec::new();
    for filter in [
        "[range(5000)] | map(. * 2) | add == 24995000",
        "[.event.text | scan(\"\\\\w+\")] | length == 2002",
        ".event.text | gsub(\"word\"; \"x\") | length == 4004",
        ".event.text | split(\" \") | unique | length == 3",
        ".event | [.. | select(type == \"string\")] | sort | length == 3",
        "[limit(3; repeat(1))] == [1, 1, 1]",
        "[range(3000) | tostring] | join(\",\") | length == 13889",
        "[1, [2, [3, {\"a\": 4}]]] | (.. | select(. == 4)) and (flatten | length == 4)",
        "{a: {b: [1, 2, 3]}} | (.a.b[1] = 9 | .a.b == [1, 9, 3]) and (.a.b |= map(. + 1) | .a.b[0] == 2)",
        "[1, 2, 3, 4] | (.[1:3] = [9] | . == [1, 9, 4]) and (.[2:] |= [] | . == [1, 2]) and (del(.[0]) == [2, 3, 4])",
        "\"abcdef\" | (.[1:3] |= \"XYZ\" | . == \"aXYZdef\") and (.[:2] |= empty | . == \"cdef\") and (.[-1:] == \"f\")",
        "[3, 1, 2] | (sort == [1, 2, 3]) and (index(1) == 1) and (contains([2])) and ([1, 2, 3] | bsearch(2) == 1)",
        "{a: 1} * {b: {c: 2}} | has(\"a\") and (has(\"z\") | not) and ([1] | has(0) and (has(1) | not)) and (to_entries | length == 2)",
        "(-5 | length == 5) and (\"äöü\" | length == 3 and utf8bytelength == 6) and (null | length == 0) and (\"a-b\" | indices(\"-\") == [1])",
        "[1, 2, 1, 2] | .[[1, 2]] == [0, 2]",
        "[path(..)] | length > 3",
        "(\"[1, {\\\"b\\\": null}]\" | fromjson | tojson) == \"[1,{\\\"b\\\":null}]\"",
        "pick(.event.text) | .event.text | startswith(\"a\")",
        "(100000000000000000000 * 100000000000000000000 | tostring) == \"10000000000000000000000000000000000000000\"",
        "[.[]?, 1, null] | group_by(.) | length >= 2",
        "with_entries(.value |= tostring) | .seq == \"0\"",
        "try error(\"x\") catch . == \"x\"",
    ] {
        if answer(&loaded, filter) != Ok(true) {
            wrong.push(format!("{filter}: {:?}", answer(&loaded, filter)));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Every event costs a whole budget; the caller is asked between two of them.
#[test]
fn an_expensive_filter_can_be_given_up_after_every_event() {
    let loaded = load(&vec!["x".to_owned(); 200]);
    for filter in [
        "[range(99) | [range(99)]] | [.[][]] | [combinations] | . < .seq",
        ".event.text as $x | [range(20) | [0, 1]] | [combinations]",
        ".after as $x | [range(20) | [0, 1]] | [combinations]",
    ] {
        let condition = Condition::parse(filter, &VOCABULARY).unwrap_or_else(|bad| panic!("{bad}"));
        let asked = std::cell::Cell::new(0);
        let give_up = || {
            asked.set(asked.get() + 1);
            asked.get() > 3
        };
        let found = condition.find(&**loaded.replay(), 0..u32::MAX, Direction::Forward, &give_up).expect("memory");
        assert!(found.is_none() && condition.errors().count < 5, "{filter}: {:?}", condition.errors());
    }
}

/// A small grammar of filters that make and take apart values.
fn filter() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        ".",
        ".event",
        "..",
        "1",
        "-1.5",
        "1e400",
        "\"ab\"",
        "null",
        "[]",
        "{}",
        "nan",
        "infinite",
        "[range(50)]",
        "range(9)",
        ".[]?",
        "99999999999999999999",
        "\"[[1,NaN]]\"",
        "9999",
        "empty",
        "error",
        "[.[]?]",
        "{a: 1, b: [2]}",
        "input_line",
        "first(range(3))",
    ])
    .prop_filter("known", |text| *text != "input_line")
    .prop_map(str::to_owned);
    leaf.prop_recursive(5, 24, 3, |inner| {
        let one = prop::sample::select(vec![
            "[#]",
            "{a: #}",
            "(# | tostring)",
            "(# | tojson)",
            "(# | fromjson)",
            "(# | length)",
            "[# | ..]",
            "(# | keys)",
            "(# | sort)",
            "(# | unique)",
            "(# | add)",
            "(# | flatten)",
            "(# | walk(.))",
            "[# | path(..)]",
            "(# | to_entries)",
            "(# | .[0]?)",
            "(# | .[1:])",
            "(# | .[:-1] |= .)",
            "(# | .[0] |= [.])",
            "(# | .a = .)",
            "(# | .[] += 1)",
            "(# | explode)",
            "(# | implode)",
            "(# | ascii_downcase)",
            "(# | test(\"a*\"))",
            "(# | gsub(\"\"; \"-\"))",
            "(# | combinations)",
            "(# | transpose)",
            "(# | min_by(.))",
            "(# | group_by(.))",
            "(# | floor)",
            "(# | not)",
            "(# | reverse)",
            "(# | tonumber)",
            "(# | @json)",
            "(# | @text)",
            "(# | join(\"a\"))",
            "(# | getpath([\"a\", 0]))",
            "(# | del(.[0]))",
            "(# | has(0))",
            "(# | splits(\"a\"))",
            "first(#)",
            "last(#)",
            "isempty(#)",
            "(#)?",
            "[limit(5; repeat(#))]",
            "reduce range(60) as $i (#; [., .])",
            "reduce range(60) as $i (#; . + .)",
            "reduce range(600) as $i (#; [.])",
            "(# | until(. == 1; .))",
            "[# | recurse]",
            "[# | recurse(.[]?; . != 1)]",
            "(# | recurse(.a?) |= 1)",
        ]);
        let two = prop::sample::select(vec![
            "(# + @)",
            "(# - @)",
            "(# * @)",
            "(# / @)",
            "(# % @)",
            "(# == @)",
            "(# < @)",
            "(# , @)",
            "(# | @)",
            "(# // @)",
            "(# and @)",
            "(# | contains(@))",
            "(# | indices(@))",
            "(# | bsearch(@))",
            "(# | .[@]?)",
            "(# | setpath([\"a\"]; @))",
            "(try # catch @)",
            "(# as $x | @ | [$x, .])",
            "(if # then @ else 1 end)",
            "(# | map(@))",
            "(# | sort_by(@))",
            "(# |= @)",
            "(.[]? = (# | @))",
            "(# | any(@))",
            "(# | split(@))",
            "(# | startswith(@))",
            "(# | ltrimstr(@))",
            "(foreach # as $i (0; @))",
            "(# | limit(3; @))",
        ]);
        prop_oneof![
            (one, inner.clone()).prop_map(|(shape, part)| shape.replace('#', &part)),
            (two, inner.clone(), inner).prop_map(|(shape, one, two)| shape.replace('@', &two).replace('#', &one)),
        ]
    })
}

proptest! {
    #![proptest_config(crate::tests::cases::cases!(300, "bounds"))]

    #[test]
    fn no_filter_panics_or_overflows(filter in filter()) {
        let loaded = load(&["{\"a\": [1, \"b\", null]}".to_owned()]);
        if let Ok(condition) = Condition::parse(&filter, &VOCABULARY) {
            let _ = condition.holds(&**loaded.replay(), Seq(0)).expect("memory");
        }
    }
}

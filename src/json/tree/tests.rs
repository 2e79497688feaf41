//! Tests of the rows of valid and invalid values.

use proptest::prelude::*;
use serde_json::Value;

use super::*;

fn tree(json: &[u8]) -> Tree {
    Tree::new(Arc::from(json))
}

fn key(tree: &Tree, row: usize) -> String {
    match tree.called(row) {
        Called::Nothing => String::new(),
        Called::Index(index) => format!("{index}"),
        Called::Key(key) => key.collect(),
    }
}

/// Each row as `depth key kind written`.
fn rows(tree: &Tree) -> Vec<String> {
    let row = |row: usize| {
        let written = String::from_utf8_lossy(tree.bytes(row)).into_owned();
        let (kind, members) = (tree.kind(row), tree.members(row));
        let shown = match kind {
            RowKind::Object | RowKind::Array => format!("{kind:?} {members}"),
            RowKind::Close => format!("{kind:?}"),
            _ => format!("{kind:?} {written}"),
        };
        format!("{} {} {shown}", tree.depth(row), key(tree, row))
    };
    tree.visible().map(row).collect()
}

fn paths(json: &str) -> Vec<String> {
    let tree = tree(json.as_bytes());
    (0..tree.len()).filter(|row| tree.kind(*row) != RowKind::Close).map(|row| tree.path(row)).collect()
}

#[test]
fn order_and_spelling_stay() {
    let tree = tree(br#" {"b": [1, 2.50, -0E+1], "a":{ },"c":"x\u00e9", "b":null, "e":[] } "#);
    assert_eq!(
        rows(&tree),
        [
            "0  Object 5",
            "1 b Array 3",
            "2 0 Number 1",
            "2 1 Number 2.50",
            "2 2 Number -0E+1",
            "1  Close",
            "1 a Object 0",
            "1 c String \"x\\u00e9\"",
            "1 b Word null",
            "1 e Array 0",
            "0  Close",
        ]
    );
    assert_eq!(tree.text(7).collect::<String>(), "xé");
    assert_eq!(tree.range(1), Some(7..23));
    assert_eq!(tree.bytes(5), tree.bytes(1), "an end has the bytes of its value");
}

#[test]
fn paths_are_those_of_jq() {
    assert_eq!(paths("7"), ["."]);
    assert_eq!(
        paths(r#"{"a":{"b c":[1,{"d":2}]},"1x":3,"q\"\\":4,"":5}"#),
        [
            ".",
            ".a",
            r#".a["b c"]"#,
            r#".a["b c"][0]"#,
            r#".a["b c"][1]"#,
            r#".a["b c"][1].d"#,
            r#".["1x"]"#,
            r#".["q\"\\"]"#,
            r#".[""]"#,
        ]
    );
    assert_eq!(paths(r#"[["x"]]"#), [".", ".[0]", ".[0][0]"]);
    assert_eq!(
        paths(r#"{"in":"{\"a\":[\"[1]\"]}","out":0}"#),
        [
            ".",
            ".in | fromjson",
            ".in | fromjson | .a",
            ".in | fromjson | .a[0] | fromjson",
            ".in | fromjson | .a[0] | fromjson | .[0]",
            ".out",
        ]
    );
    assert_eq!(paths(r#""[1]""#), [". | fromjson", ". | fromjson | .[0]"]);
}

#[test]
fn a_string_that_holds_json_is_shown_as_json() {
    let tree = tree(br#"{"in":"{\"a\":\"b\\nc\"}","no":"{a}","torn":"{\"a\":","tail":"{} x","blank":" [ ] "}"#);
    assert_eq!(
        rows(&tree),
        [
            "0  Object 5",
            "1 in Object 1",
            "2 a String \"b\\nc\"",
            "1  Close",
            "1 no String \"{a}\"",
            "1 torn String \"{\\\"a\\\":\"",
            "1 tail String \"{} x\"",
            "1 blank Array 0",
            "0  Close",
        ]
    );
    assert!(tree.is_in_string(1) && !tree.is_in_string(2) && tree.is_in_string(7));
    assert_eq!((tree.bytes(1), tree.range(1)), (&br#"{"a":"b\nc"}"#[..], None));
    assert_eq!(tree.text(2).collect::<String>(), "b\nc");
}

#[test]
fn nested_json_strings_are_followed_to_a_limit() {
    let mut json = "[]".to_owned();
    for _ in 0..12 {
        json = Value::from(vec![json]).to_string();
    }
    let tree = tree(json.as_bytes());
    let inner = (0..tree.len()).filter(|row| tree.is_in_string(*row)).count();
    assert_eq!(inner, 4);
    assert_eq!((0..tree.len()).filter(|row| tree.kind(*row) == RowKind::String).count(), 1, "the rest is a string");
}

#[test]
fn invalid_json_becomes_a_row_of_text() {
    for (json, expected) in [
        ("", &["0  Text "][..]),
        ("plain words", &["0  Text plain words"]),
        ("01", &["0  Text 01"]),
        ("tru", &["0  Text tru"]),
        ("{\"a\":1} x", &["0  Object 1", "1 a Number 1", "0  Close", "0  Text x"]),
        ("{\"a\":1,\"b\":tr", &["0  Object 1", "1 a Number 1", "0  Text \"b\":tr"]),
        ("{\"a\":\"open", &["0  Object 0", "0  Text \"a\":\"open"]),
        ("[1,", &["0  Array 1", "1 0 Number 1", "0  Text "]),
        ("[1}", &["0  Array 1", "1 0 Number 1", "0  Text }"]),
        ("[1,]", &["0  Array 1", "1 0 Number 1", "0  Text ]"]),
        ("{\"a\" 1}", &["0  Object 0", "0  Text \"a\" 1}"]),
        ("{,}", &["0  Object 0", "0  Text ,}"]),
    ] {
        assert_eq!(rows(&tree(json.as_bytes())), expected, "{json}");
    }
}

#[test]
fn rows_fold() {
    let mut tree = tree(br#"{"a":{"b":[1,2]},"c":[3]}"#);
    let all: Vec<usize> = tree.visible().collect();
    assert_eq!(all.len(), 11);
    tree.fold_all(true);
    assert_eq!(rows(&tree), ["0  Object 2", "1 a Object 1", "1 c Array 1", "0  Close"]);
    tree.reveal(&[3]);
    assert_eq!(tree.visible().count(), 9, "all of `a`, and `b` is no longer folded");
    tree.fold_to(2);
    assert_eq!(rows(&tree)[1..4], ["1 a Object 1", "2 b Array 2", "1  Close"]);
    tree.fold(0, true);
    assert_eq!(rows(&tree), ["0  Object 2"]);
    tree.fold_all(false);
    assert_eq!(tree.visible().collect::<Vec<_>>(), all);
}

#[test]
fn a_deep_value_is_a_long_list_of_rows() {
    let deep = 100_000;
    let json = "[".repeat(deep) + &"]".repeat(deep);
    let mut whole = tree(json.as_bytes());
    assert_eq!(whole.len(), 2 * deep - 1);
    assert_eq!(whole.path(deep - 1).len(), 3 * deep - 2);
    whole.fold_all(true);
    whole.reveal(&[deep - 1]);
    assert_eq!(whole.visible().count(), 2 * deep - 1);
    let torn = tree(&json.as_bytes()[..deep]);
    assert_eq!((torn.len(), torn.end(0)), (deep + 1, deep - 1));
    let objects = "{\"a\":".repeat(deep);
    assert_eq!(tree(objects.as_bytes()).path(7), ".a.a.a.a.a.a.a");
}

#[test]
fn a_value_with_too_many_rows_ends_with_the_rest() {
    let (rows, _) = scan::rows(Arc::from(&br#"[1,"[2,3,4,5,6]",7,8]"#[..]), 4);
    let last = rows.last().expect("rows");
    assert_eq!((last.kind, last.from, last.to), (RowKind::Rest, 16, 21));
    assert_eq!(rows[2].kind, RowKind::String, "JSON that is cut off stays a string");
    let many = format!("[{}1]", "1,".repeat(ROWS_MOST + 10));
    let tree = tree(many.as_bytes());
    assert_eq!((tree.len(), tree.kind(tree.len() - 1)), (ROWS_MOST + 1, RowKind::Rest));
}

/// The value that the rows describe.
fn value(tree: &Tree, row: usize) -> Value {
    let members = || {
        let inside = row + 1..tree.end(row);
        inside.filter(|inner| tree.parent(*inner) == Some(row) && tree.kind(*inner) != RowKind::Close)
    };
    match tree.kind(row) {
        _ if tree.is_in_string(row) => String::from_utf8_lossy(&tree.sources[tree.rows[row].source as usize]).into(),
        RowKind::Object => members().map(|inner| (key(tree, inner), value(tree, inner))).collect(),
        RowKind::Array => members().map(|inner| value(tree, inner)).collect(),
        RowKind::String => tree.text(row).collect::<String>().into(),
        _ => serde_json::from_slice(tree.bytes(row)).expect("a scalar"),
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        any::<String>(),
        Just(r#"{"a":[1,"x"]}"#.to_owned()),
        Just("[\"[\\\"{}\\\"]\"]".to_owned()),
        Just("[1,".to_owned())
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(text.clone(), inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// For any bytes: nothing panics, and every byte that is not white space belongs to a row.
fn holds(bytes: &[u8]) {
    let mut tree = tree(bytes);
    let mut covered = vec![false; bytes.len()];
    for row in 0..tree.len() {
        assert!(tree.end(row) < tree.len() && tree.end(row) >= row);
        if let Some(range) = tree.range(row).filter(|_| tree.depth(row) == 0) {
            covered[range].fill(true);
        }
        let _ = (tree.path(row), tree.text(row).count());
        tree.fold(row, true);
        assert!(tree.visible().count() <= tree.len());
        tree.fold(row, false);
    }
    let is_string = !tree.is_empty() && tree.is_in_string(0);
    let missing = bytes.iter().zip(&covered).any(|(byte, covered)| !covered && !byte.is_ascii_whitespace());
    assert!(is_string || !missing, "{}", String::from_utf8_lossy(bytes));
}

proptest! {
    #![proptest_config(crate::tests::cases::cases!(256, "json-tree"))]

    #[test]
    fn rows_describe_the_whole_value(json in any_json()) {
        for text in [json.to_string(), serde_json::to_string_pretty(&json).expect("JSON")] {
            prop_assert_eq!(value(&tree(text.as_bytes()), 0), json.clone());
        }
    }

    #[test]
    fn any_bytes_have_rows(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        holds(&bytes);
    }

    #[test]
    fn torn_and_twisted_json_has_rows(json in any_json(), cut in 0..400_usize, at in 0..400_usize, byte in any::<u8>()) {
        let mut bytes = json.to_string().into_bytes();
        holds(&bytes[..cut.min(bytes.len())]);
        if let Some(place) = bytes.get_mut(at) {
            *place = byte;
        }
        holds(&bytes);
    }

    #[test]
    fn brackets_and_quotes_have_rows(text in r#"[\[\]{}",:\\ 1atu\n]{0,60}"#) {
        holds(text.as_bytes());
    }
}

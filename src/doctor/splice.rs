//! Edits of a JSON text that leave every other byte as it is.

use std::ops::Range;

use super::shape::{At, Shape};

/// Replaces a span of a text.
pub(crate) fn replaced(text: &[u8], span: Range<usize>, by: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() - span.len() + by.len());
    out.extend_from_slice(&text[..span.start]);
    out.extend_from_slice(by);
    out.extend_from_slice(&text[span.end..]);
    out
}

/// Replaces the value of a member, or adds the member at the end of its object.
pub(crate) fn with_member(shape: &Shape, object: At, name: &str, value: &[u8]) -> Vec<u8> {
    if let Some(old) = shape.get(object, name) {
        return replaced(shape.bytes(), shape.span(old), value);
    }
    let end = shape.span(object).end - 1;
    let mut added = Vec::new();
    if shape.members(object).next().is_some() {
        added.push(b',');
    }
    added.extend_from_slice(&literal(name));
    added.push(b':');
    added.extend_from_slice(value);
    replaced(shape.bytes(), end..end, &added)
}

/// Adds a member behind another one, or at the end of the object.
pub(crate) fn with_member_behind(shape: &Shape, object: At, before: &str, name: &str, value: &[u8]) -> Vec<u8> {
    let Some(before) = shape.get(object, before) else { return with_member(shape, object, name, value) };
    let end = shape.span(before).end;
    let added = [b",", &literal(name)[..], b":", value].concat();
    replaced(shape.bytes(), end..end, &added)
}

/// Removes every member with this name.
pub(crate) fn without_member(shape: &Shape, object: At, name: &str) -> Vec<u8> {
    let members: Vec<(At, At)> = shape.members(object).collect();
    let kept = |member: &(At, At)| !shape.is_named(member.0, name);
    let (Some(first), Some(last)) = (members.first(), members.last()) else { return shape.bytes().to_vec() };
    let mut inside: Vec<u8> = Vec::new();
    for (index, member) in members.iter().enumerate().filter(|(_, member)| kept(member)) {
        if !inside.is_empty() {
            // The comma and the blanks that stood before this member.
            let before = members[index - 1].1;
            inside.extend_from_slice(&shape.bytes()[shape.span(before).end..shape.span(member.0).start]);
        }
        inside.extend_from_slice(&shape.bytes()[shape.span(member.0).start..shape.span(member.1).end]);
    }
    replaced(shape.bytes(), shape.span(first.0).start..shape.span(last.1).end, &inside)
}

/// Removes an element of an array.
pub(crate) fn without_element(shape: &Shape, array: At, index: usize) -> Vec<u8> {
    let spans: Vec<Range<usize>> = shape.elements(array).map(|element| shape.span(element)).collect();
    if index >= spans.len() {
        return shape.bytes().to_vec();
    }
    replaced(shape.bytes(), gap_of(&spans, index), b"")
}

/// What has to go with an element, so that commas still separate the others.
fn gap_of(spans: &[Range<usize>], index: usize) -> Range<usize> {
    let own = &spans[index];
    match (index.checked_sub(1).map(|before| &spans[before]), spans.get(index + 1)) {
        (_, Some(after)) => own.start..after.start,
        (Some(before), None) => before.end..own.end,
        (None, None) => own.clone(),
    }
}

/// A text as a JSON string.
pub(crate) fn literal(text: &str) -> Vec<u8> {
    serde_json::to_vec(text).unwrap_or_else(|_| b"\"\"".to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(json: &str, edit: impl Fn(&Shape) -> Vec<u8>) -> String {
        String::from_utf8(edit(&Shape::parse(json.as_bytes()).expect("JSON"))).expect("UTF-8")
    }

    #[test]
    fn elements_leave_with_their_comma() {
        let without = |index| edited("[ 1, [2] ,3 ]", |shape| without_element(shape, Shape::ROOT, index));
        assert_eq!(
            [without(0), without(1), without(2), without(3)],
            ["[ [2] ,3 ]", "[ 1, 3 ]", "[ 1, [2] ]", "[ 1, [2] ,3 ]"]
        );
        assert_eq!(edited("[ 1 ]", |shape| without_element(shape, Shape::ROOT, 0)), "[  ]");
    }

    #[test]
    fn members_are_replaced_added_and_removed() {
        let json = r#"{"a": 1, "b":{"c":2}, "a":3}"#;
        assert_eq!(edited(json, |shape| with_member(shape, Shape::ROOT, "a", b"4")), r#"{"a": 1, "b":{"c":2}, "a":4}"#);
        assert_eq!(
            edited(json, |shape| with_member(shape, Shape::ROOT, "d", b"4")),
            r#"{"a": 1, "b":{"c":2}, "a":3,"d":4}"#
        );
        assert_eq!(edited("{}", |shape| with_member(shape, Shape::ROOT, "d", b"4")), r#"{"d":4}"#);
        assert_eq!(edited(json, |shape| without_member(shape, Shape::ROOT, "a")), r#"{"b":{"c":2}}"#);
        let behind = |before| edited(json, |shape| with_member_behind(shape, Shape::ROOT, before, "d", b"4"));
        assert_eq!(behind("b"), r#"{"a": 1, "b":{"c":2},"d":4, "a":3}"#);
        assert_eq!(behind("x"), r#"{"a": 1, "b":{"c":2}, "a":3,"d":4}"#);
    }
}

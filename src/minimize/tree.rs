//! An event as JSON that can be shortened: members keep their order, and what is not cut keeps its spelling.

use serde::de::IgnoredAny;

use crate::json::string::unescaped_if_valid;
use crate::json::token::{Token, TokenKind, Tokens, end_of_value};

/// Deeper values are left as they are.
const DEPTH: usize = 32;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    /// Each member with its key, unescaped.
    Object(Vec<(String, Node)>),
    Array(Vec<Node>),
    /// A string as it is written, with quotes and escapes.
    Text(String),
    /// A number, a word, or a value that is too deep, as it is written.
    Other(String),
}

/// The path of a value: its position among the members or elements at each level.
pub(crate) type NodePath = Vec<usize>;

/// What is done to the value at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// The member is removed.
    Away,
    /// A text or list is emptied.
    Empty,
    /// A text keeps this many characters, a list this many elements.
    To(usize),
}

impl Node {
    /// `None` if the text is not JSON.
    pub(crate) fn parse(text: &[u8]) -> Option<Node> {
        let text = std::str::from_utf8(text).ok()?;
        // The tokenizer checks neither numbers nor escapes.
        serde_json::from_str::<IgnoredAny>(text).ok()?;
        let mut tokens = Tokens::new(text).flatten();
        let first = tokens.next()?;
        Node::of(text, &mut tokens, first, 0)
    }

    /// The value that begins with `first`.
    fn of(text: &str, rest: &mut dyn Iterator<Item = Token>, first: Token, depth: usize) -> Option<Node> {
        let written = |to: usize| text[first.from..to].to_owned();
        Some(match first.kind {
            TokenKind::Object | TokenKind::Array if depth == DEPTH => Node::Other(written(end_of_value(1, rest)?)),
            TokenKind::Object => {
                let mut members = Vec::new();
                while let Some(key) = rest.next().filter(|key| key.kind == TokenKind::Key) {
                    let value = rest.next()?;
                    let key = unescaped_if_valid(&text[key.inside()])?;
                    members.push((key, Node::of(text, rest, value, depth + 1)?));
                }
                Node::Object(members)
            }
            TokenKind::Array => {
                let mut elements = Vec::new();
                while let Some(value) = rest.next().filter(|value| value.kind != TokenKind::End) {
                    elements.push(Node::of(text, rest, value, depth + 1)?);
                }
                Node::Array(elements)
            }
            TokenKind::String => Node::Text(written(first.to)),
            _ => Node::Other(written(first.to)),
        })
    }

    pub(crate) fn at(&self, path: &[usize]) -> Option<&Node> {
        let Some((first, rest)) = path.split_first() else { return Some(self) };
        match self {
            Node::Object(members) => members.get(*first)?.1.at(rest),
            Node::Array(elements) => elements.get(*first)?.at(rest),
            Node::Text(_) | Node::Other(_) => None,
        }
    }

    /// Makes some cuts. Paths are those of the value before the cuts, and none is inside another.
    pub(crate) fn cut(&self, cuts: &[(&NodePath, Cut)]) -> Node {
        let mut cut = self.clone();
        let mut cuts: Vec<&(&NodePath, Cut)> = cuts.iter().collect();
        // From the last to the first, so that positions before a removed member stay right.
        cuts.sort_by(|one, two| two.0.cmp(one.0));
        for (path, how) in cuts {
            cut.cut_at(path, *how);
        }
        cut
    }

    fn cut_at(&mut self, path: &[usize], how: Cut) {
        match (self, path) {
            (Node::Object(members), [last]) if how == Cut::Away && *last < members.len() => {
                members.remove(*last);
            }
            (Node::Object(members), [first, rest @ ..]) => {
                if let Some((_, value)) = members.get_mut(*first) {
                    value.cut_at(rest, how);
                }
            }
            (Node::Array(elements), [first, rest @ ..]) => {
                if let Some(value) = elements.get_mut(*first) {
                    value.cut_at(rest, how);
                }
            }
            (Node::Array(elements), []) => elements.truncate(if let Cut::To(count) = how { count } else { 0 }),
            (Node::Text(text), []) => *text = shortened(text, if let Cut::To(count) = how { count } else { 0 }),
            (Node::Object(_) | Node::Text(_) | Node::Other(_), _) => {}
        }
    }

    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        let mut lead = "";
        match self {
            Node::Object(members) => {
                out.push('{');
                for (key, value) in members {
                    out.push_str(lead);
                    out.push_str(&serde_json::Value::from(key.as_str()).to_string());
                    out.push(':');
                    value.write(out);
                    lead = ",";
                }
                out.push('}');
            }
            Node::Array(elements) => {
                out.push('[');
                for value in elements {
                    out.push_str(lead);
                    value.write(out);
                    lead = ",";
                }
                out.push(']');
            }
            Node::Text(text) | Node::Other(text) => out.push_str(text),
        }
    }
}

/// How many characters a string literal represents.
pub(crate) fn characters(literal: &str) -> usize {
    unescaped_literal(literal).chars().count()
}

/// The literal of a string's first characters.
fn shortened(literal: &str, count: usize) -> String {
    serde_json::Value::from(unescaped_literal(literal).chars().take(count).collect::<String>()).to_string()
}

/// The text of a string literal; nothing if an escape in it is not valid.
fn unescaped_literal(literal: &str) -> String {
    let inside = literal.get(1..literal.len().saturating_sub(1)).unwrap_or_default();
    unescaped_if_valid(inside).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_leave_the_rest_as_it_was() {
        let text = r#"{ "z" : 1.0, "a":"x\u00e9y", "list":[1,{"b":"c"}], "m":{"n":null,"o":"p"} }"#;
        let node = Node::parse(text.as_bytes()).expect("JSON");
        assert_eq!(node.text(), r#"{"z":1.0,"a":"x\u00e9y","list":[1,{"b":"c"}],"m":{"n":null,"o":"p"}}"#);
        let cut = |cuts: &[(NodePath, Cut)]| {
            node.cut(&cuts.iter().map(|(path, cut)| (path, *cut)).collect::<Vec<_>>()).text()
        };
        assert_eq!(
            cut(&[(vec![0], Cut::Away), (vec![1], Cut::To(2)), (vec![2], Cut::To(1)), (vec![3, 0], Cut::Away)]),
            r#"{"a":"xé","list":[1],"m":{"o":"p"}}"#
        );
        assert_eq!(cut(&[(vec![2, 1, 0], Cut::Empty), (vec![1], Cut::Empty)]).matches(r#""""#).count(), 2);
        for bad in [&b"{nothing"[..], b"[01]", br#"["\q"]"#, br#"{"\ud800":1}"#, b"[] []", b""] {
            assert_eq!(Node::parse(bad), None);
        }
    }

    #[test]
    fn deep_values_are_left_as_they_are() {
        let deep = format!("{}{{\"a\" : [ 1 ]}}{}", "[".repeat(DEPTH), "]".repeat(DEPTH));
        let node = Node::parse(deep.as_bytes()).expect("JSON");
        assert_eq!(node.at(&[0; DEPTH]), Some(&Node::Other(r#"{"a" : [ 1 ]}"#.to_owned())));
        assert_eq!(node.text(), deep);
    }
}

//! An event as JSON that can be shortened: members keep their order, and what is not touched keeps its text.

use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Deeper values are left as they are.
const DEPTH: usize = 32;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// Each member with its key as it is written.
    Object(Vec<(String, Node)>),
    Array(Vec<Node>),
    /// As it is written, quotes and escapes too.
    Text(String),
    /// A number, a word, or something too deep.
    Other(String),
}

/// The way to a value: the position among the members or elements at each level.
pub type Path = Vec<usize>;

/// What is done to the value at the end of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The member goes.
    Away,
    /// A text or list is empty from then on.
    Empty,
    /// A text keeps so many characters, a list so many elements.
    To(usize),
}

/// The members of an object in their order.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> serde::Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(members)
            }
        }

        from.deserialize_map(Reader).map(Members)
    }
}

impl Node {
    /// `None` where it is no JSON.
    pub fn parse(text: &[u8]) -> Option<Node> {
        let raw: &RawValue = serde_json::from_slice(text).ok()?;
        Node::of(raw.get(), 0)
    }

    fn of(text: &str, depth: usize) -> Option<Node> {
        Some(match text.as_bytes().first()? {
            b'{' if depth < DEPTH => {
                let Members(members) = serde_json::from_str(text).ok()?;
                let node = |(key, value): (String, &RawValue)| Some((key, Node::of(value.get(), depth + 1)?));
                Node::Object(members.into_iter().map(node).collect::<Option<_>>()?)
            }
            b'[' if depth < DEPTH => {
                let elements: Vec<&RawValue> = serde_json::from_str(text).ok()?;
                Node::Array(elements.iter().map(|value| Node::of(value.get(), depth + 1)).collect::<Option<_>>()?)
            }
            b'"' => Node::Text(text.to_owned()),
            _ => Node::Other(text.to_owned()),
        })
    }

    pub fn at(&self, path: &[usize]) -> Option<&Node> {
        let Some((first, rest)) = path.split_first() else { return Some(self) };
        match self {
            Node::Object(members) => members.get(*first)?.1.at(rest),
            Node::Array(elements) => elements.get(*first)?.at(rest),
            Node::Text(_) | Node::Other(_) => None,
        }
    }

    /// Makes some cuts. Ways are those of the value as it stands, and no way leads through another one's end.
    pub fn cut(&self, cuts: &[(&Path, Cut)]) -> Node {
        let mut cut = self.clone();
        let mut cuts: Vec<&(&Path, Cut)> = cuts.iter().collect();
        // From the last to the first, so that positions before a member that goes stay right.
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

    pub fn text(&self) -> String {
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

/// How many characters a text has.
pub fn characters(text: &str) -> usize {
    serde_json::from_str::<String>(text).map_or(0, |text| text.chars().count())
}

/// The first characters of a text that is written as JSON.
fn shortened(text: &str, count: usize) -> String {
    let whole: String = serde_json::from_str(text).unwrap_or_default();
    serde_json::Value::from(whole.chars().take(count).collect::<String>()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_leave_the_rest_as_it_was() {
        let text = r#"{ "z" : 1.0, "a":"x\u00e9y", "list":[1,{"b":"c"}], "m":{"n":null,"o":"p"} }"#;
        let node = Node::parse(text.as_bytes()).expect("JSON");
        assert_eq!(node.text(), r#"{"z":1.0,"a":"x\u00e9y","list":[1,{"b":"c"}],"m":{"n":null,"o":"p"}}"#);
        let cut =
            |cuts: &[(Path, Cut)]| node.cut(&cuts.iter().map(|(path, cut)| (path, *cut)).collect::<Vec<_>>()).text();
        assert_eq!(
            cut(&[(vec![0], Cut::Away), (vec![1], Cut::To(2)), (vec![2], Cut::To(1)), (vec![3, 0], Cut::Away)]),
            r#"{"a":"xé","list":[1],"m":{"o":"p"}}"#
        );
        assert_eq!(cut(&[(vec![2, 1, 0], Cut::Empty), (vec![1], Cut::Empty)]).matches(r#""""#).count(), 2);
        assert_eq!(Node::parse(b"{nothing"), None);
    }
}

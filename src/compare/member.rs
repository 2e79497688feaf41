//! The members in which two events differ.

use serde_json::{Map, Value};

use crate::replay::imprint::{Class, Drifting};

/// At most this many differences of one event are kept; the rest are counted.
const MOST: usize = 1000;

/// A member that differs, with its path in jq syntax.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Member {
    pub path: String,
    pub class: Class,
    /// `None` where the member is not there.
    pub left: Option<Value>,
    pub right: Option<Value>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct MemberDifferences {
    pub list: Vec<Member>,
    /// Those that were counted but not kept.
    pub dropped: u64,
}

impl MemberDifferences {
    pub(crate) fn of(&self, class: Class) -> impl Iterator<Item = &Member> {
        self.list.iter().filter(move |member| member.class == class)
    }
}

/// The members in which two events differ, sorted by name; those that only the right event has come last.
pub(crate) fn members(left: Option<&Value>, right: Option<&Value>, drifting: &Drifting) -> MemberDifferences {
    let mut walk = MemberWalk { drifting, path: String::new(), found: MemberDifferences::default() };
    walk.values(left, right, Class::Content);
    walk.found
}

struct MemberWalk<'d> {
    drifting: &'d Drifting,
    path: String,
    found: MemberDifferences,
}

impl MemberWalk<'_> {
    fn values(&mut self, left: Option<&Value>, right: Option<&Value>, class: Class) {
        match (left, right) {
            (Some(left), Some(right)) if left == right => {}
            (Some(Value::Object(left)), Some(Value::Object(right))) => self.objects(left, right, class),
            (Some(Value::Array(left)), Some(Value::Array(right))) => {
                for at in 0..left.len().max(right.len()) {
                    self.within(&format!("[{at}]"), left.get(at), right.get(at), class);
                }
            }
            (left, right) => {
                if self.found.list.len() >= MOST {
                    self.found.dropped += 1;
                    return;
                }
                let path = if self.path.is_empty() { ".".to_owned() } else { self.path.clone() };
                self.found.list.push(Member { path, class, left: left.cloned(), right: right.cloned() });
            }
        }
    }

    fn objects(&mut self, left: &Map<String, Value>, right: &Map<String, Value>, class: Class) {
        let only_right = right.keys().filter(|key| !left.contains_key(*key));
        for key in left.keys().chain(only_right) {
            let class = if class == Class::Content { self.drifting.class(key) } else { class };
            self.within(&step(key), left.get(key), right.get(key), class);
        }
    }

    fn within(&mut self, step: &str, left: Option<&Value>, right: Option<&Value>, class: Class) {
        let length = self.path.len();
        self.path.push_str(step);
        self.values(left, right, class);
        self.path.truncate(length);
    }
}

fn step(key: &str) -> String {
    let is_plain = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && key.bytes().next().is_some_and(|byte| !byte.is_ascii_digit());
    if is_plain { format!(".{key}") } else { format!(".[{}]", Value::from(key)) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_are_exact_and_drift_is_marked() {
        let left = json!({"a": {"b c": [1, 2]}, "ms": 1, "gone": null, "same": [0]});
        let right = json!({"a": {"b c": [1, 3, 4]}, "ms": 2, "same": [0], "new": {}});
        let found = members(Some(&left), Some(&right), &Drifting { names: &[], drift: &["ms"] });
        let paths: Vec<_> = found.list.iter().map(|member| (&*member.path, member.class)).collect();
        let content = Class::Content;
        assert_eq!(
            paths,
            [
                (r#".a.["b c"][1]"#, content),
                (r#".a.["b c"][2]"#, content),
                (".gone", content),
                (".ms", Class::Drift),
                (".new", content)
            ]
        );
        assert_eq!((&found.list[2].left, &found.list[2].right), (&Some(Value::Null), &None));
    }
}

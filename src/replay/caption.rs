//! Captions: an event as a row of a list, in parts that the screen arranges, and the outcome of an event.
//!
//! A caption reads as a sentence: who acts, what was asked, what the result was. The words that distinguish one row
//! from the next come first, ids come last. A dialect fills the parts that its events have; the others stay empty.

use serde_json::Value;

/// How something went: a call, a process, a run. The index keeps it for every event, so finding one must be cheap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    Success,
    Error,
    /// A user, a rule or a guard did not allow it.
    Denied,
    Timeout,
    /// It has begun or waits, and its end is not known.
    Running,
}

impl Outcome {
    /// In the order of the codes that the index keeps.
    pub const ALL: [Outcome; 5] =
        [Outcome::Success, Outcome::Error, Outcome::Denied, Outcome::Timeout, Outcome::Running];

    pub const fn is_failure(self) -> bool {
        matches!(self, Outcome::Error | Outcome::Denied | Outcome::Timeout)
    }

    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Success => "success",
            Outcome::Error => "error",
            Outcome::Denied => "denied",
            Outcome::Timeout => "timeout",
            Outcome::Running => "running",
        }
    }
}

/// The parts of a row. The texts come from the log: escape them before printing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caption {
    /// Who or what acts, in one word: a tool, `model`, `user`. If empty, the list shows the short name of the kind.
    pub subject: String,
    /// What was asked, or what was said.
    pub text: String,
    /// The result: an error message, a verdict. The list shows it after the text, in the colour of the outcome.
    pub result: String,
    /// A duration, a size or a count. The list aligns it at the right.
    pub measure: String,
    /// The ids in the event, which the list shows only if there is room.
    pub ids: String,
    /// The event rarely matters to a reader, and the list draws it dim.
    pub is_minor: bool,
}

impl Caption {
    /// A caption with a subject and a text.
    pub fn new(subject: impl Into<String>, text: impl Into<String>) -> Caption {
        Caption { subject: subject.into(), text: text.into(), ..Caption::default() }
    }

    #[must_use]
    pub fn result(mut self, result: impl Into<String>) -> Caption {
        self.result = result.into();
        self
    }

    #[must_use]
    pub fn measure(mut self, measure: impl Into<String>) -> Caption {
        self.measure = measure.into();
        self
    }

    #[must_use]
    pub fn ids(mut self, ids: impl Into<String>) -> Caption {
        self.ids = ids.into();
        self
    }

    #[must_use]
    pub fn minor(mut self) -> Caption {
        self.is_minor = true;
        self
    }

    /// The caption of a whole call: this one of its first event, with the result and the measure of its last.
    #[must_use]
    pub fn ending_with(mut self, last: &Caption) -> Caption {
        for (own, other) in [(&mut self.result, &last.result), (&mut self.measure, &last.measure)] {
            if !other.is_empty() {
                own.clone_from(other);
            }
        }
        self
    }
}

/// As many characters of a text are worth keeping: no list is wider.
const TEXT_CHARACTERS: usize = 300;
/// Longer arguments are not parsed, since every frame would parse them again.
const PARSED_BYTES: usize = 16 << 10;

/// The members of arguments that say most about a call, the most telling first.
const TELLING: [&str; 16] = [
    "command",
    "cmd",
    "file_path",
    "path",
    "file",
    "pattern",
    "query",
    "url",
    "uri",
    "prompt",
    "description",
    "question",
    "message",
    "text",
    "content",
    "name",
];

/// The beginning of a text on one line.
pub(crate) fn brief(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(TEXT_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// What a tool was asked to do, from its arguments as JSON: the most telling member first, without its name.
pub(crate) fn asked(arguments: &str) -> String {
    if arguments.len() > PARSED_BYTES {
        return brief(arguments);
    }
    match serde_json::from_str::<Value>(arguments) {
        Ok(value) => asked_value(&value),
        Err(_) => brief(arguments),
    }
}

/// Like [`asked`], for arguments that are parsed already.
pub(crate) fn asked_value(arguments: &Value) -> String {
    let Value::Object(members) = arguments else { return brief(&plain(arguments)) };
    let main = TELLING.iter().find_map(|name| members.get_key_value(*name)).filter(|(_, value)| !value.is_object());
    let main = main.or_else(|| members.iter().next().filter(|_| members.len() == 1));
    let mut out = main.map_or_else(String::new, |(_, value)| plain(value));
    for (name, value) in members.iter().filter(|(name, _)| main.is_none_or(|(known, _)| known != *name)) {
        if out.len() > TEXT_CHARACTERS {
            break;
        }
        let blank = if out.is_empty() { "" } else { " " };
        out.push_str(&format!("{blank}{name}={}", plain(value)));
    }
    brief(&out)
}

/// A value without quotes; a list as its items.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) if items.iter().all(|item| !item.is_object() && !item.is_array()) => {
            items.iter().map(plain).collect::<Vec<_>>().join(" ")
        }
        other => other.to_string(),
    }
}

/// A duration: `83 ms`, `1.2 s`, `3 min 20 s`.
pub(crate) fn duration(milliseconds: u64) -> String {
    match milliseconds {
        0..1_000 => format!("{milliseconds} ms"),
        1_000..60_000 => format!("{:.1} s", milliseconds as f64 / 1e3),
        60_000..3_600_000 => format!("{} min {} s", milliseconds / 60_000, milliseconds / 1_000 % 60),
        _ => format!("{} h {} min", milliseconds / 3_600_000, milliseconds / 60_000 % 60),
    }
}

/// A size: `26 B`, `1.2 KiB`.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match UNITS.iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => format!("{:.1} {name}", bytes as f64 / *unit as f64),
        None => format!("{bytes} B"),
    }
}

/// The tokens of an answer of a model, read and written.
pub(crate) fn tokens(input: u64, output: u64) -> String {
    format!("{}→{} tok", short_count(input), short_count(output))
}

/// A large number: `950`, `1.2k`, `3.4M`.
pub(crate) fn short_count(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        1_000..1_000_000 => format!("{:.1}k", number as f64 / 1e3),
        _ => format!("{:.1}M", number as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_told_by_their_most_telling_member() {
        for (arguments, told) in [
            (r#"{"command":"git checkout -- ."}"#, "git checkout -- ."),
            (r#"{"search":"a\nb","path":"src/x.rs","all":true}"#, "src/x.rs all=true search=a\nb"),
            (r#"{"command":["git","status"],"timeout_ms":5}"#, "git status timeout_ms=5"),
            (r#"{"depth":2}"#, "2"),
            (r#"{"a":1,"b":null}"#, "a=1 b=null"),
            (r#"{}"#, ""),
            ("plain words", "plain words"),
            (r#"["x",1]"#, "x 1"),
        ] {
            assert_eq!(asked(arguments), told, "{arguments}");
        }
        assert_eq!(asked(&"x".repeat(100_000)).chars().count(), TEXT_CHARACTERS + 1);
    }

    #[test]
    fn a_call_has_the_result_and_the_measure_of_its_end() {
        let begin = Caption::new("exec_shell", "ls").ids("call-1");
        let whole = begin.clone().ending_with(&Caption::new("", "").result("not found").measure("3 ms"));
        assert_eq!(whole, begin.clone().result("not found").measure("3 ms"));
        assert_eq!(begin.clone().measure("1 ms").ending_with(&Caption::default()).measure, "1 ms");
    }

    #[test]
    fn measures_are_short() {
        assert_eq!([83, 1_240, 200_000, 7_500_000].map(duration), ["83 ms", "1.2 s", "3 min 20 s", "2 h 5 min"]);
        assert_eq!([26, 1_229, 3 << 30].map(size), ["26 B", "1.2 KiB", "3.0 GiB"]);
        assert_eq!(tokens(999, 27_836), "999→27.8k tok");
    }
}

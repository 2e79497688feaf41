//! A finding: one contradiction, with its place, what was expected and what was there.

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::check::{Check, Severity};
use super::{Place, Seq};

/// One contradiction. Its sentence is made from the check's row on demand.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    pub check: &'static Check,
    pub severity: Severity,
    /// At least one: the first is where it begins, the last where it shows.
    pub at: Box<[Seq]>,
    /// What it is about, in key order.
    pub subjects: Vec<(&'static str, Arc<str>)>,
    pub expected: Cow<'static, str>,
    pub actual: Cow<'static, str>,
    /// Where damage was met in the file; the events of other findings say it themselves.
    pub place: Option<Place>,
}

impl Finding {
    pub fn new(check: &'static Check, at: impl Into<Box<[Seq]>>) -> Self {
        Finding {
            check,
            severity: check.severity,
            at: at.into(),
            subjects: Vec::new(),
            expected: Cow::Borrowed(""),
            actual: Cow::Borrowed(""),
            place: None,
        }
    }

    #[must_use]
    pub fn about(mut self, key: &'static str, value: impl Into<Arc<str>>) -> Self {
        let place = self.subjects.partition_point(|subject| subject.0 < key);
        self.subjects.insert(place, (key, value.into()));
        self
    }

    #[must_use]
    pub fn expected(mut self, text: impl Into<Cow<'static, str>>) -> Self {
        self.expected = text.into();
        self
    }

    #[must_use]
    pub fn actual(mut self, text: impl Into<Cow<'static, str>>) -> Self {
        self.actual = text.into();
        self
    }

    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    #[must_use]
    pub fn placed(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    pub fn subject(&self, key: &str) -> Option<&str> {
        self.subjects.iter().find(|subject| subject.0 == key).map(|subject| &*subject.1)
    }

    /// The check's sentence with this finding's subjects in it.
    pub fn message(&self) -> String {
        let mut out = String::new();
        let mut rest = self.check.says;
        while let Some((before, after)) = rest.split_once('{') {
            out.push_str(before);
            let Some((name, tail)) = after.split_once('}') else {
                out.push('{');
                rest = after;
                continue;
            };
            out.push_str(match name {
                "expected" => &self.expected,
                "actual" => &self.actual,
                name => self.subject(name).unwrap_or("?"),
            });
            rest = tail;
        }
        out.push_str(rest);
        out
    }

    /// The finding's name: the check and its subjects. No index, count or time, so it survives minimizing.
    pub fn fingerprint(&self) -> String {
        let mut out = self.check.id.to_owned();
        for (key, value) in &self.subjects {
            out.push(' ');
            out.push_str(key);
            out.push('=');
            escape_into(value, &mut out);
        }
        out
    }

    pub fn to_json(&self) -> Value {
        let mut json = json!({
            "check": self.check.id,
            "severity": self.severity.name(),
            "message": self.message(),
            "at": self.at.iter().map(|seq| seq.0).collect::<Vec<_>>(),
            "subjects": self.subjects.iter().map(|(key, value)| ((*key).to_owned(), json!(**value))).collect::<serde_json::Map<_, _>>(),
            "expected": self.expected,
            "actual": self.actual,
            "fingerprint": self.fingerprint(),
        });
        if let Some(place) = self.place {
            if place.line == 0 {
                json["row"] = json!(place.byte);
            } else {
                json["line"] = json!(place.line);
                json["byte"] = json!(place.byte);
            }
        }
        json
    }

    /// By place, then check, then subjects.
    pub fn order(&self) -> (Seq, &'static str, &[(&'static str, Arc<str>)]) {
        (self.at.first().copied().unwrap_or_default(), self.check.id, &self.subjects)
    }
}

/// Text that cannot forge a line or drive a terminal: controls and bidirectional marks are spelled out.
pub(crate) fn escape_into(text: &str, out: &mut String) {
    for character in text.chars() {
        match character {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            character if is_hostile(character) => {
                out.push_str("\\u{");
                out.push_str(&format!("{:x}", character as u32));
                out.push('}');
            }
            character => out.push(character),
        }
    }
}

/// Characters that steer a terminal, reorder text or hide in it instead of showing.
pub(crate) const fn is_hostile(character: char) -> bool {
    matches!(character,
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{61c}' | '\u{200b}' | '\u{200c}' | '\u{200e}' | '\u{200f}' | '\u{2060}'..='\u{2064}'
        | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Collects findings. A log that breaks one rule a million times is told so, not kept a million times.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    list: Vec<Finding>,
    counts: FxHashMap<(&'static str, Severity), u32>,
    /// Information of other checks than this is counted and not made, because the caller does not need it.
    listens_to: Option<&'static Check>,
}

impl Findings {
    /// How many findings of one check and severity are kept; the rest are counted. Whatever was dropped has a
    /// kept sibling that is just as bad, so a verdict never depends on the limit.
    pub(crate) const KEPT_PER_CHECK: u32 = 10_000;

    pub(crate) fn push(&mut self, finding: Finding) {
        self.keep(finding.check, finding.severity, || finding);
    }

    /// Counts a finding of its check's own severity and makes it only if it is kept.
    pub(crate) fn tell(&mut self, check: &'static Check, make: impl FnOnce() -> Finding) {
        self.keep(check, check.severity, make);
    }

    fn keep(&mut self, check: &'static Check, severity: Severity, make: impl FnOnce() -> Finding) {
        let count = self.counts.entry((check.id, severity)).or_default();
        *count += 1;
        let is_heard = severity > Severity::Info || self.listens_to.is_none_or(|heard| heard == check);
        if *count <= Self::KEPT_PER_CHECK && is_heard {
            self.list.push(make());
        }
    }

    /// From now on information of other checks is not kept. Counts, and so what is kept of this check, stay the same.
    pub(crate) fn listen_to(&mut self, check: &'static Check) {
        self.listens_to = Some(check);
    }

    pub(crate) fn extend(&mut self, findings: impl IntoIterator<Item = Finding>) {
        findings.into_iter().for_each(|finding| self.push(finding));
    }

    /// Those that were counted but not kept.
    pub(crate) fn dropped(&self) -> u64 {
        self.counts.values().map(|count| u64::from(count.saturating_sub(Self::KEPT_PER_CHECK))).sum()
    }

    /// Those kept from the given one on, in the order in which they were found.
    pub(crate) fn since(&self, first: usize) -> &[Finding] {
        self.list.get(first..).unwrap_or_default()
    }

    /// All that were kept, in the order in which they were found.
    pub(crate) fn into_list(self) -> Vec<Finding> {
        self.list
    }

    /// An empty list that goes on counting where this one stands, for findings that may be taken back.
    pub(crate) fn continued(&self) -> Findings {
        Findings { list: Vec::new(), counts: self.counts.clone(), listens_to: self.listens_to }
    }

    /// These and then those, which have counted on from here.
    pub(crate) fn go_on_with(mut self, later: Findings) -> Findings {
        self.list.extend(later.list);
        Findings { list: self.list, ..later }
    }

    /// In the order of the catalogue.
    pub(crate) fn into_sorted(mut self) -> Vec<Finding> {
        self.list.sort_by(|one, two| one.order().cmp(&two.order()));
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static ROW: Check = Check {
        id: "test/row",
        severity: Severity::Error,
        says: "call {call_id}: {expected}, not {actual}",
        explains: "",
    };

    #[test]
    fn sentence_and_fingerprint_come_from_the_row() {
        let finding =
            Finding::new(&ROW, [Seq(3)]).about("turn_id", "t\n1").about("call_id", "c").expected("a").actual("b");
        assert_eq!(finding.message(), "call c: a, not b");
        assert_eq!(finding.fingerprint(), r"test/row call_id=c turn_id=t\n1");
    }

    #[test]
    fn controls_and_bidi_marks_are_spelled_out() {
        let mut out = String::new();
        escape_into("a\u{1b}[2J\u{202e}é", &mut out);
        assert_eq!(out, r"a\u{1b}[2J\u{202e}é");
    }

    #[test]
    fn what_is_not_kept_is_counted() {
        let mut findings = Findings::default();
        for at in 0..Findings::KEPT_PER_CHECK + 5 {
            findings.push(Finding::new(&ROW, [Seq(at)]));
        }
        assert_eq!(findings.dropped(), 5);
        assert_eq!(findings.into_sorted().len(), Findings::KEPT_PER_CHECK as usize);
    }
}

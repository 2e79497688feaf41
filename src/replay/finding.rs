//! A finding: one contradiction, with its place, and the expected and actual values.

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::check::{Check, Severity};
use super::{Place, Seq};

/// One contradiction. Its message is built from its check on demand.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    pub check: &'static Check,
    pub severity: Severity,
    /// At least one event: the finding begins at the first and shows at the last.
    pub at: Box<[Seq]>,
    /// Its subjects, sorted by key.
    pub subjects: Vec<(&'static str, Arc<str>)>,
    pub expected: Cow<'static, str>,
    pub actual: Cow<'static, str>,
    /// Where damage is in the file; other findings get their place from their events.
    pub place: Option<Place>,
}

/// Whether a finding is only information, then its place, check and subjects.
pub(crate) type FindingOrder<'f> = (bool, Seq, &'static str, &'f [(&'static str, Arc<str>)]);

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

    /// The message of the check with the subjects of this finding.
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
                name => match self.subject(name).unwrap_or("?") {
                    // An id may be empty, and the sentence must still say that there is one.
                    "" => "\"\"",
                    subject => subject,
                },
            });
            rest = tail;
        }
        out.push_str(rest);
        out
    }

    /// The identity of the finding: the check and its subjects. It contains no index, count or time, so minimizing
    /// preserves it.
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
            "tier": self.check.tier.name(),
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

    /// The sort key: findings of severity info last, then by place, check and subjects. Numbers follow this order, so
    /// they begin with the findings that matter.
    pub(crate) fn order(&self) -> FindingOrder<'_> {
        let is_info = self.severity == Severity::Info;
        (is_info, self.at.first().copied().unwrap_or_default(), self.check.id, &self.subjects)
    }
}

/// Escapes control characters and bidirectional marks, so that text cannot forge a line or control a terminal.
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

/// Characters that control a terminal, reorder text or are invisible. The joiner and the selectors that emoji need are
/// not among them.
pub(crate) const fn is_hostile(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_control();
    }
    matches!(character,
        // Control characters of the second set, the soft hyphen, and the grapheme joiner.
        '\u{80}'..='\u{9f}' | '\u{ad}' | '\u{34f}'
        // Marks of direction, separators of lines and paragraphs, and their embeddings.
        | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{206f}'
        // Spaces without width, invisible operators, and the byte order mark.
        | '\u{200b}' | '\u{200c}' | '\u{2060}'..='\u{2065}' | '\u{feff}'
        // Fillers that are drawn as nothing.
        | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{3164}' | '\u{ffa0}'
        // Variation selectors other than those of emoji, and annotation marks.
        | '\u{fe00}'..='\u{fe0d}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        // Tags, with which a text can be hidden in another one.
        | '\u{e0000}'..='\u{e0fff}')
}

/// Collects findings. If a log violates one rule a million times, most of the findings are counted and not kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    list: Vec<Finding>,
    counts: FxHashMap<(&'static str, Severity), u32>,
    /// If set, info findings of all other checks are counted and not built, because the caller does not need them.
    listens_to: Option<&'static Check>,
}

impl Findings {
    /// How many findings of one check and severity are kept; the rest are counted. A dropped finding always has a kept
    /// one of the same check and severity, so a verdict never depends on the limit.
    pub(crate) const KEPT_PER_CHECK: u32 = 10_000;

    pub(crate) fn push(&mut self, finding: Finding) {
        self.keep(finding.check, finding.severity, || finding);
    }

    /// Counts a finding with the severity of its check, and builds it only if it is kept.
    pub(crate) fn report(&mut self, check: &'static Check, make: impl FnOnce() -> Finding) {
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

    /// From now on, info findings of other checks are not kept. The counts, and the kept findings of this check, stay
    /// the same.
    pub(crate) fn limit_info_to(&mut self, check: &'static Check) {
        self.listens_to = Some(check);
    }

    pub(crate) fn extend(&mut self, findings: impl IntoIterator<Item = Finding>) {
        findings.into_iter().for_each(|finding| self.push(finding));
    }

    /// The number of findings that were counted but not kept.
    pub(crate) fn dropped(&self) -> u64 {
        self.counts.values().map(|count| u64::from(count.saturating_sub(Self::KEPT_PER_CHECK))).sum()
    }

    /// The kept findings from this number on, in the order in which they were found.
    pub(crate) fn since(&self, first: usize) -> &[Finding] {
        self.list.get(first..).unwrap_or_default()
    }

    /// All kept findings, in the order in which they were found.
    pub(crate) fn into_list(self) -> Vec<Finding> {
        self.list
    }

    /// An empty list that continues the counts of this one, for findings that may be taken back.
    pub(crate) fn continued(&self) -> Findings {
        Findings { list: Vec::new(), counts: self.counts.clone(), listens_to: self.listens_to }
    }

    /// These findings followed by those of a continued list.
    pub(crate) fn followed_by(mut self, later: Findings) -> Findings {
        self.list.extend(later.list);
        Findings { list: self.list, ..later }
    }

    /// Sorted in the order of the catalogue.
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
        tier: crate::replay::check::Tier::Proven,
        says: "call {call_id}: {expected}, not {actual}",
        explains: "",
    };

    #[test]
    fn message_and_fingerprint_come_from_the_check() {
        let finding =
            Finding::new(&ROW, [Seq(3)]).about("turn_id", "t\n1").about("call_id", "c").expected("a").actual("b");
        assert_eq!(finding.message(), "call c: a, not b");
        assert_eq!(finding.fingerprint(), r"test/row call_id=c turn_id=t\n1");
    }

    #[test]
    fn controls_and_bidi_marks_are_escaped() {
        let mut out = String::new();
        escape_into("a\u{1b}[2J\u{202e}é", &mut out);
        assert_eq!(out, r"a\u{1b}[2J\u{202e}é");
    }

    #[test]
    fn dropped_findings_are_counted() {
        let mut findings = Findings::default();
        for at in 0..Findings::KEPT_PER_CHECK + 5 {
            findings.push(Finding::new(&ROW, [Seq(at)]));
        }
        assert_eq!(findings.dropped(), 5);
        assert_eq!(findings.into_sorted().len(), Findings::KEPT_PER_CHECK as usize);
    }
}

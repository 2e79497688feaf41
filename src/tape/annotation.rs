//! Annotations: notes of people and programs about a tape, and whether they fit it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::whole::Tape;
use crate::replay::Seq;
use crate::replay::note::{Note, NoteRequest};

/// The newest schema that can be read.
pub(crate) const NEWEST_SCHEMA: u32 = 1;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AnnotationHeader {
    pub schema_version: u32,
    #[serde(default)]
    pub tape_path: Option<String>,
    #[serde(default)]
    pub tape_content_hash: Option<String>,
    #[serde(default)]
    pub harn_version: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Annotation {
    #[serde(default)]
    pub id: String,
    /// The number of a record.
    pub event_id: u64,
    pub kind: AnnotationKind,
    #[serde(default)]
    pub evidence: Option<String>,
    #[serde(default)]
    pub suggested_fix: Option<Value>,
    #[serde(default)]
    pub author: Option<Author>,
    #[serde(default)]
    pub timestamp: Option<String>,
    #[serde(default)]
    pub span: Option<EventSpan>,
    #[serde(default)]
    pub hypothesis_status: Option<HypothesisStatus>,
    #[serde(default)]
    pub friction_kind: Option<String>,
    #[serde(default)]
    pub links: Vec<Link>,
    #[serde(default)]
    pub metadata: Map<String, Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AnnotationKind {
    Correct,
    Incorrect,
    Alternative,
    Note,
    /// A place to stop at.
    Marker,
    /// An event that stepping skips.
    Mute,
    Hypothesis,
    Friction,
    CrystallizeHere,
    #[serde(other)]
    Unknown,
}

impl AnnotationKind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            AnnotationKind::Correct => "correct",
            AnnotationKind::Incorrect => "incorrect",
            AnnotationKind::Alternative => "alternative",
            AnnotationKind::Note => "note",
            AnnotationKind::Marker => "marker",
            AnnotationKind::Mute => "mute",
            AnnotationKind::Hypothesis => "hypothesis",
            AnnotationKind::Friction => "friction",
            AnnotationKind::CrystallizeHere => "crystallize_here",
            AnnotationKind::Unknown => "unknown",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Author {
    #[serde(default)]
    pub id: Option<String>,
    pub kind: AuthorKind,
    #[serde(default)]
    pub surface: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AuthorKind {
    Human,
    Agent,
    System,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EventSpan {
    pub start_event_id: u64,
    pub end_event_id: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum HypothesisStatus {
    Active,
    Verifying,
    Confirmed,
    Disproven,
    Stale,
}

impl HypothesisStatus {
    const fn name(self) -> &'static str {
        match self {
            HypothesisStatus::Active => "active",
            HypothesisStatus::Verifying => "verifying",
            HypothesisStatus::Confirmed => "confirmed",
            HypothesisStatus::Disproven => "disproven",
            HypothesisStatus::Stale => "stale",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Link {
    #[serde(default)]
    pub label: Option<String>,
    #[serde(default)]
    pub url: Option<String>,
    #[serde(default)]
    pub reference: Option<String>,
}

const FRICTIONS: [&str; 9] = [
    "repeated_query",
    "repeated_clarification",
    "approval_stall",
    "missing_context",
    "manual_handoff",
    "tool_gap",
    "failed_assumption",
    "expensive_model_used_for_deterministic_step",
    "human_hypothesis",
];

/// Why a file does not contain annotations. The messages include the file name.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AnnotationError {
    #[error("read {0}: stream did not contain valid UTF-8")]
    NotText(String),
    #[error("empty annotation file: {0} (expected a header on line 1)")]
    Empty(String),
    #[error("annotation file {0} is missing its header (first non-empty line is a record)")]
    NoHeader(String),
    #[error("annotation file {name} declares schema_version {version} but this runtime supports up to {NEWEST_SCHEMA}")]
    TooNew { name: String, version: u32 },
    #[error("parse annotation at line {line} in {name}: {reason}")]
    Line { name: String, line: usize, reason: serde_json::Error },
    #[error("annotation file {name} contains a second header at line {line}")]
    SecondHeader { name: String, line: usize },
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line {
    Header(AnnotationHeader),
    Annotation(Box<Annotation>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Annotations {
    pub header: AnnotationHeader,
    pub list: Vec<Annotation>,
}

impl Annotations {
    /// `name` is the file name in errors.
    pub(crate) fn read(bytes: &[u8], name: &str) -> Result<Annotations, AnnotationError> {
        let name = || name.to_owned();
        let text = std::str::from_utf8(bytes).map_err(|_| AnnotationError::NotText(name()))?;
        let lines =
            text.lines().zip(1..).filter(|(line, _)| !matches!(line.trim_start().chars().next(), None | Some('#')));
        let mut read: Option<Annotations> = None;
        for (line, number) in lines {
            let parsed = serde_json::from_str(line);
            match (parsed.map_err(|reason| AnnotationError::Line { name: name(), line: number, reason })?, &mut read) {
                (Line::Header(header), None) if header.schema_version > NEWEST_SCHEMA => {
                    return Err(AnnotationError::TooNew { name: name(), version: header.schema_version });
                }
                (Line::Header(header), None) => read = Some(Annotations { header, list: Vec::new() }),
                (Line::Header(_), Some(_)) => return Err(AnnotationError::SecondHeader { name: name(), line: number }),
                (Line::Annotation(_), None) => return Err(AnnotationError::NoHeader(name())),
                (Line::Annotation(annotation), Some(read)) => read.list.push(*annotation),
            }
        }
        read.ok_or_else(|| AnnotationError::Empty(name()))
    }

    /// Checks whether the annotations fit a tape.
    pub(crate) fn validate(&self, tape: &Tape) -> Result<Validation, serde_json::Error> {
        let events: BTreeSet<u64> = tape.records.iter().map(|record| record.seq).collect();
        let content_hash = if self.header.tape_content_hash.is_some() { tape.content_hash()? } else { String::new() };
        Ok(self.validate_against(|seq| events.contains(&seq), events.last(), content_hash))
    }

    /// Checks the annotations against the record numbers of a tape. The hash of the tape is only computed if the
    /// annotations contain one.
    pub(crate) fn validate_against(
        &self,
        has: impl Fn(u64) -> bool,
        last: Option<&u64>,
        content_hash: String,
    ) -> Validation {
        let mut ids = BTreeSet::new();
        let mut validation = Validation { annotations_checked: self.list.len(), ..Validation::default() };
        for annotation in &self.list {
            *validation.kind_counts.entry(annotation.kind.name()).or_default() += 1;
            let problems = &mut validation.problems;
            if !annotation.id.is_empty() && !ids.insert(&annotation.id) {
                problems.push(Problem::DuplicateId { annotation_id: annotation.id.clone() });
            }
            annotation.find_problems(&has, last, problems);
        }
        if let Some(expected) = self.header.tape_content_hash.as_ref().filter(|expected| **expected != content_hash) {
            validation.problems.push(Problem::TapeDigestMismatch { expected: expected.clone(), actual: content_hash });
        }
        validation
    }

    /// The annotations as notes. Those that do not refer to a record of the tape are left out.
    pub(crate) fn notes(&self, place: impl Fn(u64) -> Option<Seq>) -> Vec<Note> {
        let note = |annotation: &Annotation| {
            let at = place(annotation.event_id)?;
            let until = annotation.span.and_then(|span| place(span.end_event_id)).unwrap_or(at).max(at);
            let asks = match annotation.kind {
                AnnotationKind::Marker => NoteRequest::Stop,
                AnnotationKind::Mute => NoteRequest::Skip,
                _ => NoteRequest::Nothing,
            };
            let (id, kind) = (annotation.id.clone(), annotation.kind.name());
            Some(Note { at, until, id, kind, asks, text: annotation.text() })
        };
        self.list.iter().filter_map(note).collect()
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Validation {
    pub annotations_checked: usize,
    pub problems: Vec<Problem>,
    pub kind_counts: BTreeMap<&'static str, usize>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "code", rename_all = "snake_case")]
pub(crate) enum Problem {
    DuplicateId { annotation_id: String },
    UnknownEventId { annotation_id: String, event_id: u64 },
    HypothesisStatusMissing { annotation_id: String },
    HypothesisStatusUnexpected { annotation_id: String },
    FrictionKindMissing { annotation_id: String },
    FrictionKindUnexpected { annotation_id: String },
    FrictionKindUnknown { annotation_id: String, friction_kind: String },
    InvalidSpan { annotation_id: String, message: String },
    UnknownKind { annotation_id: String },
    TapeDigestMismatch { expected: String, actual: String },
}

impl Problem {
    /// The annotation that the problem is about, what was expected, and what is there.
    pub(crate) fn described(&self) -> (&str, String, String) {
        let say = |expected: &str, actual: String| (expected.to_owned(), actual);
        let (subject, (expected, actual)) = match self {
            Problem::DuplicateId { annotation_id } => {
                (annotation_id, say("a unique id", "an id that is used twice".into()))
            }
            Problem::UnknownEventId { annotation_id, event_id } => {
                (annotation_id, say("a record of the tape", format!("record {event_id}, which does not exist")))
            }
            Problem::HypothesisStatusMissing { annotation_id } => {
                (annotation_id, say("a status of the hypothesis", "none".into()))
            }
            Problem::HypothesisStatusUnexpected { annotation_id } => {
                (annotation_id, say("a status only for a hypothesis", "a status for another kind".into()))
            }
            Problem::FrictionKindMissing { annotation_id } => (annotation_id, say("a friction kind", "none".into())),
            Problem::FrictionKindUnexpected { annotation_id } => {
                (annotation_id, say("a friction kind only for a friction", "a friction kind for another kind".into()))
            }
            Problem::FrictionKindUnknown { annotation_id, friction_kind } => {
                (annotation_id, say("a known friction kind", friction_kind.clone()))
            }
            Problem::InvalidSpan { annotation_id, message } => {
                (annotation_id, say("a span of the tape", message.clone()))
            }
            Problem::UnknownKind { annotation_id } => (annotation_id, say("a known kind", "an unknown kind".into())),
            Problem::TapeDigestMismatch { expected, actual } => return ("", expected.clone(), actual.clone()),
        };
        (subject, expected, actual)
    }
}

impl Annotation {
    /// The name by which problems refer to the annotation.
    fn name(&self) -> String {
        if self.id.is_empty() { format!("ann@event_{}", self.event_id) } else { self.id.clone() }
    }

    /// Whether a problem is about this annotation.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.name() == name
    }

    /// Its content on one line.
    fn text(&self) -> String {
        let status = self.hypothesis_status.map(|status| format!("({})", status.name()));
        let fix = self.suggested_fix.as_ref().map(|fix| format!("fix: {fix}"));
        let author = self.author.as_ref().and_then(|author| author.id.as_ref()).map(|id| format!("— {id}"));
        let parts = [self.friction_kind.clone(), status, self.evidence.clone(), fix, author];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    fn find_problems(&self, has: &impl Fn(u64) -> bool, last: Option<&u64>, problems: &mut Vec<Problem>) {
        if !has(self.event_id) {
            problems.push(Problem::UnknownEventId { annotation_id: self.name(), event_id: self.event_id });
        }
        match (self.kind, self.hypothesis_status) {
            (AnnotationKind::Hypothesis, None) => {
                problems.push(Problem::HypothesisStatusMissing { annotation_id: self.name() });
            }
            (AnnotationKind::Hypothesis, Some(_)) | (_, None) => {}
            (_, Some(_)) => problems.push(Problem::HypothesisStatusUnexpected { annotation_id: self.name() }),
        }
        match (self.kind, &self.friction_kind) {
            (AnnotationKind::Friction, None) => {
                problems.push(Problem::FrictionKindMissing { annotation_id: self.name() });
            }
            (AnnotationKind::Friction, Some(friction)) if !FRICTIONS.contains(&friction.as_str()) => {
                let friction_kind = friction.clone();
                problems.push(Problem::FrictionKindUnknown { annotation_id: self.name(), friction_kind });
            }
            (AnnotationKind::Friction, Some(_)) | (_, None) => {}
            (_, Some(_)) => problems.push(Problem::FrictionKindUnexpected { annotation_id: self.name() }),
        }
        if self.kind == AnnotationKind::Unknown {
            problems.push(Problem::UnknownKind { annotation_id: self.name() });
        }
        if let Some(message) = self.span.and_then(|span| self.fault_of(span, last)) {
            problems.push(Problem::InvalidSpan { annotation_id: self.name(), message });
        }
    }

    fn fault_of(&self, span: EventSpan, last: Option<&u64>) -> Option<String> {
        let EventSpan { start_event_id: start, end_event_id: end } = span;
        if start != self.event_id {
            return Some(format!("span.start_event_id ({start}) must equal event_id ({})", self.event_id));
        }
        if end < start {
            return Some(format!("span.end_event_id ({end}) is before start_event_id ({start})"));
        }
        let last = last.filter(|last| end > **last)?;
        Some(format!("span.end_event_id ({end}) is past the last tape event (seq={last})"))
    }
}

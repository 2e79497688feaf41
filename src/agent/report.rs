//! The report of an agent session: the facts that scripts compare, and a text.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::audit::found::Found;
use super::audit::reach::Reach;
use super::checker::AgentChecker;
use super::decode::AgentDecoder;
use super::ending::recap;
use super::facts::LineOf;
use super::format::StepsBy;
use super::sidecar::known;
use crate::dialect::open_log::{DialectError, OpenLog};
use crate::dialect::report::{ReportInput, Reporting, add_moment, write_moment};
use crate::replay::Seq;
use crate::replay::check::Severity;
use crate::replay::damage;
use crate::text::styled::{StyledText, Tone};
use crate::text::{clean, count};

pub(crate) static REPORTING: Reporting =
    Reporting { document, text, refuses_strictly: false, has_reference_redaction: false };

/// The line of each record.
#[derive(Default)]
struct RecordLines(Vec<u64>);

impl LineOf for RecordLines {
    fn line(&self, at: Seq) -> u64 {
        self.0.get(at.0 as usize).copied().unwrap_or_default()
    }
}

/// A session that was read for its report.
struct ReadSession {
    checker: AgentChecker,
    lines: RecordLines,
    /// The lines of records that are not events, and of damage between records.
    damage: BTreeMap<&'static str, Vec<u64>>,
    line_count: u64,
    malformed: u64,
    base: Option<Value>,
}

fn read(log: &dyn OpenLog) -> Result<ReadSession, DialectError> {
    let decoder: AgentDecoder = known(log)?;
    let mut session = ReadSession {
        checker: AgentChecker::default(),
        lines: RecordLines::default(),
        damage: BTreeMap::new(),
        line_count: 0,
        malformed: 0,
        base: None,
    };
    let mut last_line = 0;
    let mut bad = Vec::new();
    let damage = log.each_record(&mut |read| {
        session.line_count += u64::from(read.place.line != last_line);
        last_line = read.place.line;
        session.lines.0.resize(read.at.0 as usize + 1, read.place.line);
        match decoder.decode(read.record) {
            Ok(event) => {
                if let Some(base) = super::facts::base(&event) {
                    session.base.get_or_insert(base);
                }
                session.checker.see(read.at, &event);
            }
            Err(_) => bad.push((read.at, read.place.line)),
        }
    })?;
    let torn = damage.iter().find(|finding| finding.check == &damage::TORN_TAIL).and_then(|finding| finding.place);
    session.malformed = bad.len() as u64;
    // Of NUL bytes at the end there is no record, but a line.
    session.line_count += u64::from(torn.is_some_and(|place| place.line != last_line));
    for (_, line) in bad.iter().filter(|(_, line)| torn.is_none_or(|place| place.line != *line)) {
        session.damage.entry(damage::MALFORMED.id).or_default().push(*line);
    }
    for finding in &damage {
        let line = finding.place.map_or(0, |place| place.line);
        session.damage.entry(finding.check.id).or_default().push(line);
    }
    Ok(session)
}

fn document(input: &dyn ReportInput) -> Result<Value, DialectError> {
    let mut document = facts_of(input.log())?;
    document["dialect"] = json!(input.dialect().name);
    document["container"] = json!(input.log().container());
    if let Some(moment) = input.last_moment()? {
        add_moment(&mut document, &moment, input.dialect().vocabulary);
    }
    for (key, redacted) in input.redacted(&|| events(input.log())) {
        document[key] = redacted;
    }
    Ok(document)
}

/// The facts of a log, as scripts compare them.
pub(crate) fn facts_of(log: &dyn OpenLog) -> Result<Value, DialectError> {
    Ok(Value::Object(read(log)?.facts()))
}

/// The events as values, for the masked copy of them.
fn events(log: &dyn OpenLog) -> Vec<Value> {
    let mut events = Vec::new();
    let decoder = AgentDecoder::default();
    // A log that cannot be read again has no events to show.
    let _ = log.each_record(&mut |read| events.extend(decoder.decode(read.record).map(|event| event.to_value())));
    events
}

impl ReadSession {
    fn facts(&self) -> Map<String, Value> {
        let checker = &self.checker;
        let mut facts = checker.facts(&self.lines);
        facts.insert("lines".to_owned(), json!(self.line_count));
        facts.insert("malformed".to_owned(), json!(self.malformed));
        facts.insert("findings".to_owned(), self.findings(&checker.at_end()));
        facts.insert("resume".to_owned(), self.resume());
        facts
    }

    fn findings(&self, at_end: &Found) -> Value {
        let of_checks = at_end.facts.iter().map(|(check, facts)| {
            let first = facts.first.iter().map(|(at, details)| match details[..] {
                [] => json!(self.lines.line(*at)),
                _ => [json!(self.lines.line(*at))].into_iter().chain(details.iter().cloned()).collect(),
            });
            let first: Vec<Value> = first.collect();
            ((*check).to_owned(), json!({"count": facts.count, "severity": facts.severity.name(), "first": first}))
        });
        let of_damage = self.damage.iter().map(|(check, lines)| {
            let severity = damage::CHECKS.iter().find(|known| known.id == *check).map(|known| known.severity.name());
            let first: Vec<u64> = lines.iter().copied().take(4).collect();
            ((*check).to_owned(), json!({"count": lines.len(), "severity": severity, "first": first}))
        });
        Value::Object(of_checks.chain(of_damage).collect())
    }

    /// What resuming the session would find.
    fn resume(&self) -> Value {
        let state = &self.checker.state;
        if state.format.is_some_and(|format| format.steps == StepsBy::Usage) {
            let compacted = state.compactions.last().map(|row| self.lines.line(row.at));
            return json!({"compacted_at": compacted, "base": self.base});
        }
        match Reach::of(&self.checker.links, state.facts) {
            Some(reach) => reach.to_json(|at| self.lines.line(at)),
            None => Value::Null,
        }
    }
}

fn text(input: &dyn ReportInput, columns: usize) -> Result<StyledText, DialectError> {
    let mut text = StyledText::default();
    let session = read(input.log())?;
    let state = &session.checker.state;
    let program = state.format.map_or("agent", |format| format.program);
    text.line([Tone::Strong.on(clean(input.log().name()))]);
    let version = state.settings.version.as_deref().map_or_else(String::new, |version| format!(" {version}"));
    let records = count(session.lines.0.len() as u64, "record");
    text.line([format!("session of {program}{}, {records}", clean(&version)).into()]);
    for line in recap(state) {
        let tone = if line.is_alarming { Tone::Of(Severity::Warning) } else { Tone::Plain };
        text.line([Tone::Dim.on(format!("  {:<8} ", line.label)), tone.on(clean(&line.text))]);
    }
    if let Some(moment) = input.last_moment()? {
        write_moment(&mut text, &moment, input.dialect().vocabulary, "state at the end", columns);
    }
    Ok(text)
}

//! The report about a log: the column of a dialect's row, its input, and the default report.

use serde_json::{Map, Value, json};

use super::Dialect;
use super::open_log::{DialectError, OpenLog};
use super::sidecar::Sidecars;
use crate::replay::finding::Finding;
use crate::replay::moment::Moment;
use crate::replay::vocabulary::Vocabulary;
use crate::text::styled::{StyledText, Tone};
use crate::text::{clean, count, fit, pad, wrapped};

/// How a dialect reports on a log.
pub(crate) struct Reporting {
    /// The document of `report --json`.
    pub document: fn(&dyn ReportInput) -> Result<Value, DialectError>,
    /// The text, for a width in columns, without the findings.
    pub text: fn(&dyn ReportInput, usize) -> Result<StyledText, DialectError>,
    /// Whether it handles `--strict` itself.
    pub refuses_strictly: bool,
    /// Whether the older rules of redaction (`--redact=reference`) apply to its events.
    pub has_reference_redaction: bool,
}

/// The results of all checks.
pub(crate) struct Checked<'c> {
    pub events: u32,
    pub findings: &'c [Finding],
}

/// The input of a report. Each part is computed only if the dialect asks for it.
pub(crate) trait ReportInput {
    fn log(&self) -> &dyn OpenLog;
    fn dialect(&self) -> &'static Dialect;
    fn sidecars(&self) -> &dyn Sidecars;
    fn checked(&self) -> Result<Checked<'_>, DialectError>;
    /// The moment after the last event, if there is one.
    fn last_moment(&self) -> Result<Option<Moment>, DialectError>;
    fn is_strict(&self) -> bool;
    /// Whether the user asked for the state after each record.
    fn wants_steps(&self) -> bool;
    /// The masked events, if the user asked for them, by their keys in the document.
    fn redacted(&self, events: &dyn Fn() -> Vec<Value>) -> Vec<(&'static str, Value)>;
}

/// The default report: counts, findings and the state at the end.
#[cfg_attr(not(test), expect(dead_code, reason = "for a dialect without a report of its own"))]
pub(crate) static PLAIN: Reporting =
    Reporting { document: plain_document, text: plain_text, refuses_strictly: false, has_reference_redaction: false };

fn plain_document(input: &dyn ReportInput) -> Result<Value, DialectError> {
    let checked = input.checked()?;
    let mut document = json!({
        "dialect": input.dialect().name,
        "container": input.log().container(),
        "event_count": checked.events,
        "findings": checked.findings.iter().map(Finding::to_json).collect::<Vec<_>>(),
    });
    if let Some(moment) = input.last_moment()? {
        add_moment(&mut document, &moment, input.dialect().vocabulary);
    }
    Ok(document)
}

fn plain_text(input: &dyn ReportInput, columns: usize) -> Result<StyledText, DialectError> {
    let mut text = StyledText::default();
    let log = input.log();
    let events = count(u64::from(input.checked()?.events), "event");
    text.line([Tone::Strong.on(clean(log.name()))]);
    text.line([format!("{} ({}), {events}", input.dialect().title, log.container()).into()]);
    if let Some(moment) = input.last_moment()? {
        write_moment(&mut text, &moment, input.dialect().vocabulary, "state at the end", columns);
    }
    Ok(text)
}

/// Adds the state and the effects at a moment to a document.
pub(crate) fn add_moment(document: &mut Value, moment: &Moment, vocabulary: &Vocabulary) {
    let named = |field| (vocabulary.field_name(field).to_owned(), moment.sides.after(field));
    document["projection"] = Value::Object(vocabulary.field_ids().map(named).collect());
    let counted = |effect| (vocabulary.effect_name(effect).to_owned(), json!(moment.tally.of(effect)));
    let (origins, not_recorded) = moment.origins(vocabulary);
    if !origins.is_empty() {
        document["origins"] = Value::Object(origins);
        document["not_recorded"] = Value::Object(not_recorded);
    }
    document["effect_counts"] = Value::Object(vocabulary.effect_ids().map(counted).collect::<Map<_, _>>());
}

/// Writes the fields that changed since the beginning, and the effects.
pub(crate) fn write_moment(
    out: &mut StyledText,
    moment: &Moment,
    vocabulary: &Vocabulary,
    title: &str,
    columns: usize,
) {
    const NAME_COLUMNS: usize = 22;
    out.section(title);
    let room = columns.saturating_sub(NAME_COLUMNS + 4).max(20);
    for field in moment.sides.departed().iter() {
        let name = Tone::Name.on(pad(vocabulary.field_name(field), NAME_COLUMNS));
        out.line(["  ".into(), name, format!(" {}", fit(&moment.sides.brief(field, room), room)).into()]);
    }
    for field in vocabulary.field_ids() {
        if let Some(reason) = moment.sides.origin(field).gap() {
            let name = Tone::Dim.on(pad(vocabulary.field_name(field), NAME_COLUMNS));
            out.line(["  ".into(), name, Tone::Dim.on(format!(" not recorded: {reason}"))]);
        }
    }
    let effects = vocabulary.effect_ids().map(|effect| (vocabulary.effect_name(effect), moment.tally.of(effect)));
    write_counts(out, "effects", effects, columns);
}

/// Writes a section of counted names, without those whose count is 0.
pub(crate) fn write_counts<'n>(
    out: &mut StyledText,
    title: &str,
    counts: impl Iterator<Item = (&'n str, u32)>,
    columns: usize,
) {
    let words: Vec<String> =
        counts.filter(|(_, number)| *number > 0).map(|(name, number)| format!("{name} {number}")).collect();
    out.section(title);
    out.plain(&if words.is_empty() { "  none".to_owned() } else { wrapped(&words, columns) });
}

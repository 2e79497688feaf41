//! The content of a page about a finding: the minimized and masked trace, event by event.
//!
//! It is made from a crashpack that is written to a temporary folder, so nothing in it comes from the log before masking.

use color_eyre::eyre::{self, eyre};

use super::{PackRequest, pack};
use crate::cli::args::{ExportArgs, ReadOptions};
use crate::cli::open::open_path;
use crate::cli::replayed::ReplayedLog;
use crate::exporter::Packed;
use crate::minimize::Extent;
use crate::replay::Seq;
use crate::replay::check::Severity;
use crate::replay::finding::Finding;
use crate::replay::moment::{Emitted, Moment, value_text};
use crate::replay::vocabulary::Vocabulary;
use crate::text::clean_lines;

/// Of a longer trace, only the events around the finding are shown.
const MOST_EVENTS: u32 = 300;
/// The events shown on each side of an event of the finding, in a trace that is too long.
const AROUND: u32 = 12;
/// Longer texts are cut.
const MOST_CHARACTERS: usize = 20_000;
const VALUE_CHARACTERS: usize = 2_000;

pub(super) struct PageContent {
    /// The name of the log as the user typed it, without folders.
    pub name: String,
    pub dialect: &'static str,
    pub check: &'static str,
    pub severity: Severity,
    pub message: String,
    pub expected: String,
    pub actual: String,
    pub explains: &'static str,
    pub fingerprint: String,
    /// The events of the log, and those of the trace that is shown.
    pub events_before: u32,
    pub events_after: u32,
    pub is_minimized: bool,
    /// The number of masked texts.
    pub masked: usize,
    pub events: Vec<PageEvent>,
}

pub(super) struct PageEvent {
    pub at: Seq,
    pub kind: &'static str,
    pub summary: String,
    /// The finding names it.
    pub is_named: bool,
    pub malformed: Option<String>,
    /// The event as JSON, over several lines.
    pub json: String,
    /// Every field that is not as it was at the beginning: its name, its value, and the value before if it changed here.
    pub fields: Vec<PageField>,
    pub effects: Vec<String>,
}

pub(super) struct PageField {
    pub name: &'static str,
    pub value: String,
    pub before: Option<String>,
}

impl PageContent {
    /// Tells the finding that the arguments choose.
    pub(super) fn tell(args: &ExportArgs) -> eyre::Result<PageContent> {
        let folder = tempfile::tempdir()?;
        let target = folder.path().join("pack");
        // A person reads the events that matter as they were recorded.
        let request = PackRequest { output: &target, minimizes: Some(Extent::Events), redacts: true };
        let (packed, is_minimized) = match pack(args, &request) {
            Ok(packed) => (packed, true),
            Err(error) => {
                // What cannot be minimized is told in full.
                let packed = pack(args, &PackRequest { minimizes: None, ..request }).map_err(|_| error)?;
                (packed, false)
            }
        };
        let reading = ReadOptions { minimized: is_minimized, ..ReadOptions::default() };
        let replayed = ReplayedLog::begin(open_path(&target, &reading)?, false)?;
        replayed.finish(None)?;
        PageContent::of(args, &replayed, &packed, is_minimized)
    }

    fn of(args: &ExportArgs, replayed: &ReplayedLog, packed: &Packed, is_minimized: bool) -> eyre::Result<PageContent> {
        let replay = replayed.replay();
        let findings = replay.findings();
        let is_it = |finding: &&Finding| Some(finding.fingerprint()) == packed.fingerprint;
        let finding = findings.list.iter().map(|finding| &**finding).find(is_it);
        let finding = finding.ok_or_else(|| eyre!("the trace no longer reports the finding; choose another one"))?;
        let vocabulary = replay.vocabulary();
        let mut events = Vec::new();
        for at in wanted(&finding.at, replay.len()) {
            let Some(moment) = replay.moment(at).map_err(|gone| replayed.gone(gone))? else { continue };
            let lines = replay.lines(&[at]).map_err(|gone| replayed.gone(gone))?;
            let summary = lines.into_iter().next().map_or_else(String::new, |line| line.summary);
            events.push(PageEvent::of(&moment, vocabulary, summary, finding.at.contains(&at)));
        }
        let name = args.input.file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Ok(PageContent {
            name,
            dialect: replayed.dialect.title,
            check: finding.check.id,
            severity: finding.severity,
            message: finding.message(),
            expected: finding.expected.to_string(),
            actual: finding.actual.to_string(),
            explains: finding.check.explains,
            fingerprint: finding.fingerprint(),
            events_before: packed.events,
            events_after: replay.len(),
            is_minimized,
            masked: packed.removals.unwrap_or(0),
            events,
        })
    }

    /// The first event that the finding names.
    pub(super) fn first_named(&self) -> Option<&PageEvent> {
        self.events.iter().find(|event| event.is_named)
    }
}

/// The events to show: all, or those around the events of the finding.
fn wanted(named: &[Seq], events: u32) -> Vec<Seq> {
    if events <= MOST_EVENTS {
        return (0..events).map(Seq).collect();
    }
    let around = |at: &Seq| at.0.saturating_sub(AROUND)..at.0.saturating_add(AROUND + 1).min(events);
    let mut wanted: Vec<u32> = named.iter().take(8).flat_map(around).collect();
    wanted.sort_unstable();
    wanted.dedup();
    wanted.into_iter().map(Seq).collect()
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}… ({} bytes more)", &text[..end], text.len() - end),
        None => text.to_owned(),
    }
}

impl PageEvent {
    fn of(moment: &Moment, vocabulary: &'static Vocabulary, summary: String, is_named: bool) -> PageEvent {
        let (changed, departed) = (moment.sides.changed(), moment.sides.departed());
        let shown = vocabulary.field_ids().filter(|field| changed.contains(*field) || departed.contains(*field));
        let text = |value| cut(&value_text(&value), VALUE_CHARACTERS);
        let fields = shown.map(|field| PageField {
            name: vocabulary.field_name(field),
            value: text(moment.sides.after(field)),
            before: changed.contains(field).then(|| text(moment.sides.before(field))),
        });
        let effect = |effect: &Emitted| {
            format!("{} {}", vocabulary.effect_name(effect.kind), effect.detail).trim_end().to_owned()
        };
        let halt = moment.halt.as_ref().map(|halt| format!("halt {}", value_text(halt)));
        PageEvent {
            at: moment.at,
            kind: vocabulary.kind_name(moment.kind),
            summary,
            is_named,
            malformed: moment.malformed.clone(),
            json: cut(&clean_lines(&pretty(moment)), MOST_CHARACTERS),
            fields: fields.collect(),
            effects: moment.effects.iter().map(effect).chain(halt).collect(),
        }
    }
}

fn pretty(moment: &Moment) -> String {
    let bytes = moment.in_full.as_deref().unwrap_or(&moment.record);
    let parsed = serde_json::from_slice::<serde_json::Value>(bytes).ok().filter(|_| moment.malformed.is_none());
    let pretty = parsed.and_then(|value| serde_json::to_string_pretty(&value).ok());
    pretty.unwrap_or_else(|| String::from_utf8_lossy(&moment.record).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_trace_the_events_around_the_finding_are_shown() {
        assert_eq!(wanted(&[Seq(2)], 5).len(), 5);
        let shown = wanted(&[Seq(3), Seq(1_000), Seq(99_999)], 100_000);
        assert_eq!((shown.first(), shown.last()), (Some(&Seq(0)), Some(&Seq(99_999))));
        assert_eq!(shown.len(), 16 + 25 + 13);
        assert_eq!((cut("äbc", 1), cut("äbc", 3)), ("ä… (2 bytes more)".to_owned(), "äbc".to_owned()));
    }
}

//! The report of a turn log as text.

use unicode_width::UnicodeWidthStr;

use super::super::projection::{FIELDS, Projection};
use super::super::summary::outcome_text;
use super::super::thread::{Thread, TurnResult};
use super::super::whole::HeldEvents;
use super::WholeLog;
use crate::dialect::open_log::DialectError;
use crate::dialect::report::{ReportInput, write_counts};
use crate::replay::check::Severity;
use crate::replay::finding::Finding;
use crate::replay::moment::value_text;
use crate::text::styled::{StyledText, Tone};
use crate::text::{clean, count, fit, glyph, pad};

const TURNS_SHOWN: usize = 20;

pub(super) fn text(input: &dyn ReportInput, columns: usize) -> Result<StyledText, DialectError> {
    let log = input.log();
    let held = HeldEvents::read(log)?;
    let recording = held.decode();
    let thread = Thread::of(&recording, &recording.turns());
    let checked = input.checked()?;
    let whole = WholeLog::of(&recording);

    let mut out = StyledText::default();
    let events = count(u64::from(checked.events), "event");
    let turns = count(thread.turns.len() as u64, "turn");
    out.line([Tone::Strong.on(clean(log.name()))]);
    out.line([format!("{} ({}), {events}, {turns}", input.dialect().title, log.container()).into()]);
    write_turns(&mut out, &thread, checked.findings, columns);

    let projection = &whole.fold.state.projection;
    out.section("projection at the end");
    let initial = Projection::default();
    for field in FIELDS.iter().filter(|field| !field.same(projection, &initial)) {
        let value = fit(&value_text(&field.value(projection)), columns.saturating_sub(42).max(20));
        out.line(["  ".into(), Tone::Name.on(pad(field.name, 38)), format!(" {value}").into()]);
    }
    write_counts(&mut out, "effects", whole.fold.effects.iter().map(|(kind, number)| (kind.name(), number)), columns);
    Ok(out)
}

fn write_turns(out: &mut StyledText, thread: &Thread, findings: &[Finding], columns: usize) {
    if !thread.turns.is_empty() {
        out.section("turns");
    }
    for turn in thread.turns.iter().take(TURNS_SHOWN) {
        let of_turn = |finding: &&Finding| finding.subject("turn_id") == Some(&*turn.fold.turn_id);
        let worst = findings.iter().filter(of_turn).map(|finding| finding.severity).max();
        write_turn(out, turn, worst, columns);
    }
    if thread.turns.len() > TURNS_SHOWN {
        out.plain(&format!("  … {} more", thread.turns.len() - TURNS_SHOWN));
    }
}

fn write_turn(out: &mut StyledText, turn: &TurnResult, worst: Option<Severity>, columns: usize) {
    let outcome = turn.fold.state.projection.outcome.as_deref();
    let outcome = outcome.map_or_else(|| "never ended".to_owned(), outcome_text);
    let (mark, coherence) = match worst.filter(|severity| *severity > Severity::Info) {
        None => (Tone::Good.on("✓"), "coherent".to_owned()),
        Some(worst) => (Tone::Of(worst).on(glyph(worst)), format!("{} findings", worst.name())),
    };
    let id = pad(&fit(&turn.fold.turn_id, 30), 16);
    let events = count(turn.event_count as u64, "event");
    let room = columns.saturating_sub(id.width() + events.width() + coherence.width() + 9).max(20);
    out.line(["  ".into(), mark, format!(" {id} {events}, {}, {coherence}", fit(&outcome, room)).into()]);
}

//! The report of a session log as text: where the run stopped, and what it waited for.

use super::super::event::{Reading, SessionEvent};
use super::super::kind::{Category, Primitive};
use super::super::whole::WholeSession;
use crate::dialect::open_log::DialectError;
use crate::dialect::report::{ReportInput, write_counts, write_moment};
use crate::text::styled::{StyledText, Tone};
use crate::text::{clean, count, fit};

const OPEN_SHOWN: usize = 12;

pub(super) fn text(input: &dyn ReportInput, columns: usize) -> Result<StyledText, DialectError> {
    let log = input.log();
    let text = log.text()?;
    let whole = WholeSession::load(&text);
    let mut out = StyledText::default();
    out.line([Tone::Strong.on(clean(log.name()))]);
    let records = count(whole.records.len() as u64, "record");
    out.line([format!("{} ({}), {records}", input.dialect().title, log.container()).into()]);
    write_readings(&mut out, &whole, columns);
    let moment = input.last_moment()?;
    if let Some(moment) = &moment {
        out.section("open at the end, according to the log");
        if moment.obligations.is_empty() {
            out.plain("  nothing");
        }
        for open in moment.obligations.iter().take(OPEN_SHOWN) {
            let line = format!("  {} {} (since event {})", open.what, clean(&open.subject), open.since);
            out.plain(&fit(&line, columns.max(40)));
        }
        if moment.obligation_count > OPEN_SHOWN {
            out.plain(&format!("  … {} more", moment.obligation_count - OPEN_SHOWN));
        }
        write_moment(&mut out, moment, input.dialect().vocabulary, "state at the end", columns);
    }
    Ok(out)
}

/// How the events can be read, and their categories and primitives.
fn write_readings(out: &mut StyledText, whole: &WholeSession<'_>, columns: usize) {
    let events: Vec<&SessionEvent<'_>> = whole.events().map(|(_, _, event)| event).collect();
    let readings = [Reading::Core, Reading::Sdk, Reading::Later, Reading::Unknown];
    let mut counts = [0_u32; 4];
    let (mut categories, mut primitives) = ([0_u32; 5], [0_u32; 3]);
    for event in &events {
        counts[event.reading() as usize] += 1;
        if event.kind.is_os() {
            categories[event.category() as usize] += 1;
            primitives[event.category().primitive() as usize] += 1;
        }
    }
    let unreadable = (whole.records.len() - events.len()) as u32;
    let named = readings.map(Reading::name).into_iter().zip(counts).chain([("unreadable", unreadable)]);
    write_counts(out, "records as", named, columns);
    let labelled = Category::ALL.map(Category::name).into_iter().zip(categories);
    write_counts(out, "kernel events by category", labelled, columns);
    write_counts(
        out,
        "kernel events by primitive",
        Primitive::ALL.map(Primitive::name).into_iter().zip(primitives),
        columns,
    );
    let kernel = || events.iter().filter(|event| event.kind.needs_category());
    if kernel().next().is_some() && kernel().all(|event| !event.has_category()) {
        out.plain("  no event has a category: release 0.2.37 or later probably wrote this log");
    }
}

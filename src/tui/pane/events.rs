//! The Events pane: the events around the playhead, and the columns of a row. A comparison has rows of its own
//! (`tui::compare::events`).

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use crate::replay::Seq;
use crate::replay::check::Severity;
use crate::replay::shared::FindingList;
use crate::replay::source::Gone;
use crate::replay::timeline::{self, CallOutcome};
use crate::replay::vocabulary::KindWord;
use crate::text::{fit, glyph, pad, paragraph};
use crate::tui::model::Model;
use crate::tui::theme::{ScreenRole, lane_glyph};
use crate::tui::whatif::state::VariantMark;

/// From this width on, the list shows the full names of kinds.
const WIDE_KIND_COLUMNS: usize = 20;
const WIDE_FROM_COLUMNS: usize = 62;
/// Narrower lists omit the step.
const STEP_FROM_COLUMNS: usize = 44;

pub(crate) fn lines(model: &Model, area: Rect) -> Vec<Line<'static>> {
    let window = window(model, area.height as usize);
    match rows(model, &window) {
        Ok(rows) => {
            let findings = model.replay().findings();
            let row = |(line, outcome): &(timeline::EventLine, Option<CallOutcome>)| {
                row(model, line, outcome.as_ref(), &findings, area.width as usize)
            };
            rows.iter().map(row).collect()
        }
        Err(gone) => {
            let style = model.theme().style(ScreenRole::Finding(Severity::Error));
            paragraph(&gone.reason, area.width as usize).into_iter().map(|piece| Line::styled(piece, style)).collect()
        }
    }
}

/// The lines of some events, with the outcome of each folded call.
fn rows(model: &Model, window: &[Seq]) -> Result<Vec<(timeline::EventLine, Option<CallOutcome>)>, Gone> {
    let replay = model.replay();
    let lines = replay.lines(window)?;
    let mut outcomes = vec![None; lines.len()];
    if let Some(call) = replay.vocabulary().call.as_ref().filter(|_| model.debugger.filter.folds_calls) {
        let begins: Vec<Seq> = lines.iter().filter(|line| line.row.kind == call.begins).map(|line| line.at).collect();
        let found = replay.outcomes(&begins)?;
        for (begin, outcome) in begins.iter().zip(found) {
            if let Some(position) = lines.iter().position(|line| line.at == *begin) {
                outcomes[position] = outcome;
            }
        }
    }
    Ok(lines.into_iter().zip(outcomes).collect())
}

/// The events on the screen, with the playhead a third from the top unless the log begins or ends here.
fn window(model: &Model, rows: usize) -> Vec<Seq> {
    let around = model.debugger.window(rows, rows);
    let here = around.iter().position(|at| *at == model.at()).unwrap_or(0);
    let most = around.len().saturating_sub(rows);
    let from = here.saturating_sub(rows / 3).min(most);
    around.into_iter().skip(from).take(rows).collect()
}

/// The event on a row of the pane.
pub(crate) fn at_row(model: &Model, inside: Rect, row: usize) -> Option<Seq> {
    window(model, inside.height as usize).get(row).copied()
}

fn row(
    model: &Model,
    line: &timeline::EventLine,
    outcome: Option<&CallOutcome>,
    findings: &FindingList,
    width: usize,
) -> Line<'static> {
    let style = |role| model.theme().style(role);
    let vocabulary = model.replay().vocabulary();
    let is_here = line.at == model.at();
    let lane = vocabulary.lane(line.row.kind);
    let digits = model.replay().len().saturating_sub(1).to_string().len().max(2);
    let number = format!("{:>digits$} ", line.at);
    let has_step = vocabulary.has_steps && width >= STEP_FROM_COLUMNS;
    let step = if has_step { format!("s{:<3}", line.row.step) } else { String::new() };
    let kind = if outcome.is_some() && width < WIDE_FROM_COLUMNS {
        // A folded call needs the room; its glyph shows the kind.
        String::new()
    } else if width >= WIDE_FROM_COLUMNS {
        pad(&fit(vocabulary.kind_name(line.row.kind), WIDE_KIND_COLUMNS), WIDE_KIND_COLUMNS)
    } else {
        pad(vocabulary.short_name(line.row.kind), KindWord::SHORT_COLUMNS)
    };
    let room = width.saturating_sub(number.width() + step.width() + kind.width() + 6);
    let summary = match outcome {
        Some(outcome) => {
            // The call and its outcome share the room.
            let end = fit(&format!(" → {} ({})", outcome.text, outcome.at), room - room / 2);
            format!("{}{end}", fit(&line.summary, room.saturating_sub(end.width())))
        }
        None => fit(&line.summary, room),
    };
    let (mark, mark_role) = gutter(model, line.at, findings);
    let (second, second_role) = second_gutter(model, line.at, findings);
    let row = Line::from(vec![
        Span::styled(if is_here { "▶" } else { " " }, style(ScreenRole::Strong)),
        Span::styled(mark, style(mark_role)),
        Span::styled(second, style(second_role)),
        Span::styled(number, style(ScreenRole::Dim)),
        Span::styled(step, style(ScreenRole::Dim)),
        Span::styled(lane_glyph(lane), style(ScreenRole::Lane(lane))),
        Span::raw(" "),
        Span::styled(kind, style(ScreenRole::Lane(lane))),
        Span::raw(" "),
        Span::raw(summary),
    ]);
    if is_here { row.patch_style(style(ScreenRole::Strong)) } else { row }
}

/// How an event of a variant differs from the original, else whether it is bookmarked.
fn second_gutter(model: &Model, at: Seq, findings: &FindingList) -> (&'static str, ScreenRole) {
    let sign = match model.shown_variant().map_or(VariantMark::Same, |whatif| whatif.mark(at)) {
        VariantMark::Edited => "~",
        VariantMark::Copy => "+",
        VariantMark::Moved => "×",
        VariantMark::AfterSkipped => "−",
        VariantMark::Same => "",
    };
    if !sign.is_empty() {
        return (sign, ScreenRole::Changed);
    }
    let is_marked = is_bookmarked(model, at);
    // A finding takes the place of a hit in the first column.
    let hit = model.debugger.search.as_ref().is_some_and(|search| search.contains(at));
    let is_wrong = findings.at(at).any(|(_, finding)| finding.severity > Severity::Info);
    let notes = model.debugger.notes();
    match (is_marked, hit && is_wrong) {
        (true, _) => ("★", ScreenRole::Mark),
        (false, true) => ("/", ScreenRole::Name),
        (false, false) if notes.skips(at) => ("·", ScreenRole::Dim),
        (false, false) if notes.about(at).next().is_some() => ("✎", ScreenRole::Mark),
        (false, false) => (" ", ScreenRole::Text),
    }
}

/// Whether an event of the open log is bookmarked.
pub(crate) fn is_bookmarked(model: &Model, at: Seq) -> bool {
    model.debugger.bookmarks().iter().any(|(_, found)| found.at() == Some(at))
}

/// The highest severity at an event, above info.
pub(crate) fn worst(at: Seq, findings: &FindingList) -> Option<Severity> {
    findings.at(at).map(|(_, finding)| finding.severity).max().filter(|worst| *worst > Severity::Info)
}

/// The highest severity at an event above info, else whether it is a search hit.
pub(crate) fn gutter(model: &Model, at: Seq, findings: &FindingList) -> (&'static str, ScreenRole) {
    let hit = model.debugger.search.as_ref().is_some_and(|search| search.contains(at));
    match (worst(at, findings), hit) {
        (Some(worst), _) => (glyph(worst), ScreenRole::Finding(worst)),
        (None, true) => ("/", ScreenRole::Name),
        (None, false) => (" ", ScreenRole::Text),
    }
}

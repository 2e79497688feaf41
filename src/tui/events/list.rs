//! The rows of the Events pane around the playhead.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::gutter;
use super::row::RowText;
use crate::replay::Seq;
use crate::replay::check::Severity;
use crate::replay::shared::FindingList;
use crate::replay::source::Gone;
use crate::replay::timeline::EventLine;
use crate::text::paragraph;
use crate::tui::action::Pane;
use crate::tui::model::Model;
use crate::tui::theme::{ScreenRole, selected};

/// Narrower lists omit the step.
const STEP_FROM_COLUMNS: usize = 76;

pub(crate) fn lines(model: &Model, area: Rect) -> Vec<Line<'static>> {
    let window = window(model, area.height as usize);
    match rows(model, &window) {
        Ok(rows) => {
            let findings = model.replay().findings();
            rows.iter().map(|(line, row)| drawn(model, line, row, &findings, area.width as usize)).collect()
        }
        Err(gone) => {
            let style = model.theme().style(ScreenRole::Finding(Severity::Error));
            paragraph(&gone.reason, area.width as usize).into_iter().map(|piece| Line::styled(piece, style)).collect()
        }
    }
}

/// What the rows of some events say.
fn rows(model: &Model, window: &[Seq]) -> Result<Vec<(EventLine, RowText)>, Gone> {
    let (replay, filter) = (model.replay(), &model.debugger.filter);
    let vocabulary = replay.vocabulary();
    let is_folded = filter.folds && filter.is_open();
    let (lines, stories) = (replay.lines(window)?, replay.stories(window)?);
    let row = |(line, story): (EventLine, _)| {
        let is_routine = is_folded && line.at != model.at() && vocabulary.routine(line.row.kind).is_some();
        let run = if is_routine { model.debugger.routine_run(line.at) } else { Vec::new() };
        let row = match run.is_empty() {
            true => RowText::of(vocabulary, &line, Option::as_ref(&story), is_folded),
            false => RowText::of_routine(vocabulary, &run),
        };
        (line, row)
    };
    Ok(lines.into_iter().zip(stories).map(row).collect())
}

/// The events on the screen, with the playhead a third from the top unless the log begins or ends here.
pub(crate) fn window(model: &Model, rows: usize) -> Vec<Seq> {
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

fn drawn(model: &Model, line: &EventLine, row: &RowText, findings: &FindingList, width: usize) -> Line<'static> {
    let style = |role| model.theme().style(role);
    let is_here = line.at == model.at();
    let digits = model.replay().len().saturating_sub(1).to_string().len().max(2);
    let number = format!("{:>digits$} ", line.at);
    let has_step = model.replay().vocabulary().has_steps && width >= STEP_FROM_COLUMNS;
    let step = if has_step { format!("s{:<3}", line.row.step) } else { String::new() };
    let (finding, finding_role) = gutter::finding(model, line.at, findings);
    let (mark, mark_role) = gutter::mark(model, line.at, findings);
    let lead = gutter::lead(model, line.at);
    let mut spans = vec![
        Span::styled(lead, style(ScreenRole::Strong)),
        Span::styled(finding, style(finding_role)),
        Span::styled(mark, style(mark_role)),
        Span::styled(number, style(ScreenRole::Dim)),
        Span::styled(step, style(ScreenRole::Dim)),
    ];
    let taken: usize = spans.iter().map(|span| span.content.width()).sum();
    spans.extend(row.spans(model.theme(), width.saturating_sub(taken), None));
    let drawn = Line::from(spans);
    match (is_here, model.focus == Pane::Events) {
        (true, true) => selected(drawn, true, width),
        (true, false) => here(model, drawn),
        (false, _) => drawn,
    }
}

/// The row of the playhead while another pane has the focus: bold, and its number reversed.
fn here(model: &Model, line: Line<'static>) -> Line<'static> {
    let style = |role| model.theme().style(role);
    let mut line = line.patch_style(style(ScreenRole::Here));
    line.spans.iter_mut().take(4).for_each(|span| span.style = style(ScreenRole::Selected));
    line
}

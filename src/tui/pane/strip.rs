//! The strip: the whole log on a few lines, with the amount of data or a chart of a level, turns, compactions, hits,
//! bookmarks, findings, and the playhead. More important marks cover less important ones.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::time_bar::{self, TimeColumn};
use crate::replay::check::Severity;
use crate::replay::vocabulary::Concern;
use crate::text;
use crate::tui::compare::events as aligned;
use crate::tui::compare::state::{Compared, sign};
use crate::tui::glyph::{self, BARS, BOOKMARK, TURN};
use crate::tui::model::Model;
use crate::tui::theme::ScreenRole;

type StripCell = (&'static str, ScreenRole);

pub(crate) fn draw(model: &Model, frame: &mut Frame<'_>, area: Rect) {
    let area = time_bar::draw(model, frame, area);
    if model.overview.columns.is_empty() {
        return;
    }
    if area.height < 2 {
        let mut bars = bars(model, 1, 0);
        mark(model, &mut bars);
        line(model, frame, Rect { height: 1, ..area }, &bars);
        return;
    }
    let mut marks = vec![(" ", ScreenRole::Dim); model.overview.columns.len()];
    mark(model, &mut marks);
    line(model, frame, Rect { height: 1, ..area }, &marks);
    let here = model.overview.column(model.at());
    let rows = usize::from(area.height - 1);
    for row in 0..rows {
        let mut bars = bars(model, rows, rows - 1 - row);
        bars[here].1 = ScreenRole::Selected;
        line(model, frame, Rect { y: area.y + 1 + row as u16, height: 1, ..area }, &bars);
    }
}

/// A row of bars, which are `rows` rows high; row 0 is the lowest one.
fn bars(model: &Model, rows: usize, row: usize) -> Vec<StripCell> {
    // The lowest row has no empty cell: the strip is visible where there is nothing.
    let highest = rows * BARS.len() - 1;
    let eighths = |height: usize| (height + 1).saturating_sub(row * BARS.len()).min(BARS.len());
    if let Some(columns) = time_bar::columns(model, highest) {
        let cell = |column: &TimeColumn| {
            let bar = eighths(column.height?).checked_sub(1)?;
            Some((column.letter.unwrap_or(BARS[bar]), column.role))
        };
        return columns.iter().map(|column| cell(column).unwrap_or((" ", ScreenRole::Dim))).collect();
    }
    let heights = model.overview.heights(highest);
    let cell = |height| eighths(height).checked_sub(1).map_or(" ", |bar| BARS[bar]);
    heights.into_iter().map(|height| (cell(height), ScreenRole::Dim)).collect()
}

fn line(model: &Model, frame: &mut Frame<'_>, area: Rect, cells: &[StripCell]) {
    let spans: Vec<Span<'_>> =
        cells.iter().map(|(text, role)| Span::styled(*text, model.theme().style(*role))).collect();
    frame.render_widget(Paragraph::new(Line::from(spans)), area);
}

fn mark(model: &Model, cells: &mut [StripCell]) {
    let overview = &model.overview;
    for (cell, part) in cells.iter_mut().zip(&overview.columns) {
        if part.turn && overview.shows_turns() {
            *cell = (TURN, ScreenRole::Name);
        }
        if part.compaction {
            *cell = (glyph::of_concern(Some(Concern::Context)), ScreenRole::Name);
        }
    }
    if let Some(search) = &model.debugger.search {
        for (cell, hits) in cells.iter_mut().zip(search.density(model.replay().len(), overview.columns.len())) {
            if hits > 0 {
                *cell = ("·", ScreenRole::Key);
            }
        }
    }
    let findings = model.replay().findings();
    let mut worst: Vec<Option<Severity>> = vec![None; cells.len()];
    for finding in findings.list.iter().filter(|finding| finding.severity > Severity::Info) {
        for at in &finding.at {
            let known = &mut worst[overview.column(*at)];
            *known = (*known).max(Some(finding.severity));
        }
    }
    for (cell, worst) in cells.iter_mut().zip(&worst) {
        if let Some(worst) = worst {
            *cell = (text::glyph(*worst), ScreenRole::Finding(*worst));
        }
    }
    for at in model.debugger.bookmarks().iter().filter_map(|(_, found)| found.at()) {
        let part = overview.column(at);
        // A finding is more important than a bookmark.
        if worst[part].is_none() {
            cells[part] = (BOOKMARK, ScreenRole::Mark);
        }
    }
    let differing = model.compared().map(Compared::outlined).unwrap_or_default();
    // While two logs are compared, their differences are most important.
    for (cell, how) in cells.iter_mut().zip(differing) {
        if let Some(how) = how {
            *cell = (sign(*how), aligned::role(*how));
        }
    }
    let here = overview.column(model.at());
    let differs = differing.get(here).is_some_and(Option::is_some);
    let is_marked = differs || worst[here].is_some() || cells[here].0 == BOOKMARK;
    cells[here] = (if is_marked { cells[here].0 } else { "▼" }, ScreenRole::Selected);
}

//! The list of events around the playhead.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::replay::Seq;
use crate::replay::check::Severity;
use crate::replay::shared::FindingList;
use crate::text::{fit, glyph, pad};
use crate::tui::model::Model;
use crate::tui::theme::Role;

pub fn lines(model: &Model, area: Rect) -> Vec<Line<'static>> {
    let rows = area.height as usize;
    let window = window(model, rows);
    let findings = model.replay().findings();
    match model.replay().lines(&window) {
        Ok(lines) => lines.iter().map(|line| row(model, line, &findings, area.width as usize)).collect(),
        Err(gone) => vec![Line::styled(gone.reason, model.theme.style(Role::Finding(Severity::Error)))],
    }
}

/// The events on the screen: the playhead a third from the top, unless the log begins or ends here.
fn window(model: &Model, rows: usize) -> Vec<Seq> {
    let around = model.debugger.window(rows, rows);
    let here = around.iter().position(|at| *at == model.at()).unwrap_or(0);
    let most = around.len().saturating_sub(rows);
    let from = here.saturating_sub(rows / 3).min(most);
    around.into_iter().skip(from).take(rows).collect()
}

fn row(model: &Model, line: &crate::replay::timeline::Line, findings: &FindingList, width: usize) -> Line<'static> {
    let style = |role| model.theme.style(role);
    let vocabulary = model.replay().vocabulary();
    let is_here = line.at == model.at();
    let worst = findings.at(line.at).map(|(_, finding)| finding.severity).max().filter(|worst| *worst > Severity::Info);
    let hit = model.debugger.search.as_ref().is_some_and(|search| search.contains(line.at));
    let digits = model.replay().len().to_string().len().max(3);
    let number = format!("{:>digits$}", line.at);
    let kind = pad(&fit(vocabulary.kind_name(line.row.kind), 18), 18);
    let room = width.saturating_sub(number.len() + kind.len() + 5);
    let (mark, mark_role) = match (worst, hit) {
        (Some(worst), _) => (glyph(worst), Role::Finding(worst)),
        (None, true) => ("/", Role::Name),
        (None, false) => (" ", Role::Text),
    };
    let spans = vec![
        Span::styled(if is_here { "▶" } else { " " }, style(Role::Strong)),
        Span::styled(mark, style(mark_role)),
        Span::styled(number, style(Role::Dim)),
        Span::raw(" "),
        Span::styled(kind, style(Role::Lane(vocabulary.lane(line.row.kind)))),
        Span::raw(" "),
        Span::raw(fit(&line.summary, room)),
    ];
    let row = Line::from(spans);
    if is_here { row.patch_style(style(Role::Strong)) } else { row }
}

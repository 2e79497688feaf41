//! The whole log on one line: where its findings are, where the search hit, and where the playhead stands.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::replay::check::Severity;
use crate::text::glyph;
use crate::tui::model::Model;
use crate::tui::theme::Role;

pub fn draw(model: &Model, frame: &mut Frame<'_>, area: Rect) {
    let (width, events) = (area.width as usize, model.replay().len().max(1));
    let bucket = |at: u32| (u64::from(at) * width as u64 / u64::from(events)).min(width as u64 - 1) as usize;
    let mut cells = vec![("─", Role::Dim); width];
    if let Some(search) = &model.debugger.search {
        for (cell, hits) in cells.iter_mut().zip(search.density(events, width)) {
            if hits > 0 {
                *cell = ("·", Role::Name);
            }
        }
    }
    let findings = model.replay().findings();
    let mut worst: Vec<Option<Severity>> = vec![None; width];
    for finding in findings.list.iter().filter(|finding| finding.severity > Severity::Info) {
        for at in &finding.at {
            let cell = &mut worst[bucket(at.0)];
            *cell = (*cell).max(Some(finding.severity));
        }
    }
    for (cell, worst) in cells.iter_mut().zip(&worst) {
        if let Some(worst) = worst {
            *cell = (glyph(*worst), Role::Finding(*worst));
        }
    }
    let here = bucket(model.at().0);
    let playhead = if worst[here].is_some() { cells[here].0 } else { "▼" };
    cells[here] = (playhead, Role::Playhead);
    let spans: Vec<Span<'_>> = cells.iter().map(|(text, role)| Span::styled(*text, model.theme.style(*role))).collect();
    frame.render_widget(Paragraph::new(Line::from(spans)), area);
}

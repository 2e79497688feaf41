//! Where the log contradicts itself: at this event with both sides, then everywhere, then what is open here.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::replay::finding::Finding;
use crate::replay::moment::Moment;
use crate::text::{count, fit, glyph};
use crate::tui::action::Pane;
use crate::tui::model::Model;
use crate::tui::theme::Role;
use crate::tui::view::chosen;

pub fn lines(model: &Model, moment: &Moment, area: Rect) -> Vec<Line<'static>> {
    let style = |role| model.theme.style(role);
    let width = area.width as usize;
    let mut lines = Vec::new();
    for (_, finding) in &moment.findings {
        lines.extend(in_full(model, finding, width));
    }
    if moment.findings.is_empty() {
        lines.push(Line::styled("nothing wrong at this event", style(Role::Dim)));
    }
    if moment.obligation_count > 0 {
        lines.push(Line::styled(format!("open here: {}", moment.obligation_count), style(Role::Strong)));
        for open in moment.obligations.iter().take(4) {
            lines.push(Line::raw(fit(&format!("  {} {} since {}", open.what, open.subject, open.since), width)));
        }
    }
    let findings = model.replay().findings();
    lines.push(Line::styled(
        format!("in the log: {}", count(findings.list.len() as u64, "finding")),
        style(Role::Strong),
    ));
    let rest = (area.height as usize).saturating_sub(lines.len()).max(3);
    let chosen_row = model.finding.min(findings.list.len().saturating_sub(1));
    let first = chosen_row.saturating_sub(rest.saturating_sub(1));
    for (row, finding) in findings.list.iter().enumerate().skip(first).take(rest) {
        let spans = vec![
            Span::styled(format!(" {} ", glyph(finding.severity)), style(Role::Finding(finding.severity))),
            Span::styled(format!("{:>5} ", finding.at[0]), style(Role::Dim)),
            Span::raw(fit(&finding.message(), width.saturating_sub(9))),
        ];
        lines.push(chosen(Line::from(spans), row == chosen_row && model.focus == Pane::Coherence));
    }
    lines
}

/// One finding with what was expected and what stands there instead.
fn in_full(model: &Model, finding: &Finding, width: usize) -> Vec<Line<'static>> {
    let style = |role| model.theme.style(role);
    let places: Vec<String> = finding.at.iter().take(6).map(ToString::to_string).collect();
    let mut lines = vec![Line::styled(
        fit(&format!("{} {}", glyph(finding.severity), finding.check.id), width),
        style(Role::Finding(finding.severity)),
    )];
    for piece in wrapped(&finding.message(), width.saturating_sub(2)) {
        lines.push(Line::raw(format!("  {piece}")));
    }
    for (name, text) in [("expected", &finding.expected), ("actual  ", &finding.actual)] {
        lines.push(Line::from(vec![
            Span::styled(format!("  {name} "), style(Role::Dim)),
            Span::raw(fit(text, width.saturating_sub(11))),
        ]));
    }
    lines.push(Line::styled(fit(&format!("  at {}", places.join(", ")), width), style(Role::Dim)));
    lines
}

/// A text over lines of a width, broken between words.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in crate::text::clean(text).split(' ') {
        let last = lines.last_mut().map_or(0, |line| line.chars().count());
        if last > 0 && last + 1 + word.chars().count() > width {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.iter().map(|line| fit(line, width.max(1))).collect()
}

//! The Effects pane: the effects of this event, and how often each kind occurred so far.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::replay::moment::value_text;
use crate::text::{fit, grouped, paragraph};
use crate::tui::action::Pane;
use crate::tui::compare::panes as both;
use crate::tui::layout::sizes::COUNT_COLUMNS;
use crate::tui::model::Model;
use crate::tui::theme::ScreenRole;

pub(crate) fn lines(model: &Model, area: Rect) -> Vec<Line<'static>> {
    let mut lines = all_lines(model, area.width as usize);
    let most = lines.len().saturating_sub(area.height as usize);
    lines.split_off(model.effects_scroll.min(most))
}

/// How far the pane can be scrolled.
pub(crate) fn last_scroll(model: &Model) -> usize {
    let area = model.areas().and_then(|areas| areas.of(Pane::Effects));
    let Some(area) = area else { return 0 };
    let lines = all_lines(model, area.width.saturating_sub(2) as usize);
    lines.len().saturating_sub(area.height.saturating_sub(2) as usize)
}

fn all_lines(model: &Model, width: usize) -> Vec<Line<'static>> {
    if let Some(compared) = model.compared() {
        return both::effects(model, compared, width);
    }
    let Some(moment) = model.shown() else { return Vec::new() };
    let style = |role| model.theme().style(role);
    let vocabulary = model.replay().vocabulary();
    let mut lines = Vec::new();
    for effect in &moment.effects {
        lines.push(Line::styled(fit(vocabulary.effect_name(effect.kind), width), style(ScreenRole::Changed)));
        if !effect.detail.is_empty() {
            let pieces = paragraph(&effect.detail, width.saturating_sub(2));
            lines.extend(pieces.into_iter().map(|piece| Line::raw(format!("  {piece}"))));
        }
    }
    if let Some(step) = model.whatif.as_ref().and_then(|whatif| whatif.step.as_ref()) {
        for (sign, effects) in [("− original:", &step.effects_gone), ("+ what-if:", &step.effects_new)] {
            for effect in effects {
                let text = format!("{sign} {} {}", vocabulary.effect_name(effect.kind), effect.detail);
                let pieces = paragraph(&text, width);
                lines.extend(pieces.into_iter().map(|piece| Line::styled(piece, style(ScreenRole::Mark))));
            }
        }
    }
    if let Some(halt) = &moment.halt {
        let text = fit(&format!("halt {}", value_text(halt)), width);
        lines.push(Line::styled(text, style(ScreenRole::Strong)));
    }
    if lines.is_empty() {
        lines.push(Line::styled("none", style(ScreenRole::Dim)));
    }
    lines.push(Line::raw(""));
    lines.push(Line::styled("so far", style(ScreenRole::Dim)));
    let effects: Vec<_> = vocabulary.effect_ids().filter(|effect| moment.tally.of(*effect) > 0).collect();
    let count = |effect| grouped(u64::from(moment.tally.of(effect)));
    let digits = effects.iter().map(|effect| count(*effect).len()).max().unwrap_or(0).max(COUNT_COLUMNS - 1);
    for effect in effects {
        let name = fit(vocabulary.effect_name(effect), width.saturating_sub(digits + 1));
        lines.push(Line::from(vec![
            Span::raw(format!("{:>digits$} ", count(effect))),
            Span::styled(name, style(ScreenRole::Dim)),
        ]));
    }
    lines
}

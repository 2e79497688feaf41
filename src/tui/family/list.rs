//! The list of the family: opening it, choosing a log, drawing it.

use std::path::Path;

use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::state::Visit;
use crate::replay::Seq;
use crate::replay::family::{FamilyRow, FamilyTree};
use crate::text::{clean, count, fit, pad};
use crate::tui::action::ListKind;
use crate::tui::model::{InputMode, List, Model};
use crate::tui::theme::ScreenRole;

/// Shows the list at the log that the current event mentions, or else at the open one.
pub(crate) fn show(model: &mut Model, tree: FamilyTree) {
    let tree = related(tree, model.family.own.as_deref());
    if tree.rows.len() < 2 {
        model.message = Some("no other log in this folder belongs to this one".to_owned());
        return;
    }
    let own = model.family.own.as_deref().and_then(|path| tree.position(path)).unwrap_or(0);
    let depth = tree.rows[own].depth + 1;
    let children = tree.rows.iter().enumerate().skip(own + 1).take_while(|(_, row)| row.depth >= depth);
    let here = children.into_iter().find(|(_, row)| row.depth == depth && row.parent_at.contains(&model.at()));
    let row = here.map_or(own, |(at, _)| at);
    if tree.skipped > 0 {
        model.message = Some(format!("{} more files of this folder are not listed", tree.skipped));
    }
    model.family.tree = tree;
    model.mode = InputMode::List(List { of: ListKind::Family, row });
}

/// The rows of the family that the open log belongs to.
fn related(mut tree: FamilyTree, own: Option<&Path>) -> FamilyTree {
    let Some(own) = own.and_then(|path| tree.position(path)) else { return tree };
    let root = tree.rows[..=own].iter().rposition(|row| row.depth == 0).unwrap_or(0);
    let length = tree.rows[root + 1..].iter().take_while(|row| row.depth > 0).count() + 1;
    tree.rows = tree.rows.drain(root..root + length).collect();
    tree
}

/// Where a row of the list leads.
pub(crate) enum Destination {
    Log(Visit),
    /// An event of the open log.
    Event(Seq),
}

/// Where a row of the list leads; `None` if it is the open log.
pub(crate) fn destination(model: &Model, row: usize) -> Option<Destination> {
    let chosen = model.family.tree.rows.get(row)?;
    let is_own = Some(&chosen.path) == model.family.own.as_ref();
    match chosen.begins_at.filter(|_| is_own) {
        Some(at) => Some(Destination::Event(at)),
        None => (!is_own).then(|| Destination::Log(Visit::Log(chosen.path.clone()))),
    }
}

/// The rows of the list.
pub(crate) fn lines(model: &Model, room: usize) -> Vec<Line<'static>> {
    let own = model.family.own.as_deref();
    let rows = &model.family.tree.rows;
    let label = |row: &FamilyRow| format!("{}{}", "  ".repeat(row.depth.min(16)), clean(&row.name));
    let columns = rows.iter().map(|row| label(row).width()).max().unwrap_or(0).min(room / 2);
    rows.iter().map(|row| line(model, row, own, pad(&fit(&label(row), columns), columns), room)).collect()
}

fn line(model: &Model, row: &FamilyRow, own: Option<&Path>, name: String, room: usize) -> Line<'static> {
    let style = |role| model.theme().style(role);
    let mark = if own == Some(&row.path) && row.begins_at.is_none() { "▶ " } else { "  " };
    let measure = if row.measure.is_empty() { String::new() } else { format!("  {}", clean(&row.measure)) };
    let rest = format!("  {:>12}{measure}  {}", count(u64::from(row.events), "event"), clean(&row.outcome));
    let rest = fit(&rest, room.saturating_sub(mark.width() + name.width()));
    Line::from(vec![
        Span::styled(mark, style(ScreenRole::Mark)),
        Span::styled(name, style(ScreenRole::Strong)),
        Span::raw(rest),
    ])
}

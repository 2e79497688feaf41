//! The Coherence pane: the findings at this event in full, open obligations, then all findings of the log.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use crate::replay::check::Severity;
use crate::replay::finding::Finding;
use crate::replay::moment::Moment;
use crate::text::{count, fit, glyph, grouped, paragraph};
use crate::tui::action::{Action, Pane};
use crate::tui::finding_order::{listed, row_of};
use crate::tui::model::Model;
use crate::tui::theme::ScreenRole;
use crate::tui::theme::selected;

/// From this width on, both sides are next to each other.
const SIDE_BY_SIDE_COLUMNS: usize = 44;
const OBLIGATIONS_SHOWN: usize = 4;
const CHANGES_SHOWN: usize = 5;
const NOTES_SHOWN: usize = 6;

/// A line, and the finding that it lists.
type FindingRow = (Line<'static>, Option<usize>);

pub(crate) fn lines(model: &Model, area: Rect) -> Vec<Line<'static>> {
    let rows = rows(model, area);
    let first = first_row(model, area, &rows);
    rows.into_iter().skip(first).map(|(line, _)| line).collect()
}

/// The first row of the pane, such that the selected finding is visible.
fn first_row(model: &Model, area: Rect, rows: &[FindingRow]) -> usize {
    let chosen = model.chosen_finding();
    let is_above =
        model.shown().is_some_and(|moment| moment.findings.iter().any(|(number, _)| Some(*number) == chosen));
    if model.focus != Pane::Coherence || is_above {
        return 0;
    }
    let chosen = rows.iter().rposition(|(_, finding)| finding.is_some() && *finding == chosen).unwrap_or(0);
    (chosen + 1).saturating_sub(area.height as usize)
}

/// The finding on a row of the pane.
pub(crate) fn at_row(model: &Model, inside: Rect, row: usize) -> Option<usize> {
    let rows = rows(model, inside);
    rows.get(first_row(model, inside, &rows) + row).and_then(|row| row.1)
}

fn rows(model: &Model, area: Rect) -> Vec<FindingRow> {
    let width = area.width as usize;
    let mut rows = model.shown().map_or_else(Vec::new, |moment| at_event(model, moment, width));
    // Even a low pane shows some of them.
    let rest = (area.height as usize).saturating_sub(rows.len() + 1).max(3);
    rows.extend(everywhere(model, width, rest));
    rows
}

fn at_event(model: &Model, moment: &Moment, width: usize) -> Vec<FindingRow> {
    let style = |role| model.theme().style(role);
    let mut rows: Vec<FindingRow> = against_the_log(model, moment, width);
    // The worst first. A finding of severity info gets one line.
    let mut here: Vec<_> = moment.findings.iter().collect();
    here.sort_by_key(|(_, finding)| std::cmp::Reverse(finding.severity));
    for (number, finding) in here {
        if finding.severity > Severity::Info {
            rows.extend(in_full(model, finding, width).into_iter().map(|line| (line, Some(*number))));
        } else {
            rows.push((in_brief(model, finding, width, false), Some(*number)));
        }
    }
    rows.extend(notes(model, moment, width));
    if moment.findings.is_empty() {
        rows.push((Line::styled("no finding at this event", style(ScreenRole::Dim)), None));
    }
    if moment.obligation_count > 0 {
        rows.push((
            Line::styled(format!("open at this event: {}", moment.obligation_count), style(ScreenRole::Strong)),
            None,
        ));
        for open in moment.obligations.iter().take(OBLIGATIONS_SHOWN) {
            let text = fit(&format!("  {} {} since {}", open.what, open.subject, open.since), width);
            rows.push((Line::raw(text), None));
        }
        if moment.obligation_count > OBLIGATIONS_SHOWN {
            let more = grouped((moment.obligation_count - OBLIGATIONS_SHOWN) as u64);
            rows.push((Line::styled(format!("  … {more} more"), style(ScreenRole::Dim)), None));
        }
    }
    rows
}

/// The notes from the annotations about this event.
fn notes(model: &Model, moment: &Moment, width: usize) -> Vec<FindingRow> {
    let style = |role| model.theme().style(role);
    let mut rows = Vec::new();
    for note in model.debugger.notes().about(moment.at).take(NOTES_SHOWN) {
        let stretch = if note.until > note.at { format!(" {} to {}", note.at, note.until) } else { String::new() };
        let pieces = paragraph(&format!("{}{stretch}: {}", note.kind, note.text), width.saturating_sub(2));
        for (row, piece) in pieces.into_iter().enumerate() {
            let lead = if row == 0 { "✎ " } else { "  " };
            rows.push((Line::styled(format!("{lead}{piece}"), style(ScreenRole::Mark)), None));
        }
    }
    rows
}

/// The consequences of the what-if changes: findings gone and new, and fields that differ here.
fn against_the_log(model: &Model, moment: &Moment, width: usize) -> Vec<FindingRow> {
    let style = |role| model.theme().style(role);
    let Some(whatif) = model.shown_variant() else { return Vec::new() };
    let mut lines = vec![Line::styled(fit("what-if, compared with the original log", width), style(ScreenRole::Mark))];
    match &whatif.findings {
        None if whatif.original().len() != whatif.variant.original_len() => {
            let text = fit("  the log has grown since, so its findings cannot be compared", width);
            lines.push(Line::styled(text, style(ScreenRole::Dim)));
        }
        None => lines.push(Line::styled("  comparing…", style(ScreenRole::Dim))),
        Some(difference) if difference.is_empty() => {
            lines.push(Line::styled("  the same findings", style(ScreenRole::Dim)));
        }
        Some(difference) => {
            let changed = difference.changed.iter().map(|(_, now)| now);
            // A finding less is good news.
            let signed = difference.gone.iter().map(|finding| ("− gone", finding, ScreenRole::Good));
            let signed = signed.chain(difference.new.iter().map(|finding| ("+ new", finding, ScreenRole::Bad)));
            let serious: Vec<_> = signed
                .chain(changed.map(|finding| ("≠ changed", finding, ScreenRole::Finding(Severity::Warning))))
                .filter(|(_, finding, _)| finding.severity > Severity::Info)
                .collect();
            for (sign, finding, role) in serious.iter().take(CHANGES_SHOWN) {
                for piece in paragraph(&format!("{sign} {}", finding.message()), width.saturating_sub(2)) {
                    lines.push(Line::styled(format!("  {piece}"), style(*role)));
                }
            }
            if serious.len() > CHANGES_SHOWN {
                let more = format!("  … {} more", serious.len() - CHANGES_SHOWN);
                lines.push(Line::styled(more, style(ScreenRole::Dim)));
            } else if serious.is_empty() {
                lines.push(Line::styled("  only findings of severity info differ", style(ScreenRole::Dim)));
            }
        }
    }
    if let Some(step) = &whatif.step {
        let original =
            whatif.variant.origin(moment.at).and_then(|origin| whatif.original().moment(origin.original).ok());
        if let Some(original) = original.flatten() {
            for field in step.fields.iter().take(CHANGES_SHOWN) {
                let name = model.replay().vocabulary().field_name(field);
                let (is, was) = (moment.sides.brief(field, 40), original.sides.brief(field, 40));
                lines.push(Line::raw(fit(&format!("  ≠ {name}: {is}, originally {was}"), width)));
            }
        }
    }
    lines.into_iter().map(|line| (line, None)).collect()
}

/// The findings of the log around the selected one, as many as there is room for.
fn everywhere(model: &Model, width: usize, room: usize) -> Vec<FindingRow> {
    let findings = model.replay().findings();
    let serious = findings.serious();
    let sidecar = findings.list.iter().filter(|finding| finding.check.needs_sidecars()).count();
    let mut title = format!("in the log: {}", count(serious as u64, "finding"));
    if findings.list.len() > serious {
        title.push_str(&format!(", {} info", grouped((findings.list.len() - serious) as u64)));
    }
    if sidecar > 0 {
        title.push_str(&format!(", {sidecar} about its sidecars"));
    }
    let mut rows = vec![(Line::styled(fit(&title, width), model.theme().style(ScreenRole::Strong)), None)];
    let list = listed(&findings);
    let here = model.chosen_finding().and_then(|chosen| row_of(&findings, &list, chosen));
    let first = here.unwrap_or(0).saturating_sub(room.saturating_sub(1));
    for (row, (number, times)) in list.into_iter().enumerate().skip(first).take(room) {
        let finding = &findings.list[number];
        let line =
            if times > 1 { of_check(model, finding, times, width) } else { in_brief(model, finding, width, true) };
        rows.push((selected(line, Some(row) == here && model.focus == Pane::Coherence, width), Some(number)));
    }
    rows
}

/// Several findings of severity info of one check, on one line.
fn of_check(model: &Model, first: &Finding, times: usize, width: usize) -> Line<'static> {
    let style = |role| model.theme().style(role);
    let times = format!("{:>5} ", format!("×{}", grouped(times as u64)));
    let room = width.saturating_sub(times.width() + 3);
    Line::from(vec![
        Span::styled(format!(" {} ", glyph(first.severity)), style(ScreenRole::Finding(first.severity))),
        Span::styled(times, style(ScreenRole::Dim)),
        Span::styled(fit(&format!("{}: {}", first.check.id, first.message()), room), style(ScreenRole::Dim)),
    ])
}

/// A finding on one line.
fn in_brief(model: &Model, finding: &Finding, width: usize, with_place: bool) -> Line<'static> {
    let style = |role| model.theme().style(role);
    let place = if with_place { format!("{:>5} ", finding.at[0]) } else { String::new() };
    let room = width.saturating_sub(place.width() + 3);
    Line::from(vec![
        Span::styled(format!(" {} ", glyph(finding.severity)), style(ScreenRole::Finding(finding.severity))),
        Span::styled(place, style(ScreenRole::Dim)),
        Span::raw(fit(&finding.message(), room)),
    ])
}

/// A finding in full, with the expected and actual values.
fn in_full(model: &Model, finding: &Finding, width: usize) -> Vec<Line<'static>> {
    let style = |role| model.theme().style(role);
    let mut lines = vec![Line::styled(
        fit(&format!("{} {}", glyph(finding.severity), finding.check.id), width),
        style(ScreenRole::Finding(finding.severity)),
    )];
    for piece in paragraph(&finding.message(), width.saturating_sub(2)) {
        lines.push(Line::raw(format!("  {piece}")));
    }
    lines.extend(both_sides(model, finding, width));
    const PLACES_SHOWN: usize = 6;
    let mut places: Vec<String> = finding.at.iter().take(PLACES_SHOWN).map(ToString::to_string).collect();
    if finding.at.len() > PLACES_SHOWN {
        places.push(format!("and {} more", finding.at.len() - PLACES_SHOWN));
    }
    let text = format!("  at {} · {} explains it", places.join(", "), model.key(Action::Explain));
    lines.push(Line::styled(fit(&text, width), style(ScreenRole::Dim)));
    lines
}

/// Expected and actual: side by side if there is room, otherwise one below the other. Nothing is cut.
fn both_sides(model: &Model, finding: &Finding, width: usize) -> Vec<Line<'static>> {
    let style = |role| model.theme().style(role);
    if width < SIDE_BY_SIDE_COLUMNS {
        let sides =
            [("expected", &finding.expected, ScreenRole::Expected), ("actual  ", &finding.actual, ScreenRole::Actual)];
        let lines = sides.into_iter().flat_map(|(name, text, role)| {
            let pieces = paragraph(text, width.saturating_sub(11));
            let line = move |(row, piece): (usize, String)| {
                let lead = if row == 0 { name } else { "        " };
                let spans =
                    vec![Span::styled(format!("  {lead} "), style(ScreenRole::Dim)), Span::styled(piece, style(role))];
                Line::from(spans)
            };
            pieces.into_iter().enumerate().map(line)
        });
        return lines.collect();
    }
    let column = (width - 2) / 2;
    let expected = paragraph(&finding.expected, column - 2);
    let actual = paragraph(&finding.actual, column - 2);
    let head = |name: &str| format!("{name:<column$}");
    let mut lines = vec![Line::styled(
        format!("  {}{}", head("expected"), head("actual")).trim_end().to_owned(),
        style(ScreenRole::Dim),
    )];
    for row in 0..expected.len().max(actual.len()) {
        let piece = |side: &[String]| side.get(row).cloned().unwrap_or_default();
        let left = crate::text::pad(&piece(&expected), column);
        lines.push(Line::from(vec![
            Span::raw("  "),
            Span::styled(left, style(ScreenRole::Expected)),
            Span::styled(piece(&actual), style(ScreenRole::Actual)),
        ]));
    }
    lines
}

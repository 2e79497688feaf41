//! Search hits in drawn lines: every line that is on the screen shows where the pattern matches it.

use std::ops::Range;

use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::theme::{ScreenRole, Theme};
use crate::replay::search::Pattern;

/// Marks the matches of a pattern in a line.
pub(crate) fn matches(line: Line<'static>, pattern: &Pattern, theme: Theme) -> Line<'static> {
    let text: String = line.spans.iter().map(|span| span.content.as_ref()).collect();
    let hits: Vec<Range<usize>> = pattern.find_all(text.as_bytes()).collect();
    if hits.is_empty() { line } else { mark(line, &hits, theme) }
}

/// Marks ranges of a line's text, in bytes, ascending. In a selected line they are left out of its bar.
pub(crate) fn mark(line: Line<'static>, hits: &[Range<usize>], theme: Theme) -> Line<'static> {
    let whole = line.style;
    let mut spans = Vec::with_capacity(line.spans.len() + 2 * hits.len());
    let mut from = 0;
    for span in line.spans {
        let style = whole.patch(span.style);
        let hit_style = match style.add_modifier.contains(Modifier::REVERSED) {
            true => Style::default().add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
            false => theme.style(ScreenRole::Hit),
        };
        cut(&span.content, from, hits, [style, hit_style], &mut spans);
        from += span.content.len();
    }
    Line::from(spans)
}

/// Splits a piece of a line, which begins at byte `from`, where hits begin and end.
fn cut(text: &str, from: usize, hits: &[Range<usize>], [style, hit_style]: [Style; 2], out: &mut Vec<Span<'static>>) {
    let mut at = 0;
    for hit in hits {
        let begin = hit.start.saturating_sub(from).clamp(at, text.len());
        let end = hit.end.saturating_sub(from).clamp(begin, text.len());
        let (Some(before), Some(found)) = (text.get(at..begin), text.get(begin..end)) else { continue };
        for (piece, style) in [(before, style), (found, hit_style)] {
            if !piece.is_empty() {
                out.push(Span::styled(piece.to_owned(), style));
            }
        }
        at = end;
    }
    if let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        out.push(Span::styled(rest.to_owned(), style));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::search::Scope;
    use crate::tui::theme::selected;

    fn parts(line: &Line<'_>) -> Vec<(String, bool)> {
        let is_hit = |style: Style| style.add_modifier.intersects(Modifier::REVERSED | Modifier::UNDERLINED);
        line.spans.iter().map(|span| (span.content.to_string(), is_hit(span.style))).collect()
    }

    #[test]
    fn hits_are_marked_across_spans_and_in_the_selection() {
        let pattern = Pattern::parse("b+", Scope::RECORDS).expect("a pattern");
        let line = || Line::from(vec![Span::raw("ab"), Span::raw("bc 日b")]);
        let part = |text: &str, is_hit| (text.to_owned(), is_hit);
        let marked = matches(line(), &pattern, Theme::default());
        let expected = [("a", false), ("b", true), ("b", true), ("c 日", false), ("b", true)];
        assert_eq!(parts(&marked), expected.map(|(text, is_hit)| part(text, is_hit)));
        let bar = matches(selected(line(), true, 10), &pattern, Theme::default());
        let underlined: Vec<&str> = bar
            .spans
            .iter()
            .filter(|span| span.style.add_modifier.contains(Modifier::UNDERLINED))
            .map(|span| span.content.as_ref())
            .collect();
        assert_eq!(underlined, ["bb", "b"]);
    }
}

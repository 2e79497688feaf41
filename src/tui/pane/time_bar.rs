//! The time in the strip: who took it in each column of the log, in total, and in the step at the playhead.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr;

use crate::replay::Seq;
use crate::replay::caption::duration;
use crate::replay::time_shares::{TimeShares, cells};
use crate::replay::vocabulary::Concern;
use crate::text::{fit, pad};
use crate::tui::model::Model;
use crate::tui::theme::{Palette, ScreenRole};

/// Draws the bars of the whole log and of the step at the playhead on the last row. Returns the rest of the strip.
pub(super) fn draw(model: &Model, frame: &mut Frame<'_>, area: Rect) -> Rect {
    let Some(time) = model.shown_time().filter(|_| area.height > 1) else { return area };
    let step = time.step(model.at());
    let width = usize::from(area.width);
    let left = if step.is_some() { width * 3 / 5 } else { width };
    let mut spans = bar(model, time, "all", &time.total, left);
    if let Some(step) = step {
        spans.push(Span::raw("  "));
        spans.extend(bar(model, time, "step", step, width.saturating_sub(left + 2)));
    }
    let last = Rect { y: area.bottom() - 1, height: 1, ..area };
    frame.render_widget(Paragraph::new(Line::from(spans)), last);
    Rect { height: area.height - 1, ..area }
}

/// A bar of so many columns, with a word and the sum before it. Each part has its name and its share if they fit.
fn bar(model: &Model, time: &TimeShares, word: &str, shares: &[u64], width: usize) -> Vec<Span<'static>> {
    let sum: u64 = shares.iter().sum();
    let lead = format!("{word} {} ", duration(sum / 1_000));
    let mut spans = vec![Span::styled(fit(&lead, width), model.theme().style(ScreenRole::Dim))];
    let widths = cells(shares, width.saturating_sub(lead.width()));
    for (index, columns) in widths.into_iter().enumerate().filter(|(_, columns)| *columns > 0) {
        let party = &time.parties[index];
        let whole = u128::from(sum.max(1));
        let percent = (u128::from(shares[index]) * 100 + whole / 2) / whole;
        let bound = if time.is_measured(index) { "" } else { "≤" };
        let label =
            [format!(" {} {bound}{percent} %", party.name), format!(" {}", party.name), party.letter.to_owned()]
                .into_iter()
                .find(|label| label.width() < columns)
                .unwrap_or_else(|| party.letter.to_owned());
        let style = model.theme().style(role(party.concern)).add_modifier(Modifier::REVERSED);
        // Without colours, the gap parts a bar from the next one.
        spans.push(Span::styled(pad(&label, columns - 1), style));
        spans.push(if columns > 1 { Span::raw(" ") } else { Span::styled(party.letter, style) });
    }
    spans
}

const fn role(concern: Concern) -> ScreenRole {
    match concern {
        Concern::Model => ScreenRole::Name,
        Concern::Tool => ScreenRole::Number,
        Concern::User => ScreenRole::Text,
        Concern::Rule => ScreenRole::Bad,
        _ => ScreenRole::Dim,
    }
}

/// The time in one column of the strip.
pub(super) struct TimeColumn {
    /// `None` if nothing took time.
    pub height: Option<usize>,
    /// Says who took most of it where there are no colours.
    pub letter: Option<&'static str>,
    pub role: ScreenRole,
}

/// For each column of the strip, how long its events took, and who took most of it.
pub(super) fn columns(model: &Model, highest: usize) -> Option<Vec<TimeColumn>> {
    let time = model.shown_time()?;
    let overview = &model.overview;
    let mut spent = vec![vec![0_u64; time.parties.len()]; overview.columns.len()];
    for (at, party, took) in &time.waits {
        // With fewer events than columns, an event spans several of them.
        let (from, next) = (overview.column(*at), overview.column(Seq(at.0.saturating_add(1))));
        for column in from..next.max(from + 1).min(spent.len()) {
            spent[column][*party] = spent[column][*party].saturating_add(*took);
        }
    }
    let most = spent.iter().map(|column| column.iter().sum::<u64>()).max().unwrap_or(0);
    let is_plain = model.theme().palette == Palette::Plain;
    let column = |column: &Vec<u64>| {
        let sum: u64 = column.iter().sum();
        let greatest = (0..column.len()).max_by_key(|party| (column[*party], std::cmp::Reverse(*party)));
        let party = greatest.filter(|_| sum > 0).map(|party| &time.parties[party]);
        TimeColumn {
            height: party.map(|_| height(sum, most, highest)),
            letter: party.filter(|_| is_plain).map(|party| party.letter),
            role: party.map_or(ScreenRole::Dim, |party| role(party.concern)),
        }
    };
    Some(spent.iter().map(column).collect())
}

/// The height of a bar, on a logarithmic scale from 10 ms: most steps are short beside the longest.
fn height(microseconds: u64, most: u64, highest: usize) -> usize {
    let log = |time: u64| ((time / 10_000 + 1) as f64).ln();
    let whole = log(most);
    if whole <= 0.0 { 0 } else { (log(microseconds) / whole * highest as f64).round() as usize }
}

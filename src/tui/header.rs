//! The first line: what happened in the run, what is wrong with its log, and at the right the position.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr;

use super::model::Model;
use super::theme::ScreenRole;
use crate::compare::run::Side;
use crate::replay::caption::duration;
use crate::replay::check::Severity;
use crate::replay::ending::{Ending, EndingKind};
use crate::replay::timeline::Replay;
use crate::text::{clean, count, fit, glyph, grouped};

/// Texts with their roles.
type HeaderWords = Vec<(String, ScreenRole)>;

/// A part, and its rank: parts of a higher rank are omitted first if the line is too narrow.
struct HeaderPart {
    rank: u8,
    words: HeaderWords,
}

impl HeaderPart {
    fn new(rank: u8, text: String, role: ScreenRole) -> HeaderPart {
        HeaderPart { rank, words: vec![(text, role)] }
    }

    fn width(&self) -> usize {
        width(&self.words)
    }
}

fn width(words: &HeaderWords) -> usize {
    words.iter().map(|(text, _)| text.width()).sum()
}

const BETWEEN: &str = " · ";
/// An ending is shortened to this before the verdict is.
const ENDING_COLUMNS: usize = 36;

pub(crate) fn draw(model: &Model, frame: &mut Frame<'_>, area: Rect) {
    let style = |role| model.theme().style(role);
    let place = place(model);
    let room = (area.width as usize).saturating_sub(place.width() + 2);
    let mut spans = Vec::new();
    for (number, part) in parts(model, room).into_iter().enumerate() {
        if number > 0 {
            spans.push(Span::styled(BETWEEN, style(ScreenRole::Dim)));
        }
        spans.extend(part.words.into_iter().map(|(text, role)| Span::styled(text, style(role))));
    }
    let columns = [Constraint::Min(0), Constraint::Length(place.width() as u16)];
    let [left_area, right_area] = Layout::horizontal(columns).areas(area);
    frame.render_widget(Paragraph::new(Line::from(spans)), left_area);
    frame.render_widget(Paragraph::new(Span::styled(place, style(ScreenRole::Strong))), right_area);
}

/// The number of the current event, which all commands take, and its place in the log.
fn place(model: &Model) -> String {
    let (at, events) = (u64::from(model.at().0), u64::from(model.replay().len()));
    let more = if model.progress.at_end { "" } else { "…" };
    match events {
        0 => "no event".to_owned(),
        _ => format!("#{} · event {} of {}{more}", grouped(at), grouped(at + 1), grouped(events)),
    }
}

/// File, form, ending, verdict, then what is less important. What does not fit is shortened or omitted.
fn parts(model: &Model, room: usize) -> Vec<HeaderPart> {
    const NAME: usize = 0;
    const ENDING: usize = 2;
    const VERDICT: usize = 3;
    let moment = model.shown();
    let moment_of_step = moment.filter(|_| model.replay().vocabulary().has_steps);
    let step = moment_of_step.map_or_else(String::new, |moment| format!("step {}", grouped(u64::from(moment.step))));
    let turn = moment.and_then(|moment| moment.turn.as_deref()).map(|turn| format!("turn {}", fit(turn, 24)));
    // The name of the file is more useful than its folder.
    let own = model.opening.name.rsplit('/').next().unwrap_or(&model.opening.name);
    let trail = model.opening.trail.iter().map(String::as_str);
    let name = clean(&trail.chain([own]).collect::<Vec<_>>().join(" › "));
    let dim = |rank, text: String| HeaderPart::new(rank, text, ScreenRole::Dim);
    let mut parts = vec![
        HeaderPart::new(0, name, ScreenRole::Strong),
        HeaderPart::new(0, form_text(model), ScreenRole::Mark),
        HeaderPart { rank: 0, words: endings(model) },
        HeaderPart { rank: 0, words: verdict(model, false) },
        dim(1, step),
        dim(2, turn.unwrap_or_default()),
        dim(3, model.opening.dialect.to_owned()),
    ];
    let needed = |parts: &[HeaderPart]| -> usize {
        let filled = parts.iter().filter(|part| part.rank == 0 && part.width() > 0);
        filled.map(|part| part.width() + BETWEEN.width()).sum()
    };
    // The beginning of an ending says what failed; the verdict is worth more than the rest of it.
    let cut = parts[ENDING].width().saturating_sub(ENDING_COLUMNS);
    if needed(&parts) - cut > room + BETWEEN.width() {
        parts[VERDICT].words = verdict(model, true);
    }
    // However long the name and the ending are, a part of each stays visible.
    let both = room.saturating_sub(needed(&parts) - BETWEEN.width() - parts[NAME].width() - parts[ENDING].width());
    let name_columns = parts[NAME].width().min((both / 2).max(both.saturating_sub(parts[ENDING].width())));
    shorten(&mut parts[ENDING].words, both.saturating_sub(name_columns));
    shorten(&mut parts[NAME].words, name_columns);
    parts.retain(|part| part.width() > 0);
    let width = |parts: &[HeaderPart]| parts.iter().map(|part| part.width() + BETWEEN.width()).sum::<usize>();
    for least in (1..=3).rev() {
        if width(&parts) > room + BETWEEN.width() {
            parts.retain(|part| part.rank < least);
        }
    }
    parts
}

/// Cuts words, which have separators in between, to equal parts of a width.
fn shorten(words: &mut HeaderWords, columns: usize) {
    if width(words) > columns {
        let texts = words.len().div_ceil(2);
        let each = columns.saturating_sub(BETWEEN.width() * (texts - 1)) / texts;
        words.iter_mut().step_by(2).for_each(|(text, _)| *text = fit(text, each));
    }
}

/// How the run of the log stands at its end, once the log has been read; while comparing, how both stand.
fn endings(model: &Model) -> HeaderWords {
    let Some(ending) = model.ending.as_ref().filter(|_| model.progress.at_end) else { return HeaderWords::new() };
    let other = model.compared().and_then(|compared| compared.right_ending.as_ref());
    let words = |ending| ending_words(ending, model.clock.filter(|_| model.follows));
    let [left, right] = [Some(ending), other].map(|ending| ending.map(words));
    let between = right.is_some().then(|| (" │ ".to_owned(), ScreenRole::Dim));
    left.into_iter().chain(between).chain(right).collect()
}

fn ending_words(ending: &Ending, now: Option<i64>) -> (String, ScreenRole) {
    let waits = ending.waiting.zip(now);
    let lasts = waits.map_or_else(String::new, |(waiting, now)| format!(" for {}", whole_seconds(waiting.lasts(now))));
    let role = match ending.outcome {
        _ if waits.is_some_and(|(waiting, now)| waiting.is_long(now)) => ScreenRole::Finding(Severity::Error),
        EndingKind::Done => ScreenRole::Good,
        EndingKind::Failed => ScreenRole::Finding(Severity::Error),
        EndingKind::Open => ScreenRole::Finding(Severity::Warning),
    };
    (format!("{}{lasts}", clean(&ending.words)), role)
}

/// A duration that changes once a second.
fn whole_seconds(milliseconds: u64) -> String {
    match milliseconds / 1_000 {
        seconds @ 0..60 => format!("{seconds} s"),
        _ => duration(milliseconds),
    }
}

/// The form that is shown instead of the original log.
fn form_text(model: &Model) -> String {
    if let Some(minimizing) = model.shown_minimum() {
        let whole = minimizing.done().map_or(0, |done| done.whole.events as u64);
        return format!("minimized from {}", count(whole, "event"));
    }
    let Some(whatif) = model.whatif.as_ref().filter(|whatif| whatif.variant.is_changed()) else { return String::new() };
    let changes = count(whatif.variant.changes().len() as u64, "change");
    let shows_original = whatif.changed().is_some() && !model.shows_variant();
    match (whatif.pending.is_some(), shows_original) {
        (true, _) => format!("what-if: replaying {changes}…"),
        (_, true) => format!("original; the variant has {changes}"),
        _ => format!("what-if: {changes}"),
    }
}

/// What the checks say of the log, or of both logs while they are compared.
fn verdict(model: &Model, is_short: bool) -> HeaderWords {
    let mut words = verdict_of(model, model.replay(), model.ending.as_ref(), is_short);
    if let Some(compared) = model.compared() {
        words.push((" │ ".to_owned(), ScreenRole::Dim));
        words.extend(verdict_of(model, compared.replay(Side::Right), compared.right_ending.as_ref(), is_short));
    }
    words
}

/// `1 critical, 2 warnings`, or `‼1 △2`.
fn verdict_of(model: &Model, replay: &dyn Replay, ending: Option<&Ending>, is_short: bool) -> HeaderWords {
    let findings = replay.findings();
    let mut words: HeaderWords = Vec::new();
    for severity in Severity::ALL.into_iter().rev().filter(|severity| *severity > Severity::Info) {
        let number = findings.list.iter().filter(|finding| finding.severity == severity).count() as u64;
        let text = match (is_short, severity) {
            _ if number == 0 => continue,
            (true, _) => format!("{}{}", glyph(severity), grouped(number)),
            (false, Severity::Critical) => format!("{} {} critical", glyph(severity), grouped(number)),
            (false, _) => format!("{} {}", glyph(severity), count(number, severity.name())),
        };
        if !words.is_empty() {
            words.push((if is_short { " " } else { ", " }.to_owned(), ScreenRole::Dim));
        }
        words.push((text, ScreenRole::Finding(severity)));
    }
    if !words.is_empty() {
        return words;
    }
    let failed = ending.is_some_and(Ending::is_failure);
    vec![match (model.progress.at_end, failed, is_short) {
        (false, ..) => ("reading…".to_owned(), ScreenRole::Dim),
        // Green would be taken for the run.
        (true, true, false) => ("log is consistent".to_owned(), ScreenRole::Text),
        (true, true, true) => ("no findings".to_owned(), ScreenRole::Text),
        (true, false, false) => ("✓ log is consistent".to_owned(), ScreenRole::Good),
        (true, false, true) => ("✓ log".to_owned(), ScreenRole::Good),
    }]
}

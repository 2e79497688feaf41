//! A row of a list of events: its parts, and their arrangement in a width.

use ratatui::text::Span;
use unicode_width::UnicodeWidthStr;

use crate::replay::caption::{Caption, Outcome};
use crate::replay::timeline::{CallStory, EventLine};
use crate::replay::vocabulary::{Concern, KindId, Vocabulary};
use crate::text::{clean, count, fit, pad};
use crate::tui::glyph;
use crate::tui::theme::{ScreenRole, Theme};

/// Subjects begin their texts in one column, unless they are longer.
const SUBJECT_COLUMNS: usize = 10;
/// A measure may take this part of a row; the text matters more.
const MEASURE_PART: usize = 4;
const BETWEEN: &str = " → ";

/// What a row says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RowText {
    pub outcome: Option<Outcome>,
    pub concern: Option<Concern>,
    pub caption: Caption,
}

impl RowText {
    /// An event, told with the call that it belongs to. In a folded list, the first event of a call tells all of it.
    pub(crate) fn of(vocabulary: &Vocabulary, line: &EventLine, story: Option<&CallStory>, is_folded: bool) -> RowText {
        let EventLine { row, caption, .. } = line;
        let concern = vocabulary.concern(row.kind);
        let short = vocabulary.short_name(row.kind);
        let call = vocabulary.call.as_ref();
        let begins = call.is_some_and(|call| call.begins == row.kind);
        let begin = story.and_then(|story| story.begin.as_ref()).map(|(_, begin)| begin);
        let (outcome, caption) = match (story, begin) {
            (Some(story), Some(begin)) if begins && is_folded => {
                let end = story.end.as_ref();
                let running = story.is_open.then_some(Outcome::Running);
                let outcome = end.and_then(|end| end.outcome).or(running);
                (outcome, end.map_or_else(|| begin.clone(), |end| begin.clone().ending_with(&end.caption)))
            }
            (_, Some(begin)) if begins || call.is_some_and(|call| call.continues(row.kind)) => {
                let asked = [begin.subject.as_str(), begin.text.as_str()].join(" ");
                (row.outcome, Caption { subject: short.to_owned(), text: asked, ..caption.clone() })
            }
            _ if caption.subject.is_empty() => (row.outcome, Caption { subject: short.to_owned(), ..caption.clone() }),
            _ => (row.outcome, caption.clone()),
        };
        RowText { outcome, concern, caption }
    }

    /// Successive routine events: `12 clock reads, 3 cache look-ups`.
    pub(crate) fn of_routine(vocabulary: &Vocabulary, counts: &[(KindId, u32)]) -> RowText {
        let noun = |kind| vocabulary.routine(kind).unwrap_or("event");
        let words: Vec<String> = counts.iter().map(|(kind, number)| count(u64::from(*number), noun(*kind))).collect();
        let concern = counts.first().and_then(|(kind, _)| vocabulary.concern(*kind));
        RowText { outcome: None, concern, caption: Caption::new(words.join(", "), "").minor() }
    }

    pub(crate) fn glyph(&self) -> &'static str {
        self.outcome.map_or_else(|| glyph::of_concern(self.concern), glyph::of_outcome)
    }

    pub(crate) fn glyph_role(&self) -> ScreenRole {
        self.outcome.map_or(ScreenRole::Concern(self.concern), ScreenRole::Outcome)
    }

    fn is_failure(&self) -> bool {
        self.outcome.is_some_and(Outcome::is_failure)
    }

    fn subject_role(&self) -> ScreenRole {
        match (self.is_failure(), self.caption.is_minor, self.concern) {
            (true, ..) => ScreenRole::Bad,
            (_, true, _) => ScreenRole::Dim,
            (_, _, concern @ Some(Concern::Model | Concern::User)) => ScreenRole::Concern(concern),
            _ => ScreenRole::Text,
        }
    }

    fn result_role(&self) -> ScreenRole {
        match self.outcome {
            Some(outcome) if outcome.is_failure() => ScreenRole::Bad,
            Some(Outcome::Running) => ScreenRole::Outcome(Outcome::Running),
            _ => ScreenRole::Dim,
        }
    }

    /// The glyph, the subject, the text with its result, then at the right the ids and the measure, in exactly this
    /// many columns. `alone` replaces the colours of an event that only one of two logs has.
    pub(crate) fn spans(&self, theme: Theme, columns: usize, alone: Option<ScreenRole>) -> Vec<Span<'static>> {
        let style = |role| theme.style(alone.unwrap_or(role));
        let Caption { subject, text, result, measure, ids, is_minor } = &self.caption;
        let room = columns.saturating_sub(2);
        let measure = match measure.is_empty() || measure.width() > room / MEASURE_PART {
            true => String::new(),
            false => format!(" {}", clean(measure)),
        };
        let room = room.saturating_sub(measure.width());
        let subject = fit(
            subject,
            if text.is_empty() && result.is_empty() { room } else { (room / 2).max(SUBJECT_COLUMNS).min(room) },
        );
        let subject = pad(&subject, SUBJECT_COLUMNS.min(room));
        let blank = if subject.width() < room { " " } else { "" };
        let room = room.saturating_sub(subject.width() + blank.len());
        let is_whole = clean(text).width() + BETWEEN.width() + clean(result).width() <= room;
        let (text, result) = self.shared(text, result, room);
        let between = if text.is_empty() || result.is_empty() { "" } else { BETWEEN };
        let room = room.saturating_sub(text.width() + between.width() + result.width());
        let ids = clean(ids);
        let ids = if is_whole && room >= ids.width() + 2 { ids } else { String::new() };
        let gap = " ".repeat(room.saturating_sub(ids.width()));
        let text_role = if *is_minor { ScreenRole::Dim } else { ScreenRole::Text };
        vec![
            Span::styled(self.glyph(), style(self.glyph_role())),
            Span::raw(" "),
            Span::styled(subject, style(self.subject_role())),
            Span::raw(blank),
            Span::styled(text, style(text_role)),
            Span::styled(between, theme.style(ScreenRole::Dim)),
            Span::styled(result, style(self.result_role())),
            Span::raw(gap),
            Span::styled(ids, theme.style(ScreenRole::Dim)),
            Span::styled(measure, theme.style(ScreenRole::Dim)),
        ]
    }

    /// The text and the result, cut so that both fit. What went wrong matters more than what was asked.
    fn shared(&self, text: &str, result: &str, room: usize) -> (String, String) {
        let (text, result) = (fit(text, room), fit(result, room));
        let together = text.width() + BETWEEN.width() + result.width();
        if text.is_empty() || result.is_empty() || together <= room {
            return (text, result);
        }
        const LEAST_RESULT: usize = 8;
        let text = match self.is_failure() {
            true => fit(&text, (room * 2 / 5).max(room.saturating_sub(BETWEEN.width() + result.width()))),
            false => text,
        };
        match room.saturating_sub(text.width() + BETWEEN.width()) {
            left if left < LEAST_RESULT.min(result.width()) && !self.is_failure() => (text, String::new()),
            left if left < LEAST_RESULT.min(result.width()) => (String::new(), fit(&result, room)),
            left => (text, fit(&result, left)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(row: &RowText, columns: usize) -> String {
        let spans = row.spans(Theme::default(), columns, None);
        let text: String = spans.iter().map(|span| span.content.as_ref()).collect();
        assert_eq!(text.width(), columns, "{text:?}");
        text
    }

    fn call(outcome: Outcome, result: &str) -> RowText {
        let caption = Caption::new("edit_file", "src/dates.rs search=x").result(result).measure("22 ms").ids("call-5");
        RowText { outcome: Some(outcome), concern: Some(Concern::Tool), caption }
    }

    #[test]
    fn what_went_wrong_gets_more_room_than_what_was_asked() {
        let row = call(Outcome::Error, "the text to replace was not found in src/dates.rs");
        assert_eq!(drawn(&row, 44), "✗ edit_file  src/dates… → the text to… 22 ms");
        assert_eq!(
            drawn(&row, 110),
            "✗ edit_file  src/dates.rs search=x → the text to replace was not found in src/dates.rs            call-5 22 ms"
        );
        assert_eq!(drawn(&row, 12), "✗ edit_file ");
    }

    #[test]
    fn a_success_keeps_what_was_asked() {
        let row = call(Outcome::Success, "1 replacement");
        assert_eq!(drawn(&row, 44), "✓ edit_file  src/dates.rs search=x     22 ms");
        assert_eq!(drawn(&row, 62), "✓ edit_file  src/dates.rs search=x → 1 replacement       22 ms");
    }

    #[test]
    fn a_row_has_its_width_whatever_it_says() {
        for subject in ["", "x", "日本語の道具の名前"] {
            for text in ["", "do", "日本語のテキスト、そして"] {
                for result in ["", "no", "\u{1b}[2J"] {
                    let caption = Caption::new(subject, text).result(result).measure("1 ms").ids("id");
                    let row = RowText { outcome: None, concern: None, caption };
                    (13..80).for_each(|columns| drop(drawn(&row, columns)));
                }
            }
        }
    }
}

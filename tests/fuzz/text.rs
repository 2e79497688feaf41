//! Text for terminals: whatever a log says, what is printed of it is harmless and fits. And the user's own files.

use unicode_width::UnicodeWidthStr;

use crate::replay::bookmark::Bookmarks;
use crate::replay::finding::{escape_into, is_hostile};
use crate::text::wrap::{WrapLimits, wrap};
use crate::text::{MARKS_KEPT, clean, clean_lines, fit, fit_middle, harmless, paragraph};
use crate::tui::config::parse;

fn assert_harmless(text: &str) {
    assert!(!text.contains(is_hostile), "{text:?}");
}

/// The first byte of an input is the width.
pub(super) fn target(input: &[u8]) {
    let [columns, text @ ..] = input else { return };
    let columns = usize::from(*columns);
    let text = &*String::from_utf8_lossy(text);
    let cleaned = clean(text);
    assert_harmless(&cleaned);
    assert_eq!(clean(&cleaned), cleaned, "cleaning twice changes nothing");
    let mut escaped = String::new();
    escape_into(text, &mut escaped);
    assert_harmless(&escaped);
    clean_lines(text).split('\n').for_each(assert_harmless);
    for fitted in [fit(text, columns), fit_middle(text, columns)] {
        assert_harmless(&fitted);
        assert!(fitted.width() <= columns, "{fitted:?} in {columns} columns");
        assert!(cleaned.width() > columns || fitted == cleaned);
    }
    let lines = paragraph(text, columns);
    lines.iter().for_each(|line| assert_harmless(line));
    wraps(text, columns);
    let json = serde_json::Value::from(text).to_string();
    let safe = harmless(json);
    assert_harmless(&safe);
    assert_eq!(serde_json::from_str::<String>(&safe).ok().as_deref(), Some(text), "an escape has the same meaning");
}

fn wraps(text: &str, columns: usize) {
    let room = WrapLimits { first_columns: columns, columns, lines: 40, characters: 4000 };
    let lines = wrap(&mut text.chars(), room);
    // The last character may be spelled out, with as many columns as `\u{10ffff}`.
    assert!(lines.len() <= room.lines + 10 && lines.first().is_some_and(|line| line.begins));
    for line in &lines {
        assert_harmless(&line.text);
        let is_narrow = line.text.width() <= columns.max(1) || line.text.chars().count() <= MARKS_KEPT + 2;
        assert!(is_narrow, "{:?} in {columns} columns", line.text);
    }
}

/// A configuration or bookmarks of any bytes: read, or refused with a reason that can be shown.
pub(super) fn settings(input: &[u8]) {
    match Bookmarks::from_json(input) {
        Ok(bookmarks) => {
            let written = bookmarks.to_json().expect("JSON");
            assert!(Bookmarks::from_json(&written).is_ok_and(|again| again == bookmarks), "bookmarks are kept");
        }
        Err(unreadable) => assert!(!unreadable.reason.is_empty()),
    }
    let Ok(text) = std::str::from_utf8(input) else { return };
    match (parse(text), parse(text)) {
        (Ok(_), Ok(_)) => {}
        (Err(one), Err(two)) => {
            assert_eq!(one.reason, two.reason);
            assert!(!one.reason.is_empty() && one.place.line <= text.split('\n').count());
        }
        _ => panic!("read once, refused once"),
    }
}

//! Outlines of sessions: any bytes have one or none, and parts of a file never invent a first prompt.

use crate::agent::outline::{Excerpt, outline};

/// The first two bytes choose how much is read at each end; the rest is the session.
pub(super) fn target(input: &[u8]) {
    let [head, tail, text @ ..] = input else { return };
    let whole = outline(&Excerpt { head: text, tail: None });
    assert_eq!(whole, outline(&Excerpt { head: text, tail: None }), "reading twice gives the same");
    let part = |share: u8| text.len() * usize::from(share) / 255;
    let (head, tail) = (&text[..part(*head)], &text[text.len() - part(*tail)..]);
    let Some(found) = outline(&Excerpt { head, tail: Some(tail) }) else { return };
    assert!(found.findings.is_none(), "the findings of a file that was not read whole");
    let length = |text: &Option<Box<str>>| text.as_ref().map_or(0, |text| text.chars().count());
    assert!([&found.prompt, &found.answer, &found.title, &found.cwd].into_iter().all(|text| length(text) <= 601));
    // With no line in common, both parts may tell of different formats; otherwise the whole decides.
    if head.len() == text.len()
        && text.ends_with(b"\n")
        && let Some(whole) = whole
        && whole.format == found.format
    {
        assert_eq!(whole.prompt, found.prompt, "the whole file was read");
    }
}

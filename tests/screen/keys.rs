//! Every key of the table and every command, as (row, keys, expected place, mode or text).
//!
//! `@` is replaced by the row's own key: a case is tried with each of them, and once without, where it must not hold.

mod anything;
mod cases;
mod mouse;

use std::collections::BTreeSet;

use crate::tests::bench::{Bench, DEMO};
use cases::{CASES, COMMAND_CASES};
use stepback::replay::bookmark::BookmarkEdit;
use stepback::tui::action::{ListKind, Pane};
use stepback::tui::command::COMMANDS;
use stepback::tui::key::KEYS;
use stepback::tui::model::InputMode;
use stepback::tui::request::Request;
use stepback::tui::typing::PromptKind;

pub(super) struct Case {
    /// The row of the table, or the command.
    row: &'static str,
    log: &'static str,
    keys: &'static str,
    then: Then,
}

/// What is expected.
pub(super) enum Then {
    At(u32),
    Focus(Pane),
    /// Where keys go.
    Mode(&'static str),
    /// A part of the message to the user.
    Says(&'static str),
    /// A text on the screen.
    Shows(&'static str),
    /// The last request.
    Requests(fn(&Request) -> bool),
    /// The text of the prompt or the editor.
    Typed(&'static str),
    Is(fn(&Bench) -> bool),
    Over,
}

impl Then {
    fn holds(&self, bench: &Bench) -> bool {
        let model = &bench.model;
        match self {
            Then::At(at) => model.at().0 == *at,
            Then::Focus(pane) => model.focus == *pane,
            Then::Mode(name) => mode(&model.mode) == *name,
            Then::Says(text) => {
                let trouble = match &model.mode {
                    InputMode::Prompt(prompt) => prompt.trouble.as_ref(),
                    _ => None,
                };
                model.message.as_ref().or(trouble).is_some_and(|message| message.contains(text))
            }
            Then::Shows(text) => bench.frame().contains(text),
            Then::Requests(is) => bench.requests.last().is_some_and(is),
            Then::Typed(text) => match &model.mode {
                InputMode::Prompt(prompt) => prompt.typed() == *text,
                InputMode::Editor(editor) => editor.typed() == *text,
                _ => false,
            },
            Then::Is(is) => is(bench),
            Then::Over => model.is_over,
        }
    }
}

fn mode(mode: &InputMode) -> &'static str {
    match mode {
        InputMode::Normal => "normal",
        InputMode::Prompt(prompt) => match prompt.kind {
            PromptKind::Search => "search",
            PromptKind::SearchWithin => "search within",
            PromptKind::Command => "command",
            PromptKind::Palette => "palette",
            PromptKind::Break => "break",
            PromptKind::Minimized => "minimized",
            PromptKind::Repaired => "repaired",
            PromptKind::Pack => "pack",
            PromptKind::Pattern => "pattern",
        },
        InputMode::Editor(_) => "editor",
        InputMode::List(list) => match list.of {
            ListKind::Bookmarks => "bookmarks",
            ListKind::Divergences => "divergences",
            ListKind::Breakpoints => "breakpoints",
            ListKind::Family => "family",
            ListKind::Reply => "reply",
        },
        InputMode::Text(_) => "text",
        InputMode::Export => "export",
    }
}

fn played(case: &Case, key: &str) -> Bench {
    let mut bench = Bench::open(case.log, 120, 40);
    bench.keys(&case.keys.replace('@', key));
    bench
}

fn check(case: &Case, key: &str) {
    let bench = played(case, key);
    let (at, focus, mode) = (bench.model.at(), bench.model.focus, mode(&bench.model.mode));
    assert!(
        case.then.holds(&bench),
        "{}, {key} in `{}`: at {at}, focus {focus:?}, mode {mode}, message {:?}, requests {:?}\n{}",
        case.row,
        case.keys,
        bench.model.message,
        bench.requests,
        bench.frame()
    );
}

#[test]
fn every_key_does_what_its_row_says() {
    for case in CASES {
        let row = KEYS.iter().find(|row| row.name == case.row).unwrap_or_else(|| panic!("no row {}", case.row));
        row.keys.iter().for_each(|key| check(case, key));
        assert!(
            !case.then.holds(&played(case, "")),
            "{}: `{}` shows nothing, it holds without the key",
            case.row,
            case.keys
        );
    }
}

#[test]
fn every_command_does_what_its_row_says() {
    for case in COMMAND_CASES {
        check(case, "Enter");
        assert!(
            !case.then.holds(&played(case, "")),
            "{}: `{}` shows nothing, it holds without Enter",
            case.row,
            case.keys
        );
    }
}

#[test]
fn no_row_and_no_command_is_left_out() {
    let names = |cases: &[Case]| cases.iter().map(|case| case.row).collect::<BTreeSet<_>>();
    let rows: BTreeSet<&str> = KEYS.iter().map(|row| row.name).collect();
    assert_eq!(names(CASES), rows);
    let commands: BTreeSet<&str> = COMMANDS.iter().map(|command| command.name).collect();
    assert_eq!(names(COMMAND_CASES), commands);
}

/// The life of a bookmark, through requests only.
#[test]
fn bookmarks_are_requested_and_shown_once_they_are_saved() {
    let mut bench = Bench::open(DEMO, 120, 40);
    bench.keys("f m <one> Enter");
    assert!(bench.frame().contains("‼★19"), "{}", bench.frame());
    assert!(matches!(bench.requests.last(), Some(Request::Keep(BookmarkEdit::Add(mark))) if mark.note == "one"));
    // An unsaved note comes back, also after another one.
    bench.keys("' e <, two> Esc");
    assert!(bench.model.message.as_ref().is_some_and(|message| message.contains("not saved")));
    bench.keys("' e");
    assert!(Then::Typed("one, two").holds(&bench));
    bench.keys("Enter");
    assert_eq!(bench.requests.last(), Some(&Request::Keep(BookmarkEdit::Note("m1".to_owned(), "one, two".to_owned()))));
    assert_eq!(bench.bookmarks.get("m1").map(|mark| mark.note.as_str()), Some("one, two"));
    bench.keys("G : <bookmark:m1> Enter");
    assert_eq!(bench.model.at().0, 19);
    bench.keys(": <bookmark m1> Enter");
    assert!(bench.frame().contains("there is already a bookmark \"m1\""), "{}", bench.frame());
    bench.keys("' d");
    assert_eq!(bench.requests.last(), Some(&Request::Keep(BookmarkEdit::Remove("m1".to_owned()))));
    assert!(bench.bookmarks.as_slice().is_empty() && !bench.frame().contains('★'), "{}", bench.frame());
}

/// A text does not scroll beyond its end, so the first key back moves it.
#[test]
fn a_text_scrolls_no_further_than_its_end() {
    for (width, height) in [(60, 15), (120, 40), (200, 60)] {
        let mut bench = Bench::open(DEMO, width, height);
        bench.keys("?").keys(&"PageDown ".repeat(60));
        let end = bench.frame();
        bench.keys("j j j");
        assert_eq!(bench.frame(), end);
        bench.keys("k");
        assert_ne!(bench.frame(), end, "{width}x{height}");
    }
}

/// Moving ends a run, which must not move the playhead later.
#[test]
fn a_key_that_moves_ends_a_run() {
    let line = "{\"event_type\":\"steer_injected\",\"turn_id\":\"t\",\"step_idx\":0,\"text\":\"x\"}\n";
    let mut bench = Bench::of(line.repeat(10_000).as_bytes(), 80, 24);
    bench.keys(": <break .event.text == \"never\"> Enter");
    bench.press(crate::tests::bench::key("c"));
    assert!(
        bench.model.running.is_some() && bench.frame().contains("running, at 41 %; Esc stops"),
        "{}",
        bench.frame()
    );
    bench.keys("l");
    assert_eq!((bench.model.running, bench.model.at().0), (None, 1));
}

#[test]
fn the_help_fits_on_two_screens_and_is_searched_in_the_palette() {
    let mut bench = Bench::open(DEMO, 120, 40);
    bench.keys("? PageDown");
    let second = bench.frame();
    assert!(second.contains("signs"), "{second}");
    assert_eq!(bench.keys("PageDown").frame(), second);
    bench.keys("/ <narrower>");
    assert!(bench.frame().contains("make this pane narrower"), "{}", bench.frame());
}

#[test]
fn filters_that_a_dialect_names_are_offered_with_counts() {
    let mut bench = Bench::open("fixtures/session/denied-call-ran.jsonl", 120, 40);
    bench.keys(": <only primitive:>");
    let offered = bench.frame();
    assert!(offered.contains("primitive:sched") && offered.contains("primitive:mm"), "{offered}");
    bench.keys("Esc : <only lane:sys>");
    assert!(bench.frame().contains("1 event"), "{}", bench.frame());
    bench.keys("Esc : <only call:call-1> Enter");
    assert!(bench.frame().contains("showing only call:call-1 (4 events)"), "{}", bench.frame());
}

//! Random keys, text, sizes and mouse events on any log: nothing panics, and every frame is drawn.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEventKind};
use proptest::prelude::*;
use stepback::replay::finding::is_hostile;
use stepback::tui::key::KEYS;
use stepback::tui::update::{paste, play, work};

use crate::tests::bench::{Bench, key};
use crate::tests::random::{events, lines};

/// Takes a few seconds; every run tries other inputs.
const CASES: u32 = 48;

#[derive(Clone, Debug)]
enum Deed {
    Key(&'static str),
    Other(KeyEvent),
    Text(String),
    Paste(String),
    Command(String),
    Resize(u16, u16),
    Mouse(MouseEventKind, u16, u16),
    /// What the loop does between keys.
    Tick,
}

fn deed() -> impl Strategy<Value = Deed> {
    let keys: Vec<&'static str> = KEYS.iter().flat_map(|row| row.keys).copied().collect();
    let commands = vec![
        "break finding",
        "break .step > 1",
        "hide tools",
        "only findings",
        "only hits",
        "all",
        "pin outcome",
        "theme none",
        "50%",
        "compare fixtures/turn/clean.json",
        "minimize",
        "compare",
    ];
    let kinds = vec![
        MouseEventKind::Down(MouseButton::Left),
        MouseEventKind::Down(MouseButton::Right),
        MouseEventKind::Up(MouseButton::Left),
        MouseEventKind::Drag(MouseButton::Left),
        MouseEventKind::Moved,
        MouseEventKind::ScrollDown,
        MouseEventKind::ScrollUp,
        MouseEventKind::ScrollLeft,
    ];
    let code = prop_oneof![
        Just(KeyCode::Insert),
        Just(KeyCode::F(5)),
        Just(KeyCode::Null),
        any::<char>().prop_map(KeyCode::Char)
    ];
    prop_oneof![
        12 => prop::sample::select(keys).prop_map(Deed::Key),
        1 => (code, any::<u8>()).prop_map(|(code, bits)| Deed::Other(KeyEvent::new(code, KeyModifiers::from_bits_truncate(bits)))),
        2 => "[0-9a-z.:/()| ]{0,12}".prop_map(Deed::Text),
        1 => "\\PC{0,20}|(\u{1b}|\n|\r|\u{301}|日){0,9}".prop_map(Deed::Paste),
        2 => prop::sample::select(commands).prop_map(|line| Deed::Command(line.to_owned())),
        2 => (1..=250_u16, 1..=80_u16).prop_map(|(width, height)| Deed::Resize(width, height)),
        3 => (prop::sample::select(kinds), 0..=260_u16, 0..=90_u16).prop_map(|(kind, x, y)| Deed::Mouse(kind, x, y)),
        1 => Just(Deed::Tick),
    ]
}

fn does(bench: &mut Bench, deed: &Deed) {
    match deed {
        Deed::Key(name) => bench.press(key(name)),
        Deed::Other(event) => bench.press(*event),
        Deed::Text(text) => {
            text.chars().for_each(|letter| bench.press(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE)));
        }
        Deed::Paste(text) => paste(&mut bench.model, text),
        Deed::Command(line) => {
            bench.press(key("Esc"));
            bench.press(key(":"));
            paste(&mut bench.model, line);
            bench.press(key("Enter"));
        }
        Deed::Resize(width, height) => {
            bench.resize(*width, *height);
        }
        Deed::Mouse(kind, column, row) => {
            bench.mouse(*kind, (*column, *row));
        }
        Deed::Tick => {
            work(&mut bench.model);
            play::tick(&mut bench.model);
        }
    }
}

fn config() -> ProptestConfig {
    ProptestConfig { max_shrink_iters: 400, ..crate::tests::cases::cases!(CASES, "keys") }
}

proptest! {
    #![proptest_config(config())]
    #[test]
    fn nothing_that_is_typed_can_break_the_screen(
        log in events(24),
        (width, height) in (1..=250_u16, 1..=80_u16),
        deeds in prop::collection::vec(deed(), 1..60),
    ) {
        let mut text = "{\"event_type\":\"schema_version\",\"version\":1}\n".to_owned();
        text.push_str(&lines(&log));
        let mut bench = Bench::of(text.as_bytes(), width, height);
        for deed in &deeds {
            does(&mut bench, deed);
            bench.model.is_over = false;
            let buffer = bench.buffer();
            prop_assert!(!buffer.content.iter().any(|cell| cell.symbol().contains(is_hostile)), "{}", bench.frame());
            prop_assert!(bench.model.at().0 < bench.model.replay().len().max(1));
        }
    }
}

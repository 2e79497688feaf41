//! The screen: the first line of an input is typed, the rest is the log.
//!
//! A letter of the first line is a key of the table, by its number; the first two are the size.

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Rect;

use super::log::open;
use crate::loader::Loaded;
use crate::log::Options;
use crate::replay::finding::is_hostile;
use crate::tui::key::KEYS;
use crate::tui::model::{Model, Opening};
use crate::tui::update::{paste, play, press, work};
use crate::tui::view;

const KEYS_LIMIT: usize = 12;

pub(super) fn target(input: &[u8]) {
    let Some(at) = memchr::memchr(b'\n', input) else { return };
    let (typed, bytes) = (&input[..at], &input[at + 1..]);
    let [width, height, typed @ ..] = typed else { return };
    let Ok(log) = open(bytes, &Options::default()) else { return };
    let title = log.dialect.title;
    let Ok(loaded) = Loaded::begin_log_only(log, false) else { return };
    if loaded.wait_to_end(|_| {}).is_err() {
        return;
    }
    let screen = Rect::new(0, 0, u16::from(*width % 128).max(1), u16::from(*height % 48).max(1));
    let opening = Opening::new(&String::from_utf8_lossy(&bytes[..bytes.len().min(20)]), title, screen);
    let mut model = Model::new(opening, Arc::clone(loaded.replay()));
    model.debugger.set_notes(loaded.notes());
    let mut terminal = Terminal::new(TestBackend::new(screen.width, screen.height)).expect("memory");
    let mut draw = |model: &Model| {
        terminal.draw(|frame| view::draw(model, frame)).expect("drawn");
        let cells = &terminal.backend().buffer().content;
        assert!(!cells.iter().any(|cell| cell.symbol().contains(is_hostile)), "a control character is drawn");
        assert!(model.at().0 < model.replay().len().max(1));
    };
    draw(&model);
    for key in typed.iter().take(KEYS_LIMIT) {
        strike(&mut model, *key, bytes);
        work(&mut model);
        play::tick(&mut model);
        model.is_over = false;
        draw(&model);
    }
}

/// Half of the bytes are keys of the table; the others are typed, or paste a part of the log.
fn strike(model: &mut Model, key: u8, log: &[u8]) {
    let names: Vec<&str> = KEYS.iter().flat_map(|row| row.keys).copied().collect();
    match key {
        0x80.. => drop(press(model, named(names[usize::from(key - 0x80) % names.len()]))),
        0x7f => paste(model, &String::from_utf8_lossy(&log[..log.len().min(80)])),
        0x20.. => drop(press(model, KeyEvent::new(KeyCode::Char(char::from(key)), KeyModifiers::NONE))),
        _ => drop(press(model, named(names[usize::from(key) % names.len()]))),
    }
}

/// A key by its name in the table.
fn named(name: &str) -> KeyEvent {
    let (name, modifiers) = match name.split_once('-') {
        Some(("Ctrl", name)) => (name, KeyModifiers::CONTROL),
        Some(("Shift", name)) => (name, KeyModifiers::SHIFT),
        Some(("Alt", name)) => (name, KeyModifiers::ALT),
        _ => (name, KeyModifiers::NONE),
    };
    let codes = [
        ("Left", KeyCode::Left),
        ("Right", KeyCode::Right),
        ("Up", KeyCode::Up),
        ("Down", KeyCode::Down),
        ("Home", KeyCode::Home),
        ("End", KeyCode::End),
        ("PageUp", KeyCode::PageUp),
        ("PageDown", KeyCode::PageDown),
        ("Tab", KeyCode::Tab),
        ("BackTab", KeyCode::BackTab),
        ("Enter", KeyCode::Enter),
        ("Esc", KeyCode::Esc),
        ("Backspace", KeyCode::Backspace),
        ("Delete", KeyCode::Delete),
        ("Space", KeyCode::Char(' ')),
    ];
    let code = codes.iter().find(|(known, _)| *known == name).map(|(_, code)| *code);
    KeyEvent::new(code.unwrap_or_else(|| KeyCode::Char(name.chars().next().unwrap_or(' '))), modifiers)
}

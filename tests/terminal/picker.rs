//! The session picker in a real terminal.

use std::fs;

use super::ours;
use super::pty::{Desk, ENTER, ESCAPE, Window, footer};

/// A home folder with two sessions.
fn home(desk: &Desk) -> Window {
    for (name, log) in [
        ("home/.claude/projects/app/one.jsonl", "fixtures/agent/claude-code/finished.jsonl"),
        ("home/.codex/sessions/2026/10/11/rollout-x.jsonl", "fixtures/agent/codex/rollout-finished.jsonl"),
    ] {
        fs::create_dir_all(desk.path(name).parent().expect("a folder")).expect("a folder");
        fs::copy(ours(log), desk.path(name)).expect("copied");
    }
    let mut command = desk.stepback(&[]);
    command.env("HOME", desk.path("home"));
    let mut window = Window::open(command, 120, 40);
    window.sees(&["2 sessions", "Sessions", "Preview", "Ctrl-e example"]);
    window
}

#[test]
fn a_session_is_searched_and_opened() {
    let desk = Desk::new();
    let mut window = home(&desk);
    window.keys("codx").sees(&["1 of 2 sessions", "Codex"]).keys(ENTER);
    window.sees(&["rollout-x.jsonl", "Events", "Projection"]);
    window.until("the footer", |screen| footer(screen).contains("q quit")).keys("l").keys("q");
    assert_eq!(window.exit_code(), 0);
}

#[test]
fn the_example_is_one_key_away() {
    let desk = Desk::new();
    let mut window = home(&desk);
    window.keys("\x05").sees(&["the built-in failed turn"]).at("0/37").keys(ESCAPE).keys(ESCAPE).keys("q");
    assert_eq!(window.exit_code(), 0);
    let mut command = desk.stepback(&["--demo"]);
    command.env("HOME", desk.path("home"));
    Window::open(command, 120, 40).sees(&["the built-in failed turn"]);
}

#[test]
fn escape_quits_and_restores_the_terminal() {
    let desk = Desk::new();
    let mut window = home(&desk);
    window.keys(ESCAPE);
    assert_eq!(window.exit_code(), 0);
    window.until("the shell's own screen", |screen| !screen.alternate_screen());
}

#[test]
fn a_session_that_has_gone_is_named_and_the_list_stays() {
    let desk = Desk::new();
    let mut window = home(&desk);
    window.keys("claude").sees(&["1 of 2 sessions"]);
    fs::remove_file(desk.path("home/.claude/projects/app/one.jsonl")).expect("removed");
    window.keys(ENTER).sees(&["one.jsonl", "no such file"]).keys("\x15").sees(&["2 sessions"]).keys(ESCAPE);
    assert_eq!(window.exit_code(), 0);
}

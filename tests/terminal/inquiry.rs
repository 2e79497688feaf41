//! Questions about a session, asked on the screen of the built program.

use std::fs;

use super::ours;
use super::pty::{Desk, ENTER, ESCAPE, Window};

#[test]
fn a_session_that_does_not_resume_is_repaired_from_the_screen() {
    let desk = Desk::new();
    let before = fs::read(ours("fixtures/doctor/bricked.jsonl")).expect("a session");
    fs::write(desk.path("bricked.jsonl"), &before).expect("written");
    let mut window = Window::open(desk.stepback(&["bricked.jsonl"]), 120, 40);
    window.sees(&["bricked.jsonl", "Events"]).keys("R").sees(&["Can the session be resumed?", "refused", "s save"]);
    window.keys("s").sees(&["write the repaired copy as: bricked.repaired.jsonl"]);
    window.keys(ENTER).sees(&["the repaired copy is bricked.repaired.jsonl"]);
    window.keys(":explain growth").keys(ENTER).sees(&["why the context grew"]).keys(ESCAPE);
    // A key right after Escape would be read as Alt with that key.
    window.until("no answer", |screen| !screen.contents().contains("why the context grew"));
    window.keys("W").sees(&["what the model"]).keys("q");
    window.until("no answer", |screen| !screen.contents().contains("what the model")).keys("q");
    assert_eq!(window.exit_code(), 0);
    assert_eq!(fs::read(desk.path("bricked.jsonl")).expect("a session"), before, "the session is as it was");
    assert_ne!(fs::read(desk.path("bricked.repaired.jsonl")).expect("a copy"), before);
}

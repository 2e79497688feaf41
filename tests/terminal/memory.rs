//! What the screen remembers, in a real terminal.

use super::ours;
use super::pty::Desk;

/// What the screen remembers: the sizes of its panes, and where a log was left.
// Alt keys arrive in two parts if the machine is busy, so the palette is used.
#[test]
fn the_screen_is_as_it_was_left() {
    let desk = Desk::new();
    let log = ours("assets/demo.json").to_string_lossy().into_owned();
    let mut window = desk.open(&[&log]);
    window.sees(&["1 critical"]).keys("19g").at("19/37").keys("\x10wider\r\x10wider\r").keys("q");
    assert_eq!(window.exit_code(), 0);
    let kept = std::fs::read_to_string(desk.path("state/stepback/screen.json")).expect("a memory");
    assert!(kept.contains("\"at\":19") && kept.contains("\"wide\":["), "{kept}");
    let mut window = desk.open(&[&log]);
    window.sees(&["you left this log at event 19; Ctrl-o returns there", "#0 · event 1 of 38"]);
    window.keys("\x0f").at("19/37").keys("g").at("0/37").keys("\x10usual sizes\r").sees(&["usual sizes"]).keys("q");
    assert_eq!(window.exit_code(), 0);
    let kept = std::fs::read_to_string(desk.path("state/stepback/screen.json")).expect("a memory");
    assert!(!kept.contains("\"at\"") && kept.contains("\"wide\":null"), "{kept}");
}

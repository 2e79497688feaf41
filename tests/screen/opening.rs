//! Keys as (log, keys, expected place), and frames at every size.

use crate::tests::bench::{Bench, DEMO};
use stepback::tui::key::{KEYS, KeyContext};

#[test]
fn keys_go_where_their_description_says() {
    for (keys, expected) in [
        ("", 0),
        ("l l l h", 2),
        ("5 l", 5),
        ("L L H", 10),
        ("1 2 g", 12),
        ("G", 37),
        ("G g", 0),
        ("j j k", 1),
        ("f", 19),
        ("f f", 28),
        ("G F", 28),
        ("G F F", 19),
        ("f Ctrl-o", 0),
        ("f Ctrl-o Ctrl-i", 19),
        ("f f Backspace Backspace", 0),
        ("f f Alt-Left Alt-Left Alt-Right", 19),
        // The last writer of a field is the event itself; repeated, the one before it.
        ("3 0 g Tab b", 22),
        ("3 0 g Tab b b", 16),
        // Stop at this kind, run, run back; stop at a change of the field.
        ("l B g c c", 6),
        ("l B G C", 35),
        ("3 0 g Tab w C C", 16),
        ("Tab Tab Tab Enter", 19),
        ("Tab Tab Tab Enter Enter", 21),
        ("e", 0),
        ("l e E", 1),
    ] {
        let mut bench = Bench::open(DEMO, 120, 40);
        bench.keys(keys);
        assert_eq!(bench.model.at().0, expected, "{keys}");
    }
}

#[test]
fn a_search_finds_hits_and_can_be_ended() {
    let mut bench = Bench::open(DEMO, 120, 40);
    bench.keys("/").type_text("rejected");
    assert_eq!(bench.model.at().0, 19);
    assert!(bench.frame().contains("/rejected 1/1 hit"), "{}", bench.frame());
    bench.keys("n");
    assert!(bench.frame().contains("no hit after this event"));
    bench.keys("/").type_text("call-(");
    assert!(bench.frame().contains("unclosed group"), "{}", bench.frame());
    // A bad pattern stays in the prompt; cancelling it keeps the search before.
    bench.keys("Esc Esc n");
    assert!(bench.frame().contains("there is no search yet"));
}

#[test]
fn commands_go_to_places_and_break_on_conditions() {
    let mut bench = Bench::open(DEMO, 120, 40);
    bench.keys(":").type_text("call:call-4");
    assert_eq!(bench.model.at().0, 18);
    bench.keys(":").type_text("nonsense");
    assert!(bench.frame().contains("is neither a command nor a place"));
    bench.keys("Esc g :").type_text("break .event.outcome.tool_error?");
    bench.keys("c");
    assert_eq!(bench.model.at().0, 28);
    assert!(bench.frame().contains("stopped at .event.outcome.tool_error?"));
    bench.keys("c C");
    assert_eq!(bench.model.at().0, 28);
    bench.keys(":").type_text("break .event.(");
    assert!(bench.frame().contains("byte "), "{}", bench.frame());
    bench.keys("Esc :").type_text("q");
    assert!(bench.model.is_over);
}

#[test]
fn every_size_is_drawn_and_every_key_is_handled() {
    for (width, height) in [(1, 1), (59, 15), (60, 14), (60, 15), (80, 24), (120, 40), (200, 60)] {
        for log in [DEMO, "fixtures/broken/empty.json"] {
            let mut bench = Bench::open(log, width, height);
            let frame = bench.frame();
            if width < 60 || height < 15 {
                assert!(frame.starts_with(&"this screen is too small"[..24.min(width as usize - 1)]), "{frame}");
                continue;
            }
            assert!(frame.contains("Events") && frame.contains("l step"), "{frame}");
            for binding in KEYS {
                if let KeyContext::Pane(pane) = binding.applies {
                    bench.model.focus = pane;
                }
                for name in binding.keys {
                    bench.keys(name);
                    bench.frame();
                    // A prompt or the help may be open now.
                    bench.keys("Esc");
                    bench.model.is_over = false;
                }
            }
        }
    }
}

#[test]
fn the_cause_is_named_within_a_few_keys() {
    for (width, height) in [(80, 24), (120, 40)] {
        names_the_cause(width, height);
    }
}

fn names_the_cause(width: u16, height: u16) {
    let mut bench = Bench::open(DEMO, width, height);
    bench.keys("f");
    let frame = bench.frame();
    for text in
        ["turn/rejected-ran", "call call-4 was rejected and ran all the same", "#19 · event 20 of 38", "at 19, 21"]
    {
        let words: Vec<&str> = text.split(' ').collect();
        assert!(words.iter().all(|word| frame.contains(word)), "{text}:\n{frame}");
    }
}

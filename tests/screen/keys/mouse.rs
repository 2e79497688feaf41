//! The mouse, as (event, expected).

use crossterm::event::{MouseButton, MouseEventKind};
use stepback::tui::action::{ListKind, Pane};
use stepback::tui::model::InputMode;
use stepback::tui::request::Request;

use crate::tests::bench::{Bench, DEMO};

const UP: MouseEventKind = MouseEventKind::Up(MouseButton::Left);
const SIZES: [(u16, u16); 3] = [(60, 15), (80, 24), (120, 40)];
const DRAG: MouseEventKind = MouseEventKind::Drag(MouseButton::Left);

#[test]
fn a_click_on_an_event_goes_there_and_a_jump_leads_back() {
    for (width, height) in SIZES {
        let mut bench = Bench::open(DEMO, width, height);
        bench.keys("Tab").click_on(" 3 ");
        assert_eq!((bench.model.at().0, bench.model.focus), (3, Pane::Events), "{width}x{height}");
        bench.keys("Ctrl-o");
        assert_eq!(bench.model.at().0, 0);
        // A click on the border of a pane only gives it the focus.
        let (column, row) = bench.place_of("Events");
        bench.keys("Tab").click((column, row));
        assert_eq!((bench.model.at().0, bench.model.focus), (0, Pane::Events));
    }
}

#[test]
fn a_click_on_a_field_selects_it() {
    for (width, height) in SIZES {
        let mut bench = Bench::open(DEMO, width, height);
        bench.keys("3 0 g Tab o");
        let area = bench.model.areas().and_then(|areas| areas.of(Pane::Projection)).expect("a pane");
        bench.click((area.x + 3, area.y + 1 + 2));
        assert_eq!((bench.model.field, bench.model.focus), (2, Pane::Projection), "{width}x{height}");
        // In a scrolled pane the rows show other fields.
        bench.keys("j j j j j j j j j j j j j j j j j j j j j j j j").click((area.x + 3, area.y + 1));
        assert_eq!(bench.model.field, 26 - (area.height as usize - 3), "{width}x{height}");
    }
}

#[test]
fn a_click_on_a_finding_opens_it_and_a_second_its_next_event() {
    for (width, height) in SIZES {
        let mut bench = Bench::open(DEMO, width, height);
        bench.keys("Tab Tab Tab z");
        let findings = bench.model.replay().findings();
        let message: String = findings.list[0].message().chars().take(20).collect();
        let at: Vec<u32> = findings.list[0].at.iter().map(|at| at.0).collect();
        bench.click_on(&message);
        assert_eq!((bench.model.at().0, bench.model.focus), (at[0], Pane::Coherence), "{width}x{height}");
        bench.click_on("rejected-ran");
        assert_eq!(bench.model.at().0, at[1]);
    }
}

#[test]
fn a_click_on_a_line_of_the_event_selects_it_and_a_second_folds_it() {
    let mut bench = Bench::open(DEMO, 120, 40);
    bench.keys("1 8 g").click_on("decision:");
    assert_eq!(bench.model.detail.path().as_deref(), Some(".decision"));
    assert_eq!((bench.model.at().0, bench.model.focus), (18, Pane::Detail));
    bench.click_on("decision:");
    assert!(bench.frame().contains("decision: {…}"), "{}", bench.frame());
    bench.keys("v z k k k");
    bench.click_on("The working tree").click_on("The working tree");
    assert_eq!(bench.model.at().0, 17, "what was said leads to its event");
}

#[test]
fn the_strip_seeks_where_it_is_clicked_and_dragged() {
    for (width, height) in SIZES {
        let mut bench = Bench::open(DEMO, width, height);
        let strip = bench.model.areas().expect("room").strip;
        bench.click((width - 1, strip.y));
        assert_eq!(bench.model.at().0, 37, "{width}x{height}");
        bench.click((width / 2, strip.y));
        assert_eq!(bench.model.at().0, 19, "{width}x{height}");
        // Dragging does not fill the history: back leads to the place before the click.
        bench.mouse(DRAG, (width / 4, strip.y)).mouse(DRAG, (0, strip.y));
        assert_eq!(bench.model.at().0, 0);
        bench.keys("Ctrl-o");
        assert_eq!(bench.model.at().0, 37);
        // A drag that began elsewhere is ignored.
        bench.mouse(UP, (0, strip.y)).mouse(DRAG, (0, strip.y));
        assert_eq!(bench.model.at().0, 37);
    }
}

#[test]
fn the_wheel_steps_or_scrolls_what_is_under_it() {
    let mut bench = Bench::open(DEMO, 120, 40);
    let place = |bench: &Bench, pane: Pane| {
        let area = bench.model.areas().and_then(|areas| areas.of(pane)).expect("a pane");
        (area.x + 2, area.y + 2)
    };
    let events = place(&bench, Pane::Events);
    bench.mouse(MouseEventKind::ScrollDown, events).mouse(MouseEventKind::ScrollDown, events);
    bench.mouse(MouseEventKind::ScrollUp, events);
    assert_eq!(bench.model.at().0, 3);
    bench.mouse(MouseEventKind::ScrollDown, place(&bench, Pane::Projection));
    assert_eq!((bench.model.field, bench.model.focus), (3, Pane::Events), "the focus stays");
    bench.mouse(MouseEventKind::ScrollDown, place(&bench, Pane::Detail));
    assert_eq!(bench.model.detail.line(), 3);
    bench.mouse(MouseEventKind::ScrollDown, place(&bench, Pane::Coherence));
    assert_eq!(
        (bench.model.finding, bench.model.at().0),
        (Some(2), 3),
        "contradictions come first, then a row per check"
    );
    bench.keys("?").mouse(MouseEventKind::ScrollDown, events);
    assert!(matches!(&bench.model.mode, InputMode::Text(text) if text.scroll == 3));
    bench.keys("Esc D").mouse(MouseEventKind::ScrollDown, events);
    assert!(matches!(bench.model.mode, InputMode::List(list) if list.row == 3), "{:?}", bench.frame());
    assert_eq!(bench.model.at().0, 3);
}

#[test]
fn the_mouse_changes_nothing_while_the_user_types() {
    let mut bench = Bench::open(DEMO, 120, 40);
    bench.keys("Tab / <call>");
    let before = (bench.frame(), bench.model.at(), bench.model.field);
    for kind in [MouseEventKind::Down(MouseButton::Left), DRAG, MouseEventKind::ScrollDown] {
        for at in [(60, 1), (5, 10), (50, 10), (100, 10), (5, 35)] {
            bench.mouse(kind, at);
        }
    }
    assert_eq!((bench.frame(), bench.model.at(), bench.model.field), before);
}

#[test]
fn the_row_of_unchanged_fields_unfolds_and_folds() {
    let mut bench = Bench::open(DEMO, 120, 40);
    bench.keys("f").click_on("unchanged");
    assert!(!bench.frame().contains("unchanged"), "{}", bench.frame());
    bench.keys("o");
    assert!(bench.frame().contains("21 unchanged"), "{}", bench.frame());
    bench.keys("j j j j j j j j j j j Enter");
    assert!(!bench.frame().contains("unchanged"), "{}", bench.frame());
}

#[test]
fn borders_are_dragged() {
    let mut bench = Bench::open(DEMO, 120, 40);
    let of = |bench: &Bench, pane| bench.model.areas().and_then(|areas| areas.of(pane)).expect("a pane");
    let events = of(&bench, Pane::Events);
    let border = (events.right() - 1, events.y + 4);
    bench.click(border).mouse(DRAG, (border.0 + 9, border.1)).mouse(UP, border);
    assert_eq!(of(&bench, Pane::Events).width, events.width + 9);
    assert_eq!(of(&bench, Pane::Projection).right(), of(&Bench::open(DEMO, 120, 40), Pane::Projection).right());
    bench.mouse(DRAG, (20, 10));
    assert_eq!(of(&bench, Pane::Events).width, events.width + 9, "the button was released");
    let below = of(&bench, Pane::Detail);
    bench.click((100, below.y)).mouse(DRAG, (100, below.y - 6)).mouse(UP, (100, 3));
    assert_eq!(of(&bench, Pane::Detail).height, below.height + 6);
    bench.keys("Alt-0");
    assert_eq!((of(&bench, Pane::Events), of(&bench, Pane::Detail)), (events, below));
}

#[test]
fn a_wide_pane_shows_the_event_beside_its_conversation() {
    let mut bench = Bench::open(DEMO, 160, 50);
    bench.keys("1 8 g");
    let frame = bench.frame();
    assert!(frame.contains("[JSON]") && frame.contains("event_type:") && frame.contains("▶ tool call 18"), "{frame}");
    bench.click_on("▶ tool call");
    assert!(bench.frame().contains("[Conversation]") && bench.frame().contains("event_type:"), "both stay");
    bench.keys("v");
    assert!(!bench.frame().contains("event_type:"), "the bytes have the whole width");
    let mut narrow = Bench::open(DEMO, 100, 40);
    assert!(!narrow.keys("1 8 g").frame().contains("▶ tool call"));
}

/// Tabs, the entries of the last line and the keys of a popup are pressed by a click.
#[test]
fn what_names_a_key_can_be_clicked() {
    let mut bench = Bench::open(DEMO, 120, 40);
    bench.click_on("Conversation");
    assert!(bench.frame().contains("[Conversation]"));
    bench.click_on("Raw");
    assert!(bench.frame().contains("[Raw]"));
    assert_eq!(bench.model.focus, Pane::Events);
    bench.click_on("f finding");
    assert_eq!(bench.model.at().0, 19);
    bench.click_on("Tab pane");
    assert_eq!(bench.model.focus, Pane::Projection);
    bench.click_on("q leave");
    assert_eq!(bench.model.focus, Pane::Events);
    bench.keys("D").click_on("Breakpoints");
    assert!(matches!(&bench.model.mode, InputMode::List(list) if list.of == ListKind::Breakpoints));
    bench.click_on("Esc close").keys("x").click_on("j down");
    assert!(matches!(bench.model.mode, InputMode::Text(_)), "a click on a key does not close the text");
    bench.click_on("y copy");
    assert!(matches!(bench.requests.last(), Some(Request::Copy(..))));
    bench.click_on("Esc close").click_on("q quit");
    assert!(bench.model.is_over);
}

/// A breakpoint on a condition is marked in the list, and only near the playhead is it looked for.
#[test]
fn breakpoints_are_marked_in_the_gutter() {
    let mut bench = Bench::open(DEMO, 120, 40);
    bench.keys(": <break .event.call_id == \"call-4\"> Enter o 1 2 g");
    let frame = bench.frame();
    let marked: Vec<&str> = frame.lines().filter_map(|line| line.strip_prefix("│●")).collect();
    assert_eq!(marked.len(), 4, "{frame}");
    assert!(marked[0].starts_with("  18 ") && marked[1].starts_with("‼ 19 "), "{frame}");
    bench.keys("Ctrl-b Space Esc");
    assert!(!bench.frame().contains("│●"));
    bench.keys("Ctrl-b Space d Esc l h");
    assert!(!bench.frame().contains("│●"));
}

#[test]
fn a_click_closes_a_popup() {
    for keys in ["?", "D", "f x"] {
        let mut bench = Bench::open(DEMO, 120, 40);
        bench.keys(keys);
        let at = bench.model.at();
        bench.click((0, 39));
        assert!(matches!(bench.model.mode, InputMode::Normal), "{keys}");
        assert_eq!(bench.model.at(), at, "{keys}: it does nothing else");
    }
}

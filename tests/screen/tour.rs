//! The guided tour: a user who obeys it finishes it, and one who does everything wrong can still finish or leave it.

use proptest::prelude::*;
use stepback::tui::key::KEYS;
use stepback::tui::model::InputMode;
use stepback::tui::popup::tour::words;
use stepback::tui::tour::{LESSONS, Tour, named};

use crate::tests::bench::{Bench, DEMO, key, says};

/// How often a user tries the same words again.
const PATIENCE: usize = 6;

fn begin(width: u16, height: u16) -> Bench {
    let mut bench = Bench::open(DEMO, width, height);
    bench.keys(": <tour> Enter");
    bench
}

fn lesson(bench: &Bench) -> usize {
    bench.model.tour.and_then(Tour::lesson).map_or(LESSONS.len() + 1, |(number, _)| number)
}

fn is_key(name: &str) -> bool {
    name.chars().count() == 1 || KEYS.iter().any(|row| row.keys.contains(&name))
}

/// Presses and types what the words name, one after the other, until they change. Returns whether they did.
fn obey(bench: &mut Bench) -> bool {
    let before = words(&bench.model).expect("a lesson");
    for name in named(&before).map(str::to_owned).collect::<Vec<_>>() {
        match is_key(&name) {
            true => bench.keys(&name),
            false => bench.keys(&format!("<{name}>")),
        };
        // Typing a text leaves the words as they are.
        if words(&bench.model).as_deref() != Some(&before) {
            return true;
        }
    }
    false
}

/// Obeys until the tour is over. Returns what the user read.
fn finish(bench: &mut Bench) -> Vec<String> {
    let (mut read, mut patience) = (Vec::new(), PATIENCE);
    while let Some(text) = words(&bench.model) {
        patience = if obey(bench) { PATIENCE } else { patience - 1 };
        assert!(patience > 0, "stuck at {text:?}:\n{}", bench.frame());
        read.push(text);
        assert!(read.len() < 100, "in circles: {read:#?}");
    }
    read
}

#[test]
fn a_user_who_obeys_the_tour_word_by_word_finishes_it() {
    for (width, height) in [(60, 15), (80, 24), (120, 40), (200, 60)] {
        let mut bench = begin(width, height);
        let read = finish(&mut bench);
        assert!(read.len() > LESSONS.len(), "{read:#?}");
        assert!(matches!(bench.model.mode, InputMode::Normal));
        assert!(bench.model.would_lose().is_none() && bench.bookmarks.as_slice().len() == 1);
        says(&bench, &["that was the tour; Ctrl-t starts it again"]);
    }
}

/// Every line of the panes is where it is without the tour's box: the box has rows of its own.
#[test]
fn the_box_of_the_tour_hides_nothing() {
    for (width, height) in [(80, 24), (120, 40)] {
        let mut bench = begin(width, height);
        while words(&bench.model).is_some() {
            let area = bench.model.tour_area().expect("a box");
            assert_eq!(bench.model.room().bottom(), area.top());
            let areas = bench.model.areas().expect("a layout");
            assert!(
                areas.panes.iter().all(|(_, pane)| pane.bottom() <= area.top()) && areas.footer.bottom() <= area.top()
            );
            let frame = bench.frame();
            let text: Vec<&str> = frame.lines().skip(area.top() as usize).collect();
            assert!(text[0].contains(&format!("Tour, {} of {}", lesson(&bench), LESSONS.len())), "{frame}");
            assert!(frame.contains("Ctrl-n next lesson  Ctrl-t leave the tour"), "{frame}");
            obey(&mut bench);
        }
    }
}

/// The finding, its expected and actual value are visible while the tour talks about them.
#[test]
fn a_lesson_shows_what_it_talks_about() {
    let mut bench = begin(80, 24);
    bench.keys("l h f");
    says(&bench, &["Tour, 4 of", "turn/rejected-ran", "expected", "actual"]);
    bench.keys("x");
    says(&bench, &["Press Esc when you", "turn/rejected-ran (critical)"]);
}

/// Key by key what a user did who was trapped once: keys of the next lesson while a popup or a prompt is open.
#[test]
fn keys_that_come_too_early_or_twice_do_not_trap() {
    let mut bench = begin(80, 24);
    bench.keys("l h f x").keys(&"D ".repeat(12));
    assert_eq!(lesson(&bench), 4, "the explanation is open");
    bench.keys("Esc D Tab Tab");
    says(&bench, &["Press Esc to close what is open"]);
    bench.keys("Esc");
    finish(&mut bench);
    let mut bench = begin(80, 24);
    bench.keys("? l");
    assert_eq!((lesson(&bench), bench.model.at().0), (2, 1), "a key of the lesson closes what is in its way");
    bench.keys("h f x Esc D Enter / m m m m");
    says(&bench, &["Press Esc to close what is open"]);
    bench.keys("Esc");
    finish(&mut bench);
}

#[test]
fn other_ways_of_doing_a_task_count() {
    let mut bench = begin(120, 40);
    bench.keys(": <1> Enter");
    assert_eq!(lesson(&bench), 2);
    bench.click_on("0 ◉ user");
    assert_eq!(lesson(&bench), 3);
    bench.keys(": <finding:1> Enter");
    assert_eq!(lesson(&bench), 4, "{}", bench.frame());
    bench.keys("x q");
    bench.keys("D").click((0, 0));
    assert_eq!(lesson(&bench), 6);
    bench.click_on(" Projection ");
    assert_eq!(lesson(&bench), 7);
    bench.keys("Enter").keys(": <19> Enter / <call> Enter : <bookmark why> Enter i");
    assert_eq!(lesson(&bench), 11, "{}", bench.frame());
}

#[test]
fn the_tour_ends_wherever_the_user_is() {
    for keys in ["", "?", "D", "/ <x>", ": <x>", "m <x>", "i", "f X", "x", "f M", "z", "Space", "Enter / <e>"] {
        let mut bench = begin(80, 24);
        bench.keys(keys).keys("Ctrl-t");
        assert!(bench.model.tour.is_none() && bench.model.tour_area().is_none(), "{keys}");
    }
    let mut bench = begin(80, 24);
    for _ in LESSONS {
        bench.keys("Ctrl-n");
    }
    assert!(bench.model.tour.is_none());
    bench.keys("Ctrl-n");
    says(&bench, &["the tour is not on; Ctrl-t starts it"]);
}

/// Lessons that a log has nothing for are left out.
#[test]
fn the_tour_starts_on_any_log() {
    for log in ["fixtures/turn/clean.json", "fixtures/tape/notes-good.tape"] {
        let mut bench = Bench::open(log, 80, 24);
        bench.keys("G Ctrl-t");
        assert_eq!(bench.model.at().0, 0);
        finish(&mut bench);
    }
    let mut bench = Bench::of(b"", 80, 24);
    bench.keys("Ctrl-t");
    assert!(bench.model.tour.is_some());
    finish(&mut bench);
}

fn any_key() -> impl Strategy<Value = &'static str> {
    prop::sample::select(KEYS.iter().flat_map(|row| row.keys).copied().collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 300, ..crate::tests::cases::cases!(24, "tour") })]
    /// After any keys, at any lesson, the words lead on: at the latest, with the key for the next lesson that the box names.
    #[test]
    fn a_user_who_does_everything_wrong_can_finish_and_leave(
        rounds in prop::collection::vec((prop::collection::vec(any_key(), 0..12), 0..3_usize), 1..8),
    ) {
        let mut bench = begin(80, 24);
        for (keys, obeyed) in rounds {
            for name in keys.into_iter().filter(|name| !["Ctrl-t", "Ctrl-n"].contains(name)) {
                bench.press(key(name));
                bench.model.is_over = false;
            }
            for _ in 0..obeyed {
                if words(&bench.model).is_some() {
                    obey(&mut bench);
                }
            }
        }
        bench.keys("Esc Esc");
        let mut left = 200;
        while words(&bench.model).is_some() {
            if !(0..PATIENCE).any(|_| obey(&mut bench)) {
                bench.keys("Ctrl-n");
            }
            bench.model.is_over = false;
            left -= 1;
            prop_assert!(left > 0, "{}", bench.frame());
        }
        bench.keys("Ctrl-t");
        prop_assert!(bench.model.tour.is_some());
        bench.keys("Ctrl-t");
        prop_assert!(bench.model.tour.is_none());
    }
}

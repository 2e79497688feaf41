//! Frames as text: every scene of a table, compared with what was drawn before. Scenes whose layout changes are
//! drawn at four sizes, the others at one; scenes that exist for one message only assert the message.
//!
//! `UPDATE_FRAMES=1 cargo test --lib screen::frames` writes the current frames. Review the changes before committing
//! them.

mod scenes;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use crate::tests::bench::{Bench, DEMO};
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use scenes::{MESSAGES, SCENES, Scene, cut, short_log};
use stepback::replay::finding::is_hostile;
use stepback::tui::theme::{Palette, Theme};

const SIZES: [(u16, u16); 4] = [(60, 15), (80, 24), (120, 40), (200, 60)];
const USUAL_SIZE: (u16, u16) = (80, 24);
/// Sizes that are too small.
const SMALL_SIZES: [(u16, u16); 5] = [(59, 15), (60, 14), (20, 3), (20, 1), (1, 1)];

/// The expected content of each file.
fn drawn() -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for scene in SCENES {
        let mut text = format!("{}\nlog: {}\nkeys: {}\n", scene.shows, scene.log.name(), scene.keys);
        for (width, height) in SIZES.into_iter().filter(|size| scene.at_every_size || *size == USUAL_SIZE) {
            text.push_str(&headed(width, height, &scene.play(width, height).frame()));
        }
        assert!(files.insert(format!("{}.txt", scene.name), text).is_none(), "two scenes are called {}", scene.name);
    }
    let mut small = "a screen that is too small says so, as far as there is room\n".to_owned();
    for (width, height) in SMALL_SIZES {
        small.push_str(&headed(width, height, &Bench::open(DEMO, width, height).keys("f ?").frame()));
    }
    files.insert("too-small.txt".to_owned(), small);
    for (name, palette) in Palette::ALL {
        let theme = Theme { palette, ascii: false };
        let mut bench = Bench::open(DEMO, 80, 24).themed(theme);
        bench.keys("f m <why?> Enter / <call-4> Enter Enter");
        let text =
            format!("how a frame looks with the colours {name}\n\n{}\n{}", bench.frame(), styles(&bench.buffer()));
        files.insert(format!("colours-{name}.txt"), text);
    }
    files
}

/// A frame with its size. Lines begin with a bar to show where each begins.
fn headed(width: u16, height: u16, frame: &str) -> String {
    let rows: String = frame.lines().map(|line| format!("|{line}\n")).collect();
    format!("\n=== {width}x{height}\n{rows}")
}

/// Every run of cells of one style that is not the terminal's own, row by row: columns, colour, modifiers.
fn styles(buffer: &Buffer) -> String {
    let mut out = String::new();
    for (y, row) in buffer.content.chunks(usize::from(buffer.area.width)).enumerate() {
        let mut x = 0;
        let mut runs = Vec::new();
        for run in row.chunk_by(|one, two| (one.fg, one.modifier) == (two.fg, two.modifier)) {
            let last = x + run.len() - 1;
            runs.extend(style(&run[0]).map(|style| format!("{x}-{last} {style}")));
            x += run.len();
        }
        out.push_str(format!("{y:>2}: {}", runs.join(", ")).trim_end());
        out.push('\n');
    }
    out
}

fn style(cell: &Cell) -> Option<String> {
    assert_eq!(cell.bg, Color::Reset, "the background is the terminal's own");
    let colour = (cell.fg != Color::Reset).then(|| cell.fg.to_string());
    let names = cell.modifier.iter_names().map(|(name, _)| name.to_lowercase());
    let words: Vec<String> = colour.into_iter().chain(names).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/screen/frames")
}

/// The existing files.
fn kept() -> BTreeMap<String, String> {
    let entries =
        fs::read_dir(folder()).expect("the folder of the frames").map(|entry| entry.expect("an entry").path());
    let texts = entries.filter(|path| path.extension().is_some_and(|extension| extension == "txt"));
    let read = |path: PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (name, fs::read_to_string(&path).expect("UTF-8").replace("\r\n", "\n"))
    };
    texts.map(read).collect()
}

#[test]
fn every_frame_is_unchanged() {
    let (now, before) = (drawn(), kept());
    let odd: Vec<&String> = before.keys().filter(|name| !now.contains_key(*name)).collect();
    if std::env::var_os("UPDATE_FRAMES").is_some() {
        odd.iter().for_each(|name| fs::remove_file(folder().join(name)).expect("removed"));
        for (name, text) in now.iter().filter(|(name, text)| before.get(*name) != Some(text)) {
            fs::write(folder().join(name), text).expect("written");
        }
        return;
    }
    let mut complaints: Vec<String> = odd.iter().map(|name| format!("{name}: no scene draws this any more")).collect();
    for (name, text) in &now {
        match before.get(name) {
            Some(known) if known == text => {}
            Some(known) => complaints.push(format!("{name} {}", difference(known, text))),
            None => complaints.push(format!("{name}: a new scene, and no file yet:\n{text}")),
        }
    }
    assert!(
        complaints.is_empty(),
        "{}\n{} differ. If this is intended: UPDATE_FRAMES=1 cargo test --lib screen::frames",
        complaints.join("\n"),
        complaints.len()
    );
}

#[test]
fn messages_are_on_the_last_lines() {
    let assert_says = |bench: &Bench, keys: &str, part: &str| {
        let frame = bench.frame();
        let last: Vec<&str> = frame.lines().skip(21).collect();
        assert!(last.join(" ").contains(part), "{keys}: no {part:?} in\n{frame}");
    };
    for (log, keys, part) in MESSAGES {
        let mut bench = Bench::open(log, 80, 24);
        assert_says(bench.keys(keys), keys, part);
    }
    // A log that cannot be read cannot be searched either.
    let mut bench = Bench::of(short_log().as_bytes(), 80, 24);
    cut(bench.keys("l"));
    assert_says(bench.keys("/ <x> Enter"), "a log that was cut", "shorter than when it was read");
}

/// The first part that differs, before and now. The others are mostly the same change at another size.
fn difference(before: &str, now: &str) -> String {
    let parts = |text: &str| text.split("\n=== ").map(str::to_owned).collect::<Vec<_>>();
    let (before, now) = (parts(before), parts(now));
    let place = (0..).find(|at| before.get(*at) != now.get(*at)).unwrap_or(0);
    let part = |parts: &[String]| parts.get(place).cloned().unwrap_or_else(|| "nothing\n".to_owned());
    format!("was\n{}\nand is now\n{}", part(&before), part(&now))
}

/// Whatever the log contains, no cell can control the terminal, and none is wider than its symbol.
#[test]
fn no_frame_holds_hostile_text() {
    for scene in SCENES {
        for cell in &scene.play(120, 40).buffer().content {
            assert!(!cell.symbol().contains(is_hostile), "{}: {:?}", scene.name, cell.symbol());
        }
    }
}

#[test]
fn a_screen_in_ascii_is_in_ascii() {
    let theme = Theme { palette: Palette::Default, ascii: true };
    let mut complaints = Vec::new();
    for scene in SCENES.iter().filter(|scene| scene.log.is_ascii()) {
        for (width, height) in [(60, 15), (120, 40)] {
            let frame = scene.play_themed(width, height, theme).frame();
            let odd = frame.lines().filter(|line| !line.is_ascii());
            complaints.extend(odd.map(|line| format!("{}: {line}", scene.name)));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Colours change no text, so everything can be read without them.
#[test]
fn colours_change_no_text() {
    for scene in SCENES {
        let plain = scene.play_themed(80, 24, Theme { palette: Palette::Plain, ascii: false }).frame();
        let high = scene.play_themed(80, 24, Theme { palette: Palette::HighContrast, ascii: false }).frame();
        assert!(plain == high && plain == scene.play(80, 24).frame(), "{}:\n{plain}\n{high}", scene.name);
    }
}

#[test]
fn without_colours_there_are_none_and_with_contrast_nothing_is_dim() {
    for scene in SCENES {
        let plain = scene.play_themed(120, 40, Theme { palette: Palette::Plain, ascii: false }).buffer();
        assert!(plain.content.iter().all(|cell| cell.fg == Color::Reset), "{}", scene.name);
        let high = scene.play_themed(120, 40, Theme { palette: Palette::HighContrast, ascii: false }).buffer();
        assert!(!high.content.iter().any(|cell| cell.modifier.contains(Modifier::DIM)), "{}", scene.name);
    }
}

/// A scene is played by the keys that it names.
impl Scene {
    fn play(&self, width: u16, height: u16) -> Bench {
        self.play_themed(width, height, Theme::default())
    }

    fn play_themed(&self, width: u16, height: u16, theme: Theme) -> Bench {
        let mut bench = self.log.open(width, height).themed(theme);
        bench.keys(self.keys);
        if let Some(then) = self.then {
            then(&mut bench);
        }
        bench
    }
}

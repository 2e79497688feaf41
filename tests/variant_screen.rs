//! What-if on the screen: changes made by keys, seen against the log, taken back, saved.

use std::path::Path;
use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Rect;
use stepback::loader::Loaded;
use stepback::log::{Log, Options};
use stepback::tui::model::{Mode, Model, Opening};
use stepback::tui::outside::Outside;
use stepback::tui::picture::Look;
use stepback::tui::update::{press, work};
use stepback::tui::view;
use stepback::turn::report::Beside;

struct Bench {
    model: Model,
    outside: Outside,
}

fn load(path: &Path) -> Loaded {
    let log = Log::open(path, &Options::default()).expect("a log");
    let loaded = Loaded::begin(log, Beside::default(), false).expect("a pass");
    loaded.wait_to_end(|_| {}).expect("the end");
    loaded
}

impl Bench {
    fn open(log: &Path) -> Bench {
        let loaded = load(log);
        let opening = Opening::new("demo.json", "turn log", Rect::new(0, 0, 200, 40));
        let mut model = Model::new(opening, Arc::clone(loaded.replay()));
        let log = log.to_owned();
        let mut outside = Outside::new(loaded, Box::new(move || Ok(load(&log))), false, None);
        outside.look(&mut model);
        Bench { model, outside }
    }

    fn demo() -> Bench {
        Bench::open(&Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo.json"))
    }

    fn press(&mut self, code: KeyCode, modifiers: KeyModifiers) {
        let wish = press(&mut self.model, KeyEvent::new(code, modifiers));
        self.outside.fulfil(&mut self.model, wish);
        while work(&mut self.model) || self.outside.is_busy(&self.model) {
            self.outside.look(&mut self.model);
        }
    }

    /// Types characters one by one.
    fn keys(&mut self, keys: &str) -> &mut Self {
        for character in keys.chars() {
            self.press(KeyCode::Char(character), KeyModifiers::NONE);
        }
        self
    }

    fn command(&mut self, text: &str) -> &mut Self {
        self.keys(text);
        self.press(KeyCode::Enter, KeyModifiers::NONE);
        self
    }

    fn frame(&self) -> String {
        view::picture(&self.model, Path::new("frame.txt"), Look::Dark)
    }

    fn says(&self, texts: &[&str]) {
        let frame = self.frame();
        for text in texts {
            assert!(frame.contains(text), "{text}:\n{frame}");
        }
    }
}

#[test]
fn skipping_the_event_that_contradicts_takes_the_finding_away_and_back() {
    let mut bench = Bench::demo();
    bench.keys("fd");
    assert_eq!(bench.model.at().0, 19);
    bench.says(&["what if: 1 change", "seq 19/36", "− gone call call-4 was rejected", "1 finding"]);
    bench.keys("O");
    bench.says(&["as it is; what if has 1 change", "call call-4 was rejected", "seq 20/37"]);
    bench.keys("O").says(&["seq 19/36"]);
    bench.keys("u");
    bench.says(&["taken back: event 19 skipped", "turn/rejected-ran", "seq 19/37"]);
    assert!(!bench.frame().contains("what if:"), "{}", bench.frame());
    bench.keys("U").says(&["made again: event 19 skipped", "what if: 1 change"]);
    bench.keys("uu").says(&["there is no what-if change to take back"]);
}

#[test]
fn an_edited_event_is_replayed_and_bad_json_stays_in_the_editor() {
    let mut bench = Bench::demo();
    bench.keys("fi");
    bench.says(&["What if event 19 were", "\"verdict\": \"rejected\""]);
    // Breaks the JSON: the editor says where.
    bench.keys("x");
    bench.press(KeyCode::Char('s'), KeyModifiers::CONTROL);
    bench.says(&["this is no JSON", "line 1 column 1"]);
    // What is left comes back when the event is edited again.
    bench.press(KeyCode::Esc, KeyModifiers::NONE);
    bench.keys("i").says(&["x{"]);
    bench.press(KeyCode::Delete, KeyModifiers::NONE);
    let Mode::Editor(editor) = &mut bench.model.mode else { panic!("an editor") };
    let text = editor.typed().replace("rejected", "approved");
    editor.text.select_all();
    editor.text.insert_str(text);
    bench.press(KeyCode::Char('s'), KeyModifiers::CONTROL);
    bench.says(&["event 19 edited", "− gone call call-4 was rejected", "approved", "seq 19/37"]);
    assert!(bench.frame().contains("▶ ~19"), "{}", bench.frame());
}

#[test]
fn events_come_twice_earlier_and_later() {
    let mut bench = Bench::demo();
    bench.keys("5gP").says(&["event 5 twice", "seq 6/38", "▶✗+"]);
    bench.keys("J").says(&["event 6 moved to 7", "seq 7/38"]);
    bench.keys("K").says(&["event 7 moved to 6", "seq 6/38", "what if: 3 changes"]);
    bench.keys("gK").says(&["it is the first event already"]);
    bench.keys("GJ").says(&["there is no event 39"]);
}

#[test]
fn a_variant_is_saved_once_and_leaving_it_unsaved_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("variant.jsonl");
    let mut bench = Bench::demo();
    bench.command(":save x.jsonl").says(&["there is no what-if variant to save"]);
    bench.keys("fdq").says(&["is not saved"]);
    assert!(!bench.model.is_over);
    let save = format!(":save {}", path.display());
    bench.command(&save).says(&["37 events saved as"]);
    bench.command(&save).says(&["this file exists; choose another name"]);
    // The saved file holds what the screen showed.
    let mut saved = Bench::open(&path);
    saved.keys("19g").says(&["tool_call_started", "call-4 wave 0", "seq 19/36"]);
    bench.keys("q");
    assert!(bench.model.is_over);
}

#[test]
fn a_variant_takes_no_bookmarks_and_a_log_opened_again_has_no_changes() {
    let mut bench = Bench::demo();
    bench.command("fd:bookmark here").says(&["bookmarks belong to the log as it is"]);
    bench.press(KeyCode::Char('r'), KeyModifiers::CONTROL);
    bench.says(&["the log was opened again", "seq 19/37", "turn/rejected-ran"]);
    bench.command(":reload").says(&["seq 19/37"]);
    bench.keys("O").says(&["there is no variant"]);
}

//! The session picker: keys in, frames out.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use stepback::agent::outline::{Excerpt, outline};
use stepback::picker::fill::Details;
use stepback::picker::list::SessionList;
use stepback::picker::scan::SessionFile;
use stepback::replay::finding::is_hostile;
use stepback::tui::picker::keys::PICKER_KEYS;
use stepback::tui::picker::state::{Choice, Picker};
use stepback::tui::picker::view;
use stepback::tui::picture;
use stepback::tui::theme::Theme;

fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000)
}

/// Files whose number is their age in hours.
fn files(count: usize) -> Arc<[SessionFile]> {
    let file = |number: usize| SessionFile {
        path: PathBuf::from(format!("projects/app/{number:04}.jsonl")),
        bytes: 1000 + number as u64,
        modified: Some(now() - Duration::from_secs(3600 * number as u64)),
    };
    (0..count).map(file).collect()
}

fn session(folder: &str, prompt: &str, end: &str) -> Details {
    let head = format!(
        r#"{{"type":"user","uuid":"1","parentUuid":null,"sessionId":"s","cwd":"/p/{folder}","gitBranch":"main","version":"2.1.200","message":{{"content":"{prompt}"}}}}
{end}"#
    );
    Details::Session(Box::new(outline(&Excerpt { head: head.as_bytes(), tail: None }).expect("a session")))
}

const ANSWER: &str = r#"{"type":"assistant","uuid":"2","parentUuid":"1","sessionId":"s","message":{"id":"m","model":"big","stop_reason":"end_turn","content":[{"type":"text","text":"It was the time zone."}],"usage":{"input_tokens":148000,"output_tokens":30}}}"#;
const INTERRUPT: &str = r#"{"type":"user","uuid":"2","parentUuid":"1","sessionId":"s","message":{"content":"[Request interrupted by user]"}}"#;

struct Desk {
    picker: Picker,
}

impl Desk {
    fn new() -> Desk {
        let mut picker = Picker::new(SessionList::new(files(6)), Theme::default(), now());
        let news = [
            (0, session("parser", "fix the date parser\\nand add a test for leap years", ANSWER)),
            (1, session("lexer", "why is it slow", INTERRUPT)),
            (2, Details::NotASession),
            (3, Details::Unreadable("permission denied".into())),
            (4, session("shop", "\\u001b[2J\\u202eowned", "")),
        ];
        picker.learn(news.into_iter());
        Desk { picker }
    }

    fn keys(&mut self, names: &str) -> Option<Choice> {
        let mut choice = None;
        for name in names.split(' ') {
            let (modifiers, name) =
                name.strip_prefix("Ctrl-").map_or((KeyModifiers::NONE, name), |rest| (KeyModifiers::CONTROL, rest));
            let code = match name {
                "Enter" => KeyCode::Enter,
                "Esc" => KeyCode::Esc,
                "Up" => KeyCode::Up,
                "Down" => KeyCode::Down,
                "PageUp" => KeyCode::PageUp,
                "PageDown" => KeyCode::PageDown,
                "Home" => KeyCode::Home,
                "End" => KeyCode::End,
                "Backspace" => KeyCode::Backspace,
                letter => KeyCode::Char(letter.chars().next().expect("a letter")),
            };
            let action = self.picker.press(KeyEvent::new(code, modifiers));
            choice = action.and_then(|action| self.picker.act(action));
        }
        choice
    }

    fn typed(&mut self, text: &str) -> &mut Desk {
        for letter in text.chars() {
            assert_eq!(self.picker.press(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE)), None);
        }
        self
    }

    fn frame(&self, width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("memory");
        terminal.draw(|frame| view::draw(&self.picker, frame)).expect("memory");
        picture::text(terminal.backend().buffer())
    }

    /// The number of the selected file.
    fn selected(&self) -> Option<String> {
        let path = &self.picker.selected()?.file.path;
        path.file_stem().map(|stem| stem.to_string_lossy().into_owned())
    }
}

#[test]
fn the_list_is_there_before_anything_is_read() {
    let desk = Desk { picker: Picker::new(SessionList::new(files(3)), Theme::default(), now()) };
    let frame = desk.frame(80, 24);
    for text in ["3 sessions  reading…", "0000.jsonl", "0002.jsonl", "now", "2 h", "1.0 kB", "not read yet", "Esc quit"]
    {
        assert!(frame.contains(text), "{text}:\n{frame}");
    }
}

#[test]
fn rows_and_preview_say_what_was_read() {
    let desk = Desk::new();
    for (width, height) in [(80, 24), (120, 40)] {
        let frame = desk.frame(width, height);
        for text in [
            "parser",
            "✓",
            "fix the date parser and add",
            "148k",
            "⊘ lexer",
            "permission denied",
            "Claude Code 2.1.200 · big",
            "❯ fix the date parser",
            "◆ It was the time zone.",
            "Ctrl-e example",
        ] {
            assert!(frame.contains(text), "{text}:\n{frame}");
        }
        assert!(!frame.contains("0002.jsonl"), "it is not a session:\n{frame}");
    }
}

#[test]
fn typing_searches_and_enter_opens() {
    let mut desk = Desk::new();
    assert_eq!(desk.typed("leap").selected().as_deref(), Some("0000"));
    assert!(desk.frame(80, 24).contains("1 of 6 sessions"), "{}", desk.frame(80, 24));
    assert_eq!(desk.keys("Ctrl-u"), None);
    assert_eq!(desk.typed("slow lex").selected().as_deref(), Some("0001"));
    assert_eq!(desk.keys("Enter"), Some(Choice::Session("projects/app/0001.jsonl".into())));
    desk.keys("Ctrl-w");
    assert_eq!(desk.picker.query(), "slow ");
    desk.keys("Backspace Backspace");
    assert_eq!(desk.picker.query(), "slo");
    desk.typed("zzz");
    assert!(desk.frame(80, 24).contains("no session matches so far"));
    assert_eq!((desk.keys("Enter"), desk.selected()), (None, None));
    assert_eq!(desk.keys("Ctrl-e"), Some(Choice::Demo));
    assert_eq!(desk.keys("Esc"), Some(Choice::Quit));
    assert_eq!(desk.keys("Ctrl-c"), Some(Choice::Quit));
}

#[test]
fn the_selection_moves_and_stays_on_its_session() {
    let mut desk = Desk { picker: Picker::new(SessionList::new(files(50)), Theme::default(), now()) };
    for (keys, selected) in [
        ("Down Down", "0002"),
        ("Up", "0001"),
        ("PageDown", "0011"),
        ("End", "0049"),
        ("Down", "0049"),
        ("PageUp", "0039"),
        ("Home Up", "0000"),
        ("Ctrl-n Ctrl-n Ctrl-p Down", "0002"),
    ] {
        desk.keys(keys);
        assert_eq!(desk.selected().as_deref(), Some(selected), "{keys}");
        assert!(desk.frame(80, 24).contains(&format!("{selected}.jsonl")));
    }
    desk.picker.learn([(0, Details::NotASession), (1, Details::NotASession)].into_iter());
    assert_eq!(desk.selected().as_deref(), Some("0002"));
    desk.keys("Home");
    desk.picker.learn((2..50).map(|number| (number, Details::NotASession)));
    assert_eq!(desk.selected(), None);
    assert!(desk.picker.list.is_complete() && desk.frame(80, 24).contains("no session matches"));
}

#[test]
fn every_size_is_drawn_and_nothing_hostile_is() {
    for ascii in [false, true] {
        for (width, height) in [(1, 1), (59, 15), (60, 15), (80, 24), (109, 30), (110, 30), (200, 60)] {
            let mut desk = Desk::new();
            desk.picker.theme.ascii = ascii;
            desk.keys("End Up");
            let frame = desk.frame(width, height);
            let is_bad = |letter: char| letter != '\n' && is_hostile(letter);
            assert!(!frame.contains(is_bad), "{frame:?}");
            if width < 60 {
                assert!("this screen is too small".starts_with(frame.trim_end().get(..1).unwrap_or("t")), "{frame}");
            } else {
                assert!(frame.contains("Esc quit"), "{frame}");
            }
            desk.picker.paste("a\u{1b}[2J\nb");
            assert_eq!(desk.picker.query(), "a[2Jb");
        }
    }
}

#[test]
fn every_key_of_the_table_is_handled() {
    for row in PICKER_KEYS {
        for key in row.keys {
            let mut desk = Desk::new();
            desk.typed("parser x");
            desk.keys(key);
            desk.frame(80, 24);
            let has_typed = desk.picker.query().starts_with("parser x") && desk.picker.query().len() > 8;
            assert!(!has_typed, "{key} was typed");
        }
    }
}

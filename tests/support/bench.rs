//! A screen without a terminal: opens a log, types keys, moves the mouse, and returns what is drawn.
//!
//! Requests to the host are recorded. Bookmarks are kept in memory, so that tests can see them.

#![allow(dead_code)] // Every test uses some of it, none all.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use stepback::loader::Loaded;
use stepback::log::{Log, Options};
use stepback::replay::Seq;
use stepback::replay::bookmark::Bookmarks;
use stepback::tui::host::{Host, OtherLog};
use stepback::tui::model::{Model, Opening};
use stepback::tui::news::News;
use stepback::tui::request::Request;
use stepback::tui::theme::Theme;
use stepback::tui::update::{mouse, news, press, resized, work};
use stepback::tui::whatif::state::WhatIf;
use stepback::tui::{picture, view};

pub(super) const DEMO: &str = "assets/demo.json";

pub(super) struct Bench {
    pub model: Model,
    /// All requests, the latest at the end.
    pub requests: Vec<Request>,
    pub bookmarks: Bookmarks,
    /// The path of the log.
    pub path: PathBuf,
    /// Whether a key that starts minimizing waits until it is done.
    pub waits: bool,
    host: Host,
    /// Kept while the log is open.
    _folder: Option<tempfile::TempDir>,
}

fn load(path: &Path) -> Loaded {
    let log = Log::open(path, &Options::default()).expect("a log");
    let loaded = Loaded::begin_log_only(log, false).expect("a pass");
    loaded.wait_to_end(|_| {}).expect("the end");
    loaded
}

impl Bench {
    /// A log of the repository.
    pub(super) fn open(log: &str, width: u16, height: u16) -> Bench {
        Bench::at(&Path::new(env!("CARGO_MANIFEST_DIR")).join(log), width, height)
    }

    pub(super) fn at(path: &Path, width: u16, height: u16) -> Bench {
        let loaded = load(path);
        let name = path.file_name().and_then(|name| name.to_str()).expect("a plain name");
        let is_tape = name.ends_with(".tape");
        let title = if is_tape { "event tape" } else { "turn log" };
        let opening = Opening::new(name, title, Rect::new(0, 0, width, height));
        let mut model = Model::new(opening, Arc::clone(loaded.replay()));
        model.debugger.set_notes(loaded.notes());
        let (requests, bookmarks) = (Vec::new(), Bookmarks::default());
        let again = path.to_owned();
        let open = |path: &Path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
            // Logs of the repository are named relative to its root, like those opened first.
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
            let from_root = |error: String| error.replace(concat!(env!("CARGO_MANIFEST_DIR"), "/"), "");
            let log = Log::open(&path, &Options::default()).map_err(|error| from_root(error.to_string()))?;
            let loaded = Loaded::begin_log_only(log, false)?;
            Ok(OtherLog { word: name.clone(), name, loaded })
        };
        let host = Host::new(loaded, Box::new(move || Ok(load(&again))), false, None).opening(Arc::new(open));
        Bench { model, requests, bookmarks, path: path.to_owned(), waits: true, host, _folder: None }
    }

    /// A log of these bytes.
    pub(super) fn of(bytes: &[u8], width: u16, height: u16) -> Bench {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log.jsonl");
        std::fs::write(&path, bytes).expect("written");
        let mut bench = Bench::at(&path, width, height);
        bench._folder = Some(folder);
        bench
    }

    pub(super) fn themed(mut self, theme: Theme) -> Bench {
        self.model.opening.theme = theme;
        self
    }

    /// Types keys by name, separated by blanks. Text between `<` and `>` is typed letter by letter.
    pub(super) fn keys(&mut self, keys: &str) -> &mut Self {
        for event in script(keys) {
            self.press(event);
            while work(&mut self.model) {}
        }
        self
    }

    /// Presses one key, without the work of the loop between two keys.
    pub(super) fn press(&mut self, event: KeyEvent) {
        let request = press(&mut self.model, event);
        self.fulfil(request);
    }

    pub(super) fn type_text(&mut self, text: &str) -> &mut Self {
        self.keys(&format!("<{text}> Enter"))
    }

    fn fulfil(&mut self, request: Request) {
        if request == Request::Nothing {
            return;
        }
        if let Request::Keep(edit) = &request {
            self.model.message = Some(match self.bookmarks.apply(edit.clone()) {
                Ok(name) => format!("saved: {name}; ' lists the bookmarks"),
                Err(refused) => refused.to_string(),
            });
            self.model.debugger.set_bookmarks(&self.bookmarks).expect("the log is as it was");
        }
        // Requests that leave the process are replaced by something that a test can inspect.
        if matches!(request, Request::Vary(_) | Request::SaveVariant(_) | Request::Reopen) {
            self.ask_host(request.clone());
            let is_underway = |model: &Model| {
                let compares = |whatif: &WhatIf| whatif.pending.is_some() || !whatif.is_compared();
                model.whatif.as_ref().is_some_and(compares) || model.replay().progress() != model.progress
            };
            while is_underway(&self.model) {
                let news = self.host.look_at_variant(&self.model);
                news::apply(&mut self.model, news);
                if self.model.replay().progress() != self.model.progress {
                    self.model.progressed();
                }
            }
        }
        // A name without a folder would be a file among the sources.
        let stays_away = matches!(&request, Request::SaveMinimized(path) | Request::Export(path) if path.is_relative());
        let is_job = matches!(
            request,
            Request::Compare(_)
                | Request::Minimize(..)
                | Request::SaveMinimized(_)
                | Request::OpenMinimized
                | Request::LookForSecrets
                | Request::Export(_)
        );
        if is_job && !stays_away {
            self.ask_host(request.clone());
        }
        self.compare();
        if self.waits {
            self.minimize();
            self.pack();
        }
        self.requests.push(request);
    }

    fn ask_host(&mut self, request: Request) {
        let news = self.host.fulfil(&self.model, request);
        news::apply(&mut self.model, news);
    }

    fn look(&mut self, look: fn(&mut Host, &Model) -> Vec<News>) {
        let news = look(&mut self.host, &self.model);
        news::apply(&mut self.model, news);
    }

    /// Waits until the other log has been compared.
    pub(super) fn compare(&mut self) -> &mut Self {
        self.look(Host::look_at_comparison);
        while self.host.is_comparing() {
            std::thread::yield_now();
            self.look(Host::look_at_comparison);
        }
        self
    }

    /// Waits until the finding has been minimized.
    pub(super) fn minimize(&mut self) -> &mut Self {
        self.minimize_until(|_| false)
    }

    /// Waits until the finding has been minimized, or the model satisfies a condition.
    pub(super) fn minimize_until(&mut self, is_seen: impl Fn(&Model) -> bool) -> &mut Self {
        self.look(Host::look_at_minimizing);
        while self.host.is_minimizing() && !is_seen(&self.model) {
            std::thread::yield_now();
            self.look(Host::look_at_minimizing);
        }
        self
    }

    /// Waits until the secrets have been found, or the crashpack has been written.
    pub(super) fn pack(&mut self) -> &mut Self {
        self.look(Host::look_at_export);
        while self.host.is_exporting() {
            std::thread::yield_now();
            self.look(Host::look_at_export);
        }
        self
    }

    pub(super) fn mouse(&mut self, kind: MouseEventKind, (column, row): (u16, u16)) -> &mut Self {
        let event = MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
        let request = mouse::mouse(&mut self.model, event);
        self.fulfil(request);
        while work(&mut self.model) {}
        self
    }

    pub(super) fn click(&mut self, at: (u16, u16)) -> &mut Self {
        self.mouse(MouseEventKind::Down(MouseButton::Left), at)
    }

    /// Clicks on the first occurrence of a text.
    pub(super) fn click_on(&mut self, text: &str) -> &mut Self {
        self.click(self.place_of(text))
    }

    pub(super) fn resize(&mut self, width: u16, height: u16) -> &mut Self {
        resized(&mut self.model, width, height);
        self
    }

    pub(super) fn go(&mut self, at: u32) -> &mut Self {
        self.model.debugger.jump(Seq(at));
        self.model.look();
        self
    }

    pub(super) fn buffer(&self) -> Buffer {
        let Rect { width, height, .. } = self.model.screen();
        let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("memory");
        terminal.draw(|frame| view::draw(&self.model, frame)).expect("drawn");
        terminal.backend().buffer().clone()
    }

    pub(super) fn frame(&self) -> String {
        picture::text(&self.buffer())
    }

    /// Column and row of the first occurrence of a text on the screen.
    pub(super) fn place_of(&self, text: &str) -> (u16, u16) {
        let buffer = self.buffer();
        for y in buffer.area.top()..buffer.area.bottom() {
            for x in buffer.area.left()..buffer.area.right() {
                let from_here: String = (x..buffer.area.right()).map(|x| buffer[(x, y)].symbol()).collect();
                if from_here.starts_with(text) {
                    return (x, y);
                }
            }
        }
        panic!("{text:?} is not on the screen:\n{}", self.frame())
    }
}

/// Asserts that all these texts are on the screen.
pub(super) fn says(bench: &Bench, texts: &[&str]) {
    let frame = bench.frame();
    for text in texts {
        assert!(frame.contains(text), "{text}:\n{frame}");
    }
}

/// The keys that a script names.
pub(super) fn script(keys: &str) -> Vec<KeyEvent> {
    let mut events = Vec::new();
    let mut rest = keys.trim_start();
    while !rest.is_empty() {
        if let Some(quoted) = rest.strip_prefix('<') {
            let (text, after) = quoted.split_once('>').expect("an end of the text");
            events.extend(text.chars().map(|letter| KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE)));
            rest = after.trim_start();
        } else {
            let (name, after) = rest.split_once(' ').unwrap_or((rest, ""));
            events.push(key(name));
            rest = after.trim_start();
        }
    }
    events
}

/// A key by its name in the table of keys.
pub(super) fn key(name: &str) -> KeyEvent {
    stepback::tui::key::event(name).unwrap_or_else(|| panic!("{name} is not a key"))
}

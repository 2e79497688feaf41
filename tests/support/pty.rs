//! A program in its own terminal window: types keys and reads the screen. Waits are for something on the screen, with a
//! time limit, and never for a fixed time.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, mpsc};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use vt100::{MouseProtocolMode, Parser, Screen};

/// Much longer than anything takes, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

pub(super) const CTRL_C: &str = "\x03";
pub(super) const CTRL_R: &str = "\x12";
pub(super) const ESCAPE: &str = "\x1b";
pub(super) const ENTER: &str = "\r";
pub(super) const TAB: &str = "\t";

/// A folder with logs, and its own state and configuration.
pub(super) struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    pub(super) fn new() -> Desk {
        Desk { folder: tempfile::tempdir().expect("a folder") }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A command that is isolated from the terminal and the user of the tests.
    pub(super) fn command(&self, program: impl AsRef<OsStr>, arguments: &[&str]) -> CommandBuilder {
        let mut command = CommandBuilder::new(program);
        command.args(arguments);
        command.cwd(self.folder.path());
        command.env_clear();
        command.env("TERM", "xterm-256color");
        command.env("XDG_STATE_HOME", self.path("state"));
        command.env("XDG_CONFIG_HOME", self.path("config"));
        command
    }
}

/// The output of the program.
struct Output {
    parser: Parser,
    raw: Vec<u8>,
    /// The terminal has been closed by its last process.
    closed: bool,
}

struct Shared {
    output: Mutex<Output>,
    changed: Condvar,
    /// Asks the reader to stop.
    hang_up: AtomicBool,
}

impl Shared {
    fn output(&self) -> MutexGuard<'_, Output> {
        self.output.lock().expect("a reader that lives")
    }

    fn read(&self, mut from: Box<dyn Read + Send>) {
        let mut buffer = [0; 1 << 16];
        loop {
            // When the last process has ended, Linux reports an error and other systems the end of the file.
            let count = from.read(&mut buffer).unwrap_or(0);
            if count == 0 || self.hang_up.load(Ordering::Relaxed) {
                break;
            }
            let mut output = self.output();
            output.parser.process(&buffer[..count]);
            output.raw.extend_from_slice(&buffer[..count]);
            drop(output);
            self.changed.notify_all();
        }
        drop(from);
        self.output().closed = true;
        self.changed.notify_all();
    }
}

struct Process(Box<dyn Child + Send + Sync>);

impl Drop for Process {
    fn drop(&mut self) {
        // A failed test leaves no process behind.
        if let Ok(None) = self.0.try_wait() {
            let _ = self.0.kill();
        }
    }
}

pub(super) struct Window {
    master: Box<dyn MasterPty + Send>,
    writer: Box<dyn Write + Send>,
    child: Process,
    shared: Arc<Shared>,
    /// The settings of the terminal before the program started, if they can be printed.
    settings: String,
}

impl Window {
    pub(super) fn open(command: CommandBuilder, columns: u16, rows: u16) -> Window {
        let pair = native_pty_system().openpty(size(columns, rows)).expect("a terminal");
        let settings = settings(&*pair.master);
        let output = Output { parser: Parser::new(rows, columns, 0), raw: Vec::new(), closed: false };
        let shared =
            Arc::new(Shared { output: Mutex::new(output), changed: Condvar::new(), hang_up: AtomicBool::new(false) });
        let reader = pair.master.try_clone_reader().expect("a reader");
        let writer = pair.master.take_writer().expect("a writer");
        let child = Process(pair.slave.spawn_command(command).expect("the program runs"));
        let reads = Arc::clone(&shared);
        std::thread::spawn(move || reads.read(reader));
        Window { master: pair.master, writer, child, shared, settings }
    }

    pub(super) fn keys(&mut self, keys: &str) -> &mut Self {
        self.writer.write_all(keys.as_bytes()).and_then(|()| self.writer.flush()).expect("typed");
        self
    }

    /// Clicks the left button. Columns and rows count from 0.
    pub(super) fn click(&mut self, column: u16, row: u16) -> &mut Self {
        let place = format!("{};{}", column + 1, row + 1);
        self.keys(&format!("\x1b[<0;{place}M\x1b[<0;{place}m"))
    }

    pub(super) fn resize(&mut self, columns: u16, rows: u16) -> &mut Self {
        // The emulated screen is resized first: the next output is drawn for it.
        self.shared.output().parser.screen_mut().set_size(rows, columns);
        self.master.resize(size(columns, rows)).expect("another size");
        self
    }

    /// Waits until all of these are on the screen at once.
    pub(super) fn sees(&mut self, texts: &[&str]) -> &mut Self {
        self.until(&format!("{texts:?}"), |screen| {
            let contents = screen.contents();
            texts.iter().all(|text| contents.contains(text))
        })
    }

    /// Waits for a place in the header.
    pub(super) fn at(&mut self, place: &str) -> &mut Self {
        let place = header_place(place);
        self.until(&place, |screen| row(screen, 0).trim_end().ends_with(&place))
    }

    /// Waits for a screen that satisfies a condition.
    pub(super) fn until(&mut self, what: &str, holds: impl Fn(&Screen) -> bool) -> &mut Self {
        self.wait(what, |output| holds(output.parser.screen()));
        self
    }

    fn wait(&self, what: &str, holds: impl Fn(&Output) -> bool) {
        let end = Instant::now() + PATIENCE;
        let mut output = self.shared.output();
        while !holds(&output) {
            let left = end.saturating_duration_since(Instant::now());
            if output.closed || left.is_zero() {
                let why = if output.closed { "the program ended" } else { "nothing came" };
                let contents = output.parser.screen().contents();
                // A panic while holding the lock would end the reader, too, and mix both messages.
                drop(output);
                panic!("{why} before {what}; the screen:\n{contents}\n");
            }
            output = self.shared.changed.wait_timeout(output, left).expect("a reader that lives").0;
        }
    }

    /// Reads the current screen.
    pub(super) fn read<T>(&self, of: impl Fn(&Screen) -> T) -> T {
        of(self.shared.output().parser.screen())
    }

    /// All bytes received so far.
    pub(super) fn raw(&self) -> Vec<u8> {
        self.shared.output().raw.clone()
    }

    pub(super) fn process_id(&self) -> u32 {
        self.child.0.process_id().expect("a process")
    }

    /// Sends a signal by its name.
    pub(super) fn signal(&mut self, name: &str) -> &mut Self {
        let kill = format!("kill -{name} {}", self.process_id());
        let sent = std::process::Command::new("sh").args(["-c", &kill]).status().expect("a shell");
        assert!(sent.success(), "{kill}");
        self
    }

    /// Waits for the end of the program and for all of its output.
    pub(super) fn exit_code(&mut self) -> u32 {
        let end = Instant::now() + PATIENCE;
        let mut output = self.shared.output();
        while !output.closed {
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "it does not end");
            output = self.shared.changed.wait_timeout(output, left).expect("a reader that lives").0;
        }
        drop(output);
        self.child.0.wait().expect("an end").exit_code()
    }

    /// Closes the terminal like a window, and waits for the end of the program.
    pub(super) fn close(self) {
        let Window { master, mut writer, mut child, shared, .. } = self;
        shared.hang_up.store(true, Ordering::Relaxed);
        // The reader wakes up when something is drawn.
        writer.write_all(b"?").and_then(|()| writer.flush()).expect("typed");
        drop((master, writer));
        let (sender, ended) = mpsc::channel();
        std::thread::spawn(move || sender.send(child.0.wait().map(|status| status.exit_code())));
        ended.recv_timeout(PATIENCE).expect("the program ends with its terminal").expect("an end");
    }

    /// Asserts that the terminal is as it was before the program started.
    pub(super) fn assert_restored(&self) {
        let output = self.shared.output();
        let screen = output.parser.screen();
        let modes = (
            screen.alternate_screen(),
            screen.hide_cursor(),
            screen.bracketed_paste(),
            screen.mouse_protocol_mode() != MouseProtocolMode::None,
        );
        let contents = screen.contents();
        drop(output);
        assert_eq!(modes, (false, false, false, false), "alternate screen, cursor hidden, paste, mouse:\n{contents}");
        assert_eq!(settings(&*self.master), self.settings);
    }

    pub(super) fn has_other_settings(&self) -> bool {
        settings(&*self.master) != self.settings
    }
}

/// A row of the screen. The last one is the footer.
/// `19/37`, the numbers of the current and the last event, as the header shows them.
pub(super) fn header_place(place: &str) -> String {
    let number = |text: &str| text.replace(' ', "").parse::<u64>().expect("a number");
    let (at, last) = place.split_once('/').expect("two numbers");
    format!("#{at} · event {} of {}", grouped(number(at) + 1), grouped(number(last) + 1))
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(" ")
}

pub(super) fn row(screen: &Screen, number: u16) -> String {
    screen.rows(0, screen.size().1).nth(number as usize).unwrap_or_default()
}

pub(super) fn footer(screen: &Screen) -> String {
    row(screen, screen.size().0 - 1)
}

fn size(columns: u16, rows: u16) -> PtySize {
    PtySize { rows, cols: columns, ..PtySize::default() }
}

#[cfg(unix)]
fn settings(master: &dyn MasterPty) -> String {
    format!("{:?}", master.get_termios())
}

/// The benchmark also compiles on systems without these settings.
#[cfg(not(unix))]
fn settings(_: &dyn MasterPty) -> String {
    String::new()
}

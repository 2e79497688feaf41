//! The clipboard: through tmux or the terminal. If neither works, the caller shows the text.
//!
//! Terminals do not confirm that they took a text, so success means only that it was sent.

use std::io::{self, Write};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crossterm::Command as _;
use crossterm::clipboard::CopyToClipboard;

/// The longest text that terminals accept in one sequence, encoded as base64.
const MOST_BASE64: usize = 74_994;
/// GNU screen passes on only short pieces at a time.
const SCREEN_PIECE: usize = 500;
/// tmux answers at once, or not at all.
const PATIENCE: Duration = Duration::from_secs(2);
/// Terminals that would print an unknown sequence, or have no clipboard.
const WITHOUT: [&str; 11] =
    ["", "ansi", "cons25", "dumb", "eterm", "linux", "sun", "unknown", "vt100", "vt102", "vt220"];

/// What the environment says about the terminal.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TerminalEnvironment<'a> {
    /// `$TERM`
    pub term: Option<&'a str>,
    /// `$TMUX`
    pub tmux: Option<&'a str>,
    /// `$STY`, which GNU screen sets.
    pub screen: Option<&'a str>,
}

/// How a text can get to the clipboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClipboardRoute {
    Tmux,
    Terminal,
    /// The terminal around GNU screen.
    Screen,
    None(CopyFailure),
}

/// The result of copying a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CopyResult {
    /// To a tmux buffer, and from there to the clipboard if tmux is configured that way.
    Tmux,
    /// To the terminal. Some ask the user first, some ignore it.
    Terminal,
    /// Not copied: the caller shows the text.
    Shown(CopyFailure),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CopyFailure {
    /// This terminal does not support copying.
    NoWay,
    /// The text is too long for terminals.
    TooLong,
    /// tmux did not take it.
    TmuxFailed,
    /// The terminal could not be written to.
    TerminalFailed,
}

impl CopyFailure {
    pub(crate) const fn sentence(self) -> &'static str {
        match self {
            CopyFailure::NoWay => "this terminal does not support copying",
            CopyFailure::TooLong => "the text is too long for the terminal's clipboard",
            CopyFailure::TmuxFailed => "tmux did not take the text (it must be 3.2 or newer)",
            CopyFailure::TerminalFailed => "the terminal could not be written to",
        }
    }
}

/// How to copy a text of this length.
pub(crate) fn way(around: TerminalEnvironment<'_>, bytes: usize) -> ClipboardRoute {
    let is_set = |variable: Option<&str>| variable.is_some_and(|value| !value.is_empty());
    let term = around.term.unwrap_or("");
    let family = term.split('-').next().unwrap_or(term);
    // Inside both, tmux knows its client, whichever of the two is the inner one.
    if is_set(around.tmux) {
        ClipboardRoute::Tmux
    } else if WITHOUT.contains(&family) {
        ClipboardRoute::None(CopyFailure::NoWay)
    } else if bytes.div_ceil(3).saturating_mul(4) > MOST_BASE64 {
        ClipboardRoute::None(CopyFailure::TooLong)
    } else if is_set(around.screen) {
        ClipboardRoute::Screen
    } else {
        ClipboardRoute::Terminal
    }
}

/// Sends a text to the clipboard.
pub(crate) fn copy(text: &str) -> CopyResult {
    let variable = |name| std::env::var(name).ok();
    let (term, tmux, screen) = (variable("TERM"), variable("TMUX"), variable("STY"));
    let around = TerminalEnvironment { term: term.as_deref(), tmux: tmux.as_deref(), screen: screen.as_deref() };
    match way(around, text.len()) {
        ClipboardRoute::Tmux => {
            let mut command = Command::new("tmux");
            command.args(["load-buffer", "-w", "-"]);
            if feed(command, text, PATIENCE) { CopyResult::Tmux } else { CopyResult::Shown(CopyFailure::TmuxFailed) }
        }
        ClipboardRoute::Terminal => send(sequence(text)),
        ClipboardRoute::Screen => send(sequence(text).map(|sequence| through_screen(&sequence))),
        ClipboardRoute::None(why) => CopyResult::Shown(why),
    }
}

/// OSC 52 with the text in it.
fn sequence(text: &str) -> Option<String> {
    let mut out = String::new();
    CopyToClipboard::to_clipboard_from(text).write_ansi(&mut out).ok()?;
    Some(out)
}

fn send(sequence: Option<String>) -> CopyResult {
    let mut out = io::stdout().lock();
    let sent = sequence.map(|sequence| out.write_all(sequence.as_bytes()).and_then(|()| out.flush()));
    match sent {
        Some(Ok(())) => CopyResult::Terminal,
        _ => CopyResult::Shown(CopyFailure::TerminalFailed),
    }
}

/// The sequence in pieces that GNU screen passes on. The terminator is replaced, since it would end a piece.
fn through_screen(sequence: &str) -> String {
    let body = sequence.strip_suffix("\x1b\\").map_or_else(|| sequence.to_owned(), |body| format!("{body}\x07"));
    let mut out = String::new();
    // The sequence is pure ASCII, since its content is base64.
    for piece in body.as_bytes().chunks(SCREEN_PIECE) {
        out.push_str(&format!("\x1bP{}\x1b\\", String::from_utf8_lossy(piece)));
    }
    out
}

/// Runs a program with the text as its standard input. Returns whether it succeeded in time.
fn feed(mut command: Command, text: &str, patience: Duration) -> bool {
    let started = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let Ok(mut child) = started else { return false };
    let Some(mut input) = child.stdin.take() else { return false };
    let text = text.to_owned();
    // A program that does not read would block the writer, so it has its own thread, which ends with the program.
    let writer = thread::spawn(move || input.write_all(text.as_bytes()).is_ok());
    let deadline = Instant::now() + patience;
    let ended = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status.success(),
            Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(5)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                break false;
            }
        }
    };
    // The program may have left a child behind that holds its input; the time limit applies to that as well.
    while ended && !writer.is_finished() && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(5));
    }
    ended && writer.is_finished() && writer.join().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(term: &'static str) -> TerminalEnvironment<'static> {
        TerminalEnvironment { term: Some(term), ..TerminalEnvironment::default() }
    }

    #[test]
    fn the_route_depends_on_the_terminal_and_the_length() {
        for term in ["xterm-256color", "alacritty", "tmux-256color", "xterm-kitty", "foot"] {
            assert_eq!(way(around(term), 10), ClipboardRoute::Terminal, "{term}");
        }
        for term in ["linux", "linux-16color", "dumb", "", "vt220", "eterm-color"] {
            assert_eq!(way(around(term), 10), ClipboardRoute::None(CopyFailure::NoWay), "{term}");
        }
        assert_eq!(way(TerminalEnvironment::default(), 10), ClipboardRoute::None(CopyFailure::NoWay));
        let most = MOST_BASE64 / 4 * 3;
        assert_eq!(way(around("xterm"), most), ClipboardRoute::Terminal);
        assert_eq!(way(around("xterm"), most + 1), ClipboardRoute::None(CopyFailure::TooLong));
        assert_eq!(way(around("xterm"), usize::MAX), ClipboardRoute::None(CopyFailure::TooLong));
    }

    #[test]
    fn tmux_takes_precedence_and_any_length() {
        let inside = |term, tmux, screen| TerminalEnvironment { term: Some(term), tmux: Some(tmux), screen };
        assert_eq!(way(inside("screen", "socket,1,0", None), usize::MAX), ClipboardRoute::Tmux);
        assert_eq!(way(inside("linux", "socket,1,0", Some("1.tty")), 1), ClipboardRoute::Tmux);
        assert_eq!(way(inside("xterm", "", None), 1), ClipboardRoute::Terminal);
        assert_eq!(way(inside("screen", "", Some("1.tty")), 1), ClipboardRoute::Screen);
        assert_eq!(way(inside("screen", "", Some("1.tty")), 100_000), ClipboardRoute::None(CopyFailure::TooLong));
    }

    #[test]
    fn sequences_contain_base64_only() {
        assert_eq!(sequence("a\x1b[2J").as_deref(), Some("\x1b]52;c;YRtbMko=\x1b\\"));
    }

    #[test]
    fn pieces_for_gnu_screen_add_up_to_the_sequence() {
        let sequence = sequence(&"long ".repeat(300)).expect("a sequence");
        let wrapped = through_screen(&sequence);
        let pieces: Vec<&str> = wrapped.split("\x1b\\").filter(|piece| !piece.is_empty()).collect();
        assert!(pieces.len() > 3 && pieces.iter().all(|piece| piece.len() < 768), "{}", pieces.len());
        let whole: String = pieces.iter().map(|piece| piece.strip_prefix("\x1bP").expect("a wrapping")).collect();
        assert_eq!(whole, sequence.replace("\x1b\\", "\x07"));
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_fails_or_hangs_does_not_block() {
        let shell = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            command
        };
        let long = "x".repeat(1 << 20);
        assert!(feed(shell("test $(wc -c) -eq 1048576"), &long, Duration::from_secs(20)));
        assert!(!feed(shell("cat; exit 1"), "text", Duration::from_secs(20)));
        assert!(!feed(Command::new("stepback-no-such-program"), "text", Duration::from_secs(20)));
        let began = Instant::now();
        assert!(!feed(shell("exec sleep 60"), &long, Duration::from_millis(50)));
        assert!(!feed(shell("sleep 2 <&0 & exit 0"), &long, Duration::from_millis(50)));
        assert!(began.elapsed() < Duration::from_secs(20));
    }
}

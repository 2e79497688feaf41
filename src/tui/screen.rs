//! The terminal: entered, drawn on, and restored, even if the program panics.

use std::io::{self, Stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crossterm::ExecutableCommand;
use crossterm::cursor::Show;
use crossterm::event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture};
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Frame, Terminal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

use super::model::Model;
use super::view;

/// Whether the program owns the terminal. It is restored once, by the loop, a panic or a signal, whichever comes first.
/// Leaving the alternate screen twice would move the cursor back to where the program began, and the next output would
/// overwrite the panic message.
static ENTERED: AtomicBool = AtomicBool::new(false);

/// Held while a frame is drawn, so that a signal does not restore the terminal in the middle of one: the rest would be
/// drawn over the shell, and hide its cursor again.
static DRAWING: Mutex<()> = Mutex::new(());

pub(crate) struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    has_mouse: bool,
}

impl Screen {
    pub(crate) fn enter() -> io::Result<Screen> {
        // The previous hook prints the panic, so the terminal must be restored before it runs.
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            leave();
            previous(panic);
        }));
        enter()?;
        Ok(Screen { terminal: Terminal::new(CrosstermBackend::new(io::stdout()))?, has_mouse: false })
    }

    pub(crate) fn area(&self) -> io::Result<Rect> {
        let size = self.terminal.size()?;
        Ok(Rect::new(0, 0, size.width, size.height))
    }

    /// Captures the mouse, or leaves it to the terminal.
    pub(crate) fn set_mouse(&mut self, wanted: bool) -> io::Result<()> {
        if wanted != self.has_mouse {
            self.has_mouse = wanted;
            if wanted {
                io::stdout().execute(EnableMouseCapture)?;
            } else {
                io::stdout().execute(DisableMouseCapture)?;
            }
        }
        Ok(())
    }

    pub(crate) fn draw(&mut self, model: &Model) -> io::Result<()> {
        self.draw_with(|frame| view::draw(model, frame))
    }

    pub(crate) fn draw_with(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        let _whole = DRAWING.lock().unwrap_or_else(PoisonError::into_inner);
        if !ENTERED.load(Ordering::SeqCst) {
            // Another thread has panicked; its message is on the screen of the shell.
            return Err(io::Error::other("a thread of the program has panicked; its message is above"));
        }
        self.terminal.draw(draw).map(|_| ())
    }

    /// Suspends to the shell, and returns.
    pub(crate) fn suspend(&mut self) -> io::Result<()> {
        leave();
        #[cfg(unix)]
        signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)?;
        enter()?;
        self.has_mouse = false;
        self.redraw()
    }

    /// Redraws the whole terminal.
    pub(crate) fn redraw(&mut self) -> io::Result<()> {
        let area = self.area()?;
        self.terminal.resize(area)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        leave();
    }
}

/// Ends the program when it receives a signal, or when its terminal is gone: then no key will ever arrive, and waiting
/// for one would never end.
pub(crate) fn leave_on_signal() -> io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT, SIGQUIT])?;
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        if let Some(signal) = signals.forever().next() {
            // Held until the end, so that nothing is drawn any more.
            let _whole = DRAWING.lock().unwrap_or_else(PoisonError::into_inner);
            leave();
            crate::exporter::clean_up();
            // The exit code that shells report for a program killed by the signal.
            std::process::exit(128 + signal);
        }
    })?;
    Ok(())
}

fn enter() -> io::Result<()> {
    ENTERED.store(true, Ordering::SeqCst);
    enable_raw_mode()?;
    io::stdout().execute(EnterAlternateScreen)?.execute(EnableBracketedPaste)?;
    Ok(())
}

/// Restores the terminal. Errors are ignored: the terminal may be gone.
fn leave() {
    if !ENTERED.swap(false, Ordering::SeqCst) {
        return;
    }
    let _ = io::stdout().execute(DisableMouseCapture);
    let _ = io::stdout().execute(DisableBracketedPaste);
    let _ = io::stdout().execute(LeaveAlternateScreen);
    let _ = io::stdout().execute(Show);
    let _ = disable_raw_mode();
}

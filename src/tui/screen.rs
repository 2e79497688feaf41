//! The terminal: entered, drawn on, left as it was, also when the program panics.

use std::io::{self, Stdout};

use crossterm::ExecutableCommand;
use crossterm::cursor::Show;
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Size;
use signal_hook::consts::{SIGHUP, SIGTERM};
use signal_hook::iterator::Signals;

use super::model::Model;
use super::view;

pub struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Screen {
    pub fn enter() -> io::Result<Screen> {
        // Whatever hook is there tells the panic; before it does, the terminal must be one again.
        let told = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            leave();
            told(panic);
        }));
        enter()?;
        Ok(Screen { terminal: Terminal::new(CrosstermBackend::new(io::stdout()))? })
    }

    pub fn size(&self) -> io::Result<Size> {
        self.terminal.size()
    }

    pub fn draw(&mut self, model: &Model) -> io::Result<()> {
        self.terminal.draw(|frame| view::draw(model, frame)).map(|_| ())
    }

    /// To the shell and back.
    pub fn suspend(&mut self) -> io::Result<()> {
        leave();
        #[cfg(unix)]
        signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)?;
        enter()?;
        let size = self.terminal.size()?;
        self.terminal.resize(ratatui::layout::Rect::new(0, 0, size.width, size.height))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        leave();
    }
}

/// Ends the program when it is told to, or when its terminal is gone: then nobody can be waited for, and waiting
/// for keys would go on for ever.
pub fn leave_on_signal() -> io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGHUP])?;
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        if let Some(signal) = signals.forever().next() {
            leave();
            // As a shell reports a program that died of the signal.
            std::process::exit(128 + signal);
        }
    })?;
    Ok(())
}

fn enter() -> io::Result<()> {
    enable_raw_mode()?;
    io::stdout().execute(EnterAlternateScreen)?;
    Ok(())
}

/// Nothing can be done where the terminal is gone already.
fn leave() {
    let _ = io::stdout().execute(LeaveAlternateScreen);
    let _ = io::stdout().execute(Show);
    let _ = disable_raw_mode();
}

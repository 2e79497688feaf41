//! Terminal input: keys, pastes, mouse and resizes, read on a thread of their own.
//!
//! The terminal library blocks in the middle of an escape sequence until the rest of it arrives. On a thread of its
//! own this delays neither drawing nor the news from the host. Its feature `use-dev-tty` is needed: the default reader
//! waits for new input while older input is still unread (edge-triggered polling, and one read per wake-up).

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use crossterm::event::{self, Event};

/// When this many events wait, the rest stays in the terminal's own buffer.
const QUEUE_EVENTS: usize = 4096;

pub(crate) struct TerminalInput {
    events: Receiver<io::Result<Event>>,
}

impl TerminalInput {
    /// Starts to read the terminal. The thread lives as long as the program.
    pub(crate) fn start() -> io::Result<TerminalInput> {
        let (sender, events) = sync_channel(QUEUE_EVENTS);
        std::thread::Builder::new().name("input".to_owned()).spawn(move || read(&sender))?;
        Ok(TerminalInput { events })
    }

    /// Waits for the next event, at most for this long.
    pub(crate) fn next(&self, time: Duration) -> io::Result<Option<Event>> {
        match self.events.recv_timeout(time) {
            Ok(event) => event.map(Some),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

/// Ends with the first error, which the receiver gets.
fn read(sender: &SyncSender<io::Result<Event>>) {
    loop {
        let event = event::read();
        let is_end = event.is_err();
        if sender.send(event).is_err() || is_end {
            return;
        }
    }
}

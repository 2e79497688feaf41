//! The session picker: a list of the sessions on this machine with search and preview, shown before a log is open.
//!
//! Files and dates are shown at once; what must be read from the files is filled in while the user looks.

pub(crate) mod keys;
pub(crate) mod state;
pub(crate) mod view;

use std::io;
use std::time::{Duration, Instant};

use crossterm::event::Event;

use super::{BUSY_LOOK, IDLE_LOOK, INPUT_SLICE, Window};
use crate::picker::fill::Filling;
use keys::PickerAction;
use state::{Choice, Picker};

/// Shows the list until the user has chosen. The files are read meanwhile.
pub(crate) fn choose(window: &mut Window, picker: &mut Picker, filling: &Filling) -> io::Result<Choice> {
    let mut is_stale = true;
    loop {
        is_stale |= picker.learn(filling.news());
        if is_stale {
            window.screen.draw_with(|frame| view::draw(picker, frame))?;
        }
        let patience = if picker.list.is_complete() { IDLE_LOOK } else { BUSY_LOOK };
        let mut next = window.input.next(patience)?;
        is_stale = next.is_some();
        let began = Instant::now();
        while let Some(event) = next {
            let action = match event {
                Event::Key(key) => picker.press(key),
                Event::Paste(text) => picker.paste(&text),
                _ => None,
            };
            match action {
                Some(PickerAction::Suspend) => window.screen.suspend()?,
                Some(action) => {
                    if let Some(choice) = picker.act(action) {
                        return Ok(choice);
                    }
                }
                None => {}
            }
            next = if began.elapsed() >= INPUT_SLICE { None } else { window.input.next(Duration::ZERO)? };
        }
    }
}

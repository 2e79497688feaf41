//! The debugger on the screen: a model, actions, one update, one view, and a loop around them.
//!
//! Drawing never changes the model; updating never touches the terminal. Only `screen` does.

pub mod action;
pub mod detail;
pub mod key;
pub mod layout;
pub mod model;
pub mod pane;
mod screen;
pub mod theme;
pub mod update;
pub mod view;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crossterm::event::{self, Event};
use ratatui::layout::Rect;

use crate::loader::{Loaded, News};
use crate::replay::Seq;
use model::Model;
use screen::Screen;
use theme::Theme;
use update::Wish;

/// How often to look at what goes on beside the screen while something does.
const BUSY_LOOK: Duration = Duration::from_millis(50);
/// While nothing goes on there is nothing to look at but the keyboard.
const IDLE_LOOK: Duration = Duration::from_secs(3600);

/// What to open, and how.
pub struct Start {
    pub name: String,
    pub dialect: &'static str,
    pub loaded: Loaded,
    pub at: Option<Seq>,
    pub colours: bool,
}

/// Shows a log until the person has seen enough.
pub fn run(start: Start) -> io::Result<()> {
    let Start { name, dialect, loaded, at, colours } = start;
    // The first events are there at once; the rest comes while somebody looks at them.
    loaded.wait(Duration::from_secs(2), |replay| replay.progress().events > 0);
    let mut screen = Screen::enter()?;
    screen::leave_on_signal()?;
    let size = screen.size()?;
    let area = Rect::new(0, 0, size.width, size.height);
    let mut model = Model::new(name, dialect, Arc::clone(loaded.replay()), Theme { colours }, area);
    if let Some(at) = at {
        model.debugger.jump(at);
        model.look();
    }
    while !model.is_over {
        if loaded.replay().progress() != model.progress {
            update::progressed(&mut model);
        }
        screen.draw(&model)?;
        let is_searching = model.debugger.search.as_ref().is_some_and(|search| !search.is_done(model.replay()));
        let is_behind = loaded.replay().progress() != model.progress;
        let is_busy = !loaded.standing().stopped || is_searching || is_behind;
        let wait = if is_searching {
            Duration::ZERO
        } else if is_busy {
            BUSY_LOOK
        } else {
            IDLE_LOOK
        };
        if event::poll(wait)? {
            // Everything that has been typed is taken before the next frame: none of it is lost or waits for one.
            while !model.is_over && event::poll(Duration::ZERO)? {
                take(&mut model, &mut screen, event::read()?)?;
            }
        }
        if is_searching {
            update::look_further(&mut model);
        }
        if let Some(News::Other(reason)) = loaded.standing().news {
            model.message = Some(format!("{reason}; open it again to see what it is now"));
        }
    }
    Ok(())
}

fn take(model: &mut Model, screen: &mut Screen, event: Event) -> io::Result<()> {
    match event {
        Event::Key(key) if update::press(model, key) == Wish::Suspend => screen.suspend()?,
        Event::Resize(width, height) => {
            model.screen = Rect::new(0, 0, width, height);
            model.settle();
        }
        _ => {}
    }
    Ok(())
}

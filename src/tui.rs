//! The debugger on the screen: a model, actions, one update, one view, and a loop around them.
//!
//! Drawing never changes the model; updating never touches the world. `screen` has the terminal, `outside` the rest.

pub mod action;
pub mod command;
mod footer;
pub mod key;
pub mod layout;
pub mod model;
pub mod outline;
pub mod outside;
pub mod pane;
mod popup;
mod screen;
pub mod theme;
pub mod tour;
pub mod typing;
pub mod update;
pub mod view;

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossterm::event::{self, Event};

use crate::loader::Loaded;
use crate::replay::Seq;
use model::{Model, Opening};
use outside::{Outside, Reopen};
use screen::Screen;
use theme::Theme;
use tour::Tour;
use update::Wish;

/// How often to look at what goes on beside the screen while something does.
const BUSY_LOOK: Duration = Duration::from_millis(50);
/// While nothing goes on there is nothing to look at but the keyboard.
const IDLE_LOOK: Duration = Duration::from_secs(3600);
/// How long the first events may take before there is a screen without them.
const FIRST_WAIT: Duration = Duration::from_secs(2);

/// What to open, and how.
pub struct Start {
    pub name: String,
    pub dialect: &'static str,
    /// What to type so that this log opens again.
    pub command: String,
    pub loaded: Loaded,
    pub reopen: Reopen,
    pub follows: bool,
    pub at: Option<Seq>,
    pub theme: Theme,
    /// Whether somebody opens this for the first time, to learn.
    pub tour: bool,
}

/// Shows a log until the person has seen enough.
pub fn run(start: Start) -> io::Result<()> {
    let Start { name, dialect, command, loaded, reopen, follows, at, theme, tour } = start;
    // The first events are there at once; the rest comes while somebody looks at them.
    loaded.wait(FIRST_WAIT, |replay| replay.progress().events > 0);
    let mut screen = Screen::enter()?;
    screen::leave_on_signal()?;
    let opening = Opening { name, dialect, command, theme, screen: screen.area()? };
    let mut model = Model::new(opening, Arc::clone(loaded.replay()));
    if let Some(at) = at {
        model.debugger.jump(at);
        model.look();
    }
    model.tour = tour.then(Tour::default);
    let mut outside = Outside::new(loaded, reopen, follows);
    let mut played = Instant::now();
    while !model.is_over {
        outside.look(&mut model);
        screen.set_mouse(model.mouse)?;
        screen.draw(&model)?;
        if event::poll(patience(&model, &outside, played))? {
            // Everything that has been typed is taken before the next frame: none of it is lost or waits for one.
            while !model.is_over && event::poll(Duration::ZERO)? {
                take(&mut model, &mut outside, &mut screen, event::read()?)?;
            }
        }
        update::work(&mut model);
        if model.playing.is_some() && played.elapsed() >= update::play::pause(&model) {
            played = Instant::now();
            update::play::tick(&mut model);
        }
    }
    Ok(())
}

/// How long nothing but the keyboard needs to be looked at.
fn patience(model: &Model, outside: &Outside, played: Instant) -> Duration {
    if model.is_busy() {
        return Duration::ZERO;
    }
    let look = if outside.is_busy(model) { BUSY_LOOK } else { IDLE_LOOK };
    match model.playing {
        Some(_) => look.min(update::play::pause(model).saturating_sub(played.elapsed())),
        None => look,
    }
}

fn take(model: &mut Model, outside: &mut Outside, screen: &mut Screen, event: Event) -> io::Result<()> {
    match event {
        Event::Key(key) => match update::press(model, key) {
            Wish::Suspend => screen.suspend()?,
            Wish::Redraw => screen.redraw()?,
            wish => outside.fulfil(model, wish),
        },
        Event::Mouse(mouse) => update::mouse::mouse(model, mouse),
        Event::Paste(text) => update::paste(model, &text),
        Event::Resize(width, height) => update::resized(model, width, height),
        _ => {}
    }
    Ok(())
}

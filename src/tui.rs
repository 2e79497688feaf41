//! The debugger on the screen: a model, actions, one update, one view, and a loop around them.
//!
//! Drawing never changes the model; updating never touches the world. `screen` has the terminal, `outside` the rest.

pub mod action;
pub mod clipboard;
pub mod command;
pub mod config;
pub mod detail;
pub mod exporting;
mod footer;
mod guess;
pub mod key;
pub mod keymap;
pub mod layout;
pub mod minimizing;
pub mod model;
pub mod outline;
pub mod outside;
pub mod pane;
pub mod picture;
mod popup;
mod screen;
pub mod theme;
pub mod tour;
pub mod typing;
pub mod update;
pub mod versus;
pub mod view;
pub mod whatif;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossterm::event::{self, Event};
use ratatui::layout::Rect;

use crate::loader::Loaded;
use crate::replay::target::Target;
use config::Config;
use model::{Model, Opening};
use outside::{FromPack, Open, Outside, Reopen};
use picture::Look;
use screen::Screen;
use theme::Theme;
use tour::Tour;
use update::Wish;

/// How often to look at what goes on beside the screen while something does.
const BUSY_LOOK: Duration = Duration::from_millis(50);
/// The same where nobody types.
const BRIEF_LOOK: Duration = Duration::from_millis(2);
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
    pub open: Open,
    /// What came along, if the log came in a pack.
    pub pack: FromPack,
    /// Another log to compare with.
    pub compare: Option<PathBuf>,
    pub follows: bool,
    /// Where to begin, once the pass has come there.
    pub at: Option<Target>,
    pub theme: Theme,
    pub config: Config,
    /// What is wrong with the configuration.
    pub trouble: Option<String>,
    /// Whether somebody opens this for the first time, to learn.
    pub tour: bool,
}

/// Shows a log until the person has seen enough.
pub fn run(start: Start) -> io::Result<()> {
    // The first events are there at once; the rest comes while somebody looks at them.
    start.loaded.wait(FIRST_WAIT, |replay| replay.progress().events > 0);
    let mut screen = Screen::enter()?;
    screen::leave_on_signal()?;
    let (mut model, mut outside) = begin(start, screen.area()?);
    let (mut played, mut is_stale) = (Instant::now(), true);
    while !model.is_over {
        is_stale |= outside.look(&mut model);
        screen.set_mouse(model.mouse)?;
        // A log that is followed and does not grow costs no frame.
        if is_stale {
            screen.draw(&model)?;
        }
        is_stale = model.is_busy();
        if event::poll(patience(&model, &outside, played))? {
            is_stale = true;
            // Everything that has been typed is taken before the next frame: none of it is lost or waits for one.
            while !model.is_over && event::poll(Duration::ZERO)? {
                take(&mut model, &mut outside, &mut screen, event::read()?)?;
            }
        }
        update::work(&mut model);
        if model.playing.is_some() && played.elapsed() >= update::play::pause(&model) {
            (played, is_stale) = (Instant::now(), true);
            update::play::tick(&mut model);
        }
    }
    Ok(())
}

/// What the screen would show of a log that has been read, for a file.
pub fn picture(start: Start, (columns, rows): (u16, u16), path: &Path, look: Look) -> Result<String, String> {
    let compares = start.compare.is_some();
    let (mut model, mut outside) = begin(start, Rect::new(0, 0, columns, rows));
    outside.look(&mut model);
    while outside.is_comparing() {
        std::thread::sleep(BRIEF_LOOK);
        outside.look(&mut model);
    }
    if compares && model.compared().is_none() {
        return Err(model.message.unwrap_or_else(|| "the logs could not be compared".to_owned()));
    }
    Ok(view::picture(&model, path, look))
}

fn begin(start: Start, screen: Rect) -> (Model, Outside) {
    let Start {
        name,
        dialect,
        command,
        loaded,
        reopen,
        open,
        pack,
        compare,
        follows,
        at,
        theme,
        config,
        trouble,
        tour,
    } = start;
    let Config { keymap, mouse, pinned, detail_rows, .. } = config;
    let opening = Opening { name, dialect, command, theme, keymap, detail_rows, screen };
    let mut model = Model::new(opening, Arc::clone(loaded.replay()));
    let vocabulary = model.replay().vocabulary();
    // Each dialect has its own fields: a name that this one does not know is meant for another.
    pinned.iter().filter_map(|name| vocabulary.field(name)).for_each(|field| model.pinned.insert(field));
    model.mouse = mouse.unwrap_or(true);
    model.message = trouble;
    model.tour = tour.then(Tour::default);
    model.shows_minimized = pack.traces.as_ref().map(|_| pack.minimized);
    // Whoever names a place wants to be there, else where the logs part.
    let from = at.is_none().then(|| model.at());
    let mut outside = Outside::new(loaded, reopen, follows, at).opening(open).of_pack(pack);
    if let Some(other) = compare {
        outside.compare(&mut model, other, from);
    }
    (model, outside)
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

//! The screen of the debugger: a model, actions, one update, one view, and the event loop.
//!
//! Drawing never changes the model. Updating does no IO of its own: it reads the log through `Replay`, and asks the host
//! for everything else. `screen` has the terminal, `host` the files, threads and clipboard.

pub(crate) mod action;
mod clipboard;
mod clock;
pub(crate) mod command;
pub(crate) mod compare;
pub(crate) mod config;
pub(crate) mod detail;
mod events;
pub(crate) mod export;
pub(crate) mod family;
mod finding_order;
mod footer;
pub(crate) mod form;
pub(crate) mod glyph;
mod header;
mod highlight;
pub(crate) mod host;
mod input;
pub(crate) mod inquiry;
mod job;
pub(crate) mod key;
mod keymap;
pub(crate) mod layout;
pub(crate) mod minimize;
pub(crate) mod model;
pub(crate) mod news;
mod overview;
pub(crate) mod palette;
mod pane;
pub(crate) mod picker;
pub(crate) mod picture;
mod pointer;
pub(crate) mod popup;
pub(crate) mod request;
mod screen;
pub(crate) mod script;
pub(crate) mod sentence;
pub(crate) mod theme;
pub(crate) mod tour;
pub(crate) mod typing;
pub(crate) mod update;
pub(crate) mod view;
pub(crate) mod whatif;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossterm::event::Event;
use ratatui::layout::Rect;

use crate::bookmark::memory::{KeptSizes, ScreenMemory};
use crate::loader::Loaded;
use crate::replay::Seq;
use crate::replay::target::Target;
use config::Config;
use family::state::{FindFamily, Visit};
use host::{FIRST_WAIT, FromPack, Host, Open, Reopen};
use input::TerminalInput;
use inquiry::state::Inquire;
use layout::sizes::PaneSizes;
use model::{Model, Opening, ShownLog};
use picture::PictureTheme;
use picture::film::Film;
use request::Request;
use screen::Screen;
use script::KeyScript;
use sentence::Sentence;
use theme::Theme;
use tour::Tour;

/// How often to look for news from the host while it is busy.
const BUSY_LOOK: Duration = Duration::from_millis(50);
/// The same interval if there is no user to wait for.
const BRIEF_LOOK: Duration = Duration::from_millis(2);
/// While the host is idle, only the keyboard needs attention.
const IDLE_LOOK: Duration = Duration::from_secs(3600);
/// After this long a frame is drawn, however much input is left.
const INPUT_SLICE: Duration = Duration::from_millis(50);

/// What to open on the screen, and how.
pub(crate) struct Launch {
    pub name: String,
    pub dialect: &'static str,
    /// The command that opens this log again.
    pub command: String,
    pub loaded: Loaded,
    pub reopen: Reopen,
    pub open: Open,
    /// What the crashpack provides, if the log is from one.
    pub pack: FromPack,
    /// Another log to compare with.
    pub compare: Option<PathBuf>,
    pub follows: bool,
    /// Where to begin, once the pass has reached it.
    pub at: Option<Target>,
    pub theme: Theme,
    pub config: Config,
    /// An error in the configuration.
    pub trouble: Option<String>,
    /// Whether to start the guided tour.
    pub tour: bool,
    pub family: LaunchFamily,
    /// Answers questions about the whole log, if its dialect can.
    pub inquire: Option<Inquire>,
}

/// What the screen needs to visit other logs of the family.
#[derive(Default)]
pub(crate) struct LaunchFamily {
    /// The path of the open log.
    pub own: Option<PathBuf>,
    /// The names of the logs from which this one was entered.
    pub trail: Vec<String>,
    pub find: Option<FindFamily>,
}

/// Opens the log to visit. Gets the event at which this log is left.
pub(crate) type OpenVisit<'v> = dyn FnMut(Visit, Seq) -> Result<Launch, Sentence> + 'v;

/// The terminal, as long as the program owns it.
pub(crate) struct Window {
    screen: Screen,
    input: TerminalInput,
}

impl Window {
    /// Takes over the terminal, once per run of the program: its input is read until the program ends.
    pub(crate) fn open() -> io::Result<Window> {
        let screen = Screen::enter()?;
        screen::leave_on_signal()?;
        Ok(Window { screen, input: TerminalInput::start()? })
    }
}

/// Shows a log, and those that the user visits from it, until the user quits.
pub(crate) fn run(window: Option<Window>, launch: Launch, open_visit: &mut OpenVisit<'_>) -> io::Result<()> {
    // The first events are available at once; the rest is read in the background.
    launch.loaded.wait(FIRST_WAIT, |replay| replay.progress().events > 0);
    let Window { mut screen, input } = window.map_or_else(Window::open, Ok)?;
    let (mut model, mut host) = begin_again(launch, screen.area()?);
    loop {
        show(&mut model, &mut host, &mut screen, &input)?;
        remember(&model, &host);
        let Some(visit) = model.family.visit.take() else { return Ok(()) };
        match open_visit(visit, model.at()) {
            Ok(launch) => {
                launch.loaded.wait(FIRST_WAIT, |replay| replay.progress().events > 0);
                (model, host) = begin_again(launch, screen.area()?);
            }
            Err(reason) => {
                model.is_over = false;
                model.message = Some(reason.to_string());
            }
        }
    }
}

/// Begins as the user left the screen the last time.
fn begin_again(launch: Launch, screen: Rect) -> (Model, Host) {
    let memory = ScreenMemory::load();
    let (mut model, host) = begin(launch, screen);
    let KeptSizes { wide, narrow, rows } = memory.panes.clone();
    // A height in the configuration is what the user wants in every run.
    model.sizes = PaneSizes { wide, narrow, rows: model.opening.detail_rows.or(rows) };
    model.look();
    (model, host.remembering(memory))
}

fn remember(model: &Model, host: &Host) {
    let PaneSizes { wide, narrow, rows } = model.sizes.clone();
    ScreenMemory::change(|memory| {
        let rows = if model.opening.detail_rows.is_some() { memory.panes.rows } else { rows };
        memory.panes = KeptSizes { wide, narrow, rows };
    });
    host.leave(model);
}

/// Shows one log until the user leaves it.
fn show(model: &mut Model, host: &mut Host, screen: &mut Screen, input: &TerminalInput) -> io::Result<()> {
    let (mut played, mut is_stale) = (Instant::now(), true);
    while !model.is_over {
        is_stale |= look(model, host);
        screen.set_mouse(model.mouse)?;
        // A followed log that does not grow costs no frames.
        if is_stale {
            screen.draw(model)?;
        }
        is_stale = model.is_busy();
        let mut next = input.next(patience(model, host, played))?;
        let began = Instant::now();
        // Input that waits is handled before the next frame, so that typing does not wait for drawing.
        while let Some(event) = next {
            is_stale = true;
            take(model, host, screen, event)?;
            let is_enough = model.is_over || began.elapsed() >= INPUT_SLICE;
            next = if is_enough { None } else { input.next(Duration::ZERO)? };
        }
        update::work(model);
        if model.playing && played.elapsed() >= update::play::pause(model) {
            (played, is_stale) = (Instant::now(), true);
            update::play::tick(model);
        }
    }
    Ok(())
}

/// Applies the news of the host. Returns whether there was any.
fn look(model: &mut Model, host: &mut Host) -> bool {
    let mut news = host.look(model);
    news.extend(clock::tick(model));
    let is_new = !news.is_empty();
    update::news::apply(model, news);
    is_new
}

/// Renders the screen of a log that has been read, for a file.
pub(crate) fn picture(
    launch: Launch,
    size: (u16, u16),
    path: &Path,
    theme: PictureTheme,
) -> Result<String, PictureFailed> {
    let (model, _) = begin_to_draw(launch, size)?;
    Ok(view::picture(&model, path, theme))
}

/// Presses the keys of a script on the screen of a log that has been read, and renders every screen, for a file.
pub(crate) fn animation(
    launch: Launch,
    size: (u16, u16),
    script: &KeyScript,
    path: &Path,
    theme: PictureTheme,
) -> Result<String, PictureFailed> {
    let (mut model, mut host) = begin_to_draw(launch, size)?;
    let labels = script.steps.iter().map(|step| step.label.clone()).collect();
    let mut film = Film::new(path, theme, size, labels);
    let command = format!("$ {}", model.opening.command);
    hold(&mut model, &mut host, script.opening, |model, time| film.add(&view::buffer(model), None, &command, time));
    for (number, step) in script.steps.iter().enumerate() {
        let words = match step.keys.as_slice() {
            [key] => update::words(&model, *key),
            _ => "type this text",
        };
        for key in &step.keys {
            let request = update::press(&mut model, *key);
            // There is no terminal whose clipboard could be meant.
            if !matches!(request, Request::Copy(..)) {
                let news = host.fulfil(&model, request);
                update::news::apply(&mut model, news);
            }
            settle(&mut model, &mut host);
        }
        if model.is_over {
            return Err(PictureFailed(format!("the key {} leaves the screen, so it cannot be shown", step.label)));
        }
        let mut add = |model: &Model, time| film.add(&view::buffer(model), Some(number), words, time);
        hold(&mut model, &mut host, step.hold, &mut add);
    }
    Ok(film.finish())
}

fn begin_to_draw(launch: Launch, (columns, rows): (u16, u16)) -> Result<(Model, Host), PictureFailed> {
    let compares = launch.compare.is_some();
    let (mut model, mut host) = begin(launch, Rect::new(0, 0, columns, rows));
    settle(&mut model, &mut host);
    if compares && model.compared().is_none() {
        return Err(PictureFailed(model.message.unwrap_or_else(|| "the logs could not be compared".to_owned())));
    }
    Ok((model, host))
}

/// Waits until everything that was started is done.
fn settle(model: &mut Model, host: &mut Host) {
    loop {
        let has_news = look(model, host);
        let has_more = update::work(model);
        if !has_news && !has_more {
            if !host.is_busy(model) {
                return;
            }
            std::thread::sleep(BRIEF_LOOK);
        }
    }
}

/// Shows the screen for this long. While it plays, it changes meanwhile.
fn hold(model: &mut Model, host: &mut Host, mut time: Duration, mut show: impl FnMut(&Model, Duration)) {
    while model.playing {
        let pause = update::play::pause(model);
        if pause >= time {
            break;
        }
        show(model, pause);
        time -= pause;
        update::play::tick(model);
        settle(model, host);
    }
    show(model, time);
}

/// Why there is no picture. A sentence for the user.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct PictureFailed(String);

fn begin(launch: Launch, screen: Rect) -> (Model, Host) {
    let Launch {
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
        family,
        inquire,
    } = launch;
    let Config { keymap, mouse, pinned, detail_rows, .. } = config;
    let LaunchFamily { own, trail, find } = family;
    let opening = Opening { name, dialect, command, theme, keymap, detail_rows, screen, trail };
    let mut model = Model::new(opening, Arc::clone(loaded.replay()));
    let vocabulary = model.replay().vocabulary();
    // Each dialect has its own fields, so an unknown name may belong to another dialect.
    pinned.iter().filter_map(|name| vocabulary.field(name)).for_each(|field| model.pinned.insert(field));
    model.mouse = mouse.unwrap_or(true);
    model.follows = follows;
    model.message = trouble;
    model.tour = tour.then(Tour::default);
    model.family.own = own;
    model.inquiry.is_open = inquire.is_some();
    model.shown_log = ShownLog::One(pack.form());
    // Without a place to begin at, a comparison begins at the first difference.
    let from = at.is_none().then(|| model.at());
    let mut host =
        Host::new(loaded, reopen, follows, at).opening(open).with_pack(pack).with_family(find).inquiring(inquire);
    if let Some(other) = compare {
        let news = host.compare(other, from);
        update::news::apply(&mut model, [news]);
    }
    (model, host)
}

/// How long to wait for input.
fn patience(model: &Model, host: &Host, played: Instant) -> Duration {
    if model.is_busy() {
        return Duration::ZERO;
    }
    let look = if host.is_busy(model) { BUSY_LOOK } else { IDLE_LOOK };
    match model.playing {
        true => look.min(update::play::pause(model).saturating_sub(played.elapsed())),
        false => look,
    }
}

fn fulfil(model: &mut Model, host: &mut Host, screen: &mut Screen, request: Request) -> io::Result<()> {
    match request {
        Request::Suspend => screen.suspend()?,
        Request::Redraw => screen.redraw()?,
        request => {
            let news = host.fulfil(model, request);
            update::news::apply(model, news);
        }
    }
    Ok(())
}

fn take(model: &mut Model, host: &mut Host, screen: &mut Screen, event: Event) -> io::Result<()> {
    match event {
        Event::Key(key) => {
            let request = update::press(model, key);
            fulfil(model, host, screen, request)?;
        }
        Event::Mouse(mouse) => {
            let request = update::mouse::mouse(model, mouse);
            fulfil(model, host, screen, request)?;
        }
        Event::Paste(text) => update::paste(model, &text),
        Event::Resize(width, height) => update::resized(model, width, height),
        _ => {}
    }
    Ok(())
}

//! `stepback [FILE]` on a terminal: opens the screen, or saves a picture of it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use color_eyre::eyre::{self, WrapErr};

use super::args::{Arguments, OptionalInput, ReadOptions};
use super::exit::Exit;
use super::inquiry::inquirer;
use super::open::pack::finding_place;
use super::open::{open_or_demo, open_path, shell_word};
use super::paint::Paint;
use super::pick::{self, Picked};
use super::replayed::{ReplayedLog, note};
use super::visits::FamilyVisits;
use crate::crashpack_folder;
use crate::loader::Loaded;
use crate::replay::target::Target;
use crate::tui::config::{self, Config};
use crate::tui::form::PackTrace;
use crate::tui::host::{FromPack, Open, OpenTrace, OtherLog};
use crate::tui::picture::PictureTheme;
use crate::tui::sentence::Sentence;
use crate::tui::theme::{Palette, Theme};
use crate::tui::{self, Launch, LaunchFamily};
use crate::wholefile::{Destination, Existing, WholeFile};

pub(super) fn run(arguments: &Arguments, paint: &Paint) -> eyre::Result<Exit> {
    let (config, trouble) = configured();
    let theme = theme(arguments, &config, paint.is_on());
    let Picked { window, input, opened } = match wants_picker(arguments) {
        true => match pick::choose(&config, theme)? {
            Some(picked) => picked,
            None => return Ok(Exit::Clean),
        },
        false => Picked { window: None, input: arguments.input.clone(), opened: open_or_demo(&arguments.input)? },
    };
    // The built-in example is for newcomers, so it starts with the tour.
    let tour = input.file.is_none() && arguments.at.is_none();
    let damage = opened.log.found.first().map(|damage| {
        format!(
            "this crashpack is damaged and proves nothing: {} ({} in all)",
            damage.message(),
            opened.log.found.len()
        )
    });
    let trouble = damage.or(trouble);
    let (family, follows) = (FamilyVisits::of(&opened.log), arguments.follow);
    let replayed = ReplayedLog::begin(opened, follows)?;
    let view = FirstView { input, ..FirstView::of(arguments) };
    let launch = Launch { tour, trouble, family: family.launch(), ..start(view, replayed, config, theme) };
    let mut visits = family;
    tui::run(window, launch, &mut |visit, at| {
        let launch = visits.open(visit, at, follows, theme);
        launch.map_err(|error| Sentence::from(error.to_string()))
    })?;
    Ok(Exit::Clean)
}

/// Whether to ask which session to open: only if the user has said nothing about what to open.
fn wants_picker(arguments: &Arguments) -> bool {
    arguments.input.file.is_none() && arguments.at.is_none() && !arguments.demo
}

/// Saves the screen to a file, without a terminal.
pub(super) fn save(arguments: &Arguments, path: &Path) -> eyre::Result<Exit> {
    Destination::new(path, arguments.input.file.as_deref(), Existing::unless_forced(arguments.screen.force))?;
    let (config, trouble) = configured();
    if let Some(trouble) = &trouble {
        note(trouble);
    }
    let theme = theme(arguments, &config, true);
    let replayed = ReplayedLog::begin(open_or_demo(&arguments.input)?, false)?;
    replayed.finish(arguments.input.file.as_deref())?;
    let at = match &arguments.at {
        Some(target) => Some(Target::Event(replayed.resolve(target)?.0)),
        None => replayed.finding.clone(),
    };
    let start = Launch { at, ..start(FirstView::of(arguments), replayed, config, theme) };
    let look = if arguments.screen.light { PictureTheme::Light } else { PictureTheme::Dark };
    let size = arguments.screen.size;
    let picture = match &arguments.screen.keys {
        Some(script) => tui::animation(start, size, script, path, look)?,
        None => tui::picture(start, size, path, look)?,
    };
    let failed = || format!("{}: cannot be written", path.display());
    let mut file = WholeFile::create(path).wrap_err_with(failed)?;
    file.write_all(picture.as_bytes()).and_then(|()| file.finish()).wrap_err_with(failed)?;
    Ok(Exit::Clean)
}

/// The user's configuration; or the defaults, and what is wrong with the configuration.
pub(super) fn configured() -> (Config, Option<String>) {
    match config::load() {
        Ok(config) => (config, None),
        Err(bad) => (Config::default(), Some(format!("{bad}; using the defaults"))),
    }
}

/// The theme: command-line options win over the configuration, and that over the terminal.
fn theme(arguments: &Arguments, config: &Config, colours: bool) -> Theme {
    let typed = arguments.screen.theme.as_deref().and_then(Palette::by_name);
    let palette = match typed {
        Some(palette) => palette,
        None if !colours => Palette::Plain,
        None => config.theme.unwrap_or_default(),
    };
    Theme { palette, ascii: arguments.screen.ascii || config.ascii.unwrap_or(false) }
}

/// Opens the log to compare with, with the options of the shown log except for its sidecars.
fn opener(reading: &ReadOptions, follows: bool) -> Open {
    let reading = ReadOptions { session: None, live: None, artifacts: None, ..reading.clone() };
    Arc::new(move |path: &Path| {
        if path.as_os_str() == "-" {
            return Err("the screen cannot compare with standard input; name a file".into());
        }
        let opened = open_path(path, &reading)?;
        let name = opened.log.name.clone();
        let word = shell_word(&name);
        let loaded = Loaded::begin(opened.log, opened.sidecars, follows)?;
        Ok(OtherLog { name, word, loaded })
    })
}

/// Opens the recorded or the minimized trace of the shown crashpack.
fn open_trace(input: &OptionalInput, follows: bool) -> OpenTrace {
    let input = input.clone();
    Box::new(move |trace| {
        let mut input = input.clone();
        input.reading.minimized = trace == PackTrace::Minimized;
        let opened = open_or_demo(&input)?;
        let finding = finding_place(&opened, input.reading.minimized);
        let loaded = Loaded::begin(opened.log, opened.sidecars, follows)?;
        Ok((loaded, finding))
    })
}

/// What to show at first.
pub(super) struct FirstView {
    pub input: OptionalInput,
    pub follows: bool,
    pub compare: Option<PathBuf>,
    pub at: Option<Target>,
}

impl FirstView {
    fn of(arguments: &Arguments) -> FirstView {
        FirstView {
            input: arguments.input.clone(),
            follows: arguments.follow,
            compare: arguments.compare.clone(),
            at: arguments.at.clone(),
        }
    }
}

pub(super) fn start(view: FirstView, replayed: ReplayedLog, config: Config, theme: Theme) -> Launch {
    let FirstView { input, follows, compare, at } = view;
    let ReplayedLog { name, command, dialect, loaded, bookmarks, finding } = replayed;
    let is_pack = input.file.as_deref().is_some_and(crashpack_folder::is_pack);
    let open_trace = is_pack.then(|| open_trace(&input, follows));
    let trace = if input.reading.minimized { PackTrace::Minimized } else { PackTrace::Recorded };
    let pack = FromPack { open_trace, trace, bookmarks };
    let open = opener(&input.reading, follows);
    let inquire = inquirer(&input, dialect);
    let reopen = move || {
        let opened = open_or_demo(&input)?;
        Ok(Loaded::begin(opened.log, opened.sidecars, follows)?)
    };
    Launch {
        name,
        dialect: dialect.title,
        command,
        loaded,
        reopen: Box::new(reopen),
        pack,
        open,
        // A crashpack opens at its finding.
        at: at.or(finding.filter(|_| compare.is_none())),
        compare,
        follows,
        theme,
        config,
        trouble: None,
        tour: false,
        family: LaunchFamily::default(),
        inquire,
    }
}

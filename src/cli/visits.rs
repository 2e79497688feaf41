//! Visits to the other logs of a family, from the screen: each opens as if it had been named on the command line.

use std::path::PathBuf;

use color_eyre::eyre;

use super::args::{OptionalInput, ReadOptions};
use super::open::open_path;
use super::replayed::ReplayedLog;
use super::screen::{self, FirstView};
use crate::dialect::Dialect;
use crate::log::Log;
use crate::replay::Seq;
use crate::replay::target::Target;
use crate::tui::family::state::{FindFamily, Visit};
use crate::tui::theme::Theme;
use crate::tui::{Launch, LaunchFamily};

/// The log to show, the event to begin at, and the logs from which it was entered.
type VisitPlan = (PathBuf, Option<Target>, Vec<(PathBuf, Seq)>);

pub(super) struct FamilyVisits {
    own: Option<PathBuf>,
    dialect: &'static Dialect,
    /// The logs from which the shown one was entered, and the events at which they were left.
    entered: Vec<(PathBuf, Seq)>,
}

impl FamilyVisits {
    pub(super) fn of(log: &Log) -> FamilyVisits {
        FamilyVisits { own: log.path.clone(), dialect: log.dialect, entered: Vec::new() }
    }

    /// What the screen needs to know about the shown log.
    pub(super) fn launch(&self) -> LaunchFamily {
        let find = || -> Option<FindFamily> {
            let (column, own) = (self.dialect.family?, self.own.clone()?);
            Some(Box::new(move || (column.of_log)(&own)))
        };
        let name =
            |path: &PathBuf| path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let trail = self.entered.iter().map(|(path, _)| name(path)).collect();
        LaunchFamily { own: self.own.clone(), trail, find: find() }
    }

    /// Opens the log to visit. If that fails, the shown log stays.
    pub(super) fn open(&mut self, visit: Visit, left_at: Seq, follows: bool, theme: Theme) -> eyre::Result<Launch> {
        let (path, at, entered) = self.plan(visit, left_at)?;
        let input = OptionalInput { file: Some(path.clone()), reading: ReadOptions::default() };
        let opened = open_path(&path, &input.reading)?;
        let next = FamilyVisits { entered, ..FamilyVisits::of(&opened.log) };
        let replayed = ReplayedLog::begin(opened, follows)?;
        let (config, trouble) = screen::configured();
        *self = next;
        let view = FirstView { input, follows, compare: None, at };
        Ok(Launch { trouble, family: self.launch(), ..screen::start(view, replayed, config, theme) })
    }

    fn plan(&self, visit: Visit, left_at: Seq) -> eyre::Result<VisitPlan> {
        let mut entered = self.entered.clone();
        match visit {
            Visit::Log(path) => {
                // A log on the way here is returned to, not entered again.
                match entered.iter().position(|(before, _)| *before == path) {
                    Some(before) => entered.truncate(before),
                    None => entered.extend(self.own.clone().map(|own| (own, left_at))),
                }
                Ok((path, None, entered))
            }
            Visit::Back => match entered.pop() {
                Some((path, at)) => Ok((path, Some(Target::Event(at.0)), entered)),
                None => Err(eyre::eyre!("this log was not entered from another one")),
            },
        }
    }
}

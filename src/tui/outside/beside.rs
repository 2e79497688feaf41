//! Another log to compare with: opened, read and compared on threads of their own, so that the screen waits for none.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

use crate::compare::verdict::ComparisonVerdict;
use crate::compare::{CompareOptions, Comparison, Trouble};
use crate::loader::{Loaded, News};
use crate::replay::timeline::Replay;
use crate::text::grouped;
use crate::tui::model::Model;
use crate::tui::update::versus::{arrived, end};
use crate::tui::versus::Compared;

/// Another log that was opened.
pub struct Other {
    /// As the person named it.
    pub name: String,
    /// The same for a shell.
    pub word: String,
    pub loaded: Loaded,
}

/// Opens another log, as the one that is shown was opened.
pub type Open = Arc<dyn Fn(&Path) -> Result<Other, String> + Send + Sync>;

/// How far comparing is, and whether anybody still waits for it.
#[derive(Default)]
struct Watched {
    events: AtomicU64,
    is_given_up: AtomicBool,
}

impl Watched {
    fn flow(&self) -> ControlFlow<()> {
        match self.is_given_up.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

enum Stage {
    Opening(JoinHandle<Result<Other, String>>),
    Reading(Loaded),
    Comparing(Loaded, Arc<Watched>, JoinHandle<Result<Compared, String>>),
    Compared(Loaded),
    Over,
}

pub struct Beside {
    pub path: PathBuf,
    stage: Stage,
}

impl Beside {
    pub fn open(open: &Open, path: PathBuf) -> Result<Self, String> {
        let (open, wanted) = (Arc::clone(open), path.clone());
        Ok(Beside { path, stage: Stage::Opening(spawn(move || open(&wanted))?) })
    }

    /// Whether something goes on.
    pub fn is_busy(&self) -> bool {
        matches!(self.stage, Stage::Opening(_) | Stage::Reading(_) | Stage::Comparing(..))
    }

    /// Goes on if a thread has done its part, and tells the model. False when it is over.
    pub fn look(&mut self, model: &mut Model) -> bool {
        match self.next(model) {
            Ok(()) => true,
            Err(reason) => {
                let had_compared = model.compared().is_some();
                end(model);
                let lead = if had_compared { "it cannot be compared any more: " } else { "" };
                model.message = Some(format!("{lead}{reason}"));
                false
            }
        }
    }

    fn next(&mut self, model: &mut Model) -> Result<(), String> {
        self.stage = match std::mem::replace(&mut self.stage, Stage::Over) {
            Stage::Opening(thread) if !thread.is_finished() => Stage::Opening(thread),
            Stage::Opening(thread) => {
                let Other { name, word, loaded } = joined(thread)?;
                if !std::ptr::eq(loaded.replay().vocabulary(), model.replay().vocabulary()) {
                    return Err(format!("{name}: {}", Trouble::OtherDialect));
                }
                if let Some(versus) = &mut model.versus {
                    (versus.name, versus.word) = (name, word);
                }
                read(loaded, model)?
            }
            Stage::Reading(loaded) => read(loaded, model)?,
            Stage::Comparing(loaded, watched, thread) if thread.is_finished() => {
                drop(watched);
                arrived(model, joined(thread)?);
                Stage::Compared(loaded)
            }
            Stage::Comparing(loaded, watched, thread) => {
                let all = u64::from(model.replay().len()) + u64::from(loaded.replay().len());
                let percent = watched.events.load(Ordering::Relaxed) * 100 / all.max(1);
                tell(model, |name| format!("comparing with {name}… {percent} %"));
                Stage::Comparing(loaded, watched, thread)
            }
            Stage::Compared(loaded) if matches!(loaded.standing().news, Some(News::Other(_))) => {
                return Err("the other log is not what it was; :compare FILE compares it as it is now".to_owned());
            }
            Stage::Compared(loaded) => match model.compared() {
                Some(compared) if !compared.is_of(model.debugger.replay()) => {
                    return Err("another log is shown now; :compare FILE compares it".to_owned());
                }
                Some(compared) if compared.is_outgrown() && model.replay().progress().at_end => read(loaded, model)?,
                _ => Stage::Compared(loaded),
            },
            Stage::Over => Stage::Over,
        };
        Ok(())
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        if let Stage::Comparing(_, watched, _) = &self.stage {
            watched.is_given_up.store(true, Ordering::Relaxed);
        }
    }
}

/// Compares once both logs have been read.
fn read(loaded: Loaded, model: &mut Model) -> Result<Stage, String> {
    let standing = loaded.standing();
    if standing.stopped && !loaded.replay().progress().at_end {
        return Err(standing.trouble.unwrap_or_else(|| "the other log could not be read to its end".to_owned()));
    }
    let progress = loaded.replay().progress();
    if !progress.at_end || !model.replay().progress().at_end {
        let events = grouped(u64::from(progress.events));
        let which = |name: &str| if progress.at_end { "the log that is open".to_owned() } else { name.to_owned() };
        tell(model, |name| format!("to compare with {name} ({events} events): reading {}…", which(name)));
        return Ok(Stage::Reading(loaded));
    }
    tell(model, |name| format!("comparing with {name}… 0 %"));
    let watched = Arc::new(Watched::default());
    let (left, right, seen) = (Arc::clone(model.debugger.replay()), Arc::clone(loaded.replay()), Arc::clone(&watched));
    let thread = spawn(move || compared(left, right, &seen))?;
    Ok(Stage::Comparing(loaded, watched, thread))
}

fn compared(left: Arc<dyn Replay>, right: Arc<dyn Replay>, watched: &Watched) -> Result<Compared, String> {
    let told = |trouble: Trouble| trouble.to_string();
    let watch = |events| {
        watched.events.store(events, Ordering::Relaxed);
        watched.flow()
    };
    let comparison = Comparison::made(&*left, &*right, CompareOptions { watch: &watch, ..CompareOptions::default() })
        .map_err(told)?;
    let verdict = comparison.verdict(&*left, &*right).map_err(told)?;
    let (sentence, is_same) = (verdict.sentence(&*left, &*right), verdict == ComparisonVerdict::Same);
    Ok(Compared::new(comparison, (left, right), sentence, is_same))
}

fn tell(model: &mut Model, text: impl Fn(&str) -> String) {
    if let Some(versus) = &mut model.versus {
        versus.doing = Some(text(&versus.name));
    }
}

fn spawn<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<JoinHandle<T>, String> {
    let thread = std::thread::Builder::new().name("compare".to_owned()).spawn(work);
    thread.map_err(|error| format!("no thread to compare on: {error}"))
}

fn joined<T>(thread: JoinHandle<Result<T, String>>) -> Result<T, String> {
    thread.join().unwrap_or_else(|_| Err("comparing came to a sudden end; that is a fault of stepback".to_owned()))
}

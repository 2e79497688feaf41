//! A pack looked through and written on a thread of its own, while the screen stays in use.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use crate::exporter::masks::{Reviewed, review};
use crate::exporter::{self, Given, OnSignal, Order, PackWriter, Redaction, marks};
use crate::loader::Loaded;
use crate::minimize::tester::{MinimizeProgress, Observer};
use crate::replay::bookmark::Bookmarks;
use crate::replay::finding::Finding;
use crate::tui::exporting::Done;
use crate::tui::model::Model;
use crate::tui::update::exporting::arrived;

enum Work {
    Looking(JoinHandle<Result<Vec<Reviewed>, String>>),
    Writing(JoinHandle<Result<Done, String>>),
}

pub struct Packing {
    work: Option<Work>,
    is_given_up: Arc<AtomicBool>,
}

/// Minimizing ends with what it has when nobody waits for the pack any more.
struct UntilGivenUp(Arc<AtomicBool>);

impl Observer for UntilGivenUp {
    fn report(&mut self, _: MinimizeProgress) {}

    fn is_over(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

fn spawn<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<JoinHandle<Result<T, String>>, String> {
    let thread = std::thread::Builder::new().name(name.to_owned());
    thread.spawn(work).map_err(|error| format!("no thread to export on: {error}"))
}

fn joined<T>(thread: JoinHandle<Result<T, String>>) -> Result<T, String> {
    thread.join().unwrap_or_else(|_| Err("exporting came to a sudden end; that is a fault of stepback".to_owned()))
}

impl Packing {
    /// Looks for secrets in all that would be packed.
    pub fn look(loaded: &Loaded, redaction: Redaction, bookmarks: Bookmarks) -> Result<Self, String> {
        let log = exporter::log_of(loaded)?;
        let is_given_up = Arc::<AtomicBool>::default();
        let given_up = Arc::clone(&is_given_up);
        let thread = spawn("review", move || {
            let (marks, given) = (marks::of(&log, &bookmarks), Given::default());
            let gives_up = || given_up.load(Ordering::Relaxed);
            review(&log, &redaction, &marks, &given, &gives_up).map_err(|error| error.to_string())
        })?;
        Ok(Packing { work: Some(Work::Looking(thread)), is_given_up })
    }

    pub fn write(
        loaded: &Loaded,
        (finding, bookmarks): (Arc<Finding>, Bookmarks),
        (redaction, minimize): (Option<Redaction>, bool),
        target: PathBuf,
    ) -> Result<Self, String> {
        let log = exporter::log_of(loaded)?;
        if let Some(reason) = exporter::refusal_of_folder(&target, log.path.as_deref()) {
            return Err(format!("{}: {reason}", target.display()));
        }
        // A signal ends the screen, which drops this, which leaves nothing behind.
        let writer = PackWriter::begin(&target, false, OnSignal::Nothing).map_err(|error| error.to_string())?;
        let is_given_up = Arc::<AtomicBool>::default();
        let mut observer = UntilGivenUp(Arc::clone(&is_given_up));
        let given_up = Arc::clone(&is_given_up);
        let thread = spawn("export", move || {
            let given = Given::default();
            let gives_up = || given_up.load(Ordering::Relaxed);
            let order = Order {
                log: &log,
                finding: &finding,
                minimize,
                redaction: redaction.as_ref(),
                given: &given,
                bookmarks: &bookmarks,
                is_given_up: &gives_up,
            };
            let packed = exporter::export(&order, writer, &mut observer).map_err(|error| error.to_string())?;
            Ok(done(packed, &target))
        })?;
        Ok(Packing { work: Some(Work::Writing(thread)), is_given_up })
    }

    pub fn is_busy(&self) -> bool {
        self.work.is_some()
    }

    /// Tells the model what came out, once something has.
    pub fn look_at(&mut self, model: &mut Model) {
        if model.exporting.as_ref().is_some_and(|exporting| exporting.gives_up) {
            self.is_given_up.store(true, Ordering::Relaxed);
        }
        match self.work.take() {
            Some(Work::Looking(thread)) if thread.is_finished() => match joined(thread) {
                Ok(secrets) => {
                    if let Some(exporting) = &mut model.exporting {
                        exporting.reviewed(secrets);
                    }
                }
                Err(reason) => {
                    // What could not be looked for is not asked for any more.
                    if let Some(exporting) = &mut model.exporting {
                        exporting.redaction.options.patterns.pop();
                        exporting.reviewed(Vec::new());
                    }
                    arrived(model, Err(reason));
                }
            },
            Some(Work::Writing(thread)) if thread.is_finished() => arrived(model, joined(thread)),
            going => self.work = going,
        }
    }
}

impl Drop for Packing {
    fn drop(&mut self) {
        self.is_given_up.store(true, Ordering::Relaxed);
        // A pack is there whole or not at all, also when the program ends meanwhile.
        if let Some(Work::Writing(thread)) = self.work.take() {
            let _ = thread.join();
        }
    }
}

fn done(packed: exporter::Packed, target: &Path) -> Done {
    let exporter::Packed { id, fingerprint, events, names, removals, .. } = packed;
    Done { folder: target.to_owned(), fingerprint, id, events, files: names.len() + 1, removals }
}

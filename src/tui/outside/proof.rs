//! What becomes of a finding: minimized, and packed to be shared. Each on a thread of its own.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::packing::Packing;
use super::smaller::Smaller;
use super::{AT_ONCE, Outside};
use crate::tui::exporting::Exporting;
use crate::tui::minimizing::Minimizing;
use crate::tui::model::{Mode, Model};
use crate::tui::update;

impl Outside {
    pub(super) fn minimize(&mut self, model: &mut Model, number: usize, path: Option<PathBuf>) {
        let findings = model.replay().findings();
        let Some(finding) = findings.list.get(number) else { return };
        match Smaller::begin(&self.loaded, Arc::clone(finding)) {
            Ok(smaller) => {
                self.smaller = Some(smaller);
                update::minimizing::begin(model, finding, path);
            }
            Err(reason) => model.message = Some(reason),
        }
    }

    /// Whether a finding is still being minimized.
    pub fn is_minimizing(&self) -> bool {
        self.smaller.as_ref().is_some_and(Smaller::is_busy)
    }

    /// Looks at how far minimizing is. Whoever has given it up on the screen has given it up here.
    pub fn look_at_smaller(&mut self, model: &mut Model) {
        let Some(smaller) = self.smaller.as_mut().filter(|_| model.minimizing.is_some()) else {
            self.smaller = None;
            return;
        };
        if let Err(reason) = smaller.look(model) {
            (self.smaller, model.minimizing) = (None, None);
            model.message = Some(reason);
            return;
        }
        let minimizing = model.minimizing.as_mut().filter(|minimizing| !minimizing.is_running());
        if let Some(path) = minimizing.and_then(|minimizing| minimizing.save_to.take()) {
            self.save_minimized(model, &path);
        }
    }

    pub(super) fn save_minimized(&mut self, model: &mut Model, path: &Path) {
        let Some(smaller) = &self.smaller else { return };
        model.message = Some(match smaller.save(path) {
            Ok(()) => {
                if let Some(done) = model.minimizing.as_mut().and_then(Minimizing::done_mut) {
                    done.saved = Some(path.to_owned());
                }
                format!("saved as {}, and how it became so small beside it", path.display())
            }
            Err(reason) => reason,
        });
    }

    pub(super) fn open_minimized(&mut self, model: &mut Model) {
        let Some(smaller) = &mut self.smaller else { return };
        match smaller.open() {
            Ok(loaded) => {
                loaded.wait(AT_ONCE, |_| false);
                update::minimizing::opened(model, Arc::clone(loaded.replay()));
            }
            Err(reason) => model.message = Some(reason),
        }
    }

    pub(super) fn look_for_secrets(&mut self, model: &mut Model) {
        let Some(exporting) = &model.exporting else { return };
        match Packing::look(&self.loaded, exporting.redaction.clone(), self.pack.bookmarks.clone()) {
            Ok(packing) => self.packing = Some(packing),
            Err(reason) => {
                (model.exporting, model.mode) = (None, Mode::Normal);
                model.message = Some(reason);
            }
        }
    }

    pub(super) fn export(&mut self, model: &mut Model, path: PathBuf) {
        let Some(exporting) = &model.exporting else { return };
        let findings = model.replay().findings();
        let Some(finding) = findings.list.get(exporting.finding) else { return };
        let about = (Arc::clone(finding), self.pack.bookmarks.clone());
        let how = (exporting.redacts.then(|| exporting.redaction.clone()), exporting.minimizes);
        match Packing::write(&self.loaded, about, how, path) {
            Ok(packing) => self.packing = Some(packing),
            Err(reason) => update::exporting::arrived(model, Err(reason)),
        }
    }

    /// Whether a pack is still being looked through or written.
    pub fn is_packing(&self) -> bool {
        self.packing.as_ref().is_some_and(Packing::is_busy)
    }

    /// Looks at how far the pack is. Whoever left the review has given up looking, but not a pack that is being written.
    pub fn look_at_packing(&mut self, model: &mut Model) {
        if let Some(packing) = &mut self.packing {
            packing.look_at(model);
        }
        let is_wanted = model.exporting.as_ref().is_some_and(Exporting::is_busy);
        if !is_wanted {
            self.packing = None;
        }
    }
}

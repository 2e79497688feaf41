//! Where the screen begins: at the place that the user names, or with the offer to return to where the log was left.

use std::sync::Arc;

use super::Host;
use crate::bookmark::memory::ScreenMemory;
use crate::replay::Seq;
use crate::replay::bookmark::anchor::key;
use crate::replay::target::Target;
use crate::tui::model::Model;
use crate::tui::news::News;

impl Host {
    /// Sets what is known of earlier runs.
    #[must_use]
    pub(crate) fn remembering(mut self, memory: ScreenMemory) -> Self {
        self.memory = Some(memory);
        self
    }

    /// Remembers where the log is left, if it is shown in its original form and has been read.
    pub(crate) fn leave(&self, model: &Model) {
        let is_log = Arc::ptr_eq(model.debugger.replay(), self.loaded.replay());
        let Some(key) = self.log_key().filter(|_| is_log && model.progress.at_end) else { return };
        ScreenMemory::change(|memory| memory.leave(&key, model.at().0));
    }

    fn log_key(&self) -> Option<String> {
        key(&**self.loaded.replay()).ok().flatten()
    }

    /// Reports where the log was left, unless the user is on the way to another place.
    pub(super) fn look_for_left(&mut self, model: &Model) -> Option<News> {
        // The model learns of the end with this news, and an idle screen does not look again.
        if !model.replay().progress().at_end {
            return None;
        }
        let memory = self.memory.take()?;
        let is_free = model.at() == Seq(0) && self.target.is_none() && model.tour.is_none();
        let at = memory.left_at(&self.log_key()?).filter(|at| is_free && *at < model.replay().len())?;
        Some(News::LeftAt(Seq(at)))
    }

    /// Reports the place where the user wanted to begin, once the pass has reached it.
    pub(super) fn look_for_target(&mut self, model: &Model) -> Option<News> {
        let target = self.target.take()?;
        let progress = model.replay().progress();
        if progress.at_end || matches!(target, Target::Event(at) if at < progress.events) {
            return Some(News::GoTo(target));
        }
        // If the user has moved meanwhile, the playhead stays.
        self.target = Some(target).filter(|_| model.at().0 == 0);
        None
    }
}

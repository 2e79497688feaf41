//! The pass over a variant: the original's records and the edited ones, in the order of the variant.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::held::Held;
use super::{Loaded, Opened, Status, cover, spawn, stored};
use crate::log::LogError;
use crate::log::records::RECORD_LIMIT_BYTES;
use crate::replay::Seq;
use crate::replay::finding::Finding;
use crate::replay::index::GROUP;
use crate::replay::pass::Feed;
use crate::replay::source::Gone;
use crate::replay::variant::Variant;
use crate::replay::variant::overlay::Overlay;

impl Loaded {
    /// Starts the pass over a variant of this log. Its replay stands beside the original's, which may be dropped.
    ///
    /// The variant holds the events that it was made of, however far the original's own pass is, and its log ends
    /// behind them: if the original has more, what only the end tells is told of another end. It is judged against
    /// the same snapshot, session and compactions as the original. Damage between the records of the file is not in
    /// it; a record that is no event keeps its place, and its finding.
    pub fn begin_variant(&self, variant: &Variant) -> Result<Loaded, LogError> {
        let Some(opened) = &self.opened else {
            return Err(refused("variant", "change it instead of varying it again"));
        };
        let overlay = self.overlay(variant).map_err(|gone| refused(&opened.log.name, &gone.reason))?;
        if overlay.longest_edited() as usize > RECORD_LIMIT_BYTES {
            let reason = format!("an edited record is longer than a log's may be ({RECORD_LIMIT_BYTES} bytes)");
            return Err(refused(&opened.log.name, &reason));
        }
        let (overlay, opened) = (Arc::new(overlay), Arc::clone(opened));
        let (replay, feed) = (opened.dialect.begin)(Arc::clone(&overlay) as _, &opened.start());
        let status = Arc::new(Status::default());
        let worker = Worker { overlay, opened, feed, status: Arc::clone(&status) };
        let thread = Some(spawn(move || worker.run())?);
        Ok(Loaded { replay, status, thread, opened: None })
    }

    /// The records of a variant of this log.
    pub(super) fn overlay(&self, variant: &Variant) -> Result<Overlay, Gone> {
        Overlay::new(Arc::clone(&self.replay), variant)
    }
}

fn refused(name: &str, reason: &str) -> LogError {
    LogError::Refused { path: name.to_owned(), reason: reason.to_owned() }
}

struct Worker {
    overlay: Arc<Overlay>,
    opened: Arc<Opened>,
    feed: Box<dyn Feed>,
    status: Arc<Status>,
}

impl Worker {
    fn run(mut self) {
        let passed = self.pass();
        self.feed.publish();
        self.status.change(|standing| {
            standing.at_end = passed == Ok(ControlFlow::Continue(()));
            standing.trouble = passed.err().map(|gone| gone.reason);
            standing.stopped = true;
        });
    }

    /// Hands over every record, unless it is cancelled on the way.
    fn pass(&mut self) -> Result<ControlFlow<()>, Gone> {
        let (feed, status) = (&mut self.feed, &self.status);
        let flow = self.overlay.each_record(&mut |span, place, record| {
            feed.record(span, place, record);
            if feed.passed() == 1 || feed.passed().is_multiple_of(GROUP) {
                status.moved.notify_all();
            }
            if status.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if flow.is_continue() {
            let beside = self.found_beside()?;
            self.feed.end(None, beside);
        }
        Ok(flow)
    }

    /// What stands beside the original against the variant.
    fn found_beside(&self) -> Result<Vec<Finding>, Gone> {
        let last = Seq(self.feed.passed().saturating_sub(1));
        if let Some(store) = self.opened.store() {
            let walk = |visit: &mut stored::Visit<'_>| {
                let mut at = Seq(0);
                let _ = self.overlay.each_record(&mut |_, _, record| {
                    visit(at, record);
                    at.0 += 1;
                    ControlFlow::Continue(())
                })?;
                Ok(())
            };
            let status = &*self.status;
            return stored::findings_of(walk, &store, last, &|_| !status.is_cancelled());
        }
        if !cover::is_needed(&self.opened.beside) {
            return Ok(Vec::new());
        }
        let mut held = Held::default();
        let _ = self.overlay.each_record(&mut |_, place, record| {
            held.push(place, record);
            ControlFlow::Continue(())
        })?;
        Ok(cover::of_recording(&held.decode_from(&*self.overlay), &self.opened.beside, last))
    }
}

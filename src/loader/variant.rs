//! The pass over a variant: the original records and the edited ones, in the order of the variant.

use std::any::Any;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use super::{Loaded, Origin, Status, spawn};
use crate::dialect::container::Wrapping;
use crate::dialect::open_log::{DialectError, OpenLog, RecordRead, VisitRecordUntil};
use crate::log::LogError;
use crate::log::records::RECORD_LIMIT_BYTES;
use crate::replay::Seq;
use crate::replay::finding::Finding;
use crate::replay::index::GROUP;
use crate::replay::pass::Feed;
use crate::replay::source::{Gone, Head, Source};
use crate::replay::variant::Variant;
use crate::replay::variant::overlay::Overlay;

impl Loaded {
    /// Starts the pass over a variant of this log. Its replay is independent of the original's, which may be dropped.
    ///
    /// The variant contains the events that the original had when the variant was made, and ends after them. If the
    /// original has grown since, findings that depend on the end of the log can differ. The variant is checked against
    /// the same sidecars as the original. Damage between the records of the file is not part of it; a record that is
    /// not an event keeps its number and its finding.
    pub fn begin_variant(&self, variant: &Variant) -> Result<Loaded, LogError> {
        let Some(origin) = &self.origin else {
            return Err(refused("variant", "this log is already a variant; change that variant instead"));
        };
        let overlay = self.overlay(variant).map_err(|gone| refused(&origin.log.name, &gone.reason))?;
        if overlay.longest_edited() as usize > RECORD_LIMIT_BYTES {
            let reason = format!("an edited record is longer than the limit of {RECORD_LIMIT_BYTES} bytes");
            return Err(refused(&origin.log.name, &reason));
        }
        let (overlay, origin) = (Arc::new(overlay), Arc::clone(origin));
        let (replay, feed) = origin.sidecars.begin(Arc::clone(&overlay) as _);
        let status = Arc::new(Status::default());
        let pass = VariantPass { overlay, origin, feed, status: Arc::clone(&status) };
        let thread = Some(spawn(move || pass.run())?);
        Ok(Loaded { replay, status, thread, origin: None })
    }

    /// The records of a variant of this log.
    pub(super) fn overlay(&self, variant: &Variant) -> Result<Overlay, Gone> {
        Overlay::new(Arc::clone(&self.replay), variant)
    }
}

fn refused(name: &str, reason: &str) -> LogError {
    LogError::Refused { path: name.to_owned(), reason: reason.to_owned() }
}

struct VariantPass {
    overlay: Arc<Overlay>,
    origin: Arc<Origin>,
    feed: Box<dyn Feed>,
    status: Arc<Status>,
}

impl VariantPass {
    fn run(mut self) {
        let passed = self.pass();
        self.feed.publish();
        self.status.change(|standing| {
            standing.at_end = matches!(passed, Ok(ControlFlow::Continue(())));
            standing.trouble = passed.err().map(|error| error.to_string());
            standing.stopped = true;
        });
    }

    /// Passes on every record, until the pass is cancelled.
    fn pass(&mut self) -> Result<ControlFlow<()>, DialectError> {
        let (feed, status) = (&mut self.feed, &self.status);
        let mut gaps = Gaps::of(&self.overlay, self.origin.log.dialect.relink.is_some());
        let mut lost = None;
        let flow = self.overlay.each_record(&mut |record| {
            if let Err(gone) = gaps.each_before(record.original, &mut |removed| feed.removed(removed)) {
                lost = Some(gone);
                return ControlFlow::Break(());
            }
            feed.record(record.span, record.place, record.bytes);
            if feed.passed() == 1 || feed.passed().is_multiple_of(GROUP) {
                status.moved.notify_all();
            }
            if status.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let flow = flow.map_err(gone)?;
        lost.map_or(Ok(()), |lost| Err(gone(lost)))?;
        gaps.each_before(u32::MAX, &mut |removed| self.feed.removed(removed)).map_err(gone)?;
        if flow.is_continue() {
            let last = Seq(self.feed.passed().saturating_sub(1));
            let variant = VariantLog { overlay: &self.overlay, origin: &self.origin };
            let is_wanted = |_| !self.status.is_cancelled();
            let findings = self.origin.sidecars.findings(&variant, last, &is_wanted)?;
            self.feed.end(None, findings);
        }
        Ok(flow)
    }
}

/// The records that a variant leaves out, for dialects whose records refer to each other.
struct Gaps<'o> {
    overlay: &'o Overlay,
    removed: std::iter::Peekable<std::vec::IntoIter<u32>>,
}

impl<'o> Gaps<'o> {
    fn of(overlay: &'o Overlay, matter: bool) -> Gaps<'o> {
        let removed = if matter { overlay.removed() } else { Vec::new() };
        Gaps { overlay, removed: removed.into_iter().peekable() }
    }

    /// Visits those before a record of the original that were not visited yet.
    fn each_before(&mut self, original: u32, visit: &mut dyn FnMut(&[u8])) -> Result<(), Gone> {
        while let Some(removed) = self.removed.next_if(|removed| *removed < original) {
            visit(&self.overlay.original_record(removed)?);
        }
        Ok(())
    }
}

fn gone(gone: Gone) -> DialectError {
    DialectError::Refused(gone.reason)
}

/// A variant as its original's sidecars see it.
struct VariantLog<'v> {
    overlay: &'v Overlay,
    origin: &'v Origin,
}

impl OpenLog for VariantLog<'_> {
    fn name(&self) -> &str {
        &self.origin.log.name
    }

    fn path(&self) -> Option<&Path> {
        self.origin.log.path.as_deref()
    }

    fn container(&self) -> &'static str {
        self.origin.log.container.name()
    }

    fn wrapping(&self) -> Wrapping {
        self.origin.log.wrapping
    }

    fn head(&self) -> Option<&Head> {
        self.overlay.head()
    }

    fn around(&self) -> Option<&(dyn Any + Send + Sync)> {
        self.origin.log.around()
    }

    fn text(&self) -> Result<Vec<u8>, DialectError> {
        Err(DialectError::Refused(format!("{}: a variant is not a file", self.name())))
    }

    fn each_record_until(&self, visit: &mut VisitRecordUntil<'_>) -> Result<Vec<Finding>, DialectError> {
        let mut at = Seq(0);
        let visited = self.overlay.each_record(&mut |record| {
            let (place, record) = (record.place, record.bytes);
            let read = RecordRead { at, place, record, wrapping: self.wrapping() };
            at.0 += 1;
            visit(read)
        });
        visited.map(|_| Vec::new()).map_err(gone)
    }
}

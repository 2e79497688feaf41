//! The thread of the pass: reads records and passes them on, then waits for more if it follows the log.

use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use super::parallel::{Watch, pass_lines, threads_for};
use super::{FileChange, Origin, SidecarResults, Status};
use crate::log::LogError;
use crate::log::holding::{Change, Holding};
use crate::log::records::Mark;
use crate::log::walk::{Met, Walk};
use crate::replay::chunk::ChunkStart;
use crate::replay::pass::Feed;
use crate::replay::source::Span;
use crate::replay::{Place, Seq};

/// How often a followed log is checked for changes.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// The pauses are at least this many times as long as the work at the last end of the log: the checks that need the
/// whole log look at every step again, so the ends of a long log that grows all the time would fill a core.
const PAUSE_PER_WORK: u32 = 10;

pub(super) struct PassThread {
    pub origin: Arc<Origin>,
    pub holding: Holding,
    pub feed: Box<dyn Feed>,
    pub status: Arc<Status>,
    pub follow: bool,
    /// Whether to run the checks.
    pub runs_checks: bool,
}

/// The end of a walk over the log.
struct Ended {
    mark: Option<Mark>,
    next: Seq,
    open_end: bool,
    /// The time from the last record to the results.
    work: Duration,
}

impl PassThread {
    pub(super) fn run(mut self) {
        let trouble = self.pass().err().map(|error| error.to_string());
        self.feed.publish();
        self.status.change(|standing| {
            standing.trouble = trouble;
            standing.stopped = true;
        });
    }

    fn pass(&mut self) -> Result<(), LogError> {
        let mut from = None;
        loop {
            let Some(ended) = self.go_over(from)? else { return Ok(()) };
            self.status.change(|standing| standing.at_end = true);
            if !self.follow || !self.holding.can_change() || !self.wait_for_more(&ended) {
                return Ok(());
            }
            self.feed.resume();
            self.status.change(|standing| standing.at_end = false);
            from = Some((ended.mark, ended.next));
        }
    }

    /// Passes on all whole lines from a place on, decoded on several threads, and returns a walk over the rest. The walk is
    /// over everything if the records are not lines.
    fn go_over_lines(&mut self, from: Option<(Option<Mark>, Seq)>) -> Result<Walk, LogError> {
        let log = Arc::clone(&self.origin.log);
        let place = self.holding.start_of_lines(from.and_then(|(mark, _)| mark));
        let lines = place.and_then(|place| {
            Some((self.holding.lines_from(place)?.stopping_at_odd_lines(log.dialect.joins_lines), place))
        });
        let Some((lines, place)) = lines else { return self.holding.walk(&log, from) };
        let start = ChunkStart { seq: from.map_or(Seq(0), |(_, next)| next), place };
        let status = Arc::clone(&self.status);
        let watch = Watch {
            unwrap: &log.wrapping,
            started: &|_| {},
            passed: &|_| status.moved.notify_all(),
            is_cancelled: &|| status.is_cancelled(),
        };
        let threads = threads_for(self.holding.length_bytes().saturating_sub(place.byte));
        let rest = pass_lines(lines, &mut *self.feed, start, threads, &watch);
        let rest = rest.map_err(|error| LogError::io(&log.name, error))?;
        self.holding.walk(&log, Some((Some(Mark::between_lines(rest.place)), rest.seq)))
    }

    /// Passes on every record from a place on. `None` if the pass was cancelled.
    fn go_over(&mut self, mut from: Option<(Option<Mark>, Seq)>) -> Result<Option<Ended>, LogError> {
        loop {
            let mut walk = self.go_over_lines(from)?;
            let ended = self.go_over_rest(&mut walk)?;
            match self.place_to_go_on(&walk) {
                Some(place) if ended.is_none() && !self.status.is_cancelled() => {
                    from = Some((Some(Mark::between_lines(place)), walk.next()));
                }
                _ => return Ok(ended),
            }
        }
    }

    /// Where a reader of whole lines can take over. A log in memory is read record by record to its end.
    fn place_to_go_on(&self, walk: &Walk) -> Option<Place> {
        walk.place_to_go_on().filter(|_| self.holding.start_of_lines(None).is_some())
    }

    /// Passes on records one by one, until a reader of whole lines can take over. `None` if that is before the end of
    /// the log.
    fn go_over_rest(&mut self, walk: &mut Walk) -> Result<Option<Ended>, LogError> {
        let mut torn = None;
        if self.status.is_cancelled() {
            return Ok(None);
        }
        while let Some((at, met)) = walk.step()? {
            let is_first = at.0 == 0;
            match met {
                Met::Record(place, bytes) => self.feed.record(span(place.byte, bytes), place, bytes),
                Met::Torn(finding, place, bytes) => {
                    let finding = if bytes.is_empty() {
                        finding
                    } else {
                        (self.origin.log.dialect.torn_tail)(at, place, bytes.len())
                    };
                    torn = Some((finding, place, bytes.to_vec()));
                    break;
                }
                Met::Damage(finding, taken) => {
                    let taken = taken.map(|place| (span(place.byte, b""), place, &b""[..]));
                    self.feed.damage(finding, taken);
                }
            }
            if is_first || at.0 % 256 == 255 {
                self.status.moved.notify_all();
            }
            if self.status.is_cancelled() || self.place_to_go_on(walk).is_some() {
                return Ok(None);
            }
        }
        let (mark, next, open_end) = (walk.stream().mark(), Seq(self.feed.passed()), walk.stream().has_open_end());
        let start = Instant::now();
        let status = &*self.status;
        let last = Seq(next.0.saturating_sub(1));
        let Origin { log, sidecars } = &*self.origin;
        let SidecarResults { mut findings, notes } = match self.runs_checks {
            true => SidecarResults::of(log, &**sidecars, last, &|_| !status.is_cancelled())?,
            false => SidecarResults::default(),
        };
        *self.status.notes.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(notes);
        match torn {
            Some((finding, place, bytes)) if !bytes.is_empty() => {
                let torn = (finding, span(place.byte, &bytes), place, bytes.as_slice());
                self.feed.end(Some(torn), findings);
            }
            Some((finding, ..)) => {
                findings.push(finding);
                self.feed.end(None, findings);
            }
            None => self.feed.end(None, findings),
        }
        Ok(Some(Ended { mark, next, open_end, work: start.elapsed() }))
    }

    /// Waits at the end of the log. Returns false if there is nothing more to read.
    fn wait_for_more(&mut self, ended: &Ended) -> bool {
        loop {
            self.status.rest(LOOK_EVERY.max(ended.work * PAUSE_PER_WORK));
            if self.status.is_cancelled() {
                return false;
            }
            let news = match self.holding.look() {
                Change::Nothing => {
                    self.status.change(|standing| standing.news = None);
                    continue;
                }
                Change::Grown if self.continues_after(ended) => return true,
                Change::Grown => FileChange::Other("the last line of the log was rewritten".to_owned()),
                Change::Other(reason) => FileChange::Other(reason.to_owned()),
                Change::Missing => {
                    self.status.change(|standing| standing.news = Some(FileChange::Missing));
                    continue;
                }
            };
            self.status.change(|standing| standing.news = Some(news));
            return false;
        }
    }

    /// Whether the appended bytes leave the last record as it was.
    fn continues_after(&self, ended: &Ended) -> bool {
        let Some(mark) = ended.mark else { return true };
        let next = || self.holding.byte_at(mark.place.byte);
        !ended.open_end || matches!(next(), None | Some(b'\n' | b'\r'))
    }
}

fn span(offset: u64, bytes: &[u8]) -> Span {
    // The reader's limit keeps records far below this length.
    Span { offset, length: u32::try_from(bytes.len()).unwrap_or(u32::MAX) }
}

//! Time limit, Ctrl-C and the progress line of `minimize`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use color_eyre::eyre;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use signal_hook::consts::SIGINT;

use crate::cli::paint::{count, grouped};
use crate::minimize::curve::Curve;
use crate::minimize::tester::{MinimizeProgress, Observer};

/// No progress line is shown before this time.
const PATIENCE: Duration = Duration::from_millis(500);
const REDRAW: Duration = Duration::from_millis(50);
const CURVE_COLUMNS: usize = 24;

pub(crate) struct Watch {
    begun: Instant,
    deadline: Option<Instant>,
    interrupted: Arc<AtomicBool>,
    events: usize,
}

impl Watch {
    /// From now on, Ctrl-C ends the search and keeps the best result; a second one ends the program.
    pub(crate) fn new(events: usize, max_time: Option<Duration>) -> eyre::Result<Watch> {
        let interrupted = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register_conditional_shutdown(SIGINT, 130, Arc::clone(&interrupted))?;
        signal_hook::flag::register(SIGINT, Arc::clone(&interrupted))?;
        let begun = Instant::now();
        Ok(Watch { begun, deadline: max_time.and_then(|time| begun.checked_add(time)), interrupted, events })
    }

    pub(crate) fn was_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    pub(crate) fn is_over_now(&self) -> bool {
        self.was_interrupted() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    pub(crate) fn observer(&self) -> ProgressLine<'_> {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{msg}") {
            bar.set_style(style);
        }
        ProgressLine { watch: self, bar, curve: Curve::from(self.events), drawn: self.begun }
    }
}

/// The progress line on a terminal: how the size decreased, and how long this phase may still take.
pub(crate) struct ProgressLine<'w> {
    watch: &'w Watch,
    bar: ProgressBar,
    curve: Curve,
    drawn: Instant,
}

impl Observer for ProgressLine<'_> {
    fn report(&mut self, progress: MinimizeProgress) {
        self.curve.push(progress.events);
        let elapsed = self.watch.elapsed();
        if elapsed < PATIENCE || self.drawn.elapsed() < REDRAW {
            return;
        }
        if self.bar.is_hidden() {
            // Draws nothing unless standard error is a terminal.
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.drawn = Instant::now();
        let left = progress.seconds_left(elapsed.as_secs_f64()).unwrap_or_default().ceil();
        self.bar.set_message(format!(
            "{}  {} of {} events, {}, {}: at most {left} s left in this phase; Ctrl-C keeps the best result",
            self.curve.bars(CURVE_COLUMNS, 1).concat(),
            grouped(progress.events as u64),
            grouped(self.watch.events as u64),
            count(progress.tests, "test"),
            progress.phase,
        ));
        self.bar.tick();
    }

    fn is_over(&self) -> bool {
        self.watch.is_over_now()
    }
}

impl Drop for ProgressLine<'_> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

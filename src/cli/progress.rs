//! The progress bar for long work, on a terminal only.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// No bar is shown before this time.
const PATIENCE: Duration = Duration::from_millis(500);
/// How many bytes are read between two looks at the clock.
const LOOK_EVERY_BYTES: u64 = 4 << 20;

pub(super) struct ByteProgress {
    bar: ProgressBar,
    started: Instant,
    done: AtomicU64,
}

impl ByteProgress {
    pub(super) fn new(total_bytes: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total_bytes), ProgressDrawTarget::hidden());
        let template = "{bar:30} {percent:>3} %  {bytes} of {total_bytes}  {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        ByteProgress { bar, started: Instant::now(), done: AtomicU64::new(0) }
    }

    /// A bar that is never shown.
    pub(super) fn none() -> Self {
        Self::new(0)
    }

    /// Adds to the expected total.
    pub(super) fn expect(&self, bytes: u64) {
        self.bar.inc_length(bytes);
    }

    /// Hides the bar while `print` writes to the terminal.
    pub(super) fn pause<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Sets the total number of bytes done.
    pub(super) fn set(&self, bytes: u64) {
        let before = self.done.load(Ordering::Relaxed);
        self.add(bytes.saturating_sub(before));
    }

    pub(super) fn add(&self, bytes: u64) {
        let before = self.done.fetch_add(bytes, Ordering::Relaxed);
        if before / LOOK_EVERY_BYTES != (before + bytes) / LOOK_EVERY_BYTES {
            if self.bar.is_hidden() && self.started.elapsed() > PATIENCE {
                // Draws nothing unless standard error is a terminal.
                self.bar.set_draw_target(ProgressDrawTarget::stderr());
            }
            self.bar.set_position(before + bytes);
        }
    }
}

impl Drop for ByteProgress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

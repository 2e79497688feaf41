//! The budget of one run of a filter: its steps and its stack.
//!
//! Every operation on a value draws from the budget of the thread, and so does every 64 bytes and every few elements that
//! it makes: the budget limits time and memory alike. Many operations of a value cannot fail (cloning, converting), and
//! a filter can loop over those alone. Therefore a run that exceeds its budget is left by unwinding, without the panic
//! hook; no `try` of the filter can hold it.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};

#[cfg(panic = "abort")]
compile_error!("a filter that exceeds its budget is left by unwinding");

/// How many steps a filter may take at one event. The slowest steps take about 100 ns.
pub(super) const MOST_STEPS: u64 = 1_000_000;
/// How much of the stack a filter may use. Threads have at least 2 MiB.
const MOST_STACK_BYTES: usize = 1 << 20;
/// How deep the values that a filter makes may be nested.
pub(super) const MOST_LEVELS: u16 = 400;
/// How many keys one after another a filter may follow into a value.
pub(super) const MOST_KEYS: u16 = 3_000;
/// Copying this many bytes counts as a step.
const STEP_BYTES: usize = 64;
/// Reading or writing this many bytes of JSON counts as a step.
const STEP_JSON_BYTES: usize = 16;

/// The limit that a run exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Exceeded {
    #[error("it took more than {MOST_STEPS} steps")]
    Steps,
    #[error("it made a value with more than {MOST_LEVELS} nested levels")]
    Levels,
    #[error("it followed a path of more than {MOST_KEYS} keys")]
    Keys,
    #[error("it called itself too deeply")]
    Stack,
}

thread_local! {
    /// The steps that the current run may still take.
    static LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
    /// An address at the start of the current run's stack; 0 between runs.
    static BASE: Cell<usize> = const { Cell::new(0) };
    /// The steps of all runs on this thread.
    static USED: Cell<u64> = const { Cell::new(0) };
}

/// The steps of all runs on this thread so far.
pub(crate) fn used_steps() -> u64 {
    USED.get()
}

fn stack_address() -> usize {
    let local = 0_u8;
    std::ptr::from_ref(std::hint::black_box(&local)).addr()
}

/// Runs a filter within a fresh budget.
pub(super) fn within_budget<T>(run: impl FnOnce() -> T) -> Result<T, Exceeded> {
    LEFT.set(MOST_STEPS);
    BASE.set(stack_address());
    let ended = panic::catch_unwind(AssertUnwindSafe(run));
    let taken = MOST_STEPS.saturating_sub(LEFT.get());
    end_run();
    match ended {
        Ok(value) => {
            USED.set(USED.get().wrapping_add(taken));
            Ok(value)
        }
        Err(reason) => match reason.downcast::<Exceeded>() {
            Ok(exceeded) => {
                USED.set(USED.get().wrapping_add(MOST_STEPS));
                Err(*exceeded)
            }
            Err(bug) => panic::resume_unwind(bug),
        },
    }
}

fn end_run() {
    LEFT.set(u64::MAX);
    BASE.set(0);
}

/// Leaves the run.
#[cold]
pub(super) fn leave(exceeded: Exceeded) -> ! {
    // Destructors that draw must not unwind a second time.
    end_run();
    panic::resume_unwind(Box::new(exceeded))
}

/// Draws steps.
pub(super) fn draw(steps: u64) {
    let Some(left) = LEFT.get().checked_sub(steps) else { leave(Exceeded::Steps) };
    LEFT.set(left);
    let base = BASE.get();
    if base != 0 && base.abs_diff(stack_address()) > MOST_STACK_BYTES {
        leave(Exceeded::Stack);
    }
}

/// Draws for bytes that are copied or compared.
pub(super) fn draw_bytes(bytes: usize) {
    draw(1 + (bytes / STEP_BYTES) as u64);
}

/// Draws for bytes of JSON that are read or written.
pub(super) fn draw_json(bytes: usize) {
    draw(1 + (bytes / STEP_JSON_BYTES) as u64);
}

/// Draws for elements or members that are copied.
pub(super) fn draw_items(items: usize) {
    draw(1 + items as u64);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_ends_at_its_budget_and_the_next_one_has_its_own() {
        assert_eq!(within_budget(|| (0..=MOST_STEPS).for_each(|_| draw(1))), Err(Exceeded::Steps));
        assert_eq!(within_budget(|| (0..MOST_STEPS).for_each(|_| draw(1))), Ok(()));
        assert_eq!(within_budget(|| draw(u64::MAX)), Err(Exceeded::Steps));
        draw(u64::MAX - 1);
        end_run();
    }

    #[test]
    fn recursion_ends_before_the_stack_does() {
        fn sink(depth: u64) -> u64 {
            draw(1);
            let more = if depth == u64::MAX { 0 } else { sink(depth + 1) };
            std::hint::black_box([depth; 64]).iter().sum::<u64>() + more
        }
        let small = std::thread::Builder::new().stack_size(2 << 20);
        let ended = small.spawn(|| within_budget(|| sink(0))).expect("a thread").join().expect("no overflow");
        assert_eq!(ended, Err(Exceeded::Stack));
    }
}

//! Decoding a log on several threads: each thread takes the next run of lines, decodes it, and passes it on in turn.
//!
//! The results do not depend on the number of threads: records are passed on in the order of the log.

use std::any::Any;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

use crate::log::line_reader::LineReader;
use crate::replay::chunk::{Chunk, ChunkDecoder, ChunkFeed, ChunkStart, Unwrap};

/// Shorter logs are decoded on one thread: starting another takes longer than it saves.
const SHORT_BYTES: u64 = 2 << 20;
/// More threads would only wait for their turns.
const MOST_THREADS: usize = 16;

/// How many threads decode a log of this length.
pub(super) fn threads_for(length_bytes: u64) -> usize {
    if length_bytes < SHORT_BYTES {
        return 1;
    }
    std::thread::available_parallelism().map_or(1, |count| count.get().min(MOST_THREADS))
}

/// What happens besides decoding.
pub(super) struct Watch<'w> {
    /// Finds the event in a record.
    pub unwrap: &'w dyn Unwrap,
    /// Gets the start of each chunk, in order.
    pub started: &'w (dyn Fn(ChunkStart) + Sync),
    /// Gets the number of bytes of each chunk that was passed on.
    pub passed: &'w (dyn Fn(u64) + Sync),
    /// Asked before each chunk.
    pub is_cancelled: &'w (dyn Fn() -> bool + Sync),
}

/// The pass, and whose turn it is.
struct ChunkTurns<'p> {
    pass: &'p mut dyn ChunkFeed,
    /// The number of the chunk that is passed on next, and where it begins.
    chunk: u64,
    start: ChunkStart,
}

/// The input, and the number of its next chunk.
struct LineInput {
    lines: LineReader,
    next: u64,
}

struct SharedLines<'p, 'w> {
    input: Mutex<LineInput>,
    turns: Mutex<ChunkTurns<'p>>,
    moved: Condvar,
    /// A thread has ended without passing its chunk on.
    broken: AtomicBool,
    watch: &'w Watch<'w>,
}

/// Passes on all whole lines from `start`. Returns where the rest begins: the end of the log, a line without an end, or a
/// line that is too long.
pub(super) fn pass_lines(
    lines: LineReader,
    pass: &mut dyn ChunkFeed,
    start: ChunkStart,
    threads: usize,
    watch: &Watch<'_>,
) -> io::Result<ChunkStart> {
    let decoders: Vec<Box<dyn ChunkDecoder>> = (0..threads.max(1)).map(|_| pass.chunk_decoder()).collect();
    let shared = SharedLines {
        input: Mutex::new(LineInput { lines, next: 0 }),
        turns: Mutex::new(ChunkTurns { pass, chunk: 0, start }),
        moved: Condvar::new(),
        broken: AtomicBool::new(false),
        watch,
    };
    let mut results = Vec::new();
    std::thread::scope(|scope| {
        let mut decoders = decoders.into_iter();
        let own = decoders.next();
        let others: Vec<_> = decoders.map(|decoder| scope.spawn(|| shared.work(decoder))).collect();
        results.extend(own.map(|decoder| shared.work(decoder)));
        let lost = || Err(io::Error::other("a thread that decodes the log has failed"));
        results.extend(others.into_iter().map(|thread| thread.join().unwrap_or_else(|_| lost())));
    });
    results.into_iter().collect::<io::Result<()>>()?;
    let turns = shared.turns.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(turns.start)
}

/// Wakes the other threads if a thread ends without passing its chunk on: they would wait for it for ever.
struct Duty<'s, 'p, 'w> {
    shared: &'s SharedLines<'p, 'w>,
    is_done: bool,
}

impl Drop for Duty<'_, '_, '_> {
    fn drop(&mut self) {
        if !self.is_done {
            self.shared.broken.store(true, Ordering::Relaxed);
            // With the lock, so that no thread is between looking and waiting.
            drop(self.shared.turns.lock().unwrap_or_else(PoisonError::into_inner));
            self.shared.moved.notify_all();
        }
    }
}

impl SharedLines<'_, '_> {
    fn work(&self, mut decoder: Box<dyn ChunkDecoder>) -> io::Result<()> {
        let mut chunk = Chunk::default();
        loop {
            if (self.watch.is_cancelled)() || self.broken.load(Ordering::Relaxed) {
                return Ok(());
            }
            let mut input = self.input.lock().unwrap_or_else(PoisonError::into_inner);
            if !input.lines.next_run(chunk.buffer())? {
                return Ok(());
            }
            let number = input.next;
            input.next += 1;
            drop(input);
            let mut duty = Duty { shared: self, is_done: false };
            chunk.split();
            decoder.run(&chunk, self.watch.unwrap, &mut |feed| self.in_turn(number, &chunk, feed));
            duty.is_done = true;
        }
    }

    /// Waits for the chunk's turn, and passes it on.
    fn in_turn(&self, number: u64, chunk: &Chunk, feed: &mut dyn FnMut(&mut dyn Any, ChunkStart)) {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        while turns.chunk != number {
            if self.broken.load(Ordering::Relaxed) {
                return;
            }
            turns = self.moved.wait(turns).unwrap_or_else(PoisonError::into_inner);
        }
        let start = turns.start;
        (self.watch.started)(start);
        feed(turns.pass, start);
        turns.start = chunk.end(start);
        turns.chunk += 1;
        drop(turns);
        self.moved.notify_all();
        (self.watch.passed)(chunk.len_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loader::own_sidecars;
    use crate::log::{Log, Options};
    use crate::replay::check_pass::CheckPass;
    use crate::replay::finding::Finding;
    use crate::replay::{Place, Seq};
    use proptest::prelude::*;

    /// Checks a log record by record, as everything that is not a line is checked.
    fn one_by_one(log: &Log) -> (u32, Vec<Finding>) {
        let mut pass = own_sidecars(log).expect("no sidecars").check_pass();
        let mut walk = crate::log::walk::Walk::new(log).expect("memory");
        while let Some((at, met)) = walk.step().expect("memory") {
            if let crate::log::walk::Met::Record(place, bytes) = met {
                pass.event(at, place, bytes, log.wrapping.event_in(bytes));
            }
        }
        results(pass)
    }

    fn in_chunks(log: &Log, threads: usize, run_bytes: usize) -> (u32, Vec<Finding>) {
        let mut pass = own_sidecars(log).expect("no sidecars").check_pass();
        let place = log.start_of_lines().expect("lines");
        let lines = log.lines_from(place).expect("memory").with_runs_of(run_bytes);
        let start = ChunkStart { seq: Seq(0), place };
        let watch = Watch { started: &|_| {}, unwrap: &log.wrapping, passed: &|_| {}, is_cancelled: &|| false };
        let end = pass_lines(lines, &mut *pass, start, threads, &watch).expect("memory");
        assert_eq!(end.place.byte, log.length_bytes(), "every line was passed on");
        results(pass)
    }

    fn results(pass: Box<dyn CheckPass>) -> (u32, Vec<Finding>) {
        (pass.events(), pass.finish().into_sorted())
    }

    fn log_of(lines: &[String]) -> Log {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        Log::from_bytes("log".to_owned(), None, text.into_bytes(), &Options::default()).expect("a log")
    }

    const LOGS: [&str; 5] = [
        "fixtures/turn/crash-mid-tool.jsonl",
        "fixtures/turn/two-turns-mixed.jsonl",
        "fixtures/session/denied-call-ran.jsonl",
        "fixtures/tape/every-kind.tape",
        "fixtures/agent/claude-code/grown.jsonl",
    ];

    proptest! {
        #![proptest_config(crate::tests::cases::cases!(60, "parallel"))]

        /// Neither the number of threads nor the cuts between chunks change a finding or its place.
        #[test]
        fn results_do_not_depend_on_threads_and_chunks(
            log in 0..LOGS.len(),
            damage in prop::collection::vec((any::<prop::sample::Index>(), 0..4_u8), 0..4),
            run_bytes in 1..3000_usize,
        ) {
            let text = std::fs::read_to_string(LOGS[log]).expect("a fixture");
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            for (at, kind) in damage {
                let at = 1 + at.index(lines.len() - 1);
                match kind {
                    0 => lines.insert(at, "  ".to_owned()),
                    1 => lines[at].push_str(" \r"),
                    2 => lines[at] = lines[at].chars().take(30).collect(),
                    _ => lines[at].insert_str(1, "\"\\u0061\u{e9}\\\\\": \"\\\"\\\\\",\t"),
                }
            }
            let log = log_of(&lines);
            let expected = one_by_one(&log);
            for threads in [1, 2, 16] {
                prop_assert_eq!(&in_chunks(&log, threads, run_bytes), &expected);
            }
        }
    }

    #[test]
    fn text_that_is_not_utf8_is_damage_at_its_record_only() {
        let text = std::fs::read(LOGS[0]).expect("a fixture");
        let second = text.iter().position(|byte| *byte == b'\n').expect("lines") + 20;
        let mut bytes = text.clone();
        bytes[second] = 0xff;
        if bytes.last() != Some(&b'\n') {
            bytes.push(b'\n');
        }
        let log = Log::from_bytes("log".to_owned(), None, bytes, &Options::default()).expect("a log");
        assert_eq!(in_chunks(&log, 2, 1 << 20), one_by_one(&log));
        assert_eq!(log.start_of_lines(), Some(Place { line: 1, byte: 0 }));
    }

    #[test]
    fn a_cancelled_pass_ends_between_two_chunks() {
        let text = std::fs::read_to_string(LOGS[1]).expect("a fixture");
        let log = log_of(&text.lines().map(str::to_owned).collect::<Vec<_>>());
        let mut pass = own_sidecars(&log).expect("no sidecars").check_pass();
        let lines = log.lines_from(Place { line: 1, byte: 0 }).expect("memory").with_runs_of(200);
        let start = ChunkStart { seq: Seq(0), place: Place { line: 1, byte: 0 } };
        let passed = std::sync::atomic::AtomicU64::new(0);
        let watch = Watch {
            started: &|_| {},
            unwrap: &log.wrapping,
            passed: &|bytes| {
                passed.fetch_add(bytes, Ordering::Relaxed);
            },
            is_cancelled: &|| passed.load(Ordering::Relaxed) > 500,
        };
        let end = pass_lines(lines, &mut *pass, start, 3, &watch).expect("memory");
        assert_eq!(end.place.byte, passed.load(Ordering::Relaxed), "it continues after the last chunk");
        assert!(end.place.byte < log.length_bytes());
        assert_eq!(end.seq.0, pass.events());
    }
}

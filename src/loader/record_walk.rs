//! The walk over all records of a log for a pass that fills no timeline.

use super::parallel::{Watch, pass_lines};
use crate::log::walk::{Met, Walk};
use crate::log::{Log, LogError};
use crate::replay::Seq;
use crate::replay::chunk::ChunkStart;
use crate::replay::record_pass::RecordPass;

/// What happens besides the pass.
pub(super) struct Watching<'w> {
    pub threads: usize,
    /// Gets places in the log with the numbers of their records, in order.
    pub started: &'w (dyn Fn(ChunkStart) + Sync),
    /// Gets the number of bytes that were read.
    pub report: &'w (dyn Fn(u64) + Sync),
    pub is_cancelled: &'w (dyn Fn() -> bool + Sync),
}

/// Passes on all records and returns the number after the last one. Lines are decoded in chunks, everything else record by
/// record.
pub(super) fn pass_records(log: &Log, pass: &mut dyn RecordPass, watching: &Watching<'_>) -> Result<Seq, LogError> {
    let Some(mut place) = log.start_of_lines() else {
        let mut walk = Walk::new(log)?;
        while pass_next(log, pass, &mut walk, watching)? {}
        return Ok(walk.next());
    };
    let watch = Watch {
        unwrap: &log.wrapping,
        started: watching.started,
        passed: watching.report,
        is_cancelled: watching.is_cancelled,
    };
    let mut seq = Seq(0);
    loop {
        let rest = pass_lines(log.lines_from(place)?, &mut *pass, ChunkStart { seq, place }, watching.threads, &watch);
        let rest = rest.map_err(|error| LogError::io(&log.name, error))?;
        let mut walk = log.walk_lines_from(rest.place, rest.seq)?;
        seq = pass_rest(log, pass, &mut walk, watching)?;
        match walk.place_to_go_on() {
            Some(after) if !(watching.is_cancelled)() => place = after,
            _ => return Ok(seq),
        }
    }
}

/// Passes on records one by one, until a reader of whole lines can take over. Returns the next number.
fn pass_rest(log: &Log, pass: &mut dyn RecordPass, walk: &mut Walk, watching: &Watching<'_>) -> Result<Seq, LogError> {
    while pass_next(log, pass, walk, watching)? && walk.place_to_go_on().is_none() {}
    Ok(walk.next())
}

/// Passes on the next record. Returns false at the end of the log, and if the pass was cancelled.
fn pass_next(log: &Log, pass: &mut dyn RecordPass, walk: &mut Walk, watching: &Watching<'_>) -> Result<bool, LogError> {
    if (watching.is_cancelled)() {
        return Ok(false);
    }
    let Some((at, met)) = walk.step()? else { return Ok(false) };
    match met {
        Met::Record(place, bytes) => {
            pass.event(at, place, bytes, log.wrapping.event_in(bytes));
            (watching.report)(bytes.len() as u64 + 1);
        }
        Met::Torn(_, place, bytes) if !bytes.is_empty() => {
            pass.damage((log.dialect.torn_tail)(at, place, bytes.len()), Some((at, bytes)));
        }
        Met::Torn(finding, ..) => pass.damage(finding, None),
        Met::Damage(finding, taken) => pass.damage(finding, taken.map(|_| (at, &b""[..]))),
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loader::own_sidecars;
    use crate::log::Options;
    use crate::replay::finding::Finding;

    /// Checks a log, in chunks on so many threads, or record by record.
    fn check(log: &Log, threads: Option<usize>) -> (u32, Seq, Vec<Finding>) {
        let mut pass = own_sidecars(log).expect("no sidecars").check_pass();
        let watching =
            Watching { threads: threads.unwrap_or(1), started: &|_| {}, report: &|_| {}, is_cancelled: &|| false };
        let next = match threads {
            Some(_) => pass_records(log, &mut *pass, &watching).expect("memory"),
            None => {
                let mut walk = Walk::new(log).expect("memory");
                while pass_next(log, &mut *pass, &mut walk, &watching).expect("memory") {}
                walk.next()
            }
        };
        (pass.events(), next, pass.finish().into_sorted())
    }

    #[test]
    fn lines_with_several_records_interrupt_chunks_and_change_nothing() {
        let text = std::fs::read_to_string("fixtures/agent/claude-code/grown.jsonl").expect("a fixture");
        let lines: Vec<&str> = text.lines().collect();
        let odd =
            ["{\"type\":\"summary\"}{\"type\":\"mode\"}", "\0\0", "\0{\"type\":\"mode\"}", "{\"a\":1}x", "{\"torn"];
        let mut all = String::new();
        // Long enough that reading in chunks continues after an unusual line.
        for number in 0..(1 << 20) / text.len() {
            all.push_str(&text);
            if number % 4 == 1 {
                all.push_str(odd[number / 4 % odd.len()]);
                all.push('\n');
            }
        }
        for end in ["", lines[0], "{\"a\":1}{\"b", "{\"type\":\"mode\"} {\"type\":\"mode\"}"] {
            let bytes = format!("{all}{end}").into_bytes();
            let log = Log::from_bytes("log".to_owned(), None, bytes, &Options::default()).expect("a log");
            let expected = check(&log, None);
            assert!(expected.2.iter().any(|finding| finding.check.id.starts_with("log/")), "{end}");
            for threads in [1, 2, 16] {
                assert_eq!(check(&log, Some(threads)), expected, "{threads} threads, {end:?} at the end");
            }
        }
    }
}

//! Conditions and search patterns: the first line of an input is the text that is asked, the rest is the log.

use std::cell::Cell;
use std::ops::ControlFlow;

use super::log::open;
use crate::loader::Loaded;
use crate::log::Options;
use crate::replay::Seq;
use crate::replay::condition::{Condition, used_steps};
use crate::replay::direction::Direction;
use crate::replay::finding::is_hostile;
use crate::replay::search::{Pattern, Scope, Search};
use crate::replay::timeline::Replay;

const LOG: &[u8] = include_bytes!("../../fixtures/turn/late-result.json");
/// The limit of `replay::condition::meter`, and what the last operation may add.
const MOST_STEPS: u64 = 1_100_000;
const EVENTS: u32 = 8;
/// A filter that takes more steps is not asked again.
const CHEAP_STEPS: u64 = 400_000;

pub(super) fn target(input: &[u8]) {
    let (asked, log) = match memchr::memchr(b'\n', input) {
        Some(at) => (&input[..at], &input[at + 1..]),
        None => (input, LOG),
    };
    let Ok(asked) = std::str::from_utf8(asked) else { return };
    let log = if log.is_empty() { LOG } else { log };
    let Ok(log) = open(log, &Options::default()) else { return };
    let Ok(loaded) = Loaded::begin_log_only(log, false) else { return };
    if loaded.wait_to_end(|_| {}).is_err() {
        return;
    }
    let replay = &**loaded.replay();
    match asked.strip_prefix('/') {
        Some(pattern) => searched(pattern, replay),
        None => filtered(asked, replay),
    }
}

fn filtered(text: &str, replay: &dyn Replay) {
    let parse = || Condition::parse(text, replay.vocabulary());
    let (condition, again) = match (parse(), parse()) {
        (Ok(one), Ok(two)) => (one, two),
        (Err(one), Err(two)) => {
            assert_eq!(one, two);
            assert!(text.get(one.at.clone()).is_some(), "{one:?}");
            let steers = |character: char| character != '\n' && is_hostile(character);
            assert!(!one.to_string().contains(steers), "{:?}", one.to_string());
            return;
        }
        _ => panic!("parsed once, refused once"),
    };
    let part = 0..replay.len().min(EVENTS);
    let mut all = Vec::new();
    let before = used_steps();
    let each = condition.each(replay, part.clone(), &mut |at| {
        all.push(at);
        ControlFlow::Continue(())
    });
    each.expect("memory");
    let used = used_steps() - before;
    assert!(used <= MOST_STEPS * u64::from(part.end.max(1)), "{used} steps at {} events", part.end);
    if used > CHEAP_STEPS {
        return;
    }
    let failed = condition.errors();
    // Alone, from the front and from the back, the answers are the same.
    let asked = Cell::new(0_u32);
    let never = || {
        asked.set(asked.get() + 1);
        false
    };
    let find = |part: std::ops::Range<u32>, direction| again.find(replay, part, direction, &never).expect("memory");
    let alone: Vec<Seq> = part.clone().filter_map(|at| find(at..at + 1, Direction::Forward)).collect();
    assert_eq!(alone, all, "{text}");
    let alone = again.errors();
    assert_eq!((failed.count, &failed.first), (alone.count, &alone.first), "{text}");
    assert_eq!(find(part.clone(), Direction::Forward), all.first().copied());
    assert_eq!(find(part, Direction::Backward), all.last().copied());
}

fn searched(text: &str, replay: &dyn Replay) {
    let Ok(pattern) = Pattern::parse(text, Scope::EVERYTHING) else { return };
    let end = |from: u32, slice: u32| {
        let mut search = Search::new(pattern.clone(), Seq(from));
        while search.advance(replay, slice).expect("memory") {}
        (0..replay.len()).filter(|at| search.contains(Seq(*at))).collect::<Vec<u32>>()
    };
    assert_eq!(end(0, u32::MAX), end(replay.len() / 2, 1), "{text}");
}

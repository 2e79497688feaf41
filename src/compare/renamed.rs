//! Renamed ids: if each run makes up its own, each id of one run must have exactly one counterpart in the other.
//!
//! If ids are not compared, events with the same content are pairs, whatever ids they have. But a result that goes to
//! another call than in the other run is a difference, however similar the calls are: wherever the ids of a left event
//! occur again, they must be paired with the same right ids. All ids of an event are hashed together. The first pair
//! decides which ids belong together; a later pair that contradicts it counts as changed.

use std::ops::ControlFlow;

use rustc_hash::FxHashMap;

use crate::replay::imprint::Names;
use crate::replay::index::GROUP;
use crate::replay::timeline::Replay;

use super::Trouble;
use super::run::{AlignedRun, How, Runs, Side};

/// How many ids are remembered. Later ids of a larger log are not checked.
const MOST: usize = 1 << 20;

/// Ids that belong together, in both directions.
#[derive(Default)]
struct Renaming {
    there: FxHashMap<u64, u64>,
    back: FxHashMap<u64, u64>,
}

impl Renaming {
    /// Whether two ids may belong together. If both are unknown, they do from now on.
    fn agrees(&mut self, left: u64, right: u64) -> bool {
        match (self.there.get(&left), self.back.get(&right)) {
            (None, None) => {
                if self.there.len() < MOST {
                    self.there.insert(left, right);
                    self.back.insert(right, left);
                }
                true
            }
            (there, back) => there == Some(&right) && back == Some(&left),
        }
    }
}

/// The same runs, with pairs whose ids are renamed inconsistently as changed. Both logs are read again.
pub(crate) fn with_consistent_names(runs: Runs, left: &dyn Replay, right: &dyn Replay) -> Result<Runs, Trouble> {
    let mut renaming = Renaming::default();
    let mut held = Runs::default();
    for run in runs.as_slice() {
        if run.how.width() != (1, 1) {
            held.push(run.how, run.left, run.right, run.count);
            continue;
        }
        let mut done = 0;
        while done < run.count {
            let part = AlignedRun { count: (run.count - done).min(16 * GROUP), ..run.after(done) };
            let (one, two) = (names(left, part, Side::Left)?, names(right, part, Side::Right)?);
            for (number, (one, two)) in one.into_iter().zip(two).enumerate() {
                let spot = part.spot(number as u32);
                let how = if renaming.agrees(one, two) { spot.how } else { How::Changed };
                held.push(how, spot.left.0, spot.right.0, 1);
            }
            done += part.count;
        }
    }
    Ok(held)
}

fn names(replay: &dyn Replay, part: AlignedRun, side: Side) -> Result<Vec<u64>, Trouble> {
    let mut names = Vec::with_capacity(part.count as usize);
    let from = part.starts(side);
    let read = replay.imprints(from..from + part.count, Names::Fresh, &mut |imprinted| {
        names.push(imprinted.imprint.names());
        ControlFlow::Continue(())
    });
    read.map(|()| names).map_err(|gone| Trouble::Gone(side, gone))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_id_has_exactly_one_counterpart() {
        let mut renaming = Renaming::default();
        assert!(renaming.agrees(1, 9) && renaming.agrees(2, 8) && renaming.agrees(1, 9));
        assert!(!renaming.agrees(1, 8), "both are known, but not as a pair");
        assert!(!renaming.agrees(3, 9), "9 belongs to 1");
        assert!(!renaming.agrees(2, 7), "2 belongs to 8");
        assert!(renaming.agrees(3, 7), "a rejected pair is not remembered");
    }
}

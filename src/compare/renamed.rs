//! Renamed ids: where each run makes up its own, whether each id of one run has exactly one counterpart in the other.
//!
//! Where names are not compared, events that say the same are pairs whatever they are called. But a result that goes to
//! another call than in the other run is a difference, however alike the calls are: the names of an event on the left
//! must have the same names on the right wherever they come again. All names of an event are taken together, as one
//! number. The first pair decides which names belong together; a later one that says otherwise has changed.

use std::ops::ControlFlow;

use rustc_hash::FxHashMap;

use crate::replay::imprint::Names;
use crate::replay::index::GROUP;
use crate::replay::timeline::Replay;

use super::Trouble;
use super::run::{AlignedRun, How, Runs, Side};

/// So many names are remembered: of a log that has more, the later ones are not held to this.
const MOST: usize = 1 << 20;

/// Names that belong together, both ways.
#[derive(Default)]
struct Renaming {
    there: FxHashMap<u64, u64>,
    back: FxHashMap<u64, u64>,
}

impl Renaming {
    /// Whether two names may belong together. If nothing is known of them, they do from now on.
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

/// The same runs, with the pairs as changed whose names belong to others. Both logs are read once more.
pub(crate) fn held_to_their_names(runs: Runs, left: &dyn Replay, right: &dyn Replay) -> Result<Runs, Trouble> {
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
    fn a_name_has_one_other_name_and_no_other_has_it() {
        let mut renaming = Renaming::default();
        assert!(renaming.agrees(1, 9) && renaming.agrees(2, 8) && renaming.agrees(1, 9));
        assert!(!renaming.agrees(1, 8), "both are known, but not together");
        assert!(!renaming.agrees(3, 9), "9 is the name of 1");
        assert!(!renaming.agrees(2, 7), "2 is called 8");
        assert!(renaming.agrees(3, 7), "what was refused is not remembered");
    }
}

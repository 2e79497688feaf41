//! Keyframes: states kept along a log, so that any moment is a few steps away.
//!
//! They are a stride apart. If there are too many, or they take too much memory, every second one is dropped and the
//! stride doubles: memory stays bounded, however long the log grows, and a seek costs at most one stride of steps.

use super::Seq;

/// The smallest stride; it is only ever doubled.
pub(crate) const FIRST_STRIDE: u32 = 256;
const MOST: usize = 4096;
/// The approximate memory limit for the growing sets of all kept states.
const BUDGET_BYTES: usize = 48 << 20;
/// The approximate cost of an entry that a state does not share with its neighbour: the tree nodes on its path.
const ENTRY_BYTES: usize = 2 << 10;

/// Each is the state *before* an event whose number is a multiple of the stride.
#[derive(Clone)]
pub(crate) struct Keyframes<S> {
    stride: u32,
    most: usize,
    /// With the number of entries in its growing sets.
    frames: Vec<(S, usize)>,
}

impl<S: Clone> Default for Keyframes<S> {
    fn default() -> Self {
        Keyframes::at_most(MOST)
    }
}

impl<S: Clone> Keyframes<S> {
    /// Limits the number of states.
    pub(crate) fn at_most(most: usize) -> Self {
        Keyframes { stride: FIRST_STRIDE, most: most.max(2), frames: Vec::new() }
    }

    pub(crate) fn stride(&self) -> u32 {
        self.stride
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether the state before this event should be offered.
    pub(crate) fn wants(&self, at: Seq) -> bool {
        at.0.is_multiple_of(self.stride) && (at.0 / self.stride) as usize == self.frames.len()
    }

    /// Keeps the state before `at`. `entries` is the size of its growing sets.
    pub(crate) fn offer(&mut self, at: Seq, state: &S, entries: usize) {
        if !self.wants(at) {
            return;
        }
        self.frames.push((state.clone(), entries));
        while self.frames.len() > 2 && (self.frames.len() > self.most || self.cost_bytes() > BUDGET_BYTES) {
            self.thin();
        }
    }

    fn thin(&mut self) {
        let mut number = 0;
        self.frames.retain(|_| {
            number += 1;
            number % 2 == 1
        });
        self.stride *= 2;
    }

    /// The memory that the kept states do not share, estimated upwards.
    pub(crate) fn cost_bytes(&self) -> usize {
        let differing = |entries: usize| entries.min(self.stride as usize) * ENTRY_BYTES;
        // A tree costs at most its own entries, however little of it is shared.
        let own = |entries: usize| entries * 64;
        self.frames.iter().map(|(_, entries)| size_of::<S>() + differing(*entries).min(own(*entries))).sum()
    }

    /// The last kept state at or before an event, and its event.
    pub(crate) fn before(&self, at: Seq) -> Option<(Seq, &S)> {
        let number = (at.0 / self.stride) as usize;
        let number = number.min(self.frames.len().checked_sub(1)?);
        Some((Seq(number as u32 * self.stride), &self.frames[number].0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(events: u32, entries: usize) -> Keyframes<u32> {
        let mut keyframes = Keyframes::default();
        for at in (0..events).map(Seq) {
            if keyframes.wants(at) {
                keyframes.offer(at, &at.0, entries);
            }
        }
        keyframes
    }

    #[test]
    fn a_keyframe_is_never_further_than_a_stride() {
        for events in [1, 255, 256, 257, 1_000_000, 5_000_000] {
            let keyframes = filled(events, 0);
            assert!(keyframes.len() <= MOST, "{events}");
            for at in [0, 1, events / 3, events / 2, events - 1] {
                let (from, state) = keyframes.before(Seq(at)).expect("there is always the first");
                assert_eq!(from.0, *state, "each state is where it was taken");
                assert!(at - from.0 < keyframes.stride(), "{at} from {from} of {events}");
            }
        }
        assert_eq!(filled(1_000_000, 0).stride(), filled(10_000, 0).stride());
    }

    #[test]
    fn large_states_are_kept_further_apart() {
        let (light, heavy) = (filled(1_000_000, 10), filled(1_000_000, 100_000));
        assert!(heavy.len() < light.len() / 10, "{} and {}", heavy.len(), light.len());
        assert!(heavy.cost_bytes() <= BUDGET_BYTES);
    }
}

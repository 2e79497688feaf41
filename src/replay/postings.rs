//! Postings: an ascending list of events in about a byte each, such as the writers of a field or the hits of a search.

use super::Seq;
use super::column::Column;

/// The number of entries per run. A lookup decodes at most one run.
const RUN: u32 = 64;

/// The beginning of a run.
#[derive(Clone, Copy)]
struct RunStart {
    first: u32,
    /// The offset of its second entry in the bytes.
    byte: u32,
}

/// Events in ascending order, each stored as its distance from the one before.
#[derive(Clone, Default)]
pub struct Postings {
    bytes: Column<u8>,
    marks: Column<RunStart>,
    length: u32,
    last: u32,
}

impl Postings {
    pub fn len(&self) -> u32 {
        self.length
    }

    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Adds an event; an event that does not come after the last one is already in the list.
    pub fn push(&mut self, at: Seq) {
        if self.length > 0 && at.0 <= self.last {
            return;
        }
        if self.length.is_multiple_of(RUN) {
            self.marks.push(RunStart { first: at.0, byte: self.bytes.len() as u32 });
        } else {
            let mut distance = at.0 - self.last;
            while distance >= 0x80 {
                self.bytes.push(distance as u8 | 0x80);
                distance >>= 7;
            }
            self.bytes.push(distance as u8);
        }
        self.length += 1;
        self.last = at.0;
    }

    /// The entries of one run.
    fn run(&self, run: usize) -> impl Iterator<Item = u32> + '_ {
        let mark = self.marks.get(run);
        let count = (self.length - (run as u32 * RUN).min(self.length)).min(RUN);
        let mut byte = mark.map_or(0, |mark| mark.byte as usize);
        let mut value = mark.map_or(0, |mark| mark.first);
        (0..count).map(move |entry| {
            if entry > 0 {
                let (mut distance, mut shift) = (0_u32, 0);
                loop {
                    let part = self.bytes.get(byte).unwrap_or(0);
                    byte += 1;
                    distance |= u32::from(part & 0x7f) << shift;
                    shift += 7;
                    if part & 0x80 == 0 {
                        break;
                    }
                }
                value += distance;
            }
            value
        })
    }

    /// The run that would contain `at`.
    fn run_of(&self, at: u32) -> usize {
        self.marks.partition_point(|mark| mark.first <= at).saturating_sub(1)
    }

    /// The last entry at or before `at`.
    pub fn at_or_before(&self, at: Seq) -> Option<Seq> {
        if self.is_empty() {
            return None;
        }
        self.run(self.run_of(at.0)).take_while(|entry| *entry <= at.0).last().map(Seq)
    }

    pub fn before(&self, at: Seq) -> Option<Seq> {
        at.0.checked_sub(1).and_then(|before| self.at_or_before(Seq(before)))
    }

    pub fn after(&self, at: Seq) -> Option<Seq> {
        if self.is_empty() {
            return None;
        }
        let run = self.run_of(at.0);
        let found = self.run(run).find(|entry| *entry > at.0);
        found.or_else(|| self.marks.get(run + 1).map(|mark| mark.first)).map(Seq)
    }

    pub fn contains(&self, at: Seq) -> bool {
        self.at_or_before(at) == Some(at)
    }

    /// How many entries come before `at`.
    pub fn rank(&self, at: Seq) -> u32 {
        if self.is_empty() {
            return 0;
        }
        let run = self.run_of(at.0);
        run as u32 * RUN + self.run(run).take_while(|entry| *entry < at.0).count() as u32
    }

    /// How many entries fall into each of `buckets` equal parts of a log of `events` events.
    pub fn density(&self, events: u32, buckets: usize) -> Vec<u32> {
        let border = |bucket: usize| Seq((u64::from(events) * bucket as u64 / buckets.max(1) as u64) as u32);
        let ranks: Vec<u32> = (0..=buckets).map(|bucket| self.rank(border(bucket))).collect();
        ranks.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    /// The entries from the first at or after `from` on.
    pub fn from(&self, from: Seq) -> impl Iterator<Item = Seq> + '_ {
        let first = if self.is_empty() { 0 } else { self.run_of(from.0) };
        (first..self.marks.len()).flat_map(|run| self.run(run)).filter(move |entry| *entry >= from.0).map(Seq)
    }

    pub fn iter(&self) -> impl Iterator<Item = Seq> + '_ {
        self.from(Seq(0))
    }

    pub fn bytes(&self) -> usize {
        self.bytes.bytes() + self.marks.bytes()
    }
}

impl FromIterator<Seq> for Postings {
    fn from_iter<I: IntoIterator<Item = Seq>>(entries: I) -> Self {
        let mut postings = Postings::default();
        entries.into_iter().for_each(|at| postings.push(at));
        postings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(entries: &[u32]) {
        let postings: Postings = entries.iter().map(|at| Seq(*at)).collect();
        assert!(postings.iter().map(|at| at.0).eq(entries.iter().copied()));
        let edges = entries.iter().flat_map(|at| [at.saturating_sub(1), *at, at.saturating_add(1)]);
        for at in edges.chain([0, u32::MAX]) {
            let naive = |test: &dyn Fn(u32) -> bool| -> Vec<u32> {
                entries.iter().copied().filter(|entry| test(*entry)).collect()
            };
            assert_eq!(postings.at_or_before(Seq(at)), naive(&|entry| entry <= at).last().copied().map(Seq), "{at}");
            assert_eq!(postings.before(Seq(at)), naive(&|entry| entry < at).last().copied().map(Seq), "{at}");
            assert_eq!(postings.after(Seq(at)), naive(&|entry| entry > at).first().copied().map(Seq), "{at}");
            assert_eq!(postings.rank(Seq(at)) as usize, naive(&|entry| entry < at).len(), "{at}");
            assert_eq!(postings.contains(Seq(at)), entries.contains(&at), "{at}");
        }
    }

    #[test]
    fn postings_behave_like_a_plain_list() {
        check(&[]);
        check(&[0]);
        check(&[5, 6, 7, 200, 40_000, u32::MAX]);
        check(&(0..300).collect::<Vec<_>>());
        check(&(0..500).map(|at| at * at * 37).collect::<Vec<_>>());
    }

    #[test]
    fn density_counts_every_entry_once() {
        let postings: Postings = (0..1000).step_by(3).map(Seq).collect();
        let density = postings.density(1000, 7);
        assert_eq!(density.iter().sum::<u32>(), postings.len());
        assert!(density.iter().all(|count| (46..=50).contains(count)), "{density:?}");
    }
}

//! The whole log in as many parts as the strip has columns: how much stands in each, and the borders in it.

use crate::replay::Seq;
use crate::replay::index::Rows;
use crate::replay::timeline::Replay;

/// One part of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    pub bytes: u64,
    /// A turn begins in it.
    pub turn: bool,
    /// The context was compacted in it.
    pub compaction: bool,
}

/// Made again only when the log has grown or the screen is another one: it goes over all rows, and the pass waits
/// meanwhile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    pub parts: Vec<Part>,
    events: u32,
}

impl Outline {
    pub fn follow(&mut self, replay: &dyn Replay, columns: u16) {
        let (events, columns) = (replay.len(), columns as usize);
        if self.events == events && self.parts.len() == columns {
            return;
        }
        // A long log grows with every frame while it is read; until its end an outline that is a little behind will do.
        let grown = events.saturating_sub(self.events);
        let is_near = grown > 0 && grown <= self.events / 4;
        if is_near && self.parts.len() == columns && !replay.progress().at_end {
            return;
        }
        *self = Outline { parts: vec![Part::default(); columns], events };
        if events > 0 && columns > 0 {
            let vocabulary = replay.vocabulary();
            replay.rows(&mut |rows| self.fill(rows, vocabulary.turn_begins, vocabulary.compacts));
            // With fewer events than columns an event stands in several of them.
            if (events as usize) < columns {
                let mut bytes = 0;
                for part in &mut self.parts {
                    bytes = if part.bytes > 0 { part.bytes } else { bytes };
                    part.bytes = bytes;
                }
            }
        }
    }

    fn fill(
        &mut self,
        rows: &Rows,
        turn_begins: Option<crate::replay::vocabulary::KindId>,
        compacts: Option<crate::replay::vocabulary::KindId>,
    ) {
        for at in 0..rows.len().min(self.events) {
            let place = self.part(Seq(at));
            let (Some(kind), Some(span)) = (rows.kind(Seq(at)), rows.span(Seq(at))) else { break };
            let part = &mut self.parts[place];
            part.bytes += u64::from(span.length);
            part.turn |= Some(kind) == turn_begins;
            part.compaction |= Some(kind) == compacts;
        }
    }

    /// The part that an event stands in.
    pub fn part(&self, at: Seq) -> usize {
        let columns = self.parts.len() as u64;
        (u64::from(at.0) * columns / u64::from(self.events.max(1))).min(columns.saturating_sub(1)) as usize
    }

    /// The first event of a part.
    pub fn first(&self, part: usize) -> Seq {
        let columns = self.parts.len().max(1) as u64;
        let events = u64::from(self.events);
        // Where an event stands in several parts, each of them leads to it.
        let first =
            if events < columns { part as u64 * events / columns } else { (part as u64 * events).div_ceil(columns) };
        Seq(first.min(u64::from(self.events.saturating_sub(1))) as u32)
    }

    /// Turns are worth a border each only where they do not stand in nearly every part.
    pub fn shows_turns(&self) -> bool {
        let turns = self.parts.iter().filter(|part| part.turn).count();
        turns > 1 && turns * 3 <= self.parts.len()
    }

    /// How high each part stands among the others, from 0 to 7. Logarithmic: one large record does not flatten the
    /// rest.
    pub fn heights(&self) -> Vec<usize> {
        let log = |bytes: u64| ((bytes + 1) as f64).ln();
        let filled = || self.parts.iter().filter(|part| part.bytes > 0);
        let most = filled().map(|part| part.bytes).max().map_or(0.0, log);
        let least = filled().map(|part| part.bytes).min().map_or(0.0, log);
        let height = |part: &Part| {
            if part.bytes == 0 || most - least < 0.1 {
                return 0;
            }
            (((log(part.bytes) - least) / (most - least)) * 7.0).round() as usize
        };
        self.parts.iter().map(height).collect()
    }
}

//! The overview of the log for the strip: for each column the amount of data or a level, turns and compactions.

use crate::replay::Seq;
use crate::replay::index::Rows;
use crate::replay::timeline::Replay;

/// One column of the strip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OverviewColumn {
    pub bytes: u64,
    /// The greatest level of the state here, such as the size of the context.
    pub level: u64,
    /// A turn begins here.
    pub turn: bool,
    /// The context was compacted here.
    pub compaction: bool,
}

/// Built again only if the log has grown or the screen has changed: it reads all rows, and the pass waits meanwhile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Overview {
    pub columns: Vec<OverviewColumn>,
    /// The columns show levels.
    pub is_chart: bool,
    events: u32,
}

impl Overview {
    pub(crate) fn follow(&mut self, replay: &dyn Replay, columns: u16) {
        let (events, columns) = (replay.len(), columns as usize);
        if self.events == events && self.columns.len() == columns {
            return;
        }
        // While a long log is read, it grows with every frame, and a slightly older overview is good enough. A log that
        // is followed grows for a long time, so there it is one that differs by less than a column.
        let grown = events.saturating_sub(self.events) as usize;
        let near =
            if replay.progress().at_end { self.events as usize / columns.max(1) } else { self.events as usize / 4 };
        if grown > 0 && grown <= near && self.columns.len() == columns {
            return;
        }
        *self = Overview { columns: vec![OverviewColumn::default(); columns], is_chart: false, events };
        if events > 0 && columns > 0 {
            let vocabulary = replay.vocabulary();
            replay.rows(&mut |rows| self.fill(rows, vocabulary.turn_begins, vocabulary.compacts));
            // With fewer events than columns, an event spans several of them.
            if (events as usize) < columns {
                let mut bytes = 0;
                for part in &mut self.columns {
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
        self.fill_levels(rows.levels());
        for at in 0..rows.len().min(self.events) {
            let place = self.column(Seq(at));
            let (Some(kind), Some(span)) = (rows.kind(Seq(at)), rows.span(Seq(at))) else { break };
            let part = &mut self.columns[place];
            part.bytes += u64::from(span.length);
            part.turn |= Some(kind) == turn_begins;
            part.compaction |= Some(kind) == compacts;
        }
    }

    /// The levels: each holds until the next one.
    fn fill_levels(&mut self, levels: &[(Seq, u64)]) {
        let levels = &levels[..levels.partition_point(|(at, _)| at.0 < self.events)];
        self.is_chart = !levels.is_empty();
        for (number, (at, level)) in levels.iter().enumerate() {
            let next = levels.get(number + 1).map_or(self.events, |(next, _)| next.0);
            let (from, to) = (self.first_column(*at), self.first_column(Seq(next)));
            for part in &mut self.columns[from..to.max(from + 1)] {
                part.level = part.level.max(*level);
            }
        }
    }

    /// The first column that belongs to an event.
    fn first_column(&self, at: Seq) -> usize {
        let columns = self.columns.len() as u64;
        let first = if u64::from(self.events) < columns {
            (u64::from(at.0) * columns).div_ceil(u64::from(self.events.max(1)))
        } else {
            u64::from(at.0) * columns / u64::from(self.events.max(1))
        };
        if at.0 >= self.events { columns as usize } else { first.min(columns.saturating_sub(1)) as usize }
    }

    /// The column of an event.
    pub(crate) fn column(&self, at: Seq) -> usize {
        let columns = self.columns.len() as u64;
        (u64::from(at.0) * columns / u64::from(self.events.max(1))).min(columns.saturating_sub(1)) as usize
    }

    /// The first event of a column.
    pub(crate) fn first(&self, part: usize) -> Seq {
        let columns = self.columns.len().max(1) as u64;
        let events = u64::from(self.events);
        // If an event spans several columns, each of them leads to it.
        let first =
            if events < columns { part as u64 * events / columns } else { (part as u64 * events).div_ceil(columns) };
        Seq(first.min(u64::from(self.events.saturating_sub(1))) as u32)
    }

    /// Turns are marked only if they do not begin in nearly every column.
    pub(crate) fn shows_turns(&self) -> bool {
        let turns = self.columns.iter().filter(|part| part.turn).count();
        turns > 1 && turns * 3 <= self.columns.len()
    }

    /// The height of each column, from 0 to `most`. Levels are drawn to scale from 0 on. The scale of data is
    /// logarithmic, so that one large record does not flatten the rest.
    pub(crate) fn heights(&self, most: usize) -> Vec<usize> {
        if self.is_chart {
            let largest = self.columns.iter().map(|part| part.level).max().unwrap_or(0).max(1);
            let height = |part: &OverviewColumn| (part.level as f64 / largest as f64 * most as f64).round() as usize;
            return self.columns.iter().map(height).collect();
        }
        let log = |bytes: u64| ((bytes + 1) as f64).ln();
        let filled = || self.columns.iter().filter(|part| part.bytes > 0);
        let greatest = filled().map(|part| part.bytes).max().map_or(0.0, log);
        let least = filled().map(|part| part.bytes).min().map_or(0.0, log);
        let height = |part: &OverviewColumn| {
            if part.bytes == 0 || greatest - least < 0.1 {
                return 0;
            }
            (((log(part.bytes) - least) / (greatest - least)) * most as f64).round() as usize
        };
        self.columns.iter().map(height).collect()
    }
}

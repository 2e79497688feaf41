//! Cache misses: steps whose prompt begins like the one before and was not read from the cache, and the likely reason.

use crate::replay::Seq;

/// Smaller losses are rounding: providers cache in blocks.
const LEAST_TOKENS: u64 = 2_048;
/// A miss is at least this part of what could have been read.
const LEAST_PART: u64 = 10;
/// How long providers keep a prefix that is not asked for, unless the program pays for longer.
const LIFETIME_US: i64 = 300_000_000;
/// More misses are counted and not kept.
const MOST_MISSES: usize = 10_000;

/// The prompt of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CachedPrompt {
    pub at: Seq,
    pub context: u64,
    pub cache_read: u64,
    pub model: u64,
    pub time: Option<i64>,
    pub compactions: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    Compaction,
    ModelChanged,
    /// A pause of so many seconds.
    Pause(u64),
    /// The context became smaller by so many tokens without a compaction.
    HistoryChanged(u64),
    /// The program put in something of this kind, which stands before the messages.
    PutIn(Box<str>, Seq),
    NotRecorded,
}

impl Cause {
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Cause::Compaction => "compaction",
            Cause::ModelChanged => "model_changed",
            Cause::Pause(_) => "pause",
            Cause::HistoryChanged(_) => "history_changed",
            Cause::PutIn(..) => "tools_changed",
            Cause::NotRecorded => "not_recorded",
        }
    }

    /// How certain it is that this broke the prefix; `None` if nothing is known.
    pub(crate) const fn tier(&self) -> Option<&'static str> {
        match self {
            Cause::Compaction | Cause::ModelChanged => Some("proven"),
            Cause::Pause(_) | Cause::HistoryChanged(_) => Some("likely"),
            Cause::PutIn(..) => Some("hint"),
            Cause::NotRecorded => None,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Miss {
    pub at: Seq,
    /// What the prompt has in common with the one before, at most.
    pub expected: u64,
    pub read: u64,
    pub cause: Cause,
    /// The last step whose whole prompt was still read from the cache: the prefix broke after it.
    pub intact_until: Option<Seq>,
}

impl Miss {
    pub(crate) fn lost(&self) -> u64 {
        self.expected.saturating_sub(self.read)
    }
}

#[derive(Default)]
pub(crate) struct CacheWatch {
    /// The steps since the last compaction, each with the greatest prompt so far.
    steps: Vec<(Seq, u64)>,
    last: Option<CachedPrompt>,
    put_in: Option<(Box<str>, Seq)>,
    pub misses: Vec<Miss>,
    pub miss_count: u64,
    pub lost: u64,
    pub prompt: u64,
    pub read: u64,
}

/// What the program puts in when tools or instructions changed, which stand before all messages.
const CHANGES: [&str; 4] =
    ["deferred_tools_delta", "mcp_instructions_delta", "agent_listing_delta", "command_permissions"];

impl CacheWatch {
    pub(crate) fn see_attachment(&mut self, at: Seq, name: &str) {
        if CHANGES.contains(&name) {
            self.put_in = Some((name.into(), at));
        }
    }

    pub(crate) fn see_step(&mut self, prompt: CachedPrompt) {
        self.prompt = self.prompt.saturating_add(prompt.context);
        self.read = self.read.saturating_add(prompt.cache_read);
        let put_in = self.put_in.take();
        if let Some(last) = self.last.replace(prompt) {
            if last.compactions != prompt.compactions {
                self.steps.clear();
            }
            self.compare(last, prompt, put_in);
        }
        let greatest = self.steps.last().map_or(0, |(_, greatest)| *greatest).max(prompt.context);
        self.steps.push((prompt.at, greatest));
    }

    fn compare(&mut self, last: CachedPrompt, prompt: CachedPrompt, put_in: Option<(Box<str>, Seq)>) {
        let expected = last.context.min(prompt.context);
        let lost = expected.saturating_sub(prompt.cache_read);
        if lost < LEAST_TOKENS || lost < expected / LEAST_PART {
            return;
        }
        let pause = last.time.zip(prompt.time).map_or(0, |(from, to)| to.saturating_sub(from));
        let cause = match put_in {
            _ if last.compactions != prompt.compactions => Cause::Compaction,
            _ if last.model != prompt.model => Cause::ModelChanged,
            _ if pause > LIFETIME_US => Cause::Pause(pause as u64 / 1_000_000),
            _ if prompt.context < last.context => Cause::HistoryChanged(last.context - prompt.context),
            Some((name, at)) => Cause::PutIn(name, at),
            None => Cause::NotRecorded,
        };
        // The first prompt that does not fit into what was read comes after the break.
        let fitting = self.steps.partition_point(|(_, greatest)| *greatest <= prompt.cache_read);
        let intact_until = fitting.checked_sub(1).map(|last| self.steps[last].0);
        let miss = Miss { at: prompt.at, expected, read: prompt.cache_read, cause, intact_until };
        self.lost = self.lost.saturating_add(miss.lost());
        self.miss_count += 1;
        if self.misses.len() < MOST_MISSES {
            self.misses.push(miss);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(at: u32, context: u64, cache_read: u64) -> CachedPrompt {
        CachedPrompt {
            at: Seq(at),
            context,
            cache_read,
            model: 1,
            time: Some(i64::from(at) * 1_000_000),
            compactions: 0,
        }
    }

    #[test]
    fn a_miss_names_its_cause_and_how_far_the_prefix_was_intact() {
        let mut watch = CacheWatch::default();
        watch.see_step(prompt(1, 20_000, 0));
        watch.see_step(prompt(2, 30_000, 20_000));
        watch.see_step(prompt(3, 40_000, 29_000));
        assert_eq!(watch.miss_count, 0, "the first prompt cannot miss, and small losses are rounding");
        watch.see_step(prompt(400, 50_000, 22_000));
        watch.see_step(CachedPrompt { model: 2, ..prompt(401, 51_000, 0) });
        watch.see_step(CachedPrompt { model: 2, compactions: 1, ..prompt(402, 12_000, 3_000) });
        watch.see_attachment(Seq(403), "deferred_tools_delta");
        watch.see_step(CachedPrompt { model: 2, compactions: 1, ..prompt(404, 13_000, 0) });
        watch.see_step(CachedPrompt { model: 2, compactions: 1, ..prompt(405, 13_100, 0) });
        let told: Vec<_> =
            watch.misses.iter().map(|miss| (miss.cause.name(), miss.lost(), miss.intact_until)).collect();
        assert_eq!(
            told,
            [
                ("pause", 18_000, Some(Seq(1))),
                ("model_changed", 50_000, None),
                ("compaction", 9_000, None),
                ("tools_changed", 12_000, None),
                ("not_recorded", 13_000, None),
            ]
        );
        assert_eq!(watch.lost, 102_000);
    }
}

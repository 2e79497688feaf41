//! Breakpoints and watched fields: where a run stops.

use crate::replay::Seq;
use crate::replay::check::Severity;
use crate::replay::condition::Condition;
use crate::replay::direction::Direction;
use crate::replay::finding::Finding;
use crate::replay::source::Gone;
use crate::replay::timeline::Replay;
use crate::replay::vocabulary::{EffectId, FieldId, KindId};

/// What to stop at.
#[derive(Clone)]
pub(crate) enum On {
    Kind(KindId),
    Effect(EffectId),
    /// An event that a finding touches: of this check, or of any check.
    Finding(Option<&'static str>),
    /// A change of a field: a watchpoint.
    Change(FieldId),
    Condition(Condition),
}

#[derive(Clone)]
pub(crate) struct Breakpoint {
    pub id: u32,
    pub on: On,
    /// The text that the user would write.
    pub text: String,
    pub enabled: bool,
    /// How often a run has stopped here.
    pub stops: u32,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RunEnd {
    Hit {
        at: Seq,
        /// The ids of the breakpoints that hold there.
        breakpoints: Vec<u32>,
    },
    /// There was no hit up to the end of the log.
    Over,
    /// It was cancelled.
    GaveUp,
}

#[derive(Clone, Default)]
pub(crate) struct Breakpoints {
    list: Vec<Breakpoint>,
    last_id: u32,
    /// Changes whenever the enabled breakpoints do.
    revision: u64,
}

impl Breakpoints {
    pub(crate) fn add(&mut self, on: On, text: String) -> u32 {
        self.last_id += 1;
        self.revision += 1;
        self.list.push(Breakpoint { id: self.last_id, on, text, enabled: true, stops: 0 });
        self.last_id
    }

    /// Returns false if there is no such breakpoint.
    pub(crate) fn remove(&mut self, id: u32) -> bool {
        let before = self.list.len();
        self.revision += 1;
        self.list.retain(|breakpoint| breakpoint.id != id);
        self.list.len() < before
    }

    /// Toggles a breakpoint and returns whether it is enabled now.
    pub(crate) fn toggle(&mut self, id: u32) -> Option<bool> {
        self.revision += 1;
        let breakpoint = self.list.iter_mut().find(|breakpoint| breakpoint.id == id)?;
        breakpoint.enabled = !breakpoint.enabled;
        Some(breakpoint.enabled)
    }

    /// A number that changes whenever the enabled breakpoints do.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Breakpoint> {
        self.list.iter()
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(crate) fn count_stop(&mut self, ids: &[u32]) {
        self.list.iter_mut().filter(|breakpoint| ids.contains(&breakpoint.id)).for_each(|found| found.stops += 1);
    }

    /// The next hit of any enabled breakpoint, without the event at `from`.
    #[cfg(test)]
    pub(crate) fn run(
        &self,
        replay: &dyn Replay,
        from: Seq,
        direction: Direction,
        give_up: &dyn Fn() -> bool,
    ) -> Result<RunEnd, Gone> {
        let part =
            if direction.is_forward() { from.0.saturating_add(1)..replay.len() } else { 0..from.0.min(replay.len()) };
        self.run_over(replay, part, direction, give_up)
    }

    /// The first hit in a range, or backwards the last. For callers that run in slices.
    pub(crate) fn run_over(
        &self,
        replay: &dyn Replay,
        mut part: std::ops::Range<u32>,
        direction: Direction,
        give_up: &dyn Fn() -> bool,
    ) -> Result<RunEnd, Gone> {
        let enabled = || self.list.iter().filter(|breakpoint| breakpoint.enabled);
        let (mut at, mut breakpoints) = (None, Vec::new());
        // Cheap ones first: their hits shorten the range for the others.
        let (conditions, cheap): (Vec<_>, Vec<_>) = enabled().partition(|known| matches!(known.on, On::Condition(_)));
        for breakpoint in cheap.into_iter().chain(conditions) {
            let Some(found) = breakpoint.on.find(replay, part.clone(), direction, give_up)? else {
                if give_up() {
                    return Ok(RunEnd::GaveUp);
                }
                continue;
            };
            if at != Some(found) {
                at = Some(found);
                breakpoints.clear();
                // The place itself stays in the range: another breakpoint may hold there, too.
                if direction.is_forward() { part.end = found.0 + 1 } else { part.start = found.0 }
            }
            breakpoints.push(breakpoint.id);
        }
        breakpoints.sort_unstable();
        Ok(at.map_or(RunEnd::Over, |at| RunEnd::Hit { at, breakpoints }))
    }
}

impl On {
    /// The first event of a range at which the breakpoint holds, or backwards the last.
    pub(crate) fn find(
        &self,
        replay: &dyn Replay,
        part: std::ops::Range<u32>,
        direction: Direction,
        give_up: &dyn Fn() -> bool,
    ) -> Result<Option<Seq>, Gone> {
        if part.is_empty() {
            return Ok(None);
        }
        let row = |test: &dyn Fn(&crate::replay::index::Rows, Seq) -> bool| {
            let mut found = None;
            replay.rows(&mut |rows| {
                let mut all = part.clone().map(Seq);
                let holds = |at: &Seq| test(rows, *at);
                found = if direction.is_forward() { all.find(holds) } else { all.rfind(holds) };
            });
            found
        };
        Ok(match self {
            On::Kind(kind) => row(&|rows, at| rows.kind(at) == Some(*kind)),
            On::Effect(effect) => row(&|rows, at| rows.effects(at) & (1 << effect.0) != 0),
            On::Finding(check) => {
                let findings = replay.findings();
                // Without a check, only contradictions count: information would stop everywhere.
                let is_meant = |finding: &Finding| match check {
                    Some(wanted) => finding.check.id == *wanted,
                    None => finding.severity > Severity::Info,
                };
                row(&|_, at| findings.at(at).any(|(_, finding)| is_meant(finding)))
            }
            On::Change(field) => {
                let mut found = None;
                replay.writers(*field, &mut |writers| {
                    found = if direction.is_forward() {
                        writers.from(Seq(part.start)).next()
                    } else {
                        writers.before(Seq(part.end))
                    };
                });
                found.filter(|at| part.contains(&at.0))
            }
            On::Condition(condition) => return condition.find(replay, part, direction, give_up),
        })
    }
}

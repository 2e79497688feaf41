//! Drift: differences between events with the same content, such as durations and ids that each run makes up.
//!
//! This module counts them. Which members of an event drift is in `identity.rs` of its dialect.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::replay::Seq;
use crate::replay::imprint::{Class, Names};
use crate::replay::index::GROUP;
use crate::replay::timeline::Replay;

use super::run::{AlignedRun, How, Side};
use super::{Comparison, Trouble, members_at};

/// Up to this many pairs that drifted are compared member by member; the rest are counted.
const LOOKED_AT: u64 = 10_000;

/// How one member drifted.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Drifted {
    /// The number of pairs in which it drifted.
    pub events: u64,
    /// The sums on the left and on the right, if all values were numbers.
    pub sums: Option<(f64, f64)>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Drift {
    /// How many pairs with the same content drifted, and the first of them.
    pub events: u64,
    pub first: Option<(Seq, Seq)>,
    /// By the path of the member.
    pub members: BTreeMap<String, Drifted>,
    /// Not all pairs were compared member by member.
    pub is_partial: bool,
}

impl Comparison {
    /// Everything that drifted. Records that are not byte for byte the same are read again.
    pub(crate) fn drift(&self, left: &dyn Replay, right: &dyn Replay) -> Result<Drift, Trouble> {
        let mut drift = Drift::default();
        let (beginning, end) = self.literal;
        let last = self.len(Side::Left) - end;
        for run in self.runs().iter().filter(|run| run.how == How::Same) {
            let mut done = beginning.saturating_sub(run.left).min(run.count);
            let to = last.saturating_sub(run.left).min(run.count);
            while done < to {
                let count = (to - done).min(16 * GROUP);
                self.drift_of_part(left, right, AlignedRun { count, ..run.after(done) }, &mut drift)?;
                done += count;
            }
        }
        Ok(drift)
    }

    fn drift_of_part(
        &self,
        left: &dyn Replay,
        right: &dyn Replay,
        part: AlignedRun,
        drift: &mut Drift,
    ) -> Result<(), Trouble> {
        let imprints = |replay: &dyn Replay, side: Side| {
            let mut imprints = Vec::with_capacity(part.count as usize);
            let from = part.starts(side);
            let read = replay.imprints(from..from + part.count, self.names, &mut |imprinted| {
                imprints.push(imprinted.imprint.drift(self.names));
                ControlFlow::Continue(())
            });
            read.map(|()| imprints).map_err(|gone| Trouble::Gone(side, gone))
        };
        let (one, two) = (imprints(left, Side::Left)?, imprints(right, Side::Right)?);
        for (number, _) in one.iter().zip(&two).enumerate().filter(|(_, (one, two))| one != two) {
            let spot = part.spot(number as u32);
            drift.events += 1;
            drift.first.get_or_insert((spot.left, spot.right));
            if drift.events > LOOKED_AT {
                drift.is_partial = true;
                continue;
            }
            for member in members_at(left, right, spot.left, spot.right)?.list {
                let counts =
                    member.class == Class::Drift || (member.class == Class::Name && self.names == Names::Fresh);
                if counts {
                    let number = |value: &Option<serde_json::Value>| value.as_ref().and_then(serde_json::Value::as_f64);
                    let values = number(&member.left).zip(number(&member.right));
                    drift.members.entry(member.path).or_default().add(values);
                }
            }
        }
        Ok(())
    }
}

impl Drifted {
    fn add(&mut self, values: Option<(f64, f64)>) {
        let before = if self.events == 0 { Some((0.0, 0.0)) } else { self.sums };
        self.sums = before.zip(values).map(|(sums, values)| (sums.0 + values.0, sums.1 + values.1));
        self.events += 1;
    }
}

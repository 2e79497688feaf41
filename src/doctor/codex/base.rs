//! The rollouts that a paginated rollout continues.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::line::Position;
use super::{HeadKind, Rollout};
use crate::doctor::lines::LineAt;

/// Why the rollout that another one continues cannot be used.
#[derive(Clone, Debug)]
pub(crate) struct BaseFailure {
    pub rollout: Arc<str>,
    /// As Codex says it.
    pub reason: &'static str,
}

/// A chain of forks is not followed further than this.
const BASES_MOST: usize = 1000;

/// Reads the rollout with this id up to a byte, line by line, and returns its length. `None` if there is none.
pub(crate) type ReadBase<'a> = &'a mut dyn FnMut(&str, u64, &mut dyn FnMut(LineAt, &[u8])) -> Option<u64>;

impl Rollout {
    /// Reads the rollouts that this one continues. `own` is the id in the name of its file, if there is one.
    pub(crate) fn read_bases(&mut self, own: Option<&str>, read: ReadBase<'_>) {
        let Some(meta) = self.meta().filter(|meta| meta.is_paginated()) else { return };
        let mut seen: FxHashSet<Arc<str>> = FxHashSet::default();
        seen.insert(own.map_or_else(|| Arc::clone(&meta.id), Arc::from));
        let mut next = meta.base.clone();
        while let Some(position) = next {
            match self.read_base(&position, &mut seen, read) {
                Ok(further) => next = further,
                Err(reason) => {
                    self.base_failure = Some(BaseFailure { rollout: position.rollout, reason });
                    self.bases.clear();
                    return;
                }
            }
        }
    }

    /// Reads one of them, and returns the one that it continues itself.
    fn read_base(
        &mut self,
        position: &Position,
        seen: &mut FxHashSet<Arc<str>>,
        read: ReadBase<'_>,
    ) -> Result<Option<Position>, &'static str> {
        // All files share their names, so that ids can be compared.
        let mut base = Rollout { names: std::mem::take(&mut self.names), ..Rollout::default() };
        let length = read(&position.rollout, position.end_byte, &mut |at, bytes| base.read(at, bytes));
        self.names = std::mem::take(&mut base.names);
        let length = length.ok_or("missing source rollout")?;
        if !seen.insert(Arc::clone(&position.rollout)) || seen.len() > BASES_MOST {
            return Err("cycle detected");
        }
        let meta = match base.head {
            Some(super::RolloutHead { kind: HeadKind::Meta(meta), .. }) if meta.is_paginated() => meta,
            _ => return Err("source rollout is not paginated"),
        };
        if position.end_ordinal == 0 || position.end_byte == 0 {
            return Err("cutoff cannot include source session metadata");
        }
        if position.end_byte > length {
            return Err("cutoff byte offset is past the source rollout");
        }
        self.bases.insert(0, base.document);
        Ok(meta.base)
    }
}

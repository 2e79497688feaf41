//! Checks of the context window: checkpoints, paging and archived ranges.

use rustc_hash::FxHashSet;

use crate::replay::Seq;
use crate::replay::finding::{Finding, Findings};
use crate::session::checks;
use crate::session::event::SessionEvent;
use crate::session::kind::SessionKind;
use crate::session::members::RawMember;

#[derive(Clone, Default)]
pub(crate) struct ContextAudit {
    /// The lengths at which checkpoints were taken.
    checkpoints: FxHashSet<u64>,
    has_paged_out: bool,
    /// The end of the last valid archived range.
    archived_to: Option<u64>,
}

impl ContextAudit {
    pub(crate) fn see(&mut self, at: Seq, event: &SessionEvent<'_>, findings: &mut Findings) {
        match event.kind {
            SessionKind::CheckpointTaken => self.checkpoints.extend(event.members.number("history_len")),
            SessionKind::Rollbacked => {
                let Some(length) = event.members.number("checkpoint_history_len") else { return };
                if !self.checkpoints.is_empty() && !self.checkpoints.contains(&length) {
                    let finding = Finding::new(&checks::ROLLBACK_UNKNOWN_CHECKPOINT, [at]);
                    let finding = finding.about("length", length.to_string());
                    findings.push(finding.expected("the length of a checkpoint").actual(format!("{length} messages")));
                }
            }
            SessionKind::PageOut => self.has_paged_out = true,
            SessionKind::PageIn if !self.has_paged_out => findings.report(&checks::PAGE_IN_WITHOUT_PAGE_OUT, || {
                Finding::new(&checks::PAGE_IN_WITHOUT_PAGE_OUT, [at]).expected("a page_out first").actual("none")
            }),
            SessionKind::Compressed => self.see_range(at, event, findings),
            _ => {}
        }
    }

    fn see_range(&mut self, at: Seq, event: &SessionEvent<'_>, findings: &mut Findings) {
        let Some((from, to)) = archived_range(event) else { return };
        let range = format!("{from}-{to}");
        if from > to {
            let finding = Finding::new(&checks::COMPRESSED_RANGE_INVALID, [at]).about("range", range.clone());
            findings.push(finding.expected("a first number up to the last").actual(range));
            return;
        }
        if let Some(before) = self.archived_to.replace(to).filter(|before| from <= *before) {
            let finding = Finding::new(&checks::COMPRESSED_RANGE_OVERLAP, [at]).about("range", range.clone());
            findings.push(finding.expected(format!("a start above {before}")).actual(from.to_string()));
        }
    }
}

/// The two ends of an archived range; anything else in the array is dropped.
pub(crate) fn archived_range(event: &SessionEvent<'_>) -> Option<(u64, u64)> {
    let range = event.members.get("archived_seq_range").map(RawMember::elements);
    let mut ends = range.into_iter().flatten().filter_map(|end| end.number());
    let (from, to) = (ends.next()?, ends.next()?);
    ends.next().is_none().then_some((from, to))
}

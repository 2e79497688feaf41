//! The examination of a rollout of Codex.

use std::collections::BTreeSet;

use super::Rollout;
use super::history::{CodexHistory, ItemAt, Made};
use super::judge::judge;
use super::line::CodexKind;
use crate::doctor::context::counted;
use crate::doctor::session::{Counts, Examination, Row};

impl Rollout {
    pub(crate) fn examine(&self) -> Examination {
        let history = CodexHistory::new(self, None);
        let problems = judge(self, &history);
        let branches = self.branches(&history);
        Examination {
            dropped: problems.dropped(),
            problems: problems.into_sorted(),
            counts: self.counts(&history),
            reach: counted(&branches),
            branches,
            history: history.items.iter().map(|at| self.row(at)).collect(),
        }
    }

    fn counts(&self, history: &CodexHistory) -> Counts {
        let lines: BTreeSet<u32> = history.items.iter().filter_map(|at| self.line_of(at)).collect();
        let is_conversation =
            |kind: &CodexKind| matches!(kind, CodexKind::Item(_) | CodexKind::Compacted(_) | CodexKind::Skipped);
        let conversation = self.document.present().filter(|(_, entry)| is_conversation(&entry.line.kind)).count();
        Counts {
            messages: history.items.len(),
            reachable_lines: lines.len(),
            total_lines: self.document.total_lines,
            conversation_lines: conversation,
            reachable_conversation_lines: lines.len(),
        }
    }

    /// An item as it is listed.
    pub(crate) fn row(&self, at: &ItemAt) -> Row {
        let lines = self.line_of(at).into_iter().collect();
        let Some(item) = self.item(at).filter(|_| at.made != Made::Summary) else {
            return Row { role: "user".into(), kinds: vec!["message".into()], ids: Vec::new(), lines };
        };
        Row {
            role: self.names.text(item.shown),
            kinds: vec![self.names.text(item.kind_name)],
            ids: item.call.map(|call| self.names.text(call)).into_iter().collect(),
            lines,
        }
    }
}

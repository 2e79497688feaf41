//! The examination of a session of Claude Code.

use rustc_hash::FxHashSet;

use super::history::ClaudeHistory;
use super::judge::judge;
use super::messages::ClaudeMessage;
use super::{ClaudeScope, Transcript};
use crate::doctor::context::counted;
use crate::doctor::session::{Counts, Examination, Row};

impl Transcript {
    pub(crate) fn examine(&self) -> Examination {
        let history = ClaudeHistory::new(self, &ClaudeScope::default());
        let problems = judge(self, &history);
        let branches = self.branches(&history);
        Examination {
            dropped: problems.dropped(),
            problems: problems.into_sorted(),
            counts: self.counts(&history),
            reach: counted(&branches),
            branches,
            history: history.messages.iter().map(|message| self.row(message)).collect(),
        }
    }

    fn counts(&self, history: &ClaudeHistory) -> Counts {
        let is_conversation = |node: &usize| history.graph.is_conversation(self, *node);
        Counts {
            messages: history.messages.len(),
            reachable_lines: history.sequence.len(),
            total_lines: self.document.total_lines,
            conversation_lines: (0..history.graph.nodes.len()).filter(is_conversation).count(),
            reachable_conversation_lines: history.sequence.iter().filter(|node| is_conversation(node)).count(),
        }
    }

    /// A message as it is listed.
    pub(crate) fn row(&self, message: &ClaudeMessage) -> Row {
        let blocks = || message.blocks.iter().filter_map(|at| self.block(*at));
        let mut seen = FxHashSet::default();
        let lines = message.entries.iter().map(|entry| self.number(*entry));
        Row {
            role: message.role.name().into(),
            kinds: blocks().map(|block| self.names.text(block.kind_name)).collect(),
            ids: blocks().filter_map(|block| block.id).map(|id| self.names.text(id)).collect(),
            lines: lines.filter(|line| *line > 0 && seen.insert(*line)).collect(),
        }
    }
}

//! The chain for prompt refreshes: each must be completed by `user_memory`, then `topic_episodic`, in one step.

use crate::replay::Seq;
use crate::replay::finding::Finding;

use super::{Contradictions, GateChain};
use crate::turn::checks;
use crate::turn::effect::{EffectCounts, EffectKind};
use crate::turn::event::Event;
use crate::turn::memory::USER_MEMORY;

#[derive(Clone, Default)]
pub(super) struct Refresh {
    begun: u32,
    refreshed: u32,
    /// A refresh that began and was not completed: its query and step.
    open: Vec<(Seq, u32)>,
}

impl Refresh {
    pub(super) fn see(&mut self, at: Seq, event: &Event<'_>, emitted: &EffectCounts) {
        let Event::MemoryPlaneQueried { step_idx, query_key, .. } = event else { return };
        if emitted.of(EffectKind::RefreshSystemPrompt) > 0 {
            self.refreshed += 1;
            // Replay refreshes the prompt only for the last `user_memory` query, and only in the step of that query.
            if self.open.last().is_some_and(|(_, step)| step == step_idx) {
                self.open.pop();
            }
        }
        if *query_key == *USER_MEMORY {
            self.begun += 1;
            self.open.push((at, *step_idx));
        }
    }

    pub(super) fn finish(&self, say: &mut Contradictions<'_>) {
        let (begun, refreshed) = (self.begun, self.refreshed);
        if refreshed >= begun {
            return;
        }
        let (at, step) = self.open.first().copied().unwrap_or_default();
        let finding = Finding::new(&checks::PROMPT_REFRESH, [at])
            .about("step", step.to_string())
            .expected(format!("a refresh for each user_memory query, {begun} in all"))
            .actual(format!("{refreshed} replayed"));
        say.say(GateChain::SystemPromptRefreshReplay, finding, || {
            format!("expected >= {begun} RefreshSystemPrompt replay effects, found {refreshed}")
        });
    }
}

//! The chain for capacity checkpoints: their fields must be possible together.

use crate::replay::Seq;
use crate::replay::finding::Finding;

use super::{Contradictions, GateChain};
use crate::turn::checks;
use crate::turn::event::{CapacityAction, Event};

/// More tokens than this many budgets are implausible.
const PLAUSIBLE_BUDGETS: u32 = 4;

pub(super) fn see(at: Seq, index: u32, event: &Event<'_>, say: &mut Contradictions<'_>) {
    let Event::CapacityCheckpoint { step_idx, tokens_used, token_budget, action, cooldown_blocked, .. } = event else {
        return;
    };
    let found = |field: &'static str| {
        Finding::new(&checks::CAPACITY_FIELDS, [at]).about("field", field).about("step", step_idx.to_string())
    };
    if *token_budget == 0 {
        let finding = found("token_budget").expected("a budget above zero").actual("token_budget 0");
        say.say(GateChain::CapacityFields, finding, || format!("checkpoint[{index}] token_budget is zero"));
    }
    if *cooldown_blocked && *action != CapacityAction::Continue {
        let finding = found("cooldown_blocked")
            .expected("action continue while the cooldown blocks")
            .actual(format!("{action:?} with cooldown_blocked"));
        say.say(GateChain::CapacityFields, finding, || {
            format!("checkpoint[{index}] cooldown_blocked with action={action:?}")
        });
        if matches!(action, CapacityAction::Trim | CapacityAction::Handoff) {
            let finding = found("action")
                .expected("an intervention that was not blocked")
                .actual(format!("{action:?} with cooldown_blocked"));
            say.say(GateChain::CapacityFields, finding, || {
                format!("checkpoint[{index}] intervention action={action:?} must not be cooldown_blocked")
            });
        }
    }
    if *tokens_used > token_budget.saturating_mul(PLAUSIBLE_BUDGETS) {
        let finding = found("tokens_used")
            .expected(format!("at most {PLAUSIBLE_BUDGETS} times the budget of {token_budget}"))
            .actual(format!("{tokens_used} tokens used"));
        say.say(GateChain::CapacityFields, finding, || {
            format!("checkpoint[{index}] tokens_used={tokens_used} implausibly exceeds token_budget={token_budget}")
        });
    }
}

//! The chain for outer-boundary grants: continuations, handoffs and cycle advances must not exceed their caps.

use crate::replay::Seq;
use crate::replay::finding::Finding;

use super::{Contradictions, GateChain};
use crate::turn::checks;
use crate::turn::event::{Event, Strategy, TurnMode};

struct Grant {
    /// The name in the reference's text.
    text_name: &'static str,
    cap: u32,
}

const GRANTS: [Grant; 4] = [
    Grant { text_name: "step_limit_continuations", cap: 3 },
    Grant { text_name: "loop_guard_continuations", cap: 2 },
    Grant { text_name: "cycle_handoffs", cap: 2 },
    Grant { text_name: "in_turn_cycle_advances", cap: 8 },
];

#[derive(Clone, Default)]
pub(super) struct Caps {
    /// The mode of the last turn that started; without a turn the chain reports nothing.
    mode: Option<TurnMode>,
    counts: [u32; GRANTS.len()],
    first: Option<Seq>,
    first_above_cap: [Option<Seq>; GRANTS.len()],
}

impl Caps {
    pub(super) fn see(&mut self, at: Seq, event: &Event<'_>) {
        let grant = match event {
            Event::TurnStarted { mode, .. } => {
                self.mode = Some(*mode);
                return;
            }
            Event::StepLimitContinuation { .. } => 0,
            Event::LoopGuardContinuation { .. } => 1,
            Event::ContextOverflowRecovered { strategy: Strategy::CycleHandoff, .. } => 2,
            Event::CycleAdvanced { .. } => 3,
            _ => return,
        };
        self.counts[grant] += 1;
        self.first.get_or_insert(at);
        if self.counts[grant] > GRANTS[grant].cap {
            self.first_above_cap[grant].get_or_insert(at);
        }
    }

    pub(super) fn finish(&self, say: &mut Contradictions<'_>) {
        match (self.mode, self.first) {
            (Some(TurnMode::Plan), Some(first)) => {
                let [steps, guard, handoffs, advances] = self.counts;
                let text = format!(
                    "plan mode turn emitted outer-boundary grants (step_limit={steps}, loop_guard={guard}, cycle_handoffs={handoffs}, in_turn_advances={advances})"
                );
                let finding = Finding::new(&checks::OUTER_BOUNDARY_CAPS, [first])
                    .about("grant", "plan")
                    .expected("no grant in plan mode")
                    .actual(format!("{} granted", self.counts.iter().sum::<u32>()));
                say.say(GateChain::OuterBoundaryCaps, finding, || text);
            }
            (Some(_), _) => {
                for (index, grant) in GRANTS.iter().enumerate() {
                    let Some(at) = self.first_above_cap[index] else { continue };
                    let (name, count, cap) = (grant.text_name, self.counts[index], grant.cap);
                    let finding = Finding::new(&checks::OUTER_BOUNDARY_CAPS, [at])
                        .about("grant", name)
                        .expected(format!("at most {cap}"))
                        .actual(format!("{count} granted"));
                    say.say(GateChain::OuterBoundaryCaps, finding, || format!("{name} events={count} cap={cap}"));
                }
            }
            (None, _) => {}
        }
    }
}

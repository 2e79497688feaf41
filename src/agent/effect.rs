//! The effects of an event: what the model asked of its host in it.

use serde_json::{Value, json};

use super::block::{Block, ToolCall, TurnEnd};
use super::event::AgentEvent;
use super::state::AgentState;
use crate::json::raw::{RawJson, RawText};
use crate::replay::Seq;
use crate::replay::machine::{Effect, Emit};
use crate::replay::vocabulary::EffectId;

pub(crate) const EFFECT_NAMES: &[&str] = &["run_tool", "spawn_agent", "ask_user", "compact", "end_turn"];

const RUN_TOOL: u8 = 0;
const SPAWN_AGENT: u8 = 1;
const ASK_USER: u8 = 2;
const COMPACT: u8 = 3;
const END_TURN: u8 = 4;

/// The longest input that is shown in a line.
const INPUT_CHARACTERS: usize = 200;

struct Asked<'c, 'a> {
    name: &'static str,
    call: &'c ToolCall<'a>,
}

impl Asked<'_, '_> {
    fn id(&self) -> String {
        match self.call.id {
            super::block::CallId::Named(id) => id.get().into_owned(),
            super::block::CallId::Unnamed => String::new(),
        }
    }
}

impl Effect for Asked<'_, '_> {
    fn to_json(&self) -> Value {
        json!({
            "kind": self.name, "id": self.id(), "name": self.call.name.get(),
            "input": self.call.input.map_or(Value::Null, RawJson::to_value),
        })
    }

    fn write_detail(&self, out: &mut String) {
        out.push_str(&self.call.name.get());
        let input = self.call.input.map(|input| match input.text() {
            Some(text) => text.characters().take(INPUT_CHARACTERS).collect(),
            None => String::from_utf8_lossy(input.bytes()).chars().take(INPUT_CHARACTERS).collect::<String>(),
        });
        if let Some(input) = input {
            out.push(' ');
            out.push_str(&input);
        }
    }
}

struct Plain(&'static str);

impl Effect for Plain {
    fn to_json(&self) -> Value {
        json!({"kind": self.0})
    }

    fn write_detail(&self, _: &mut String) {}
}

/// Whether a tool starts another agent.
pub(crate) fn starts_agents(tool: RawText<'_>) -> bool {
    of_tool(tool) == SPAWN_AGENT
}

fn of_tool(tool: RawText<'_>) -> u8 {
    match &*tool.get() {
        "Agent" | "Task" | "Workflow" | "spawn_agent" => SPAWN_AGENT,
        "AskUserQuestion" | "request_user_input" => ASK_USER,
        _ => RUN_TOOL,
    }
}

/// Emits the effects. A call that was there before asks for nothing, and neither does a copied record.
pub(crate) fn emit(before: &AgentState, event: &AgentEvent<'_>, emit: &mut Emit<'_>) -> Option<Value> {
    let mut halt = None;
    let mut copy = before.copy.clone();
    if copy.see(event, &mut |_| {}) == super::state::copy::CopyStanding::Foreign {
        return None;
    }
    for block in &event.blocks {
        match block {
            // A call without an id is always new, so its place does not matter.
            Block::ToolCall(call) if !before.calls.knows(call.id, Seq(u32::MAX)) => {
                let place = of_tool(call.name);
                emit(EffectId(place), &Asked { name: EFFECT_NAMES[place as usize], call });
            }
            Block::Compaction(_) => emit(EffectId(COMPACT), &Plain(EFFECT_NAMES[COMPACT as usize])),
            Block::TurnEnd(end) => {
                emit(EffectId(END_TURN), &Plain(EFFECT_NAMES[END_TURN as usize]));
                halt = Some(match end {
                    TurnEnd::Unstated => json!("ended"),
                    TurnEnd::Completed => json!("completed"),
                    TurnEnd::Failed(_) => json!("error"),
                    TurnEnd::Aborted(reason) => json!(reason.get()),
                    TurnEnd::RolledBack => json!("rolled_back"),
                });
            }
            _ => {}
        }
    }
    halt
}

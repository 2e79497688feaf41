//! A session as a turn log. Nothing is invented: what a session does not record is named in the `source` of its event.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::source;
use crate::agent::block::{Block, CallId, Outcome, Tokens, ToolCall, ToolResult, Usage};
use crate::agent::content::Content;
use crate::agent::event::AgentEvent;
use crate::agent::state::AgentState;
use crate::agent::state::happening::Happening;
use crate::agent::state::turns::TurnOutcome;
use crate::json::raw::RawJson;
use crate::replay::Seq;

const PREVIEW_CHARACTERS: usize = 200;

/// What happened, at its record.
enum TurnItem {
    TurnEnd {
        outcome: TurnOutcome,
        error: Option<Arc<str>>,
    },
    TurnStart {
        id: Option<Arc<str>>,
        mode: &'static str,
    },
    /// The text of the turn that has begun, or of a message into the running turn.
    Prompt(String),
    Steer,
    Step {
        tokens: Tokens,
        texts: Vec<String>,
        blocks: u32,
        window: u64,
    },
    Text(String),
    /// Another block of the message.
    Block,
    Call {
        id: String,
        tool: String,
        input: String,
    },
    Result {
        id: String,
        outcome: Outcome,
        text: String,
        wrote: bool,
        tool: String,
        lasted: Option<u64>,
    },
    Compaction {
        tokens_after: Option<u64>,
    },
}

impl TurnItem {
    /// The order of what happened in one record.
    const fn rank(&self) -> u8 {
        match self {
            TurnItem::TurnEnd { .. } => 0,
            TurnItem::TurnStart { .. } => 1,
            TurnItem::Steer => 2,
            TurnItem::Prompt(_) => 3,
            TurnItem::Step { .. } => 4,
            TurnItem::Text(_) | TurnItem::Block | TurnItem::Call { .. } => 5,
            TurnItem::Result { .. } | TurnItem::Compaction { .. } => 6,
        }
    }
}

struct Placed {
    at: Seq,
    line: u64,
    item: TurnItem,
}

#[derive(Default)]
pub(super) struct TurnLog {
    state: AgentState,
    items: Vec<Placed>,
    /// The lines of the records.
    lines: Vec<u64>,
    /// By key: the item of a message.
    messages: FxHashMap<u64, usize>,
    calls: FxHashMap<String, Seq>,
    side_records: u64,
}

pub(super) struct WrittenTurns {
    pub events: Vec<Value>,
    pub side_records: u64,
    pub outside: u64,
}

impl TurnLog {
    pub(super) fn see(&mut self, at: Seq, line: u64, event: &AgentEvent<'_>) {
        self.lines.resize(at.0 as usize + 1, line);
        let before = self.state.steps.tokens;
        let (mut told, mut planned, mut answered) = (Vec::new(), false, None);
        self.state.apply(at, event, &mut |happening| match happening {
            Happening::TurnClosed { outcome } => told.push(Told::Closed(outcome)),
            Happening::TurnBegan { .. } => told.push(Told::Began),
            Happening::StepBegan { at, is_side: false } => told.push(Told::Step(at)),
            Happening::Steered => told.push(Told::Steered),
            Happening::CallPlanned { .. } => planned = true,
            Happening::Resolved(resolved) => answered = Some(resolved),
            _ => {}
        });
        if event.is_aside() {
            self.side_records += 1;
            return;
        }
        let after = self.state.steps.tokens;
        let used = Tokens {
            prompt: after.prompt.wrapping_sub(before.prompt),
            output: after.output.wrapping_sub(before.output),
            cache_read: after.cache_read.wrapping_sub(before.cache_read),
        };
        let mut is_counted = false;
        for one in told {
            is_counted |= matches!(one, Told::Step(_));
            self.tell(at, line, one, used, event);
        }
        for block in &event.blocks {
            self.block(at, line, block, planned, answered.as_ref());
            if let Block::Usage(Usage::Message { key, .. }) = block
                && !is_counted
                && let Some(step) = self.messages.get(key)
                && let TurnItem::Step { tokens, .. } = &mut self.items[*step].item
            {
                *tokens = sum(*tokens, used);
            }
        }
    }

    fn put(&mut self, at: Seq, line: u64, item: TurnItem) {
        self.items.push(Placed { at, line, item });
    }

    fn tell(&mut self, at: Seq, line: u64, told: Told, used: Tokens, event: &AgentEvent<'_>) {
        match told {
            Told::Closed(outcome) => {
                let error = self.state.last_error.clone();
                self.put(at, line, TurnItem::TurnEnd { outcome, error });
            }
            Told::Began => {
                let turn = self.state.turns.current.as_ref();
                let mode = mode(self.state.settings.mode.as_ref().map(ToString::to_string).as_deref());
                let (id, began) = (turn.and_then(|turn| turn.id.clone()), turn.map_or(at, |turn| turn.at));
                let line = self.lines.get(began.0 as usize).copied().unwrap_or(line);
                self.put(at, line, TurnItem::TurnStart { id, mode });
            }
            Told::Steered => self.put(at, line, TurnItem::Steer),
            Told::Step(first) => {
                let key = event.blocks.iter().find_map(|block| match block {
                    Block::Usage(Usage::Message { key, .. }) => Some(*key),
                    _ => None,
                });
                self.messages.extend(key.map(|key| (key, self.items.len())));
                let window = self.state.steps.window.unwrap_or(0);
                let line = self.lines.get(first.0 as usize).copied().unwrap_or(line);
                self.put(first, line, TurnItem::Step { tokens: used, texts: Vec::new(), blocks: 0, window });
            }
        }
    }

    fn block(
        &mut self,
        at: Seq,
        line: u64,
        block: &Block<'_>,
        is_planned: bool,
        answered: Option<&crate::agent::state::happening::ResolvedCall>,
    ) {
        match block {
            Block::Prompt { content, .. } | Block::Steer { content } => {
                self.put(at, line, TurnItem::Prompt(content.text().into_owned()));
            }
            Block::Text(content) => self.put(at, line, TurnItem::Text(content.text().into_owned())),
            Block::Thinking(_) => self.put(at, line, TurnItem::Block),
            Block::Compaction(compaction) => {
                self.put(at, line, TurnItem::Compaction { tokens_after: compaction.tokens_after });
            }
            Block::ToolCall(call) if is_planned => self.call(at, line, call),
            Block::ToolResult(result) => self.result(at, line, result, answered),
            _ => {}
        }
    }

    fn call(&mut self, at: Seq, line: u64, call: &ToolCall<'_>) {
        let id = id_of(call.id, at);
        let input = call.input.map_or_else(|| "{}".to_owned(), input_of);
        self.calls.insert(id.clone(), at);
        self.put(at, line, TurnItem::Call { id, tool: call.name.get().into_owned(), input });
    }

    fn result(
        &mut self,
        at: Seq,
        line: u64,
        result: &ToolResult<'_>,
        answered: Option<&crate::agent::state::happening::ResolvedCall>,
    ) {
        let outcome = answered.map_or(result.outcome, |resolved| resolved.outcome);
        let item = TurnItem::Result {
            id: id_of(result.id, at),
            outcome,
            text: preview(result.content),
            wrote: result.written.is_some(),
            tool: answered.map_or_else(String::new, |resolved| resolved.tool.to_string()),
            lasted: answered.and_then(|resolved| resolved.lasted),
        };
        self.put(at, line, item);
    }

    /// Puts everything in order and writes it.
    pub(super) fn finish(mut self) -> WrittenTurns {
        let side_records = self.side_records;
        // A result may stand before its call.
        for placed in &mut self.items {
            if let TurnItem::Result { id, .. } = &placed.item
                && let Some(call) = self.calls.get(id)
            {
                placed.at = placed.at.max(*call);
            }
        }
        // How much a compaction left is often known only from the step after it.
        for placed in &mut self.items {
            if let TurnItem::Compaction { tokens_after } = &mut placed.item {
                let row = self.state.compactions.iter().find(|row| row.at == placed.at);
                *tokens_after = tokens_after.or(row.and_then(|row| row.context_after));
            }
        }
        self.items.sort_by_key(|placed| (placed.at, placed.item.rank()));
        gather(&mut self.items);
        let mut writer = TurnWriter { calls: self.calls, ..TurnWriter::default() };
        writer.begin(&self.state);
        for placed in self.items {
            writer.write(placed.line, placed.item);
        }
        // Some programs do not write how the last turn ended, but its messages tell.
        let end = self.state.turns.at_end(self.state.end_rules());
        if let Some((_, outcome)) = end.filter(|(_, outcome)| *outcome != TurnOutcome::Open) {
            let line = self.lines.last().copied().unwrap_or_default();
            writer.turn_ended(line, &outcome, self.state.last_error.as_deref());
        }
        WrittenTurns { events: writer.events, side_records, outside: writer.outside }
    }
}

enum Told {
    Closed(TurnOutcome),
    Began,
    Step(Seq),
    Steered,
}

/// Texts and blocks belong to the step before them.
fn gather(items: &mut [Placed]) {
    let mut last = None;
    for at in 0..items.len() {
        match &items[at].item {
            TurnItem::Step { .. } => last = Some(at),
            TurnItem::Text(_) | TurnItem::Block | TurnItem::Call { .. } => {
                let text = if let TurnItem::Text(text) = &items[at].item { Some(text.clone()) } else { None };
                if let Some(last) = last
                    && let TurnItem::Step { texts, blocks, .. } = &mut items[last].item
                {
                    *blocks += 1;
                    texts.extend(text);
                }
            }
            _ => {}
        }
    }
}

#[derive(Default)]
struct TurnWriter {
    events: Vec<Value>,
    calls: FxHashMap<String, Seq>,
    /// The turn that is open.
    turn: Option<String>,
    turns: u32,
    steps: u32,
    compactions: u32,
    /// The open turn has no text yet, and where its beginning is.
    wants_text: Option<usize>,
    is_steered: bool,
    outside: u64,
}

impl TurnWriter {
    fn begin(&mut self, state: &AgentState) {
        let program = state.format.map_or("", |format| format.name);
        let source = json!({
            "format": program, "version": state.settings.version.as_deref(),
            "notes": ["durations are upper bounds: they include waiting for a permission"],
        });
        self.events.push(json!({"event_type": "schema_version", "version": 1, "source": source}));
    }

    fn write(&mut self, line: u64, item: TurnItem) {
        match item {
            TurnItem::TurnStart { id, mode } => self.turn_started(line, id.as_deref(), mode),
            TurnItem::TurnEnd { outcome, error } => self.turn_ended(line, &outcome, error.as_deref()),
            TurnItem::Prompt(text) => self.prompt(line, text),
            TurnItem::Steer => self.is_steered = true,
            TurnItem::Text(_) | TurnItem::Block => {}
            item if self.turn.is_none() => {
                self.outside += u64::from(!matches!(item, TurnItem::Steer));
            }
            TurnItem::Step { tokens, texts, blocks, window } => {
                self.step(line, tokens, &texts.join("\n\n"), blocks, window)
            }
            TurnItem::Call { id, tool, input } => {
                let source = source(line, &["decision"], None);
                let (turn, step) = (&self.turn, self.steps.max(1));
                self.events.push(json!({
                    "event_type": "tool_call_planned", "turn_id": turn, "step_idx": step, "call_id": id,
                    "tool_name": tool, "input_json": input, "source": source,
                    "decision": {"approval_required": false, "parallel_eligible": false, "read_only": false},
                }));
            }
            TurnItem::Result { id, outcome, text, wrote, tool, lasted } => {
                // Only the first result of a call counts.
                if self.calls.remove(&id).is_none() {
                    self.outside += 1;
                    return;
                }
                let (outcome, note) = outcome_of(outcome, &text);
                let missing: &[&str] = if lasted.is_none() { &["duration_ms"] } else { &[] };
                self.events.push(json!({
                    "event_type": "tool_call_finished", "turn_id": self.turn, "call_id": id, "tool_name": tool,
                    "outcome": outcome, "duration_ms": within(lasted.unwrap_or(0)), "wrote_state": wrote,
                    "result_preview": text, "source": source(line, missing, note),
                }));
            }
            TurnItem::Compaction { tokens_after } => {
                self.compactions += 1;
                let mut missing = vec!["replaced_range"];
                missing.extend(tokens_after.is_none().then_some("summary_token_count"));
                self.events.push(json!({
                    "event_type": "compaction_artifact_created", "turn_id": self.turn,
                    "artifact_id": format!("compaction-{}", self.compactions), "replaced_range": {"from": 0, "to": 0},
                    "summary_token_count": within(tokens_after.unwrap_or(0)), "source": source(line, &missing, None),
                }));
            }
        }
    }

    fn turn_started(&mut self, line: u64, id: Option<&str>, mode: &str) {
        self.turns += 1;
        let id = id.map_or_else(|| format!("turn-{}", self.turns), |id| format!("{id}#{}", self.turns));
        (self.turn, self.steps, self.is_steered) = (Some(id.clone()), 0, false);
        self.wants_text = Some(self.events.len());
        self.events.push(json!({
            "event_type": "turn_started", "turn_id": id, "mode": mode, "input_text": "", "max_steps": 0,
            "source": source(line, &["max_steps"], None),
        }));
    }

    fn turn_ended(&mut self, line: u64, outcome: &TurnOutcome, error: Option<&str>) {
        let Some(turn) = self.turn.take() else { return };
        let (outcome, note) = match outcome {
            TurnOutcome::Completed => (json!("completed"), None),
            TurnOutcome::Interrupted => (json!("interrupted"), None),
            TurnOutcome::Error => (json!({"failed": {"message": error.unwrap_or("an error")}}), None),
            TurnOutcome::Stopped => (json!("interrupted"), Some("another turn began before this one had ended")),
            TurnOutcome::RolledBack => (json!("interrupted"), Some("the user took the turn back")),
            TurnOutcome::Open => (json!("interrupted"), Some("not over at the end of the file")),
            TurnOutcome::Aborted(reason) => (json!({"failed": {"message": **reason}}), None),
        };
        self.events.push(json!({
            "event_type": "turn_ended", "turn_id": turn, "outcome": outcome, "total_steps": self.steps,
            "source": source(line, &[], note),
        }));
    }

    fn prompt(&mut self, line: u64, text: String) {
        if self.turn.is_none() {
            self.outside += 1;
        } else if let Some(began) = self.wants_text.take().filter(|_| !self.is_steered) {
            self.events[began]["input_text"] = json!(text);
        } else if std::mem::take(&mut self.is_steered) {
            self.events.push(json!({
                "event_type": "steer_injected", "turn_id": self.turn, "step_idx": self.steps.max(1), "text": text,
                "source": source(line, &[], None),
            }));
        }
    }

    fn step(&mut self, line: u64, tokens: Tokens, text: &str, blocks: u32, window: u64) {
        self.steps += 1;
        self.wants_text = None;
        let mut missing = vec!["request_fp"];
        missing.extend((window == 0).then_some("token_budget"));
        let missed = tokens.prompt.saturating_sub(tokens.cache_read);
        let preview: String = text.chars().take(PREVIEW_CHARACTERS).collect();
        self.events.push(json!({
            "event_type": "model_request_issued", "turn_id": self.turn, "step_idx": self.steps,
            "request_fp": {"static_prefix_sha256": "", "full_prefix_sha256": ""}, "token_budget": within(window),
            "source": source(line, &missing, None),
        }));
        self.events.push(json!({
            "event_type": "model_message", "turn_id": self.turn, "step_idx": self.steps, "block_count": blocks,
            "usage": {
                "input_tokens": within(tokens.prompt), "output_tokens": within(tokens.output),
                "prompt_cache_hit_tokens": within(tokens.cache_read), "prompt_cache_miss_tokens": within(missed),
            },
            "text_preview": preview, "assistant_text": text, "source": source(line, &[], None),
        }));
    }
}

fn sum(one: Tokens, two: Tokens) -> Tokens {
    Tokens {
        prompt: one.prompt.wrapping_add(two.prompt),
        output: one.output.wrapping_add(two.output),
        cache_read: one.cache_read.wrapping_add(two.cache_read),
    }
}

fn within(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn id_of(id: CallId<'_>, at: Seq) -> String {
    match id {
        CallId::Named(id) => id.get().into_owned(),
        CallId::Unnamed => format!("call-at-{at}"),
    }
}

/// The input of a call as JSON, also where the program wrote it as a text.
fn input_of(input: RawJson<'_>) -> String {
    let whole = || String::from_utf8_lossy(input.bytes()).into_owned();
    let Some(text) = input.text().map(|text| text.get().into_owned()) else { return whole() };
    if RawJson::of(text.as_bytes()).is_some_and(RawJson::is_object) { text } else { whole() }
}

fn preview(content: Content<'_>) -> String {
    content.beginning(PREVIEW_CHARACTERS)
}

/// What the model may do without asking, in the words of a turn log.
fn mode(mode: Option<&str>) -> &'static str {
    match mode {
        Some(mode) if mode.contains("plan") => "plan",
        Some(mode) if mode.contains("bypassPermissions") || mode.contains("danger-full-access") => "yolo",
        _ => "agent",
    }
}

fn outcome_of(outcome: Outcome, text: &str) -> (Value, Option<&'static str>) {
    let failed = |message: &str| json!({"tool_error": {"message": message}});
    match outcome {
        Outcome::Success => (json!("success"), None),
        Outcome::Timeout => (json!("timeout"), None),
        Outcome::Blocked => (json!({"blocked": {"reason": text}}), None),
        Outcome::ToolError => (failed(text), None),
        Outcome::Cancelled => (failed("cancelled"), Some("the user cancelled the call")),
        Outcome::Launched => (json!("success"), Some("launched: the task goes on in the background")),
        Outcome::Running => (json!("success"), Some("running: the process goes on")),
        Outcome::Unknown => (json!("success"), Some("the session does not record whether the call succeeded")),
    }
}

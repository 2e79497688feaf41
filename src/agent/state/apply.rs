//! Stepping over an event: what each of its blocks does to the state.

use std::sync::Arc;

use super::calls::CallPlace;
use super::copy::CopyStanding;
use super::happening::Happening;
use super::steps::MessageLine;
use super::turns::{LastWord, TurnBy};
use super::{AgentState, CompactionRow, QueueEntry};
use crate::agent::block::{
    Block, CallId, Compaction, Outcome, PromptBy, QueueChange, Tokens, ToolCall, ToolResult, TurnEnd, Usage, Verdict,
};
use crate::agent::content::Content;
use crate::agent::event::{AgentEvent, LineRole};
use crate::agent::format::{StepsBy, TurnEnds};
use crate::json::raw::{RawJson, RawText};
use crate::replay::Seq;

/// Longer texts of errors are cut.
const ERROR_CHARACTERS: usize = 160;

impl AgentState {
    /// Steps over an event, and tells what happened.
    pub(crate) fn apply<'e>(&mut self, at: Seq, event: &AgentEvent<'e>, tell: &mut impl FnMut(Happening<'e>)) {
        self.format = Some(event.format);
        self.facts = self.facts.and(event.facts).and(event.own_facts());
        if self.copy.see(event, tell) == CopyStanding::Foreign {
            self.apply_foreign(event, tell);
            return;
        }
        self.settings.see(event);
        if event.line.copy_key.is_some_and(|key| self.user_lines.insert(key).is_some()) {
            tell(Happening::LineReplayed);
            return;
        }
        let is_side = event.line.is_sidechain && !self.facts.is_subagent();
        let mut course = std::mem::take(&mut self.course);
        course.see_record(event.line.time);
        for block in &event.blocks {
            self.apply_block(Place { at, event, is_side }, block, &mut |happening| {
                course.see(at, &happening);
                tell(happening);
            });
        }
        course.see_context(at, self.steps.context);
        self.course = course;
        self.situation = self.situation_now();
    }

    /// A copied record changes nothing but the running total, which goes on from there.
    fn apply_foreign<'e>(&mut self, event: &AgentEvent<'e>, tell: &mut impl FnMut(Happening<'e>)) {
        for block in &event.blocks {
            match block {
                Block::Usage(Usage::Count { identity, total, is_full, .. }) => {
                    self.steps.see_total((*identity, *total), *is_full, true, tell);
                }
                Block::Usage(Usage::CountWithoutNumbers) => tell(Happening::CountWithoutNumbers),
                _ => {}
            }
        }
    }

    fn apply_block<'e>(&mut self, place: Place<'_, 'e>, block: &Block<'e>, tell: &mut impl FnMut(Happening<'e>)) {
        let (at, rules) = (place.at, self.end_rules());
        match block {
            Block::TurnStart { id, window } => {
                self.steps.window = window.or(self.steps.window);
                self.turns.begin_stated(at, *id, rules, tell);
            }
            Block::TurnEnd(end) if !place.is_side => {
                if let TurnEnd::Failed(text) = end {
                    self.set_error(*text);
                }
                self.turns.end(*end, rules, tell);
            }
            Block::Prompt { by, .. } => self.prompt(place, *by, tell),
            Block::Note { is_local, .. } => {
                if *is_local && event_is_of_user(place.event) {
                    self.turns.forget_command();
                }
                self.end_item_step(place.event);
            }
            Block::Interrupt => {
                tell(Happening::Interrupted);
                if !place.is_side {
                    self.turns.interrupt();
                }
            }
            Block::Steer { .. } => tell(Happening::Steered),
            Block::Text(_) | Block::Thinking(_) => {
                self.model_item(place, tell);
                if matches!(block, Block::Text(_)) && !place.is_side {
                    self.turns.said(LastWord::Text);
                }
            }
            Block::ToolCall(call) => self.call(place, call, tell),
            Block::ToolResult(result) => self.result(place, result, tell),
            Block::Verdict(verdict) => self.verdict(at, verdict, tell),
            Block::Usage(usage) => self.usage(place, usage, tell),
            Block::Compaction(compaction) => self.compact(at, compaction),
            Block::Error { text, .. } => {
                self.set_error(*text);
                if !place.is_side {
                    self.turns.fail();
                }
            }
            Block::Retry { error, .. } => {
                self.retries += 1;
                if let Some(error) = error {
                    self.last_error = Some(cut(error.characters()));
                }
            }
            Block::Subagent { id, is_background, status, is_new, .. } => {
                self.agents.see(at, *id, *is_background, *status, *is_new);
            }
            Block::TaskEnd(end) => self.agents.end(end),
            Block::Queue(change) => self.change_queue(at, *change, tell),
            Block::Plan { text } => self.plan.set_text(Some(*text)),
            Block::Unknown(_) | Block::TurnEnd(_) => {}
            Block::Header(_) | Block::Attachment { .. } | Block::Twin | Block::Metadata => {}
        }
    }

    fn set_error(&mut self, text: Content<'_>) {
        self.last_error = Some(cut(text.beginning(ERROR_CHARACTERS + 1).chars()));
    }

    fn prompt<'e>(&mut self, place: Place<'_, 'e>, by: PromptBy, tell: &mut impl FnMut(Happening<'e>)) {
        let (at, rules) = (place.at, self.end_rules());
        self.end_item_step(place.event);
        if place.is_side {
            return;
        }
        let id = || place.event.line.turn.map(|id| Arc::from(&*id.get()));
        match by {
            // The same prompt stands in another record.
            PromptBy::User if self.facts.has_prompt_twins => {}
            PromptBy::User | PromptBy::UserWithTwin if rules.ends == TurnEnds::Stated && rules.logs_turns => {
                if self.turns.current.as_ref().is_some_and(|turn| turn.has_model) {
                    tell(Happening::Steered);
                }
            }
            PromptBy::User | PromptBy::UserWithTwin => self.turns.begin(at, id(), TurnBy::Prompt, rules, tell),
            PromptBy::Command => self.turns.wait_for_answer(at, id()),
            PromptBy::Notification => self.turns.begin(at, id(), TurnBy::Notification, rules, tell),
        }
    }

    /// An item of the model. Where no usage is recorded, items make the steps.
    fn model_item<'e>(&mut self, place: Place<'_, 'e>, tell: &mut impl FnMut(Happening<'e>)) {
        let counts_usage = self.format.is_some_and(|format| format.steps == StepsBy::Usage);
        if !counts_usage {
            return;
        }
        self.steps.item(place.at);
        let is_metered = self.facts.has_usage_records || self.facts.has_token_counts;
        if !is_metered && self.steps.opens_item_step() {
            self.step(place.at, Tokens::default(), tell);
        }
        self.turns.model_item();
    }

    fn end_item_step(&mut self, event: &AgentEvent<'_>) {
        if event_is_of_user(event) {
            self.steps.close_item_step();
        }
    }

    fn step<'e>(&mut self, at: Seq, tokens: Tokens, tell: &mut impl FnMut(Happening<'e>)) {
        self.turns.answer(at, self.end_rules(), tell);
        let compactions = self.compactions.len() as u32;
        self.steps.metered(at, tokens, self.settings.model.as_ref(), compactions, tell);
        self.note_context_after_compaction(tokens.prompt, false);
    }

    fn usage<'e>(&mut self, place: Place<'_, 'e>, usage: &Usage<'e>, tell: &mut impl FnMut(Happening<'e>)) {
        match *usage {
            Usage::Message { key, model, stop, tokens, context } => {
                if !place.is_side {
                    if !self.steps.knows(key) {
                        self.turns.answer(place.at, self.end_rules(), tell);
                    }
                    self.turns.model_line(stop);
                }
                let compactions = self.compactions.len() as u32;
                let line = MessageLine { key, model, tokens, context, is_side: place.is_side, compactions };
                self.steps.message_line(place.at, &line, tell);
                self.note_context_after_compaction(context, place.is_side);
            }
            Usage::Count { total, identity, last, is_full, window } => {
                self.steps.window = window.or(self.steps.window);
                let may_fall = self.copy.has_foreign_start();
                if self.steps.see_total((identity, total), is_full, may_fall, tell) && !self.facts.has_usage_records {
                    tell(Happening::UsageCounted);
                    if last.prompt > 0 {
                        self.step(place.at, last, tell);
                    }
                }
            }
            Usage::CountWithoutNumbers => tell(Happening::CountWithoutNumbers),
            Usage::Record { thread, response, tokens } => {
                let is_own = match (&self.copy.own, thread) {
                    (Some(own), Some(thread)) => thread.is(own),
                    (own, thread) => own.is_none() && thread.is_none(),
                };
                if is_own && self.steps.is_new_response(response) {
                    tell(Happening::UsageCounted);
                    self.step(place.at, tokens, tell);
                }
            }
        }
    }

    /// The first context after a compaction shows what remained.
    fn note_context_after_compaction(&mut self, context: u64, is_side: bool) {
        let is_first = self.compactions.last().is_some_and(|last| last.context_after.is_none());
        if is_first
            && context > 0
            && !is_side
            && let Some(last) = self.compactions.back_mut()
        {
            last.context_after = Some(context);
        }
    }

    fn call<'e>(&mut self, place: Place<'_, 'e>, call: &ToolCall<'e>, tell: &mut impl FnMut(Happening<'e>)) {
        self.model_item(place, tell);
        if !self.calls.plan(place.of_call(), call, tell) {
            return;
        }
        let tool = call.name.get();
        self.plan.see_call(&tool, call);
        if place.is_side {
            return;
        }
        self.turns.said(LastWord::Call);
        if &*tool == "Read"
            && let Some(path) = call.input.and_then(|input| input.text_of("file_path"))
        {
            self.read_file(place.at, path);
        }
    }

    fn read_file(&mut self, at: Seq, path: RawText<'_>) {
        let path = path.get();
        if !self.files_read.contains_key(&*path) {
            self.files_read.insert(Arc::from(&*path), at);
        }
    }

    fn result<'e>(&mut self, place: Place<'_, 'e>, result: &ToolResult<'e>, tell: &mut impl FnMut(Happening<'e>)) {
        // A call that answers itself does not end the model's answer.
        if !place.event.blocks.iter().any(|block| matches!(block, Block::ToolCall(_))) {
            self.steps.close_item_step();
        }
        if !self.calls.answer(place.of_call(), result, tell) {
            return;
        }
        if !place.is_side {
            self.turns.said(LastWord::Result);
            if let Some(path) = result.written {
                self.files_written.insert(Arc::from(&*path.get()), place.at);
            }
        }
        if result.outcome == Outcome::Launched {
            let call = if let CallId::Named(id) = result.id { id } else { RawText::default() };
            self.agents.launch(place.at, call, result.task);
        }
        match (&result.process, self.calls.process_of(result.id, place.at)) {
            (Some(process), _) => self.agents.run(place.at, process),
            (None, Some(process)) => self.agents.stop(process),
            (None, None) => {}
        }
        let tool = self.calls.tool_of(result.id, place.at).unwrap_or_default();
        self.plan.see_result(&tool, result.details);
        if &*tool == "spawn_agent" {
            self.see_spawned(place.at, result);
        }
    }

    /// The answer to `spawn_agent` names the new agent.
    fn see_spawned(&mut self, at: Seq, result: &ToolResult<'_>) {
        let text = result.content.text();
        let Some(answer) = RawJson::of(text.as_bytes()) else { return };
        if let Some(id) = answer.text_of("task_name").or_else(|| answer.text_of("agent_id")) {
            self.agents.see(at, id, true, None, true);
        }
    }

    fn verdict<'e>(&mut self, at: Seq, verdict: &Verdict<'e>, tell: &mut impl FnMut(Happening<'e>)) {
        self.calls.report(at, verdict, tell);
        if let Some(changes) = verdict.changes {
            changes.each_member(&mut |path, _| {
                self.files_written.insert(Arc::from(&*path.get()), at);
            });
        }
        for command in verdict.commands.into_iter().flat_map(RawJson::elements) {
            let is_read = command.text_of("type").is_some_and(|kind| kind.is("read"));
            let path = command.text_of("path").or_else(|| command.text_of("name")).filter(|_| is_read);
            path.into_iter().for_each(|path| self.read_file(at, path));
        }
    }

    fn compact(&mut self, at: Seq, compaction: &Compaction<'_>) {
        self.steps.see_compaction();
        self.compactions.push_back(CompactionRow {
            at,
            trigger: compaction.trigger.map(|trigger| Arc::from(&*trigger.get())),
            tokens_before: compaction.tokens_before,
            tokens_after: compaction.tokens_after,
            context_before: self.steps.context,
            context_after: None,
        });
    }

    fn change_queue<'e>(&mut self, at: Seq, change: QueueChange, tell: &mut impl FnMut(Happening<'e>)) {
        match change {
            QueueChange::Added { is_prompt } => {
                self.queue.push_back(QueueEntry { at, is_prompt });
                if is_prompt {
                    tell(Happening::Queued);
                }
            }
            QueueChange::Taken => {
                self.queue.pop_front();
            }
            QueueChange::Delivered => {
                let oldest = self.queue.pop_front();
                if !self.facts.has_attachments && oldest.is_some_and(|oldest| oldest.is_prompt) {
                    tell(Happening::Steered);
                }
            }
            QueueChange::Emptied => self.queue.retain(|entry| !entry.is_prompt),
        }
    }
}

/// An event that is being applied.
#[derive(Clone, Copy)]
struct Place<'p, 'e> {
    at: Seq,
    event: &'p AgentEvent<'e>,
    is_side: bool,
}

impl Place<'_, '_> {
    fn of_call(self) -> CallPlace {
        CallPlace { at: self.at, time: self.event.line.time, is_side: self.is_side }
    }
}

/// Whether a record is from the side of the user, not of the developer or the program.
fn event_is_of_user(event: &AgentEvent<'_>) -> bool {
    event.line.role == LineRole::User || event.line.speaker.is_some_and(|speaker| speaker.is("user"))
}

fn cut(characters: impl Iterator<Item = char>) -> Arc<str> {
    let mut line: String = characters.take_while(|character| *character != '\n').take(ERROR_CHARACTERS + 1).collect();
    if line.chars().count() > ERROR_CHARACTERS {
        line.pop();
        line.push('…');
    }
    line.into()
}

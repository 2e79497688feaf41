//! Why the context grew: what entered it, what is still there, what was never used again, and what broke the cache.
//!
//! Programs record the size of each prompt, not of its parts. What a prompt grew by is therefore divided among the events
//! since the prompt before, by the sizes of their texts; it adds up to what is recorded.

pub(crate) mod cache;
pub(crate) mod part;
mod shown;
pub(crate) mod words;

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use self::cache::{CacheWatch, CachedPrompt};
use self::part::{Basis, Part, PartKind, divide, estimate, size};
use self::words::Words;
use super::label::{self, CallLabels};
use super::{Collector, Seen};
use crate::agent::block::{Block, Compaction, PromptBy, Tokens, ToolResult, Usage};
use crate::agent::content::Content;
use crate::agent::format::{Format, StepsBy};
use crate::agent::state::happening::Happening;
use crate::dialect::context::PartTokens;
use crate::json::raw::{RawJson, RawText};
use crate::replay::Seq;

/// Of more parts the smallest are only counted.
const MOST_PARTS: usize = 20_000;
/// Shorter results are not sources of words, and are not compared.
const LEAST_SOURCE_BYTES: u64 = 1_000;
/// A context that falls below this part of the one before, and by so much, lost more than a few thoughts.
const DROP_PERCENT: u64 = 70;
const DROP_TOKENS: u64 = 10_000;

/// The context became smaller.
#[derive(Clone, Debug)]
pub(crate) struct Drop {
    pub at: Seq,
    pub before: u64,
    pub after: u64,
    pub is_compaction: bool,
}

#[derive(Default)]
pub(crate) struct Growth {
    format: Option<&'static Format>,
    parts: Vec<Part>,
    /// In the next prompt that is measured.
    waiting: Vec<Part>,
    /// After the first item of an answer whose usage has not come: in the prompt after the next one.
    later: Vec<Part>,
    is_answer_open: bool,
    labels: CallLabels,
    words: Words,
    /// The first results with a text.
    results: FxHashMap<u64, Seq>,
    cache: CacheWatch,
    /// The step that is open.
    key: Option<u64>,
    /// What the answer before the waiting parts took.
    output: u64,
    context: Option<u64>,
    peak: Option<(Seq, u64)>,
    steps: u64,
    /// The sizes of all prompts.
    prompts: Vec<(Seq, u64)>,
    drops: Vec<Drop>,
    /// The record of the last compaction, until the next prompt.
    compacted: Option<Seq>,
    compactions: u32,
    /// Which compactions began each epoch.
    boundaries: Vec<Seq>,
    /// After a drop that is not explained, nobody knows what is still there.
    unknown_before: Option<Seq>,
    sums: BTreeMap<PartKind, (u64, u64)>,
    tools: BTreeMap<Box<str>, (u64, u64)>,
    /// Drops inside the last epoch, and everything that entered in it.
    epoch_entered: u64,
    epoch_dropped: u64,
}

impl Collector for Growth {
    fn see(&mut self, seen: &Seen<'_, '_>) {
        self.format = Some(seen.event.format);
        if seen.is_copy() || seen.is_side() {
            return;
        }
        for block in &seen.event.blocks {
            self.see_block(seen, block);
        }
    }
}

impl Growth {
    fn see_block(&mut self, seen: &Seen<'_, '_>, block: &Block<'_>) {
        let at = seen.at;
        match block {
            Block::Usage(usage) => self.see_usage(seen, usage),
            Block::Compaction(compaction) => self.see_compaction(at, compaction),
            Block::Prompt { by: PromptBy::UserWithTwin, .. } => {}
            Block::Prompt { content, .. } | Block::Steer { content } => self.put_in(seen, PartKind::Prompt, *content),
            Block::Note { content, .. } => self.put_in(seen, PartKind::Note, *content),
            Block::Attachment { name } => self.see_attachment(seen, *name),
            Block::Text(content) => self.see_written(seen, PartKind::Text, *content),
            Block::Thinking(content) => self.see_written(seen, PartKind::Thinking, *content),
            Block::ToolCall(call) if !seen.is_replayed() => {
                self.labels.add(call);
                let input = call.input.map_or("".into(), |input| String::from_utf8_lossy(input.bytes()));
                self.words.written(at, &input);
                let part = Part::new(at, PartKind::Call, label::of_call(call), input.len() as u64);
                self.add_of_model(seen, Part { tool: Some(call.name.get().into()), ..part });
            }
            Block::ToolResult(result) if !seen.is_replayed() => self.see_result(seen, result),
            _ => {}
        }
    }

    fn put_in(&mut self, seen: &Seen<'_, '_>, kind: PartKind, content: Content<'_>) {
        let text = content.text();
        self.words.known(&text);
        self.add(seen, Part::new(seen.at, kind, label::cut(&text), size(content)));
    }

    fn see_attachment(&mut self, seen: &Seen<'_, '_>, name: Option<RawText<'_>>) {
        let name = name.map(RawText::get).unwrap_or_default();
        self.cache.see_attachment(seen.at, &name);
        // A prompt in an attachment is counted as a prompt.
        if seen.event.blocks.iter().any(|block| matches!(block, Block::Steer { .. })) {
            return;
        }
        let attachment = RawJson::of(seen.event.raw).and_then(|record| record.get("attachment"));
        let Some(text) = attachment.map(|attachment| String::from_utf8_lossy(attachment.bytes())) else { return };
        self.words.known(&text);
        self.add(seen, Part::new(seen.at, PartKind::Note, label::cut(&name), text.len() as u64));
    }

    fn see_written(&mut self, seen: &Seen<'_, '_>, kind: PartKind, content: Content<'_>) {
        let text = content.text();
        self.words.written(seen.at, &text);
        self.add_of_model(seen, Part::new(seen.at, kind, label::cut(&text), text.len() as u64));
    }

    fn see_result(&mut self, seen: &Seen<'_, '_>, result: &ToolResult<'_>) {
        let bytes = size(result.content);
        let (tool, label) = self.labels.take(result.id).unwrap_or_default();
        let mut part = Part::new(seen.at, PartKind::Result, label, bytes);
        part.tool = Some(tool).filter(|tool| !tool.is_empty());
        let text = result.content.text();
        if bytes < LEAST_SOURCE_BYTES {
            self.words.known(&text);
        } else {
            part.source = Some(self.words.source(&text));
            part.repeats = self.results.insert(result.content.hash(), seen.at);
        }
        self.add(seen, part);
    }

    fn add(&mut self, seen: &Seen<'_, '_>, part: Part) {
        let line = seen.event.line.id.map_or(0, RawText::hash);
        let part = Part { line, epoch: self.compactions, ..part };
        let parts = if self.is_answer_open { &mut self.later } else { &mut self.waiting };
        parts.push(part);
    }

    /// A part that the model wrote. Where usage comes after the answer, all that follows is not in its prompt.
    fn add_of_model(&mut self, seen: &Seen<'_, '_>, part: Part) {
        if seen.event.format.steps == StepsBy::Usage {
            self.is_answer_open = true;
        }
        self.add(seen, part);
    }

    fn see_usage(&mut self, seen: &Seen<'_, '_>, usage: &Usage<'_>) {
        let is_step = seen.happenings.iter().any(|happening| matches!(happening, Happening::StepBegan { .. }));
        let model = || seen.state.settings.model.as_deref().map_or(0, |model| RawText::plain(model).hash());
        match usage {
            Usage::Message { key, model, tokens, context, .. } => {
                if self.key == Some(*key) {
                    self.output = self.output.max(tokens.output);
                } else if *context > 0 {
                    self.key = Some(*key);
                    // With several prompts in one answer, the sums say nothing about one of them.
                    let cache_read = if tokens.prompt == *context { tokens.cache_read } else { *context };
                    let tokens = Tokens { prompt: *context, cache_read, ..*tokens };
                    self.see_step(seen, tokens, model.map_or(0, RawText::hash));
                }
            }
            Usage::Count { last, .. } if is_step && last.prompt > 0 => self.see_step(seen, *last, model()),
            Usage::Record { tokens, .. } if is_step && tokens.prompt > 0 => self.see_step(seen, *tokens, model()),
            _ => {}
        }
    }

    fn see_step(&mut self, seen: &Seen<'_, '_>, tokens: Tokens, model: u64) {
        let (at, context) = (seen.at, tokens.prompt);
        self.steps += 1;
        self.prompts.push((at, context));
        let prompt = CachedPrompt {
            at,
            context,
            cache_read: tokens.cache_read,
            model,
            time: seen.event.line.time,
            compactions: self.compactions,
        };
        self.cache.see_step(prompt);
        self.measure(at, context);
        self.output = tokens.output;
        self.context = Some(context);
        if self.peak.is_none_or(|(_, peak)| context > peak) {
            self.peak = Some((at, context));
        }
        self.waiting = std::mem::take(&mut self.later);
        self.is_answer_open = false;
    }

    /// Divides what the prompt grew by among the waiting parts.
    fn measure(&mut self, at: Seq, context: u64) {
        let mut parts = std::mem::take(&mut self.waiting);
        let boundary = self.compacted.take();
        let before = self.context.unwrap_or(0);
        let rest = match boundary {
            Some(boundary) => {
                self.drops.push(Drop { at: boundary, before, after: context, is_compaction: true });
                (self.epoch_entered, self.epoch_dropped) = (0, 0);
                // What had not been in any prompt when the compaction came is gone with the rest.
                parts.retain(|part| part.at >= boundary);
                let rest = divide(context, &mut parts, 0, true);
                Some((boundary, PartKind::Kept, rest))
            }
            None if self.context.is_none() => Some((at, PartKind::Base, divide(context, &mut parts, 0, true))),
            None if context >= before => {
                Some((at, PartKind::Unseen, divide(context - before, &mut parts, self.output, false)))
            }
            None => {
                let entered = estimate(&mut parts);
                self.drops.push(Drop { at, before, after: context, is_compaction: false });
                self.epoch_dropped += before - context + entered;
                if context * 100 < before * DROP_PERCENT && before - context > DROP_TOKENS {
                    self.unknown_before = Some(at);
                }
                None
            }
        };
        if let Some((at, kind, tokens)) = rest.filter(|(_, _, tokens)| *tokens > 0) {
            let basis = if kind == PartKind::Unseen { Basis::Measured } else { Basis::Estimated };
            parts.push(Part { tokens, basis, epoch: self.compactions, ..Part::new(at, kind, "".into(), 0) });
        }
        parts.into_iter().for_each(|part| self.keep(part));
        self.shed();
    }

    fn keep(&mut self, part: Part) {
        self.epoch_entered += part.tokens;
        let sum = self.sums.entry(part.kind).or_default();
        *sum = (sum.0 + 1, sum.1 + part.tokens);
        if let Some(tool) = part.tool.as_ref().filter(|_| part.kind == PartKind::Result) {
            let sum = self.tools.entry(tool.clone()).or_default();
            *sum = (sum.0 + 1, sum.1 + part.tokens);
        }
        if part.tokens > 0 {
            self.parts.push(part);
        }
    }

    /// Forgets the smaller half when there are too many parts.
    fn shed(&mut self) {
        if self.parts.len() > MOST_PARTS {
            self.parts.sort_by_key(|part| std::cmp::Reverse(part.tokens));
            self.parts.truncate(MOST_PARTS / 2);
        }
    }

    fn see_compaction(&mut self, at: Seq, compaction: &Compaction<'_>) {
        self.compactions += 1;
        self.compacted = Some(at);
        self.boundaries.push(at);
        self.unknown_before = None;
        let kept = compaction.kept.and_then(|kept| kept.get("uuids"));
        let kept: FxHashSet<u64> =
            kept.into_iter().flat_map(RawJson::elements).filter_map(|id| id.text().map(RawText::hash)).collect();
        let epoch = self.compactions;
        // System prompt and tools are sent with every request.
        let is_kept = |part: &Part| part.kind == PartKind::Base || (part.line != 0 && kept.contains(&part.line));
        for part in self.parts.iter_mut().filter(|part| is_kept(part)) {
            (part.is_kept, part.epoch) = (true, epoch);
        }
    }

    /// What the parts of each event count for.
    pub(crate) fn tokens_by_event(&self) -> FxHashMap<Seq, PartTokens> {
        let mut events: FxHashMap<Seq, PartTokens> = FxHashMap::default();
        let is_recorded = |part: &&Part| !matches!(part.kind, PartKind::Base | PartKind::Kept | PartKind::Unseen);
        for part in self.parts.iter().filter(is_recorded) {
            let tokens = events.entry(part.at).or_insert(PartTokens { number: 0, is_estimated: false });
            tokens.number += part.tokens;
            tokens.is_estimated |= part.basis == Basis::Estimated;
        }
        events
    }

    /// The size of the prompt of an answer that begins at an event: programs record it with the answer or behind it.
    pub(crate) fn prompt_after(&self, answer: Seq) -> Option<u64> {
        let place = self.prompts.partition_point(|(at, _)| *at < answer);
        self.prompts.get(place).map(|(_, tokens)| *tokens)
    }

    /// The size of the last prompt before an event.
    pub(crate) fn prompt_before(&self, at: Seq) -> Option<u64> {
        let place = self.prompts.partition_point(|(prompt, _)| *prompt < at);
        self.prompts.get(place.checked_sub(1)?).map(|(_, tokens)| *tokens)
    }

    pub(crate) fn finish(mut self) -> GrowthAnswer {
        self.parts.sort_by_key(|part| (std::cmp::Reverse(part.tokens), part.at));
        GrowthAnswer(self)
    }
}

/// The whole answer, the greatest parts first.
pub(crate) struct GrowthAnswer(Growth);

//! Steps: the answers of the model, with the tokens they used. All records of one answer count once.

use std::sync::Arc;

use imbl::OrdMap;

use super::happening::Happening;
use crate::agent::block::Tokens;
use crate::json::raw::RawText;
use crate::replay::Seq;

/// One message of the model so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Message {
    tokens: Tokens,
    context: u64,
    lines: u32,
}

/// The context of the last step of the main chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ContextPoint {
    context: u64,
    model: u64,
    compactions: u32,
}

/// A running total.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Total {
    identity: u64,
    tokens: u64,
    is_full: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Steps {
    pub count: u64,
    pub model: Option<Arc<str>>,
    /// Sums over all steps.
    pub tokens: Tokens,
    /// The size of the prompt of the last step.
    pub context: Option<u64>,
    pub window: Option<u64>,
    /// The last running total, also of a copy.
    pub final_total: Option<u64>,
    /// How many messages have more than one line.
    pub split: u64,
    messages: OrdMap<u64, Message>,
    point: Option<ContextPoint>,
    total: Option<Total>,
    /// A compaction came after the last total.
    is_compacted: bool,
    /// The first record of the answer that is not complete yet.
    first_item: Option<Seq>,
    /// Items count for one step until the next input.
    is_item_step_open: bool,
}

/// A line of a message.
pub(crate) struct MessageLine<'a> {
    pub key: u64,
    pub model: Option<RawText<'a>>,
    pub tokens: Tokens,
    pub context: u64,
    pub is_side: bool,
    pub compactions: u32,
}

fn added(sum: u64, before: u64, after: u64) -> u64 {
    sum.wrapping_sub(before).wrapping_add(after)
}

impl Steps {
    /// Whether a message was seen before.
    pub(crate) fn knows(&self, key: u64) -> bool {
        self.messages.contains_key(&key)
    }

    /// A line of a message. The prompt is that of its last line with numbers, the output is the greatest.
    pub(crate) fn message_line<'e>(&mut self, at: Seq, line: &MessageLine<'_>, tell: &mut impl FnMut(Happening<'e>)) {
        let known = self.messages.get(&line.key).copied();
        let mut message = known.unwrap_or(Message { tokens: Tokens::default(), context: 0, lines: 0 });
        let before = message;
        message.lines += 1;
        if known.is_none() {
            self.begin(line.model);
            tell(Happening::StepBegan { at, is_side: line.is_side });
        }
        if line.tokens.prompt > 0 {
            if message.tokens.prompt > 0 && message.tokens.prompt != line.tokens.prompt {
                tell(Happening::UsageDiffers { before: message.tokens.prompt, after: line.tokens.prompt });
            }
            message.tokens.prompt = line.tokens.prompt;
            message.tokens.cache_read = line.tokens.cache_read;
            message.context = line.context;
        }
        message.tokens.output = message.tokens.output.max(line.tokens.output);
        self.add(before.tokens, message.tokens);
        if message.context > 0 && !line.is_side {
            let model = line.model.map_or(0, RawText::hash);
            let point = ContextPoint { context: message.context, model, compactions: line.compactions };
            self.see_context(point, before.context == 0, tell);
        }
        self.split += u64::from(message.lines == 2);
        self.messages.insert(line.key, message);
    }

    fn begin(&mut self, model: Option<RawText<'_>>) {
        self.count += 1;
        if let Some(model) = model
            && self.model.as_deref().is_none_or(|known| !model.is(known))
        {
            self.model = Some(Arc::from(&*model.get()));
        }
    }

    fn add(&mut self, before: Tokens, after: Tokens) {
        let sums = &mut self.tokens;
        sums.prompt = added(sums.prompt, before.prompt, after.prompt);
        sums.output = added(sums.output, before.output, after.output);
        sums.cache_read = added(sums.cache_read, before.cache_read, after.cache_read);
    }

    fn see_context<'e>(&mut self, point: ContextPoint, is_new: bool, tell: &mut impl FnMut(Happening<'e>)) {
        self.context = Some(point.context);
        if let Some(last) = self.point.filter(|_| is_new) {
            tell(Happening::ContextKnown {
                before: last.context,
                after: point.context,
                is_same_model: last.model == point.model,
                is_compacted: last.compactions != point.compactions,
            });
        }
        self.point = Some(point);
    }

    /// A part of an answer whose usage comes later.
    pub(crate) fn item(&mut self, at: Seq) {
        self.first_item.get_or_insert(at);
    }

    /// Whether this item begins a step, in a file without any usage.
    pub(crate) fn opens_item_step(&mut self) -> bool {
        !std::mem::replace(&mut self.is_item_step_open, true)
    }

    pub(crate) fn close_item_step(&mut self) {
        self.is_item_step_open = false;
    }

    /// A step that is known by its usage. It stands at its first item.
    pub(crate) fn metered<'e>(
        &mut self,
        at: Seq,
        tokens: Tokens,
        model: Option<&Arc<str>>,
        compactions: u32,
        tell: &mut impl FnMut(Happening<'e>),
    ) {
        self.count += 1;
        self.model = model.cloned().or(self.model.take());
        self.add(Tokens::default(), tokens);
        let first = self.first_item.take().unwrap_or(at);
        tell(Happening::StepBegan { at: first, is_side: false });
        if tokens.prompt > 0 {
            let model = model.map_or(0, |model| RawText::plain(model).hash());
            self.see_context(ContextPoint { context: tokens.prompt, model, compactions }, true, tell);
        }
    }

    /// Whether a record of usage is the first one for its answer.
    pub(crate) fn is_new_response(&mut self, response: u64) -> bool {
        let message = Message { tokens: Tokens::default(), context: 0, lines: 1 };
        self.messages.insert(response, message).is_none()
    }

    /// A running total. Returns whether it is new.
    pub(crate) fn see_total<'e>(
        &mut self,
        (identity, tokens): (u64, u64),
        is_full: bool,
        may_fall: bool,
        tell: &mut impl FnMut(Happening<'e>),
    ) -> bool {
        self.final_total = Some(tokens);
        let total = Total { identity, tokens, is_full };
        let Some(last) = self.total.replace(total) else {
            self.is_compacted = false;
            return true;
        };
        if last.identity == identity {
            tell(Happening::CountRepeated);
            return false;
        }
        let is_legal = may_fall || self.is_compacted || is_full || last.is_full;
        if tokens < last.tokens && !is_legal {
            tell(Happening::TotalFell { before: last.tokens, after: tokens });
        }
        self.is_compacted = false;
        true
    }

    pub(crate) fn see_compaction(&mut self) {
        self.is_compacted = true;
    }

    /// The approximate number of entries in its maps.
    pub(crate) fn entries(&self) -> usize {
        self.messages.len()
    }
}

//! What compactions dropped: before and after, the summary, and what is mentioned afterwards although it was lost.
//!
//! Which lines were dropped follows from the rebuilt history. What a summary covers does not: that a name is mentioned
//! again which neither the summary nor the kept part has is a hint, not a proof.

mod shown;
pub(crate) mod terms;

use rustc_hash::{FxHashMap, FxHashSet};

use self::terms::{Term, TermKind, Terms, normal};
use super::growth::Growth;
use super::label;
use super::{Collector, Seen, read};
use crate::agent::block::{Block, PromptBy, ToolCall};
use crate::agent::content::Content;
use crate::agent::format::Format;
use crate::agent::kind::AgentKind;
use crate::agent::rebuilt::Rebuilt;
use crate::agent::summary;
use crate::dialect::context::PartTokens;
use crate::dialect::open_log::{DialectError, OpenLog};
use crate::json::raw::RawJson;
use crate::json::text::hash_bytes;
use crate::replay::Seq;
use crate::replay::caption::brief;

/// A longer summary is cut.
const SUMMARY_CHARACTERS: usize = 20_000;
/// More hints are not kept.
const MOST_LOST: usize = 500;
/// Shorter prompts are repeated without meaning anything, such as "continue".
const SHORTEST_PROMPT: usize = 24;
/// The members of inputs that name things. Contents of files are left out: the model knows many names by itself.
const SUBJECTS: [&str; 7] = ["file_path", "path", "notebook_path", "command", "cmd", "pattern", "query"];
/// The members of inputs that name one file.
const PATHS: [&str; 3] = ["file_path", "path", "notebook_path"];

/// What one compaction did.
#[derive(Default)]
pub(crate) struct DroppedRow {
    /// Its record.
    at: Seq,
    trigger: Option<String>,
    tokens_before: Option<u64>,
    tokens_after: Option<u64>,
    dropped: Vec<Seq>,
    kept: Vec<Seq>,
    summary: Vec<Seq>,
    summary_text: String,
    /// The whole length of the summary in bytes.
    summary_bytes: u64,
    /// What was dropped, on one line each.
    about: FxHashMap<Seq, (&'static str, String)>,
    prompts: Vec<Seq>,
    lost: Vec<Lost>,
    /// Files that were read before the compaction and again after it.
    read_again: Vec<ReadAgain>,
    ledger: Ledger,
}

/// Something that is mentioned after a compaction, was said before it, and is neither in the summary nor in the kept part.
pub(crate) struct Lost {
    kind: TermKind,
    what: Box<str>,
    /// Where it was first said.
    said: Seq,
    mentioned: Seq,
    by: &'static str,
}

struct ReadAgain {
    path: Box<str>,
    before: Seq,
    after: Seq,
}

/// What is known while the events around a compaction pass.
#[derive(Default)]
struct Ledger {
    said: FxHashMap<u64, (Term, Seq)>,
    known: Terms,
    prompts: FxHashMap<u64, (Box<str>, Seq)>,
    read: FxHashMap<u64, Seq>,
    read_again: FxHashSet<u64>,
}

/// What an event is to a compaction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DroppedPart {
    Dropped,
    Kept,
    Summary,
}

#[derive(Default)]
struct CompactionWatch {
    format: Option<&'static Format>,
    growth: Growth,
    rows: Vec<DroppedRow>,
    parts: FxHashMap<Seq, Vec<(usize, DroppedPart)>>,
    /// The row of the last compaction that was passed.
    current: Option<usize>,
    tools: FxHashSet<u64>,
}

pub(crate) struct CompactionAnswer {
    format: Option<&'static Format>,
    rows: Vec<DroppedRow>,
    tokens: FxHashMap<Seq, PartTokens>,
}

pub(super) fn find(log: &dyn OpenLog) -> Result<CompactionAnswer, DialectError> {
    let rebuilt = Rebuilt::read(log)?;
    let mut watch = CompactionWatch::default();
    for dropped in rebuilt.session.all_dropped() {
        let events = |lines: &[u32]| lines.iter().filter_map(|line| rebuilt.event(*line)).collect::<Vec<_>>();
        let row = DroppedRow {
            at: rebuilt.event(dropped.line).unwrap_or_default(),
            tokens_before: dropped.tokens_before,
            tokens_after: dropped.tokens_after,
            dropped: events(&dropped.dropped),
            kept: events(&dropped.kept),
            summary: events(&dropped.summary),
            ..DroppedRow::default()
        };
        let number = watch.rows.len();
        for (list, part) in
            [(&row.dropped, DroppedPart::Dropped), (&row.kept, DroppedPart::Kept), (&row.summary, DroppedPart::Summary)]
        {
            for at in list {
                watch.parts.entry(*at).or_default().push((number, part));
            }
        }
        watch.rows.push(row);
    }
    Ok(read(log, watch)?.finish())
}

impl Collector for CompactionWatch {
    fn see(&mut self, seen: &Seen<'_, '_>) {
        self.format = Some(seen.event.format);
        self.growth.see(seen);
        for (row, part) in self.parts.get(&seen.at).cloned().unwrap_or_default() {
            match part {
                DroppedPart::Dropped => self.see_dropped(row, seen),
                DroppedPart::Kept => self.see_known(row, seen),
                DroppedPart::Summary => self.see_summary(row, seen),
            }
        }
        let begins = self.rows.iter().position(|row| row.at == seen.at);
        if let Some(row) = begins {
            self.current = Some(row);
            self.see_boundary(row, seen);
        }
        let Some(current) = self.current else { return };
        let is_summary = self.rows[current].summary.contains(&seen.at);
        if begins.is_none() && !is_summary && !seen.is_copy() && !seen.is_side() && !seen.is_replayed() {
            self.see_after(current, seen);
        }
    }
}

impl CompactionWatch {
    fn see_boundary(&mut self, row: usize, seen: &Seen<'_, '_>) {
        let row = &mut self.rows[row];
        for block in &seen.event.blocks {
            if let Block::Compaction(compaction) = block {
                row.trigger = compaction.trigger.map(|trigger| trigger.get().into_owned());
                row.tokens_before = compaction.tokens_before.or(row.tokens_before);
                row.tokens_after = compaction.tokens_after.or(row.tokens_after);
                row.take_summary(compaction.summary);
                for item in compaction.left.into_iter().flat_map(RawJson::elements) {
                    row.ledger.known.add(&Content::new(item.get("content")).text());
                }
            }
        }
    }

    fn see_summary(&mut self, row: usize, seen: &Seen<'_, '_>) {
        for block in &seen.event.blocks {
            if let Some((_, content)) = said(block) {
                self.rows[row].take_summary(content);
            }
        }
    }

    /// What is still in the context: all of its words are known.
    fn see_known(&mut self, row: usize, seen: &Seen<'_, '_>) {
        self.rows[row].ledger.know(seen);
    }

    fn see_dropped(&mut self, row: usize, seen: &Seen<'_, '_>) {
        let row = &mut self.rows[row];
        row.about
            .insert(seen.at, (AgentKind::WORDS[seen.event.kind as usize].name, brief(&summary::words(seen.event))));
        for block in &seen.event.blocks {
            if let Block::Prompt { by: PromptBy::User | PromptBy::UserWithTwin, content } | Block::Steer { content } =
                block
            {
                row.prompts.push(seen.at);
                let text = content.text();
                let normal = normal(&text);
                if normal.len() >= SHORTEST_PROMPT {
                    let hash = hash_bytes(normal.as_bytes());
                    row.ledger.prompts.entry(hash).or_insert((label::cut(&text), seen.at));
                }
            }
            if let Some((_, content)) = said(block) {
                row.ledger.say(seen.at, &content.text());
            }
            if let Block::ToolCall(call) = block {
                self.tools.insert(call.name.hash());
                for subject in subjects(call) {
                    row.ledger.say(seen.at, &subject);
                }
                if let Some(path) = path_of(call) {
                    row.ledger.read.entry(hash_bytes(path.as_bytes())).or_insert(seen.at);
                }
            }
        }
    }

    fn see_after(&mut self, row: usize, seen: &Seen<'_, '_>) {
        for block in &seen.event.blocks {
            match block {
                Block::Prompt { by: PromptBy::User, content } | Block::Steer { content } => {
                    let text = content.text();
                    self.rows[row].see_prompt(seen.at, &text);
                    self.see_mention(row, seen.at, "user", &text);
                }
                Block::Text(content) => self.see_mention(row, seen.at, "model", &content.text()),
                Block::ToolCall(call) => {
                    self.tools.insert(call.name.hash());
                    for subject in subjects(call) {
                        self.see_mention(row, seen.at, "call", &subject);
                    }
                    if let Some(path) = path_of(call) {
                        self.rows[row].see_path(seen.at, &path);
                    }
                }
                _ => {}
            }
        }
        self.rows[row].ledger.know(seen);
    }

    fn see_mention(&mut self, row: usize, at: Seq, by: &'static str, text: &str) {
        let DroppedRow { ledger, lost, .. } = &mut self.rows[row];
        terms::each(text, &mut |term| {
            let hash = term.hash();
            let Some((_, said)) = ledger.said.get(&hash) else { return };
            if !ledger.known.may_lack(&term) || self.tools.contains(&hash_bytes(term.text.as_bytes())) {
                return;
            }
            if lost.len() < MOST_LOST && !lost.iter().any(|known| *known.what == *term.key()) {
                lost.push(Lost { kind: term.kind, what: term.key().into(), said: *said, mentioned: at, by });
            }
        });
        // From here on it is in the context again.
        ledger.known.add(text);
    }

    fn finish(mut self) -> CompactionAnswer {
        for row in &mut self.rows {
            row.tokens_before = row.tokens_before.or_else(|| self.growth.prompt_before(row.at));
            row.tokens_after = row.tokens_after.or_else(|| self.growth.prompt_after(row.at));
            row.ledger = Ledger::default();
        }
        CompactionAnswer { format: self.format, rows: self.rows, tokens: self.growth.tokens_by_event() }
    }
}

impl DroppedRow {
    fn take_summary(&mut self, content: Content<'_>) {
        let text = content.text();
        self.ledger.known.add(&text);
        self.summary_bytes += text.len() as u64;
        let room = SUMMARY_CHARACTERS.saturating_sub(self.summary_text.chars().count());
        self.summary_text.extend(text.chars().take(room));
    }

    /// A prompt that was given before and is not quoted in the summary.
    fn see_prompt(&mut self, at: Seq, text: &str) {
        let normal = normal(text);
        let Some((what, said)) = self.ledger.prompts.remove(&hash_bytes(normal.as_bytes())) else { return };
        if self.lost.len() < MOST_LOST && !terms::normal(&self.summary_text).contains(&*normal) {
            self.lost.push(Lost { kind: TermKind::Prompt, what, said, mentioned: at, by: "user" });
        }
    }

    fn see_path(&mut self, at: Seq, path: &str) {
        let hash = hash_bytes(path.as_bytes());
        if let Some(before) = self.ledger.read.get(&hash).copied()
            && self.ledger.read_again.insert(hash)
        {
            self.read_again.push(ReadAgain { path: path.into(), before, after: at });
        }
    }
}

impl Ledger {
    fn say(&mut self, at: Seq, text: &str) {
        let said = &mut self.said;
        terms::each(text, &mut |term| {
            said.entry(term.hash()).or_insert((term, at));
        });
    }

    /// All words of an event are known from now on.
    fn know(&mut self, seen: &Seen<'_, '_>) {
        for block in &seen.event.blocks {
            match block {
                Block::ToolResult(result) => self.known.add(&result.content.text()),
                Block::ToolCall(call) => {
                    let input = call.input.map_or("".into(), |input| String::from_utf8_lossy(input.bytes()));
                    self.known.add(&input);
                }
                Block::Attachment { .. } => self.known.add(&String::from_utf8_lossy(seen.event.raw)),
                block => {
                    if let Some((_, content)) = said(block) {
                        self.known.add(&content.text());
                    }
                }
            }
        }
    }
}

/// What a block says in words, and who says it.
fn said<'a>(block: &Block<'a>) -> Option<(&'static str, Content<'a>)> {
    match block {
        Block::Prompt { content, .. } | Block::Steer { content } => Some(("user", *content)),
        Block::Note { content, .. } => Some(("program", *content)),
        Block::Text(content) | Block::Thinking(content) => Some(("model", *content)),
        _ => None,
    }
}

/// The texts of an input that name things.
fn subjects(call: &ToolCall<'_>) -> Vec<String> {
    let texts = |input: RawJson<'_>| {
        let texts = SUBJECTS.iter().filter_map(|name| input.text_of(name));
        texts.map(|text| text.get().into_owned()).collect()
    };
    inside(call, texts).unwrap_or_default()
}

/// The file that a call names.
fn path_of(call: &ToolCall<'_>) -> Option<String> {
    let path = |input: RawJson<'_>| {
        let path = PATHS.iter().find_map(|name| input.text_of(name))?.get().into_owned();
        terms::is_file(&path).then_some(path)
    };
    inside(call, path).flatten()
}

/// The input of a call, which may be the text of an object.
fn inside<T>(call: &ToolCall<'_>, read: impl Fn(RawJson<'_>) -> T) -> Option<T> {
    let input = call.input?;
    let Some(text) = input.text() else { return Some(read(input)) };
    let text = text.get();
    RawJson::of(text.as_bytes()).filter(|inner| inner.is_object()).map(read)
}

//! Outlines of sessions: what a list shows of one, from the beginning and the end of its file.
//!
//! Nothing here is a guess about the part of the file that was not read: what only that part could tell is `None`.

use super::block::{Block, PromptBy, Usage};
use super::content::Content;
use super::decode::AgentDecoder;
use super::event::{AgentEvent, FileFacts};
use super::format::{self, Format};
use super::machine::AgentLog;
use super::state::AgentState;
use super::state::turns::TurnBy;
use crate::dialect::container::Shape;
use crate::dialect::recognize::{Certainty, Sample};
use crate::json::raw::{RawJson, RawText};
use crate::replay::check::Severity;
use crate::replay::check_pass::MachineCheckPass;
use crate::replay::{Place, Seq};

/// Longer texts are cut: a list of thousands of sessions is in memory.
const TEXT_CHARACTERS: usize = 600;

/// The lines that name a session, and the member with the name; a later row wins.
const TITLES: [(&str, &str); 3] = [("summary", "summary"), ("ai-title", "aiTitle"), ("custom-title", "customTitle")];

/// The parts of a session file that were read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Excerpt<'a> {
    pub head: &'a [u8],
    /// The end of the file; `None` if the head is the whole file.
    pub tail: Option<&'a [u8]>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outline {
    /// The format's name for scripts.
    pub format: &'static str,
    /// The program's name in texts.
    pub program: &'static str,
    pub title: Option<Box<str>>,
    pub cwd: Option<Box<str>>,
    pub branch: Option<Box<str>>,
    pub version: Option<Box<str>>,
    pub model: Option<Box<str>>,
    /// The first prompt.
    pub prompt: Option<Box<str>>,
    /// The last text of the model.
    pub answer: Option<Box<str>>,
    /// How the last turn ended.
    pub outcome: Option<Box<str>>,
    pub error: Option<Box<str>>,
    /// The size of the last prompt to the model.
    pub context_tokens: Option<u64>,
    /// All tokens of the session.
    pub total_tokens: Option<u64>,
    /// Microseconds since 1970.
    pub began: Option<i64>,
    pub ended: Option<i64>,
    /// How many findings are warnings or worse, if the whole file was read.
    pub findings: Option<u32>,
}

/// Describes a session. `None` if nothing in it looks like one, or if nobody has said anything in it.
pub(crate) fn outline(excerpt: &Excerpt<'_>) -> Option<Outline> {
    let format = recognized(excerpt)?;
    let head = decoded(format, lines_of_head(excerpt));
    let tail: Vec<AgentEvent<'_>> = excerpt.tail.map_or_else(Vec::new, |tail| decoded(format, lines_of_tail(tail)));
    let facts = head.iter().chain(&tail).fold(FileFacts::default(), |facts, event| facts.and(event.own_facts()));
    let mut notes = Notes::new(facts);
    head.iter().for_each(|event| notes.see(event));
    if excerpt.tail.is_some() {
        notes.forget_latest();
        tail.iter().for_each(|event| notes.see(event));
    }
    let mut end = OutlineEnd::new(facts);
    match excerpt.tail {
        None => head.iter().for_each(|event| end.see(event)),
        Some(_) => {
            end.begin_midway(format);
            tail.iter().for_each(|event| end.see(event));
        }
    }
    if notes.prompt.is_none() && !end.has_evidence && excerpt.tail.is_none() {
        return None;
    }
    let is_whole = excerpt.tail.is_none();
    let used = &end.state.steps.tokens;
    let sum = Some(used.prompt.saturating_add(used.output)).filter(|sum| is_whole && *sum > 0);
    let outcome = end.outcome();
    Some(Outline {
        format: format.name,
        program: format.program,
        title: notes.title.map(|(_, title)| title),
        cwd: notes.cwd.map(whole),
        branch: notes.branch.map(whole),
        version: notes.version.map(whole),
        model: notes.model.map(whole),
        prompt: notes.prompt.or(notes.command),
        answer: notes.answer.map(cut),
        outcome,
        error: end.state.last_error.as_deref().map(Box::from),
        context_tokens: notes.context,
        total_tokens: notes.total.or(sum),
        began: notes.began,
        ended: notes.ended,
        findings: is_whole.then(|| findings(format, facts, excerpt.head)).flatten(),
    })
}

/// The format of the first record that is certain, else of the most certain one.
fn recognized(excerpt: &Excerpt<'_>) -> Option<&'static Format> {
    let mut best: Option<(&'static Format, Certainty)> = None;
    let lines = split(excerpt.head).chain(excerpt.tail.into_iter().flat_map(lines_of_tail));
    for line in lines.filter(|line| line.starts_with(b"{")) {
        let Some((format, certainty)) = format::recognize(&Sample::new(line, Shape::Lines)) else { continue };
        if certainty == Certainty::Sure {
            return Some(format);
        }
        if best.is_none_or(|(_, known)| certainty > known) {
            best = Some((format, certainty));
        }
    }
    best.map(|(format, _)| format)
}

fn split(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(bytes);
    let lines = std::iter::from_fn(move || {
        let bytes = rest?;
        let end = memchr::memchr(b'\n', bytes);
        rest = end.map(|end| &bytes[end + 1..]);
        Some(&bytes[..end.unwrap_or(bytes.len())])
    });
    // Programs that were killed while they wrote have left NUL bytes.
    lines.map(|line| line.trim_ascii().trim_nuls()).filter(|line| !line.is_empty())
}

trait TrimNuls {
    fn trim_nuls(&self) -> &Self;
}

impl TrimNuls for [u8] {
    fn trim_nuls(&self) -> &[u8] {
        let from = self.iter().position(|byte| *byte != 0).unwrap_or(self.len());
        let to = self.iter().rposition(|byte| *byte != 0).map_or(from, |last| last + 1);
        &self[from..to]
    }
}

/// Without the last line if the head was cut in it.
fn lines_of_head<'a>(excerpt: &Excerpt<'a>) -> impl Iterator<Item = &'a [u8]> {
    let head = excerpt.head;
    let end = if excerpt.tail.is_none() { head.len() } else { memchr::memrchr(b'\n', head).unwrap_or(0) };
    split(&head[..end])
}

/// Without the first line, which the tail may begin in the middle of.
fn lines_of_tail(tail: &[u8]) -> impl Iterator<Item = &[u8]> {
    let from = memchr::memchr(b'\n', tail).map_or(tail.len(), |end| end + 1);
    split(&tail[from..])
}

fn decoded<'a>(format: &'static Format, lines: impl Iterator<Item = &'a [u8]>) -> Vec<AgentEvent<'a>> {
    lines.filter_map(|line| (format.read)(line.into()).ok()).collect()
}

/// The findings of a whole file. A file with damage needs the full reader, so its findings are unknown.
fn findings(format: &'static Format, facts: FileFacts, bytes: &[u8]) -> Option<u32> {
    let decoder = AgentDecoder { format: Some(format), facts };
    let mut pass = MachineCheckPass::<AgentLog>::begin(decoder, Default::default());
    for (number, line) in split(bytes).enumerate() {
        let number = u32::try_from(number).ok()?;
        pass.event(Seq(number), Place::default(), line, Ok(line));
        if pass.events() <= number {
            return None;
        }
    }
    let worse = pass.finish().into_list().iter().filter(|finding| finding.severity >= Severity::Warning).count();
    u32::try_from(worse).ok()
}

/// What single records say.
struct Notes<'a> {
    is_subagent: bool,
    title: Option<(usize, Box<str>)>,
    cwd: Option<RawText<'a>>,
    branch: Option<RawText<'a>>,
    version: Option<RawText<'a>>,
    model: Option<RawText<'a>>,
    prompt: Option<Box<str>>,
    command: Option<Box<str>>,
    answer: Option<Content<'a>>,
    context: Option<u64>,
    total: Option<u64>,
    began: Option<i64>,
    ended: Option<i64>,
}

impl<'a> Notes<'a> {
    fn new(facts: FileFacts) -> Notes<'a> {
        Notes {
            is_subagent: facts.is_subagent(),
            title: None,
            cwd: None,
            branch: None,
            version: None,
            model: None,
            prompt: None,
            command: None,
            answer: None,
            context: None,
            total: None,
            began: None,
            ended: None,
        }
    }

    /// What was the latest in the head is not the latest of the file.
    fn forget_latest(&mut self) {
        (self.answer, self.context, self.total, self.ended) = (None, None, None, None);
    }

    fn see(&mut self, event: &AgentEvent<'a>) {
        let settings = &event.line.settings;
        let is_said = |text: &RawText<'_>| !text.is_empty();
        // A session belongs to the folder that it was started in.
        self.cwd = self.cwd.or(settings.cwd.filter(is_said));
        self.branch = settings.branch.filter(is_said).or(self.branch);
        self.version = settings.version.filter(is_said).or(self.version);
        self.model = settings.model.filter(is_said).or(self.model);
        self.began = self.began.or(event.line.time);
        self.ended = event.line.time.max(self.ended);
        if let Some(rank) = TITLES.iter().position(|(name, _)| event.line.name.is(name))
            && self.title.as_ref().is_none_or(|(known, _)| rank >= *known)
        {
            let title = RawJson::of(event.raw).and_then(|line| line.text_of(TITLES[rank].1)).filter(is_said);
            self.title = title.map(|title| (rank, whole(title))).or(self.title.take());
        }
        if event.line.is_sidechain && !self.is_subagent {
            return;
        }
        event.blocks.iter().for_each(|block| self.see_block(block));
    }

    fn see_block(&mut self, block: &Block<'a>) {
        match block {
            Block::Prompt { by: PromptBy::User | PromptBy::UserWithTwin, content } if self.prompt.is_none() => {
                self.prompt = Some(cut(*content)).filter(|text| !text.is_empty());
            }
            Block::Prompt { by: PromptBy::Command, content } if self.command.is_none() => {
                self.command = Some(command(&content.beginning(TEXT_CHARACTERS)));
            }
            Block::Text(content) => self.answer = Some(*content),
            Block::Usage(Usage::Message { model, context, .. }) => {
                self.model = model.or(self.model);
                self.context = Some(*context).filter(|context| *context > 0).or(self.context);
            }
            Block::Usage(Usage::Count { total, last, .. }) => {
                self.total = Some(*total);
                self.context = Some(last.prompt).filter(|prompt| *prompt > 0).or(self.context);
            }
            Block::Usage(Usage::Record { tokens, .. }) => {
                self.context = Some(tokens.prompt).filter(|prompt| *prompt > 0).or(self.context);
            }
            _ => {}
        }
    }
}

/// The state at the end of the file, folded from as much of it as was read.
struct OutlineEnd {
    state: AgentState,
    is_subagent: bool,
    at: u32,
    has_evidence: bool,
}

impl OutlineEnd {
    fn new(facts: FileFacts) -> OutlineEnd {
        let mut state = AgentState::default();
        state.facts = facts;
        OutlineEnd { state, is_subagent: facts.is_subagent(), at: 0, has_evidence: false }
    }

    /// The file is read from its middle on, where a turn may be open.
    fn begin_midway(&mut self, format: &'static Format) {
        self.state.format = Some(format);
        let rules = self.state.end_rules();
        self.state.turns.begin(Seq(0), None, TurnBy::Implied, rules, &mut |_| {});
    }

    fn see(&mut self, event: &AgentEvent<'_>) {
        let is_side = event.line.is_sidechain && !self.is_subagent;
        self.has_evidence |= !is_side && event.blocks.iter().any(is_evidence);
        self.state.apply(Seq(self.at), event, &mut |_| {});
        self.at = self.at.saturating_add(1);
    }

    fn outcome(&self) -> Option<Box<str>> {
        if !self.has_evidence {
            return None;
        }
        let open = self.state.turns.at_end(self.state.end_rules()).map(|(_, outcome)| outcome);
        open.or_else(|| self.state.turns.last_outcome.clone()).map(|outcome| outcome.name().into())
    }
}

/// Whether a block tells how a turn stands.
fn is_evidence(block: &Block<'_>) -> bool {
    matches!(
        block,
        Block::TurnStart { .. }
            | Block::TurnEnd(_)
            | Block::Prompt { .. }
            | Block::Interrupt
            | Block::Text(_)
            | Block::ToolCall(_)
            | Block::ToolResult(_)
            | Block::Error { .. }
    )
}

fn cut(content: Content<'_>) -> Box<str> {
    content.beginning(TEXT_CHARACTERS).trim_end().into()
}

fn whole(text: RawText<'_>) -> Box<str> {
    text.characters().take(TEXT_CHARACTERS).collect::<String>().into()
}

/// A command as it was typed: its name, and what came after it.
fn command(text: &str) -> Box<str> {
    let inside = |tag: &str| {
        let (_, rest) = text.split_once(&format!("<{tag}>"))?;
        Some(rest.split_once(&format!("</{tag}>")).map_or(rest, |(inside, _)| inside).trim())
    };
    let (name, arguments) = (inside("command-name"), inside("command-args").unwrap_or_default());
    let name = name.or_else(|| inside("command-message")).unwrap_or(text);
    format!("{name} {arguments}").trim_end().into()
}

#[cfg(test)]
#[path = "outline/tests.rs"]
mod tests;

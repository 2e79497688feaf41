//! Families of agent sessions: which session was started by which, and the sidechains in their files. Pure.
//!
//! A session is named by its thread or agent. Its parent mentions it in the result of the call that started it, or it
//! names its parent itself. A sidechain is a session without a file: its lines are among those of its parent.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::block::{Block, CallId};
use super::content::Content;
use super::effect::starts_agents;
use super::ending::ending;
use super::event::{AgentEvent, FileFacts};
use super::state::AgentState;
use crate::json::raw::{RawJson, RawText};
use crate::replay::Seq;
use crate::replay::caption::{duration, tokens};
use crate::replay::family::{FamilyNode, FamilyRow, FamilyTree};

/// Sidechains and mentions beyond this number are not listed.
const MOST: usize = 4096;
const DESCRIPTION_CHARACTERS: usize = 40;

/// What a run did and used.
#[derive(Clone, Default)]
struct Run {
    state: AgentState,
    events: u32,
    times: Option<(i64, i64)>,
}

impl Run {
    fn see(&mut self, at: Seq, event: &AgentEvent<'_>) {
        self.state.apply(at, event, &mut |_| {});
        self.events += 1;
        if let Some(time) = event.line.time {
            let (first, last) = self.times.unwrap_or((time, time));
            self.times = Some((first.min(time), last.max(time)));
        }
    }

    fn measure(&self) -> String {
        let used = self.state.steps.tokens;
        let tokens = (used.prompt > 0).then(|| tokens(used.prompt, used.output));
        let time = self.times.map(|(first, last)| duration((last - first).unsigned_abs() / 1_000));
        tokens.into_iter().chain(time).collect::<Vec<_>>().join(", ")
    }

    fn outcome(&self) -> String {
        ending(&self.state).map_or_else(|| "no turn yet".to_owned(), |ending| ending.words)
    }
}

/// A call that started an agent.
#[derive(Clone, Debug)]
struct Spawn {
    at: Seq,
    description: String,
    /// Identifies the prompt that it gave.
    prompt: Option<u64>,
}

/// A sidechain in the file.
#[derive(Clone, Default)]
struct Side {
    first: Seq,
    name: Option<Arc<str>>,
    prompt: Option<u64>,
    run: Run,
}

/// What a family needs to know about a session.
#[derive(Clone, Default)]
pub(crate) struct AgentMember {
    path: PathBuf,
    /// The file's name without its ending.
    name: String,
    /// The name by which other sessions mention it.
    pub thread: Arc<str>,
    /// The session that it says has started it.
    pub parent: Option<Arc<str>>,
    /// The call that has started it, as a file beside it says.
    pub call: Option<Arc<str>>,
    run: Run,
    /// By id: the calls that have started agents.
    spawns: BTreeMap<Arc<str>, Spawn>,
    /// By name: the agents that it mentions, at their first mention, with the call that is answered there.
    mentions: BTreeMap<Arc<str>, (Seq, Option<Arc<str>>)>,
    sides: Vec<Side>,
    /// By the hash of an agent's or a line's id: the sidechain.
    side_of: BTreeMap<u64, usize>,
}

impl AgentMember {
    pub(crate) fn new(path: PathBuf, name: &str, thread: &str) -> AgentMember {
        AgentMember { path, name: name.to_owned(), thread: Arc::from(thread), ..AgentMember::default() }
    }

    pub(crate) fn see(&mut self, at: Seq, event: &AgentEvent<'_>) {
        self.run.see(at, event);
        if event.line.is_sidechain && !event.facts.is_subagent() {
            self.see_side(at, event);
        }
        let answered = event.blocks.iter().find_map(|block| match block {
            Block::ToolResult(result) => named(result.id),
            _ => None,
        });
        for block in &event.blocks {
            match block {
                Block::ToolCall(call) if starts_agents(call.name) && self.spawns.len() < MOST => {
                    let member = |name: &str| call.input.and_then(|input| input.get(name));
                    let description = member("description").and_then(RawJson::text).map_or_else(String::new, |text| {
                        text.characters().take(DESCRIPTION_CHARACTERS).collect::<String>()
                    });
                    let prompt = member("prompt").map(|prompt| Content::new(Some(prompt)).hash());
                    if let Some(id) = named(call.id) {
                        self.spawns.entry(id).or_insert(Spawn { at, description, prompt });
                    }
                }
                Block::Subagent { id, thread, is_new: true, .. } if self.mentions.len() < MOST => {
                    let name = Arc::<str>::from(&*thread.unwrap_or(*id).get());
                    self.mentions.entry(name).or_insert((at, answered.clone()));
                }
                _ => {}
            }
        }
    }

    /// A line of a sidechain belongs to the one of its agent, else to that of its parent, else it begins one.
    fn see_side(&mut self, at: Seq, event: &AgentEvent<'_>) {
        let line = &event.line;
        let keys = || [line.agent, line.parent].into_iter().flatten().map(RawText::hash);
        let known = keys().find_map(|key| self.side_of.get(&key).copied());
        let side = match known {
            Some(side) => side,
            None if self.sides.len() < MOST && line.role.is_message() => {
                let name = line.agent.map(|agent| Arc::<str>::from(&*agent.get()));
                let prompt = event.blocks.iter().find_map(|block| match block {
                    Block::Note { content, .. } | Block::Prompt { content, .. } => Some(content.hash()),
                    _ => None,
                });
                self.sides.push(Side { first: at, name, prompt, run: Run::default() });
                self.sides.len() - 1
            }
            None => return,
        };
        let names = [line.agent, line.id].into_iter().flatten().map(RawText::hash);
        self.side_of.extend(names.map(|name| (name, side)));
        // For itself a sidechain is the main chain.
        if let Ok(mut own) = (event.format.read)(event.raw.into()) {
            own.facts = FileFacts { has_main_lines: false, has_sidechain_lines: true, ..event.facts };
            self.sides[side].run.see(at, &own);
        }
    }

    fn row(&self) -> FamilyRow {
        FamilyRow {
            path: self.path.clone(),
            name: self.name.clone(),
            outcome: self.run.outcome(),
            measure: self.run.measure(),
            events: self.run.events,
            ..FamilyRow::default()
        }
    }

    /// The sidechains that have no file of their own, as children of this session.
    fn side_nodes(&self, own: usize, others: &[AgentMember]) -> impl Iterator<Item = FamilyNode> {
        let has_file = |side: &&Side| others.iter().any(|other| side.name.as_deref() == Some(&*other.thread));
        let sides = self.sides.iter().filter(move |side| !has_file(side));
        sides.map(move |side| {
            let spawn = self.spawns.values().find(|spawn| spawn.prompt.is_some() && spawn.prompt == side.prompt);
            let name = side.name.as_deref().unwrap_or("sidechain");
            let row = FamilyRow {
                name: described(name, spawn),
                outcome: side.run.outcome(),
                measure: side.run.measure(),
                events: side.run.events,
                parent_at: spawn.map(|spawn| spawn.at).into_iter().chain([side.first]).collect(),
                begins_at: Some(side.first),
                ..self.row()
            };
            FamilyNode { row, parent: Some(own) }
        })
    }

    /// The events that mention another session, and what the call that started it says.
    fn mention(&self, other: &AgentMember) -> Option<(Vec<Seq>, Option<&Spawn>)> {
        let mention = self.mentions.get(&other.thread);
        let call = mention.and_then(|(_, call)| call.as_ref()).or(other.call.as_ref());
        let spawn = call.and_then(|call| self.spawns.get(call));
        let places: Vec<Seq> = spawn.map(|spawn| spawn.at).into_iter().chain(mention.map(|(at, _)| *at)).collect();
        (!places.is_empty()).then_some((places, spawn))
    }
}

fn named(id: CallId<'_>) -> Option<Arc<str>> {
    match id {
        CallId::Named(id) => Some(Arc::from(&*id.get())),
        CallId::Unnamed => None,
    }
}

fn described(name: &str, spawn: Option<&Spawn>) -> String {
    match spawn.filter(|spawn| !spawn.description.is_empty()) {
        Some(spawn) => format!("{name} {}", spawn.description),
        None => name.to_owned(),
    }
}

/// The families among some sessions.
pub(crate) fn families(members: &[AgentMember], skipped: usize) -> FamilyTree {
    let node = |(own, member): (usize, &AgentMember)| {
        let mut row = member.row();
        let others = || members.iter().enumerate().filter(|(at, _)| *at != own);
        let by_mention = others().find_map(|(at, other)| other.mention(member).map(|mention| (at, mention)));
        let by_name = || others().find(|(_, other)| member.parent.as_ref() == Some(&other.thread)).map(|(at, _)| at);
        let parent = match by_mention {
            Some((parent, (places, spawn))) => {
                row.parent_at = places;
                row.name = described(&row.name, spawn);
                Some(parent)
            }
            None => by_name(),
        };
        FamilyNode { row, parent }
    };
    let mut nodes: Vec<FamilyNode> = members.iter().enumerate().map(node).collect();
    for (own, member) in members.iter().enumerate() {
        nodes.extend(member.side_nodes(own, members));
    }
    FamilyTree::of(nodes, skipped)
}

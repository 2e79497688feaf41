//! Families of session logs: which log of a folder was started by which, and where they contradict each other.
//!
//! A log's names are the stem of its file and the agent of its runs. A log that records the process of an agent started
//! that agent, unless the agent is its own: then the record names its parent.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use super::agent::AgentRow;
use super::checks;
use super::event::SessionEvent;
use super::kind::SessionKind;
use super::state::shared;
use crate::replay::Seq;
use crate::replay::family::{FamilyNode, FamilyRow, FamilyTree};
use crate::replay::finding::Finding;

/// A log's agents beyond this number are not linked.
const MOST_AGENTS: usize = 4096;

/// What a family needs to know about a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FamilyMember {
    pub path: PathBuf,
    /// The stem of the file.
    pub name: String,
    names: BTreeSet<Arc<str>>,
    /// The file's name up to the first dot, for files such as `ID.events.json`. Any exact name is better.
    short: Arc<str>,
    agents: Vec<MemberAgent>,
    /// The places of the agents in the list.
    places: BTreeMap<Arc<str>, usize>,
    /// The reason of the last `run_terminal`, unless another run was started after it.
    outcome: Option<Arc<str>>,
    pub events: u32,
}

/// An agent that a log mentions.
#[derive(Clone, Debug, PartialEq, Eq)]
struct MemberAgent {
    first_at: Seq,
    last: AgentRow,
}

impl FamilyMember {
    pub(crate) fn new(path: PathBuf) -> FamilyMember {
        let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let name = file.strip_suffix(".jsonl").or_else(|| file.strip_suffix(".json")).unwrap_or(&file).to_owned();
        let short = Arc::from(name.split('.').next().unwrap_or_default());
        let names = [Arc::from(name.as_str())].into();
        FamilyMember { path, name, names, short, ..FamilyMember::default() }
    }

    pub(crate) fn see(&mut self, at: Seq, event: &SessionEvent<'_>) {
        match event.kind {
            SessionKind::RunStarted => {
                let agent = shared(event.members.text("agent_id"));
                self.names.extend(agent.filter(|_| self.names.len() < MOST_AGENTS));
                self.outcome = None;
            }
            SessionKind::RunTerminal => self.outcome = shared(event.members.text("reason")),
            SessionKind::AgentProcessChanged => {
                let last = AgentRow::of(at, event);
                match self.places.get(&last.id) {
                    Some(place) => self.agents[*place].last = last,
                    None if self.agents.len() < MOST_AGENTS => {
                        self.places.insert(Arc::clone(&last.id), self.agents.len());
                        self.agents.push(MemberAgent { first_at: at, last });
                    }
                    None => {}
                }
            }
            _ => {}
        }
    }

    fn is(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// The logs among some that have this name, or that might have it if no log has it exactly.
    fn named<'m>(others: &'m [FamilyMember], name: &str) -> Vec<&'m FamilyMember> {
        let exact: Vec<&FamilyMember> = others.iter().filter(|other| other.is(name)).collect();
        if exact.is_empty() { others.iter().filter(|other| *other.short == *name).collect() } else { exact }
    }

    /// The records of this log's own process: its parent and the event.
    fn parents(&self) -> impl Iterator<Item = (&Arc<str>, Seq)> {
        let own = self.agents.iter().filter(|agent| self.is(&agent.last.id));
        own.filter_map(|agent| Some((agent.last.parent.as_ref()?, agent.first_at)))
            .filter(|(parent, _)| !self.is(parent))
    }

    /// The agents that this log has started.
    fn children(&self) -> impl Iterator<Item = &MemberAgent> {
        self.agents.iter().filter(|agent| !self.is(&agent.last.id))
    }

    /// Whether any other log may belong to this one.
    pub(crate) fn has_links(&self) -> bool {
        !self.agents.is_empty()
    }

    /// The names of the logs that this one mentions.
    pub(crate) fn relatives(&self) -> impl Iterator<Item = &Arc<str>> {
        self.children().map(|agent| &agent.last.id).chain(self.parents().map(|(parent, _)| parent))
    }

    fn outcome_or(&self, open: &str) -> String {
        self.outcome.as_deref().unwrap_or(open).to_owned()
    }

    /// The contradictions between this log and the others of its folder.
    pub(crate) fn findings(&self, others: &[FamilyMember]) -> Vec<Finding> {
        let mut found = Vec::new();
        for agent in self.children() {
            let logs = FamilyMember::named(others, &agent.last.id);
            let contradictions: Vec<Finding> = logs.iter().filter_map(|log| contradiction(agent, log)).collect();
            // If several logs have the name, one that agrees is the right one.
            if contradictions.len() == logs.len() {
                found.extend(contradictions.into_iter().next());
            }
        }
        found.extend(self.orphans(others).map(|(parent, at)| {
            Finding::new(&checks::PARENT_MISSING, [at])
                .about("parent", Arc::clone(parent))
                .expected(format!("a log named {parent}"))
                .actual("no log of this folder has that name")
        }));
        found
    }

    /// The parents without a log: of this log, and of agents whose own logs are there. A log that is alone in its folder
    /// was moved away from its parent, which proves nothing.
    fn orphans<'m>(&'m self, others: &'m [FamilyMember]) -> impl Iterator<Item = (&'m Arc<str>, Seq)> {
        let started = self.children().filter(|agent| !FamilyMember::named(others, &agent.last.id).is_empty());
        let started = started.filter_map(|agent| Some((agent.last.parent.as_ref()?, agent.first_at)));
        let all = self.parents().filter(|_| !others.is_empty()).chain(started);
        all.filter(|(parent, _)| !self.is(parent) && *self.short != ***parent)
            .filter(|(parent, _)| FamilyMember::named(others, parent).is_empty())
    }
}

/// What the parent says about an agent, compared with the agent's own log.
fn contradiction(agent: &MemberAgent, child: &FamilyMember) -> Option<Finding> {
    let AgentRow { id, state, termination, at, .. } = &agent.last;
    let finding = |check| Finding::new(check, [*at]).about("agent", Arc::clone(id)).about("log", child.name.clone());
    match (&child.outcome, agent.last.has_exited()) {
        (Some(ended), false) => Some(
            finding(&checks::CHILD_NOT_JOINED)
                .expected("joined or failed")
                .actual(format!("{state}, and its own log ended: {ended}")),
        ),
        (ended, true) => {
            let said = termination.as_ref()?;
            let is_equal = ended.as_ref().is_some_and(|ended| ended == said);
            (!is_equal)
                .then(|| finding(&checks::CHILD_OUTCOME).expected(said.to_string()).actual(child.outcome_or("no end")))
        }
        (None, false) => None,
    }
}

/// The parent of each log, and the event of the parent that mentions it first.
fn parents(members: &[FamilyMember]) -> Vec<Option<(usize, Option<Seq>)>> {
    let mut by_name: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, member) in members.iter().enumerate() {
        for name in &member.names {
            by_name.entry(name).or_insert(at);
        }
    }
    for (at, member) in members.iter().enumerate() {
        by_name.entry(&member.short).or_insert(at);
    }
    let mut parents = vec![None; members.len()];
    let mut link = |parent: usize, child: usize, at: Option<Seq>| {
        if parent != child {
            parents[child].get_or_insert((parent, at));
        }
    };
    for (at, member) in members.iter().enumerate() {
        for agent in member.children() {
            by_name.get(&*agent.last.id).into_iter().for_each(|child| link(at, *child, Some(agent.first_at)));
        }
    }
    for (at, member) in members.iter().enumerate() {
        for (parent, _) in member.parents() {
            by_name.get(&**parent).into_iter().for_each(|parent| link(*parent, at, None));
        }
    }
    parents
}

/// Arranges the logs of a folder. A log with two parents is below the first.
fn tree(members: &[FamilyMember], skipped: usize) -> FamilyTree {
    let parents = parents(members);
    let node = |(member, parent): (&FamilyMember, Option<(usize, Option<Seq>)>)| FamilyNode {
        row: FamilyRow {
            path: member.path.clone(),
            name: member.name.clone(),
            outcome: member.outcome_or("still open"),
            events: member.events,
            parent_at: parent.and_then(|(_, at)| at).into_iter().collect(),
            ..FamilyRow::default()
        },
        parent: parent.map(|(parent, _)| parent),
    };
    FamilyTree::of(members.iter().zip(parents).map(node).collect(), skipped)
}

/// The families among some logs.
pub(crate) fn families(mut members: Vec<FamilyMember>, skipped: usize) -> FamilyTree {
    members.sort_by(|one, two| one.path.cmp(&two.path));
    tree(&members, skipped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::decode::decode;

    fn member(file: &str, events: &[&str]) -> FamilyMember {
        let mut member = FamilyMember::new(PathBuf::from(file));
        for (at, event) in events.iter().enumerate() {
            member.see(Seq(at as u32), &decode(event.as_bytes()).expect("an event"));
        }
        member
    }

    fn process(agent: &str, parent: &str, state: &str) -> String {
        format!(
            r#"{{"kind":"agent_process_changed","turn":1,"agent_id":"{agent}","parent_session_id":"{parent}","role":"r","isolation":"i","context_inheritance":"c","state":"{state}","result_termination":"completed"}}"#
        )
    }

    fn ended(reason: &str) -> String {
        format!(r#"{{"kind":"run_terminal","reason":"{reason}","turns_used":1,"total_tokens":1}}"#)
    }

    fn checks_of(findings: &[Finding]) -> Vec<&'static str> {
        findings.iter().map(|finding| finding.check.id).collect()
    }

    #[test]
    fn children_are_below_the_log_that_started_them() {
        let root = member("root.jsonl", &[&process("a", "root", "running"), &process("b", "root", "running")]);
        let a = member("a.jsonl", &[&process("a1", "a", "running")]);
        let b = member("session-7.jsonl", &[r#"{"kind":"run_started","run_id":"r","goal":"g","agent_id":"b"}"#]);
        let a1 = member("a1.jsonl", &[&process("a1", "a", "running")]);
        let alone = member("0.jsonl", &[]);
        let tree = families(vec![alone, a, a1, b, root], 0);
        let rows: Vec<(&str, usize)> = tree.rows.iter().map(|row| (row.name.as_str(), row.depth)).collect();
        assert_eq!(rows, [("root", 0), ("a", 1), ("a1", 2), ("session-7", 1), ("0", 0)]);
        assert_eq!(tree.root().map(|row| row.name.as_str()), Some("root"));
        assert_eq!(tree.rows[3].parent_at, [Seq(1)]);
    }

    #[test]
    fn logs_in_a_circle_all_have_a_place() {
        let one = member("one.jsonl", &[&process("two", "one", "running")]);
        let two = member("two.jsonl", &[&process("one", "two", "running")]);
        assert_eq!(families(vec![one, two], 0).rows.len(), 2);
    }

    #[test]
    fn a_child_that_ended_and_never_joined_is_found() {
        let root = member("root.jsonl", &[&process("a", "root", "running")]);
        let open = member("a.jsonl", &[]);
        let over = member("a.jsonl", &[&ended("completed")]);
        assert_eq!(checks_of(&root.findings(&[open])), [""; 0]);
        assert_eq!(checks_of(&root.findings(&[over])), ["session/child-not-joined"]);
    }

    #[test]
    fn an_outcome_that_parent_and_child_do_not_share_is_found() {
        let root = member("root.jsonl", &[&process("a", "root", "joined")]);
        assert_eq!(checks_of(&root.findings(&[member("a.jsonl", &[&ended("completed")])])), [""; 0]);
        assert_eq!(checks_of(&root.findings(&[member("a.jsonl", &[&ended("timeout")])])), ["session/child-outcome"]);
        assert_eq!(checks_of(&root.findings(&[member("a.jsonl", &[])])), ["session/child-outcome"]);
    }

    #[test]
    fn an_exact_name_is_better_than_the_start_of_one() {
        let root = member("root.jsonl", &[&process("gpt-4", "root", "joined")]);
        let other = || member("gpt-4.1.jsonl", &[&ended("timeout")]);
        assert_eq!(checks_of(&root.findings(&[other(), member("gpt-4.jsonl", &[&ended("completed")])])), [""; 0]);
        assert_eq!(checks_of(&root.findings(&[other()])), ["session/child-outcome"]);
        // Two logs with one name: the one that agrees is the right one.
        let run = r#"{"kind":"run_started","run_id":"r","goal":"g","agent_id":"gpt-4"}"#;
        let (old, new) = (member("1.jsonl", &[run, &ended("timeout")]), member("2.jsonl", &[run, &ended("completed")]));
        assert_eq!(checks_of(&root.findings(&[old, new])), [""; 0]);
    }

    #[test]
    fn the_missing_parent_of_an_agent_with_a_log_is_found() {
        let other = member("k.jsonl", &[&process("g", "nowhere", "running")]);
        assert_eq!(checks_of(&other.findings(&[member("g.jsonl", &[])])), ["session/parent-missing"]);
        assert_eq!(checks_of(&other.findings(&[member("h.jsonl", &[])])), [""; 0]);
    }

    #[test]
    fn a_parent_that_does_not_exist_is_found_unless_the_log_is_alone() {
        let child = member("a.jsonl", &[&process("a", "root", "running")]);
        let other = || member("b.jsonl", &[]);
        assert_eq!(checks_of(&child.findings(&[])), [""; 0]);
        assert_eq!(checks_of(&child.findings(&[other()])), ["session/parent-missing"]);
        assert_eq!(checks_of(&child.findings(&[other(), member("root.jsonl", &[])])), [""; 0]);
    }
}

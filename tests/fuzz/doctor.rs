//! Sessions of coding agents: examining and repairing them holds its laws for any bytes.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::doctor::claude::mend::is_repaired;
use crate::doctor::client::Client;
use crate::doctor::context::Reach;
use crate::doctor::detect::{Agent, Detection};
use crate::doctor::lines::each;
use crate::doctor::problem::Asked;
use crate::doctor::session::{Repair, Session};

/// The first byte of an input chooses the agent and the client.
pub(super) fn target(input: &[u8]) {
    let [choice, bytes @ ..] = input else { return };
    let mut detection = Detection::default();
    each(bytes, |at, line| {
        detection.ask(at, line);
    });
    detection.agent(None);
    let client = [Client::None, Client::Current, Client::Recorded][usize::from(choice / 2 % 3)];
    let agent = if choice % 2 == 0 { Agent::Claude } else { Agent::Codex };
    let mut linked = Session::of_bytes(agent, bytes);
    linked.relink(&bytes);
    linked.examine();
    hold(agent, bytes, client);
}

/// What a repair made of a session.
pub(crate) struct Mended {
    pub repair: Repair,
    pub copy: Vec<u8>,
}

pub(crate) fn mended(agent: Agent, bytes: &[u8], client: Client) -> Mended {
    let mut session = Session::of_bytes(agent, bytes);
    let repair = session.repair(&bytes, client);
    Mended { copy: session.bytes(bytes), repair }
}

/// The laws that hold for any bytes.
pub(crate) fn hold(agent: Agent, bytes: &[u8], client: Client) {
    let session = Session::of_bytes(agent, bytes);
    let Mended { repair, copy } = mended(agent, bytes, client);
    let again = mended(agent, bytes, client);
    assert_eq!(copy, again.copy, "the same repair twice gives the same file");
    if repair.edits.is_empty() {
        assert_eq!(copy, bytes, "without edits the copy is exact");
    }
    lines_are_kept(bytes, &repair, &copy);
    if agent == Agent::Claude {
        // What is before the metadata of a rollout is not part of it.
        nothing_healthy_is_dropped(&session, bytes, &repair);
    }
    if !repair.unmended.is_empty() {
        return;
    }
    let after = Session::of_bytes(agent, &copy);
    let examined = after.examine();
    let version = session.version();
    let by = Asked { client, recorded: version.as_deref() };
    let left: Vec<_> = examined
        .problems
        .iter()
        .filter(|found| is_repaired(found, by))
        .map(|found| (found.line, found.rule.check.id))
        .collect();
    assert!(left.is_empty(), "after the repair there is still {left:?}");
    let twice = mended(agent, &copy, client);
    assert_eq!(twice.copy, copy, "repairing the copy changes nothing");
    if agent == Agent::Claude {
        only_the_named_members_differ(&repair);
        references_lead_somewhere(bytes, &copy, &repair);
        history_is_kept(&session, &after, bytes, &copy, &repair);
    }
}

/// A line that the history reaches is dropped only if a finding names it or a copy of it. What it does not reach may turn
/// out to be defective when the repair brings it back.
fn nothing_healthy_is_dropped(session: &Session, bytes: &[u8], repair: &Repair) {
    let (lines, examined) = (split(bytes), session.examine());
    let named: BTreeSet<u32> = examined.problems.iter().map(|found| found.line).filter(|line| *line > 0).collect();
    let of_named: Vec<&[u8]> = named.iter().filter_map(|line| lines.get(*line as usize - 1)).copied().collect();
    let named_uuids = uuids(&of_named);
    let is_copy = |line: &u32| !uuids(&[lines[*line as usize - 1]]).is_disjoint(&named_uuids);
    let reached: BTreeSet<u32> = examined.history.iter().flat_map(|row| row.lines.iter().copied()).collect();
    let is_healthy = |line: &&u32| reached.contains(line) && !named.contains(line) && !is_copy(line);
    let healthy: Vec<&u32> = repair.edits.dropped.iter().filter(is_healthy).collect();
    assert!(healthy.is_empty(), "no finding names the dropped lines {healthy:?}: {:?}", repair.steps);
}

fn split(bytes: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    if lines.last().is_some_and(|last| last.is_empty()) {
        lines.pop();
    }
    lines
}

/// Lines that were not edited are there, byte for byte and in order, and nothing else is but what the edits say.
fn lines_are_kept(bytes: &[u8], repair: &Repair, copy: &[u8]) {
    let edits = &repair.edits;
    let is_in = |list: &[u32], index: usize| list.contains(&(index as u32 + 1));
    let (old, new) = (split(bytes), split(copy));
    let kept = old.iter().enumerate().filter(|(index, _)| !is_in(&edits.dropped, *index));
    let same = kept.filter(|(index, _)| !is_in(&edits.changed, *index) && !is_in(&edits.moved, *index));
    let mut rest = new.iter();
    for (index, line) in same {
        assert!(rest.any(|other| other == line), "line {} is gone or out of order", index + 1);
    }
    assert_eq!(new.len(), old.len() - edits.dropped.len() + edits.inserted_after.len(), "{edits:?}");
}

/// In a changed line, only what is sent and what refers to other lines differs.
fn only_the_named_members_differ(repair: &Repair) {
    let allowed = ["parentUuid", "leafUuid", "message", "compactMetadata"];
    for members in &repair.edits.members {
        assert!(members.iter().all(|member| allowed.contains(&member.as_str())), "{members:?}");
    }
}

fn uuids(lines: &[&[u8]]) -> BTreeSet<String> {
    let uuid = |line: &&[u8]| Some(serde_json::from_slice::<Value>(line).ok()?["uuid"].as_str()?.to_owned());
    lines.iter().filter_map(uuid).collect()
}

/// Nothing refers to a line that was dropped.
fn references_lead_somewhere(bytes: &[u8], copy: &[u8], repair: &Repair) {
    let (old, new) = (split(bytes), split(copy));
    let dropped: Vec<&[u8]> = repair.edits.dropped.iter().map(|line| old[*line as usize - 1]).collect();
    let gone: BTreeSet<String> = uuids(&dropped).difference(&uuids(&new)).cloned().collect();
    for line in new.iter().filter_map(|line| serde_json::from_slice::<Value>(line).ok()) {
        let metadata = &line["compactMetadata"];
        let kept = metadata["preservedMessages"]["uuids"].as_array().into_iter().flatten();
        let segment = ["headUuid", "tailUuid", "anchorUuid"].map(|name| &metadata["preservedSegment"][name]);
        let named = [&line["parentUuid"], &line["leafUuid"], &metadata["preservedMessages"]["anchorUuid"]];
        for name in named.into_iter().chain(segment).chain(kept).filter_map(Value::as_str) {
            assert!(!gone.contains(name), "{name} was dropped, but is still named by {line}");
        }
    }
}

/// What the history reached before it reaches afterwards, apart from lines that were dropped.
fn history_is_kept(before: &Session, after: &Session, bytes: &[u8], copy: &[u8], repair: &Repair) {
    let (old, new) = (split(bytes), split(copy));
    let reached = |session: &Session, lines: &[&[u8]], skips: &[u32]| -> BTreeSet<String> {
        let reach = session.reach();
        let numbers = reach.iter().filter(|(_, reach)| matches!(reach, Reach::Reached | Reach::Skipped));
        let lines: Vec<&[u8]> = numbers
            .filter(|(line, _)| *line > 0 && !skips.contains(line))
            .map(|(line, _)| lines[*line as usize - 1])
            .collect();
        uuids(&lines)
    };
    let lost: Vec<String> =
        reached(before, &old, &repair.edits.dropped).difference(&reached(after, &new, &[])).cloned().collect();
    assert!(lost.is_empty(), "no longer reached: {lost:?}");
}

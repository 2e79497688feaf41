//! Shorter payloads: optional members are removed, texts and lists are cut, as long as the event still decodes and the
//! predicate holds.
//!
//! Cuts of one member in many events are tried together first, since names that occur in several events only make sense
//! while they are equal.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::candidate::{Candidate, Edits};
use super::checker::CandidateChecker;
use super::tester::{BudgetSpent, Tester};
use super::tree::{Cut, Node, NodePath, characters};

/// Texts that cannot be emptied are halved while they are longer than this.
const SHORT_CHARACTERS: usize = 16;

/// One cut that leaves its event an event.
#[derive(Clone, Debug)]
struct Shrink {
    part: u32,
    cut: Cut,
    /// The kind of the event and the path of the member, so that the same member is cut in all events together.
    name: String,
}

/// Makes every cut that the predicate allows.
pub(crate) fn shrink(
    checker: &dyn CandidateChecker,
    tester: &mut Tester<'_>,
    best: &mut Candidate,
) -> Result<(), BudgetSpent> {
    let mut by_name: BTreeMap<String, Vec<Shrink>> = BTreeMap::new();
    for part in best.kept.iter().copied() {
        for shrink in shrinks(checker, best, part) {
            by_name.entry(shrink.name.clone()).or_default().push(shrink);
        }
    }
    let mut refused = Vec::new();
    let groups: Vec<Vec<Shrink>> = by_name.into_values().collect();
    take(checker, tester, best, groups, &mut refused)?;
    // Cuts of one event change the paths of its other members, so each is found again.
    for shrink in refused {
        halve(checker, tester, best, &shrink)?;
    }
    Ok(())
}

/// Makes the cuts of all groups, or of those halves of them that the predicate allows.
fn take(
    checker: &dyn CandidateChecker,
    tester: &mut Tester<'_>,
    best: &mut Candidate,
    groups: Vec<Vec<Shrink>>,
    refused: &mut Vec<Shrink>,
) -> Result<(), BudgetSpent> {
    if groups.is_empty() {
        return Ok(());
    }
    if let Some(candidate) = with(checker, best, &groups.concat())
        && tester.holds(&candidate)?
    {
        *best = candidate;
        tester.settle(best);
        return Ok(());
    }
    let parts: Vec<Vec<Shrink>> = match <[Vec<Shrink>; 1]>::try_from(groups) {
        Ok([group]) if group.len() == 1 => {
            refused.extend(group);
            return Ok(());
        }
        Ok([group]) => group.into_iter().map(|shrink| vec![shrink]).collect(),
        Err(groups) => groups,
    };
    let mut parts = parts;
    let rest = parts.split_off(parts.len().div_ceil(2));
    take(checker, tester, best, parts, refused)?;
    take(checker, tester, best, rest, refused)
}

/// A candidate with some more cuts.
fn with(checker: &dyn CandidateChecker, best: &Candidate, shrinks: &[Shrink]) -> Option<Candidate> {
    let mut edits: Edits = (*best.edits).clone();
    let mut by_part: BTreeMap<u32, Vec<&Shrink>> = BTreeMap::new();
    shrinks.iter().for_each(|shrink| by_part.entry(shrink.part).or_default().push(shrink));
    for (part, shrinks) in by_part {
        let event = best.event(part, checker.parts())?;
        let node = Node::parse(event)?;
        let cuts = shrinks.iter().filter_map(|shrink| Some((found(&node, shrink)?, shrink.cut)));
        let cuts: Vec<(NodePath, Cut)> = cuts.collect();
        let text = node.cut(&cuts.iter().map(|(path, cut)| (path, *cut)).collect::<Vec<_>>()).text();
        if !checker.is_alike(event, text.as_bytes()) {
            return None;
        }
        edits.insert(part, Arc::from(text.into_bytes()));
    }
    Some(best.edited(edits))
}

/// Halves a text or list that cannot be emptied, again and again.
fn halve(
    checker: &dyn CandidateChecker,
    tester: &mut Tester<'_>,
    best: &mut Candidate,
    shrink: &Shrink,
) -> Result<(), BudgetSpent> {
    loop {
        let node = best.event(shrink.part, checker.parts()).and_then(Node::parse);
        let Some(node) = node else { return Ok(()) };
        let Some(path) = found(&node, shrink) else { return Ok(()) };
        let length = match node.at(&path) {
            Some(Node::Text(text)) if characters(text) > SHORT_CHARACTERS => characters(text),
            Some(Node::Array(elements)) if elements.len() > 1 => elements.len(),
            _ => return Ok(()),
        };
        let shorter = Shrink { cut: Cut::To(length / 2), ..shrink.clone() };
        match with(checker, best, &[shorter]) {
            Some(candidate) if tester.holds(&candidate)? => {
                *best = candidate;
                tester.settle(best);
            }
            _ => return Ok(()),
        }
    }
}

/// The current path of the member of a cut, found by its name.
fn found(node: &Node, shrink: &Shrink) -> Option<NodePath> {
    let mut path = NodePath::new();
    let mut at = node;
    for word in shrink.name.split('\u{0}').skip(1) {
        let (position, value) = match at {
            Node::Object(members) => {
                let position = members.iter().position(|(key, _)| key == word)?;
                (position, &members[position].1)
            }
            Node::Array(elements) => {
                let position: usize = word.parse().ok()?;
                (position, elements.get(position)?)
            }
            Node::Text(_) | Node::Other(_) => return None,
        };
        path.push(position);
        at = value;
    }
    Some(path)
}

/// Every cut after which an event still decodes and is about the same things, outermost first.
fn shrinks(checker: &dyn CandidateChecker, best: &Candidate, part: u32) -> Vec<Shrink> {
    let Some(event) = best.event(part, checker.parts()) else { return Vec::new() };
    let Some(node) = Node::parse(event) else { return Vec::new() };
    let kind = checker.kind_name(checker.unit_map().entry(part).kind);
    let mut found = Vec::new();
    let mut look = ShrinkFinder { checker, event, node: &node, part, found: &mut found };
    look.down(&node, &mut NodePath::new(), kind.to_owned());
    found
}

struct ShrinkFinder<'l> {
    checker: &'l dyn CandidateChecker,
    event: &'l [u8],
    node: &'l Node,
    part: u32,
    found: &'l mut Vec<Shrink>,
}

impl ShrinkFinder<'_> {
    fn down(&mut self, value: &Node, path: &mut NodePath, name: String) {
        match value {
            Node::Object(members) => {
                for (position, (key, value)) in members.iter().enumerate() {
                    path.push(position);
                    let name = format!("{name}\u{0}{key}");
                    if !self.takes(path, Cut::Away, &name) {
                        self.down(value, path, name);
                    }
                    path.pop();
                }
            }
            Node::Array(elements) => {
                if !elements.is_empty() && self.takes(path, Cut::Empty, &name) {
                    return;
                }
                for (position, value) in elements.iter().enumerate() {
                    path.push(position);
                    self.down(value, path, format!("{name}\u{0}{position}"));
                    path.pop();
                }
            }
            Node::Text(text) if text != "\"\"" => {
                self.takes(path, Cut::Empty, &name);
            }
            Node::Text(_) | Node::Other(_) => {}
        }
    }

    fn takes(&mut self, path: &NodePath, cut: Cut, name: &str) -> bool {
        let text = self.node.cut(&[(path, cut)]).text();
        let takes = self.checker.is_alike(self.event, text.as_bytes());
        if takes {
            self.found.push(Shrink { part: self.part, cut, name: name.to_owned() });
        }
        takes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minimize::checker::MachineChecker;
    use crate::minimize::parts::Parts;
    use crate::minimize::tester::{Predicate, Sequential, TestResult, Unobserved};
    use crate::turn::checker::TurnChecker;
    use crate::turn::machine::TurnLog;

    /// Holds as long as some text is in every event.
    struct Says<'p>(&'static str, &'p Parts);

    impl Predicate for Says<'_> {
        fn test(&self, candidate: &Candidate) -> TestResult {
            let says = |part: &u32| {
                let event = candidate.event(*part, self.1).unwrap_or_default();
                String::from_utf8_lossy(event).contains(self.0)
            };
            TestResult { holds: candidate.kept.iter().all(says), met: Vec::new() }
        }
    }

    #[test]
    fn unneeded_members_are_cut_and_names_stay() {
        let event = |call: &str| {
            format!(
                r#"{{"event_type":"tool_call_finished","turn_id":"t","call_id":"{call}","tool_name":"grep","outcome":{{"tool_error":{{"message":"no"}}}},"duration_ms":3,"wrote_state":false,"result_preview":"needle in a stack of hay that is long enough to cut","unknown":[1,2]}}"#
            )
        };
        let parts = Parts::of_lines(&format!("{}\n{}\njunk", event("c1"), event("c2")));
        let checker = MachineChecker::<TurnLog>::new(&parts, TurnChecker::new(None));
        let (predicate, mut observer) = (Says("needle", &parts), Unobserved);
        let mut tester = Tester::new(&parts, &predicate, &Sequential, &mut observer, None);
        let mut best = Candidate::all(&parts).without(&[2]);
        shrink(&checker, &mut tester, &mut best).expect("no limit");
        let text = |part| String::from_utf8_lossy(best.event(part, &parts).expect("an event")).into_owned();
        let expected = r#"{"event_type":"tool_call_finished","turn_id":"t","call_id":"c1","tool_name":"","outcome":{"tool_error":{"message":""}},"duration_ms":3,"wrote_state":false,"result_preview":"needle in a "}"#;
        assert_eq!(text(0), expected);
        assert_eq!(text(1), expected.replace("c1", "c2"));
        assert!(tester.tests < 20, "{}", tester.tests);
        assert!(
            shrinks(&checker, &Candidate::all(&parts), 2).is_empty(),
            "a record that is not an event keeps its bytes"
        );
    }
}

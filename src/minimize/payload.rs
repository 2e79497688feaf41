//! Saying less: optional members go, texts are cut, lists are shortened, as long as an event stays an event and the
//! finding stays.
//!
//! Cuts of one member in many events are tried together first: names that stand in several events mean something only
//! as long as they are the same.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::candidate::{Candidate, Edits};
use super::court::{Court, Over};
use super::tree::{Cut, Node, Path, characters};
use super::trial::Trial;

/// Texts that cannot be emptied are cut by halves if they are longer than this.
const SHORT_CHARACTERS: usize = 16;

/// One cut that leaves its event an event.
#[derive(Clone, Debug)]
struct Shrink {
    part: u32,
    cut: Cut,
    /// The kind of the event and the way to the member, so that those of all events like it are cut together.
    name: String,
}

/// Cuts all that can be cut.
pub fn shrink(trial: &dyn Trial, court: &mut Court<'_>, best: &mut Candidate) -> Result<(), Over> {
    let mut by_name: BTreeMap<String, Vec<Shrink>> = BTreeMap::new();
    for part in best.kept.iter().copied() {
        for shrink in shrinks(trial, best, part) {
            by_name.entry(shrink.name.clone()).or_default().push(shrink);
        }
    }
    let mut refused = Vec::new();
    let groups: Vec<Vec<Shrink>> = by_name.into_values().collect();
    take(trial, court, best, groups, &mut refused)?;
    // Cuts of one event change the ways to its other members, so each is looked for again.
    for shrink in refused {
        halve(trial, court, best, &shrink)?;
    }
    Ok(())
}

/// Makes the cuts of all groups, or of those halves of them for which the finding stays.
fn take(
    trial: &dyn Trial,
    court: &mut Court<'_>,
    best: &mut Candidate,
    groups: Vec<Vec<Shrink>>,
    refused: &mut Vec<Shrink>,
) -> Result<(), Over> {
    if groups.is_empty() {
        return Ok(());
    }
    if let Some(candidate) = with(trial, best, &groups.concat())
        && court.holds(&candidate)?
    {
        *best = candidate;
        court.settle(best);
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
    take(trial, court, best, parts, refused)?;
    take(trial, court, best, rest, refused)
}

/// A candidate with some more cuts made.
fn with(trial: &dyn Trial, best: &Candidate, shrinks: &[Shrink]) -> Option<Candidate> {
    let mut edits: Edits = (*best.edits).clone();
    let mut by_part: BTreeMap<u32, Vec<&Shrink>> = BTreeMap::new();
    shrinks.iter().for_each(|shrink| by_part.entry(shrink.part).or_default().push(shrink));
    for (part, shrinks) in by_part {
        let event = best.event(part, trial.parts())?;
        let node = Node::parse(event)?;
        let cuts = shrinks.iter().filter_map(|shrink| Some((found(&node, shrink)?, shrink.cut)));
        let cuts: Vec<(Path, Cut)> = cuts.collect();
        let text = node.cut(&cuts.iter().map(|(path, cut)| (path, *cut)).collect::<Vec<_>>()).text();
        if !trial.is_alike(event, text.as_bytes()) {
            return None;
        }
        edits.insert(part, Arc::from(text.into_bytes()));
    }
    Some(best.edited(edits))
}

/// Cuts a text or list that cannot be empty to a half, again and again.
fn halve(trial: &dyn Trial, court: &mut Court<'_>, best: &mut Candidate, shrink: &Shrink) -> Result<(), Over> {
    loop {
        let node = best.event(shrink.part, trial.parts()).and_then(Node::parse);
        let Some(node) = node else { return Ok(()) };
        let Some(path) = found(&node, shrink) else { return Ok(()) };
        let length = match node.at(&path) {
            Some(Node::Text(text)) if characters(text) > SHORT_CHARACTERS => characters(text),
            Some(Node::Array(elements)) if elements.len() > 1 => elements.len(),
            _ => return Ok(()),
        };
        let shorter = Shrink { cut: Cut::To(length / 2), ..shrink.clone() };
        match with(trial, best, &[shorter]) {
            Some(candidate) if court.holds(&candidate)? => {
                *best = candidate;
                court.settle(best);
            }
            _ => return Ok(()),
        }
    }
}

/// Where the member of a cut stands now. Its name leads there, whatever went before it.
fn found(node: &Node, shrink: &Shrink) -> Option<Path> {
    let mut path = Path::new();
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

/// Every cut of an event that leaves it one, outermost first. Names that the log goes by are no payload.
fn shrinks(trial: &dyn Trial, best: &Candidate, part: u32) -> Vec<Shrink> {
    let Some(event) = best.event(part, trial.parts()) else { return Vec::new() };
    let Some(node) = Node::parse(event) else { return Vec::new() };
    let kind = trial.kind_name(trial.outline().entry(part).kind);
    let mut found = Vec::new();
    let mut look = Look { trial, event, node: &node, part, found: &mut found };
    look.down(&node, &mut Path::new(), kind.to_owned());
    found
}

struct Look<'l> {
    trial: &'l dyn Trial,
    event: &'l [u8],
    node: &'l Node,
    part: u32,
    found: &'l mut Vec<Shrink>,
}

impl Look<'_> {
    fn down(&mut self, value: &Node, path: &mut Path, name: String) {
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

    fn takes(&mut self, path: &Path, cut: Cut, name: &str) -> bool {
        let text = self.node.cut(&[(path, cut)]).text();
        let takes = self.trial.is_alike(self.event, text.as_bytes());
        if takes {
            self.found.push(Shrink { part: self.part, cut, name: name.to_owned() });
        }
        takes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minimize::court::{Answer, InOrder, Nobody, Oracle};
    use crate::minimize::parts::Parts;
    use crate::minimize::trial::OnMachine;
    use crate::turn::judge::TurnChecker;
    use crate::turn::machine::TurnLog;

    /// Holds as long as some text is in every event.
    struct Says<'p>(&'static str, &'p Parts);

    impl Oracle for Says<'_> {
        fn ask(&self, candidate: &Candidate) -> Answer {
            let says = |part: &u32| {
                let event = candidate.event(*part, self.1).unwrap_or_default();
                String::from_utf8_lossy(event).contains(self.0)
            };
            Answer { holds: candidate.kept.iter().all(says), met: Vec::new() }
        }
    }

    #[test]
    fn what_is_not_asked_for_goes_and_names_stay() {
        let event = |call: &str| {
            format!(
                r#"{{"event_type":"tool_call_finished","turn_id":"t","call_id":"{call}","tool_name":"grep","outcome":{{"tool_error":{{"message":"no"}}}},"duration_ms":3,"wrote_state":false,"result_preview":"needle in a stack of hay that is long enough to cut","unknown":[1,2]}}"#
            )
        };
        let parts = Parts::of_lines(&format!("{}\n{}\njunk", event("c1"), event("c2")));
        let trial = OnMachine::<TurnLog>::new(&parts, TurnChecker::new(None));
        let (oracle, mut clerk) = (Says("needle", &parts), Nobody);
        let mut court = Court::new(&parts, &oracle, &InOrder, &mut clerk, None);
        let mut best = Candidate::all(&parts).without(&[2]);
        shrink(&trial, &mut court, &mut best).expect("no limit");
        let text = |part| String::from_utf8_lossy(best.event(part, &parts).expect("an event")).into_owned();
        let expected = r#"{"event_type":"tool_call_finished","turn_id":"t","call_id":"c1","tool_name":"","outcome":{"tool_error":{"message":""}},"duration_ms":3,"wrote_state":false,"result_preview":"needle in a "}"#;
        assert_eq!(text(0), expected);
        assert_eq!(text(1), expected.replace("c1", "c2"));
        assert!(court.tests < 20, "{}", court.tests);
        assert!(shrinks(&trial, &Candidate::all(&parts), 2).is_empty(), "what is no event keeps its bytes");
    }
}

//! The consequences of a variant's changes: findings that are gone or new, and the differences at an event.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::Hash;
use std::sync::Arc;

use serde_json::Value;

use super::{Origin, Variant};
use crate::replay::check::{Check, Severity};
use crate::replay::finding::{Finding, Findings};
use crate::replay::moment::{Emitted, Moment};
use crate::replay::shared::FindingList;
use crate::replay::source::Gone;
use crate::replay::timeline::Replay;
use crate::replay::vocabulary::{FieldSet, KindId};
use crate::replay::{Seq, damage};

/// The findings of an original compared with those of its variant. Damage to the file is left out, since no change to
/// an event can repair it. Records that are not events are included, since an edit can create or repair them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FindingDifference {
    /// With numbers of the original.
    pub gone: Vec<Arc<Finding>>,
    /// With numbers of the variant.
    pub new: Vec<Arc<Finding>>,
    /// Still reported, but elsewhere or with other numbers: before and after.
    pub changed: Vec<(Arc<Finding>, Arc<Finding>)>,
    /// Checks with so many findings that not all were kept, so it is unknown which are gone.
    pub not_compared: Vec<&'static Check>,
}

impl FindingDifference {
    pub(crate) fn is_empty(&self) -> bool {
        self.gone.is_empty() && self.new.is_empty() && self.changed.is_empty()
    }
}

/// Compares the findings. `None` unless both passes have ended and the original is as long as when the variant was
/// created: otherwise the findings at the end would belong to different ends.
pub(crate) fn findings(original: &dyn Replay, changed: &dyn Replay, variant: &Variant) -> Option<FindingDifference> {
    let (before, after) = (original.progress(), changed.progress());
    let are_whole = before.at_end && after.at_end;
    if !are_whole || before.events != variant.original_len() || after.events != variant.len() {
        return None;
    }
    let (before, after) = (original.findings(), changed.findings());
    let not_compared = incomplete(&before, &after);
    let counts = |finding: &Finding| {
        let is_damage = damage::CHECKS.contains(&finding.check) && *finding.check != damage::EMPTY;
        !is_damage && !not_compared.contains(&finding.check)
    };
    let kept = |list: &FindingList| list.list.iter().filter(|finding| counts(finding)).cloned().collect::<Vec<_>>();
    let (old, new) = (kept(&before), kept(&after));
    let mut difference = pair_up(&old, &new, variant);
    let is_damaged = |replay: &dyn Replay, list: &FindingList, at: Seq| {
        let is_no_event = replay.row(at).is_some_and(|row| row.kind == KindId::MALFORMED);
        is_no_event && list.at(at).any(|(_, finding)| damage::CHECKS.contains(&finding.check))
    };
    if !not_compared.contains(&&damage::MALFORMED) {
        difference.gone.extend(malformed(original, &before).filter(|finding| {
            let now = variant.find(finding.at[0]);
            !now.is_some_and(|now| is_damaged(changed, &after, now))
        }));
        difference.new.extend(malformed(changed, &after).filter(|finding| {
            let origin = variant.origin(finding.at[0]);
            !origin.is_some_and(|origin| !origin.is_copy && is_damaged(original, &before, origin.original))
        }));
    }
    difference.gone.sort_by(|one, two| one.order().cmp(&two.order()));
    difference.new.sort_by(|one, two| one.order().cmp(&two.order()));
    difference.not_compared = not_compared;
    Some(difference)
}

/// Findings about records that are not events, without those about bytes between records.
fn malformed(replay: &dyn Replay, list: &FindingList) -> impl Iterator<Item = Arc<Finding>> {
    let is_record = |at: Seq| replay.row(at).is_some_and(|row| row.kind == KindId::MALFORMED);
    list.list
        .iter()
        .filter(move |finding| *finding.check == damage::MALFORMED && is_record(finding.at[0]))
        // The place in the file means nothing for an edited record.
        .map(|finding| Arc::new(Finding { place: None, ..(**finding).clone() }))
}

/// The checks for which either list may be incomplete.
fn incomplete(one: &FindingList, two: &FindingList) -> Vec<&'static Check> {
    let mut found: Vec<&'static Check> = Vec::new();
    for list in [one, two].into_iter().filter(|list| list.dropped > 0) {
        let mut counts: HashMap<(&str, Severity), u32> = HashMap::new();
        for finding in &list.list {
            let count = counts.entry((finding.check.id, finding.severity)).or_default();
            *count += 1;
            if *count == Findings::KEPT_PER_CHECK && !found.contains(&finding.check) {
                found.push(finding.check);
            }
        }
    }
    found
}

/// Pairs findings about the same events first, then those with the same identity at other events.
fn pair_up(old: &[Arc<Finding>], new: &[Arc<Finding>], variant: &Variant) -> FindingDifference {
    let names = |list: &[Arc<Finding>]| list.iter().map(|finding| finding.fingerprint()).collect::<Vec<_>>();
    let (old_names, new_names) = (names(old), names(new));
    let was = |original: &Seq| Some(Origin { original: *original, is_edited: false, is_copy: false });
    // The content of an event does not matter here: an edited event is still the same event.
    let is = |at: &Seq| variant.origin(*at).map(|origin| Origin { is_edited: false, ..origin });
    let old_places: Vec<Vec<Option<Origin>>> = old.iter().map(|finding| finding.at.iter().map(was).collect()).collect();
    let new_places: Vec<Vec<Option<Origin>>> = new.iter().map(|finding| finding.at.iter().map(is).collect()).collect();
    let (mut gone, mut added) = ((0..old.len()).collect::<Vec<_>>(), (0..new.len()).collect::<Vec<_>>());
    let exactly =
        match_up(&mut gone, &mut added, |at| (&old_names[at], &old_places[at]), |at| (&new_names[at], &new_places[at]));
    let by_name = match_up(&mut gone, &mut added, |at| &old_names[at], |at| &new_names[at]);
    let said = |finding: &Finding| (finding.severity, finding.expected.clone(), finding.actual.clone());
    let other_words = exactly.into_iter().filter(|(one, two)| said(&old[*one]) != said(&new[*two]));
    let mut changed: Vec<(usize, usize)> = other_words.chain(by_name).collect();
    changed.sort_unstable_by_key(|pair| pair.1);
    FindingDifference {
        gone: gone.into_iter().map(|at| Arc::clone(&old[at])).collect(),
        new: added.into_iter().map(|at| Arc::clone(&new[at])).collect(),
        changed: changed.into_iter().map(|(one, two)| (Arc::clone(&old[one]), Arc::clone(&new[two]))).collect(),
        not_compared: Vec::new(),
    }
}

/// Removes entries with the same key from both lists, one for one and in order.
fn match_up<K: Eq + Hash>(
    old: &mut Vec<usize>,
    new: &mut Vec<usize>,
    old_key: impl Fn(usize) -> K,
    new_key: impl Fn(usize) -> K,
) -> Vec<(usize, usize)> {
    let mut waiting: HashMap<K, VecDeque<usize>> = HashMap::new();
    for at in old.iter().copied() {
        waiting.entry(old_key(at)).or_default().push_back(at);
    }
    let mut pairs = Vec::new();
    new.retain(|at| match waiting.get_mut(&new_key(*at)).and_then(VecDeque::pop_front) {
        Some(found) => {
            pairs.push((found, *at));
            false
        }
        None => true,
    });
    let paired: HashSet<usize> = pairs.iter().map(|pair| pair.0).collect();
    old.retain(|at| !paired.contains(at));
    pairs
}

/// A step of a variant compared with the same step of the original.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct StepDifference {
    /// The fields with another value after the step.
    pub fields: FieldSet,
    /// The effects of the original's step only, and of the variant's step only.
    pub effects_gone: Vec<Emitted>,
    pub effects_new: Vec<Emitted>,
    /// The outcomes of the original and of the variant, if they differ.
    pub halt: Option<(Option<Value>, Option<Value>)>,
}

impl StepDifference {
    pub(crate) fn between(original: &Moment, changed: &Moment) -> Self {
        let mut effects_new = changed.effects.clone();
        let mut effects_gone = original.effects.clone();
        effects_gone.retain(|effect| {
            let same = effects_new.iter().position(|known| known == effect);
            same.map(|place| effects_new.remove(place)).is_none()
        });
        let halt = (original.halt != changed.halt).then(|| (original.halt.clone(), changed.halt.clone()));
        StepDifference { fields: changed.sides.differing(&*original.sides), effects_gone, effects_new, halt }
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        *self == StepDifference::default()
    }
}

/// Compares an event of a variant with its original, also for a copy. `None` if a pass has not reached it.
pub(crate) fn step(
    original: &dyn Replay,
    changed: &dyn Replay,
    variant: &Variant,
    at: Seq,
) -> Result<Option<StepDifference>, Gone> {
    let Some(origin) = variant.origin(at) else { return Ok(None) };
    let sides = original.moment(origin.original)?.zip(changed.moment(at)?);
    Ok(sides.map(|(original, changed)| StepDifference::between(&original, &changed)))
}

//! Short forms of conditions: a kind's name, `lane:NAME[,NAME…]`, `field:NAME`, `effect:NAME`, `finding`, `finding:CHECK`,
//! and what the dialect adds: a group of lanes such as `primitive:sched`, and facets such as `call:ID`.
//!
//! None of them is a valid jq filter: the words are not functions, and jq has no colon in this place.

use jaq_core::ops::Cmp;
use jaq_json::Val;

use super::bad::BadCondition;
use super::plain::{Plan, Test};
use crate::replay::vocabulary::{KindId, LaneId, Vocabulary};

/// The plan of a shorthand; `None` if the text is not one.
pub(super) fn parse(text: &str, vocabulary: &Vocabulary) -> Option<Result<Plan, BadCondition>> {
    let word = text.trim();
    if let Some(kind) = vocabulary.kind(word) {
        return Some(Ok(Plan::Test(Test::Kind(kind))));
    }
    if word == "finding" {
        let with = Val::from(0_usize);
        return Some(Ok(Plan::Test(Test::FindingCount { cmp: Cmp::Gt, with })));
    }
    let (what, name) = word.split_once(':')?;
    let is_name = |character: char| character.is_ascii_alphanumeric() || "_-/.,".contains(character);
    if !name.chars().all(is_name) {
        return None;
    }
    let unknown = |list: &[&str]| {
        let reason = if name.is_empty() {
            format!("a {what} is missing here, such as {what}:{}", list.first().copied().unwrap_or("NAME"))
        } else {
            let close: Vec<&str> = list.iter().copied().filter(|known| known.contains(name)).collect();
            let named = if close.is_empty() { list.join(", ") } else { close.join(", ") };
            format!("there is no {what} {name}; there is {named}")
        };
        BadCondition::about(text, name, reason)
    };
    let test = match what {
        "field" => vocabulary.field(name).map(Test::Changed).ok_or_else(|| unknown(vocabulary.fields)),
        "lane" => {
            let names: Vec<&str> = vocabulary.lanes.iter().map(|lane| lane.name).collect();
            return Some(in_lanes(name, vocabulary).ok_or_else(|| unknown(&names)));
        }
        "effect" => vocabulary.effect(name).map(Test::Effect).ok_or_else(|| unknown(vocabulary.effects)),
        group if group == vocabulary.lane_groups.name => {
            let names: Vec<&str> = vocabulary.lane_groups.groups.iter().map(|(name, _)| *name).collect();
            let lanes = vocabulary.lane_groups.groups.iter().find(|(known, _)| *known == name);
            return Some(lanes.map(|(_, lanes)| of_lanes(lanes, vocabulary)).ok_or_else(|| unknown(&names)));
        }
        "finding" if name.is_empty() => Err(unknown(&["gate/loop-guard"])),
        "finding" => Ok(Test::Finding(name.to_owned())),
        _ => return None,
    };
    Some(test.map(Plan::Test))
}

/// The plan for the events of some lanes, given as names with commas in between.
fn in_lanes(names: &str, vocabulary: &Vocabulary) -> Option<Plan> {
    let lanes: Option<Vec<LaneId>> = names.split(',').map(|name| vocabulary.lane_by_name(name)).collect();
    lanes.map(|lanes| of_lanes(&lanes, vocabulary))
}

fn of_lanes(lanes: &[LaneId], vocabulary: &Vocabulary) -> Plan {
    let kinds = (0..vocabulary.kinds.len()).map(|kind| KindId(kind as u8));
    let inside = kinds.filter(|kind| vocabulary.lane(*kind).is_some_and(|lane| lanes.contains(&lane)));
    let either = |one, two| Plan::Or(Box::new(one), Box::new(two));
    let tests = inside.map(|kind| Plan::Test(Test::Kind(kind)));
    tests.reduce(either).unwrap_or(Plan::Test(Test::Always(false)))
}

/// The jq filter that a facet with a value stands for, such as `call:ID`; `None` if the text is not one.
pub(super) fn of_facet(text: &str, vocabulary: &Vocabulary) -> Option<String> {
    let (name, value) = text.trim().split_once(':')?;
    let facet = vocabulary.facets.iter().find(|facet| facet.name == name)?;
    // An array may stand at any place of a path before the last.
    let path = |path: &&[&str]| {
        let names = |names: &[&str]| names.join("?.");
        let arrays = (1..path.len()).map(|at| format!(".event?.{}?[]?.{}?", names(&path[..at]), names(&path[at..])));
        std::iter::once(format!(".event?.{}?", names(path))).chain(arrays).collect::<Vec<_>>().join(", ")
    };
    let paths: Vec<String> = facet.members.iter().map(path).collect();
    let value = serde_json::Value::from(value.trim());
    Some(format!("any({}; . != null and tostring == {value})", paths.join(", ")))
}

/// What the user may have meant by a word that is not a filter.
pub(super) fn hint(word: &str, vocabulary: &Vocabulary) -> Option<String> {
    if vocabulary.field(word).is_some() {
        return Some(format!("write .after.{word} for its value, or field:{word} for where it changes"));
    }
    if vocabulary.effect(word).is_some() {
        return Some(format!("write effect:{word} for the events that ask for it"));
    }
    let close: Vec<&str> = vocabulary.kinds.iter().map(|kind| kind.name).filter(|name| name.contains(word)).collect();
    if close.is_empty() || word.len() < 3 { None } else { Some(format!("there is {}", close.join(", "))) }
}

#[cfg(test)]
mod tests {
    use super::super::Condition;
    use super::super::filter::CompiledFilter;
    use crate::turn::machine::VOCABULARY;

    /// A shorthand must not hide a valid filter.
    #[test]
    fn no_shorthand_is_a_valid_filter() {
        let words = VOCABULARY.kinds.iter().map(|kind| kind.name).chain(["malformed", "finding"]);
        let words = words.map(str::to_owned);
        let fields = VOCABULARY.fields.iter().map(|name| format!("field:{name}"));
        let effects = VOCABULARY.effects.iter().map(|name| format!("effect:{name}"));
        let lanes = VOCABULARY.lanes.iter().map(|lane| format!("lane:{}", lane.name));
        for text in words.chain(fields).chain(effects).chain(lanes).chain(["finding:gate/x".to_owned()]) {
            assert!(Condition::parse(&text, &VOCABULARY).is_ok_and(|condition| condition.is_plain()), "{text}");
            assert!(CompiledFilter::compile(&text).is_err(), "{text} is a valid jq filter");
        }
    }
}

//! Tests in a filter that the index can answer without decoding an event.
//!
//! Everything else is unsure, and the whole filter decides where it matters. So a plain test must give the same answer
//! as the filter.

use jaq_core::load::parse::{BinaryOp, Term};
use jaq_core::ops::Cmp;
use jaq_json::Val;

use super::terms::{PathStep, is_path, literal, path, text};
use crate::replay::vocabulary::{EffectId, FieldId, KindId, Vocabulary};

/// One question to the index.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Test {
    Always(bool),
    Kind(KindId),
    /// The event changed the field.
    Changed(FieldId),
    /// A comparison of the field's value after the event. The slot stores the last answer.
    After {
        field: FieldId,
        cmp: Cmp,
        with: Val,
        slot: usize,
    },
    Seq {
        cmp: Cmp,
        with: Val,
    },
    Effect(EffectId),
    /// How many findings touch the event.
    FindingCount {
        cmp: Cmp,
        with: Val,
    },
    /// A finding of this check touches the event.
    Finding(String),
}

/// A combination of tests.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Plan {
    Test(Test),
    Not(Box<Plan>),
    And(Box<Plan>, Box<Plan>),
    Or(Box<Plan>, Box<Plan>),
    /// The filter must be run.
    Unsure,
}

impl Plan {
    #[cfg(test)]
    pub(super) fn is_sure(&self) -> bool {
        match self {
            Plan::Test(_) => true,
            Plan::Not(inner) => inner.is_sure(),
            Plan::And(one, two) | Plan::Or(one, two) => one.is_sure() && two.is_sure(),
            Plan::Unsure => false,
        }
    }

    /// The approximate cost of an answer: a column is cheap, a value must be replayed.
    fn cost(&self) -> usize {
        match self {
            Plan::Test(Test::After { .. }) => 100,
            Plan::Test(_) => 1,
            Plan::Not(inner) => inner.cost(),
            Plan::And(one, two) | Plan::Or(one, two) => one.cost() + two.cost(),
            Plan::Unsure => 1000,
        }
    }
}

/// A plan, and whether the filter may have no or several outputs: then nothing follows from its being false.
struct PlannedTerm {
    plan: Plan,
    many: bool,
}

impl PlannedTerm {
    fn one(test: Test) -> PlannedTerm {
        PlannedTerm { plan: Plan::Test(test), many: false }
    }

    fn unsure() -> PlannedTerm {
        PlannedTerm { plan: Plan::Unsure, many: true }
    }
}

pub(super) struct Planner<'v> {
    pub vocabulary: &'v Vocabulary,
    pub slots: usize,
}

impl Planner<'_> {
    pub(super) fn plan(&mut self, term: &Term<&str>) -> Plan {
        self.part(term).plan
    }

    fn part(&mut self, term: &Term<&str>) -> PlannedTerm {
        match term {
            Term::BinOp(left, BinaryOp::And, right) => {
                let (one, two) = (self.part(left), self.part(right));
                let many = one.many || two.many;
                // The order does not affect the answer: the cheaper side goes first.
                let (one, two) = if one.plan.cost() <= two.plan.cost() { (one, two) } else { (two, one) };
                PlannedTerm { plan: Plan::And(Box::new(one.plan), Box::new(two.plan)), many }
            }
            Term::BinOp(left, BinaryOp::Or, right) => {
                let (one, two) = (self.part(left), self.part(right));
                // No output on the left means no output at all, and an error there hides the right side.
                if one.many {
                    return PlannedTerm::unsure();
                }
                PlannedTerm { plan: Plan::Or(Box::new(one.plan), Box::new(two.plan)), many: two.many }
            }
            Term::BinOp(left, BinaryOp::Pipe(None), right) => self.piped(left, right),
            Term::BinOp(left, BinaryOp::Cmp(cmp), right) => self.comparison(left, *cmp, right),
            Term::Call("select", arguments) if arguments.len() == 1 => {
                PlannedTerm { plan: self.part(&arguments[0]).plan, many: true }
            }
            Term::Call("any", arguments) => match &arguments[..] {
                [source, test] if is_path(source, &["effects", "[]"]) => self.named("effects", test),
                [source, test] if is_path(source, &["findings", "[]"]) => self.named("findings", test),
                _ => PlannedTerm::unsure(),
            },
            _ => match literal(term) {
                Some(value) => PlannedTerm::one(Test::Always(jaq_core::ValT::as_bool(&value))),
                None => PlannedTerm::unsure(),
            },
        }
    }

    fn piped(&mut self, left: &Term<&str>, right: &Term<&str>) -> PlannedTerm {
        match right {
            Term::Call("not", arguments) if arguments.is_empty() => {
                let part = self.part(left);
                if part.many {
                    return PlannedTerm::unsure();
                }
                PlannedTerm { plan: Plan::Not(Box::new(part.plan)), many: false }
            }
            Term::Call("any", arguments) => match &arguments[..] {
                [test] if is_path(left, &["effects"]) => self.named("effects", test),
                [test] if is_path(left, &["findings"]) => self.named("findings", test),
                _ => PlannedTerm::unsure(),
            },
            // `.findings | length > 0` compares inside the pipe.
            Term::BinOp(counted, BinaryOp::Cmp(cmp), with)
                if is_path(left, &["findings"]) && is_call(counted, "length") =>
            {
                literal(with)
                    .map_or_else(PlannedTerm::unsure, |with| PlannedTerm::one(Test::FindingCount { cmp: *cmp, with }))
            }
            _ => PlannedTerm::unsure(),
        }
    }

    /// `.kind == "x"` about an effect, `.check == "x"` about a finding.
    fn named(&self, list: &str, test: &Term<&str>) -> PlannedTerm {
        let Term::BinOp(left, BinaryOp::Cmp(Cmp::Eq), right) = test else { return PlannedTerm::unsure() };
        let key = if list == "effects" { "kind" } else { "check" };
        match text(right) {
            Some(name) if is_path(left, &[key]) => PlannedTerm::one(self.name(list, name)),
            _ => PlannedTerm::unsure(),
        }
    }

    fn name(&self, list: &str, name: String) -> Test {
        match list {
            "effects" => self.vocabulary.effect(&name).map_or(Test::Always(false), Test::Effect),
            _ => Test::Finding(name),
        }
    }

    fn comparison(&mut self, left: &Term<&str>, cmp: Cmp, right: &Term<&str>) -> PlannedTerm {
        match (literal(left), literal(right)) {
            (Some(one), Some(two)) => PlannedTerm::one(Test::Always(cmp.run(&one, &two))),
            (None, Some(with)) => self.against(left, cmp, with),
            (Some(with), None) => self.against(right, turned(cmp), with),
            (None, None) => self.change(left, cmp, right),
        }
    }

    fn change(&self, left: &Term<&str>, cmp: Cmp, right: &Term<&str>) -> PlannedTerm {
        let field = |term: &Term<&str>, side: &str| match &path(term)?[..] {
            [PathStep::Key(key), PathStep::Key(name)] if key == side => Some(name.clone()),
            _ => None,
        };
        let both = field(left, "before").zip(field(right, "after"));
        let both = both.or_else(|| field(left, "after").zip(field(right, "before")));
        let Some((name, _)) = both.filter(|(one, two)| one == two) else { return PlannedTerm::unsure() };
        let changed = self.vocabulary.field(&name).map_or(Test::Always(false), Test::Changed);
        match cmp {
            Cmp::Ne => PlannedTerm::one(changed),
            Cmp::Eq => PlannedTerm { plan: Plan::Not(Box::new(Plan::Test(changed))), many: false },
            _ => PlannedTerm::unsure(),
        }
    }

    fn against(&mut self, term: &Term<&str>, cmp: Cmp, with: Val) -> PlannedTerm {
        if let Term::BinOp(list, BinaryOp::Pipe(None), counted) = term
            && is_path(list, &["findings"])
            && is_call(counted, "length")
        {
            return PlannedTerm::one(Test::FindingCount { cmp, with });
        }
        let Some(steps) = path(term) else { return PlannedTerm::unsure() };
        let names: Option<Vec<&str>> =
            steps.iter().map(|step| if let PathStep::Key(key) = step { Some(&**key) } else { None }).collect();
        match names.as_deref() {
            Some(["seq"]) => PlannedTerm::one(Test::Seq { cmp, with }),
            Some(["event"]) => equal(cmp, matches!(with, Val::Null).then_some(Test::Kind(KindId::MALFORMED))),
            Some(["event", tag @ ..]) if *tag == *self.vocabulary.tag => equal(cmp, self.kind(&with)),
            Some(["after", name]) => PlannedTerm::one(self.after(name, cmp, with)),
            Some(_) => PlannedTerm::unsure(),
            None => self.each(&steps, cmp, &with),
        }
    }

    /// The test for the kind with this tag. A record that is not an event has no tag.
    fn kind(&self, with: &Val) -> Option<Test> {
        let Val::TStr(name) = with else { return None };
        let known = std::str::from_utf8(name).ok().and_then(|name| self.vocabulary.kind(name));
        let untagged = self.vocabulary.untagged;
        match known.filter(|kind| *kind != KindId::MALFORMED) {
            Some(kind) if !untagged.contains(&kind) => Some(Test::Kind(kind)),
            None if untagged.is_empty() => Some(Test::Always(false)),
            // An unknown kind may have any tag, so the record must be read.
            _ => None,
        }
    }

    fn after(&mut self, name: &str, cmp: Cmp, with: Val) -> Test {
        let Some(field) = self.vocabulary.field(name) else { return Test::Always(cmp.run(&Val::Null, &with)) };
        self.slots += 1;
        Test::After { field, cmp, with, slot: self.slots - 1 }
    }

    /// `.effects[].kind == "x"` has an output per effect.
    fn each(&self, steps: &[PathStep], cmp: Cmp, with: &Val) -> PlannedTerm {
        let [PathStep::Key(list), PathStep::Each, PathStep::Key(key)] = steps else { return PlannedTerm::unsure() };
        let known = matches!((&**list, &**key), ("effects", "kind") | ("findings", "check"));
        match with {
            Val::TStr(name) if known && cmp == Cmp::Eq => {
                let test = self.name(list, String::from_utf8_lossy(name).into_owned());
                PlannedTerm { plan: Plan::Test(test), many: true }
            }
            _ => PlannedTerm::unsure(),
        }
    }
}

fn equal(cmp: Cmp, test: Option<Test>) -> PlannedTerm {
    match (test, cmp) {
        (Some(test), Cmp::Eq) => PlannedTerm::one(test),
        (Some(test), Cmp::Ne) => PlannedTerm { plan: Plan::Not(Box::new(Plan::Test(test))), many: false },
        _ => PlannedTerm::unsure(),
    }
}

fn is_call(term: &Term<&str>, name: &str) -> bool {
    matches!(term, Term::Call(called, arguments) if *called == name && arguments.is_empty())
}

/// The comparison with its sides swapped.
fn turned(cmp: Cmp) -> Cmp {
    match cmp {
        Cmp::Lt => Cmp::Gt,
        Cmp::Le => Cmp::Ge,
        Cmp::Gt => Cmp::Lt,
        Cmp::Ge => Cmp::Le,
        Cmp::Eq | Cmp::Ne => cmp,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Condition;
    use crate::turn::machine::VOCABULARY;

    fn is_plain(text: &str) -> bool {
        Condition::parse(text, &VOCABULARY).unwrap_or_else(|bad| panic!("{bad}")).is_plain()
    }

    #[test]
    fn plain_tests_are_recognized() {
        for text in [
            ".event.event_type == \"turn_ended\"",
            "\"turn_ended\" != .event[\"event_type\"]",
            ".event == null",
            ".before.step_idx != .after.step_idx",
            ".after.step_idx >= -3",
            ".seq < 100 and (.findings | length) > 0",
            ".findings | length > 0",
            "any(.effects[]; .kind == \"sleep\") | not",
            ".effects[].kind == \"sleep\"",
            ".seq < 5 or .effects[].kind == \"sleep\"",
            "select(.seq == 3)",
        ] {
            assert!(is_plain(text), "{text}");
        }
    }

    #[test]
    fn filters_that_only_look_plain_are_run() {
        for text in [
            // No effect means no output, so nothing is true, whatever is on the right.
            ".effects[].kind == \"sleep\" or true",
            ".effects[].kind == \"sleep\" | not",
            "def not: .; .seq == 1 | not",
            ".event.event_type == (\"turn_ended\", \"turn_started\")",
            ".event.event_type > \"t\"",
            ".after.total_usage.input_tokens > 3",
            "(.event.x | error) or .seq == 1",
        ] {
            assert!(!is_plain(text), "{text}");
        }
    }
}

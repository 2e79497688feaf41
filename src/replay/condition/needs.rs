//! The parts of its input that a filter reads, so that nothing else is built for it.
//!
//! If a term is not understood, everything is needed.

use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Pattern, Term};
use jaq_core::path::Part;

use super::terms::{part_terms, parts, text};
use crate::replay::vocabulary::{FieldSet, Vocabulary};

/// The keys of the input that are read; for both states, the fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Needs {
    pub seq: bool,
    pub event: bool,
    pub before: FieldSet,
    pub after: FieldSet,
    pub effects: bool,
    pub findings: bool,
}

impl Needs {
    pub(super) fn of(term: &Term<&str>, vocabulary: &Vocabulary) -> Needs {
        let mut reading = NeedsReader { vocabulary, needs: Needs::default() };
        // If the input itself is an output, the filter is true, whatever the input contains.
        reading.walk(term, true);
        reading.needs
    }

    /// Whether the log must be stepped over.
    pub(super) fn steps(self) -> bool {
        self.effects || !self.before.is_empty() || !self.after.is_empty()
    }
}

struct NeedsReader<'v> {
    vocabulary: &'v Vocabulary,
    needs: Needs,
}

impl NeedsReader<'_> {
    fn everything(&mut self) {
        let all = self.fields();
        self.needs = Needs { seq: true, event: true, before: all, after: all, effects: true, findings: true };
    }

    fn fields(&self) -> FieldSet {
        let mut all = FieldSet::default();
        self.vocabulary.field_ids().for_each(|field| all.insert(field));
        all
    }

    /// The fields that a path reads from a state.
    fn fields_at(&self, next: Option<&Part<Term<&str>>>) -> FieldSet {
        let Some(Part::Index(key)) = next else { return self.fields() };
        let Some(name) = text(key) else { return self.fields() };
        let mut one = FieldSet::default();
        if let Some(field) = self.vocabulary.field(&name) {
            one.insert(field);
        }
        one
    }

    fn key(&mut self, name: &str, next: Option<&Part<Term<&str>>>) {
        match name {
            "seq" => self.needs.seq = true,
            "event" => self.needs.event = true,
            "before" => self.needs.before.0 |= self.fields_at(next).0,
            "after" => self.needs.after.0 |= self.fields_at(next).0,
            "effects" => self.needs.effects = true,
            "findings" => self.needs.findings = true,
            _ => {}
        }
    }

    /// A term whose outputs are read: if the input itself may be one of them, all of it may be read.
    fn value(&mut self, term: &Term<&str>, root: bool) {
        if self.walk(term, root) {
            self.everything();
        }
    }

    /// Follows a term that gets the whole input if `root`; returns whether it may output the whole input.
    fn walk(&mut self, term: &Term<&str>, root: bool) -> bool {
        match term {
            Term::Id => root,
            Term::Num(_) | Term::Var(_) | Term::Break(_) => false,
            Term::Path(head, path) => {
                let of_root = self.walk(head, root);
                path.0.iter().flat_map(|(part, _)| part_terms(part)).for_each(|term| self.value(term, root));
                if of_root {
                    let mut steps = path.0.iter().map(|(part, _)| part);
                    match steps.next() {
                        Some(Part::Index(key)) if text(key).is_some() => {
                            self.key(&text(key).unwrap_or_default(), steps.next());
                        }
                        _ => self.everything(),
                    }
                }
                false
            }
            Term::BinOp(left, op, right) => self.operation(left, op, right, root),
            Term::Call(name, arguments) => self.call(name, arguments, root),
            Term::Str(_, pieces) => {
                for piece in pieces {
                    if let StrPart::Term(term) = piece {
                        self.value(term, root);
                    }
                }
                false
            }
            Term::Neg(_) | Term::Arr(_) => {
                parts(term).into_iter().for_each(|part| self.value(part, root));
                false
            }
            Term::Obj(members) => {
                members.iter().for_each(|(key, value)| self.member(key, value.as_ref(), root));
                false
            }
            Term::IfThenElse(branches, otherwise) => {
                let mut out = otherwise.as_ref().map_or(root, |otherwise| self.walk(otherwise, root));
                for (test, then) in branches {
                    self.value(test, root);
                    out |= self.walk(then, root);
                }
                out
            }
            Term::TryCatch(tried, caught) => {
                let out = self.walk(tried, root);
                caught.iter().for_each(|caught| self.value(caught, false));
                out
            }
            Term::Label(_, inner) => self.walk(inner, root),
            Term::Recurse | Term::Fold(..) | Term::Def(..) => {
                self.everything();
                true
            }
        }
    }

    fn member(&mut self, key: &Term<&str>, value: Option<&Term<&str>>, root: bool) {
        match value {
            Some(value) => {
                self.value(key, root);
                self.value(value, root);
            }
            // `{event}` is short for `{event: .event}`, `{$x}` for `{x: $x}`.
            None if matches!(key, Term::Var(_)) => {}
            None => match text(key) {
                Some(name) if root => self.key(&name, None),
                Some(_) => {}
                None => self.everything(),
            },
        }
    }

    fn operation(&mut self, left: &Term<&str>, op: &BinaryOp<&str>, right: &Term<&str>, root: bool) -> bool {
        match op {
            BinaryOp::Pipe(None) => {
                let passes = self.walk(left, root);
                self.walk(right, passes)
            }
            BinaryOp::Pipe(Some(Pattern::Var(_))) => {
                self.value(left, root);
                self.walk(right, root)
            }
            BinaryOp::Comma | BinaryOp::Alt => {
                let (one, two) = (self.walk(left, root), self.walk(right, root));
                one || two
            }
            BinaryOp::Or | BinaryOp::And | BinaryOp::Math(_) | BinaryOp::Cmp(_) => {
                self.value(left, root);
                self.value(right, root);
                false
            }
            _ => {
                self.everything();
                true
            }
        }
    }

    fn call(&mut self, name: &str, arguments: &[Term<&str>], root: bool) -> bool {
        match (name, arguments) {
            ("true" | "false" | "null" | "empty", []) => false,
            ("select", [test]) => {
                self.value(test, root);
                root
            }
            ("any" | "all", [source, test]) => {
                let passes = self.walk(source, root);
                self.value(test, passes);
                false
            }
            ("first" | "last", [source]) => self.walk(source, root),
            ("isempty", [source]) => {
                self.walk(source, root);
                false
            }
            // Other functions may do anything with their input.
            _ if root => {
                self.everything();
                true
            }
            _ => {
                arguments.iter().for_each(|argument| self.value(argument, false));
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::filter::parse;
    use super::*;
    use crate::replay::vocabulary::FieldId;
    use crate::turn::machine::VOCABULARY;

    fn check(filter: &str, expected: &str) {
        let needs = parse(filter, |term| Needs::of(term, &VOCABULARY)).expect("a filter");
        let fields = |set: FieldSet| match set.0.count_ones() as usize {
            all if all == VOCABULARY.fields.len() => "*".to_owned(),
            _ => set.iter().map(|field: FieldId| VOCABULARY.field_name(field)).collect::<Vec<_>>().join(","),
        };
        let mut got = Vec::new();
        let named =
            [("seq", needs.seq), ("event", needs.event), ("effects", needs.effects), ("findings", needs.findings)];
        got.extend(named.iter().filter(|(_, needed)| *needed).map(|(name, _)| (*name).to_owned()));
        let sides = [("before", needs.before), ("after", needs.after)];
        got.extend(
            sides.iter().filter(|side| !side.1.is_empty()).map(|(name, set)| format!("{name}:{}", fields(*set))),
        );
        assert_eq!(got.join(" "), expected, "{filter}");
    }

    #[test]
    fn only_the_parts_that_are_read_are_needed() {
        const ALL: &str = "seq event effects findings before:* after:*";
        check(".event.duration_ms > 900", "event");
        check(".seq > 3 and (.findings | length) > 0", "seq findings");
        check(".after.step_idx > .before.step_idx", "before:step_idx after:step_idx");
        check(".after | .step_idx > 3", "after:*");
        check(".after[.event.x]", "event after:*");
        check(".event | .a as $x | [.b[] | select(. > $x)] | length", "event");
        check("select(.seq > 3) | .event.a", "seq event");
        check("any(.effects[]; .kind == \"sleep\")", "effects");
        check("{event, x: .seq} | length", "seq event");
        check("\"\\(.seq)\" == \"3\"", "seq");
        check("if .seq == 1 then .event else . end", "seq event");
        check("if .seq == 1 then .event end | .after.turn_id", "seq event after:turn_id");
        check("true", "");
        check(".", "");
        check(". as $all | $all.event", ALL);
        check("..", ALL);
        check("[.]", ALL);
        check("keys", ALL);
        check("to_entries", ALL);
        check(".[]", ALL);
        check(".[\"ev\" + \"ent\"]", ALL);
        check("def f: .event; f", ALL);
        check("reduce .effects[] as $e (0; . + 1)", ALL);
        check(".event.x = 3", ALL);
        check(". == 3", ALL);
        check("first(.) | .seq", "seq");
        check(".event | map(.a)", "event");
    }
}

//! Helpers over the terms of a parsed filter: literals, paths and their parts.

use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Pattern, Term};
use jaq_core::path::Part;
use jaq_json::Val;

/// The direct subterms of a term.
pub(super) fn parts<'t, 's>(term: &'t Term<&'s str>) -> Vec<&'t Term<&'s str>> {
    let mut out: Vec<&Term<&str>> = Vec::new();
    match term {
        Term::Id | Term::Recurse | Term::Num(_) | Term::Break(_) | Term::Var(_) => {}
        Term::Str(_, pieces) => out.extend(pieces.iter().filter_map(|piece| match piece {
            StrPart::Term(term) => Some(term),
            _ => None,
        })),
        Term::Arr(inner) => out.extend(inner.as_deref()),
        Term::Obj(members) => members.iter().for_each(|(key, value)| {
            out.push(key);
            out.extend(value);
        }),
        Term::Neg(inner) | Term::Label(_, inner) => out.push(inner),
        Term::BinOp(left, op, right) => {
            out.push(left);
            if let BinaryOp::Pipe(Some(pattern)) = op {
                pattern_terms(pattern, &mut out);
            }
            out.push(right);
        }
        Term::Fold(_, source, pattern, arguments) => {
            out.push(source);
            pattern_terms(pattern, &mut out);
            out.extend(arguments);
        }
        Term::TryCatch(tried, caught) => {
            out.push(tried);
            out.extend(caught.as_deref());
        }
        Term::IfThenElse(branches, otherwise) => {
            branches.iter().for_each(|(test, then)| out.extend([test, then]));
            out.extend(otherwise.as_deref());
        }
        Term::Def(defs, body) => {
            out.extend(defs.iter().map(|def| &def.body));
            out.push(body);
        }
        Term::Call(_, arguments) => out.extend(arguments),
        Term::Path(head, path) => {
            out.push(head);
            path.0.iter().for_each(|(part, _)| out.extend(part_terms(part)));
        }
    }
    out
}

/// The terms inside one step of a path.
pub(super) fn part_terms<'t, 's>(part: &'t Part<Term<&'s str>>) -> impl Iterator<Item = &'t Term<&'s str>> {
    let (one, two) = match part {
        Part::Index(term) => (Some(term), None),
        Part::Range(from, to) => (from.as_ref(), to.as_ref()),
    };
    one.into_iter().chain(two)
}

fn pattern_terms<'t, 's>(pattern: &'t Pattern<&'s str>, out: &mut Vec<&'t Term<&'s str>>) {
    match pattern {
        Pattern::Var(_) => {}
        Pattern::Arr(patterns) => patterns.iter().for_each(|pattern| pattern_terms(pattern, out)),
        Pattern::Obj(members) => members.iter().for_each(|(key, pattern)| {
            out.push(key);
            pattern_terms(pattern, out);
        }),
    }
}

/// A string literal without interpolation.
pub(super) fn text(term: &Term<&str>) -> Option<String> {
    let Term::Str(None, pieces) = term else { return None };
    let mut out = String::new();
    for piece in pieces {
        match piece {
            StrPart::Str(text) => out.push_str(text),
            StrPart::Char(character) => out.push(*character),
            StrPart::Term(_) => return None,
        }
    }
    Some(out)
}

/// A step of a path from the root of a value.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PathStep {
    Key(String),
    /// `[]`
    Each,
}

/// A path from the input itself, if all its steps are literals.
pub(super) fn path(term: &Term<&str>) -> Option<Vec<PathStep>> {
    let Term::Path(head, path) = term else { return None };
    if !matches!(**head, Term::Id) {
        return None;
    }
    let step = |part: &Part<Term<&str>>| match part {
        Part::Index(key) => text(key).map(PathStep::Key),
        Part::Range(None, None) => Some(PathStep::Each),
        Part::Range(..) => None,
    };
    path.0.iter().map(|(part, _)| step(part)).collect()
}

/// Whether a term is this path.
pub(super) fn is_path(term: &Term<&str>, wanted: &[&str]) -> bool {
    path(term).is_some_and(|steps| {
        let same = |(step, name): (&PathStep, &&str)| match step {
            PathStep::Key(key) => key == name,
            PathStep::Each => *name == "[]",
        };
        steps.len() == wanted.len() && steps.iter().zip(wanted).all(same)
    })
}

/// A literal value.
pub(super) fn literal(term: &Term<&str>) -> Option<Val> {
    match term {
        Term::Num(digits) => number(digits),
        Term::Neg(inner) => (-literal(inner)?).ok(),
        Term::Str(..) => text(term).map(Val::from),
        Term::Arr(None) => Some(Val::Arr(std::sync::Arc::default())),
        Term::Obj(members) if members.is_empty() => Some(Val::obj(jaq_json::Map::default())),
        Term::Call("true", arguments) if arguments.is_empty() => Some(Val::Bool(true)),
        Term::Call("false", arguments) if arguments.is_empty() => Some(Val::Bool(false)),
        Term::Call("null", arguments) if arguments.is_empty() => Some(Val::Null),
        _ => None,
    }
}

/// Parses a number like the jq compiler.
fn number(digits: &str) -> Option<Val> {
    match digits.parse::<isize>() {
        Ok(whole) => Some(Val::from(whole)),
        Err(_) => Some(super::value::number(digits)),
    }
}

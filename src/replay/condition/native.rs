//! Native tests: the common part of the filter language, evaluated on the text of an event without building values.
//!
//! A native test gives the same answer as the filter or none at all. It has none where the filter might fail or have
//! several outputs, where a value has a form that is rare, and where a text is so long that the budget of a run matters.
//! Then the filter itself is run.

mod evaluate;
mod event_value;

use std::sync::Arc;

use jaq_core::load::parse::{BinaryOp, Term};
use jaq_core::ops::{Cmp, Math};
use jaq_core::path::{Opt, Part};
use jaq_json::Val;
use regex::bytes::Regex;

pub(super) use evaluate::{InputParts, Side};
pub(super) use event_value::EventText;

use super::regexes::test_pattern;
use super::terms::{literal, text};

/// A term that is evaluated natively.
#[derive(Clone, Debug)]
pub(super) enum Native {
    /// `.`
    Itself,
    Literal(Val),
    Member {
        of: Box<Native>,
        key: String,
        /// Whether a value without members means no output, rather than an error.
        is_optional: bool,
    },
    /// `[]`. Only where several outputs are allowed.
    Each(Box<Native>),
    Pipe(Box<Native>, Box<Native>),
    Not,
    Length,
    And(Box<Native>, Box<Native>),
    Or(Box<Native>, Box<Native>),
    Alternative(Box<Native>, Box<Native>),
    Compare(Box<Native>, Cmp, Box<Native>),
    Calculate(Box<Native>, Math, Box<Native>),
    Select(Box<Native>),
    /// `any` if the flag is true, else `all`: the items, and the test of each.
    Quantified(bool, Box<Native>, Box<Native>),
    Has(String),
    StartsWith(Vec<u8>),
    EndsWith(Vec<u8>),
    Contains(Vec<u8>),
    Matches(Arc<Regex>),
}

impl Native {
    /// The native form of a filter. It may have several outputs.
    pub(super) fn compile(term: &Term<&str>) -> Option<Native> {
        match term {
            Term::BinOp(left, BinaryOp::Pipe(None), right) => {
                Some(Native::Pipe(Box::new(Native::compile(left)?), Box::new(Native::compile(right)?)))
            }
            Term::Path(head, path) => {
                let mut of = Native::compile(head)?;
                for (part, opt) in &path.0 {
                    let of_before = Box::new(of);
                    let is_optional = matches!(opt, Opt::Optional);
                    of = match part {
                        Part::Index(key) => Native::Member { of: of_before, key: text(key)?, is_optional },
                        Part::Range(None, None) if !is_optional => Native::Each(of_before),
                        Part::Range(..) => return None,
                    };
                }
                Some(of)
            }
            _ => Native::one(term),
        }
    }

    /// The native form of a term that has at most one output.
    fn single(term: &Term<&str>) -> Option<Box<Native>> {
        Native::compile(term).filter(Native::is_single).map(Box::new)
    }

    fn is_single(&self) -> bool {
        match self {
            Native::Each(_) => false,
            Native::Member { of, .. } => of.is_single(),
            Native::Pipe(left, right) => left.is_single() && right.is_single(),
            _ => true,
        }
    }

    fn one(term: &Term<&str>) -> Option<Native> {
        if let Some(value) = literal(term) {
            return Some(Native::Literal(value));
        }
        match term {
            Term::Id => Some(Native::Itself),
            Term::BinOp(left, op, right) => {
                let (left, right) = (Native::single(left)?, Native::single(right)?);
                match op {
                    BinaryOp::And => Some(Native::And(left, right)),
                    BinaryOp::Or => Some(Native::Or(left, right)),
                    BinaryOp::Alt => Some(Native::Alternative(left, right)),
                    BinaryOp::Cmp(cmp) => Some(Native::Compare(left, *cmp, right)),
                    BinaryOp::Math(math) => Some(Native::Calculate(left, *math, right)),
                    _ => None,
                }
            }
            Term::Call(name, arguments) => Native::call(name, arguments),
            _ => None,
        }
    }

    fn call(name: &str, arguments: &[Term<&str>]) -> Option<Native> {
        let bytes = |term: &Term<&str>| text(term).map(String::into_bytes);
        let items = || Box::new(Native::Each(Box::new(Native::Itself)));
        let quantified = |items, test| Some(Native::Quantified(name == "any", items, test));
        match (name, arguments) {
            ("not", []) => Some(Native::Not),
            ("length", []) => Some(Native::Length),
            ("select", [test]) => Some(Native::Select(Native::single(test)?)),
            ("any" | "all", []) => quantified(items(), Box::new(Native::Itself)),
            ("any" | "all", [test]) => quantified(items(), Native::single(test)?),
            ("any" | "all", [source, test]) => quantified(Box::new(Native::compile(source)?), Native::single(test)?),
            ("has", [key]) => text(key).map(Native::Has),
            ("startswith", [start]) => bytes(start).map(Native::StartsWith),
            ("endswith", [end]) => bytes(end).map(Native::EndsWith),
            ("contains", [part]) => bytes(part).map(Native::Contains),
            ("test", [pattern]) => test_pattern(&text(pattern)?, "").map(Native::Matches),
            ("test", [pattern, flags]) => test_pattern(&text(pattern)?, &text(flags)?).map(Native::Matches),
            _ => None,
        }
    }
}

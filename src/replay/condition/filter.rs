//! jq filters: parsing, compiling, running.
//!
//! Filters have no clock, environment, input or output: the same event gives the same answer everywhere. Loops that may
//! not end draw from a limited supply.

use std::cell::Cell;

use jaq_core::data::HasLut;
use jaq_core::load::parse::{self, Def, Term};
use jaq_core::load::{self, Arena, File, Lexer, Loader, Parser, lex};
use jaq_core::native::{Fun, bome, run, v};
use jaq_core::{Compiler, Ctx, Cv, DataT, Error, Exn, Lut, ValT, ValXs, Vars};
use jaq_json::{Val, read};
use jaq_std::ValT as _;

use super::bad::BadCondition;
use super::input::InputError;
use super::limits::{check_term, check_text, check_tokens, nests_too_deep};
use super::regexes::{Regexes, Wanted};

/// A filter with more outputs than this at one event, none of them true, has failed there.
const MOST_OUTPUTS: usize = 1_000_000;
/// How many rounds all loops of a filter may take at one event.
const SUPPLY: u32 = 10_000;
const MESSAGE_CHARACTERS: usize = 200;

/// Functions that access the outside or leave the filter.
const NOT_OFFERED: [&str; 13] = [
    "env",
    "now",
    "localtime",
    "strflocaltime",
    "input",
    "inputs",
    "halt",
    "halt_error",
    "debug",
    "stderr",
    "debug_empty",
    "stderr_empty",
    "input_line_number",
];

/// Definitions of jq's standard library whose functions come with large packages: dates, escapes, rare mathematics.
const LEFT_OUT: [&str; 13] = [
    "todate",
    "fromdate",
    "logb",
    "significand",
    "drem",
    "nexttoward",
    "gamma",
    "@html",
    "@htmld",
    "@uri",
    "@urid",
    "@base64",
    "@base64d",
];

/// Loops that may not end; each round draws from the supply.
const LOOPS: &str = "
def repeat(f): def rec: draw as $x | f, rec; rec;
def recurse(f): def rec: draw as $x | ., (f | rec); rec;
def while(cond; update): def rec: draw as $x | if cond then ., (update | rec) else {}[] end; rec;
def until(cond; update): def rec: draw as $x | if cond then . else update | rec end; rec;
";

/// Values are those of jaq; a run also carries its supply and the patterns of its filter.
pub(super) struct Supplied;

#[derive(Clone, Copy)]
pub(super) struct FilterContext<'a> {
    lut: &'a Lut<Supplied>,
    supply: &'a Cell<u32>,
    regexes: &'a Regexes,
}

impl DataT for Supplied {
    type V<'a> = Val;
    type Data<'a> = FilterContext<'a>;
}

impl<'a> HasLut<'a, Supplied> for FilterContext<'a> {
    fn lut(&self) -> &'a Lut<Supplied> {
        self.lut
    }
}

fn draw(supply: &Cell<u32>) -> Result<(), Error<Val>> {
    match supply.get().checked_sub(1) {
        Some(left) => {
            supply.set(left);
            Ok(())
        }
        None => Err(Error::str(format_args!("its loops took more than {SUPPLY} rounds"))),
    }
}

fn range(mut cv: Cv<'_, Supplied>) -> ValXs<'_, Val> {
    let (by, to, from) = (cv.0.pop_var(), cv.0.pop_var(), cv.0.pop_var());
    let supply = cv.0.data().supply;
    let zero = Val::from(0_isize);
    let mut next = Some(from);
    Box::new(std::iter::from_fn(move || {
        let here = next.take()?;
        let goes_on = if by > zero {
            here < to
        } else if by < zero {
            here > to
        } else {
            here != to
        };
        if !goes_on {
            return None;
        }
        let step = draw(supply).and_then(|()| here.clone() + by.clone());
        match step {
            Ok(following) => {
                next = Some(following);
                Some(Ok(here))
            }
            Err(error) => Some(Err(Exn::from(error))),
        }
    }))
}

/// JSON in a text of the log may be nested arbitrarily deep, and parsing it recurses.
fn from_json(cv: Cv<'_, Supplied>) -> ValXs<'_, Val> {
    let text = match cv.1.try_as_utf8_bytes_owned() {
        Ok(text) if nests_too_deep(&text) => Err(Error::str(format_args!("the JSON is nested too deeply"))),
        other => other,
    };
    let values = text.and_then(|text| {
        let wrong = |error: read::Error| Error::str(format_args!("cannot parse it as JSON: {error}"));
        read::parse_many(&text).map(|value| value.map_err(wrong)).collect::<Result<Vec<Val>, _>>()
    });
    match values {
        Ok(values) => Box::new(values.into_iter().map(Ok)),
        Err(error) => bome(Err(error)),
    }
}

fn parts(wanted: Wanted, mut cv: Cv<'_, Supplied>) -> ValXs<'_, Val> {
    let (flags, pattern) = (cv.0.pop_var(), cv.0.pop_var());
    bome(cv.0.data().regexes.parts(wanted, &cv.1, &pattern, &flags))
}

fn number(value: &Val) -> Result<f64, Error<Val>> {
    value.as_f64().ok_or_else(|| Error::typ(value.clone(), "number"))
}

fn math(cv: Cv<'_, Supplied>, function: fn(f64) -> f64) -> ValXs<'_, Val> {
    bome(number(&cv.1).map(|value| Val::from(function(value))))
}

fn power(mut cv: Cv<'_, Supplied>) -> ValXs<'_, Val> {
    let (exponent, base) = (cv.0.pop_var(), cv.0.pop_var());
    bome(number(&base).and_then(|base| Ok(Val::from(base.powf(number(&exponent)?)))))
}

fn funs() -> impl Iterator<Item = Fun<Supplied>> {
    let ours: [Fun<Supplied>; 16] = [
        run(("matches", v(2), |cv| parts(Wanted::Matches, cv))),
        run(("split_", v(2), |cv| parts(Wanted::Between, cv))),
        run(("split_matches", v(2), |cv| parts(Wanted::Both, cv))),
        run(("fabs", v(0), |cv| math(cv, f64::abs))),
        run(("sqrt", v(0), |cv| math(cv, f64::sqrt))),
        run(("exp", v(0), |cv| math(cv, f64::exp))),
        run(("exp2", v(0), |cv| math(cv, f64::exp2))),
        run(("exp10", v(0), |cv| math(cv, |value| 10_f64.powf(value)))),
        run(("log", v(0), |cv| math(cv, f64::ln))),
        run(("log2", v(0), |cv| math(cv, f64::log2))),
        run(("log10", v(0), |cv| math(cv, f64::log10))),
        run(("trunc", v(0), |cv| math(cv, f64::trunc))),
        run(("pow", v(2), |cv| power(cv))),
        run(("range", v(3), |cv| range(cv))),
        run(("fromjson", v(0), |cv| from_json(cv))),
        run(("draw", v(0), |cv| bome(draw(cv.0.data().supply).map(|()| Val::Null)))),
    ];
    let theirs = jaq_core::funs().chain(jaq_std::base_funs()).chain(jaq_json::funs());
    let offered = theirs.filter(|(name, ..)| !NOT_OFFERED.contains(name) && !["range", "fromjson"].contains(name));
    ours.into_iter().chain(offered)
}

fn defs() -> impl Iterator<Item = Def<&'static str>> {
    let loops = load::parse(LOOPS, |parser| parser.defs()).unwrap_or_default();
    let is_loop =
        |def: &Def<&str>| matches!((def.name, def.args.len()), ("repeat" | "recurse", 1) | ("while" | "until", 2));
    let theirs = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs());
    let offered =
        theirs.filter(move |def| !NOT_OFFERED.contains(&def.name) && !LEFT_OUT.contains(&def.name) && !is_loop(def));
    loops.into_iter().chain(offered)
}

/// Parses a filter and passes its term to `look`.
pub(super) fn parse<T>(text: &str, look: impl FnOnce(&Term<&str>) -> T) -> Result<T, BadCondition> {
    check_text(text)?;
    let tokens = Lexer::new(text).lex().map_err(|errors| lex_error(text, &errors))?;
    check_tokens(text, &tokens)?;
    let term = Parser::new(&tokens).parse(|parser| parser.term()).map_err(|errors| parse_error(text, &errors))?;
    check_term(text, &term)?;
    Ok(look(&term))
}

fn lex_error(text: &str, errors: &[lex::Error<&str>]) -> BadCondition {
    let Some((expected, found)) = errors.first() else { return BadCondition::new(text, 0..0, "no filter") };
    let first = found.chars().next();
    let found = &found[..first.map_or(0, char::len_utf8)];
    match expected {
        lex::Expect::Delim(open) => {
            BadCondition::about(text, open, format!("this is never closed: {} is missing", expected.as_str()))
        }
        lex::Expect::Token => BadCondition::about(text, found, "this character has no meaning in a filter"),
        _ => BadCondition::about(text, found, format!("expected a {}", expected.as_str())),
    }
}

fn parse_error(text: &str, errors: &[parse::TError<'_, &str>]) -> BadCondition {
    let Some((expected, found)) = errors.first() else { return BadCondition::new(text, 0..0, "no filter") };
    let found = lex::Token::opt_as_str(*found, text);
    let reason = match expected {
        parse::Expect::Nothing => "expected the end or an operator before this".to_owned(),
        parse::Expect::Just(word) => format!("expected {word:?}"),
        _ => format!("expected a {}", expected.as_str()),
    };
    BadCondition::about(text, found, if found.is_empty() { format!("it ends too early: {reason}") } else { reason })
}

/// Why running a filter at an event failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum RunError {
    #[error(transparent)]
    Input(#[from] InputError),
    #[error("more than {MOST_OUTPUTS} outputs")]
    TooManyOutputs,
    #[error("it stopped")]
    Stopped,
    #[error("{0}")]
    Failed(String),
}

pub(super) struct CompiledFilter {
    compiled: jaq_core::Filter<Supplied>,
    regexes: Regexes,
}

impl CompiledFilter {
    /// Compiles a filter that was parsed already.
    pub(super) fn compile(text: &str) -> Result<CompiledFilter, BadCondition> {
        let arena = Arena::default();
        let modules = Loader::new(defs())
            .load(&arena, File { code: text, path: () })
            .map_err(|_| BadCondition::new(text, 0..0, "it cannot be read"))?;
        let compiled = Compiler::default().with_funs(funs()).compile(modules);
        compiled
            .map(|compiled| CompiledFilter { compiled, regexes: Regexes::default() })
            .map_err(|errors| undefined(text, errors))
    }

    /// Whether any output is neither false nor null, or why the filter failed before such an output.
    pub(super) fn holds(&self, input: Val) -> Result<bool, RunError> {
        let supply = Cell::new(SUPPLY);
        let around = FilterContext { lut: &self.compiled.lut, supply: &supply, regexes: &self.regexes };
        let context = Ctx::<Supplied>::new(around, Vars::new([]));
        for (number, output) in self.compiled.id.run((context, input)).enumerate() {
            match output {
                _ if number == MOST_OUTPUTS => return Err(RunError::TooManyOutputs),
                Ok(value) if value.as_bool() => return Ok(true),
                Ok(_) => {}
                Err(exception) => return Err(run_error(exception)),
            }
        }
        Ok(false)
    }
}

fn run_error(exception: Exn<'_, Val>) -> RunError {
    let Ok(error) = exception.get_err() else { return RunError::Stopped };
    let text = error.to_string();
    let mut cut: String = text.chars().take(MESSAGE_CHARACTERS).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    RunError::Failed(cut)
}

fn undefined(text: &str, errors: jaq_core::compile::Errors<&str, ()>) -> BadCondition {
    use jaq_core::compile::Undefined;
    let ours = errors.into_iter().filter(|(file, _)| file.code == text).flat_map(|(_, errors)| errors);
    let Some((name, what)) = ours.into_iter().next() else {
        return BadCondition::new(text, 0..0, "it cannot be compiled");
    };
    let reason = match what {
        Undefined::Filter(_) if NOT_OFFERED.contains(&name) => {
            format!("a condition may not use {name}: it can only read the event")
        }
        Undefined::Filter(0) => format!("there is no function {name}"),
        Undefined::Filter(1) => format!("there is no function {name} with one argument"),
        Undefined::Filter(arguments) => format!("there is no function {name} with {arguments} arguments"),
        other => format!("there is no {} {name}", other.as_str()),
    };
    // A name that is not in the text of the filter comes from jaq's own definitions.
    let inside = text.as_bytes().as_ptr_range().contains(&name.as_ptr());
    if inside { BadCondition::about(text, name, reason) } else { BadCondition::new(text, 0..0, reason) }
}

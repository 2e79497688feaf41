//! jq filters: parsing, compiling, running.
//!
//! Filters have no clock, environment, input or output: the same event gives the same answer everywhere. A run has a
//! budget of steps and stack (`meter`), and the rounds of its loops are limited.

use std::cell::Cell;

use jaq_core::data::HasLut;
use jaq_core::load::parse::{self, Def, Term};
use jaq_core::load::{self, Arena, File, Lexer, Loader, Parser, lex};
use jaq_core::native::{Fun, bome, run, v};
use jaq_core::{Compiler, Ctx, Cv, DataT, Error, Exn, Lut, ValT as _, ValXs, Vars};
use jaq_json::Val;

use super::bad::BadCondition;
use super::functions::{functions, range};
use super::input::{INPUT_LEVELS, InputError};
use super::limits::{check_term, check_text, check_tokens};
use super::meter::{Exceeded, within_budget};
use super::regexes::Regexes;
use super::value::{Metered, short};

/// A filter with more outputs than this at one event, none of them true, has failed there.
const MOST_OUTPUTS: usize = 1_000_000;
/// How many rounds all loops of a filter may take at one event.
const SUPPLY: u32 = 10_000;

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

/// The data of a run: metered values, the rounds that are left, and the patterns of its filter.
pub(super) struct Supplied;

#[derive(Clone, Copy)]
pub(super) struct FilterContext<'a> {
    lut: &'a Lut<Supplied>,
    pub(super) supply: &'a Cell<u32>,
    pub(super) regexes: &'a Regexes,
}

impl DataT for Supplied {
    type V<'a> = Metered;
    type Data<'a> = FilterContext<'a>;
}

impl<'a> HasLut<'a, Supplied> for FilterContext<'a> {
    fn lut(&self) -> &'a Lut<Supplied> {
        self.lut
    }
}

/// Takes a round of a loop.
pub(super) fn take_round(supply: &Cell<u32>) -> Result<(), Error<Metered>> {
    match supply.get().checked_sub(1) {
        Some(left) => {
            supply.set(left);
            Ok(())
        }
        None => Err(Error::str(format_args!("its loops took more than {SUPPLY} rounds"))),
    }
}

fn round(cv: Cv<'_, Supplied>) -> ValXs<'_, Metered> {
    bome(take_round(cv.0.data().supply).map(|()| Metered::from(true)))
}

fn funs() -> impl Iterator<Item = Fun<Supplied>> {
    let loops: [Fun<Supplied>; 2] = [run(("range", v(3), |cv| range(cv))), run(("draw", v(0), |cv| round(cv)))];
    let theirs = jaq_core::funs().chain(jaq_std::base_funs());
    let offered = theirs.filter(|(name, ..)| !NOT_OFFERED.contains(name) && *name != "range");
    functions().chain(loops).chain(offered)
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
    #[error(transparent)]
    Exceeded(#[from] Exceeded),
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
        within_budget(|| self.run(input))?
    }

    fn run(&self, input: Val) -> Result<bool, RunError> {
        let supply = Cell::new(SUPPLY);
        let around = FilterContext { lut: &self.compiled.lut, supply: &supply, regexes: &self.regexes };
        let context = Ctx::<Supplied>::new(around, Vars::new([]));
        let input = Metered::new(input, INPUT_LEVELS);
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

fn run_error(exception: Exn<'_, Metered>) -> RunError {
    match exception.get_err() {
        Ok(error) => RunError::Failed(short(&error)),
        Err(_) => RunError::Stopped,
    }
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

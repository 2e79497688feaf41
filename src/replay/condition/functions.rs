//! Functions of filters that jaq has for its own values only, and mathematics.

use std::cmp::Ordering;

use jaq_core::native::{Fun, bome, run, unary, v};
use jaq_core::{Cv, Error, Exn, ValR, ValT as _, ValXs};
use jaq_json::{Val, read, write};
use jaq_std::ValT as _;

use super::cost::{equal, measure};
use super::filter::Supplied;
use super::limits::{MOST_NESTING, clean_json};
use super::meter::{draw, draw_bytes, draw_json};
use super::operations::{places, position};
use super::regexes::Wanted;
use super::value::Metered;

/// These functions.
pub(super) fn functions() -> impl Iterator<Item = Fun<Supplied>> {
    let ours: [Fun<Supplied>; 20] = [
        run(("fromjson", v(0), |cv| from_json(cv))),
        run(("tojson", v(0), |cv| bome(to_json(&cv.1)))),
        run(("length", v(0), |cv| bome(length(cv.1)))),
        run(("contains", v(1), |cv| unary(cv, |whole, part| Ok(Metered::from(contains(&whole.val, &part.val)))))),
        run(("has", v(1), |cv| unary(cv, has))),
        run(("indices", v(1), |cv| unary(cv, |whole, part| indices(&whole, &part)))),
        run(("bsearch", v(1), |cv| unary(cv, |list, wanted| search(&list, &wanted)))),
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
    ];
    ours.into_iter()
}

/// JSON in a text of the log may be nested arbitrarily deep and have numbers of any length.
fn from_json(cv: Cv<'_, Supplied>) -> ValXs<'_, Metered> {
    let wrong = |reason: &dyn std::fmt::Display| Error::str(format_args!("cannot parse it as JSON: {reason}"));
    let parsed = cv.1.try_as_utf8_bytes().and_then(|text| {
        draw_json(text.len());
        let clean = clean_json(text).map_err(|bad| wrong(&bad))?;
        let values = read::parse_many(&clean).map(|value| value.map_err(|error| wrong(&error)));
        let metered = |value: Val| {
            measure(&value);
            Metered::new(value, MOST_NESTING as u16)
        };
        values.map(|value| value.map(metered)).collect::<Result<Vec<Metered>, _>>()
    });
    match parsed {
        Ok(values) => Box::new(values.into_iter().map(Ok)),
        Err(error) => bome(Err(error)),
    }
}

fn to_json(value: &Metered) -> ValR<Metered> {
    measure(&value.val);
    let mut text = Vec::new();
    write::write(&mut text, &write::Pp::default(), 0, &value.val).map_err(Error::str)?;
    Ok(Metered::from_utf8_bytes(text))
}

/// The absolute value of a number, the size of anything else.
fn length(value: Metered) -> ValR<Metered> {
    draw(1);
    Ok(match &value.val {
        Val::Null => Metered::from(0_usize),
        Val::TStr(text) => {
            draw_bytes(text.len());
            Metered::from(String::from_utf8_lossy(text).chars().count())
        }
        Val::BStr(text) => Metered::from(text.len()),
        Val::Arr(list) => Metered::from(list.len()),
        Val::Obj(object) => Metered::from(object.len()),
        Val::Num(_) if value < Metered::from(0_usize) => return -value,
        Val::Num(_) => value,
        Val::Bool(_) => return Err(Error::str(format_args!("{value} has no length"))),
    })
}

/// Whether a text has a part, every element of a list is part of an element, every member of an object of the member
/// with its key, or else the values are equal.
fn contains(whole: &Val, part: &Val) -> bool {
    match (whole, part) {
        (Val::TStr(whole), Val::TStr(part)) | (Val::BStr(whole), Val::BStr(part)) => {
            draw_bytes(whole.len() + part.len());
            memchr::memmem::find(whole, part).is_some()
        }
        (Val::Arr(whole), Val::Arr(part)) => {
            draw(1);
            part.iter().all(|part| whole.iter().any(|whole| contains(whole, part)))
        }
        (Val::Obj(whole), Val::Obj(part)) => {
            draw(1);
            part.iter().all(|(key, part)| whole.get(key).is_some_and(|whole| contains(whole, part)))
        }
        _ => equal(whole, part),
    }
}

fn has(value: Metered, key: Metered) -> ValR<Metered> {
    measure(&key.val);
    let known = match (&value.val, &key.val) {
        (Val::Null, _) => false,
        (Val::Obj(object), key) => object.contains_key(key),
        (Val::Arr(list), Val::Num(_)) if key.is_int() => position(&key, list.len()).is_some(),
        (Val::BStr(text), Val::Num(_)) if key.is_int() => position(&key, text.len()).is_some(),
        _ => return value.index(&key).map(|_| Metered::from(true)),
    };
    Ok(Metered::from(known))
}

/// Where a part occurs: in a text in characters, in a list by position.
fn indices(whole: &Metered, part: &Metered) -> ValR<Metered> {
    match (&whole.val, &part.val) {
        (Val::TStr(text), Val::TStr(part)) => {
            draw_bytes(text.len());
            let starts = char_starts(text);
            let here = |start: &usize| {
                draw_bytes(part.len());
                !part.is_empty() && text.get(*start..*start + part.len()).is_some_and(|piece| *piece == ***part)
            };
            Ok(starts.enumerate().filter(|(_, start)| here(start)).map(|(number, _)| Metered::from(number)).collect())
        }
        (Val::Arr(list), Val::Arr(part)) => Ok(places(list, part)),
        (Val::Arr(list), part) => {
            let found = list.iter().enumerate().filter(|(_, item)| equal(item, part));
            Ok(found.map(|(number, _)| Metered::from(number)).collect())
        }
        _ => Err(Error::index(whole.clone(), part.clone())),
    }
}

/// The first byte of each character.
fn char_starts(text: &[u8]) -> impl Iterator<Item = usize> + '_ {
    (0..text.len()).filter(|at| text[*at] & 0xC0 != 0x80)
}

/// The position of a value in a sorted list, or -1 minus the position where it belongs.
fn search(list: &Metered, wanted: &Metered) -> ValR<Metered> {
    let Val::Arr(items) = &list.val else { return Err(Error::typ(list.clone(), "array")) };
    let order = |item: &Val| if equal(item, &wanted.val) { Ordering::Equal } else { item.cmp(&wanted.val) };
    let found = items.binary_search_by(order).map_or_else(|at| -1 - at as isize, |at| at as isize);
    Ok(Metered::from(found))
}

fn parts(wanted: Wanted, mut cv: Cv<'_, Supplied>) -> ValXs<'_, Metered> {
    let (flags, pattern) = (cv.0.pop_var(), cv.0.pop_var());
    let parts = cv.0.data().regexes.parts(wanted, &cv.1.val, &pattern.val, &flags.val);
    bome(Metered::result(parts, 3))
}

fn number(value: &Metered) -> Result<f64, Error<Metered>> {
    value.as_f64().ok_or_else(|| Error::typ(value.clone(), "number"))
}

fn math(cv: Cv<'_, Supplied>, function: fn(f64) -> f64) -> ValXs<'_, Metered> {
    bome(number(&cv.1).map(|value| Metered::from(function(value))))
}

fn power(mut cv: Cv<'_, Supplied>) -> ValXs<'_, Metered> {
    let (exponent, base) = (cv.0.pop_var(), cv.0.pop_var());
    bome(number(&base).and_then(|base| Ok(Metered::from(base.powf(number(&exponent)?)))))
}

/// The numbers from one to another.
pub(super) fn range(mut cv: Cv<'_, Supplied>) -> ValXs<'_, Metered> {
    let (by, to, from) = (cv.0.pop_var(), cv.0.pop_var(), cv.0.pop_var());
    let supply = cv.0.data().supply;
    let zero = Metered::from(0_isize);
    let mut next = Some(from);
    Box::new(std::iter::from_fn(move || {
        let here = next.take()?;
        let goes_on = match by.cmp(&zero) {
            Ordering::Greater => here < to,
            Ordering::Less => here > to,
            Ordering::Equal => here != to,
        };
        if !goes_on {
            return None;
        }
        let step = super::filter::take_round(supply).and_then(|()| here.clone() + by.clone());
        match step {
            Ok(following) => {
                next = Some(following);
                Some(Ok(here))
            }
            Err(error) => Some(Err(Exn::from(error))),
        }
    }))
}

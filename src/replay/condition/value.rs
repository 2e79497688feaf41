//! The values of filters: those of jaq, whose operations draw from the budget of the run.

use std::cmp::Ordering;
use std::fmt::{self, Write as _};
use std::ops::{Add, Div, Mul, Neg, Rem, Sub};
use std::sync::Arc;

use jaq_core::{Error, ValR, ValT as _, val};
use jaq_json::{Map, Num, Val};

use super::cost::{equal, measure};
use super::meter::{Exceeded, MOST_KEYS, MOST_LEVELS, draw, draw_bytes, draw_items, leave};

/// Whole numbers with more digits are not calculated, and read as floating-point numbers: arithmetic, parsing and
/// printing of whole numbers take time that is quadratic in their digits.
pub(super) const MOST_DIGITS: usize = 400;
/// The bits of a number with that many digits.
const MOST_BITS: u64 = 1_329;
/// How many characters of a value an error message shows.
const SHOWN_CHARACTERS: usize = 200;

/// A value of a filter.
pub(super) struct Metered {
    pub(super) val: Val,
    /// At least as many levels as are nested in it.
    pub(super) levels: u16,
    /// How many keys were followed to get to it.
    pub(super) keys: u16,
}

/// A number of a filter's text or of JSON.
pub(super) fn number(digits: &str) -> Val {
    if digits.len() > MOST_DIGITS {
        return Val::Num(Num::from_dec_str(digits));
    }
    Val::from_num(digits).unwrap_or_default()
}

impl Metered {
    /// A value with at most this many nested levels.
    pub(super) fn new(val: Val, levels: u16) -> Self {
        let levels = if matches!(val, Val::Arr(_) | Val::Obj(_)) { levels } else { 0 };
        if levels > MOST_LEVELS {
            leave(Exceeded::Levels);
        }
        Metered { val, levels, keys: 0 }
    }

    /// A part of a value with these levels, found after these keys.
    pub(super) fn child(val: Val, levels: u16, keys: u16) -> Self {
        if keys >= MOST_KEYS {
            leave(Exceeded::Keys);
        }
        Metered { keys: keys + 1, ..Metered::new(val, levels.saturating_sub(1)) }
    }

    /// A result of jaq with at most this many nested levels.
    pub(super) fn result(result: Result<Val, Error<Val>>, levels: u16) -> ValR<Self> {
        match result {
            Ok(Val::Num(Num::BigInt(whole))) if whole.bits() > MOST_BITS => {
                Err(Error::str(format_args!("a whole number has more than {MOST_DIGITS} digits")))
            }
            Ok(val) => Ok(Metered::new(val, levels)),
            Err(error) => Err(Error::str(short(&error))),
        }
    }

    fn both(&self, other: &Self) -> u16 {
        self.levels.max(other.levels)
    }
}

/// The start of a text: values in messages may be large, and their text larger by any factor.
pub(super) fn short(text: &dyn fmt::Display) -> String {
    struct Start(String, usize);
    impl fmt::Write for Start {
        fn write_str(&mut self, piece: &str) -> fmt::Result {
            for character in piece.chars() {
                if self.1 == 0 {
                    self.0.push('…');
                    return Err(fmt::Error);
                }
                self.1 -= 1;
                self.0.push(character);
            }
            Ok(())
        }
    }
    let mut start = Start(String::new(), SHOWN_CHARACTERS);
    // An error means that the text is longer.
    let _ = write!(start, "{text}");
    start.0
}

impl Clone for Metered {
    fn clone(&self) -> Self {
        draw(1);
        Metered { val: self.val.clone(), levels: self.levels, keys: self.keys }
    }
}

impl fmt::Display for Metered {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        draw(1);
        out.write_str(&short(&self.val))
    }
}

impl PartialEq for Metered {
    fn eq(&self, other: &Self) -> bool {
        equal(&self.val, &other.val)
    }
}

impl Eq for Metered {}

impl PartialOrd for Metered {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Metered {
    fn cmp(&self, other: &Self) -> Ordering {
        if equal(&self.val, &other.val) { Ordering::Equal } else { self.val.cmp(&other.val) }
    }
}

impl From<bool> for Metered {
    fn from(yes: bool) -> Self {
        draw(1);
        Metered::new(Val::from(yes), 0)
    }
}

impl From<isize> for Metered {
    fn from(whole: isize) -> Self {
        draw(1);
        Metered::new(Val::from(whole), 0)
    }
}

impl From<usize> for Metered {
    fn from(whole: usize) -> Self {
        draw(1);
        Metered::new(Val::from(whole), 0)
    }
}

impl From<f64> for Metered {
    fn from(number: f64) -> Self {
        draw(1);
        Metered::new(Val::from(number), 0)
    }
}

impl From<String> for Metered {
    fn from(text: String) -> Self {
        draw_bytes(text.len());
        Metered::new(Val::from(text), 0)
    }
}

impl From<val::Range<Metered>> for Metered {
    fn from(range: val::Range<Metered>) -> Self {
        draw(2);
        let levels = [&range.start, &range.end].into_iter().flatten().map(|bound| bound.levels).max().unwrap_or(0);
        let range = range.start.map(|start| start.val)..range.end.map(|end| end.val);
        Metered::new(Val::from(range), levels + 1)
    }
}

impl FromIterator<Metered> for Metered {
    fn from_iter<I: IntoIterator<Item = Metered>>(items: I) -> Self {
        let mut levels = 0;
        let taken = items.into_iter().map(|item| {
            draw(1);
            levels = levels.max(item.levels);
            item.val
        });
        let list = taken.collect();
        Metered::new(list, levels + 1)
    }
}

/// How many elements an operation copies that changes a list, if another value shares it.
pub(super) fn copied(list: &Arc<Vec<Val>>) -> usize {
    if Arc::strong_count(list) > 1 { list.len() } else { 0 }
}

/// The same for the members of an object.
pub(super) fn copied_members(members: &Arc<Map>) -> usize {
    if Arc::strong_count(members) > 1 { members.len() } else { 0 }
}

impl Add for Metered {
    type Output = ValR<Self>;

    fn add(self, other: Self) -> ValR<Self> {
        match (&self.val, &other.val) {
            (Val::TStr(one), Val::TStr(two)) | (Val::BStr(one), Val::BStr(two)) => {
                draw_bytes(two.len() + if one.is_unique() { 0 } else { one.len() });
            }
            (Val::Arr(one), Val::Arr(two)) => draw_items(two.len() + copied(one)),
            (Val::Obj(one), Val::Obj(two)) => draw_items(two.len() + copied_members(one)),
            _ => draw(1),
        }
        let levels = self.both(&other);
        Metered::result(self.val + other.val, levels)
    }
}

impl Sub for Metered {
    type Output = ValR<Self>;

    fn sub(self, other: Self) -> ValR<Self> {
        draw(1);
        if let (Val::Arr(one), Val::Arr(two)) = (&self.val, &other.val) {
            // Every element is compared with some elements of a sorted set.
            let rounds = 1 + two.len().checked_ilog2().unwrap_or(0);
            (0..rounds).for_each(|_| one.iter().chain(two.iter()).for_each(measure));
        }
        let levels = self.both(&other);
        Metered::result(self.val - other.val, levels)
    }
}

impl Mul for Metered {
    type Output = ValR<Self>;

    fn mul(self, other: Self) -> ValR<Self> {
        draw(1);
        match (&self.val, &other.val) {
            (Val::TStr(text) | Val::BStr(text), Val::Num(times))
            | (Val::Num(times), Val::TStr(text) | Val::BStr(text)) => {
                let times = match times {
                    Num::Int(times) => usize::try_from(*times).unwrap_or(0),
                    Num::BigInt(_) => usize::MAX,
                    _ => 0,
                };
                draw_bytes(text.len().saturating_mul(times));
            }
            (Val::Obj(_), Val::Obj(_)) => [&self.val, &other.val].into_iter().for_each(measure),
            _ => {}
        }
        let levels = self.both(&other);
        Metered::result(self.val * other.val, levels)
    }
}

impl Div for Metered {
    type Output = ValR<Self>;

    fn div(self, other: Self) -> ValR<Self> {
        draw(1);
        if let (Val::TStr(text), Val::TStr(by)) | (Val::BStr(text), Val::BStr(by)) = (&self.val, &other.val) {
            draw_bytes(text.len());
            let pieces = if by.is_empty() { text.len() } else { memchr::memmem::find_iter(text, &**by).count() };
            draw_items(pieces);
        }
        Metered::result(self.val / other.val, 1)
    }
}

impl Rem for Metered {
    type Output = ValR<Self>;

    fn rem(self, other: Self) -> ValR<Self> {
        draw(1);
        Metered::result(self.val % other.val, 0)
    }
}

impl Neg for Metered {
    type Output = ValR<Self>;

    fn neg(self) -> ValR<Self> {
        draw(1);
        Metered::result(-self.val, 0)
    }
}

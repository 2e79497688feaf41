//! Operations of jq filters on values (building, indexing, slicing, iterating, updating), each drawing its cost from
//! the budget.

use std::sync::Arc;

use jaq_core::box_iter::{BoxIter, box_once};
use jaq_core::path::Opt;
use jaq_core::val::Range;
use jaq_core::{Error, Exn, ValR, ValT, ValX};
use jaq_json::{Map, Val};

use super::cost::{equal, measure};
use super::meter::{draw, draw_bytes, draw_items};
use super::value::{Metered, copied, copied_members, number};

const ITERABLE: &str = "iterable (array or object)";

/// The elements of a list. A shared list is not copied.
fn elements(list: Arc<Vec<Val>>) -> Box<dyn Iterator<Item = Val>> {
    match Arc::try_unwrap(list) {
        Ok(own) => Box::new(own.into_iter()),
        Err(shared) => {
            let mut next = 0;
            Box::new(std::iter::from_fn(move || {
                next += 1;
                shared.get(next - 1).cloned()
            }))
        }
    }
}

/// The members of an object. A shared object is not copied.
fn members(object: Arc<Map>) -> Box<dyn Iterator<Item = (Val, Val)>> {
    match Arc::try_unwrap(object) {
        Ok(own) => Box::new(own.into_iter()),
        Err(shared) => {
            let mut next = 0;
            Box::new(std::iter::from_fn(move || {
                next += 1;
                shared.get_index(next - 1).map(|(key, member)| (key.clone(), member.clone()))
            }))
        }
    }
}

/// The keys of objects are texts, as in JSON. Others, such as NaN, make objects slow.
fn check_key(key: &Metered) -> ValR<(), Metered> {
    match &key.val {
        Val::TStr(text) => {
            draw_bytes(text.len());
            Ok(())
        }
        _ => Err(Error::typ(key.clone(), "key of an object")),
    }
}

/// Where a list occurs in another.
pub(super) fn places(list: &[Val], wanted: &[Val]) -> Metered {
    let here = |window: &[Val]| window.iter().zip(wanted).all(|(one, two)| equal(one, two));
    let found = (0..list.len()).filter(|at| {
        draw(1);
        !wanted.is_empty() && list.get(*at..*at + wanted.len()).is_some_and(here)
    });
    found.map(Metered::from).collect()
}

/// Draws for finding a slice.
fn draw_slice(val: &Val) {
    match val {
        Val::TStr(text) => draw_bytes(text.len()),
        Val::Arr(items) => draw_items(items.len() / 4),
        _ => draw(1),
    }
}

/// The bounds of a slice in an object, as in `.[{"start": 1}]`.
fn bounds(object: &Map) -> (Option<Metered>, Option<Metered>) {
    let bound = |name: &str| object.get(&Val::from(name.to_owned())).map(|val| Metered::new(val.clone(), 1));
    (bound("start"), bound("end"))
}

fn is_sliceable(val: &Val) -> bool {
    matches!(val, Val::TStr(_) | Val::BStr(_) | Val::Arr(_))
}

fn length(val: &Val) -> usize {
    match val {
        Val::TStr(text) | Val::BStr(text) => text.len(),
        Val::Arr(items) => items.len(),
        _ => 0,
    }
}

/// The first output, with the levels around it.
fn first<'a, I: Iterator<Item = ValX<'a, Metered>>>(mut outputs: I) -> Result<Option<Metered>, Exn<'a, Metered>> {
    draw(1);
    outputs.next().transpose()
}

impl ValT for Metered {
    fn from_num(digits: &str) -> ValR<Self> {
        draw(1);
        Ok(Metered::new(number(digits), 0))
    }

    fn from_map<I: IntoIterator<Item = (Self, Self)>>(pairs: I) -> ValR<Self> {
        draw(1);
        let (mut object, mut levels) = (Map::default(), 0);
        for (key, member) in pairs {
            check_key(&key)?;
            levels = levels.max(member.levels);
            object.insert(key.val, member.val);
        }
        Ok(Metered::new(Val::obj(object), levels + 1))
    }

    fn key_values(self) -> BoxIter<'static, ValR<(Self, Self), Self>> {
        draw(1);
        let (levels, keys) = (self.levels, self.keys);
        let pair = move |key: Val, part: Val| {
            draw(1);
            Ok((Metered::new(key, 0), Metered::child(part, levels, keys)))
        };
        match self.val {
            Val::Arr(list) => {
                Box::new(elements(list).enumerate().map(move |(number, part)| pair(Val::from(number), part)))
            }
            Val::Obj(object) => Box::new(members(object).map(move |(key, part)| pair(key, part))),
            val => box_once(Err(Error::typ(Metered::new(val, levels), ITERABLE))),
        }
    }

    fn values(self) -> Box<dyn Iterator<Item = ValR<Self>>> {
        draw(1);
        let (levels, keys) = (self.levels, self.keys);
        let part = move |part: Val| {
            draw(1);
            Ok(Metered::child(part, levels, keys))
        };
        match self.val {
            Val::Arr(list) => Box::new(elements(list).map(part)),
            Val::Obj(object) => Box::new(members(object).map(move |(_, member)| part(member))),
            val => box_once(Err(Error::typ(Metered::new(val, levels), ITERABLE))),
        }
    }

    fn index(self, index: &Self) -> ValR<Self> {
        match (&self.val, &index.val) {
            (Val::Arr(list), Val::Arr(wanted)) => return Ok(places(list, wanted)),
            (Val::Obj(_), Val::TStr(key)) => draw_bytes(key.len()),
            (Val::Obj(_), _) => measure(&index.val),
            (val, Val::Obj(object)) if is_sliceable(val) => {
                let (start, end) = bounds(object);
                return self.range(start.as_ref()..end.as_ref());
            }
            _ => draw(1),
        }
        let found = Metered::result(self.val.index(&index.val), self.levels)?;
        Ok(Metered::child(found.val, self.levels, self.keys))
    }

    fn range(self, range: Range<&Self>) -> ValR<Self> {
        draw_slice(&self.val);
        let range = range.start.map(|start| &start.val)..range.end.map(|end| &end.val);
        let slice = Metered::result(self.val.range(range), self.levels)?;
        Ok(Metered::child(slice.val, self.levels.saturating_add(1), self.keys))
    }

    fn map_values<'a, I: Iterator<Item = ValX<'a, Self>>>(self, opt: Opt, f: impl Fn(Self) -> I) -> ValX<'a, Self> {
        draw(1);
        let (levels, keys) = (self.levels, self.keys);
        let mut deepest = 0;
        match self.val {
            Val::Arr(list) => {
                let mut made = Vec::new();
                for part in elements(list) {
                    for output in f(Metered::child(part, levels, keys)) {
                        let output = output?;
                        draw(1);
                        deepest = deepest.max(output.levels);
                        made.push(output.val);
                    }
                }
                Ok(Metered::new(Val::Arr(Arc::new(made)), deepest + 1))
            }
            Val::Obj(object) => {
                let mut made = Map::default();
                for (key, part) in members(object) {
                    if let Some(output) = first(f(Metered::child(part, levels, keys)))? {
                        deepest = deepest.max(output.levels);
                        made.insert(key, output.val);
                    }
                }
                Ok(Metered::new(Val::obj(made), deepest + 1))
            }
            val => opt.fail(Metered::new(val, levels), |value| Exn::from(Error::typ(value, ITERABLE))),
        }
    }

    fn map_index<'a, I: Iterator<Item = ValX<'a, Self>>>(
        self,
        index: &Self,
        opt: Opt,
        f: impl Fn(Self) -> I,
    ) -> ValX<'a, Self> {
        draw(1);
        let (levels, keys) = (self.levels, self.keys);
        let deeper = |output: &Metered| levels.max(output.levels + 1);
        match (self.val, &index.val) {
            (val, Val::Obj(object)) if is_sliceable(&val) => {
                let (start, end) = bounds(object);
                Metered { val, levels, keys }.map_range(start.as_ref()..end.as_ref(), opt, f)
            }
            (Val::Obj(mut object), key) => {
                check_key(index)?;
                draw_items(copied_members(&object));
                let object_mut = Arc::make_mut(&mut object);
                let part = object_mut.get_mut(key).map(std::mem::take).unwrap_or_default();
                let mut levels = levels;
                match first(f(Metered::child(part, levels, keys)))? {
                    Some(output) => {
                        levels = deeper(&output);
                        object_mut.insert(key.clone(), output.val);
                    }
                    None => _ = object_mut.swap_remove(key),
                }
                Ok(Metered::new(Val::Obj(object), levels))
            }
            (Val::Arr(mut list), _) => {
                let Some(at) = position(index, list.len()) else {
                    let list = Metered::new(Val::Arr(list), levels);
                    return opt.fail(list, |_| Exn::from(Error::str(format_args!("index {index} out of bounds"))));
                };
                draw_items(copied(&list));
                let list_mut = Arc::make_mut(&mut list);
                let part = std::mem::take(&mut list_mut[at]);
                let mut levels = levels;
                match first(f(Metered::child(part, levels, keys)))? {
                    Some(output) => {
                        levels = deeper(&output);
                        list_mut[at] = output.val;
                    }
                    None => {
                        draw_bytes(list_mut.len());
                        list_mut.remove(at);
                    }
                }
                Ok(Metered::new(Val::Arr(list), levels))
            }
            (val, _) => opt.fail(Metered::new(val, levels), |value| Exn::from(Error::typ(value, ITERABLE))),
        }
    }

    fn map_range<'a, I: Iterator<Item = ValX<'a, Self>>>(
        self,
        range: Range<&Self>,
        opt: Opt,
        f: impl Fn(Self) -> I,
    ) -> ValX<'a, Self> {
        if !is_sliceable(&self.val) {
            return opt.fail(self, |value| Exn::from(Error::typ(value, "array")));
        }
        let slice = match self.clone().range(range.clone()) {
            Ok(slice) => slice,
            Err(error) => return opt.fail(self, |_| Exn::from(error)),
        };
        // What is before the slice and after it stays.
        let before = match range.start {
            Some(start) if !matches!(start.val, Val::Null) => self.clone().range(None..Some(start))?,
            _ => self.clone().range(None..Some(&Metered::from(0_usize)))?,
        };
        let end = length(&before.val) + length(&slice.val);
        let after = match &self.val {
            Val::TStr(text) => Val::utf8_str(text.slice(end..)),
            Val::BStr(text) => Val::byte_str(text.slice(end..)),
            Val::Arr(items) => items[end..].iter().cloned().collect(),
            _ => Val::Null,
        };
        let levels = self.levels;
        let made = match first(f(slice))? {
            None => before + Metered::new(after, levels),
            Some(output) if std::mem::discriminant(&output.val) == std::mem::discriminant(&self.val) => {
                (before + output).and_then(|start| start + Metered::new(after, levels))
            }
            Some(output) => Err(Error::typ(output, if matches!(self.val, Val::Arr(_)) { "array" } else { "string" })),
        };
        made.map_err(Exn::from)
    }

    fn as_bool(&self) -> bool {
        self.val.as_bool()
    }

    fn into_string(self) -> Self {
        measure(&self.val);
        Metered::new(self.val.into_string(), 0)
    }
}

/// The position of an index in a list; negative ones count from the end.
pub(super) fn position(index: &Metered, length: usize) -> Option<usize> {
    let Val::Num(number) = &index.val else { return None };
    let at = number.as_isize()?;
    let at = if at < 0 { length.checked_sub(at.unsigned_abs())? } else { at.unsigned_abs() };
    (at < length).then_some(at)
}

impl jaq_std::ValT for Metered {
    fn into_seq<S: FromIterator<Self>>(self) -> Result<S, Self> {
        let (levels, keys) = (self.levels, self.keys);
        match self.val {
            Val::Arr(list) => {
                draw_items(list.len());
                Ok(elements(list).map(|part| Metered::child(part, levels, keys)).collect())
            }
            val => Err(Metered { val, levels, keys }),
        }
    }

    fn is_int(&self) -> bool {
        self.val.is_int()
    }

    fn as_isize(&self) -> Option<isize> {
        self.val.as_isize()
    }

    fn as_f64(&self) -> Option<f64> {
        draw(1);
        self.val.as_f64()
    }

    fn is_utf8_str(&self) -> bool {
        self.val.is_utf8_str()
    }

    fn as_bytes(&self) -> Option<&[u8]> {
        let bytes = self.val.as_bytes();
        draw_bytes(bytes.map_or(0, <[u8]>::len));
        bytes
    }

    fn as_sub_str(&self, sub: &[u8]) -> Self {
        draw(1);
        Metered::new(self.val.as_sub_str(sub), 0)
    }

    fn from_utf8_bytes(bytes: impl AsRef<[u8]> + Send + 'static) -> Self {
        draw_bytes(bytes.as_ref().len());
        Metered::new(Val::from_utf8_bytes(bytes), 0)
    }
}

//! Evaluating native tests.

use jaq_core::ValT as _;
use jaq_core::ops::{Cmp, Math};
use jaq_json::{Num, Val};

use super::Native;
use super::event_value::{EventText, Stop, parsed, plain_text, text_of};

/// A state of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Side {
    Before,
    After,
}

/// The parts of an input, built when they are asked for.
pub(in super::super) trait InputParts {
    fn seq(&self) -> Val;

    /// `None` if its text cannot be used; `Some(None)` if the record is not an event.
    fn event(&self) -> Option<Option<EventText<'_>>>;

    /// A field of a state; null if there is no such field.
    fn field(&self, side: Side, name: &str) -> Val;

    fn effects(&self) -> Val;

    fn findings(&self) -> Val;
}

/// A value during an evaluation.
enum Value<'v> {
    /// The input of the filter.
    Input,
    State(Side),
    /// A part of the event that was not read yet.
    Json(&'v str),
    Val(Val),
}

type Output<'v> = Result<Value<'v>, Stop>;

impl Native {
    /// Whether the filter holds. `None` if it must be run.
    pub(in super::super) fn holds(&self, input: &dyn InputParts) -> Option<bool> {
        let mut event = None;
        if self.reads_event() {
            event = input.event()?;
        }
        Run { input, event }.any(self, &Value::Input).ok()
    }

    /// Whether the text of the event may be needed.
    fn reads_event(&self) -> bool {
        match self {
            Native::Member { of, key, .. } => key == "event" || of.reads_event(),
            Native::Each(of) | Native::Select(of) => of.reads_event(),
            Native::Pipe(one, two)
            | Native::And(one, two)
            | Native::Or(one, two)
            | Native::Alternative(one, two)
            | Native::Compare(one, _, two)
            | Native::Calculate(one, _, two)
            | Native::Quantified(_, one, two) => one.reads_event() || two.reads_event(),
            _ => false,
        }
    }
}

/// The evaluation at one event.
struct Run<'v> {
    input: &'v dyn InputParts,
    event: Option<EventText<'v>>,
}

impl<'v> Run<'v> {
    /// Whether any output is true.
    fn any(&self, native: &Native, value: &Value<'v>) -> Result<bool, Stop> {
        let mut holds = false;
        self.each(native, value, &mut |output| {
            holds = truth(&output);
            Ok(holds)
        })?;
        Ok(holds)
    }

    /// Calls `see` with each output until it returns true. Returns whether it did.
    fn each(
        &self,
        native: &Native,
        value: &Value<'v>,
        see: &mut dyn FnMut(Value<'v>) -> Result<bool, Stop>,
    ) -> Result<bool, Stop> {
        match native {
            Native::Pipe(left, right) => self.each(left, value, &mut |output| self.each(right, &output, see)),
            Native::Member { of, key, is_optional } if !of.is_single() => {
                self.each(of, value, &mut |output| match self.member(&output, key, *is_optional) {
                    Ok(member) => see(member),
                    Err(Stop::Empty) => Ok(false),
                    Err(Stop::Unsure) => Err(Stop::Unsure),
                })
            }
            Native::Each(of) => self.each(of, value, &mut |list| {
                for item in self.items(&list)? {
                    if see(item)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }),
            _ => match self.one(native, value) {
                Ok(output) => see(output),
                Err(Stop::Empty) => Ok(false),
                Err(Stop::Unsure) => Err(Stop::Unsure),
            },
        }
    }

    /// The only output.
    fn one(&self, native: &Native, value: &Value<'v>) -> Output<'v> {
        let bool = |yes: bool| Ok(Value::Val(Val::Bool(yes)));
        match native {
            Native::Itself => Ok(copy(value)),
            Native::Literal(literal) => Ok(Value::Val(literal.clone())),
            Native::Member { of, key, is_optional } => self.member(&self.one(of, value)?, key, *is_optional),
            Native::Each(_) => Err(Stop::Unsure),
            Native::Pipe(left, right) => self.one(right, &self.one(left, value)?),
            Native::Not => bool(!truth(value)),
            Native::Length => self.length(value),
            Native::And(one, two) => bool(truth(&self.one(one, value)?) && truth(&self.one(two, value)?)),
            Native::Or(one, two) => bool(truth(&self.one(one, value)?) || truth(&self.one(two, value)?)),
            Native::Alternative(one, two) => match self.one(one, value) {
                Ok(output) if truth(&output) => Ok(output),
                Ok(_) | Err(Stop::Empty) => self.one(two, value),
                Err(Stop::Unsure) => Err(Stop::Unsure),
            },
            Native::Compare(one, cmp, two) => bool(compare(&self.one(one, value)?, *cmp, &self.one(two, value)?)?),
            Native::Calculate(one, math, two) => {
                calculate(val(self.one(one, value)?)?, *math, val(self.one(two, value)?)?)
            }
            Native::Select(test) => {
                if truth(&self.one(test, value)?) {
                    Ok(copy(value))
                } else {
                    Err(Stop::Empty)
                }
            }
            Native::Quantified(wanted, items, test) => {
                let decides = self.each(items, value, &mut |item| match self.one(test, &item) {
                    Ok(output) => Ok(truth(&output) == *wanted),
                    Err(Stop::Empty) => Ok(false),
                    Err(Stop::Unsure) => Err(Stop::Unsure),
                })?;
                bool(decides == *wanted)
            }
            Native::Has(key) => bool(self.has(value, key)?),
            Native::StartsWith(start) => bool(with_text(value, |text| text.starts_with(start))?),
            Native::EndsWith(end) => bool(with_text(value, |text| text.ends_with(end))?),
            Native::Contains(part) => bool(with_text(value, |text| memchr::memmem::find(text, part).is_some())?),
            Native::Matches(pattern) => bool(with_text(value, |text| pattern.is_match(text))?),
        }
    }

    fn member(&self, of: &Value<'v>, key: &str, is_optional: bool) -> Output<'v> {
        let none = || if is_optional { Err(Stop::Empty) } else { Err(Stop::Unsure) };
        match of {
            Value::Input => Ok(match key {
                "seq" => Value::Val(self.input.seq()),
                "event" => self.event.map_or(Value::Val(Val::Null), |event| Value::Json(event.text)),
                "before" => Value::State(Side::Before),
                "after" => Value::State(Side::After),
                "effects" => Value::Val(self.input.effects()),
                "findings" => Value::Val(self.input.findings()),
                _ => Value::Val(Val::Null),
            }),
            Value::State(side) => Ok(Value::Val(self.input.field(*side, key))),
            Value::Json(json) => match (json.as_bytes().first(), &self.event) {
                (Some(b'{'), Some(event)) => Ok(event.member(json, key)?.map_or(Value::Val(Val::Null), Value::Json)),
                (Some(b'n'), _) => Ok(Value::Val(Val::Null)),
                _ => none(),
            },
            Value::Val(Val::Null) => Ok(Value::Val(Val::Null)),
            Value::Val(Val::Obj(members)) => {
                let member = members.get(&Val::from(key.to_owned()));
                Ok(Value::Val(member.cloned().unwrap_or_default()))
            }
            Value::Val(_) => none(),
        }
    }

    fn items(&self, list: &Value<'v>) -> Result<Vec<Value<'v>>, Stop> {
        match (list, &self.event) {
            (Value::Json(json), Some(event)) if json.starts_with('[') => {
                Ok(event.items(json).ok_or(Stop::Unsure)?.into_iter().map(Value::Json).collect())
            }
            (Value::Val(Val::Arr(items)), _) => Ok(items.iter().cloned().map(Value::Val).collect()),
            _ => Err(Stop::Unsure),
        }
    }

    fn length(&self, value: &Value<'v>) -> Output<'v> {
        let length = match (value, &self.event) {
            (Value::Json(json), Some(event)) if json.starts_with('[') => event.items(json).ok_or(Stop::Unsure)?.len(),
            (Value::Json(json), _) if json.starts_with(['"', 'n']) => match plain_text(json) {
                Some(text) => characters(text),
                None => length_of(&parsed(json)?)?,
            },
            (Value::Val(value), _) => length_of(value)?,
            _ => return Err(Stop::Unsure),
        };
        Ok(Value::Val(Val::from(length)))
    }

    fn has(&self, value: &Value<'v>, key: &str) -> Result<bool, Stop> {
        match (value, &self.event) {
            (Value::Json(json), Some(event)) if json.starts_with('{') => Ok(event.member(json, key)?.is_some()),
            (Value::Val(Val::Null), _) => Ok(false),
            (Value::Val(Val::Obj(members)), _) => Ok(members.contains_key(&Val::from(key.to_owned()))),
            _ => Err(Stop::Unsure),
        }
    }
}

fn copy<'v>(value: &Value<'v>) -> Value<'v> {
    match value {
        Value::Input => Value::Input,
        Value::State(side) => Value::State(*side),
        Value::Json(json) => Value::Json(json),
        Value::Val(value) => Value::Val(value.clone()),
    }
}

fn truth(value: &Value<'_>) -> bool {
    match value {
        Value::Input | Value::State(_) => true,
        Value::Json(json) => !matches!(*json, "null" | "false"),
        Value::Val(value) => value.as_bool(),
    }
}

fn val(value: Value<'_>) -> Result<Val, Stop> {
    match value {
        Value::Json(json) => parsed(json),
        Value::Val(value) => Ok(value),
        Value::Input | Value::State(_) => Err(Stop::Unsure),
    }
}

fn compare(one: &Value<'_>, cmp: Cmp, two: &Value<'_>) -> Result<bool, Stop> {
    if let (Some(one), Some(two)) = (borrowed_text(one), borrowed_text(two)) {
        return Ok(cmp.run(&one, &two));
    }
    let (one, two) = (val(copy(one))?, val(copy(two))?);
    // Comparing nested values takes as long as they are.
    let is_nested = |value: &Val| matches!(value, Val::Obj(members) if !members.is_empty());
    if is_nested(&one) || is_nested(&two) {
        return Err(Stop::Unsure);
    }
    Ok(cmp.run(&one, &two))
}

fn borrowed_text<'b>(value: &'b Value<'_>) -> Option<&'b [u8]> {
    match value {
        Value::Json(json) => plain_text(json),
        Value::Val(value) => text_of(value),
        _ => None,
    }
}

/// Only small numbers: everything else may fail or be costly.
fn calculate(one: Val, math: Math, two: Val) -> Output<'static> {
    let is_small = |value: &Val| matches!(value, Val::Num(Num::Int(_) | Num::Float(_)));
    if !is_small(&one) || !is_small(&two) {
        return Err(Stop::Unsure);
    }
    math.run(one, two).map(Value::Val).map_err(|_| Stop::Unsure)
}

fn length_of(value: &Val) -> Result<usize, Stop> {
    match value {
        Val::Null => Ok(0),
        Val::TStr(_) => text_of(value).map(characters).ok_or(Stop::Unsure),
        Val::Arr(list) => Ok(list.len()),
        Val::Obj(members) => Ok(members.len()),
        _ => Err(Stop::Unsure),
    }
}

fn characters(text: &[u8]) -> usize {
    String::from_utf8_lossy(text).chars().count()
}

fn with_text(value: &Value<'_>, test: impl Fn(&[u8]) -> bool) -> Result<bool, Stop> {
    if let Some(text) = borrowed_text(value) {
        return Ok(test(text));
    }
    match value {
        Value::Json(json) if json.starts_with('"') => text_of(&parsed(json)?).map(test).ok_or(Stop::Unsure),
        _ => Err(Stop::Unsure),
    }
}

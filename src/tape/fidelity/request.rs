//! Explains why the requests of two model calls differ: the first field that does.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::super::event::Record;
use super::super::kind::{Kind, LlmCall};
use super::super::payload::Payload;
use super::{Bodies, Found, TapeWithBodies};

/// Longer values are cut.
const SHOWN_CHARACTERS: usize = 400;

/// Adds an explanation to each divergence of a request.
pub(super) fn explain(divergences: &mut [Found<'_>], recorded: TapeWithBodies<'_>, replay: TapeWithBodies<'_>) {
    for found in divergences {
        let Some(record) = found.call else { continue };
        let Some(number) = calls(&recorded).position(|(call, _)| std::ptr::eq(call, record)) else { continue };
        let (Some((_, one)), two) = (calls(&recorded).nth(number), calls(&replay).nth(number)) else { continue };
        let detail = match two {
            None => Cow::Borrowed("the replay made no call at this position"),
            Some((_, two)) => difference(surface(one, recorded.bodies), surface(two, replay.bodies)),
        };
        found.divergence.message.push_str("; ");
        found.divergence.message.push_str(&detail);
    }
}

fn calls<'t>(side: &TapeWithBodies<'t>) -> impl Iterator<Item = (&'t Record, &'t LlmCall)> {
    side.tape.records.iter().filter_map(|record| match &record.kind {
        Kind::LlmCall(call) => Some((record, call)),
        _ => None,
    })
}

/// The fields of the request as it was sent, including its messages.
fn surface(call: &LlmCall, bodies: &Bodies<'_>) -> Option<Map<String, Value>> {
    let value = |payload: &Payload| -> Option<Value> {
        match payload.text() {
            Some(text) => serde_json::from_str(text).ok(),
            None => serde_json::from_slice(&bodies(payload)?).ok(),
        }
    };
    let Value::Object(mut fields) = value(call.request.as_ref()?)? else { return None };
    let messages: Option<Vec<Value>> = call.messages.iter().map(value).collect();
    fields.insert("messages".to_owned(), Value::Array(messages?));
    Some(fields)
}

fn difference(recorded: Option<Map<String, Value>>, replay: Option<Map<String, Value>>) -> Cow<'static, str> {
    let Some(one) = recorded else { return "the recorded tape kept no request body to compare".into() };
    let Some(two) = replay else { return "the replay kept no request body to compare".into() };
    let keys: BTreeSet<&String> = one.keys().chain(two.keys()).collect();
    for key in keys {
        let values = (one.get(key), two.get(key));
        if values.0 == values.1 {
            continue;
        }
        if let (Some(Value::Array(one)), Some(Value::Array(two))) = values {
            let at = (0..one.len().max(two.len())).find(|at| one.get(*at) != two.get(*at)).unwrap_or_default();
            let (one, two) = (shown(one.get(at)), shown(two.get(at)));
            return format!("{key}[{at}] differs: recorded {one} vs replayed {two}").into();
        }
        return format!("`{key}` differs: recorded {} vs replayed {}", shown(values.0), shown(values.1)).into();
    }
    "the digests differ but the surfaces match".into()
}

fn shown(value: Option<&Value>) -> String {
    let Some(value) = value else { return "<absent>".to_owned() };
    let text = value.to_string();
    if text.chars().count() <= SHOWN_CHARACTERS {
        return text;
    }
    text.chars().take(SHOWN_CHARACTERS - 1).chain(['…']).collect()
}

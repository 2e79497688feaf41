//! The conversation of a session, rebuilt from its events: strictly as the core does, and tolerantly for display.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::event::SessionEvent;
use super::kind::SessionKind;
use super::members::{MemberShape, Members};

/// The first message of a run: its goal and its numbered criteria.
pub(crate) fn opening(event: &SessionEvent<'_>) -> String {
    let mut text = event.members.text("goal").unwrap_or_default().get().into_owned();
    let elements = event.members.get("criteria").into_iter().flat_map(|criteria| criteria.elements());
    for (number, criterion) in elements.filter_map(|criterion| criterion.text()).enumerate() {
        text.push_str(if number == 0 { "\n\nCriteria:" } else { "" });
        text.push_str(&format!("\n{}. {criterion}", number + 1));
    }
    text
}

/// The conversation as the core rebuilds it, over events that it decodes. Archives are not loaded.
#[derive(Default)]
pub(crate) struct Transcript {
    pub messages: Vec<Value>,
}

impl Transcript {
    /// Adds an event that the core decodes.
    pub(crate) fn see(&mut self, event: &SessionEvent<'_>) {
        match event.kind {
            SessionKind::RunStarted => self.messages.push(json!({"role": "user", "content": opening(event)})),
            SessionKind::LlmCompleted => self.messages.extend(event.members.members("message").map(|own| stored(&own))),
            SessionKind::ToolCompleted => self.messages.extend(event.results().map(|result| result_message(&result))),
            SessionKind::Compressed => {
                if let (Some(summary), Some(turn)) = (event.members.text("summary"), event.turn()) {
                    let content = format!("[Compressed context: turn {turn}]\n{summary}");
                    self.messages.push(json!({"role": "system", "content": content}));
                }
            }
            SessionKind::Rollbacked => {
                let length = event.members.number("checkpoint_history_len");
                self.messages.truncate(length.map_or(usize::MAX, |length| length as usize));
            }
            _ => {}
        }
    }

    /// The calls of the last assistant message with calls that have no result after it.
    pub(crate) fn pending_calls(&self) -> Vec<&str> {
        let calls = |message: &Value| message["tool_calls"].as_array().is_some_and(|calls| !calls.is_empty());
        let is_asking = |message: &Value| message["role"] == "assistant" && calls(message);
        let Some(last) = self.messages.iter().rposition(is_asking) else { return Vec::new() };
        let later = self.messages[last + 1..].iter().filter(|message| message["role"] == "tool");
        let parts = later.flat_map(|message| message["content"].as_array().into_iter().flatten());
        let answered: HashSet<&str> =
            parts.filter(|part| part["type"] == "tool_result").filter_map(|part| part["call_id"].as_str()).collect();
        let asked = self.messages[last]["tool_calls"].as_array().into_iter().flatten();
        asked.filter_map(|call| call["id"].as_str()).filter(|id| !answered.contains(id)).collect()
    }
}

/// A message in its stored form: known members only, without those that are absent.
fn stored(message: &Members<'_>) -> Value {
    let mut stored = json!({"role": message.value("role"), "content": content(message)});
    let calls: Vec<Value> =
        message.objects("tool_calls").map(|call| only(&call, &["id", "name", "arguments"])).collect();
    if !calls.is_empty() {
        stored["tool_calls"] = json!(calls);
    }
    if let Some(tokens) = message.number("token_count") {
        stored["token_count"] = json!(tokens);
    }
    stored
}

fn content(message: &Members<'_>) -> Value {
    let Some(content) = message.get("content").filter(|content| content.shape == MemberShape::Array) else {
        return message.value("content");
    };
    let parts = content.elements().filter_map(|part| part.members());
    parts
        .map(|part| match &*part.text("type").unwrap_or_default().get() {
            "text" => only(&part, &["type", "text"]),
            "image" => present(&part, &["type", "url", "data", "media_type", "detail"]),
            "audio" => only(&part, &["type", "data", "media_type"]),
            _ => only(&part, &["type", "call_id", "output", "is_error"]),
        })
        .collect()
}

fn only(members: &Members<'_>, names: &[&str]) -> Value {
    Value::Object(names.iter().map(|name| ((*name).to_owned(), members.value(name))).collect::<Map<_, _>>())
}

fn present(members: &Members<'_>, names: &[&str]) -> Value {
    let named = names.iter().map(|name| ((*name).to_owned(), members.value(name)));
    Value::Object(named.filter(|(_, value)| !value.is_null()).collect::<Map<_, _>>())
}

fn result_message(result: &Members<'_>) -> Value {
    let mut part = only(result, &["call_id", "is_error"]);
    part["type"] = json!("tool_result");
    // Output made of parts becomes an empty text.
    part["output"] = json!(result.text("output").unwrap_or_default());
    let mut message = json!({"role": "tool", "content": [part]});
    if let Some(tokens) = result.number("token_count") {
        message["token_count"] = json!(tokens);
    }
    message
}

/// The text of a content: a string, or the texts of its parts.
pub(crate) fn text_of(members: &Members<'_>, name: &str) -> String {
    let Some(content) = members.get(name) else { return String::new() };
    if let Some(text) = content.text() {
        return text.get().into_owned();
    }
    let mut joined = String::new();
    for part in content.elements().filter_map(|part| part.members()) {
        let text = match &*part.text("type").unwrap_or_default().get() {
            "text" => part.text("text"),
            "tool_result" => part.text("output"),
            _ => None,
        };
        joined.push_str(&text.unwrap_or_default().get());
    }
    joined
}

/// The summaries that later events replaced, by the number of the compression.
#[derive(Default)]
pub(crate) struct UpgradedSummaries(HashMap<u64, String>);

impl UpgradedSummaries {
    pub(crate) fn see(&mut self, event: &SessionEvent<'_>) {
        if event.kind == SessionKind::SummaryUpgraded
            && let (Some(seq), Some(summary)) = (event.members.number("compressed_seq"), event.members.text("summary"))
        {
            self.0.insert(seq, summary.get().into_owned());
        }
    }
}

/// The conversation for display, over all events.
#[derive(Default)]
pub(crate) struct Dialog {
    pub rows: Vec<Value>,
}

impl Dialog {
    /// Adds the event of record `at`, whose wrapping may have a number.
    pub(crate) fn see(&mut self, at: u32, seq: Option<u64>, event: &SessionEvent<'_>, upgraded: &UpgradedSummaries) {
        match event.kind {
            SessionKind::RunStarted => self.rows.push(json!({"i": at, "role": "user", "text": opening(event)})),
            SessionKind::LlmCompleted => {
                let text = text_of(&event.answer(), "content");
                let calls: Vec<String> =
                    event.calls().iter().filter_map(|call| Some(call.text("id")?.get().into_owned())).collect();
                self.rows.push(json!({"i": at, "role": "assistant", "text": text, "calls": calls}));
            }
            SessionKind::ToolCompleted => self.rows.extend(event.results().map(|result| {
                json!({
                    "i": at,
                    "role": "tool",
                    "text": text_of(&result, "output"),
                    "call_id": result.text("call_id").unwrap_or_default(),
                    "is_error": result.flag("is_error") == Some(true),
                })
            })),
            SessionKind::Compressed => {
                let own = || event.members.text("summary").map(|summary| summary.get().into_owned());
                let upgrade = upgraded.0.get(&seq.unwrap_or(u64::from(at))).cloned();
                if let Some(summary) = upgrade.or_else(own) {
                    let turn = event.turn().map_or_else(|| "?".to_owned(), |turn| turn.to_string());
                    let text = format!("[Compressed context: turn {turn}]\n{summary}");
                    self.rows.push(json!({"i": at, "role": "system", "text": text}));
                }
            }
            SessionKind::Rollbacked => {
                let length = event.members.number("checkpoint_history_len");
                self.rows.truncate(length.map_or(usize::MAX, |length| usize::try_from(length).unwrap_or(usize::MAX)));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::decode::decode;
    use super::*;

    fn dialog(events: &[&str]) -> Vec<Value> {
        let events: Vec<SessionEvent<'_>> =
            events.iter().map(|event| decode(event.as_bytes()).expect("an event")).collect();
        let mut upgraded = UpgradedSummaries::default();
        events.iter().for_each(|event| upgraded.see(event));
        let mut dialog = Dialog::default();
        for (at, event) in events.iter().enumerate() {
            dialog.see(at as u32, None, event, &upgraded);
        }
        dialog.rows
    }

    #[test]
    fn criteria_are_numbered_and_upgraded_summaries_replace_others() {
        let rows = dialog(&[
            r#"{"kind":"run_started","goal":"g","criteria":["a",7,"b"]}"#,
            r#"{"kind":"compressed","summary":"old"}"#,
            r#"{"kind":"compressed","turn":2}"#,
            r#"{"kind":"summary_upgraded","compressed_seq":1,"summary":"new"}"#,
            r#"{"kind":"llm_completed","content":[{"type":"text","text":"x"},{"type":"tool_result","output":"y"},5]}"#,
        ]);
        assert_eq!(rows[0]["text"], "g\n\nCriteria:\n1. a\n2. b");
        assert_eq!(rows[1]["text"], "[Compressed context: turn ?]\nnew");
        assert_eq!((rows.len(), &rows[2]["text"], &rows[2]["calls"]), (3, &json!("xy"), &json!([])));
    }

    #[test]
    fn a_rollback_cuts_and_leaves_calls_pending() {
        let mut transcript = Transcript::default();
        for event in [
            r#"{"kind":"run_started","run_id":"r","goal":"g"}"#,
            r#"{"kind":"llm_completed","turn":1,"message":{"role":"assistant","content":"","tool_calls":[{"id":"a","name":"t","arguments":1},{"id":"b","name":"t","arguments":{}}]}}"#,
            r#"{"kind":"tool_completed","turn":1,"results":[{"call_id":"a","output":[{"type":"text","text":"x"}],"is_error":false,"token_count":3}]}"#,
        ] {
            transcript.see(&decode(event.as_bytes()).expect("an event"));
        }
        assert_eq!(transcript.pending_calls(), ["b"]);
        assert_eq!(transcript.messages[2]["content"][0]["output"], "");
        transcript.see(&decode(br#"{"kind":"rollbacked","turn":1,"checkpoint_history_len":2}"#).expect("an event"));
        assert_eq!(transcript.pending_calls(), ["a", "b"]);
    }
}

//! The skeleton of a record: everything but its texts. Shortening a record must not change it, so that what is left is
//! still a record of its program.

use std::hash::{Hash, Hasher};

use super::event::AgentEvent;
use crate::json::raw::RawJson;

/// Members whose values may be shortened. Lists of blocks keep their blocks.
const FREE: [&str; 30] = [
    // Claude Code
    "text",
    "thinking",
    "signature",
    "input",
    "toolUseResult",
    "snapshot",
    "prompt",
    "rendered",
    "systemPrompt",
    "tools",
    "summary",
    "lastPrompt",
    "aiTitle",
    // Codex
    "arguments",
    "output",
    "instructions",
    "base_instructions",
    "user_instructions",
    "developer_instructions",
    "encrypted_content",
    "message",
    "last_agent_message",
    "replacement_history",
    "aggregated_output",
    "stdout",
    "stderr",
    "formatted_output",
    "command",
    "unified_diff",
    "state",
];

/// A hash of the record without its texts.
pub(crate) fn skeleton(event: &AgentEvent<'_>) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    if let Some(record) = RawJson::of(event.raw) {
        hash(record, &mut hasher);
    }
    hasher.finish()
}

fn hash(value: RawJson<'_>, hasher: &mut impl Hasher) {
    if value.is_object() {
        value.each_member(&mut |key, member| {
            key.hash().hash(hasher);
            let name = key.get();
            // The content of a message is a text or a list of blocks; `message` is a text or an object.
            let is_free = match &*name {
                "content" => !member.is_array(),
                "message" | "state" => !member.is_object(),
                name => FREE.contains(&name),
            };
            if is_free {
                shape(member).hash(hasher);
            } else {
                hash(member, hasher);
            }
        });
        b'}'.hash(hasher);
    } else if value.is_array() {
        value.elements().for_each(|element| hash(element, hasher));
        b']'.hash(hasher);
    } else {
        value.bytes().hash(hasher);
    }
}

/// The type of a value.
fn shape(value: RawJson<'_>) -> u8 {
    value.bytes().first().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::decode::AgentDecoder;

    #[test]
    fn texts_may_change_and_nothing_else() {
        let skeleton = |line: &str| {
            AgentDecoder::default().decode(line.as_bytes()).map(|event| skeleton(&event)).expect("an event")
        };
        let line = |uuid: &str, text: &str, id: &str| {
            format!(
                r#"{{"type":"assistant","uuid":"{uuid}","parentUuid":null,"sessionId":"s","message":{{"content":[{{"type":"text","text":"{text}"}},{{"type":"tool_use","id":"{id}","input":{{"a":"{text}"}}}}]}}}}"#
            )
        };
        let one = skeleton(&line("u", "long", "c"));
        assert_eq!(one, skeleton(&line("u", "", "c")));
        assert_ne!(one, skeleton(&line("v", "long", "c")));
        assert_ne!(one, skeleton(&line("u", "long", "d")));
    }
}

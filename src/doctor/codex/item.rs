//! The items of a conversation: what the rules ask about them, without their texts.

use crate::doctor::names::{Name, Names};
use crate::doctor::shape::{At, Shape};

/// Items that answer each other. Calls and outputs of different families do not match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Family {
    Function,
    Custom,
    ToolSearch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemKind {
    Message,
    /// A message from another agent.
    AgentMessage,
    Reasoning,
    Call(Family),
    Output(Family),
    WebSearch,
    Compaction,
    Other,
}

#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub kind: ItemKind,
    /// The type as it is written, or the role of a message.
    pub shown: Name,
    pub kind_name: Name,
    /// The id of the item itself.
    pub id: Option<Name>,
    /// The id of the call that it makes or answers.
    pub call: Option<Name>,
    /// The role is user, and the text is not the harness's.
    pub is_prompt: bool,
    /// Context for the turn below: it is undone together with that turn.
    pub is_context: bool,
    /// The length of the arguments of a call.
    pub characters: usize,
    /// As it is written.
    pub bytes: u64,
    /// The length of a prompt.
    pub text_bytes: usize,
    /// The action of a web search, if the provider refuses it.
    pub refused_action: Option<Name>,
    /// Images whose address cannot be used, with their index in the content.
    pub images: Vec<(usize, Address)>,
    /// The index in the replacement that a compaction left.
    pub index: Option<usize>,
}

/// Why the address of an image cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Address {
    /// Neither data nor the web: the provider refuses it.
    Foreign,
    /// Data that is not a base64 image; Codex replaces it.
    BadData,
}

/// Texts that the harness puts into messages of the user, by how they begin.
const HARNESS: &[&str] = &[
    "# AGENTS.md instructions",
    "<user_instructions>",
    "<environment_context>",
    "<turn_aborted>",
    "<user_shell_command>",
    "<skill",
    "<subagent_notification>",
    "<codex_internal_context",
    "<goal_context>",
    "<recommended_plugins>",
    "<external_",
    "<hook_prompt",
    "<permissions",
    "<apps_",
    "Warning: apply_patch was",
    "Warning: The maximum number of unified",
];

/// Texts of the developer that only matter to the turn below them.
const TURN_CONTEXT: &[&str] = &[
    "<permissions instructions>",
    "<model_switch>",
    "<collaboration_mode>",
    "<multi_agent_mode>",
    "<realtime_conversation>",
    "<skills_instructions>",
    "<personality_spec>",
    "<token_budget",
    "<context_window",
    "<rollout_budget>",
];

fn begins_with(text: &str, beginnings: &[&str]) -> bool {
    let text = text.trim_start();
    beginnings.iter().any(|start| text.get(..start.len()).is_some_and(|found| found.eq_ignore_ascii_case(start)))
}

/// An item. The outer `None` stands for one that does not decode, the inner one for a type that is never sent.
#[allow(clippy::option_option, reason = "the two have different consequences")]
pub(crate) fn item(shape: &Shape, at: At, names: &mut Names) -> Option<Option<Item>> {
    let kind_name = shape.text_of(at, "type")?;
    let text = |name: &str| shape.text_of(at, name);
    let kind = match &*kind_name {
        "message" => ItemKind::Message,
        "agent_message" => ItemKind::AgentMessage,
        "reasoning" => ItemKind::Reasoning,
        "function_call" | "local_shell_call" => ItemKind::Call(Family::Function),
        "custom_tool_call" => ItemKind::Call(Family::Custom),
        "tool_search_call" => ItemKind::Call(Family::ToolSearch),
        "function_call_output" => ItemKind::Output(Family::Function),
        "custom_tool_call_output" => ItemKind::Output(Family::Custom),
        "tool_search_output" => ItemKind::Output(Family::ToolSearch),
        "web_search_call" => ItemKind::WebSearch,
        "compaction" | "compaction_summary" | "context_compaction" => ItemKind::Compaction,
        "image_generation_call" => ItemKind::Other,
        _ => return Some(None),
    };
    // What the type of the record requires.
    let has = |required: &[&str]| required.iter().all(|name| text(name).is_some());
    let is_whole = match &*kind_name {
        "message" => has(&["role"]) && content_decodes(shape, at),
        "function_call" => has(&["name", "arguments", "call_id"]),
        "custom_tool_call" => has(&["name", "input", "call_id"]),
        "function_call_output" | "custom_tool_call_output" => has(&["call_id"]) && shape.get(at, "output").is_some(),
        _ => true,
    };
    if !is_whole {
        return None;
    }
    let role = if kind == ItemKind::Message { text("role") } else { None };
    if role.as_deref() == Some("system") {
        return Some(None);
    }
    let mut item = Item {
        kind,
        shown: names.name(role.as_deref().unwrap_or(&kind_name)),
        kind_name: names.name(&kind_name),
        id: text("id").filter(|id| !id.is_empty()).map(|id| names.name(&id)),
        call: None,
        is_prompt: kind == ItemKind::AgentMessage,
        is_context: false,
        characters: 0,
        bytes: shape.span(at).len() as u64,
        text_bytes: 0,
        refused_action: None,
        images: Vec::new(),
        index: None,
    };
    match kind {
        ItemKind::Message => message(shape, at, role.as_deref(), &mut item),
        ItemKind::Call(_) | ItemKind::Output(_) => call(shape, at, kind, &mut item, names),
        ItemKind::WebSearch => {
            let action = shape.get(at, "action").and_then(|action| shape.text_of(action, "type"));
            let refused = action.filter(|action| !matches!(&**action, "search" | "open_page" | "find_in_page"));
            item.refused_action = refused.map(|action| names.name(&action));
        }
        _ => {}
    }
    Some(Some(item))
}

fn content_decodes(shape: &Shape, at: At) -> bool {
    let Some(content) = shape.get(at, "content").filter(|content| shape.is_array(*content)) else { return false };
    shape.elements(content).all(|part| match shape.text_of(part, "type").as_deref() {
        Some("input_text" | "output_text") => shape.text_of(part, "text").is_some(),
        Some("input_image") => shape.text_of(part, "image_url").is_some(),
        kind => kind.is_some(),
    })
}

fn message(shape: &Shape, at: At, role: Option<&str>, item: &mut Item) {
    let Some(content) = shape.get(at, "content") else { return };
    let (mut is_harness, mut is_context) = (false, false);
    for part in shape.elements(content) {
        let Some(text) = shape.text_of(part, "text") else { continue };
        is_harness |= begins_with(&text, HARNESS);
        is_context |= begins_with(&text, TURN_CONTEXT);
        item.text_bytes += text.len();
    }
    item.is_prompt = role == Some("user") && !is_harness;
    item.is_context = (role == Some("user") && is_harness) || (role == Some("developer") && is_context);
    item.images = images(shape, content);
}

fn call(shape: &Shape, at: At, kind: ItemKind, item: &mut Item, names: &mut Names) {
    let is_servers = shape.text_of(at, "execution").as_deref() == Some("server");
    item.call = shape.text_of(at, "call_id").filter(|_| !is_servers).map(|id| names.name(&id));
    if matches!(kind, ItemKind::Call(_)) {
        let arguments = shape.text_of(at, "arguments").or_else(|| shape.text_of(at, "input"));
        item.characters = arguments.map_or(0, |text| text.chars().count());
    } else if let Some(output) = shape.get(at, "output") {
        item.images = images(shape, output);
    }
}

/// The images of a list whose address cannot be used.
fn images(shape: &Shape, list: At) -> Vec<(usize, Address)> {
    let address = |part: At| {
        let is_image = shape.text_of(part, "type").as_deref() == Some("input_image");
        let address = shape.get(part, "image_url").filter(|_| is_image)?;
        judged_address(&shape.text(address)?)
    };
    shape.elements(list).enumerate().filter_map(|(index, part)| Some((index, address(part)?))).collect()
}

fn judged_address(address: &str) -> Option<Address> {
    let starts = |scheme: &str| address.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    if starts("http://") || starts("https://") {
        return None;
    }
    if !starts("data:") {
        return Some(Address::Foreign);
    }
    let is_image = address[5..].split_once(',').is_some_and(|(kind, data)| {
        let mut parts = kind.split(';');
        let media_type = parts.next().unwrap_or_default().to_ascii_lowercase();
        let is_base64 = parts.any(|part| part.eq_ignore_ascii_case("base64"));
        let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
        media_type.strip_prefix("image/").is_some_and(|subtype| !subtype.is_empty())
            && is_base64
            && !data.is_empty()
            && data.bytes().all(is_digit)
    });
    (!is_image).then_some(Address::BadData)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_images_are_told_apart() {
        for good in ["https://a.example/x.png", "data:image/png;base64,AAAA", "DATA:image/webp;q=1;base64,AA=="] {
            assert_eq!(judged_address(good), None, "{good}");
        }
        for bad in [
            "data:image;base64,AAAA",
            "data:image/png,AAAA",
            "data:image/png;base64,",
            "data:",
            "data:text/plain;base64,A",
        ] {
            assert_eq!(judged_address(bad), Some(Address::BadData), "{bad}");
        }
        for foreign in ["sandbox:/mnt/x.png", "[trimmed]", "", "file:///x", "é"] {
            assert_eq!(judged_address(foreign), Some(Address::Foreign), "{foreign}");
        }
    }

    #[test]
    fn texts_of_the_harness_are_not_prompts() {
        for text in ["<environment_context>\n", " # agents.md instructions for x", "<SKILL>a"] {
            assert!(begins_with(text, HARNESS), "{text}");
        }
        for text in ["fix it", "", "<html>", "#é"] {
            assert!(!begins_with(text, HARNESS), "{text}");
        }
    }
}

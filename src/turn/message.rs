//! Saved messages: the conversation as its engine saved it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Message {
    pub role: String,
    pub content: Vec<MessageBlock>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum MessageBlock {
    Text {
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
    Thinking {
        thinking: String,
    },
    ToolUse {
        id: String,
        name: String,
        input: Value,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        caller: Option<Caller>,
    },
    ToolResult {
        tool_use_id: String,
        content: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        is_error: Option<bool>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        content_blocks: Option<Vec<Value>>,
    },
    ServerToolUse {
        id: String,
        name: String,
        input: Value,
    },
    ToolSearchToolResult {
        tool_use_id: String,
        content: Value,
    },
    CodeExecutionToolResult {
        tool_use_id: String,
        content: Value,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct CacheControl {
    #[serde(rename = "type")]
    pub kind: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Caller {
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_id: Option<String>,
}

impl Message {
    pub(crate) fn of_text(role: &str, text: &str) -> Self {
        Message { role: role.to_owned(), content: vec![MessageBlock::text(text)] }
    }

    pub(crate) fn tool_result(tool_use_id: &str, content: String, is_error: Option<bool>) -> Self {
        let tool_use_id = tool_use_id.to_owned();
        let block = MessageBlock::ToolResult { tool_use_id, content, is_error, content_blocks: None };
        Message { role: "user".to_owned(), content: vec![block] }
    }

    pub(crate) fn first_text(&self) -> Option<&str> {
        self.content.iter().find_map(|block| match block {
            MessageBlock::Text { text, .. } => Some(text.as_str()),
            _ => None,
        })
    }

    pub(crate) fn first_tool_result(&self) -> Option<&str> {
        self.content.iter().find_map(|block| match block {
            MessageBlock::ToolResult { content, .. } => Some(content.as_str()),
            _ => None,
        })
    }
}

impl MessageBlock {
    pub(crate) fn text(text: &str) -> Self {
        MessageBlock::Text { text: text.to_owned(), cache_control: None }
    }
}

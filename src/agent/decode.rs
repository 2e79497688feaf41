//! Decoding of records: by the reader of the file's format, or of the format that the record looks like.

use super::block::{Block, PromptBy};
use super::event::{AgentEvent, FileFacts};
use super::format::{self, FORMATS, Format};
use super::kind::AgentKind;
use crate::dialect::container::Shape;
use crate::dialect::recognize::Sample;
use crate::json::raw::{RawJson, RawRecord};
use crate::replay::machine::Malformed;

/// What is known about a file before its records are read.
#[derive(Clone, Copy, Default)]
pub(crate) struct AgentDecoder {
    /// `None` if the file had no records when it was opened.
    pub format: Option<&'static Format>,
    pub facts: FileFacts,
}

impl AgentDecoder {
    pub(crate) fn decode<'a>(&self, record: impl Into<RawRecord<'a>>) -> Result<AgentEvent<'a>, Malformed> {
        let record = record.into();
        let format = self.format.unwrap_or_else(|| format_of(record.bytes));
        let mut event = (format.read)(record)?;
        event.facts = self.facts;
        let has_twin = |block: &Block<'_>| matches!(block, Block::Prompt { by: PromptBy::User, .. });
        if self.facts.has_prompt_twins && event.kind == AgentKind::Prompt && event.blocks.iter().any(has_twin) {
            // The other record is the one that counts.
            event.kind = AgentKind::Twin;
        }
        Ok(event)
    }
}

/// The format that a record looks like; any format for a record that could be of several.
fn format_of(record: &[u8]) -> &'static Format {
    format::recognize(&Sample::new(record, Shape::Lines)).map_or(FORMATS[FORMATS.len() - 1], |(format, _)| format)
}

/// Why a record is not an object.
pub(crate) fn not_an_object(record: &[u8]) -> Malformed {
    let malformed = |reason: String, byte| Malformed { reason, byte, unknown_kind: None };
    if RawJson::of(record).is_some() {
        return malformed("it is not an object".to_owned(), 0);
    }
    match serde_json::from_slice::<serde::de::IgnoredAny>(record) {
        Ok(_) => malformed("it is nested too deeply".to_owned(), 0),
        Err(error) => {
            let text = error.to_string();
            let end = text.rfind(" at line ").unwrap_or(text.len());
            malformed(format!("it is not JSON: {}", &text[..end]), error.column().saturating_sub(1).min(record.len()))
        }
    }
}

//! Decoding of a tape's lines, and lookup of payloads for summaries.

use std::sync::Arc;

use super::event::{Line, Record};
use super::payload::Payload;
use super::stored::Payloads;
use crate::replay::machine::Malformed;

/// Longer stored payloads are not read for a summary.
const LOOKED_UP_BYTES: u64 = 1 << 20;

/// Decodes lines. Looks up stored payloads if the summary needs them.
#[derive(Clone, Default)]
pub(crate) struct Decoder {
    pub payloads: Option<Arc<dyn Payloads>>,
}

impl Decoder {
    pub(crate) fn decode(&self, record: &[u8]) -> Result<Line, Malformed> {
        let malformed = |reason: String, byte| Malformed { reason, byte, unknown_kind: None };
        let text =
            std::str::from_utf8(record).map_err(|error| malformed("not UTF-8".to_owned(), error.valid_up_to()))?;
        let parsed = Line::parse_any(text);
        let mut line = parsed.map_err(|error| malformed(error.to_string(), error.column().saturating_sub(1)))?;
        if let Line::Record(record) = &mut line {
            self.look_up(record);
        }
        Ok(line)
    }

    fn look_up(&self, record: &mut Record) {
        if let Some(payloads) = &self.payloads
            && let Some(Payload::Cas { content_hash, len_bytes }) = record.kind.main_payload()
            && *len_bytes <= LOOKED_UP_BYTES
        {
            let bytes = payloads.bytes(content_hash, LOOKED_UP_BYTES);
            record.looked_up = bytes.and_then(|bytes| String::from_utf8(bytes).ok()).map(String::into_boxed_str);
        }
    }
}

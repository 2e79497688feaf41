//! A record with its stored payloads inserted, for showing it in full.

use super::event::Line;
use super::payload::Payload;
use super::stored::Payloads;

/// The limits for one payload and for all payloads of a record.
const ONE_BYTES: u64 = 256 << 10;
const ALL_BYTES: usize = 1 << 20;
/// How much of a binary payload is shown.
const HEX_BYTES: usize = 32;

/// The record with one more member in each stored payload. `None` if there is nothing to insert.
pub(crate) fn resolved(record: &[u8], payloads: &dyn Payloads) -> Option<Vec<u8>> {
    let mut text = std::str::from_utf8(record).ok()?.to_owned();
    let Ok(Line::Record(parsed)) = Line::parse(&text) else { return None };
    let mut put_in = 0;
    for (_, payload) in parsed.kind.payloads() {
        let Payload::Cas { content_hash, len_bytes } = payload else { continue };
        // This is the layout that writers use. In any other layout the payload is not resolved.
        let members = format!("\"content_hash\":\"{content_hash}\",\"len_bytes\":{len_bytes}}}");
        let Some(at) = text.find(&members) else { continue };
        let Some(bytes) = payloads.bytes(content_hash, ONE_BYTES) else { continue };
        put_in += bytes.len();
        if put_in > ALL_BYTES {
            break;
        }
        text.insert_str(at + members.len() - 1, &member(bytes));
    }
    (put_in > 0).then(|| text.into_bytes())
}

fn member(bytes: Vec<u8>) -> String {
    match String::from_utf8(bytes) {
        Ok(text) => format!(",\"from the store\":{}", serde_json::Value::String(text)),
        Err(error) => {
            let bytes = error.into_bytes();
            let shown: Vec<String> = bytes.iter().take(HEX_BYTES).map(|byte| format!("{byte:02x}")).collect();
            let more = if bytes.len() > HEX_BYTES { " …" } else { "" };
            format!(",\"from the store, in hex\":\"{}{more}\"", shown.join(" "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tape::payload::content_hash;

    struct HeldPayload(Vec<u8>);

    impl Payloads for HeldPayload {
        fn bytes(&self, name: &str, most: u64) -> Option<Vec<u8>> {
            (name == content_hash(&self.0) && self.0.len() as u64 <= most).then(|| self.0.clone())
        }
    }

    #[test]
    fn stored_payloads_are_inserted_and_nothing_else_changes() {
        for (bytes, shown) in
            [(&b"a \"b\"\n"[..], r#""from the store":"a \"b\"\n""#), (b"\xff\x00", r#"in hex":"ff 00""#)]
        {
            let name = content_hash(bytes);
            let event = format!(
                r#"{{"kind":"session_control","event":{{"content_hash":"{name}","len_bytes":{}}}}}"#,
                bytes.len()
            );
            let record = format!(r#"{{"type":"record","seq":0,"virtual_time_ms":0,"monotonic_ms":0,"kind":{event}}}"#);
            let full = resolved(record.as_bytes(), &HeldPayload(bytes.to_vec())).expect("something to put in");
            let full = String::from_utf8(full).expect("text");
            assert!(full.contains(shown), "{full}");
            assert!(serde_json::from_str::<serde_json::Value>(&full).is_ok(), "{full}");
            assert_eq!(resolved(record.as_bytes(), &HeldPayload(Vec::new())), None);
        }
    }
}

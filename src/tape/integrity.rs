//! Integrity of payloads: whether hashes match, in the line, in the store, and in the digests of an exchange.

use std::borrow::Cow;

use serde_json::Value;

use super::canonical::canonical;
use super::checks;
use super::event::Record;
use super::facts::{PayloadFault, faults, wrong_digests};
use super::kind::McpJsonRpc;
use super::payload::{Payload, content_hash, is_content_hash};
use super::stored::{Stored, StoredEntry};
use crate::replay::Seq;
use crate::replay::finding::{Finding, Findings};

/// Reports the faults of a payload that its line reveals.
pub(crate) fn see(at: Seq, field: &str, payload: &Payload, findings: &mut Findings) {
    report(at, field, payload, &Stored::default(), findings);
}

/// Reports the payloads of a record that are missing or damaged in the store.
pub(crate) fn see_stored(at: Seq, record: &Record, stored: &Stored, findings: &mut Findings) {
    for (field, payload) in record.kind.payloads() {
        if matches!(payload, Payload::Cas { content_hash, .. } if is_content_hash(content_hash)) {
            report(at, &field, payload, stored, findings);
        }
    }
}

/// Reports entries that no record refers to. They belong to the tape's last record.
pub(crate) fn see_orphans(last: Seq, stored: &Stored, findings: &mut Findings) {
    for orphan in &stored.orphans {
        let finding = Finding::new(&checks::ORPHAN, [last]).about("entry", orphan.as_str());
        findings.push(finding.expected("entries that records refer to").actual(orphan.clone()));
    }
}

fn report(at: Seq, field: &str, payload: &Payload, stored: &Stored, findings: &mut Findings) {
    for fault in faults(payload, stored) {
        let (check, expected, actual) = described(fault, payload, stored);
        findings.push(Finding::new(check, [at]).about("field", field).expected(expected).actual(actual));
    }
}

type DescribedFault = (&'static crate::replay::check::Check, Cow<'static, str>, Cow<'static, str>);

fn described(fault: PayloadFault, payload: &Payload, stored: &Stored) -> DescribedFault {
    let name = payload.content_hash();
    let (mut length, mut hash, mut reason) = (String::new(), String::new(), String::new());
    match stored.referenced.get(name) {
        Some(StoredEntry::TooLarge { length_bytes }) => length = format!("{length_bytes} bytes"),
        Some(StoredEntry::Unreadable { reason: why }) => reason.clone_from(why),
        Some(StoredEntry::Read { length_bytes, content_hash }) => {
            length = format!("{length_bytes} bytes");
            hash.clone_from(content_hash);
        }
        _ => {}
    }
    let named = || Cow::Owned(name.to_owned());
    match fault {
        PayloadFault::InlineHash => {
            let actual = content_hash(payload.text().unwrap_or_default().as_bytes());
            (&checks::INLINE_HASH, named(), actual.into())
        }
        PayloadFault::BadReference => (&checks::BAD_REFERENCE, "64 hex digits".into(), named()),
        PayloadFault::CasMissing => (&checks::CAS_MISSING, named(), "no such entry".into()),
        PayloadFault::CasNotAFile => (&checks::CAS_NOT_A_FILE, "a regular file".into(), "something else".into()),
        PayloadFault::CasTooLarge => (&checks::CAS_TOO_LARGE, "an entry within the limit".into(), length.into()),
        PayloadFault::CasUnreadable => (&checks::CAS_UNREADABLE, named(), reason.into()),
        PayloadFault::CasSize => (&checks::CAS_SIZE, format!("{} bytes", payload.len_bytes()).into(), length.into()),
        PayloadFault::CasHash => (&checks::CAS_HASH, named(), hash.into()),
    }
}

/// Reports digests of an exchange that do not match its payloads.
pub(crate) fn see_exchange(at: Seq, call: &McpJsonRpc, findings: &mut Findings) {
    let sides = [
        ("request", &call.request_digest, &call.request_payload),
        ("response", &call.response_digest, &call.response_payload),
    ];
    for side in wrong_digests(call) {
        for (_, digest, payload) in sides.iter().filter(|(name, ..)| *name == side) {
            let finding = Finding::new(&checks::MCP_DIGEST, [at]).about("side", side);
            findings.push(finding.expected(payload.content_hash().to_owned()).actual((*digest).clone()));
        }
    }
    for (side, _, payload) in sides {
        let Some(text) = payload.text() else { continue };
        let Ok(value) = serde_json::from_str::<Value>(text) else { continue };
        if canonical(&value) != text {
            let finding = Finding::new(&checks::MCP_NOT_CANONICAL, [at]).about("side", side);
            findings.push(finding.expected("sorted keys, no blanks").actual("another form"));
        }
    }
}

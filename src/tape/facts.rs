//! Facts about a tape: counts, clocks, and which hashes match.

use std::collections::BTreeMap;

use serde::Serialize;

use super::chains::Chains;
use super::event::Phase;
use super::kind::{Kind, McpJsonRpc};
use super::payload::{Payload, content_hash, is_content_hash};
use super::stored::{Stored, StoredEntry, references};
use super::whole::Tape;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Facts {
    pub version: u32,
    pub record_count: usize,
    pub kinds: BTreeMap<&'static str, usize>,
    pub phases: BTreeMap<&'static str, usize>,
    pub seq_ok: bool,
    pub clock_ok: bool,
    pub virtual_time_ok: bool,
    pub monotonic_ok: bool,
    pub monotonic_chains: usize,
    pub paused_clock: bool,
    pub phase_order_ok: bool,
    pub inline_payloads: usize,
    /// Entry names, each counted once.
    pub cas_references: usize,
    pub cas_entries: usize,
    pub cas_orphans: Vec<String>,
    pub missing_cas: Vec<MissingEntry>,
    pub hash_mismatches: Vec<HashMismatch>,
    pub mcp_digest_mismatches: Vec<DigestMismatch>,
    pub torn_tail_bytes: Option<u64>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub unknown_tags: BTreeMap<String, usize>,
    pub tape_content_hash: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct MissingEntry {
    pub seq: u64,
    pub field: String,
    pub content_hash: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct HashMismatch {
    pub seq: u64,
    pub field: String,
    pub why: PayloadFault,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct DigestMismatch {
    pub seq: u64,
    pub field: &'static str,
}

/// A fault of a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PayloadFault {
    InlineHash,
    BadReference,
    CasMissing,
    CasNotAFile,
    CasTooLarge,
    CasUnreadable,
    CasSize,
    CasHash,
}

/// The faults of a payload that its text or the store reveals, in the order in which they are reported.
pub(crate) fn faults(payload: &Payload, stored: &Stored) -> Vec<PayloadFault> {
    match payload {
        Payload::Inline { content_hash: name, text } => {
            if *name == content_hash(text.as_bytes()) {
                vec![]
            } else {
                vec![PayloadFault::InlineHash]
            }
        }
        Payload::Cas { content_hash: name, .. } if !is_content_hash(name) => vec![PayloadFault::BadReference],
        Payload::Cas { content_hash: name, len_bytes } => match stored.referenced.get(name) {
            // The entry was not examined, so nothing is known about it.
            None | Some(StoredEntry::BadName) => vec![],
            Some(StoredEntry::Missing) => vec![PayloadFault::CasMissing],
            Some(StoredEntry::NotAFile) => vec![PayloadFault::CasNotAFile],
            Some(StoredEntry::TooLarge { .. }) => vec![PayloadFault::CasTooLarge],
            Some(StoredEntry::Unreadable { .. }) => vec![PayloadFault::CasUnreadable],
            Some(StoredEntry::Read { length_bytes, content_hash }) => {
                let size = (length_bytes != len_bytes).then_some(PayloadFault::CasSize);
                let hash = (content_hash != name).then_some(PayloadFault::CasHash);
                size.into_iter().chain(hash).collect()
            }
        },
    }
}

/// The sides of an exchange whose digest does not match the payload.
pub(crate) fn wrong_digests(call: &McpJsonRpc) -> impl Iterator<Item = &'static str> {
    let request = call.request_digest != call.request_payload.content_hash();
    let response = call.response_digest != call.response_payload.content_hash();
    [(request, "request"), (response, "response")].into_iter().filter_map(|(wrong, side)| wrong.then_some(side))
}

fn never_falls(values: impl Iterator<Item = i64>) -> bool {
    let mut last = i64::MIN;
    values.fold(true, |so_far, value| {
        let holds = value >= last;
        last = value;
        so_far && holds
    })
}

fn tally<K: Ord>(keys: impl Iterator<Item = K>) -> BTreeMap<K, usize> {
    let mut counts = BTreeMap::new();
    keys.for_each(|key| *counts.entry(key).or_default() += 1);
    counts
}

impl Facts {
    pub(crate) fn of(tape: &Tape, stored: &Stored) -> Result<Facts, serde_json::Error> {
        let records = &tape.records;
        let mut chains = Chains::default();
        records.iter().for_each(|record| {
            chains.add(record.monotonic_ms);
        });
        let paused_clock = tape.header.header.has_paused_clock();
        let virtual_time_ok = never_falls(records.iter().map(|record| record.virtual_time_ms));
        let phases: Vec<Phase> = records.iter().map(|record| record.phase).collect();
        let payloads: Vec<(u64, String, &Payload)> = records
            .iter()
            .flat_map(|record| record.kind.payloads().into_iter().map(|(field, payload)| (record.seq, field, payload)))
            .collect();
        let mut missing_cas = Vec::new();
        let mut hash_mismatches = Vec::new();
        for (seq, field, payload) in &payloads {
            let seq = *seq;
            for why in faults(payload, stored) {
                let (field, content_hash) = (field.clone(), payload.content_hash().to_owned());
                match why {
                    PayloadFault::CasMissing => missing_cas.push(MissingEntry { seq, field, content_hash }),
                    why => hash_mismatches.push(HashMismatch { seq, field, why }),
                }
            }
        }
        let digests = records.iter().flat_map(|record| match &record.kind {
            Kind::McpJsonRpc(call) => {
                wrong_digests(call).map(|field| DigestMismatch { seq: record.seq, field }).collect()
            }
            _ => Vec::new(),
        });
        Ok(Facts {
            version: tape.header.header.version,
            record_count: records.len(),
            kinds: tally(records.iter().map(|record| record.kind.tag())),
            phases: tally(phases.iter().map(|phase| phase.name())),
            seq_ok: records.iter().zip(0..).all(|(record, at)| record.seq == at),
            clock_ok: virtual_time_ok && chains.count() <= if paused_clock { 1 } else { 2 },
            virtual_time_ok,
            monotonic_ok: chains.count() <= 1,
            monotonic_chains: chains.count(),
            paused_clock,
            phase_order_ok: phases.is_sorted_by_key(|phase| *phase == Phase::RuntimeFinalize),
            inline_payloads: payloads.iter().filter(|(_, _, payload)| payload.text().is_some()).count(),
            cas_references: references(tape).len(),
            cas_entries: stored.entries,
            cas_orphans: stored.orphans.clone(),
            missing_cas,
            hash_mismatches,
            mcp_digest_mismatches: digests.collect(),
            torn_tail_bytes: tape.torn.map(|torn| torn.length_bytes),
            unknown_tags: tally(records.iter().filter_map(|record| record.unknown_tag.as_deref().map(str::to_owned))),
            tape_content_hash: tape.content_hash()?,
        })
    }
}

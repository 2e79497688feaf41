//! Trace bundles and replay packs: JSON documents that hold the events of a turn log.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::trace::{PackHead, SCHEMA_VERSION};
use crate::dialect::container::{Document, Enclosed, Wrapping};

pub(crate) static TRACE_BUNDLE: Document = Document {
    name: "trace bundle",
    wrapping: Wrapping::TraceRow,
    is: |sample| {
        let has_part = ["events", "replay_summary", "generator", "analysis"].into_iter().any(|key| sample.has(key));
        // A span of a distributed trace may have events, too.
        has_part && !sample.has("traceId")
    },
    open: |text| {
        let bundle: BundleParts<'_> = serde_json::from_str(text)?;
        let about = AboutDocument { schema_version: bundle.schema_version, ..AboutDocument::default() };
        Ok(about.enclosed(&bundle))
    },
};

pub(crate) static REPLAY_PACK: Document = Document {
    name: "replay pack",
    wrapping: Wrapping::TraceRow,
    // Only the keys at the start of the file are known, since the saved messages of a pack may be longer than that.
    is: |sample| sample.has("metadata") && (sample.has("trace") || sample.has("session_messages")),
    open: |text| {
        let pack: PackParts<'_> = serde_json::from_str(text)?;
        let about = AboutDocument {
            is_pack: true,
            schema_version: pack.schema_version,
            includes_session: pack.metadata.includes_session,
            session_messages: pack.session_messages.map(|raw| raw.get().to_owned()),
            stored_coherence_ok: false,
        };
        Ok(about.enclosed(&pack.trace))
    },
};

/// The parts of a document other than its events.
#[derive(Clone, Debug, Default)]
pub(crate) struct AboutDocument {
    pub is_pack: bool,
    pub schema_version: u32,
    pub includes_session: bool,
    pub session_messages: Option<String>,
    pub stored_coherence_ok: bool,
}

impl AboutDocument {
    fn enclosed<'t>(self, bundle: &BundleParts<'t>) -> Enclosed<'t> {
        let about = AboutDocument { stored_coherence_ok: bundle.replay_summary.coherence_ok, ..self };
        let refusal = about.pack_head(0).and_then(|head| head.unsupported());
        Enclosed { events: bundle.events.get(), rest: Arc::new(about), refusal }
    }

    /// What a replay pack says about itself.
    pub(crate) fn pack_head(&self, event_count: usize) -> Option<PackHead> {
        self.is_pack.then(|| PackHead {
            schema_version: if self.schema_version == 0 { SCHEMA_VERSION } else { self.schema_version },
            includes_session: self.includes_session,
            has_session: self.session_messages.is_some(),
            event_count,
            stored_coherence_ok: self.stored_coherence_ok,
        })
    }
}

#[derive(Deserialize)]
struct BundleParts<'a> {
    #[serde(borrow)]
    events: &'a RawValue,
    #[serde(default)]
    schema_version: u32,
    #[serde(default)]
    replay_summary: StoredSummary,
}

#[derive(Default, Deserialize)]
struct StoredSummary {
    #[serde(default)]
    coherence_ok: bool,
}

#[derive(Deserialize)]
struct PackParts<'a> {
    schema_version: u32,
    #[serde(borrow)]
    trace: BundleParts<'a>,
    #[serde(default)]
    metadata: StoredMetadata,
    #[serde(borrow, default)]
    session_messages: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct StoredMetadata {
    #[serde(default)]
    includes_session: bool,
}

//! The memory queries that a model request demands, and their sources: one table.

use std::collections::BTreeSet;

use super::effect::Layer;
use super::projection::Projection;

/// A query that is due at a request if the projection has something to query.
pub(crate) struct DueQuery {
    pub layer: Layer,
    pub key: &'static str,
    pub source: &'static str,
    is_due: fn(&Projection) -> bool,
}

const USER_SOURCE: &str = "memory.user";
pub(crate) const UNKNOWN_SOURCE: &str = "memory.unknown";
pub(crate) const USER_MEMORY: &str = "user_memory";
pub(crate) const TOPIC_EPISODIC: &str = "topic_episodic";

const QUERIES: [DueQuery; 5] = [
    DueQuery {
        layer: Layer::Working,
        key: "scratchpad_summary",
        source: "memory.scratchpad_summary",
        is_due: |projection| projection.scratchpad_summary_injected,
    },
    DueQuery {
        layer: Layer::Working,
        key: "scratchpad_reminder",
        source: "memory.scratchpad_reminder",
        is_due: |projection| projection.scratchpad_reminder_count > 0,
    },
    DueQuery {
        layer: Layer::Archival,
        key: "compaction_summary",
        source: "memory.compaction",
        is_due: |projection| projection.compaction_artifact_count > 0,
    },
    DueQuery {
        layer: Layer::Working,
        key: "working_set",
        source: "working_set",
        is_due: |projection| projection.working_set_path_touch_count > 0,
    },
    DueQuery {
        layer: Layer::Episodic,
        key: TOPIC_EPISODIC,
        source: "topic_memory",
        is_due: |projection| projection.topic_memory_injection_count > 0,
    },
];

/// The queries that are due at a request, whether they were logged or not.
pub(crate) fn due(projection: &Projection) -> impl Iterator<Item = &'static DueQuery> + '_ {
    QUERIES.iter().filter(|query| (query.is_due)(projection))
}

/// The source from which the answer to a query is compiled.
pub(crate) fn compiler_source(key: &str) -> &'static str {
    if key == USER_MEMORY {
        return USER_SOURCE;
    }
    QUERIES.iter().find(|query| query.key == key).map_or(UNKNOWN_SOURCE, |query| query.source)
}

/// A set of compiler sources in one byte: there are many steps but only seven sources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sources(u8);

impl Sources {
    pub(crate) fn insert(&mut self, source: &'static str) {
        if let Some(place) = all_sources().position(|known| known == source) {
            self.0 |= 1 << place;
        }
    }

    pub(crate) fn names(self) -> BTreeSet<&'static str> {
        all_sources().enumerate().filter(|(place, _)| self.0 & (1 << place) != 0).map(|(_, source)| source).collect()
    }
}

fn all_sources() -> impl Iterator<Item = &'static str> {
    QUERIES.iter().map(|query| query.source).chain([USER_SOURCE, UNKNOWN_SOURCE])
}

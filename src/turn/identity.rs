//! The identity of an event within its run, and the values that differ in every run.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::event::Event;
use crate::json::text::Text;
use crate::replay::imprint::{Drifting, Names};

/// Ids differ in every run, and so does the fingerprint of a whole request, because it covers the ids of earlier calls.
/// The fingerprint of a request's fixed beginning does not: a run with another prompt is another run. Durations and
/// cache hits depend on circumstances.
pub(crate) const DRIFTING: Drifting = Drifting {
    names: &["turn_id", "call_id", "artifact_id", "full_prefix_sha256"],
    drift: &["duration_ms", "prompt_cache_hit_tokens", "prompt_cache_miss_tokens"],
};

/// Kind, turn and call if names are exact; otherwise, and for events without a call, kind, step and subject.
pub(crate) fn identity(event: &Event<'_>, names: Names) -> u64 {
    let mut hasher = DefaultHasher::new();
    event.kind().hash(&mut hasher);
    let is_exact = names == Names::Exact;
    event.turn_id().filter(|_| is_exact).map(Text::hash).hash(&mut hasher);
    let call = event.call_id().filter(|_| is_exact).map(Text::hash);
    call.hash(&mut hasher);
    if call.is_none() {
        event.step().hash(&mut hasher);
        hash_subject(event, is_exact, &mut hasher);
    }
    hasher.finish()
}

/// Hashes what an event is about, apart from step and call.
fn hash_subject(event: &Event<'_>, is_exact: bool, hasher: &mut DefaultHasher) {
    use Event::*;
    let mut texts = |texts: &[&Text<'_>]| texts.iter().for_each(|text| text.hash().hash(hasher));
    match event {
        ToolCallPlanned { tool_name, .. }
        | ToolCallFinished { tool_name, .. }
        | DeferredToolActivated { tool_name, .. } => texts(&[tool_name]),
        ScratchpadReminderInjected { area_path, .. } => texts(&[area_path]),
        MemoryPlaneQueried { layer, query_key, .. } => texts(&[layer, query_key]),
        StageGateBlocked { skill, stage, tool_name, .. } => texts(&[skill, stage, tool_name]),
        CompactionArtifactCreated { artifact_id, .. } if is_exact => texts(&[artifact_id]),
        HarnessVerify { stage, predicate, retry_no, .. } => {
            texts(&[stage, predicate]);
            retry_no.hash(hasher);
        }
        ModelDelta { kind, .. } => (*kind as u8).hash(hasher),
        CapacityCheckpoint { kind, .. } => (*kind as u8).hash(hasher),
        CycleBriefingInjected { cycle, .. } => cycle.hash(hasher),
        CycleAdvanced { from_cycle, .. } => from_cycle.hash(hasher),
        LayeredContextSeamInjected { level, .. } => level.hash(hasher),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turn::decode::exact;

    fn finished(turn: &str, call: &str, preview: &str) -> String {
        format!(
            r#"{{"event_type":"tool_call_finished","turn_id":"{turn}","call_id":"{call}","tool_name":"x","outcome":"success","duration_ms":1,"wrote_state":false,"result_preview":"{preview}"}}"#
        )
    }

    #[test]
    fn a_call_is_identified_by_its_id_or_its_tool() {
        let identity = |record: String, names| identity(&exact(record.as_bytes()).expect("an event"), names);
        let event = |names| identity(finished("t", "c", "a"), names);
        assert_eq!(event(Names::Exact), identity(finished("t", "c", "b"), Names::Exact));
        assert_ne!(event(Names::Exact), identity(finished("t", "d", "a"), Names::Exact));
        assert_eq!(event(Names::Fresh), identity(finished("u", "d", "b"), Names::Fresh));
    }
}

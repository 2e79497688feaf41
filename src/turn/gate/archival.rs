//! The chain for compaction artifacts: their fields must describe something that was replaced.

use crate::replay::Seq;
use crate::replay::finding::Finding;

use super::{Contradictions, GateChain};
use crate::turn::checks;
use crate::turn::event::{Event, Range};

pub(super) fn see(at: Seq, index: u32, event: &Event<'_>, say: &mut Contradictions<'_>) {
    let Event::CompactionArtifactCreated { artifact_id, replaced_range, summary_token_count, .. } = event else {
        return;
    };
    let Range { from, to } = *replaced_range;
    let id = artifact_id.get();
    let mut report = |field: &'static str, expected: &'static str, actual: String, text: String| {
        let finding = Finding::new(&checks::ARCHIVAL_FIELDS, [at])
            .about("artifact", &*id)
            .about("field", field)
            .expected(expected)
            .actual(actual);
        say.say(GateChain::Memory, finding, || text);
    };
    if id.trim().is_empty() {
        report("artifact_id", "an id", "a blank".to_owned(), format!("artifact[{index}] empty artifact_id"));
    }
    if from > to {
        let text = format!("artifact[{index}] invalid range {from}..{to}");
        report("replaced_range", "a range that does not run backwards", format!("{from}..{to}"), text);
    }
    if *summary_token_count == 0 {
        let text = format!("artifact[{index}] summary_token_count is zero");
        report("summary_token_count", "a summary of at least one token", "0".to_owned(), text);
    }
    if from == 0 && to == u32::MAX {
        let text = format!("artifact[{index}] replaced_range {from}..{to} removes zero messages");
        report("replaced_range", "a range that its own counter can hold", format!("{from}..{to}"), text);
    }
}

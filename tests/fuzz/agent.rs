//! Sessions of coding agents: any bytes are read, and a session with gaps means the same when the gaps are closed.

use crate::agent::checker::AgentChecker;
use crate::agent::decode::AgentDecoder;
use crate::agent::dialect::DIALECT;
use crate::agent::report::facts_of;
use crate::agent::sidecar::known;
use crate::dialect::open_log::OpenLog;
use crate::log::{Log, Options};
use crate::replay::Seq;

/// The first byte chooses the records that are left out; the rest is the session.
pub(super) fn target(input: &[u8]) {
    let Some((choice, text)) = input.split_first() else { return };
    let options = Options { dialect: Some(&DIALECT), ..Options::default() };
    let Ok(log) = Log::from_bytes("input".to_owned(), None, text.to_vec(), &options) else { return };
    let facts = facts_of(&log).expect("a log in memory is readable");
    let count = |name: &str| facts["events"][name].as_u64().unwrap_or_default();
    assert!(count("tool_call_finished") <= count("tool_call_planned"), "a result was counted without its call");
    assert_eq!(facts, facts_of(&log).expect("readable"), "reading twice gives the same facts");
    let decoder = known(&log).expect("readable");
    let mut records: Vec<Vec<u8>> = Vec::new();
    log.each_record(&mut |read| records.push(read.record.to_vec())).expect("readable");
    let is_removed = |number: usize| (number * 7 + usize::from(*choice)).is_multiple_of(3);
    gaps_are_closed(&records, decoder, &is_removed);
}

/// Checking a session with gaps finds the same as checking the session that is written without them.
pub(crate) fn gaps_are_closed(records: &[Vec<u8>], decoder: AgentDecoder, is_removed: &dyn Fn(usize) -> bool) {
    let (mut with_gaps, mut closed) = (AgentChecker::default(), AgentChecker::default());
    let mut relinker = DIALECT.relink.expect("records name each other")();
    for (number, record) in records.iter().enumerate() {
        relinker.see(number as u32, record, is_removed(number));
    }
    let mut at = Seq(0);
    for (number, record) in records.iter().enumerate() {
        let event = decoder.decode(&record[..]);
        if is_removed(number) {
            event.iter().for_each(|event| with_gaps.see_removed(event));
            continue;
        }
        event.iter().for_each(|event| with_gaps.see(at, event));
        let relinked = relinker.kept(number as u32, record);
        let event = decoder.decode(relinked.as_deref().unwrap_or(record));
        event.iter().for_each(|event| closed.see(at, event));
        at.0 += 1;
    }
    assert_eq!(found(with_gaps), found(closed), "a gap was not closed");
}

fn found(checker: AgentChecker) -> Vec<(String, Vec<Seq>)> {
    let at_end = checker.findings_at_end();
    let findings = checker.found.findings.followed_by(at_end).into_sorted();
    findings.iter().map(|finding| (finding.fingerprint(), finding.at.to_vec())).collect()
}

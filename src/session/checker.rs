//! The audit of a session log: the memory of its checks, in one pass.
//!
//! The audit reads leniently: a member of the wrong type is absent. It keeps texts only of what is open; of everything
//! else it keeps hashes.

use crate::dialect::container::Wrapping;
use crate::replay::ending::Ending;
use crate::replay::finding::{Finding, Findings};
use crate::replay::machine::Malformed;
use crate::replay::{Place, Seq};

use super::audit::agents::AgentAudit;
use super::audit::calls::CallAudit;
use super::audit::context::ContextAudit;
use super::audit::labels;
use super::audit::queues::QueueAudit;
use super::audit::runs::RunAudit;
use super::audit::suspension::SuspensionAudit;
use super::checks;
use super::event::SessionEvent;
use super::summary::ending_of;

#[derive(Clone, Default)]
pub(crate) struct SessionChecker {
    pub findings: Findings,
    /// The last number in a wrapping.
    seq: Option<u64>,
    runs: RunAudit,
    suspension: SuspensionAudit,
    agents: AgentAudit,
    calls: CallAudit,
    context: ContextAudit,
    queues: QueueAudit,
}

impl SessionChecker {
    pub(crate) fn see(&mut self, at: Seq, event: &SessionEvent<'_>) {
        let findings = &mut self.findings;
        labels::see(at, event, findings);
        self.runs.see(at, event, findings);
        self.suspension.see(at, event, findings);
        self.agents.see(at, event, findings);
        self.calls.see(at, event, findings);
        self.context.see(at, event, findings);
        self.queues.see(at, event, findings);
    }

    /// The number of a wrapped record. If the record is not an event, the wrapping is read exactly: it may not be JSON.
    pub(crate) fn see_wrapping(&mut self, at: Seq, record: &[u8], is_event: bool) {
        let exact = || Wrapping::Numbered.unwrap(record).ok().and_then(|wrapping| wrapping.seq);
        let seq = match leading_number(record) {
            Some(seq) if is_event => Some(seq),
            _ if is_event || serde_json::from_slice::<serde::de::IgnoredAny>(record).is_ok() => exact(),
            _ => None,
        };
        self.see_seq(at, seq);
    }

    pub(crate) fn see_seq(&mut self, at: Seq, seq: Option<u64>) {
        let Some(seq) = seq else { return };
        let before = self.seq.replace(seq);
        let Some(before) = before.filter(|before| before.checked_add(1) != Some(seq)) else { return };
        self.findings.report(&checks::SEQ_ORDER, || {
            Finding::new(&checks::SEQ_ORDER, [at])
                .about("seq", format!("{before}->{seq}"))
                .expected(before.saturating_add(1).to_string())
                .actual(seq.to_string())
        });
    }

    pub(crate) fn see_malformed(&mut self, at: Seq, place: Place, malformed: &Malformed) {
        self.findings.push(unreadable(at, malformed.reason.clone()).placed(place));
    }

    pub(crate) fn ending(&self) -> Option<Ending> {
        ending_of(self.suspension.open(), self.runs.outcome(), self.agents.running())
    }

    /// The findings that depend on the end, as if the log ended here.
    pub(crate) fn at_end(&self) -> Findings {
        let mut findings = self.findings.continued();
        self.runs.finish(&mut findings);
        self.suspension.finish(&mut findings);
        self.agents.finish(self.runs.last_end(), &mut findings);
        self.calls.finish(&mut findings);
        self.queues.finish(&mut findings);
        findings
    }

    /// All findings, including those that depend on the end.
    pub(crate) fn finish(self) -> Findings {
        let at_end = self.at_end();
        self.findings.followed_by(at_end)
    }
}

fn unreadable(at: Seq, actual: String) -> Finding {
    Finding::new(&checks::UNREADABLE_RECORD, [at]).expected("an object with a string `kind`").actual(actual)
}

/// The finding for a log that ends inside a record.
pub(crate) fn torn_tail(at: Seq, place: Place, length: usize) -> Finding {
    let actual = format!("a torn tail of {length} bytes; the writer probably died while appending");
    unreadable(at, actual).placed(place)
}

/// The number in the layout of nearly every record, `{"seq":N,"event":...`.
fn leading_number(record: &[u8]) -> Option<u64> {
    let rest = record.strip_prefix(br#"{"seq":"#)?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    // Another member with the same name could only come after the event.
    let is_last = rest[digits..].starts_with(br#","event":{"#) && record.ends_with(b"}}");
    is_last.then(|| std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()).flatten()
}

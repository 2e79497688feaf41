//! The minimized log as bytes, laid out like the original.

use super::candidate::Candidate;
use super::parts::{Parts, Whole};
use super::target::TargetFinding;
use crate::replay::log_writer::{LogLayout, LogWriter};
use crate::replay::relink::BeginRelink;

/// How a minimized log is written.
pub(crate) trait Form: Sync {
    fn layout(&self) -> LogLayout;

    /// The line before the records, if there is one. It is never removed.
    fn head(&self) -> Option<&[u8]>;

    /// Rewrites references to removed records, in dialects whose records refer to each other.
    fn relink(&self) -> Option<BeginRelink> {
        None
    }

    fn write(&self, parts: &Parts, candidate: &Candidate) -> Vec<u8> {
        write(parts, candidate, self.head(), self.layout(), self.relink())
    }
}

/// Reads a candidate again after writing it, which only the edge can do.
pub(crate) trait ReadBack: Sync {
    /// Whether a log may begin with this record. A header that is not at the start would become the header there.
    fn may_begin(&self, record: &[u8]) -> bool;

    /// Whether a candidate reports the finding when it is read from its file.
    fn reports(&self, candidate: &Candidate, target: &TargetFinding) -> bool;
}

/// Writes every record as it is, with what wraps its event. If the log ended inside a record, it does so again.
pub(crate) fn write(
    parts: &Parts,
    candidate: &Candidate,
    head: Option<&[u8]>,
    layout: LogLayout,
    relink: Option<BeginRelink>,
) -> Vec<u8> {
    let (mut out, mut writer) = (Vec::new(), LogWriter::new(layout));
    let mut relinker = relink.map(|begin| begin());
    if let Some(relinker) = &mut relinker {
        let mut kept = candidate.kept.iter().copied().peekable();
        for part in 0..parts.len() as u32 {
            relinker.see(part, parts.record(part), kept.next_if_eq(&part).is_none());
        }
    }
    if let Some(head) = head {
        writer.head(head, &mut out);
    }
    for part in candidate.kept.iter().copied() {
        let edited = candidate.edits.get(&part).map(|event| parts.record_with(part, event));
        let record = edited.as_deref().unwrap_or_else(|| parts.record(part));
        let relinked = relinker.as_mut().and_then(|relinker| relinker.kept(part, record));
        let record = relinked.as_deref().unwrap_or(record);
        match parts.whole(part) {
            Whole::Torn => writer.torn(record, &mut out),
            Whole::Yes | Whole::Unread => writer.record(record, &mut out),
        }
    }
    writer.finish(&mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_end_stays_one() {
        let mut parts = Parts::of_lines("{}\n1");
        let all = Candidate::all(&parts);
        let written = |parts: &Parts, candidate: &Candidate, layout| write(parts, candidate, None, layout, None);
        assert_eq!(written(&parts, &all, LogLayout::Array), b"[\n{},\n1\n]\n");
        assert_eq!(written(&parts, &all.without(&[0, 1]), LogLayout::Array), b"[]\n");
        parts.push(b"{\"a", Ok(0..3), Whole::Torn);
        let torn = Candidate::all(&parts);
        assert_eq!(written(&parts, &torn, LogLayout::Lines), b"{}\n1\n{\"a");
        assert_eq!(written(&parts, &torn.without(&[1]), LogLayout::Array), b"[\n{},\n{\"a");
    }
}

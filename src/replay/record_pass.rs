//! A pass over the records of a log without a timeline: chunks of lines decoded elsewhere, and single records in between.

use super::chunk::ChunkFeed;
use super::finding::Finding;
use super::machine::Malformed;
use super::{Place, Seq};

pub(crate) trait RecordPass: ChunkFeed {
    /// Takes a record and the event in it, or the reason why it has none.
    fn event(&mut self, at: Seq, place: Place, record: &[u8], event: Result<&[u8], Malformed>);

    /// Takes damage of the log. A record that cannot be read has a number, and perhaps bytes.
    fn damage(&mut self, finding: Finding, taken: Option<(Seq, &[u8])>);
}

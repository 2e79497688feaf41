//! Where a search began while its pattern is typed.

use crate::replay::Seq;
use crate::replay::search::Search;

/// Where the playhead and the search were before the user began to type a pattern.
#[derive(Clone)]
pub(crate) struct SearchStart {
    pub at: Seq,
    pub search: Option<Search>,
    /// The pattern within the event.
    pub within: Option<String>,
}

//! Relinking: references between records are rewritten after some records were removed, so that the log stays valid.

/// Rewrites the references to removed records. It sees all records first, then, in order, the ones that stay.
pub(crate) trait Relinker {
    /// A record of the original.
    fn see(&mut self, number: u32, record: &[u8], is_removed: bool);

    /// A record that stays, with its number in the original. Returns its new text if it has to change.
    fn kept(&mut self, number: u32, record: &[u8]) -> Option<Vec<u8>>;
}

/// Begins to relink a log.
pub(crate) type BeginRelink = fn() -> Box<dyn Relinker>;

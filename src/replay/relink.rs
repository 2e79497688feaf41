//! Relinking: keeps a log whole from which records were removed, where records refer to each other.

/// Closes the gaps that removed records leave. It sees all records first, then those that stay again, in order.
pub(crate) trait Relinker {
    /// A record of the original.
    fn see(&mut self, number: u32, record: &[u8], is_removed: bool);

    /// A record that stays, with its number in the original. Returns its new text if it has to change.
    fn kept(&mut self, number: u32, record: &[u8]) -> Option<Vec<u8>>;
}

/// Begins to relink a log.
pub(crate) type BeginRelink = fn() -> Box<dyn Relinker>;

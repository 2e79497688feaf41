//! Repair of hashes after masking: a hash in a record must match the masked bytes.

use std::borrow::Cow;

use super::mask::Masker;

/// Begins the repair of one log.
pub(crate) type BeginRehash = fn() -> Box<dyn Rehash>;

/// Replaces plain masking for a dialect with such hashes. Payloads come first, then the records.
pub(crate) trait Rehash {
    /// Masks a payload and returns its new name.
    fn payload<'b>(&mut self, masker: &mut Masker, place: &str, name: &str, bytes: &'b [u8])
    -> (String, Cow<'b, [u8]>);

    /// Masks a record and corrects the hashes in it.
    fn record<'b>(&mut self, masker: &mut Masker, place: &str, record: &'b [u8]) -> Cow<'b, [u8]>;
}

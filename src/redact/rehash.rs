//! Repair of hashes after masking: where a format names bytes by their hash, it must name the bytes that are there now.

use std::borrow::Cow;

use super::mask::Masker;

/// Begins the repair of one log.
pub(crate) type BeginRehash = fn() -> Box<dyn Rehash>;

/// What a dialect with such hashes does in the place of plain masking. Payloads come first, then the records.
pub(crate) trait Rehash {
    /// Masks a payload and returns the name that it has from now on.
    fn payload<'b>(&mut self, masker: &mut Masker, place: &str, name: &str, bytes: &'b [u8])
    -> (String, Cow<'b, [u8]>);

    /// Masks a record and corrects the hashes in it.
    fn record<'b>(&mut self, masker: &mut Masker, place: &str, record: &'b [u8]) -> Cow<'b, [u8]>;
}

//! Repair of a tape's hashes after its payloads were masked.

use std::borrow::Cow;

use crate::redact::Masker;
use crate::redact::rehash::Rehash;
use crate::redact::tape::Hashes;

impl Rehash for Hashes {
    fn payload<'b>(
        &mut self,
        masker: &mut Masker,
        place: &str,
        name: &str,
        bytes: &'b [u8],
    ) -> (String, Cow<'b, [u8]>) {
        let masked = self.entry(masker, place, name, bytes);
        (self.name(name).to_owned(), masked)
    }

    fn record<'b>(&mut self, masker: &mut Masker, place: &str, record: &'b [u8]) -> Cow<'b, [u8]> {
        self.line(masker, place, record)
    }
}

/// The column of the row.
pub fn rehash() -> Box<dyn Rehash> {
    Box::new(Hashes::default())
}

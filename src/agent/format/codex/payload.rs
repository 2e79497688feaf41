//! The members of a Codex record or of its payload.

use crate::json::raw::{RawJson, RawText};

/// The members of an object, in its order.
#[derive(Default)]
pub(super) struct Payload<'a> {
    members: Vec<(RawText<'a>, RawJson<'a>)>,
}

impl<'a> Payload<'a> {
    pub(super) fn of(object: RawJson<'a>) -> Payload<'a> {
        let mut payload = Payload { members: Vec::with_capacity(12) };
        object.each_member(&mut |key, value| payload.take(key, value));
        payload
    }

    pub(super) fn take(&mut self, key: RawText<'a>, value: RawJson<'a>) {
        self.members.push((key, value));
    }

    /// The last member with this name.
    pub(super) fn get(&self, name: &str) -> Option<RawJson<'a>> {
        self.members.iter().rev().find(|(key, _)| key.is(name)).map(|(_, value)| *value)
    }

    pub(super) fn text(&self, name: &str) -> Option<RawText<'a>> {
        self.get(name)?.text()
    }
}

//! Short names of calls, for answers that list results: a result alone does not say what was asked.

use rustc_hash::FxHashMap;

use crate::agent::block::{CallId, ToolCall};
use crate::agent::summary;
use crate::replay::caption::brief;

/// Longer names are cut.
const LABEL_CHARACTERS: usize = 90;
/// More calls than this are never open at a time; older ones lose their names.
const MOST_OPEN: usize = 10_000;

/// The names of calls without a result so far.
#[derive(Default)]
pub(super) struct CallLabels {
    open: FxHashMap<u64, (Box<str>, Box<str>)>,
}

fn key(id: CallId<'_>) -> u64 {
    match id {
        CallId::Named(id) => id.hash(),
        CallId::Unnamed => 0,
    }
}

/// What a call asks for, on one line.
pub(super) fn of_call(call: &ToolCall<'_>) -> Box<str> {
    cut(&summary::of_call(call))
}

/// The beginning of a text on one line.
pub(crate) fn cut(text: &str) -> Box<str> {
    brief(text).chars().take(LABEL_CHARACTERS).collect::<String>().into()
}

impl CallLabels {
    pub(super) fn add(&mut self, call: &ToolCall<'_>) {
        if self.open.len() >= MOST_OPEN {
            self.open.clear();
        }
        self.open.insert(key(call.id), (call.name.get().into(), of_call(call)));
    }

    /// The tool of a call and what it asked for, when its result has come.
    pub(super) fn take(&mut self, id: CallId<'_>) -> Option<(Box<str>, Box<str>)> {
        self.open.remove(&key(id))
    }
}

//! Session events: a kind and the members of an object, read leniently.
//!
//! Most readers of an event need one or two members, so an event keeps its text and the places of its members. The
//! strict reading of the core format is in [`schema`](super::schema).

use serde_json::Value;

use super::kind::{Category, SessionKind};
use super::members::Members;
use super::schema;
use crate::json::text::Text;

pub(crate) struct SessionEvent<'a> {
    pub kind: SessionKind,
    /// The kind as it is written; an unknown one has only this name.
    pub name: Text<'a>,
    pub members: Members<'a>,
}

/// How far an event can be understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// The core format decodes it.
    Core,
    /// The SDKs write it in this shape, which the core format refuses.
    Sdk,
    /// A kind of a later release.
    Later,
    Unknown,
}

impl Reading {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Reading::Core => "core",
            Reading::Sdk => "SDK shape",
            Reading::Later => "later release",
            Reading::Unknown => "unknown kind",
        }
    }
}

impl<'a> SessionEvent<'a> {
    /// Whether the core format decodes the event.
    pub(crate) fn is_core(&self) -> bool {
        schema::accepts(self.kind, &self.members)
    }

    pub(crate) fn reading(&self) -> Reading {
        use super::kind::Writer;
        match self.kind.writer() {
            Writer::Os | Writer::Host if self.is_core() => Reading::Core,
            Writer::Os | Writer::Host | Writer::Sdk => Reading::Sdk,
            Writer::Later => Reading::Later,
            Writer::Unknown => Reading::Unknown,
        }
    }

    pub(crate) fn turn(&self) -> Option<u64> {
        self.members.number("turn")
    }

    /// The category of the kind, whatever the event says.
    pub(crate) fn kind_category(&self) -> Category {
        match self.kind {
            SessionKind::Unknown => Category::of_kind(&self.name.get()),
            kind => kind.category(),
        }
    }

    /// The embedded category if there is one, else that of the kind. Only kernel events have labels.
    pub(crate) fn category(&self) -> Category {
        let embedded = || Category::from_name(&self.members.text("category")?.get());
        self.kind.is_os().then(embedded).flatten().unwrap_or_else(|| self.kind_category())
    }

    pub(crate) fn has_category(&self) -> bool {
        self.members.text("category").is_some()
    }

    /// The object that holds a model's answer: `message`, or the event itself in the SDK shape.
    pub(crate) fn answer(&self) -> Members<'a> {
        self.members.members("message").unwrap_or_else(|| self.members.clone())
    }

    /// The tool calls of a model's answer or of a request.
    pub(crate) fn calls(&self) -> Vec<Members<'a>> {
        match self.kind {
            SessionKind::LlmCompleted => self.answer().objects("tool_calls").collect(),
            SessionKind::ToolRequested => self.members.objects("calls").collect(),
            _ => Vec::new(),
        }
    }

    pub(crate) fn results(&self) -> impl Iterator<Item = Members<'a>> + use<'a> {
        self.members.objects("results")
    }

    /// The state of a process; the SDKs omit it when the agent starts.
    pub(crate) fn process_state(&self) -> Option<Text<'a>> {
        self.members.text("state")
    }

    /// The call that the event is about, if it is exactly one.
    pub(crate) fn call(&self) -> Option<Text<'a>> {
        let single = |ids: &mut dyn Iterator<Item = Text<'a>>| {
            let first = ids.next()?;
            ids.next().is_none().then_some(first)
        };
        match self.kind {
            SessionKind::LargeResultSpooled | SessionKind::ToolDenied | SessionKind::ToolGated => {
                self.members.text("call_id")
            }
            SessionKind::ToolRequested => single(&mut self.calls().iter().filter_map(|call| call.text("id"))),
            SessionKind::ToolCompleted => single(&mut self.results().filter_map(|result| result.text("call_id"))),
            _ => None,
        }
    }

    /// The event as a tree.
    pub(crate) fn to_value(&self) -> Value {
        serde_json::from_str(self.members.raw).unwrap_or_default()
    }
}

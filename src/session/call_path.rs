//! The path of each tool call: offered, gated, asked, answered, requested, and how it ended.

use std::sync::Arc;

use imbl::OrdMap;

use super::event::SessionEvent;
use super::kind::SessionKind;
use super::members::Members;
use super::state::shared;
use crate::replay::Seq;

/// A request for permission names a tool, not a call. It is assigned to the oldest call of the tool that fits, among
/// at most so many.
const SEARCHED_CALLS: usize = 64;

/// A call by the event that first named it, and its place in that event.
pub(crate) type CallKey = (u32, u32);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpenCall {
    pub id: Arc<str>,
    pub tool: Arc<str>,
    /// The steps so far, such as `offered, gated (ask_user), asked`.
    pub path: String,
    is_asked: bool,
    is_waiting: bool,
}

impl OpenCall {
    pub(crate) fn named(&self) -> String {
        if self.tool.is_empty() { self.id.to_string() } else { format!("{} {}", self.id, self.tool) }
    }

    fn step(&mut self, step: &str) {
        if !self.path.is_empty() {
            self.path.push_str(", ");
        }
        self.path.push_str(step);
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EndedCall {
    pub id: Arc<str>,
    pub tool: Arc<str>,
    pub path: String,
}

/// A request for permission without an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpenPermission {
    pub tool: Arc<str>,
    call: Option<CallKey>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CallTable {
    pub open: OrdMap<CallKey, Arc<OpenCall>>,
    by_id: OrdMap<Arc<str>, CallKey>,
    /// The open calls that were requested, by their requests.
    pub waiting: OrdMap<CallKey, Arc<OpenCall>>,
    /// By their events.
    pub permissions: OrdMap<u32, Arc<OpenPermission>>,
    ended: Arc<Vec<EndedCall>>,
    /// Calls that were denied. They should not run any more.
    denied: OrdMap<Arc<str>, Arc<EndedCall>>,
}

impl CallTable {
    pub(crate) fn apply(&mut self, at: Seq, event: &SessionEvent<'_>) {
        let members = &event.members;
        match event.kind {
            SessionKind::LlmCompleted => self.name_calls(at, event, "offered"),
            SessionKind::ToolRequested => self.name_calls(at, event, "requested"),
            SessionKind::ToolGated => {
                let step = with_reason("gated", members);
                let (id, tool) = (shared(members.text("call_id")), shared(members.text("tool")));
                if let Some(id) = id {
                    let key = self.key(at, 0, id, tool);
                    self.change(key, |call| call.step(&step));
                }
            }
            SessionKind::PermissionRequested => self.ask(at, shared(members.text("tool")).unwrap_or_default()),
            SessionKind::PermissionResolved => self.answer(members),
            SessionKind::Resumed => {
                for (name, step) in [("denied", "denied"), ("approved", "approved")] {
                    for id in members.strings(name) {
                        if let Some(key) = self.by_id.get(&*id.get()).copied() {
                            self.change(key, |call| call.step(step));
                        }
                    }
                }
            }
            SessionKind::ToolDenied => {
                let ended = self.end(shared(members.text("call_id")), &with_reason("denied", members));
                if let Some(call) = &ended {
                    self.denied.insert(Arc::clone(&call.id), Arc::new(call.clone()));
                }
                self.ended = Arc::new(ended.into_iter().collect());
            }
            SessionKind::ToolCompleted => {
                let ran = |result: &Members<'_>| if result.flag("is_error") == Some(true) { "failed" } else { "ran" };
                let results = event.results();
                self.ended = Arc::new(
                    results.filter_map(|result| self.end(shared(result.text("call_id")), ran(&result))).collect(),
                );
            }
            _ => {}
        }
    }

    pub(crate) fn ended(&self) -> &[EndedCall] {
        &self.ended
    }

    pub(crate) fn entries(&self) -> usize {
        2 * self.open.len() + self.waiting.len() + self.permissions.len() + self.ended.len() + self.denied.len()
    }

    fn name_calls(&mut self, at: Seq, event: &SessionEvent<'_>, step: &str) {
        for (place, call) in (0..).zip(event.calls()) {
            let Some(id) = shared(call.text("id")) else { continue };
            let key = self.key(at, place, id, shared(call.text("name")));
            let waits = event.kind == SessionKind::ToolRequested;
            self.change(key, |call| {
                call.step(step);
                call.is_waiting |= waits;
            });
        }
    }

    /// The key of a call, which is open from now on.
    fn key(&mut self, at: Seq, place: u32, id: Arc<str>, tool: Option<Arc<str>>) -> CallKey {
        if let Some(key) = self.by_id.get(&id) {
            return *key;
        }
        let (key, tool) = ((at.0, place), tool.unwrap_or_default());
        self.by_id.insert(Arc::clone(&id), key);
        let call = OpenCall { id, tool, path: String::new(), is_asked: false, is_waiting: false };
        self.open.insert(key, Arc::new(call));
        key
    }

    fn change(&mut self, key: CallKey, change: impl FnOnce(&mut OpenCall)) {
        let Some(call) = self.open.get(&key) else { return };
        let mut call = OpenCall::clone(call);
        change(&mut call);
        let call = Arc::new(call);
        if call.is_waiting {
            self.waiting.insert(key, Arc::clone(&call));
        }
        self.open.insert(key, call);
    }

    fn ask(&mut self, at: Seq, tool: Arc<str>) {
        let mut oldest = self.open.iter().take(SEARCHED_CALLS);
        let call = oldest.find(|(_, call)| call.tool == tool && !call.is_asked).map(|(key, _)| *key);
        if let Some(key) = call {
            self.change(key, |call| {
                call.is_asked = true;
                call.step("asked");
            });
        }
        self.permissions.insert(at.0, Arc::new(OpenPermission { tool, call }));
    }

    /// Answers the oldest request for permission.
    fn answer(&mut self, members: &Members<'_>) {
        let Some((at, asked)) = self.permissions.get_min().map(|(at, asked)| (*at, Arc::clone(asked))) else { return };
        self.permissions.remove(&at);
        let verdict = if members.flag("approved") == Some(true) { "allowed" } else { "refused" };
        let responder = shared(members.text("responder")).unwrap_or_else(|| "?".into());
        if let Some(key) = asked.call {
            self.change(key, |call| {
                call.is_asked = false;
                call.step(&format!("{verdict} by {responder}"));
            });
        }
    }

    fn end(&mut self, id: Option<Arc<str>>, how: &str) -> Option<EndedCall> {
        let id = id?;
        let call = self.by_id.remove(&id).and_then(|key| {
            self.waiting.remove(&key);
            self.open.remove(&key)
        });
        let denied = self.denied.remove(&id);
        let (tool, before) = match (&call, &denied) {
            (Some(call), _) => (Arc::clone(&call.tool), call.path.as_str()),
            (None, Some(denied)) => (Arc::clone(&denied.tool), denied.path.as_str()),
            (None, None) => ("".into(), ""),
        };
        let path = if before.is_empty() { how.to_owned() } else { format!("{before}, {how}") };
        Some(EndedCall { id, tool, path })
    }
}

fn with_reason(step: &str, members: &Members<'_>) -> String {
    match members.text("reason").filter(|reason| !reason.is_empty()) {
        Some(reason) => format!("{step} ({reason})"),
        None => step.to_owned(),
    }
}

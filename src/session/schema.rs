//! The strict reading of the core format: which members each kind must have, and of which types.
//!
//! There is no partial decoding: one missing member or one value of another type makes the event undecodable. Unknown
//! members are ignored.

use super::kind::{Category, Primitive, SessionKind};
use super::members::{MemberShape, Members, RawMember};

/// What the absence of a member means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Presence {
    Required,
    /// Absent and null mean none.
    Optional,
    /// Absent means a default; null is refused.
    Defaulted,
}

#[derive(Clone, Copy)]
enum Type {
    U32,
    U64,
    Bool,
    Str,
    Json,
    Range,
    Cat,
    Prim,
    ErrKind,
    Role,
    Content,
    Object(&'static [MemberRule]),
    /// An object whose member of this name selects its rules.
    Tagged(&'static str, &'static [(&'static str, &'static [MemberRule])]),
    List(&'static Type),
}

struct MemberRule {
    name: &'static str,
    value: Type,
    presence: Presence,
}

const fn must(name: &'static str, value: Type) -> MemberRule {
    MemberRule { name, value, presence: Presence::Required }
}

const fn may(name: &'static str, value: Type) -> MemberRule {
    MemberRule { name, value, presence: Presence::Optional }
}

const fn or_default(name: &'static str, value: Type) -> MemberRule {
    MemberRule { name, value, presence: Presence::Defaulted }
}

use Type::{Bool, Cat, Content, Json, Prim, Role, Str, U32, U64};

const STRS: Type = Type::List(&Str);
const CALLS: Type = Type::List(&Type::Object(TOOL_CALL));
const TURN: MemberRule = must("turn", U32);

const LABELS: &[MemberRule] = &[TURN, may("category", Cat), may("primitive", Prim)];

const TOOL_CALL: &[MemberRule] = &[must("id", Str), must("name", Str), must("arguments", Json)];

const MESSAGE: &[MemberRule] =
    &[must("role", Role), must("content", Content), or_default("tool_calls", CALLS), may("token_count", U32)];

const TOOL_RESULT: &[MemberRule] = &[
    must("call_id", Str),
    must("output", Content),
    must("is_error", Bool),
    or_default("is_fatal", Bool),
    may("error_kind", Type::ErrKind),
    may("token_count", U32),
];

const REPLAY: &[MemberRule] = &[may("native_blocks", Type::List(&Json)), may("reasoning_content", Str)];

const RETRIEVAL: &[MemberRule] = &[must("selected_memory_ids", STRS), must("selection_rationale", Str)];

static PARTS: &[(&str, &[MemberRule])] = &[
    ("text", &[must("text", Str)]),
    ("image", &[may("url", Str), may("data", Str), may("media_type", Str), may("detail", Str)]),
    ("audio", &[must("data", Str), must("media_type", Str)]),
    ("tool_result", &[must("call_id", Str), must("output", Str), must("is_error", Bool)]),
];

static PART: Type = Type::Tagged("type", PARTS);

static ROLLBACKS: &[(&str, &[MemberRule])] = &[
    ("fatal_tool_error", &[must("tool_name", Str), must("error", Str)]),
    ("governance_denied", &[must("tool_name", Str), must("reason", Str)]),
    ("provider_failure", &[must("error", Str)]),
    ("timeout", &[]),
    ("user_interrupt", &[]),
    ("malformed_replay", &[must("reason", Str)]),
];

/// The members of each kind besides the labels of kernel events, in the order of the kinds.
static RULES: &[(SessionKind, &[MemberRule])] = &[
    (
        SessionKind::RunStarted,
        &[
            must("run_id", Str),
            must("goal", Str),
            or_default("criteria", STRS),
            may("agent_id", Str),
            may("system_prompt", Str),
        ],
    ),
    (
        SessionKind::LlmCompleted,
        &[TURN, must("message", Type::Object(MESSAGE)), may("provider_replay", Type::Object(REPLAY))],
    ),
    (SessionKind::ToolRequested, &[TURN, must("calls", CALLS)]),
    (SessionKind::ToolCompleted, &[TURN, must("results", Type::List(&Type::Object(TOOL_RESULT)))]),
    (
        SessionKind::Compressed,
        &[
            must("archived_seq_range", Type::Range),
            may("action", Str),
            may("summary", Str),
            may("summary_tokens", U32),
            may("archive_ref", Str),
            or_default("preserved_refs", STRS),
        ],
    ),
    (
        SessionKind::PageOut,
        &[may("action", Str), may("summary", Str), may("tier_hint", Str), or_default("message_count", U32)],
    ),
    (SessionKind::PageIn, &[must("entry_count", U32)]),
    (
        SessionKind::LargeResultSpooled,
        &[
            must("call_id", Str),
            must("tool", Str),
            must("original_size", U32),
            must("preview_size", U32),
            may("spool_ref", Str),
        ],
    ),
    (SessionKind::RunTerminal, &[must("reason", Str), must("turns_used", U32), must("total_tokens", U64)]),
    (
        SessionKind::ToolArgumentRepaired,
        &[TURN, must("tool", Str), must("original_arguments", Str), must("repaired_arguments", Str)],
    ),
    (SessionKind::PermissionRequested, &[TURN, must("tool", Str), must("arguments", Str), may("reason", Str)]),
    (SessionKind::PermissionResolved, &[TURN, must("approved", Bool), must("responder", Str)]),
    (SessionKind::ToolDenied, &[TURN, must("call_id", Str), must("tool_name", Str), must("reason", Str)]),
    (
        SessionKind::CapabilityChanged,
        &[
            or_default("added", STRS),
            or_default("removed", STRS),
            may("change_kind", Str),
            may("capability_id", Str),
            may("version", Str),
            may("mounted_by", Str),
            may("mount_reason", Str),
        ],
    ),
    (SessionKind::ContextRenewed, &[must("sprint", U32), must("handoff_ref", Str)]),
    (SessionKind::Suspended, &[must("reason", Str), or_default("pending_calls", STRS)]),
    (SessionKind::Resumed, &[or_default("approved", STRS), or_default("denied", STRS)]),
    (SessionKind::ToolGated, &[must("call_id", Str), must("tool", Str), must("reason", Str)]),
    (SessionKind::SignalDisposed, &[must("signal_id", Str), must("disposition", Str), must("queue_depth", U32)]),
    (SessionKind::BudgetExceeded, &[must("budget", Str)]),
    (SessionKind::CheckpointTaken, &[must("history_len", U32)]),
    (SessionKind::Rollbacked, &[must("checkpoint_history_len", U32), may("reason", Type::Tagged("kind", ROLLBACKS))]),
    (SessionKind::CleanupCompleted, &[must("run_id", Str), must("freed_resources", STRS)]),
    (
        SessionKind::AgentProcessChanged,
        &[
            must("agent_id", Str),
            must("parent_session_id", Str),
            must("role", Str),
            must("isolation", Str),
            must("context_inheritance", Str),
            must("state", Str),
            or_default("permitted_capability_ids", STRS),
            may("result_termination", Str),
        ],
    ),
    (SessionKind::MilestoneAdvanced, &[must("phase_id", Str), or_default("capabilities_unlocked", STRS)]),
    (SessionKind::MilestoneBlocked, &[must("phase_id", Str), must("reason", Str)]),
    (SessionKind::MilestoneEvidence, &[must("phase_id", Str), or_default("evidence", STRS)]),
    (SessionKind::MemoryWritten, &[must("memory_id", Str), must("memory_kind", Str), must("size_bytes", U32)]),
    (
        SessionKind::MemoryQueried,
        &[must("query_context", Str), must("requested_k", U64), must("requires_async_response", Bool)],
    ),
    (SessionKind::MemoryValidationFailed, &[must("memory_id", Str), must("error", Str)]),
    (SessionKind::MemoryRetrievalResult, &[must("retrieval", Type::Object(RETRIEVAL))]),
];

/// Whether the core format decodes an event with these members.
pub(crate) fn accepts(kind: SessionKind, members: &Members<'_>) -> bool {
    (!kind.is_os() || follows(LABELS, members)) && rules(kind).is_some_and(|rules| follows(rules, members))
}

fn rules(kind: SessionKind) -> Option<&'static [MemberRule]> {
    RULES.get(kind as usize).filter(|(of, _)| *of == kind).map(|(_, rules)| *rules)
}

fn follows(rules: &[MemberRule], members: &Members<'_>) -> bool {
    rules.iter().all(|rule| match (members.get(rule.name), rule.presence) {
        (None, presence) => presence != Presence::Required,
        (Some(member), Presence::Optional) if member.shape == MemberShape::Null => true,
        (Some(member), _) => rule.value.accepts(member),
    })
}

impl Type {
    fn accepts(self, member: &RawMember<'_>) -> bool {
        let is_word = |words: &[&str]| member.text().is_some_and(|text| words.contains(&&*text.get()));
        match self {
            Type::U32 => member.number().is_some_and(|number| u32::try_from(number).is_ok()),
            Type::U64 => member.number().is_some(),
            Type::Bool => member.shape == MemberShape::Bool,
            Type::Str => matches!(member.shape, MemberShape::String { .. }),
            Type::Json => true,
            Type::Range => {
                let mut ends = member.elements();
                let is_end = |end: Option<RawMember<'_>>| end.is_some_and(|end| end.number().is_some());
                is_end(ends.next()) && is_end(ends.next()) && ends.next().is_none()
            }
            Type::Cat => is_word(&Category::ALL.map(Category::name)),
            Type::Prim => is_word(&Primitive::ALL.map(Primitive::name)),
            Type::ErrKind => {
                is_word(&["recoverable", "fatal", "governance_denied", "provider_failure", "timeout", "user_interrupt"])
            }
            Type::Role => is_word(&["system", "user", "assistant", "tool"]),
            Type::Content => Str.accepts(member) || Type::List(&PART).accepts(member),
            Type::Object(rules) => member.members().is_some_and(|members| follows(rules, &members)),
            Type::Tagged(tag, shapes) => member.members().is_some_and(|members| {
                let Some(name) = members.text(tag) else { return false };
                shapes.iter().any(|(known, rules)| name == **known && follows(rules, &members))
            }),
            Type::List(of) => {
                member.shape == MemberShape::Array && member.elements().all(|element| of.accepts(&element))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::decode::decode;
    use super::super::kind::Writer;
    use super::*;

    fn is_core(event: &str) -> bool {
        decode(event.as_bytes()).expect("an event").is_core()
    }

    #[test]
    fn every_kind_of_the_core_has_rules() {
        for kind in SessionKind::ALL {
            let is_core = matches!(kind.writer(), Writer::Os | Writer::Host);
            assert_eq!(rules(*kind).is_some(), is_core, "{}", kind.name());
        }
    }

    #[test]
    fn absent_null_and_wrong_values_are_treated_by_the_kind_of_member() {
        for event in [
            r#"{"kind":"suspended","turn":1,"reason":"ask_user"}"#,
            r#"{"kind":"suspended","turn":1,"reason":"x","category":null,"pending_calls":[],"extra":[1.5]}"#,
            r#"{"kind":"tool_requested","turn":1,"calls":[{"id":"c","name":"n","arguments":null}]}"#,
            r#"{"kind":"compressed","turn":1,"archived_seq_range":[9,2]}"#,
            r#"{"kind":"rollbacked","turn":1,"checkpoint_history_len":0,"reason":{"kind":"timeout","x":1}}"#,
            r#"{"kind":"run_terminal","reason":"r","turns_used":1,"total_tokens":18446744073709551615,"category":7}"#,
            r#"{"kind":"llm_completed","turn":0,"message":{"role":"assistant","content":[{"type":"image"}]}}"#,
        ] {
            assert!(is_core(event), "{event}");
        }
        for event in [
            r#"{"kind":"suspended","reason":"ask_user"}"#,
            r#"{"kind":"suspended","turn":1,"reason":"x","pending_calls":null}"#,
            r#"{"kind":"suspended","turn":4294967296,"reason":"x"}"#,
            r#"{"kind":"suspended","turn":1.0,"reason":"x"}"#,
            r#"{"kind":"suspended","turn":1,"reason":"x","category":"Sched"}"#,
            r#"{"kind":"suspended","turn":1,"reason":"x","primitive":"ipc"}"#,
            r#"{"kind":"tool_requested","turn":1,"calls":[{"id":"c","name":"n"}]}"#,
            r#"{"kind":"compressed","turn":1,"archived_seq_range":[1,2,3]}"#,
            r#"{"kind":"rollbacked","turn":1,"checkpoint_history_len":0,"reason":{"kind":"other"}}"#,
            r#"{"kind":"llm_completed","turn":0,"message":{"role":"assistant","content":[{"type":"video"}]}}"#,
            r#"{"kind":"llm_completed","turn":0,"content":"text","tool_calls":[]}"#,
            r#"{"kind":"workflow_completed"}"#,
            r#"{"kind":"quantum_leap"}"#,
        ] {
            assert!(!is_core(event), "{event}");
        }
    }
}

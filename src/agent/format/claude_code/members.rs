//! The members of a Claude Code line that the reader uses, found in one walk over the line.

use crate::json::raw::RawJson;

macro_rules! members {
    ($($field:ident $name:literal)*) => {
        #[derive(Clone, Default)]
        pub(super) struct LineMembers<'a> {
            $(pub $field: Option<RawJson<'a>>),*
        }

        impl<'a> LineMembers<'a> {
            pub(super) fn take(&mut self, name: &[u8], value: RawJson<'a>) {
                match name {
                    $($name => self.$field = Some(value),)*
                    _ => {}
                }
            }
        }
    };
}

members! {
    name b"type"
    subtype b"subtype"
    uuid b"uuid"
    parent b"parentUuid"
    is_sidechain b"isSidechain"
    timestamp b"timestamp"
    cwd b"cwd"
    branch b"gitBranch"
    version b"version"
    permission_mode b"permissionMode"
    agent b"agentId"
    request b"requestId"
    prompt b"promptId"
    message b"message"
    result b"toolUseResult"
    answers b"sourceToolAssistantUUID"
    origin b"origin"
    denial b"toolDenialKind"
    is_meta b"isMeta"
    is_summary b"isCompactSummary"
    is_for_transcript b"isVisibleInTranscriptOnly"
    is_api_error b"isApiErrorMessage"
    error b"error"
    compaction b"compactMetadata"
    retry_attempt b"retryAttempt"
    most_retries b"maxRetries"
    data b"data"
    attachment b"attachment"
    operation b"operation"
    content b"content"
}

/// The members of a `message` that the reader uses.
#[derive(Clone, Default)]
pub(super) struct MessageMembers<'a> {
    pub id: Option<RawJson<'a>>,
    pub model: Option<RawJson<'a>>,
    pub content: Option<RawJson<'a>>,
    pub stop_reason: Option<RawJson<'a>>,
    pub usage: Option<RawJson<'a>>,
}

impl<'a> MessageMembers<'a> {
    /// Of a message that is not an object, nothing is known.
    pub(super) fn of(message: Option<RawJson<'a>>) -> MessageMembers<'a> {
        let mut members = MessageMembers::default();
        message.into_iter().for_each(|message| {
            message.each_member(&mut |key, value| match &*key.name() {
                b"id" => members.id = Some(value),
                b"model" => members.model = Some(value),
                b"content" => members.content = Some(value),
                b"stop_reason" => members.stop_reason = Some(value),
                b"usage" => members.usage = Some(value),
                _ => {}
            });
        });
        members
    }
}

//! The checks of a session: what agents and providers refuse, and what is lost without a word.

super::problem::rules! {
    MISSING_RESULT "doctor/missing-result" Error Provider:
        "call {id} has no result"
        "The request holds a tool call whose result is not in the next message, so the provider refuses it. The agent was killed while the tool ran, or the line of the result was lost. Claude Code since 2.1.86 and every Codex fill in a placeholder; other clients do not."
    ORPHAN_RESULT "doctor/orphan-result" Error Provider:
        "the call of result {id} is not in the history"
        "A tool result without its call. The call was summarized away by a compaction, its line is unreadable, or the chain of parents leads around it. Claude Code since 2.1.69 drops such a result from the first message only; Codex always drops it."
    MISPLACED_RESULT "doctor/misplaced-result" Error Provider:
        "result {id} is not next to its call"
        "Call and result are both in the history, but another message is between them, and the provider wants the result directly after its call. A prompt was recorded before the result of a call that was still running."
    DUPLICATE_RESULT "doctor/duplicate-result" Error Provider:
        "call {id} has a second result in the same message"
        "One call was answered twice. A retry or a resumed session wrote the result again."
    DUPLICATE_CALL "doctor/duplicate-call" Error Provider:
        "the call id {id} is used twice"
        "Ids of calls must be unique in a request. Either one line was written twice under two uuids, or a gateway numbers its calls anew in each turn."
    SERVER_CALL_OPEN "doctor/server-call-open" Error Provider:
        "the provider's own call {id} has no result in its message"
        "Tools that the provider runs itself must have call and result in one message. Here the result is missing or belongs to another message."
    SERVER_RESULT_ORPHAN "doctor/server-result-orphan" Error Provider:
        "the result {id} of the provider's own tool has no call before it"
        "A result of a tool that the provider runs itself must follow its call in the same message. The message was split, or the call was lost."
    EMPTY_TEXT "doctor/empty-text" Error Provider:
        "an empty text block"
        "Providers refuse a text block without text. Interrupted answers and proxies leave such blocks behind."
    BLANK_TEXT "doctor/blank-text" Error Provider:
        "a message of white space"
        "Providers refuse a message whose text is white space only. Beside other content the agent drops such a block, so only a message of nothing else is a problem."
    EMPTY_CONTENT "doctor/empty-content" Error Provider:
        "a message without content"
        "Providers refuse a message without any block. An empty prompt was sent, or everything else was removed from the message."
    THINKING_UNSIGNED "doctor/thinking-unsigned" Error Provider:
        "a thinking block without its signature"
        "Providers accept thinking only with the signature that they gave it. A proxy or another model wrote this block. Thinking with a signature and without text is normal."
    THINKING_ORDER "doctor/thinking-order" Error Provider:
        "thinking in a message that begins with something else"
        "If a message has thinking, its first block must be thinking. Lines of one message were written in another order, or two messages were merged."
    BAD_ID "doctor/bad-id" Error Provider:
        "the call id {id} has characters that the provider refuses"
        "Ids of calls may have letters, digits, `_` and `-` only. Another vendor's model made up this one, behind a gateway."
    LONE_SURROGATE "doctor/lone-surrogate" Error Provider:
        "half a surrogate pair in a text"
        "A text was cut through a character of two halves, such as an emoji, and the request is no longer valid JSON. Claude Code since 2.1.132 repairs this, except in the input of a call."
    NUL_CHAR "doctor/nul-char" Warning Reported:
        "a NUL character in a text"
        "Users report that requests with a NUL character fail. It usually comes from a tool that printed a binary file."
    IMAGE "doctor/image" Error Provider:
        "an image that the provider refuses"
        "The bytes are not an image or one of another type, the image is larger than 5 MB, or one of its sides has more than 8000 pixels (2000, if there are more than 20 images). Claude Code since 2.1.126 shrinks large sides and since 2.1.166 leaves out what it cannot read."
    TOO_BIG "doctor/too-big" Error Provider:
        "the history is larger than a request may be"
        "The blocks of the history take more than 32 MiB. The line named here holds the largest message. Compacting does not help, because it has to send the same history first."
    TOOL_REFERENCE "doctor/tool-reference" Info Reported:
        "refers to the tool {id}, which must still be offered"
        "A search for tools named this tool. The provider refuses the history if the tool is no longer offered when the session is resumed, which the file does not show."

    NO_CONVERSATION "doctor/no-conversation" Error Loader:
        "no line holds a message"
        "The file has no prompt and no answer, so there is nothing to resume."
    MALFORMED_LINE "doctor/malformed-line" Error Loader:
        "not a JSON object"
        "Claude Code before 2.1.121 does not load a file with such a line; later versions and Codex skip it. A line break inside a record, a half-written line or a comment looks like this."
    NUL_LINE "doctor/nul-line" Error Loader:
        "NUL bytes only"
        "A power cut or a full disk left NUL bytes in the file. Claude Code before 2.1.121 does not load it."
    TORN_TAIL "doctor/torn-tail" Info Loader:
        "the last line was cut while it was written"
        "The agent skips this line. But it does not end, so the next record is appended to it and is lost, too."
    CHAIN_BROKEN "doctor/chain-broken" Warning Loader loses:
        "its parent {id} is not in the file"
        "The history is read from the last line upwards, from parent to parent. Here the parent was never written, and no line within five seconds can stand in for it, so everything above is left out without an error. `doctor --relink` hangs this line on the one before it."
    CHAIN_BRIDGED "doctor/chain-bridged" Info Loader:
        "its parent {id} is not in the file; a line just before stands in for it"
        "The parent of this line was never written, but the agent continues with the newest line of the last five seconds."
    CHAIN_CYCLE "doctor/chain-cycle" Warning Loader loses:
        "its parent {id} comes after it"
        "The parents lead in a circle. Claude Code since 2.1.108 continues with a line just before, if there is one; otherwise everything above is left out."
    UUID_REUSED "doctor/uuid-reused" Warning Loader loses:
        "the uuid {id} was used before, for something else"
        "Two lines have one uuid but different contents or parents. The later one replaces the earlier one, which is left out without an error."
    COMPACTION_UNDONE "doctor/compaction-undone" Warning Loader:
        "the session went on from before this compaction"
        "The last line leads to lines from before the newest compaction and not to its summary, so the old history is sent again, in full."
    SECOND_ROOT "doctor/second-root" Info Loader:
        "the conversation begins here; earlier lines belong to another one"
        "The chain of parents ends at this line, although there are messages before it and no compaction explains it. After `/clear` or a rewind to the beginning this is normal."
    LEAF_AMBIGUOUS "doctor/leaf-ambiguous" Info Loader:
        "another branch could be resumed as well"
        "The newest message, the last line and the marker of the last prompt lead to different branches. Versions of the agent differ in which one they continue."

    CODEX_EMPTY "doctor/codex-empty" Error Loader:
        "the rollout has no line"
        "Codex refuses a rollout without records."
    CODEX_FIRST_LINE "doctor/codex-first-line" Error Loader:
        "not the metadata of a session"
        "A rollout must begin with a whole `session_meta` record. The head was lost, something was written before it, or an editor added a byte order mark."
    CODEX_HISTORY_MODE "doctor/codex-history-mode" Error Loader:
        "Codex does not know the history mode {id}"
        "The metadata names a history mode other than `legacy` and `paginated`. A newer version wrote the rollout, or it was edited."
    CODEX_INVALID_UTF8 "doctor/codex-invalid-utf8" Error Loader:
        "not UTF-8"
        "Rollouts in legacy mode are read as text: one bad byte, and nothing is loaded."
    CODEX_ORDINAL_MISSING "doctor/codex-ordinal-missing" Error Loader:
        "the last record has no ordinal"
        "Paginated rollouts continue to count from the ordinal of the last record, and Codex refuses the file without it."
    CODEX_ORDINAL_REPEATED "doctor/codex-ordinal-repeated" Warning Loader:
        "the ordinal {id} does not follow the one before"
        "The history that Codex shows stops here. The history that the model sees does not."
    CODEX_SUBAGENT_INCOMPLETE "doctor/codex-subagent-incomplete" Error Loader:
        "the history that the subagent inherited is not complete"
        "The metadata says how many records were copied from the parent, and fewer are there. Codex was stopped while it wrote them."
    CODEX_BASE "doctor/codex-base" Error Loader:
        "the rollout {id} that this one continues cannot be used"
        "A fork names the rollout that it continues, up to a byte. That rollout is not in the same folder, is not paginated, is shorter than that, or leads back to this one."
    CODEX_ITEM_SKIPPED "doctor/codex-item-skipped" Warning Loader loses:
        "a record that does not decode is left out"
        "Codex skips records that it cannot decode without a word, and the model does not see them."
    CODEX_ROLLBACK_CUT "doctor/codex-rollback-cut" Warning Loader loses:
        "the compaction was rolled back, and what came before it is left out"
        "The history is rebuilt from the newest compaction that was not rolled back, but replayed from behind the last one that was met. If no older compaction is left, everything before this one is lost."
    CODEX_ITEM_ID "doctor/codex-item-id" Error Provider:
        "the provider refuses the item id {id}"
        "Ids with a prefix are sent. They may have 64 characters, and those of messages, reasoning and function calls must begin with `msg_`, `rs_` and `fc_`."
    CODEX_TOO_LONG "doctor/codex-too-long" Error Provider:
        "the arguments of call {id} are too long"
        "The provider refuses arguments of more than 1,048,576 characters."
    CODEX_IMAGE_URL "doctor/codex-image-url" Error Provider:
        "an image address that cannot be used"
        "The provider refuses an image address that is neither `data:` nor `http:` nor `https:`. Codex replaces other addresses that cannot be used by itself."
    CODEX_WEB_SEARCH "doctor/codex-web-search" Error Provider:
        "the provider does not accept the action of web search {id}"
        "The provider accepts the actions `search`, `open_page` and `find_in_page` only, although it has sent another one."
    CODEX_REASONING_ALONE "doctor/codex-reasoning-alone" Warning Reported:
        "nothing follows the reasoning {id}"
        "A reasoning item is followed by the message or call that it led to. Users report that the provider refuses one without it, if the turn was interrupted there."
}

//! The checks of turn logs: ids, severities, messages and explanations.

crate::replay::check::checks! {
    MISSING_TURN_ENDED "gate/missing-turn-ended" Error
        "turn {turn_id} never ends"
        "No turn_ended event closes the turn: the process died, was killed, or the log was cut. The last event is where it stopped; look at the calls and requests that were open then."
    OUTER_BOUNDARY_CAPS "gate/outer-boundary-caps" Error
        "turn {turn_id} went over an outer boundary ({grant}): {actual}, {expected}"
        "Continuations, handoffs and cycle advances are granted a few times a turn, and never in plan mode. More of them mean that a counter was reset or bypassed; look at the grant named here and the one before it."
    LOOP_GUARD_FAILURE_HALT "gate/loop-guard-failure-halt" Error
        "halts on repeated failures do not agree in turn {turn_id}: {actual}, {expected}"
        "Replaying the tool outcomes through the loop guard gives another number of failure halts than the log holds. Either the guard did not step in after eight failures of a tool, or it did without cause. A tool that reports failure inside a success result can also explain it."
    LOOP_GUARD_IDENTICAL "gate/loop-guard-identical" Error
        "the loop guard missed identical calls in turn {turn_id}: {actual}, {expected}"
        "From its third attempt on, a call with the same tool and input is blocked until a write succeeds. Here the log shows fewer blocks than that. Look at the call named here and its earlier attempts."
    LOOP_GUARD_UNREFERENCED "gate/loop-guard-unreferenced" Error
        "the loop guard fired on call {call_id}, which no event of turn {turn_id} names"
        "A trigger names a call that was never planned, started or finished in this turn. The id was lost or rewritten, or the call's events were dropped."
    CAPACITY_FIELDS "gate/capacity-fields" Error
        "the checkpoint at step {step} contradicts itself ({field}): {actual}, expected {expected}"
        "A capacity checkpoint whose fields cannot be true together. The decision that followed was taken on numbers that are wrong; look at what was computed just before."
    ARCHIVAL_FIELDS "gate/archival-fields" Error
        "the compaction artifact {artifact} describes nothing ({field}): {actual}, expected {expected}"
        "A compaction artifact without an id, without a summary or with an impossible range cannot be restored: messages may be lost when the thread is resumed."
    MEMORY_QUERY_REPLAY "gate/memory-query-replay" Error
        "memory queries do not agree in turn {turn_id}: {actual}, {expected}"
        "Replaying the log asks for another number of memory queries than were logged. Either a request went out without a query that was due, or a query was made that nothing asked for. The event named here is the one after which the two totals never met again."
    PROMPT_REFRESH "gate/prompt-refresh" Error
        "the prompt refresh begun at step {step} was never completed"
        "A refresh is a user_memory query and a topic_episodic query of the same step, before that step's request. Only its first half is here, so the model went on with a stale prompt."
    LIVE_PROJECTION "gate/live-projection" Error
        "the live snapshot says {actual} for {field}, the log says {expected}"
        "The engine's own state and the state rebuilt from its log differ: an event was not written, written twice, or the state was changed without one. The event named here last wrote the field."

    MODEL_MESSAGE "step/model-message" Info
        "step {step} has {actual} model messages where one was expected"
        "A step should hold one request and one answer. Retries, interruptions and messages logged under another step number all show here, on healthy logs too."
    EFFECT_PARITY "step/effect-parity" Info
        "step {step} replays as {actual}, expected {expected}"
        "The calls planned for this step are not all inside its slice, or its request occurs more than once. Steps that repeat or come back later show here."
    QUERY_MEMORY "step/query-memory" Info
        "the memory queries of step {step} are not those due: {actual}, {expected}"
        "The memory queries logged for this step are not those due at its last request. Prompt refreshes always show here."
    MODEL_REQUEST_REPLAY "step/model-request-replay" Info
        "step {step} logged its queries before the request: replaying the request gives {actual}"
        "This check compares a request with all due queries, including those that were logged before, so it fires on every well-formed log with queries. It is kept because the engine has it, too."
    COMPILER_SOURCE "step/compiler-source" Info
        "a query of step {step} names a source that does not belong to its key: {actual}"
        "The compiler source of a memory query follows from its key. Another source means that the prompt was not built from what the log claims."
    COMPILER_PROJECTION "step/compiler-projection" Info
        "the prompt sources of step {step} are {actual} in the log, {expected} in the projection"
        "The sources queried for a step differ from those in the projection when its request goes out. Queries logged after the request, and unknown keys, show here."

    THREAD_EMPTY_MESSAGE "thread/empty-message" Warning
        "a model message of turn {turn_id}, step {step}, has no block"
        "The message timeline of the thread holds an entry without content: the first one is named. The model returned nothing, or its blocks were lost before logging."
    THREAD_MORE_MESSAGES "thread/more-messages" Warning
        "the thread holds more model messages than requests: {actual}, {expected}"
        "Every message answers a request. More messages mean that requests were not logged, or that a message was logged twice. The first message without a request of its own is named."

    COVER_MESSAGES "cover/messages" Warning
        "there are fewer saved messages than the log has: {actual}"
        "The log has more model messages than the engine saved. Messages were lost when the conversation was saved or compacted."
    COVER_PLANE_DEPTH "cover/plane-depth" Warning
        "there are fewer saved messages than the log implies: {actual}"
        "Messages, tool results and seams of the log add up to more than the engine saved. Check compaction first: it removes messages on purpose."
    COVER_COMPACTION_DEPTH "cover/compaction-depth" Warning
        "even with the compacted ones there are too few saved messages: {actual}"
        "Messages are missing that no compaction accounts for."
    COVER_ROLES "cover/roles" Warning
        "saved messages of a role are missing: {actual}"
        "There are fewer assistant messages or tool results than the log implies. A dropped tool result makes the next request invalid for most models."
    COVER_MEMORY_ROWS "cover/memory-rows" Warning
        "injected messages were not saved: {actual}"
        "Steers, summaries, reminders and continuations are injected as user messages. Some of them are not among the saved messages."
    COVER_PREVIEW "cover/preview" Warning
        "the saved messages differ from the rebuilt conversation: {actual}"
        "One by one, the saved messages and the conversation rebuilt from the log's previews differ. Previews are cut, so long texts may differ without harm."
    COVER_STRUCTURE "cover/structure" Warning
        "the saved messages are not those that the log implies: {actual}"
        "The conversation rebuilt from the log has other messages or blocks than the saved one. Composite tools and later turns explain some of it; otherwise the saved messages need repair."
    COVER_COMPACTION_ROWS "cover/compaction-rows" Warning
        "the compactions in the log and in the database differ: {actual}"
        "Every compaction leaves an event in the log and a row in the database. They do not match, so resuming would restore the wrong messages."

    ORPHAN_FINISH "turn/orphan-finish" Error
        "call {call_id} finished but was never planned"
        "A result came for a call that this turn never planned: events were dropped, or a result of an earlier turn arrived late."
    UNPLANNED_START "turn/unplanned-start" Warning
        "call {call_id} started but was never planned"
        "A tool ran that this turn never planned: the planning event was lost, or something outside the turn started it."
    FINISH_TWICE "turn/finish-twice" Error
        "call {call_id} finished twice"
        "Two results for one call: a retry that kept its id, or a result delivered twice. The model may have seen either."
    DUPLICATE_CALL "turn/duplicate-call" Error
        "call id {call_id} was planned again in the same turn"
        "Ids must be unique within a turn; results and approvals can no longer be told apart. Look at how ids are made after a retry."
    NEVER_FINISHED "turn/never-finished" Warning
        "call {call_id} was planned and never finished"
        "The turn ended with the call still open: the tool hung, the process died, or its result was dropped."
    APPROVAL_MISSING "turn/approval-missing" Info
        "call {call_id} needed approval, got no answer, and succeeded"
        "The decision asked for approval and the log holds no verdict. In a mode that approves by itself this is normal; otherwise a tool ran that a person should have seen."
    REJECTED_RAN "turn/rejected-ran" Critical
        "call {call_id} was rejected and ran all the same"
        "A person said no and the tool succeeded. Look at the verdict and at who executed the call."
    READ_ONLY_WROTE "turn/read-only-wrote" Error
        "call {call_id} was decided read-only and wrote state"
        "The decision and the tool disagree about what it does: it may have skipped approval and run in parallel with others. Check how the tool is classified."
    STEP_BACKWARDS "turn/step-backwards" Error
        "the request's step goes back to {step}"
        "Steps only grow within a turn. A smaller one means that two turns are mixed or that a counter was reset."
    STEP_REPEATED "turn/step-repeated" Warning
        "step {step} was requested again"
        "The same step number twice in a row: a retry after an error or an overflow recovery."
    STEP_SKIPPED "turn/step-skipped" Info
        "the request's step jumps to {step}"
        "One or more steps have no request: they were logged elsewhere, or the counter moved without one."
    OVER_LIMIT "turn/over-limit" Warning
        "step {step} is above the turn's limit: {expected}"
        "The turn went on beyond its step budget without a continuation being granted."
    NO_ANSWER "turn/no-answer" Info
        "the request of step {step} got no answer"
        "No model message followed before the next request or the end: a network error, an interruption, or a lost event."
    ANSWERED_TWICE "turn/answered-twice" Warning
        "the request of step {step} was answered twice"
        "A second model message without a request of its own: a request was not logged, or the answer was logged twice."
    EMPTY_MESSAGE "turn/empty-message" Info
        "the model message of step {step} has no block"
        "The model answered with nothing at all. Refusals and cut streams look like this."
    OVER_BUDGET "turn/over-budget" Info
        "the answer of step {step} is over its token budget: {actual}, {expected}"
        "The answer is longer than the request allowed: the limit was not sent, or the usage counts something else."
    EVENT_AFTER_END "turn/event-after-end" Error
        "{kind} comes after the end of turn {turn_id}"
        "Something was still running when the turn was closed, or the end was logged too early."
    STARTED_INSIDE "turn/started-inside" Error
        "turn {turn_id} starts while another one is still open"
        "Two turns overlap: the first one crashed without an end, or two engines write one log."
    FOREIGN_ID "turn/foreign-id" Error
        "an event of turn {turn_id} is inside turn {expected}"
        "Events of two turns are mixed in one log; projections and counters of both are wrong from here on."
    NO_START "turn/no-start" Warning
        "the log begins in the middle of turn {turn_id}"
        "The first event is not turn_started: the beginning was cut off, so limits and mode are unknown."
    REPEAT "turn/repeat" Warning
        "{tool} was called with the same input again and again ({actual}), and no guard stepped in"
        "The agent is in a loop: the same tool, the same input, no progress. Look at what the first call returned and why the model did not see it."
    FAILING_TOOL "turn/failing-tool" Warning
        "{tool} failed three times without a success in between"
        "The tool is broken, or is used in a way that cannot work. The first of the three errors usually says why."
    SCHEMA_NEWER "turn/schema-newer" Warning
        "the log says schema version {version}, newer than this program knows"
        "A newer writer may use events and fields in a way that is not checked here."
    UNKNOWN_EVENT "turn/unknown-event" Info
        "{kind} is not an event type that this version of stepback knows"
        "The record keeps its number and is not replayed. A newer writer is the usual cause."
}

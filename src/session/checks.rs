//! The checks of session logs: ids, severities, messages and explanations.

crate::replay::check::checks! {
    MISSING_CATEGORY "session/missing-category" Warning
        "{kind} has no category"
        "Releases from 0.2.17 to 0.2.36 label this kind of kernel event with a category. If no event of the log has one, a later release wrote the log, because later releases do not store labels. Otherwise the event was edited, or another program wrote it."
    CATEGORY_MISMATCH "session/category-mismatch" Warning
        "the event is labelled {category}, but its kind belongs to {expected}"
        "The category in the event contradicts its kind. Readers believe the label, so counts and filters by category are wrong for this event. Look at the program that wrote it."
    PRIMITIVE_MISMATCH "session/primitive-mismatch" Warning
        "the event is labelled with the primitive {primitive}, but its kind belongs to {expected}"
        "The primitive in the event contradicts its kind. No reader uses this label, so only the writer is at fault."
    UNREADABLE_RECORD "session/unreadable-record" Error
        "the record holds no event: {actual}"
        "The record is not an object with a string `kind`, so it keeps its number but is not replayed. The writer died while it appended, two processes wrote one file, or the file was edited. Look at the raw record."
    UNKNOWN_KIND "session/unknown-kind" Info
        "{kind} is not a kind of event that any known release writes"
        "The event keeps its place and is shown as it is. A newer release, an extension or a typing error is the usual cause."
    SEQ_ORDER "session/seq-order" Error
        "the record has number {actual}, expected {expected}"
        "Records are numbered in steps of 1. A gap means that records were lost; a repeated or smaller number means that two processes appended to one file, or that files were joined."
    TURN_REGRESSION "session/turn-regression" Warning
        "the turn goes back to {actual}, after {expected}"
        "The kernel's turn counter only goes back at a rollback or with a new run. Events were reordered, or two runs were written into one file."
    SUSPEND_NESTED "session/suspend-nested" Warning
        "the run is suspended again ({reason}) before it was resumed"
        "At most one suspension is open at a time. The record of a resume is missing, or the kernel suspended a run that already waited."
    SUSPEND_UNRESUMED "session/suspend-unresumed" Warning
        "the run was suspended ({reason}) and never resumed"
        "The log ends while the run waits. If no answer is expected any more, this is where the run stopped."
    RESUME_WITHOUT_SUSPEND "session/resume-without-suspend" Error
        "the run is resumed although it is not suspended"
        "A resume answers an open suspension. The record of the suspension is missing, or the answer was delivered twice."
    RESUME_UNKNOWN_CALL "session/resume-unknown-call" Warning
        "the resume answers {id}, which the suspension does not wait for"
        "The ids of a resume must be among those that the suspension listed. The answer belongs to another suspension, or an id was changed on the way."
    RESUME_LEAVES_PENDING "session/resume-leaves-pending" Warning
        "the resume neither approves nor denies {id}"
        "The suspension waited for this id, and the resume does not mention it. The log does not say what happened to it."
    BUDGET_EXCEEDED_CONTINUED "session/budget-exceeded-continued" Error
        "work continues although the budget {budget} is spent"
        "After a budget is exceeded the kernel allows one closing answer of the model, and nothing else. Something ignored the budget."
    EVENT_AFTER_TERMINAL "session/event-after-terminal" Warning
        "{kind} comes after the end of the run"
        "After the end of a run only cleanup and bookkeeping are expected. A task outlived its run, or the end was recorded too early."
    RUN_UNTERMINATED "session/run-unterminated" Info
        "the run {run} has no end"
        "No event says that the run ended. It is still running, was killed, or waits for something: look at what is open at the last event."
    ROLLBACK_UNKNOWN_CHECKPOINT "session/rollback-unknown-checkpoint" Warning
        "the rollback goes to {length} messages, where no checkpoint was taken"
        "A rollback returns to the length of an earlier checkpoint. The record of that checkpoint is missing, or the conversation was cut at an arbitrary place."
    PROCESS_EXIT_WITHOUT_SPAWN "session/process-exit-without-spawn" Error
        "the agent {agent} exits without having been started"
        "The first event about an agent is its exit. The record of its start is missing."
    PROCESS_EXIT_REPEATED "session/process-exit-repeated" Error
        "the agent {agent} exits a second time"
        "An agent that has joined or failed cannot do so again. Its result may have been delivered twice."
    PROCESS_RESTARTED "session/process-restarted" Warning
        "the agent {agent} runs again after its exit"
        "Agents do not come back after an exit. An id was used twice, or events were reordered."
    PROCESS_PARENT_CHANGED "session/process-parent-changed" Warning
        "the parent of agent {agent} is {actual}, at first it was {expected}"
        "The parent session of an agent never changes. Two agents share an id, or the link was edited."
    PROCESS_LEFT_RUNNING "session/process-left-running" Warning
        "the agent {agent} had not joined when the run ended"
        "The run ended while the agent was still running according to the log. Its work may be lost or may continue unobserved: look at its own session."
    PAGE_IN_WITHOUT_PAGE_OUT "session/page-in-without-page-out" Info
        "entries are paged in although nothing was paged out before"
        "The entries may come from an earlier session, so this is not a fault by itself."
    MEMORY_QUERY_UNANSWERED "session/memory-query-unanswered" Warning
        "the memory query {query} was never answered"
        "The query asked for an asynchronous answer and none followed. The model continued without the memories that it asked for."
    COMPRESSED_RANGE_INVALID "session/compressed-range-invalid" Error
        "the archived range {range} starts after its end"
        "A compression archives records from a first to a last number. This range is empty, so what was archived is unknown."
    COMPRESSED_RANGE_OVERLAP "session/compressed-range-overlap" Warning
        "the archived range {range} overlaps the one before: it starts at {actual}, expected {expected}"
        "Each compression archives records after those of the previous one. Some records were archived twice, or a number is wrong."
    TOOL_RESULT_UNREQUESTED "session/tool-result-unrequested" Error
        "call {call} has a result, but was not requested before"
        "No model answer and no request named this call. The record of the request is missing, or the id was changed."
    TOOL_RESULT_DUPLICATE "session/tool-result-duplicate" Error
        "call {call} has a second result"
        "Each call has one result. The tool ran twice, or its result was recorded twice."
    TOOL_REQUEST_UNANSWERED "session/tool-request-unanswered" Warning
        "call {call} was requested and has neither result nor denial"
        "The log ends while the call is open. If the run stopped here, this call is probably what it waited for."
    GATED_CALL_RAN_UNAPPROVED "session/gated-call-ran-unapproved" Error
        "call {call} was gated, not approved, and ran all the same"
        "A gate holds a call back until it is approved. The call has a successful result without an approval after the gate: the gate was bypassed, or the approval is missing."
    DENIED_CALL_RAN "session/denied-call-ran" Error
        "call {call} was denied and ran all the same"
        "The call was denied, was not approved afterwards, and has a successful result. The denial was ignored: look at what the tool did."
    PERMISSION_UNRESOLVED "session/permission-unresolved" Warning
        "the request for permission to use {tool} was never answered"
        "Requests for permission are answered in their order. This one has no answer by the end of the log."
    SIGNAL_DROPPED "session/signal-dropped" Info
        "the signal {signal} was dropped"
        "The kernel discarded the signal, usually because its queue was full. The sender of the signal is not told."
    SIGNAL_REDISPOSED "session/signal-redisposed" Info
        "the kernel decided on the signal {signal} a second time"
        "The kernel decides once whether to queue, handle or drop a signal. This one was queued and handled later, or was delivered twice."
    CHILD_NOT_JOINED "session/child-not-joined" Warning
        "the agent {agent} has ended according to its own log, but never joined here"
        "The log of the agent, in the same folder, contains the end of its run. According to this log the agent is still running: the parent died or stopped listening before the result came, so the agent's work was lost."
    CHILD_OUTCOME "session/child-outcome" Warning
        "the agent {agent} ended according to this log ({expected}), but its own log says: {actual}"
        "Parent and child disagree about how the agent ended. Look at the end of the agent's own log: the parent may have given up on it, or one of the logs is not from this run."
    PARENT_MISSING "session/parent-missing" Warning
        "the parent session {parent} has no log in this folder"
        "The log names the session that started it, and the folder has other session logs, but not that one. The log was removed or renamed, or this one belongs elsewhere."
}

#[cfg(test)]
mod tests {
    use super::CHECKS;

    #[test]
    fn rows_are_well_formed() {
        assert_eq!(CHECKS.len(), 36, "33 of the audit, 3 of families");
        for (at, check) in CHECKS.iter().enumerate() {
            assert!(check.id.starts_with("session/"), "{}", check.id);
            assert!(!check.says.ends_with('.') && check.explains.ends_with('.'), "{}", check.id);
            assert!(CHECKS[..at].iter().all(|other| other.id != check.id), "{} is not unique", check.id);
        }
    }
}

//! The checks of agent sessions: ids, severities, tiers, messages and explanations.

crate::replay::check::checks! {
    ORPHAN_RESULT "agent/orphan-result" Error
        "a result answers call {call_id}, but no line contains this call"
        "The file holds the result of a call but not the call. The line with the call was lost or removed. An API that gets this history refuses it, so the session cannot be resumed as it is. `stepback doctor` finds the smallest repair."
    DUPLICATE_CALL "agent/duplicate-call" Error
        "call {call_id} was made before, with another tool or input"
        "Ids of calls are unique in a session, so two different calls with one id cannot both be right. Two sessions were joined in one file, or a tool that rewrites sessions has replaced ids."
    CONFLICTING_RESULT "agent/conflicting-result" Error
        "call {call_id} has a second result with another text"
        "A call is answered once. Compare the two results: the model saw only one of them. Two sessions were joined in one file, or ids were replaced."
    STATUS_CONFLICT "agent/status-conflict" Error
        "the result of call {call_id} and the program's report disagree about its exit code"
        "The text that the model read names one exit code, and the program's own event another. The model may have continued on a wrong assumption. Look at both records."
    ORDINAL_ORDER "agent/ordinal-order" Error
        "the record has ordinal {actual}, after {expected}"
        "Records of a rollout are numbered in rising order. Two processes appended to one file, or the file was put together from parts."
    ORDINAL_GAP "agent/ordinal-gap" Warning Likely
        "the record has ordinal {actual}, expected {expected}"
        "Records between this one and the one before are missing, as their numbers show. They were lost when the program was killed, or removed."
    UNANSWERED_CALL "agent/unanswered-call" Warning
        "{tool} was called and never answered, yet the model went on"
        "The model gave another answer although this call has no result. An API refuses such a history, so the session breaks when it is resumed. The line with the result was lost, or the program skipped it. Look at what came after the call."
    TURN_UNFINISHED "agent/turn-unfinished" Warning
        "the turn has no end, and another one begins"
        "The program writes the end of every turn. It was killed or crashed during this one, and the session was resumed later. Look at the last records of the turn: they show what it was doing."
    API_ERROR "agent/api-error" Warning
        "the model could not be reached: {actual}"
        "The program gave up calling the model and wrote the error into the session. A limit, an expired login or an outage is the usual cause. The turn stops here unless the user tries again."
    RETRIES_EXHAUSTED "agent/retries-exhausted" Warning
        "the last retry of a call to the model failed"
        "The program retried a failed call as often as it may. If no answer follows, the turn ended with this error."
    DANGLING_PARENT "agent/dangling-parent" Warning
        "the parent of this line is not in the file"
        "Every line names an earlier line as its parent. The parent of this line is nowhere in the file, so everything before the gap is out of reach when the session is resumed. Releases from 2.1.23 to 2.1.49 lost the line with the text of an answer in this way. Look at the line before this one in the file."
    HISTORY_LOST "agent/history-lost" Warning Likely
        "{actual} messages are out of reach from the end of the session"
        "Resuming follows the links between lines from the last one back. The links are broken, so the model would not see these messages. `stepback doctor` can relink a copy of the file."
    TOTAL_DECREASED "agent/total-decreased" Warning Likely
        "the running total of tokens fell from {expected} to {actual}"
        "The total of a session only falls when the context is full or is compacted. Records were lost or reordered, or two sessions share the file. Sums of tokens are unreliable from here on."
    REPEAT "agent/repeat" Warning Likely
        "{tool} was called {actual} with the same input, and the result was always the same"
        "Nothing changed between the calls, so the model is probably stuck in a loop. Look at what it says before each of them, and at the result that it does not understand."
    CYCLE "agent/cycle" Warning Likely
        "the same calls come in the same order three times"
        "The model repeats a short sequence of calls: a loop that involves more than one tool. Look at what the last call of a round returns."
    REPEAT_CHANGING "agent/repeat-changing" Info Hint
        "{tool} was called {actual} with the same input, with different results"
        "Repeating a call is normal if the result changes, as with a test that is run after each edit. If the model waits for something, look at how long."
    FAILING_TOOL "agent/failing-tool" Info Likely
        "{tool} failed three times without a success in between"
        "The model has not found out how to use this tool here. Compare the inputs of the three calls: if they hardly differ, it did not understand the error."
    CONTEXT_DROP "agent/context-drop" Info Likely
        "the context shrank from {expected} to {actual} tokens without a compaction"
        "Messages were removed from the context without a record of it: the session was resumed or rewound, or old results were cleared. What the model knew before may be gone."
    CONTEXT_JUMP "agent/context-jump" Info Hint
        "the context grew from {expected} to {actual} tokens in one step"
        "Something large entered the context: a long file, the output of a command, or attachments. Look at the results right before this step."
    COMPACTED_CALL "agent/compacted-call" Info Likely
        "{tool} was open when the context was compacted, and was never answered"
        "If a call is open when the context is compacted, its result never reaches the model. If the call changed anything, the model does not know it."
    OPEN_CALL "agent/open-call" Info Hint
        "{tool} has no result at the end of the file"
        "The call is still running, or the program was stopped while it ran. If the file is not being written any more, the session ended here."
    OPEN_TURN "agent/open-turn" Info Hint
        "the turn is not over at the end of the file"
        "The model is still working or waits for the user, or the program was stopped. Look at the last event."
    INTERRUPTED "agent/interrupted" Info
        "the user interrupted the model"
        "The user stopped the turn. What came before usually shows why."
    DENIED "agent/denied" Info
        "{tool} was refused"
        "The user, a rule or a hook refused the call. Look at what the model does next: it should not try to do the same in another way."
    BACKGROUND_OPEN "agent/background-open" Info Hint
        "a task was started in the background, and no message says that it ended"
        "A server is meant to keep running, but the work of a subagent that never reports back is lost. Look at the call that started the task."
    QUEUE_LEFT "agent/queue-left" Info Hint
        "a prompt was queued and never delivered"
        "The user typed it while the model was working, and the session ends before the model got it."
    TIME_BACK "agent/time-back" Info
        "the line is older than the line before it"
        "Lines of one message are written when their blocks are complete, so small steps back are normal. A large one means that lines were copied from another time or file."
    USAGE_DIFFERS "agent/usage-differs" Info
        "two lines of one message disagree about the size of its prompt"
        "All lines of a message repeat its usage. stepback counts the usage of the last line. Check whether the program changed its format."
    REPLAYED_HISTORY "agent/replayed-history" Info
        "the line repeats an earlier one"
        "A forked or resumed session begins with lines of its parent session. They are shown, but their calls and tokens are not counted again."
    COPIED_PREFIX "agent/copied-prefix" Info
        "the file begins with records of the session that it was forked from"
        "The records before the session's own first record belong to the parent session. They are shown, but not counted, because their tokens were used there."
    SEVERAL_SESSIONS "agent/several-sessions" Info
        "the file holds the header of another session"
        "Records of two sessions are in one file, although neither was forked from the other. Findings about pairs of records may be wrong."
    BASE_ELSEWHERE "agent/base-elsewhere" Info
        "the beginning of the history is in another file"
        "The session continues another rollout and does not copy its records, so this file alone is incomplete. Open the rollout that it names as well."
    STARTS_MIDWAY "agent/starts-midway" Info
        "the file begins in the middle of a session"
        "The first line names a line before it that is not in this file: it was cut off, or the file is a part of a longer session. If a call has no result, or a result no call, the other one may be in the missing part."
    UNKNOWN_LINE "agent/unknown-line" Info
        "{type} is not a type of record that any known release writes"
        "The record keeps its place and is shown as it is. A newer release of the program or a tool that edits sessions is the usual cause."
}

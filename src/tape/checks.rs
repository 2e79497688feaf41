//! The checks of event tapes: ids, severities, messages and explanations.

crate::replay::check::checks! {
    NEWER_VERSION "tape/newer-version" Warning
        "the tape has format version {actual}, newer than this program knows"
        "A newer writer may use kinds and fields in ways that are not checked here. Records that are not understood are shown as unknown."
    NO_HEADER "tape/no-header" Error
        "the tape begins with a record instead of a header"
        "The first line of a tape must be its header. The beginning was cut off, so the version and the start time are unknown."
    HEADER_LATE "tape/header-late" Error
        "the header is not at the start of the file: {actual}"
        "The header must be the first line of a tape. A blank line or a byte order mark before it makes the format's own reader reject the tape."
    SECOND_HEADER "tape/second-header" Error
        "the tape contains a second header"
        "Two tapes were concatenated, or a recorder was restarted on the same file. Record numbers and clocks start again here."
    TORN_TAIL "tape/torn-tail" Warning
        "the tape ends inside a line: {actual} were ignored"
        "The last line is incomplete: the writer was killed, or is still writing. Everything before it is intact."
    SEQ "tape/seq" Warning
        "the record has number {actual}, expected {expected}"
        "Records are numbered 0, 1, 2 and so on. A gap means that records were lost; a repeated or smaller number means that two threads or two tapes were mixed. The format's own tools do not check these numbers."
    VIRTUAL_TIME_BACK "tape/virtual-time-back" Warning
        "the wall clock goes back to {actual}, after {expected}"
        "On a healthy tape the time that the program saw never decreases. Records were reordered or edited, or the machine's clock was set during the run."
    MONOTONIC_BACK "tape/monotonic-back" Warning
        "the monotonic clock goes back to {actual}, after {expected}"
        "On a tape with a paused clock, all readings come from one clock, which never goes back. Records were reordered or edited."
    MONOTONIC_CHAINS "tape/monotonic-chains" Info
        "the monotonic readings form {actual}, but at most two clocks write them"
        "Two clocks share this field on the tape of a production run, so readings may alternate between two rising sequences. A third sequence means that records were reordered, or that another clock was used."
    NOT_FINALIZED "tape/not-finalized" Info
        "the run never reached its finishing work"
        "Every completed run of the test bench records something while it finishes. This tape has no such record: the program threw an exception, or the tape was cut. The failure itself is not recorded."
    BEFORE_START "tape/before-start" Info
        "the first record is at {actual}, before the tape's start at {expected}"
        "A paused clock starts at the time in the header and only moves forward. The header or the record was edited."
    SHORT_SLEEP "tape/short-sleep" Info
        "a sleep of {duration} ms moved the clock to {actual}, expected at least {expected}"
        "With a paused clock, a sleep moves the time forward by its duration. Something else moved the clock, or the record was edited."
    INLINE_HASH "tape/inline-hash" Error
        "the text of {field} does not match its hash"
        "The text and its hash are in the same record and disagree: one of them was edited. The format's own comparison trusts the hash and would not notice."
    BAD_REFERENCE "tape/bad-reference" Error
        "{field} refers to a stored payload by something that is not a hash: {actual}"
        "Entries of the payload store are named by 64 hexadecimal digits. Any other name could lead to a file outside the store, so it was not opened. The tape was edited, perhaps on purpose."
    CAS_MISSING "tape/cas-missing" Warning
        "the bytes of {field} are not in the payload store"
        "The tape refers to an entry that its payload store does not have. The folder beside the tape was not copied with it, or entries were deleted."
    CAS_NOT_A_FILE "tape/cas-not-a-file" Error
        "the entry of {field} is not a regular file and was not opened"
        "A payload store contains regular files only. A link could lead anywhere, so it is not followed."
    CAS_TOO_LARGE "tape/cas-too-large" Warning
        "the entry of {field} is too large to be checked: {actual}"
        "Entries above the size limit are not read, so their content is not verified."
    CAS_UNREADABLE "tape/cas-unreadable" Warning
        "the entry of {field} could not be read: {actual}"
        "The operating system reported an error, so the content of the entry is not verified. Check the permissions of the folder beside the tape."
    CAS_SIZE "tape/cas-size" Error
        "the entry of {field} has {actual}, the tape says {expected}"
        "The stored file was truncated or replaced, or the record was edited. If the hash of the file is right, the record is wrong."
    CAS_HASH "tape/cas-hash" Error
        "the entry of {field} does not match the hash in its name"
        "An entry is named by the hash of its bytes. This file was changed after it was recorded. The format's own tools do not verify the hash."
    ORPHAN "tape/orphan" Info
        "the payload store contains {entry}, which no record refers to"
        "The entry belongs to records that were cut off or edited, or was added by hand."
    TWO_LENGTHS "tape/two-lengths" Warning
        "the same hash has two lengths: {actual}, earlier {expected}"
        "Equal hashes mean equal bytes, and so equal lengths. One of the two records was edited."
    INLINE_LONG "tape/inline-long" Info
        "the text of {field} has {actual}, more than a record should contain"
        "Writers put payloads above 4096 bytes into the payload store. Another program wrote this record, or it was edited."
    MCP_DIGEST "tape/mcp-digest" Warning
        "the {side} digest is not the hash of the {side}"
        "The digest is the hash of the recorded bytes. The digest or the bytes were edited, or the payload was changed after the exchange."
    MCP_NOT_CANONICAL "tape/mcp-not-canonical" Info
        "the {side} is not written in canonical form"
        "Digests are computed from JSON with sorted keys. Early writers kept the order of insertion; otherwise the payload was edited."
    PHASE_ORDER "tape/phase-order" Info
        "a record of the program comes after its finishing work"
        "Finishing work starts when the program itself has ended. The format allows this order, but recorded runs do not have it: look for work that was still running."
    CALL_INDEX "tape/call-index" Error
        "the model call's index is {actual}, expected {expected}"
        "A run numbers its model calls 1, 2, 3 and so on. Other records and the run's summary refer to calls by these numbers, so a gap or a repeated number makes them wrong."
    AFTER_CALLS "tape/after-calls" Warning
        "the record claims to come after {actual} model calls, which is impossible: {expected}"
        "The number of model calls before a record never decreases, and is at most the number of calls on the tape so far. Model calls are missing, or records were reordered."
    ATTRIBUTION "tape/attribution" Warning
        "the attribution of {field} cannot be true: {actual}, {expected}"
        "An attribution says which bytes of a prompt came from which prompt render. This one lies outside its field, or names a render that is not on the tape."
    READ_AFTER_WRITE "tape/read-after-write" Info
        "{path} was read with different content than was last written"
        "The content differs from what the program last wrote and is not longer, and no process, tool or server ran in between. Something that is not on the tape changed the file."
    READ_DELETED "tape/read-deleted" Info
        "{path} was read after it was deleted, and nothing wrote it in between"
        "Something that is not on the tape wrote the file again, or a record of a write is missing."
    UNKNOWN_KIND "tape/unknown-kind" Info
        "{kind} is not a kind of record that this version of stepback knows"
        "The record keeps its number and is not replayed. A newer writer is the usual cause."
    REDACTED "tape/redacted" Info
        "a secret was removed from the next record"
        "The next record does not contain the bytes that the program saw, so an exact replay is not possible. Digests of model requests are still those of the original."
    UNSERVABLE "tape/unservable" Info
        "the recorded outcome of tool {tool} cannot be replayed: {actual}"
        "The recorder marked this call as one whose outcome must not be reused. A replay has to run the tool."
    ANNOTATION "tape/annotation" Warning
        "the annotation {annotation} does not fit the tape: {actual}"
        "Annotations refer to the records of a tape by number. This one was written for another recording, or by hand."
    ANNOTATIONS_UNREADABLE "tape/annotations-unreadable" Warning
        "the annotations of the tape cannot be read: {actual}"
        "The file NAME.tape.annotations.jsonl is not a list of annotations. The tape is shown without them; fix or remove the file."
}

#[cfg(test)]
mod tests {
    use super::CHECKS;

    #[test]
    fn rows_are_well_formed() {
        for (at, check) in CHECKS.iter().enumerate() {
            assert!(check.id.starts_with("tape/"), "{}", check.id);
            assert!(!check.says.ends_with('.') && check.explains.ends_with('.'), "{}", check.id);
            assert!(CHECKS[..at].iter().all(|other| other.id != check.id), "{} is not unique", check.id);
        }
    }
}

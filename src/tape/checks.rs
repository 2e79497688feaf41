//! The catalogue's rows for event tapes.

crate::checks! {
    NEWER_VERSION "tape/newer-version" Warning
        "the tape has format version {actual}, newer than this program knows"
        "A newer writer may use kinds and fields in a way that is not checked here. What is not understood is shown as unknown."
    NO_HEADER "tape/no-header" Error
        "the tape begins with a record"
        "The first line of a tape is its header. The beginning was cut off, so version and start are unknown."
    HEADER_LATE "tape/header-late" Error
        "something stands before the header: {actual}"
        "The first byte of a tape is the first of its header. A blank line or a byte order mark before it makes the format's own reader refuse the tape."
    SECOND_HEADER "tape/second-header" Error
        "a second header stands inside the tape"
        "Two tapes were put behind each other, or a recorder was started anew on the same file. Numbers and clocks begin again here."
    TORN_TAIL "tape/torn-tail" Warning
        "the tape ends inside a line: {actual} were left out"
        "The last line has no end and is no record: the writer was killed or is still writing. Everything before it is intact."
    SEQ "tape/seq" Warning
        "the record's number is {actual}, expected {expected}"
        "Records count 0, 1, 2 and on. A gap means lost records, a repeated or smaller number that two threads or two tapes were mixed. Nothing else of the format looks at these numbers."
    VIRTUAL_TIME_BACK "tape/virtual-time-back" Warning
        "the wall clock goes back to {actual}, after {expected}"
        "The time that the program saw never falls on a healthy tape. Records were reordered or edited, or the machine's clock was set while it ran."
    MONOTONIC_BACK "tape/monotonic-back" Warning
        "the monotonic clock goes back to {actual}, after {expected}"
        "Under a paused clock there is one time base, and it only grows. Records were reordered or edited."
    MONOTONIC_CHAINS "tape/monotonic-chains" Info
        "the monotonic readings split into {actual}, at most two clocks write them"
        "Two clocks share this field on a run tape, so readings may alternate between two rising rows. A third row means that records were reordered, or that another clock was in use."
    NOT_FINALIZED "tape/not-finalized" Info
        "the run never came to its finishing work"
        "Every completed run of the test bench records something while it finishes. This tape has nothing of it: the program threw, or the tape was cut. There is no record of the failure itself."
    BEFORE_START "tape/before-start" Info
        "the first record is at {actual}, before the tape's start at {expected}"
        "A paused clock starts where the header says and only moves on. The header or the record was edited."
    SHORT_SLEEP "tape/short-sleep" Info
        "a sleep of {duration} ms moved the clock to {actual}, expected at least {expected}"
        "Under a paused clock a sleep moves time by its length. Something else moved the clock, or the record was edited."
    INLINE_HASH "tape/inline-hash" Error
        "the text of {field} is not what its hash names"
        "The text and its hash stand in the same record and disagree: one of them was edited. The reference's comparison trusts the hash and would not notice."
    BAD_REFERENCE "tape/bad-reference" Error
        "{field} refers to an entry by something that is no hash: {actual}"
        "Entries of the store are named by 64 hex digits. Anything else could lead to a file outside the store, so it was not looked up. The tape was edited, perhaps with intent."
    CAS_MISSING "tape/cas-missing" Warning
        "the bytes of {field} are not in the store"
        "The tape refers to an entry that its store does not hold. The folder beside the tape was not copied along, or was cleaned."
    CAS_NOT_A_FILE "tape/cas-not-a-file" Error
        "the entry of {field} is a link or no file, and was not opened"
        "A store holds plain files only. A link could lead anywhere, so it is not followed."
    CAS_TOO_LARGE "tape/cas-too-large" Warning
        "the entry of {field} is too large to be checked: {actual}"
        "Entries above the size limit are not read, so nothing is known of their content."
    CAS_UNREADABLE "tape/cas-unreadable" Warning
        "the entry of {field} could not be read: {actual}"
        "The system refused to read the entry; its content was not checked."
    CAS_SIZE "tape/cas-size" Error
        "the entry of {field} has {actual}, the tape says {expected}"
        "The stored file was cut or replaced, or the record was edited. Compare the hash: if it holds, the record is wrong."
    CAS_HASH "tape/cas-hash" Error
        "the entry of {field} is not what its name says"
        "The bytes of the stored file do not have the hash that names it: the file was changed after it was recorded. The reference reads it without a look."
    ORPHAN "tape/orphan" Info
        "the store holds {entry}, which no record refers to"
        "The entry belongs to records that were cut off or edited, or somebody put it there."
    TWO_LENGTHS "tape/two-lengths" Warning
        "one hash has two lengths: {actual}, earlier {expected}"
        "Equal bytes have equal lengths. One of the two records was edited."
    INLINE_LONG "tape/inline-long" Info
        "the text of {field} has {actual}, more than is kept in a line"
        "Writers put more than 4096 bytes into the store. Another program wrote this record, or it was edited."
    MCP_DIGEST "tape/mcp-digest" Warning
        "the {side} digest is not the hash of the {side}"
        "Both are made of the same bytes. One of them was edited, or the payload was changed after the exchange."
    MCP_NOT_CANONICAL "tape/mcp-not-canonical" Info
        "the {side} is not written in canonical form"
        "Digests are taken of JSON with sorted keys. Early writers kept the order of insertion; else the payload was edited."
    PHASE_ORDER "tape/phase-order" Info
        "a record of the program follows its finishing work"
        "Finishing work comes after the program's body. The format allows this order, but recorded runs do not show it: look for work that was still running."
    CALL_INDEX "tape/call-index" Error
        "the model call's index is {actual}, expected {expected}"
        "A run counts its model calls 1, 2, 3. A gap or a repeated number makes the run's summary wrong, and other records refer to calls by these numbers."
    AFTER_CALLS "tape/after-calls" Warning
        "the record stands after {actual} model calls by its own count, which cannot be: {expected}"
        "The number of model calls made before only grows, and is never more than the tape holds up to here. Model calls are missing, or records were reordered."
    ATTRIBUTION "tape/attribution" Warning
        "the attribution of {field} cannot be true: {actual}, {expected}"
        "A segment says which bytes of a prompt came from which render. This one lies outside its field, or names a render that the tape does not hold."
    READ_AFTER_WRITE "tape/read-after-write" Info
        "{path} was read with other bytes than were written last"
        "The file has other content than the program last wrote, it is no longer than that, and no process, tool or server ran in between. Something outside the tape changed it."
    READ_DELETED "tape/read-deleted" Info
        "{path} was read after it was deleted, and nothing wrote it in between"
        "Something outside the tape wrote the file again, or a write is missing."
    UNKNOWN_KIND "tape/unknown-kind" Info
        "{kind} is no kind of record that this program knows"
        "The record keeps its place and its line, and is left out of the replay. A newer writer is the usual cause."
    REDACTED "tape/redacted" Info
        "a secret was taken out next to here"
        "The record that follows does not hold the bytes that the program saw, so an exact replay is not possible. Digests of model requests are those of the original."
    UNSERVABLE "tape/unservable" Info
        "the outcome of tool {tool} may not be used again: {actual}"
        "The recorder found that a replay cannot stand in for this call. A replay has to run the tool."
    ANNOTATION "tape/annotation" Warning
        "the annotation {annotation} does not fit the tape: {actual}"
        "Annotations stand beside the tape and name its records by number. One that does not fit was written for another recording, or by hand."
    ANNOTATIONS_UNREADABLE "tape/annotations-unreadable" Warning
        "the annotations beside the tape cannot be read: {actual}"
        "The file beside the tape is no list of annotations. The tape is shown without them; correct the file, or take it away."
}

#[cfg(test)]
mod tests {
    use super::CHECKS;

    #[test]
    fn rows_are_well_formed() {
        for (at, check) in CHECKS.iter().enumerate() {
            assert!(check.id.starts_with("tape/"), "{}", check.id);
            assert!(!check.says.ends_with('.') && check.explains.ends_with('.'), "{}", check.id);
            assert!(CHECKS[..at].iter().all(|other| other.id != check.id), "{} stands twice", check.id);
        }
    }
}

//! The checks of transfers: the oracles over transfer states, and what the journal of a transfer crashpack reports.

crate::replay::check::checks! {
    MANIFEST_INTEGRITY "transfer/manifest_integrity" Error
        "the manifest has the hash `{actual}` instead of `{expected}`"
        "The hash of the manifest differs from the expected one, so the receiver has other data than the sender announced. A corrupted block, a manifest that was rewritten while the transfer ran, or a resumed transfer with an old manifest usually causes it. Look at the first state with this hash, then at what wrote `manifest_hash`."
    JOURNAL_CONSISTENCY "transfer/journal_consistency" Error
        "the journal of the transfer has gaps: {actual}"
        "Entries of the transfer's journal are missing or out of order, so it can neither be used to resume the transfer nor prove what was transferred. A crash between writing the data and writing the journal, or two writers, usually causes it. Look at the state in which the gaps appear and at what was pending then."
    QUIESCENCE "transfer/quiescence" Warning
        "the transfer was not at rest: {actual}"
        "Operations were pending when the state was taken. At the end of a transfer this means that it was declared complete too early. If the states were taken while the transfer was running, pending operations are normal: skip this check. Look at whether the count is 0 in the last state."
    OBLIGATION_LEAK "transfer/obligation_leak" Error
        "obligations of the transfer leaked: {actual}"
        "Obligations such as permits, acknowledgements or leases were neither fulfilled nor cancelled, and their owner is gone. A task that was cancelled without clean-up usually causes it. Look at what ended in the state in which the count rises."
    PATH_CONSISTENCY "transfer/path_consistency" Error
        "the outcomes of the transfer's paths contradict each other"
        "Paths or replicas of one transfer report different outcomes, such as success on one and failure on another. A race between paths, or an outcome that was counted twice, usually causes it. Look at the first state with the contradiction and at what changed before it."
    VIOLATION "pack/violation" Error
        "{oracle}: {type}: {actual}"
        "An oracle, that is, a check of the program that wrote this crashpack, reported a violation. The crashpack contains no states, or its states do not show the violation. The description and the evidence are that program's own words; known types are manifest_integrity, journal_consistency, obligation_leak, path_consistency and quiescence. Look at the event of the violation, then at the evidence it names."
    CONTRADICTION "pack/contradiction" Error
        "the journal contradicts itself about {oracle}: {actual}"
        "The journal says that an oracle passed, although it lists violations or the states in the crashpack violate the oracle; or that an oracle failed, although it lists no violation; or a count differs from the length of the list. The program that wrote the journal lost something, or the journal was changed. Trust the states and the list of violations, not the summary."
}

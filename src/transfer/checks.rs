//! What a transfer crashpack says against what it is about, and against itself.

crate::checks! {
    VIOLATION "pack/violation" Error
        "{oracle}: {type}: {actual}"
        "An oracle of the program that made this pack saw a rule broken. Its description and evidence are that program's own words; known types are manifest_integrity, journal_consistency, obligation_leak, path_consistency and quiescence. Look at the violation's event, then at the evidence it names."
    CONTRADICTION "pack/contradiction" Error
        "the journal contradicts itself about {oracle}: {actual}"
        "The journal calls an oracle passed and lists violations of it, or failed and lists none, or counts other than it lists. Whoever wrote it lost something, or somebody changed it. Trust the list, not the summary."
}

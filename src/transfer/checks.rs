//! The checks of transfer crashpacks: violations that they report, and contradictions in their journal.

crate::replay::check::checks! {
    VIOLATION "pack/violation" Error
        "{oracle}: {type}: {actual}"
        "An oracle, that is, a check of the program that wrote this crashpack, reported a violation. The description and the evidence are that program's own words; known types are manifest_integrity, journal_consistency, obligation_leak, path_consistency and quiescence. Look at the event of the violation, then at the evidence it names."
    CONTRADICTION "pack/contradiction" Error
        "the journal contradicts itself about {oracle}: {actual}"
        "The journal says that an oracle passed but lists violations of it, or that it failed but lists none, or a count differs from the list. The writer lost something, or the journal was changed. Trust the list, not the summary."
}

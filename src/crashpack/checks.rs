//! Damage of a pack: the `pack/` family.

use crate::replay::Seq;
use crate::replay::finding::Finding;

crate::checks! {
    DAMAGED "pack/damaged" Error
        "{file} is not as it was packed: {actual}"
        "The file has other bytes than the manifest says, or cannot be read as one. A transfer in text mode, an editor or a bad disk usually causes it; so does somebody who changed the evidence. What the file says cannot be trusted: get the pack again from where it was made."
    MISSING "pack/missing" Error
        "{file} is not in the pack"
        "The manifest lists a file that is not there. A copy that was interrupted or a filter on file names usually causes it. The rest of the pack opens all the same; get the file from where the pack was made."
    UNLISTED "pack/unlisted" Error
        "{file} is in the pack and not in its manifest"
        "Somebody put a file into the folder after the pack was made. It is not opened, and nobody vouches for it. Look at it, then take it away."
}

/// Damage is about the pack as a whole, so it stands at its first event.
fn about(check: &'static crate::replay::check::Check, file: &str) -> Finding {
    Finding::new(check, [Seq(0)]).about("file", file)
}

pub fn damaged(file: &str, expected: impl Into<String>, actual: impl Into<String>) -> Finding {
    about(&DAMAGED, file).expected(expected.into()).actual(actual.into())
}

pub fn missing(file: &str) -> Finding {
    about(&MISSING, file).expected("a file").actual("nothing under this name")
}

pub fn unlisted(file: &str) -> Finding {
    about(&UNLISTED, file).expected("only files of the manifest").actual("a file that it does not list")
}

//! The checks for damaged crashpacks: the `pack/` family.

use crate::replay::Seq;
use crate::replay::finding::Finding;

crate::replay::check::checks! {
    DAMAGED "pack/damaged" Error
        "{file} was changed after it was packed: {actual}"
        "The file does not have the hash that the manifest lists, or cannot be read. A transfer in text mode, an editor or a bad disk usually causes it; the evidence may also have been changed on purpose. Do not trust the file: get the crashpack again from its author."
    MISSING "pack/missing" Error
        "{file} is missing from the crashpack"
        "The manifest lists a file that does not exist. An interrupted copy or a filter on file names usually causes it. The rest of the crashpack opens; get the missing file from its author."
    UNLISTED "pack/unlisted" Error
        "{file} is in the crashpack but not in its manifest"
        "The file was added after the crashpack was made. It is not opened and is not part of the evidence. Look at it, then remove it."
    FOREIGN_SCRIPT "pack/foreign-script" Error
        "{file} is not the script that stepback writes for this finding"
        "A crashpack's script verifies the crashpack and replays its finding. This one was changed and may do anything. Its hash matches the manifest, so the crashpack was sealed again after the change. Do not run it: run `stepback replay` on the folder instead."
}

/// Damage concerns the crashpack as a whole, so the finding is at its first event.
fn about(check: &'static crate::replay::check::Check, file: &str) -> Finding {
    Finding::new(check, [Seq(0)]).about("file", file)
}

pub(crate) fn damaged(file: &str, expected: impl Into<String>, actual: impl Into<String>) -> Finding {
    about(&DAMAGED, file).expected(expected.into()).actual(actual.into())
}

pub(crate) fn missing(file: &str) -> Finding {
    about(&MISSING, file).expected("a file").actual("no such file")
}

pub(crate) fn unlisted(file: &str) -> Finding {
    about(&UNLISTED, file).expected("only files in the manifest").actual("a file that is not listed")
}

pub(crate) fn foreign_script(file: &str) -> Finding {
    about(&FOREIGN_SCRIPT, file).expected("the script of the export, byte for byte").actual("another text")
}

//! Damage of any byte of a tape or its payload store is found, or does not change what is read.
//!
//! The hashes on a tape cover its payloads; the rest is covered by the content hash in the annotations.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use stepback::loader::{SidecarResults, own_sidecars};
use stepback::log::walk::{Met, Walk};
use stepback::log::{Log, Options};
use stepback::replay::Seq;
use stepback::tape::whole::{Newer, Tape};

const TAPES: [&str; 3] = ["every-kind.tape", "long-output.tape", "notes-good.tape"];

/// The findings of `check` for a tape; `None` if it is no longer recognized as a log.
fn findings(path: &Path) -> Option<Vec<String>> {
    let log = Log::open(path, &Options::default()).ok()?;
    let sidecars = own_sidecars(&log).expect("sidecars");
    let mut checker = sidecars.check_pass();
    let (mut walk, mut last) = (Walk::new(&log).expect("a walk"), Seq(0));
    while let Some((at, met)) = walk.step().expect("a record") {
        last = at;
        match met {
            Met::Record(place, bytes) => checker.event(at, place, bytes, Ok(bytes)),
            Met::Torn(finding, ..) | Met::Damage(finding, _) => checker.damage(finding, None),
        }
    }
    let mut all = checker.finish();
    all.extend(SidecarResults::of(&log, &*sidecars, last, &|_| true).expect("a store").findings);
    let text = |finding: &stepback::replay::finding::Finding| {
        format!("{} {:?} {} {}", finding.fingerprint(), finding.at, finding.expected, finding.actual)
    };
    Some(all.into_sorted().iter().map(text).collect())
}

fn content(path: &Path) -> Option<String> {
    let bytes = fs::read(path).expect("a tape");
    Tape::read(&bytes, "a tape", Newer::Shown).ok()?.content_hash().ok()
}

/// Copies a fixture to a new folder, with annotations that contain its content hash.
fn copied(name: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/tape");
    let path = folder.path().join(name);
    fs::copy(from.join(name), &path).expect("a tape");
    let (store, to) = (from.join(format!("{name}.cas")), folder.path().join(format!("{name}.cas")));
    if store.is_dir() {
        fs::create_dir(&to).expect("a store");
        for entry in fs::read_dir(store).expect("a store") {
            let entry = entry.expect("an entry");
            fs::copy(entry.path(), to.join(entry.file_name())).expect("an entry");
        }
    }
    let hash = content(&path).expect("a tape");
    let header = format!("{{\"type\":\"header\",\"schema_version\":1,\"tape_content_hash\":\"{hash}\"}}\n");
    fs::write(folder.path().join(format!("{name}.annotations.jsonl")), header).expect("annotations");
    (folder, path)
}

/// Every file of the tape except for its annotations.
fn files(path: &Path) -> Vec<std::path::PathBuf> {
    let mut files = vec![path.to_owned()];
    let mut store = path.as_os_str().to_owned();
    store.push(".cas");
    if let Ok(entries) = fs::read_dir(store) {
        files.extend(entries.map(|entry| entry.expect("an entry").path()));
    }
    files.sort();
    files
}

proptest! {
    #![proptest_config(crate::tests::cases::cases!(400, "tape-damage"))]

    #[test]
    fn a_changed_byte_is_found_or_changes_nothing(
        tape in prop::sample::select(TAPES.to_vec()),
        file in any::<prop::sample::Index>(),
        place in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let (_folder, path) = copied(tape);
        let (before, meant) = (findings(&path), content(&path));
        let files = files(&path);
        let damaged = &files[file.index(files.len())];
        let mut bytes = fs::read(damaged).expect("bytes");
        let at = place.index(bytes.len());
        prop_assume!(bytes[at] != byte);
        bytes[at] = byte;
        fs::write(damaged, &bytes).expect("written");
        let in_header = *damaged == path && bytes[..at].iter().all(|byte| *byte != b'\n');
        let is_found = findings(&path) != before;
        // The content hash does not cover the header; a change that is read as the same record is harmless.
        let means_nothing = *damaged == path && content(&path) == meant;
        prop_assert!(is_found || means_nothing || in_header, "{tape}: byte {at} of {}", damaged.display());
    }

    #[test]
    fn a_cut_file_is_found(
        tape in prop::sample::select(TAPES.to_vec()),
        file in any::<prop::sample::Index>(),
        place in any::<prop::sample::Index>(),
    ) {
        let (_folder, path) = copied(tape);
        let before = findings(&path);
        let files = files(&path);
        let damaged = &files[file.index(files.len())];
        let bytes = fs::read(damaged).expect("bytes");
        // Without its last newline the tape is still the same.
        let length = place.index(bytes.len()).min(bytes.len().saturating_sub(2));
        fs::write(damaged, &bytes[..length]).expect("written");
        prop_assert!(findings(&path) != before, "{tape}: {length} bytes of {}", damaged.display());
    }
}

#[test]
fn a_link_is_not_followed_and_a_huge_entry_not_read() {
    let (folder, path) = copied("long-output.tape");
    let entry = files(&path).into_iter().find(|file| *file != path).expect("an entry");
    let outside = folder.path().join("outside");
    fs::copy(&entry, &outside).expect("a copy");
    fs::remove_file(&entry).expect("gone");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&outside, &entry).expect("a link");
        let found = findings(&path).expect("a tape");
        assert!(found.iter().any(|finding| finding.starts_with("tape/cas-not-a-file")), "{found:?}");
        fs::remove_file(&entry).expect("gone");
    }
    // A sparse file is large and takes no space.
    let file = fs::File::create(&entry).expect("a file");
    file.set_len(stepback::tape::store::ENTRY_LIMIT_BYTES + 1).expect("a hole");
    let found = findings(&path).expect("a tape");
    assert!(found.iter().any(|finding| finding.starts_with("tape/cas-too-large")), "{found:?}");
}

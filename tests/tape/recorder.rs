//! The tapes in `fixtures/tape` are what the recorder writes, byte for byte. `UPDATE_FIXTURES=1` rewrites them.

use std::fs;
use std::path::Path;

use super::stories;
use crate::tests::files::files;

#[test]
fn the_tapes_in_fixtures_are_up_to_date() {
    let fresh = tempfile::tempdir().expect("a folder");
    stories::write_all(fresh.path()).expect("tapes");
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/tape");
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        let _ = fs::remove_dir_all(&kept);
        for (name, bytes) in files(fresh.path()) {
            let path = kept.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, bytes).expect("a file");
        }
    }
    let (fresh, kept) = (files(fresh.path()), files(&kept));
    assert!(fresh.keys().eq(kept.keys()), "{:?}\n{:?}", fresh.keys(), kept.keys());
    for (name, bytes) in fresh {
        assert!(kept[&name] == bytes, "{name} is out of date; UPDATE_FIXTURES=1 rewrites it");
    }
}

//! Packs damaged in every file: each changed byte is reported with the name of its file.

use std::fs;
use std::path::Path;

use stepback::crashpack_folder::{Pack, is_pack};

use crate::tests::files::files;

#[test]
fn a_changed_byte_in_any_file_is_reported_with_its_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let pack = folder.path().join("pack");
    for (name, bytes) in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/pack/rejected-ran")) {
        fs::create_dir_all(pack.join(&name).parent().expect("a folder")).expect("a folder");
        fs::write(pack.join(&name), bytes).expect("a copy");
    }
    for (name, bytes) in files(&pack) {
        let positions = (0..bytes.len()).step_by((bytes.len() / 150).max(1));
        for at in positions {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            fs::write(pack.join(&name), damaged).expect("written");
            match Pack::open(&pack) {
                Ok(opened) => {
                    let named = opened.damage.iter().any(|finding| finding.subject("file") == Some(name.as_str()));
                    assert!(named, "{name}, byte {at}: {:?}", opened.damage);
                    assert!(is_pack(&pack), "{name}, byte {at}");
                }
                Err(error) => assert!(name == "manifest.json" && error.to_string().contains(&name), "{name}: {error}"),
            }
        }
        fs::write(pack.join(&name), &bytes).expect("written");
    }
    assert_eq!(Pack::open(&pack).expect("a pack").damage, []);
}

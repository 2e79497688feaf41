//! The files of sessions with size and date, without a look into them.

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::place::SearchPlace;

/// Programs nest their folders less deeply.
const DEPTH_MOST: usize = 8;
/// More files are not listed: each takes memory.
const FILES_MOST: usize = 200_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SessionFile {
    pub path: PathBuf,
    pub bytes: u64,
    pub modified: Option<SystemTime>,
}

#[derive(Debug, Default)]
pub(crate) struct Scanned {
    /// The newest first.
    pub files: Vec<SessionFile>,
    /// Folders that cannot be searched, each with the reason.
    pub unreadable: Vec<(PathBuf, String)>,
}

/// Finds the sessions in folders. A folder that the user has named must exist.
pub(crate) fn scan(places: &[SearchPlace]) -> io::Result<Scanned> {
    let mut scanned = Scanned::default();
    for place in places {
        match std::fs::metadata(&place.folder) {
            Ok(folder) if folder.is_dir() => search(&place.folder, place, DEPTH_MOST, &mut scanned),
            found if place.is_named => {
                let reason = found.map_or_else(|error| error.to_string(), |_| "this is not a folder".to_owned());
                return Err(io::Error::other(format!("{}: {reason}", place.folder.display())));
            }
            _ => {}
        }
    }
    scanned.files.sort_by(|one, two| two.modified.cmp(&one.modified).then_with(|| one.path.cmp(&two.path)));
    // Folders that the user has named may contain each other. The same file has the same date.
    scanned.files.dedup_by(|one, two| one.path == two.path);
    Ok(scanned)
}

/// Searches a folder. Links are not followed, so the search stays in the folder and ends.
fn search(folder: &Path, place: &SearchPlace, depth: usize, scanned: &mut Scanned) {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            scanned.unreadable.push((folder.to_owned(), error.to_string()));
            return;
        }
    };
    for entry in entries.filter_map(Result::ok) {
        if scanned.files.len() >= FILES_MOST {
            return;
        }
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && depth > 0 {
            search(&entry.path(), place, depth - 1, scanned);
        } else if kind.is_file()
            && (place.is_session)(&entry.file_name().to_string_lossy())
            && let Ok(metadata) = entry.metadata()
            && metadata.len() > 0
        {
            let modified = metadata.modified().ok();
            scanned.files.push(SessionFile { path: entry.path(), bytes: metadata.len(), modified });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use super::*;

    fn names(scanned: &Scanned) -> Vec<String> {
        scanned.files.iter().map(|file| file.path.file_name().expect("a name").to_string_lossy().into_owned()).collect()
    }

    fn write(path: &Path, seconds: u64) {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, "x").expect("written");
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        fs::File::options().write(true).open(path).and_then(|file| file.set_modified(time)).expect("a date");
    }

    #[test]
    fn the_newest_file_is_first_and_each_is_listed_once() {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, seconds) in [("a/one.jsonl", 10), ("b/two.jsonl", 30), ("three.jsonl", 20), ("b/agent-1.jsonl", 40)]
        {
            write(&folder.path().join(name), seconds);
        }
        fs::write(folder.path().join("empty.jsonl"), "").expect("written");
        let place = |name: &str| SearchPlace::named(folder.path().join(name));
        let scanned = scan(&[place(""), place("a")]).expect("a list");
        assert_eq!(names(&scanned), ["two.jsonl", "three.jsonl", "one.jsonl"]);
        assert!(scan(&[place("absent")]).is_err() && scan(&[place("three.jsonl")]).is_err());
        assert!(scan(&[SearchPlace { is_named: false, ..place("absent") }]).is_ok_and(|found| found.files.is_empty()));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let folder = tempfile::tempdir().expect("a folder");
        let inside = folder.path().join("inside");
        write(&inside.join("one.jsonl"), 1);
        write(&folder.path().join("outside.jsonl"), 2);
        std::os::unix::fs::symlink(&inside, inside.join("loop")).expect("a link");
        std::os::unix::fs::symlink("../outside.jsonl", inside.join("link.jsonl")).expect("a link");
        let scanned = scan(&[SearchPlace::named(inside)]).expect("a list");
        assert_eq!(names(&scanned), ["one.jsonl"]);
    }
}

//! The folder of the bookmark files: its location, permissions and syncing on each system.

use std::ffi::OsString;
use std::fs::{DirBuilder, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// The folder for bookmarks of this user, by the XDG rules or by those of Windows.
pub(super) fn of_user() -> Option<PathBuf> {
    of_state().map(|state| state.join("bookmarks"))
}

/// The folder for everything that is kept between runs.
pub(super) fn of_state() -> Option<PathBuf> {
    choose(|name| std::env::var_os(name)).map(|state| state.join("stepback"))
}

/// A relative path would depend on the current folder, so it is ignored.
fn choose(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let of_windows = || if cfg!(windows) { absolute("LOCALAPPDATA") } else { None };
    let of_home = || absolute("HOME").map(|home| home.join(".local").join("state"));
    absolute("XDG_STATE_HOME").or_else(of_windows).or_else(of_home)
}

/// Creates the folder if it does not exist, readable for its owner only.
pub(super) fn create(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Makes new files readable for their owner only.
pub(super) fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Waits until a rename is on disk. Not all file systems support this for folders; without it, a power failure may undo
/// the last change.
pub(super) fn sync(folder: &Path) {
    #[cfg(unix)]
    let _ = std::fs::File::open(folder).and_then(|folder| folder.sync_all());
    #[cfg(not(unix))]
    let _ = folder;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_the_users_and_absolute() {
        let root = std::env::temp_dir();
        let (state, home) = (root.join("state"), root.join("user"));
        let of = |state: Option<&Path>, home: Option<&Path>| {
            choose(|name| match name {
                "XDG_STATE_HOME" => state.map(OsString::from),
                "HOME" => home.map(OsString::from),
                _ => None,
            })
        };
        assert_eq!(of(Some(&state), Some(&home)), Some(state.clone()));
        assert_eq!(of(Some(Path::new("relative")), Some(&home)), Some(home.join(".local/state")));
        assert_eq!(of(Some(Path::new("")), None), None);
        assert_eq!(of(None, Some(Path::new("."))), None);
    }
}

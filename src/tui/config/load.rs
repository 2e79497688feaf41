//! The configuration file: its location, and limits so that reading it can neither hang nor fill the memory.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::parse::{BadConfig, Config, parse};

const LIMIT_BYTES: u64 = 64 << 10;

/// The user's configuration; the defaults if there is none.
pub(crate) fn load() -> Result<Config, BadConfig> {
    path().map_or_else(|| Ok(Config::default()), |path| read(&path))
}

/// The configuration file of this user, by the XDG rules or by those of Windows.
pub(crate) fn path() -> Option<PathBuf> {
    choose(|name| std::env::var_os(name)).map(|folder| folder.join("stepback").join("config.toml"))
}

/// A relative path would depend on the current folder, so it is ignored.
fn choose(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let of_windows = || if cfg!(windows) { absolute("APPDATA") } else { None };
    let of_home = || absolute("HOME").map(|home| home.join(".config"));
    absolute("XDG_CONFIG_HOME").or_else(of_windows).or_else(of_home)
}

/// Reads a configuration. A missing file is not an error.
pub(crate) fn read(path: &Path) -> Result<Config, BadConfig> {
    let bad = |reason: String| BadConfig { path: path.to_owned(), place: None, reason };
    let text = match bytes(path) {
        Ok(bytes) => String::from_utf8(bytes).map_err(|_| bad("it is not UTF-8".to_owned()))?,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(Config::default());
        }
        Err(error) => return Err(bad(error.to_string())),
    };
    parse(&text).map_err(|fault| BadConfig { place: Some(fault.place), ..bad(fault.reason) })
}

fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    // Checked before opening, since opening a pipe would wait for a writer.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(LIMIT_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LIMIT_BYTES {
        return Err(io::Error::other(format!("it is larger than {} KiB", LIMIT_BYTES >> 10)));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::theme::Palette;

    #[test]
    fn the_file_is_the_users_and_absolute() {
        let root = std::env::temp_dir();
        let (config, home) = (root.join("config"), root.join("user"));
        let of = |config: Option<&Path>, home: Option<&Path>| {
            choose(|name| match name {
                "XDG_CONFIG_HOME" => config.map(OsString::from),
                "HOME" => home.map(OsString::from),
                _ => None,
            })
        };
        assert_eq!(of(Some(&config), Some(&home)), Some(config.clone()));
        assert_eq!(of(Some(Path::new("relative")), Some(&home)), Some(home.join(".config")));
        assert_eq!(of(Some(Path::new("")), None), None);
    }

    fn message(path: &Path) -> Option<String> {
        read(path).err().map(|bad| bad.to_string())
    }

    #[test]
    fn a_bad_file_is_reported_and_a_missing_one_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("config.toml");
        let name = path.display().to_string();
        assert_eq!(message(&path), None);
        fs::write(&path, "theme = 'none'\n").expect("written");
        assert_eq!(read(&path).ok().and_then(|config| config.theme), Some(Palette::Plain));
        assert_eq!(message(&path.join("below-a-file")), None);
        fs::write(&path, "\n\nthme = 'none'\n").expect("written");
        assert_eq!(message(&path), Some(format!("{name}: line 3: unknown key \"thme\"; did you mean \"theme\"?")));
        fs::write(&path, b"theme = '\xff'").expect("written");
        assert_eq!(message(&path), Some(format!("{name}: it is not UTF-8")));
        fs::write(&path, "#".repeat(LIMIT_BYTES as usize)).expect("written");
        assert_eq!(message(&path), None);
        fs::write(&path, "#".repeat(LIMIT_BYTES as usize + 1)).expect("written");
        assert_eq!(message(&path), Some(format!("{name}: it is larger than 64 KiB")));
    }

    #[test]
    fn only_regular_files_are_opened() {
        let folder = tempfile::tempdir().expect("a folder");
        let refused = |path: &Path| message(path).is_some_and(|text| text.ends_with(": it is not a regular file"));
        assert!(refused(folder.path()));
        #[cfg(unix)]
        {
            let pipe = folder.path().join("pipe");
            let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
            assert!(made.success() && refused(&pipe) && refused(Path::new("/dev/zero")));
        }
    }
}

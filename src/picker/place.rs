//! The folders in which coding agents keep their sessions: one row per program.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where a program keeps its sessions.
struct Home {
    /// The environment variable that moves the folder.
    variable: &'static str,
    /// Its name in the user's home folder.
    folder: &'static str,
    /// The folders in it that hold sessions.
    below: &'static [&'static str],
    /// Whether a file with this name is a session of its own.
    is_session: fn(&str) -> bool,
}

static HOMES: [Home; 2] = [
    Home { variable: "CLAUDE_CONFIG_DIR", folder: ".claude", below: &["projects"], is_session: is_of_claude_code },
    Home {
        variable: "CODEX_HOME",
        folder: ".codex",
        below: &["sessions", "archived_sessions"],
        is_session: is_of_codex,
    },
];

/// The files of subagents belong to the session that started them.
fn is_of_claude_code(name: &str) -> bool {
    name.ends_with(".jsonl") && !name.starts_with("agent-") && name != "journal.jsonl"
}

fn is_of_codex(name: &str) -> bool {
    name.starts_with("rollout-") && (name.ends_with(".jsonl") || name.ends_with(".jsonl.zst"))
}

/// In a folder that the user names, files of any program are looked for.
fn may_be_any(name: &str) -> bool {
    let is_text = [".jsonl", ".jsonl.zst", ".jsonl.gz"].iter().any(|ending| name.ends_with(ending));
    is_text && !name.starts_with("agent-") && name != "journal.jsonl"
}

/// A folder to search.
#[derive(Clone, Debug)]
pub(crate) struct SearchPlace {
    pub folder: PathBuf,
    pub is_session: fn(&str) -> bool,
    /// The user has named it, so it should exist.
    pub is_named: bool,
}

impl SearchPlace {
    pub(crate) fn named(folder: PathBuf) -> SearchPlace {
        SearchPlace { folder, is_session: may_be_any, is_named: true }
    }
}

/// The folders that the user has named, else the usual ones of every program.
pub(crate) fn places(named: &[PathBuf]) -> Vec<SearchPlace> {
    if named.is_empty() {
        usual(|name| std::env::var_os(name))
    } else {
        named.iter().map(|folder| named_place(folder)).collect()
    }
}

fn named_place(folder: &Path) -> SearchPlace {
    let home = home(&|name| std::env::var_os(name));
    let expanded = folder.strip_prefix("~").ok().zip(home).map(|(rest, home)| home.join(rest));
    SearchPlace::named(expanded.unwrap_or_else(|| folder.to_path_buf()))
}

fn usual(variable: impl Fn(&str) -> Option<OsString>) -> Vec<SearchPlace> {
    let mut places = Vec::new();
    for row in &HOMES {
        let moved = variable(row.variable).filter(|folder| !folder.is_empty()).map(PathBuf::from);
        let Some(root) = moved.or_else(|| home(&variable).map(|home| home.join(row.folder))) else { continue };
        let place =
            |below: &&str| SearchPlace { folder: root.join(below), is_session: row.is_session, is_named: false };
        places.extend(row.below.iter().map(place));
    }
    places
}

/// A relative path would depend on the current folder, so it is ignored.
fn home(variable: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    variable(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// A path with the user's home folder as `~`, as people write it.
pub(crate) fn with_tilde(path: &Path) -> String {
    let home = home(&|name| std::env::var_os(name));
    match home.and_then(|home| path.strip_prefix(home).ok()) {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => format!("~/{}", rest.display()),
        None => path.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(variables: &[(&str, &str)]) -> Vec<String> {
        let variable = |name: &str| variables.iter().find(|known| known.0 == name).map(|known| OsString::from(known.1));
        usual(variable).iter().map(|place| place.folder.display().to_string()).collect()
    }

    #[cfg(unix)]
    #[test]
    fn variables_move_the_folders() {
        assert_eq!(
            folders(&[("HOME", "/h")]),
            ["/h/.claude/projects", "/h/.codex/sessions", "/h/.codex/archived_sessions"]
        );
        assert_eq!(
            folders(&[("HOME", "/h"), ("CLAUDE_CONFIG_DIR", "/c"), ("CODEX_HOME", "")]),
            ["/c/projects", "/h/.codex/sessions", "/h/.codex/archived_sessions"]
        );
        assert_eq!(folders(&[("CODEX_HOME", "/x"), ("HOME", "relative")]), ["/x/sessions", "/x/archived_sessions"]);
        assert!(folders(&[]).is_empty());
    }

    #[test]
    fn files_of_subagents_are_not_sessions_of_their_own() {
        assert!(is_of_claude_code("0a1b.jsonl") && may_be_any("rollout-1.jsonl.zst"));
        assert!(is_of_codex("rollout-1.jsonl") && is_of_codex("rollout-1.jsonl.zst") && !is_of_codex("history.jsonl"));
        for name in ["agent-1.jsonl", "journal.jsonl", "x.meta.json", "x.txt"] {
            assert!(!is_of_claude_code(name) && !is_of_codex(name) && !may_be_any(name), "{name}");
        }
    }
}

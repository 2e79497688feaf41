//! The house rules, checked in the sources: which module may use which, and what a file may contain.
//!
//! A violation names the file, and the line if there is one.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at the first surprise")]

#[path = "tidy/dialects.rs"]
mod dialects;
#[path = "tidy/imports.rs"]
mod imports;
#[path = "tidy/licences.rs"]
mod licences;

use std::fs;
use std::path::{Path, PathBuf};

/// A room: a file or folder right below `src/`.
struct Room {
    name: &'static str,
    /// The other rooms that it may use.
    sees: &'static [&'static str],
    /// It may use the outside world: files, the clock, the environment, standard output.
    at_edge: bool,
}

const ROOMS: &[Room] = &[
    Room { name: "json", sees: &[], at_edge: false },
    Room { name: "redact", sees: &["json"], at_edge: false },
    Room { name: "replay", sees: &["json"], at_edge: false },
    Room { name: "turn", sees: &["replay", "json", "dialect", "text", "log"], at_edge: false },
    Room {
        name: "tape",
        sees: &["replay", "minimize", "dialect", "text", "log", "wholefile", "redact", "json"],
        at_edge: false,
    },
    Room { name: "session", sees: &["replay", "json", "dialect", "text", "log"], at_edge: false },
    Room { name: "agent", sees: &["replay", "json", "dialect", "text", "log", "doctor"], at_edge: false },
    Room { name: "doctor", sees: &["json", "replay"], at_edge: false },
    Room { name: "minimize", sees: &["json", "replay"], at_edge: false },
    Room { name: "crashpack", sees: &["replay"], at_edge: false },
    Room { name: "crashpack_folder", sees: &["crashpack", "replay", "wholefile"], at_edge: true },
    Room { name: "transfer", sees: &["crashpack", "crashpack_folder", "replay", "dialect", "text"], at_edge: false },
    Room { name: "dialect", sees: &["json", "replay", "minimize", "text", "redact", "crashpack"], at_edge: false },
    Room {
        name: "registry",
        sees: &["turn", "tape", "transfer", "session", "agent", "doctor", "crashpack", "dialect", "log", "replay"],
        at_edge: false,
    },
    Room { name: "log", sees: &["json", "replay", "dialect"], at_edge: true },
    Room { name: "wholefile", sees: &[], at_edge: true },
    Room { name: "loader", sees: &["replay", "dialect", "log", "wholefile"], at_edge: true },
    Room { name: "minimize_io", sees: &["replay", "minimize", "dialect", "log", "wholefile", "loader"], at_edge: true },
    Room {
        name: "exporter",
        sees: &[
            "json",
            "replay",
            "dialect",
            "text",
            "log",
            "loader",
            "bookmark",
            "minimize",
            "minimize_io",
            "redact",
            "crashpack",
            "crashpack_folder",
            "wholefile",
        ],
        at_edge: true,
    },
    Room { name: "bookmark", sees: &["replay"], at_edge: true },
    Room { name: "picker", sees: &["agent", "log", "text"], at_edge: true },
    Room { name: "text", sees: &["replay"], at_edge: false },
    Room { name: "compare", sees: &["replay"], at_edge: false },
    Room {
        name: "tui",
        sees: &[
            "json",
            "replay",
            "text",
            "compare",
            "minimize",
            "minimize_io",
            "exporter",
            "crashpack",
            "wholefile",
            "loader",
            "bookmark",
            "picker",
        ],
        at_edge: true,
    },
    Room {
        name: "cli",
        sees: &[
            "json",
            "redact",
            "replay",
            "text",
            "compare",
            "doctor",
            "crashpack",
            "crashpack_folder",
            "minimize",
            "minimize_io",
            "exporter",
            "dialect",
            "registry",
            "log",
            "wholefile",
            "loader",
            "bookmark",
            "picker",
            "tui",
        ],
        at_edge: true,
    },
    Room { name: "api", sees: &["replay", "log", "loader", "tape", "cli"], at_edge: true },
    Room { name: "main", sees: &[], at_edge: true },
    Room { name: "lib", sees: &["api"], at_edge: false },
];

/// Files of pure rooms that use the outside world all the same.
const EDGE_FILES: &[&str] = &[
    "src/agent/folder.rs",
    "src/agent/sidecar.rs",
    "src/dialect/sidecar.rs",
    "src/session/sidecar.rs",
    "src/tape/sidecar.rs",
    "src/tape/new_store.rs",
    "src/tape/store.rs",
    "src/turn/sidecar.rs",
    "src/transfer/folder.rs",
];

/// The parts of the standard library that only the edge may use.
const WORLD: [&str; 7] = ["fs", "io", "net", "process", "env", "thread", "time"];
const SCREEN: [&str; 2] = ["ratatui", "crossterm"];
const LINES_LIMIT: usize = 500;

struct Source {
    /// From the root of the repository, with `/` on every system.
    path: String,
    text: String,
}

impl Source {
    /// The names of its modules, outermost first: `src/log/open.rs` is `["log", "open"]`.
    fn modules(&self) -> Vec<&str> {
        let path = self.path.strip_prefix("src/").unwrap_or(&self.path);
        path.strip_suffix(".rs").unwrap_or(path).split('/').collect()
    }

    /// Code only: comments and literals are blank, lines keep their numbers.
    fn code(&self) -> String {
        blanked(&self.text)
    }

    /// The code before the unit tests, which may use more. A file of unit tests has none.
    fn code_without_tests(&self) -> String {
        if self.modules().last() == Some(&"tests") {
            return String::new();
        }
        let code = self.code();
        let lines = code.lines().take_while(|line| line.trim() != "#[cfg(test)]");
        lines.flat_map(|line| [line, "\n"]).collect()
    }

    /// The names right below the crate's root that the code uses, with their lines.
    fn mentions(&self) -> Vec<(usize, String)> {
        let code = self.code_without_tests();
        let modules = self.modules();
        let mut found = heads(&code, "crate::");
        if modules != ["lib"] {
            found.extend(heads(&code, &"super::".repeat(modules.len())));
        }
        found
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every file below a folder of the repository. Build output, history and recorded cases are not checked.
fn files(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root().join(folder)];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry")) {
            let (path, kind) = (entry.path(), entry.file_type().expect("a kind"));
            let passed_over = ["target", ".git", "tests/conformance"].iter().any(|name| path == root().join(name));
            // In a linked worktree, `.git` is a file that names the folder of the repository.
            if passed_over {
                continue;
            }
            if kind.is_dir() {
                open.push(path);
            } else if kind.is_file() && !passed_over {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The text files among them.
fn sources(folder: &str, suffix: &str) -> Vec<Source> {
    let source = |path: PathBuf| {
        let text = fs::read_to_string(&path).ok()?;
        let path = path.strip_prefix(root()).expect("below the root").to_string_lossy().replace('\\', "/");
        path.ends_with(suffix).then_some(Source { path, text })
    };
    let found: Vec<Source> = files(folder).into_iter().filter_map(source).collect();
    assert!(!found.is_empty(), "nothing to check below {folder:?}");
    found
}

fn rust_sources() -> Vec<Source> {
    let mut found = sources("src", ".rs");
    found.extend(sources("tests", ".rs"));
    found
}

fn accept(complaints: &[String]) {
    assert!(complaints.is_empty(), "{} broken:\n{}", complaints.len(), complaints.join("\n"));
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Rust without comments and literals; newlines are kept.
fn blanked(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |at| at + 2)
        } else {
            literal_length(rest, out.ends_with(is_word)).unwrap_or(0)
        };
        if skipped == 0 {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        } else {
            out.push(' ');
            out.extend(rest[..skipped].chars().filter(|character| *character == '\n'));
            rest = &rest[skipped..];
        }
    }
    out
}

/// The length of the string or character literal at this position, if there is one.
fn literal_length(rest: &str, after_word: bool) -> Option<usize> {
    if let Some(marks) = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r')).filter(|_| !after_word)
        && let Some(body) = marks.trim_start_matches('#').strip_prefix('"')
    {
        let end = format!("\"{}", "#".repeat(marks.len() - body.len() - 1));
        return Some(body.find(&end).map_or(rest.len(), |at| rest.len() - body.len() + at + end.len()));
    }
    if let Some(body) = rest.strip_prefix('"') {
        let mut escaped = false;
        let end = body.find(|character| {
            let ends = character == '"' && !escaped;
            escaped = character == '\\' && !escaped;
            ends
        });
        return Some(end.map_or(rest.len(), |at| at + 2));
    }
    let body = rest.strip_prefix('\'')?;
    let first = body.chars().next()?;
    if first == '\\' {
        return body.char_indices().skip(2).find(|(_, character)| *character == '\'').map(|(at, _)| at + 2);
    }
    // Without a quote after one character, it is a lifetime.
    body[first.len_utf8()..].starts_with('\'').then(|| first.len_utf8() + 2)
}

/// The names right after the beginning of a path, with groups expanded: `crate::{log, turn::event}` is `log` and
/// `turn`.
fn heads(code: &str, beginning: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices(beginning).filter(|(at, _)| !code[..*at].ends_with(is_word)) {
        let line = code[..at].matches('\n').count() + 1;
        let tail = &code[at + beginning.len()..];
        let names = tail.strip_prefix('{').map_or_else(|| vec![first_word(tail)], group);
        found.extend(names.into_iter().filter(|name| !name.is_empty()).map(|name| (line, name.to_owned())));
    }
    found
}

fn group(tail: &str) -> Vec<&str> {
    let mut names = vec![first_word(tail)];
    let mut depth = 0_u32;
    for (at, character) in tail.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => names.push(first_word(&tail[at + 1..])),
            _ => {}
        }
    }
    names
}

fn first_word(text: &str) -> &str {
    let text = text.trim_start();
    &text[..text.find(|character| !is_word(character)).unwrap_or(text.len())]
}

/// The lines that contain a whole word.
fn lines_with(code: &str, word: &str) -> Vec<usize> {
    let alone = |at: usize| !code[..at].ends_with(is_word) && !code[at + word.len()..].starts_with(is_word);
    let places = code.match_indices(word).filter(|(at, _)| alone(*at));
    places.map(|(at, _)| code[..at].matches('\n').count() + 1).collect()
}

#[test]
fn comments_and_literals_are_ignored() {
    let text = r##"use crate::{a, b::{c, d}}; // crate::e
let s = "crate::f \" crate::g"; let r = r#"crate::"h"#; fn i<'x>(c: char) { c == '"' || c == '\''; crate::j!() }"##;
    let found: Vec<String> = heads(&blanked(text), "crate::").into_iter().map(|(_, name)| name).collect();
    assert_eq!(found, ["a", "b", "j"]);
    assert_eq!(lines_with("ratatui_core\nratatui::", "ratatui"), [2]);
}

#[test]
fn rooms_use_only_the_rooms_they_may() {
    let mut complaints = Vec::new();
    for source in sources("src", ".rs") {
        let name = source.modules()[0];
        let Some(room) = ROOMS.iter().find(|room| room.name == name) else {
            complaints
                .push(format!("{}: a new room; give it a row in ROOMS, and a line in ARCHITECTURE.md", source.path));
            continue;
        };
        for (line, seen) in source.mentions() {
            if seen != room.name && !room.sees.contains(&&*seen) {
                complaints.push(format!("{}:{line}: {} may not see {seen}", source.path, room.name));
            }
        }
    }
    accept(&complaints);
}

#[test]
fn only_the_edge_uses_the_outside_world() {
    let is_at_edge = |source: &Source| {
        EDGE_FILES.contains(&source.path.as_str())
            || ROOMS.iter().any(|room| room.at_edge && room.name == source.modules()[0])
    };
    let mut complaints = Vec::new();
    for source in sources("src", ".rs").into_iter().filter(|source| !is_at_edge(source)) {
        let code = source.code_without_tests();
        for (line, module) in heads(&code, "std::").into_iter().filter(|(_, module)| WORLD.contains(&&**module)) {
            complaints.push(format!("{}:{line}: std::{module} in a pure room", source.path));
        }
    }
    accept(&complaints);
}

#[test]
fn only_the_screen_draws() {
    let mut complaints = Vec::new();
    for source in sources("src", ".rs").into_iter().filter(|source| source.modules()[0] != "tui") {
        let code = source.code();
        for name in SCREEN {
            let lines = lines_with(&code, name);
            complaints.extend(lines.iter().map(|line| format!("{}:{line}: {name} outside tui", source.path)));
        }
    }
    accept(&complaints);
}

#[test]
fn files_are_short_and_begin_with_a_description() {
    let mut complaints = Vec::new();
    for source in rust_sources() {
        let lines = source.text.lines().count();
        if lines > LINES_LIMIT {
            complaints.push(format!("{}: {lines} lines, {LINES_LIMIT} are the most", source.path));
        }
        if !source.text.starts_with("//! ") {
            complaints.push(format!("{}: it does not begin with a description (`//!`)", source.path));
        }
    }
    accept(&complaints);
}

#[test]
fn no_file_names_a_folder_of_one_machine() {
    let folders = ["work", "root", "home"].map(|name| format!("/{name}/"));
    let mut complaints = Vec::new();
    for source in sources("", "") {
        for (number, line) in source.text.lines().enumerate() {
            let met = folders.iter().filter(|folder| line.contains(folder.as_str()));
            complaints.extend(met.map(|folder| format!("{}:{}: {folder}", source.path, number + 1)));
        }
    }
    accept(&complaints);
}

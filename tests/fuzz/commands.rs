//! Commands on a folder: logs with sidecars and payload stores, trace bundles, families, crashpacks of both kinds.
//!
//! The first file of the input is the one that is opened; a crashpack or a family is opened as a folder.

use std::path::Path;

use clap::Parser;

use super::archive::{Entry, OUTSIDE, Scratch, entries};
use crate::cli::{Arguments, execute};
use crate::crashpack_folder::is_pack;
use crate::registry;
use crate::replay::finding::is_hostile;

const CHECK: &[&str] = &["check", "@", "--json"];
/// What else is run on the log, with `@` in its place.
const COMMANDS: [&[&str]; 6] = [
    &["check", "@", "--format", "sarif"],
    &["check", "@", "--format", "github"],
    &["report", "@", "--json"],
    &["report", "@", "--redact", "--json"],
    &["show", "@", "--at", "50%"],
    &["replay", "@"],
];
/// Sidecars that only an option names, by their names in the folder.
const NAMED: [(&str, &str); 2] = [("live.json", "--live"), ("artifacts.json", "--artifacts")];

/// Notes about damage go to the standard error, where they would be mixed with the results of `cargo test`.
const TAKES_NOTES: bool = !cfg!(test);

pub(super) fn target(input: &[u8]) {
    let files = entries(input);
    let Some((first, Entry::File(_))) = files.first() else { return };
    let scratch = Scratch::of(&files);
    let folder = scratch.folder();
    let is_family = registry::family_root(&folder).is_some();
    let is_folder = is_family || is_pack(&folder) || registry::of_folder(&folder).is_some();
    let log = if is_folder { folder.clone() } else { folder.join(first) };
    let options: Vec<String> = NAMED
        .iter()
        .filter(|(name, _)| !is_folder && folder.join(name).is_file())
        .flat_map(|(name, option)| [(*option).to_owned(), folder.join(name).display().to_string()])
        .collect();
    // One besides `check`, so that an input takes little time; which one depends on the input.
    let pick = COMMANDS[usize::from(blake3::hash(input).as_bytes()[0]) % COMMANDS.len()];
    let is_quiet = |command: &&[&str]| TAKES_NOTES || !is_folder || command[0] == "check";
    for command in [CHECK, pick].into_iter().filter(is_quiet) {
        let (one, two) = (printed(command, &log, &options), printed(command, &log, &options));
        assert_eq!(one, two, "{command:?}");
        let Ok(text) = one else { continue };
        let is_outside = |text: &[u8]| memchr::memmem::find(text, OUTSIDE.as_bytes()).is_some();
        // The logs of a family are the user's own files, also behind a link.
        assert!(is_family || is_outside(input) || !is_outside(text.as_bytes()), "{command:?} follows a link");
        if command.contains(&"--json") || command.contains(&"sarif") {
            let is_json = serde_json::from_str::<serde_json::Value>(&text).is_ok();
            assert!(is_json, "{command:?}: {text}");
        }
        let steers = |character: char| character != '\n' && is_hostile(character);
        assert!(!text.contains(steers), "{command:?}: {text:?}");
    }
    // A whole folder may hold anything.
    if TAKES_NOTES {
        assert_eq!(printed(CHECK, &folder, &[]), printed(CHECK, &folder, &[]));
    }
}

/// What a command prints, or its error.
fn printed(command: &[&str], log: &Path, options: &[String]) -> Result<String, String> {
    let log = log.to_str().expect("a name in UTF-8");
    let words = command.iter().map(|word| if *word == "@" { log } else { word });
    let takes_sidecars = matches!(command[0], "check" | "report");
    let options = options.iter().map(String::as_str).filter(|_| takes_sidecars);
    let arguments = Arguments::try_parse_from(["stepback"].into_iter().chain(words).chain(options));
    let mut out = Vec::new();
    let ended = execute(&arguments.expect("arguments"), &mut out).map_err(|error| format!("{error:#}"))?;
    let text = String::from_utf8(out).expect("commands print UTF-8");
    Ok(format!("{text}{}", if command[0] == "show" { format!("{}\n", ended as u8) } else { String::new() }))
}

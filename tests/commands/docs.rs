//! README.md and docs/ against the program: generated tables, commands, JSON keys and links.
//!
//! `UPDATE_DOCS=1 cargo test --test commands docs::` rewrites the generated tables.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

const FAMILIES: [&str; 12] =
    ["log", "gate", "step", "thread", "cover", "turn", "tape", "session", "agent", "transfer", "pack", "doctor"];
const SEVERITIES: [&str; 4] = ["info", "warning", "error", "critical"];
const README_LINES_MOST: usize = 180;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What the program prints to standard output, without colours and at its default width.
fn stepback(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepback"));
    command.args(arguments).current_dir(root()).env("NO_COLOR", "1").env("COLUMNS", "100");
    let output = command.output().expect("the program runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code().is_some_and(|code| code < 2), "stepback {arguments:?}: {errors}");
    String::from_utf8(output.stdout).expect("UTF-8").replace("\r\n", "\n")
}

fn page(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|_| panic!("{name}")).replace("\r\n", "\n")
}

/// README.md and all pages of docs/.
fn pages() -> Vec<String> {
    let entries = fs::read_dir(root().join("docs")).expect("docs");
    let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"));
    let mut pages: Vec<String> = names.map(|name| format!("docs/{name}")).collect();
    pages.sort();
    pages.insert(0, "README.md".to_owned());
    pages
}

/// The text of a page between two markers.
fn part(name: &str, marker: &str) -> String {
    let (begin, end) = (format!("<!-- {marker}:begin -->"), format!("<!-- {marker}:end -->"));
    let page = page(name);
    let part = page.split_once(&begin).and_then(|(_, rest)| rest.split_once(&end));
    part.unwrap_or_else(|| panic!("{name} has no {begin} … {end}")).0.trim().to_owned()
}

/// Compares a generated part of a page with the output of the program, or rewrites it.
fn assert_part(name: &str, marker: &str, expected: &str) {
    static WRITING: Mutex<()> = Mutex::new(());
    let (old, new) = (part(name, marker), expected.trim());
    if std::env::var_os("UPDATE_DOCS").is_some() && old != new {
        let _guard = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
        let (begin, end) = (format!("<!-- {marker}:begin -->"), format!("<!-- {marker}:end -->"));
        let page = page(name);
        let (before, rest) = page.split_once(&begin).expect("a beginning");
        let after = rest.split_once(&end).expect("an end").1;
        fs::write(root().join(name), format!("{before}{begin}\n{new}\n{end}{after}")).expect("a page");
        return;
    }
    assert_eq!(old, new, "{name} is out of date: UPDATE_DOCS=1 cargo test --test commands docs::");
}

fn table(head: [&str; 2], rows: &[(String, String)]) -> String {
    let rows: String = rows.iter().map(|(name, text)| format!("| `{name}` | {text} |\n")).collect();
    format!("| {} | {} |\n| --- | --- |\n{rows}", head[0], head[1])
}

/// The values of an option with their descriptions, from the long help.
fn described_values(command: &[&str], option: &str) -> Vec<(String, String)> {
    let help = stepback(&[command, &["--help"]].concat());
    let option = help.split_once(&format!("--{option} <")).unwrap_or_else(|| panic!("no --{option}")).1;
    let values = option.split_once("Possible values:\n").expect("values").1;
    let mut rows: Vec<(String, String)> = Vec::new();
    for line in values.lines().take_while(|line| !line.trim().is_empty()) {
        match (line.trim().strip_prefix("- "), rows.last_mut()) {
            (Some(row), _) => {
                let (name, text) = row.split_once(':').unwrap_or((row, ""));
                rows.push((name.to_owned(), text.trim().to_owned()));
            }
            (None, Some(row)) => row.1 = format!("{} {}", row.1, line.trim()),
            (None, None) => panic!("{line:?} belongs to no value"),
        }
    }
    rows
}

/// The commands with their descriptions, from the help.
fn commands() -> Vec<(String, String)> {
    let help = stepback(&["--help"]);
    let commands = help.split_once("Commands:\n").expect("commands").1;
    let mut rows: Vec<(String, String)> = Vec::new();
    for line in commands.lines().take_while(|line| !line.trim().is_empty()) {
        // Lines with a deeper indent continue the description above them.
        match line.strip_prefix("  ").filter(|line| !line.starts_with(' ')) {
            Some(row) => {
                let (name, text) = row.split_once(' ').expect("a description");
                rows.push((name.to_owned(), text.trim().to_owned()));
            }
            None => {
                let row = rows.last_mut().expect("a command above");
                row.1 = format!("{} {}", row.1, line.trim());
            }
        }
    }
    rows.retain(|row| row.0 != "help");
    rows
}

#[test]
fn the_readme_is_short() {
    let lines = page("README.md").lines().count();
    assert!(lines <= README_LINES_MOST, "README.md has {lines} lines; move details to docs/");
}

#[test]
fn every_key_is_listed() {
    assert_part("docs/keys.md", "keys", &stepback(&["keys", "--markdown"]));
}

#[test]
fn every_check_is_listed() {
    assert_part("docs/checks.md", "checks", &stepback(&["checks", "--markdown"]));
}

#[test]
fn every_family_of_checks_is_described() {
    let page = page("docs/checks.md");
    let (_, families) = page.split_once("## Families\n").expect("families");
    let rows = families.lines().skip_while(|line| !line.starts_with("| `")).take_while(|line| line.starts_with("| `"));
    let described: Vec<&str> = rows.filter_map(|row| row.strip_prefix("| `")?.split('/').next()).collect();
    assert_eq!(described, FAMILIES);
}

#[test]
fn every_format_is_listed() {
    assert_part("docs/checks.md", "formats", &table(["format", "output"], &described_values(&["check"], "format")));
}

#[test]
fn every_dialect_is_listed() {
    assert_part("docs/guide.md", "dialects", &table(["dialect", "what it is"], &described_values(&[], "dialect")));
}

#[test]
fn every_mode_of_diff_is_listed() {
    assert_part("docs/comparing.md", "modes", &table(["mode", "compares"], &described_values(&["diff"], "mode")));
}

#[test]
fn every_command_is_listed() {
    assert_part("docs/guide.md", "commands", &table(["command", "does"], &commands()));
}

#[test]
fn the_readme_shows_what_check_prints() {
    let part = part("README.md", "picture");
    let command = part.lines().nth(1).expect("a command").to_owned();
    let arguments = command.strip_prefix("$ stepback ").expect("a command").split(' ').collect::<Vec<_>>();
    assert_part("README.md", "picture", &format!("```text\n{command}\n{}```", stepback(&arguments)));
}

#[test]
fn the_guide_shows_what_explain_prints() {
    let command = "stepback explain fixtures/agent/claude-code/grown.jsonl growth --limit 3";
    let arguments = command.split(' ').skip(1).collect::<Vec<_>>();
    assert_part("docs/guide.md", "growth", &format!("```text\n$ {command}\n{}```", stepback(&arguments)));
}

#[test]
fn the_guide_shows_what_files_prints() {
    let command = "stepback files fixtures/agent/claude-code/grown.jsonl price.py --blame";
    let arguments = command.split(' ').skip(1).collect::<Vec<_>>();
    assert_part("docs/guide.md", "blame", &format!("```text\n$ {command}\n{}```", stepback(&arguments)));
}

/// A folder with the logs of the repository, in which documented commands are run.
struct Workspace {
    folder: tempfile::TempDir,
}

impl Workspace {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["assets", "fixtures"] {
            copy(&root().join(name), &folder.path().join(name));
        }
        Workspace { folder }
    }

    fn run(&self, command: &str) -> Output {
        let program = Path::new(env!("CARGO_BIN_EXE_stepback")).parent().expect("a folder");
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).current_dir(self.folder.path()).env("XDG_STATE_HOME", self.folder.path());
        shell.env("PATH", format!("{}:/usr/bin:/bin", program.display())).output().expect("a shell")
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").map(|entry| entry.expect("an entry")) {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).expect("a copy");
        }
    }
}

#[test]
fn every_documented_command_works() {
    let mut ran = 0;
    for name in pages() {
        let (workspace, page) = (Workspace::new(), page(&name));
        let lines: Vec<&str> = page.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let command = line.strip_prefix("    ").or_else(|| line.strip_prefix("$ ")).unwrap_or_default();
            if !command.starts_with("stepback ") && !command.starts_with("sh ") {
                continue;
            }
            let shows_error = lines.get(at + 1).is_some_and(|next| next.starts_with("error: "));
            let output = workspace.run(command);
            let works = output.status.code().is_some_and(|code| if shows_error { code == 2 } else { code < 2 });
            assert!(works, "{name}: `{command}`: {}", String::from_utf8_lossy(&output.stderr));
            ran += 1;
        }
    }
    assert!(ran > 20, "only {ran} commands were found");
}

/// The keys in the first column of a table.
fn documented_keys(table: &str) -> BTreeSet<String> {
    let rows = table.lines().filter(|line| line.starts_with("| `"));
    rows.filter_map(|row| row.split('|').nth(1))
        .flat_map(|cell| cell.split('`').skip(1).step_by(2).map(str::to_owned))
        .collect()
}

#[test]
fn documented_json_has_exactly_the_documented_keys() {
    let (workspace, page) = (Workspace::new(), page("docs/json-output.md"));
    let blocks: Vec<&str> = page.split("<!-- json: ").skip(1).collect();
    for block in &blocks {
        let (head, rest) = block.split_once(" -->").expect("an end of the marker");
        let (command, pointer) = head.split_once(" @ ").unwrap_or((head, ""));
        let output = workspace.run(&format!("stepback {command}"));
        // Either one document, or one object per line.
        let mut values = serde_json::Deserializer::from_slice(&output.stdout).into_iter::<Value>();
        let value = values.next().and_then(Result::ok).unwrap_or_else(|| panic!("{command}: {output:?}"));
        let object = value.pointer(pointer).and_then(Value::as_object).unwrap_or_else(|| panic!("{head}: {value}"));
        let table = rest.split_once("<!-- json:end -->").expect("an end").0;
        assert_eq!(documented_keys(table), object.keys().cloned().collect(), "{head}");
    }
    assert!(blocks.len() > 10);
}

/// The anchors that GitHub makes from headings.
fn anchors(page: &str) -> BTreeSet<String> {
    let anchor = |heading: &str| {
        let kept = heading.trim().to_lowercase();
        let kept = kept.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
        kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
    };
    page.lines().filter(|line| line.starts_with('#')).map(|line| anchor(line.trim_start_matches('#'))).collect()
}

#[test]
fn every_link_has_a_target() {
    let mut pages_by_path: BTreeMap<PathBuf, String> = BTreeMap::new();
    let names = pages().into_iter().chain(["ARCHITECTURE.md".to_owned(), "fixtures/README.md".to_owned()]);
    for name in names {
        pages_by_path.insert(root().join(&name).canonicalize().expect("a page"), page(&name));
    }
    for (path, page) in &pages_by_path {
        for link in page.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.starts_with("http") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { path.clone() } else { path.parent().expect("a folder").join(file) };
            let target = target.canonicalize().unwrap_or_else(|_| panic!("{}: {link}", path.display()));
            let known =
                anchor.is_empty() || pages_by_path.get(&target).is_some_and(|page| anchors(page).contains(anchor));
            assert!(known, "{}: {link} has no such heading", path.display());
        }
    }
}

#[test]
fn rows_of_the_catalogue_are_well_formed() {
    let rows: Vec<Value> = serde_json::from_str(&stepback(&["checks", "--json"])).expect("JSON");
    let mut complaints = Vec::new();
    let mut ids = BTreeSet::new();
    for row in &rows {
        let text = |key: &str| row[key].as_str().unwrap_or_else(|| panic!("{key} of {row}"));
        let (id, says, explains) = (text("id"), text("says"), text("explains"));
        let mut complain = |about: &str| complaints.push(format!("{id}: {about}"));
        if !ids.insert(id.to_owned()) {
            complain("the id is not unique");
        }
        if !id.split_once('/').is_some_and(|(family, name)| FAMILIES.contains(&family) && !name.is_empty()) {
            complain("unknown family");
        }
        if !SEVERITIES.contains(&text("severity")) {
            complain("unknown severity");
        }
        if says.is_empty() || says.ends_with('.') {
            complain("the message is empty or ends with a period");
        }
        if !explains.ends_with('.') {
            complain("the explanation does not end with a period");
        }
    }
    assert!(!rows.is_empty());
    assert!(complaints.is_empty(), "{} broken:\n{}", complaints.len(), complaints.join("\n"));
}

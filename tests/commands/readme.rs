//! One table each for keys, checks, dialects, formats and commands: the README says what the program prints of itself.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use stepback::dialect::DIALECTS;
use stepback::log::container::SIGNATURES;
use stepback::tui::config;

const FAMILIES: [&str; 8] = ["log", "gate", "step", "thread", "cover", "turn", "tape", "pack"];
const SEVERITIES: [&str; 4] = ["info", "warning", "error", "critical"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What the program prints on standard output, without colours and at its default width.
fn stepback(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepback"));
    command.args(arguments).current_dir(root()).env("NO_COLOR", "1").env_remove("COLUMNS");
    let output = command.output().expect("the program runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code().is_some_and(|code| code < 2), "stepback {arguments:?}: {errors}");
    String::from_utf8(output.stdout).expect("UTF-8").replace("\r\n", "\n")
}

fn readme() -> String {
    fs::read_to_string(root().join("README.md")).expect("README.md").replace("\r\n", "\n")
}

/// The part of the README between two markers.
fn readme_part(name: &str) -> String {
    let readme = readme();
    let (begin, end) = (format!("<!-- {name}:begin -->"), format!("<!-- {name}:end -->"));
    let part = readme.split_once(&begin).and_then(|(_, rest)| rest.split_once(&end));
    part.unwrap_or_else(|| panic!("README.md has no {begin} … {end}")).0.trim().to_owned()
}

/// The first word of each row of a table of the README, as far as it is written as code.
fn readme_names(part: &str) -> Vec<String> {
    let part = readme_part(part);
    let names = part.lines().filter_map(|line| line.strip_prefix("| `")).filter_map(|row| row.split(['`', ' ']).next());
    names.map(str::to_owned).collect()
}

/// The values that an option takes, as the short help lists them.
fn possible_values(command: &[&str], option: &str) -> Vec<String> {
    // The long help lists values that have a sentence of their own in another form; the short one never does.
    let help = stepback(&[command, &["-h"]].concat());
    // Wherever the lines were broken.
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let from_option = help.split_once(&format!("--{option} ")).unwrap_or_else(|| panic!("no --{option}")).1;
    let from_values = from_option.split_once("[possible values: ").expect("values").1;
    let values = from_values.split_once(']').expect("an end").0;
    values.split(", ").map(str::to_owned).collect()
}

#[test]
fn the_readme_lists_every_key() {
    assert_eq!(
        readme_part("keys"),
        stepback(&["keys", "--markdown"]).trim(),
        "`stepback keys --markdown` prints the table"
    );
}

#[test]
fn the_configuration_in_the_readme_can_be_used_as_it_stands() {
    let part = readme_part("config");
    let block = part.strip_prefix("```toml\n").and_then(|rest| rest.strip_suffix("```")).expect("a TOML block");
    let config = config::parse(block).unwrap_or_else(|fault| panic!("{fault:?}"));
    // All that can be set is shown.
    assert!(config.theme.is_some() && config.ascii.is_some() && config.mouse.is_some());
    assert!(config.detail_rows.is_some() && !config.pinned.is_empty());
}

#[test]
fn the_readme_lists_every_check() {
    assert_eq!(
        readme_part("checks"),
        stepback(&["checks", "--markdown"]).trim(),
        "`stepback checks --markdown` prints it"
    );
}

#[test]
fn the_readme_lists_every_format() {
    assert_eq!(readme_names("formats"), possible_values(&["check"], "format"));
}

#[test]
fn the_readme_lists_every_dialect() {
    let rows =
        DIALECTS.iter().map(|dialect| format!("| `{}` | {} | {} |", dialect.name, dialect.title, dialect.describes));
    let part = readme_part("dialects");
    assert_eq!(part.lines().skip(2).collect::<Vec<_>>(), rows.collect::<Vec<_>>());
    assert_eq!(readme_names("dialects"), possible_values(&[], "dialect"));
}

#[test]
fn every_dialect_can_be_told_from_the_others() {
    let signatures: Vec<&str> = SIGNATURES.iter().map(|signature| signature.dialect).collect();
    assert_eq!(signatures, DIALECTS.iter().map(|dialect| dialect.name).collect::<Vec<_>>());
}

#[test]
fn the_readme_lists_every_command() {
    let help = stepback(&["--help"]);
    let commands = help.split_once("Commands:\n").expect("commands").1;
    // Deeper indented lines go on with the sentence of the command above them.
    let rows = commands.lines().take_while(|line| !line.trim().is_empty());
    let names = rows.filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).filter(|name| !name.is_empty());
    let known: BTreeSet<String> = names.filter(|name| *name != "help").map(str::to_owned).collect();
    // `[FILE]` stands for the program without a command.
    let listed: BTreeSet<String> = readme_names("commands").into_iter().filter(|name| !name.starts_with('[')).collect();
    assert_eq!(listed, known);
}

#[test]
fn the_picture_in_the_readme_is_what_the_program_prints() {
    let part = readme_part("picture");
    let block = part.strip_prefix("```text\n").and_then(|rest| rest.strip_suffix("```")).expect("a text block");
    let (command, picture) = block.split_once('\n').expect("a command and what it prints");
    let mut words = command.split_whitespace();
    assert_eq!((words.next(), words.next()), (Some("$"), Some("stepback")));
    let printed = stepback(&words.collect::<Vec<_>>());
    assert_eq!(picture.trim(), printed.trim(), "README.md shows something else than `{command}` prints:\n{printed}");
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
            complain("the id stands twice");
        }
        if !id.split_once('/').is_some_and(|(family, name)| FAMILIES.contains(&family) && !name.is_empty()) {
            complain("a family that the catalogue does not have");
        }
        if !SEVERITIES.contains(&text("severity")) {
            complain("no severity");
        }
        if says.is_empty() || says.ends_with('.') {
            complain("its sentence is empty or ends with a period");
        }
        if !explains.ends_with('.') {
            complain("its explanation does not end with a period");
        }
    }
    assert!(!rows.is_empty());
    assert!(complaints.is_empty(), "{} broken:\n{}", complaints.len(), complaints.join("\n"));
}

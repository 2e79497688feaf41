//! The examples at the end of every command's help. A test parses each of them.

pub(super) const PROGRAM: &str = "\
Examples:
  stepback                                              choose one of the sessions on this machine
  stepback --demo                                       open the built-in example, a turn that failed
  stepback check logs/                                  check every log in a folder
  stepback --demo --keys 'G F x' --screenshot walk.svg  save an animation of the screen

Documentation: docs/ in the source of stepback";

pub(super) const CHECK: &str = "\
Examples:
  stepback check turn.json                     print the findings of a log
  stepback check logs/ --format github         annotate a pull request
  stepback check logs/ --skip 'step/*' --json  skip some checks, print JSON
  stepback check --files-from names.txt        check the logs that a list names";

pub(super) const REPORT: &str = "\
Examples:
  stepback report turn.json                  summarize a log
  stepback report turn.json --json --redact  the same as JSON, without secrets";

pub(super) const REPLAY: &str = "\
Examples:
  stepback replay turn.json           print what each event asks for and changes
  stepback replay turn.json --follow  keep printing while the log grows
  stepback replay demo.pack --expect  test whether a crashpack still shows its finding";

pub(super) const SHOW: &str = "\
Examples:
  stepback show turn.json --at finding:1             print where the first finding begins
  stepback show turn.json --at call:c-7              print the first event of a tool call
  stepback show s.jsonl --context --at 120           print what the model saw, as `context` does";

pub(super) const BLAME: &str = "\
Examples:
  stepback blame turn.json step_idx           print the event that last wrote a field
  stepback blame turn.json step_idx --at 19   look back from event 19
  stepback blame turn.json step_idx --all     print every event that wrote it";

pub(super) const BOOKMARK: &str = "\
Examples:
  stepback bookmark turn.json                                    list the bookmarks
  stepback bookmark turn.json add 19 --name bad --note 'why?'    bookmark event 19
  stepback bookmark turn.json remove bad                         remove a bookmark";

pub(super) const QUERY: &str = "\
Examples:
  stepback query turn.json tool_call_finished          print all events of a kind
  stepback query turn.json '.event.duration_ms > 900'  print events that match a jq filter
  stepback query turn.json finding --json              print the events that findings are about
  stepback query turn.json --by kind                   count the events of each kind";

pub(super) const DIFF: &str = "\
Examples:
  stepback diff good.json bad.json         print where two runs diverge
  stepback diff good.json bad.json --json  the same as JSON
  stepback good.json --compare bad.json    look at both on the screen";

pub(super) const CONVERT: &str = "\
Examples:
  stepback convert sessions.db --turn t-1 -o turn.json  export one turn of a database
  stepback convert turn.json -o shared.jsonl --redact   write lines, without secrets";

pub(super) const DOCTOR: &str = "\
Examples:
  stepback doctor session.jsonl                          print whether it resumes, and which line prevents it
  stepback doctor session.jsonl --repair -o fixed.jsonl  write the smallest repair to a copy
  stepback doctor session.jsonl --reach                  print which lines a resume would leave out, and why
  stepback doctor ~/.claude/projects --fail-on warning   examine every session of a folder";

pub(super) const EXPLAIN: &str = "\
Examples:
  stepback explain session.jsonl growth           print what filled the context
  stepback explain session.jsonl time --limit 30  print where the time went, with longer lists
  stepback explain session.jsonl loops --json     print repeated calls as JSON";

pub(super) const CONTEXT: &str = "\
Examples:
  stepback context session.jsonl                       print what a resume would send
  stepback context session.jsonl --at 120              print what the model saw at event 120
  stepback context session.jsonl --at 120 --against 3  print what the context gained and lost since
  stepback context session.jsonl --dropped             print what the last compaction dropped";

pub(super) const SESSIONS: &str = "\
Examples:
  stepback sessions                         list the sessions of Claude Code and Codex
  stepback sessions parser --limit 5        the five best matches of a fuzzy search
  stepback sessions --dir backup/ --json    list the sessions of a folder as JSON";

pub(super) const FILES: &str = "\
Examples:
  stepback files session.jsonl                    list the files that were read or written
  stepback files session.jsonl main.rs --at 120   print a file as it was after event 120
  stepback files session.jsonl main.rs --blame    print which event wrote each line
  stepback files session.jsonl --diff 100..200    print what changed between two events";

pub(super) const MINIMIZE: &str = "\
Examples:
  stepback minimize turn.json -o min.json                             keep the worst finding
  stepback minimize turn.json --finding turn/rejected-ran -o min.json  keep this one
  stepback minimize turn.json --test 'my-tool {}' -o min.json          keep what a command accepts as interesting";

pub(super) const EXPORT: &str = "\
Examples:
  stepback export turn.json --redact --review              list the secrets that would be hidden
  stepback export turn.json -o bug.pack --redact --minimize  write a crashpack; `sh bug.pack/replay.sh` replays it
  stepback export turn.json --html bug.html                write one page about the finding, to share
  stepback export turn.json --format markdown              print it as a comment for a pull request";

pub(super) const CHECKS: &str = "\
Examples:
  stepback checks                              list all checks
  stepback checks --explain turn/rejected-ran  explain one";

pub(super) const KEYS: &str = "\
Examples:
  stepback keys             list the keys and commands of the screen
  stepback keys --markdown  the same as Markdown";

pub(super) const COMPLETIONS: &str = "\
Examples:
  stepback completions bash > /etc/bash_completion.d/stepback  for bash
  stepback completions zsh > ~/.zfunc/_stepback                for zsh";

pub(super) const MAN: &str = "\
Examples:
  stepback man | man -l -          read the manual page
  stepback man > stepback.1        save it";

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::super::Arguments;

    /// The words of a command line, without redirections.
    fn words(line: &str) -> Vec<String> {
        let command = line.split("  ").next().unwrap_or(line);
        // A `>` in quotes belongs to a filter.
        let end = command.find(
            [" > ", " | "]
                .iter()
                .find(|mark| command.contains(**mark))
                .filter(|_| !command.contains('\''))
                .map_or("  ", |mark| mark),
        );
        let command = &command[..end.unwrap_or(command.len())];
        command.split('\'').enumerate().fold(Vec::new(), |mut words, (part, text)| {
            match part % 2 {
                1 => words.push(text.to_owned()),
                _ => words.extend(text.split_whitespace().map(str::to_owned)),
            }
            words
        })
    }

    #[test]
    fn every_command_ends_its_help_with_examples_that_parse() {
        let program = Arguments::command();
        let commands = program.get_subcommands().chain([&program]);
        for command in commands {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let mut lines = help.lines();
            assert_eq!(lines.next(), Some("Examples:"), "{}", command.get_name());
            let examples: Vec<&str> = lines.take_while(|line| !line.is_empty()).map(str::trim_start).collect();
            assert!((2..=4).contains(&examples.len()), "{}: {examples:?}", command.get_name());
            for example in examples.iter().filter(|example| example.starts_with("stepback")) {
                let parsed = Arguments::try_parse_from(words(example));
                assert!(
                    parsed.is_ok(),
                    "{example}: {}",
                    parsed.err().map(|error| error.to_string()).unwrap_or_default()
                );
            }
        }
    }
}

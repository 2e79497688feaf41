//! The commands of the `:` line: one table for dispatch, completion, help and the README.

use crate::replay::check::Severity;
use crate::replay::condition::Condition;
use crate::replay::debugger::breakpoint::On;
use crate::replay::timeline::Replay;
use crate::tui::theme::Palette;

/// What a command takes: this is what Tab offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    Nothing,
    Break,
    KindOrLane,
    Only,
    Field,
    Palette,
    Path,
    PathOrNothing,
    Text,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    Break,
    Hide,
    Only,
    All,
    Pin,
    Bookmark,
    Compare,
    Minimize,
    Export,
    Save,
    Screenshot,
    Theme,
    Reload,
    Original,
    Minimized,
    Tour,
    Help,
    Quit,
}

pub struct Command {
    pub name: &'static str,
    pub does: Does,
    pub takes: Takes,
    /// How its argument is called in the help.
    pub argument: &'static str,
    pub describes: &'static str,
}

const fn command(
    name: &'static str,
    does: Does,
    takes: Takes,
    argument: &'static str,
    describes: &'static str,
) -> Command {
    Command { name, does, takes, argument, describes }
}

pub static COMMANDS: &[Command] = &[
    command(
        "break",
        Does::Break,
        Takes::Break,
        "WHAT",
        "stop at `kind:NAME`, `effect:NAME`, `change:FIELD`, `finding`, `finding:CHECK`, or where a jq filter is true",
    ),
    command(
        "hide",
        Does::Hide,
        Takes::KindOrLane,
        "KIND",
        "leave a kind of event, or a lane, out of the list, or no longer",
    ),
    command("only", Does::Only, Takes::Only, "WHAT", "list only events with `findings`, or only `hits` of the search"),
    command("all", Does::All, Takes::Nothing, "", "list every event again"),
    command("pin", Does::Pin, Takes::Field, "FIELD", "keep a field on top of the projection, or no longer"),
    command("bookmark", Does::Bookmark, Takes::Text, "NAME", "bookmark this event under a name"),
    command(
        "compare",
        Does::Compare,
        Takes::PathOrNothing,
        "FILE",
        "another log beside this one, event by event; without a name no longer",
    ),
    command(
        "minimize",
        Does::Minimize,
        Takes::PathOrNothing,
        "FILE",
        "the smallest log that reports the same finding, saved if there is a name",
    ),
    command(
        "export",
        Does::Export,
        Takes::PathOrNothing,
        "DIR",
        "the evidence of the finding as a folder to share, after a look at the secrets that are hidden in it",
    ),
    command("save", Does::Save, Takes::Path, "FILE", "write the what-if variant as a new log"),
    command("screenshot", Does::Screenshot, Takes::Path, "FILE", "save the screen: `.svg` as a picture, else as text"),
    command("theme", Does::Theme, Takes::Palette, "NAME", "other colours: `default`, `high-contrast`, `none`"),
    command("reload", Does::Reload, Takes::Nothing, "", "open the log again, as it is now"),
    command("original", Does::Original, Takes::Nothing, "", "of a pack: the trace as it was recorded"),
    command("minimized", Does::Minimized, Takes::Nothing, "", "of a pack: the smallest trace with the same finding"),
    command("tour", Does::Tour, Takes::Nothing, "", "the guided tour"),
    command("help", Does::Help, Takes::Nothing, "", "the keys and these commands"),
    command("quit", Does::Quit, Takes::Nothing, "", "out of the program"),
];

/// The command that a line names, and its argument. A name may be cut as long as only one begins like it.
pub fn parse(line: &str) -> Option<(&'static Command, &str)> {
    let (name, argument) = line.split_once(' ').map_or((line, ""), |(name, argument)| (name, argument.trim()));
    let exact = COMMANDS.iter().find(|command| command.name == name);
    let mut like = COMMANDS.iter().filter(|command| !name.is_empty() && command.name.starts_with(name));
    let found = exact.or_else(|| like.next().filter(|_| like.next().is_none()))?;
    Some((found, argument))
}

/// What to stop at, as a person writes it.
pub fn parse_break(text: &str, replay: &dyn Replay) -> Result<On, String> {
    let vocabulary = replay.vocabulary();
    let unknown = |what: &str, name: &str| format!("there is no {what} {name:?}; Tab offers those that there are");
    match text.split_once(':').map_or((text, ""), |(sort, name)| (sort.trim(), name.trim())) {
        ("finding", "") => Ok(On::Finding(None)),
        ("finding", id) => {
            let findings = replay.findings();
            let known = findings.list.iter().find(|finding| finding.check.id == id);
            known
                .map(|finding| On::Finding(Some(finding.check.id)))
                .ok_or_else(|| format!("this log has no finding of {id:?}"))
        }
        ("kind", name) => vocabulary.kind_by_any_name(name).map(On::Kind).ok_or_else(|| unknown("kind", name)),
        ("effect", name) => vocabulary.effect(name).map(On::Effect).ok_or_else(|| unknown("effect", name)),
        ("change", name) => vocabulary.field(name).map(On::Change).ok_or_else(|| unknown("field", name)),
        _ => match vocabulary.kind(text) {
            Some(kind) => Ok(On::Kind(kind)),
            None => Condition::parse(text, vocabulary)
                .map(On::Condition)
                .map_err(|bad| format!("byte {}: {}", bad.at.start, bad.reason)),
        },
    }
}

/// The lines that a line may become, in the order in which Tab offers them.
pub fn offers(line: &str, replay: &dyn Replay, bookmarks: &[&str]) -> Vec<String> {
    let all: Vec<String> = match line.split_once(' ') {
        Some(_) => match parse(line) {
            Some((command, _)) => {
                arguments(command.takes, replay).iter().map(|argument| format!("{} {argument}", command.name)).collect()
            }
            None => Vec::new(),
        },
        None => {
            let named = |command: &Command| match command.takes {
                Takes::Nothing => command.name.to_owned(),
                _ => format!("{} ", command.name),
            };
            let places = ["step:", "call:", "finding:"].map(str::to_owned);
            let marks = bookmarks.iter().map(|name| format!("bookmark:{name}"));
            COMMANDS.iter().map(named).chain(places).chain(marks).collect()
        }
    };
    all.into_iter().filter(|offer| offer.starts_with(line) && offer != line).collect()
}

/// The same for what to stop at.
pub fn break_offers(text: &str, replay: &dyn Replay) -> Vec<String> {
    arguments(Takes::Break, replay).into_iter().filter(|offer| offer.starts_with(text) && offer != text).collect()
}

fn arguments(takes: Takes, replay: &dyn Replay) -> Vec<String> {
    let vocabulary = replay.vocabulary();
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let kinds = || vocabulary.kinds.iter().map(|kind| kind.name);
    match takes {
        Takes::Nothing | Takes::Path | Takes::PathOrNothing | Takes::Text => Vec::new(),
        Takes::Break => {
            let mut all: Vec<String> = vec!["finding".to_owned()];
            all.extend(found_checks(replay).map(|id| format!("finding:{id}")));
            all.extend(kinds().map(|name| format!("kind:{name}")));
            all.extend(vocabulary.effects.iter().map(|name| format!("effect:{name}")));
            all.extend(vocabulary.fields.iter().map(|name| format!("change:{name}")));
            all
        }
        Takes::KindOrLane => kinds().chain(vocabulary.lanes.iter().copied()).map(str::to_owned).collect(),
        Takes::Only => owned(&["findings", "hits"]),
        Takes::Field => owned(vocabulary.fields),
        Takes::Palette => owned(&Palette::ALL.map(|known| known.0)),
    }
}

/// The checks that found something, each once.
fn found_checks(replay: &dyn Replay) -> impl Iterator<Item = &'static str> {
    let findings = replay.findings();
    let serious = findings.list.iter().filter(|finding| finding.severity > Severity::Info);
    let ids: std::collections::BTreeSet<&'static str> = serious.map(|finding| finding.check.id).collect();
    ids.into_iter()
}

/// The table as Markdown, as it stands in the README.
pub fn markdown() -> String {
    let mut out = String::from("| command | does |\n| --- | --- |\n");
    out.push_str("| `:PLACE` | go there: `412`, `34%`, `step:31`, `call:ID`, `finding:2`, `bookmark:NAME` |\n");
    for command in COMMANDS {
        let blank = if command.argument.is_empty() { "" } else { " " };
        out.push_str(&format!("| `:{}{blank}{}` | {} |\n", command.name, command.argument, command.describes));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_may_be_cut_while_it_is_clear() {
        assert_eq!(parse("br kind:x").map(|(command, argument)| (command.name, argument)), Some(("break", "kind:x")));
        assert_eq!(parse("q").map(|(command, _)| command.name), Some("quit"));
        assert!(parse("b").is_none(), "break or bookmark");
        assert!(parse("412").is_none() && parse("").is_none());
    }
}

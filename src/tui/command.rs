//! The commands of the `:` line: one table for dispatch, completion, help and documentation.

use crate::replay::check::Severity;
use crate::replay::condition::Condition;
use crate::replay::debugger::breakpoint::On;
use crate::replay::timeline::Replay;
use crate::replay::vocabulary::{KindId, LaneId};
use crate::text::count;
use crate::tui::model::Model;
use crate::tui::sentence::Sentence;
use crate::tui::theme::Palette;
use crate::tui::typing::PromptKind;

/// What a command takes as its argument. Tab completes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommandArgument {
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
pub(crate) enum CommandAction {
    Break,
    Hide,
    Only,
    All,
    Pin,
    Bookmark,
    Compare,
    Minimize,
    Export,
    Context,
    Explain,
    Resume,
    Time,
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

pub(crate) struct ScreenCommand {
    pub name: &'static str,
    pub does: CommandAction,
    pub takes: CommandArgument,
    /// The name of the argument in the help.
    pub argument: &'static str,
    pub describes: &'static str,
}

const fn command(
    name: &'static str,
    does: CommandAction,
    takes: CommandArgument,
    argument: &'static str,
    describes: &'static str,
) -> ScreenCommand {
    ScreenCommand { name, does, takes, argument, describes }
}

pub(crate) static COMMANDS: &[ScreenCommand] = &[
    command(
        "break",
        CommandAction::Break,
        CommandArgument::Break,
        "WHAT",
        "toggle a breakpoint at `kind:NAME`, `effect:NAME`, `change:FIELD`, `finding`, `finding:CHECK`, or where a jq filter is true",
    ),
    command(
        "hide",
        CommandAction::Hide,
        CommandArgument::KindOrLane,
        "KIND",
        "toggle: hide a kind of event, or a lane, in the list",
    ),
    command(
        "only",
        CommandAction::Only,
        CommandArgument::Only,
        "WHAT",
        "list only events with `findings`, only search `hits`, or only those at which `:break` would stop, such as `kind:NAME` or a jq filter",
    ),
    command("all", CommandAction::All, CommandArgument::Nothing, "", "list every event again"),
    command(
        "pin",
        CommandAction::Pin,
        CommandArgument::Field,
        "FIELD",
        "toggle: pin a field to the top of the projection",
    ),
    command("bookmark", CommandAction::Bookmark, CommandArgument::Text, "NAME", "bookmark this event under a name"),
    command(
        "compare",
        CommandAction::Compare,
        CommandArgument::PathOrNothing,
        "FILE",
        "compare with another log, event by event; without a name, end the comparison",
    ),
    command(
        "minimize",
        CommandAction::Minimize,
        CommandArgument::PathOrNothing,
        "FILE",
        "find the smallest log that still reports the selected finding; with a name, save it there",
    ),
    command(
        "export",
        CommandAction::Export,
        CommandArgument::PathOrNothing,
        "DIR",
        "export the evidence of the selected finding as a folder to share, after a review of its secrets",
    ),
    command(
        "context",
        CommandAction::Context,
        CommandArgument::Text,
        "PLACE",
        "list what the model saw at this event; with a place, what came and went since that event; with `dropped 2`, what the second compaction dropped",
    ),
    command(
        "explain",
        CommandAction::Explain,
        CommandArgument::Text,
        "QUESTION",
        "answer a question about an agent session: `growth`, `time`, `loops`, `compaction`",
    ),
    command(
        "resume",
        CommandAction::Resume,
        CommandArgument::Nothing,
        "",
        "tell whether the session can be resumed; `s` writes a repaired copy",
    ),
    command(
        "time",
        CommandAction::Time,
        CommandArgument::Nothing,
        "",
        "toggle: show in the strip who took the time: the model, tools, the person, retries",
    ),
    command("save", CommandAction::Save, CommandArgument::Path, "FILE", "save the what-if variant as a new log"),
    command(
        "screenshot",
        CommandAction::Screenshot,
        CommandArgument::Path,
        "FILE",
        "save the screen: as a picture if the name ends in `.svg`, else as text",
    ),
    command(
        "theme",
        CommandAction::Theme,
        CommandArgument::Palette,
        "NAME",
        "change the colours: `default`, `high-contrast`, `none`",
    ),
    command("reload", CommandAction::Reload, CommandArgument::Nothing, "", "open the log again, as it is now"),
    command("original", CommandAction::Original, CommandArgument::Nothing, "", "show the recorded trace of the pack"),
    command(
        "minimized",
        CommandAction::Minimized,
        CommandArgument::Nothing,
        "",
        "show the minimized trace of the pack",
    ),
    command("tour", CommandAction::Tour, CommandArgument::Nothing, "", "start the guided tour"),
    command("help", CommandAction::Help, CommandArgument::Nothing, "", "show the keys and these commands"),
    command("quit", CommandAction::Quit, CommandArgument::Nothing, "", "quit"),
];

/// The command of a line, and its argument. A name may be shortened as long as it is unambiguous.
pub(crate) fn parse(line: &str) -> Option<(&'static ScreenCommand, &str)> {
    let (name, argument) = line.split_once(' ').map_or((line, ""), |(name, argument)| (name, argument.trim()));
    let exact = COMMANDS.iter().find(|command| command.name == name);
    let mut like = COMMANDS.iter().filter(|command| !name.is_empty() && command.name.starts_with(name));
    let found = exact.or_else(|| like.next().filter(|_| like.next().is_none()))?;
    Some((found, argument))
}

/// Parses what to stop at.
pub(crate) fn parse_break(text: &str, replay: &dyn Replay) -> Result<On, Sentence> {
    let vocabulary = replay.vocabulary();
    let unknown =
        |what: &str, name: &str| Sentence::from(format!("there is no {what} {name:?}; Tab completes known names"));
    match text.split_once(':').map_or((text, ""), |(sort, name)| (sort.trim(), name.trim())) {
        ("finding", "") => Ok(On::Finding(None)),
        ("finding", id) => {
            let findings = replay.findings();
            let known = findings.list.iter().find(|finding| finding.check.id == id);
            known
                .map(|finding| On::Finding(Some(finding.check.id)))
                .ok_or_else(|| format!("this log has no finding of check {id:?}").into())
        }
        ("kind", name) => vocabulary.kind_by_any_name(name).map(On::Kind).ok_or_else(|| unknown("kind", name)),
        ("effect", name) => vocabulary.effect(name).map(On::Effect).ok_or_else(|| unknown("effect", name)),
        ("change", name) => vocabulary.field(name).map(On::Change).ok_or_else(|| unknown("field", name)),
        _ => match vocabulary.kind(text) {
            Some(kind) => Ok(On::Kind(kind)),
            None => Condition::parse(text, vocabulary)
                .map(On::Condition)
                .map_err(|bad| format!("byte {}: {}", bad.at.start, bad.reason).into()),
        },
    }
}

/// The completions of a line, in the order in which Tab offers them.
pub(crate) fn offers(line: &str, replay: &dyn Replay, bookmarks: &[&str]) -> Vec<String> {
    let all: Vec<String> = match line.split_once(' ') {
        Some(_) => match parse(line) {
            Some((command, _)) => {
                arguments(command.takes, replay).iter().map(|argument| format!("{} {argument}", command.name)).collect()
            }
            None => Vec::new(),
        },
        None => {
            let named = |command: &ScreenCommand| match command.takes {
                CommandArgument::Nothing => command.name.to_owned(),
                _ => format!("{} ", command.name),
            };
            let places = ["step:", "call:", "finding:"].map(str::to_owned);
            let marks = bookmarks.iter().map(|name| format!("bookmark:{name}"));
            COMMANDS.iter().map(named).chain(places).chain(marks).collect()
        }
    };
    all.into_iter().filter(|offer| offer.starts_with(line) && offer != line).collect()
}

/// The completions of a breakpoint.
pub(crate) fn break_offers(text: &str, replay: &dyn Replay) -> Vec<String> {
    arguments(CommandArgument::Break, replay)
        .into_iter()
        .filter(|offer| offer.starts_with(text) && offer != text)
        .collect()
}

/// A completion, and what it does.
pub(crate) struct Completion {
    pub text: String,
    pub describes: String,
}

/// The completions of what is typed, or the description of the command if nothing completes it.
pub(crate) fn completions(kind: PromptKind, line: &str, model: &Model) -> Vec<Completion> {
    let replay = model.replay();
    let names: Vec<&str> = model.debugger.bookmarks().iter().map(|(mark, _)| mark.name.as_str()).collect();
    let offers = match kind {
        PromptKind::Command => offers(line, replay, &names),
        PromptKind::Break => break_offers(line, replay),
        _ => return Vec::new(),
    };
    let known = parse(line).filter(|_| kind == PromptKind::Command && offers.is_empty());
    let usage = known.map(|(command, _)| Completion {
        text: format!("{} {}", command.name, command.argument),
        describes: command.describes.to_owned(),
    });
    offers.iter().map(|offer| described(offer, replay)).chain(usage).collect()
}

/// A completion with its description.
pub(crate) fn described(offer: &str, replay: &dyn Replay) -> Completion {
    let (name, argument) = offer.split_once(' ').map_or((offer, ""), |(name, argument)| (name, argument.trim()));
    let command = COMMANDS.iter().find(|command| command.name == name);
    let describes = match command {
        Some(command) if argument.is_empty() => command.describes.to_owned(),
        Some(_) => of_argument(argument, replay),
        None => of_place(offer).map_or_else(|| of_argument(offer, replay), str::to_owned),
    };
    Completion { text: offer.trim_end().to_owned(), describes }
}

fn of_place(offer: &str) -> Option<&'static str> {
    match offer.split_once(':')? {
        ("step", _) => Some("go to the first event of a model step"),
        ("call", _) => Some("go to the first event of a call"),
        ("finding", "") => Some("go to a finding by its number"),
        ("bookmark", _) => Some("go to this bookmark"),
        _ => None,
    }
}

/// How much of the log an argument means.
fn of_argument(argument: &str, replay: &dyn Replay) -> String {
    let vocabulary = replay.vocabulary();
    let (sort, name) = argument.split_once(':').unwrap_or(("", argument));
    let kind = vocabulary.kind_by_any_name(name).filter(|_| matches!(sort, "" | "kind"));
    match (sort, kind) {
        (_, Some(kind)) => count(u64::from(replay.by_kind()[kind.0 as usize]), "event"),
        ("finding", _) => {
            let findings = replay.findings();
            count(findings.list.iter().filter(|finding| finding.check.id == name).count() as u64, "finding")
        }
        ("change", _) => {
            let mut changes = 0;
            if let Some(field) = vocabulary.field(name) {
                replay.writers(field, &mut |writers| changes = writers.len());
            }
            count(u64::from(changes), "change")
        }
        ("effect", _) => "events with this effect".to_owned(),
        ("lane", _) => {
            let lanes: Vec<LaneId> = vocabulary.lane_by_name(name).into_iter().collect();
            in_lanes(&lanes, replay)
        }
        (sort, _) if sort == vocabulary.lane_groups.name => {
            let group = vocabulary.lane_groups.groups.iter().find(|(known, _)| *known == name);
            in_lanes(group.map_or(&[], |(_, lanes)| *lanes), replay)
        }
        (sort, _) if vocabulary.facets.iter().any(|facet| facet.name == sort) => {
            format!("events of one {sort}")
        }
        _ => String::new(),
    }
}

/// How many events are in some lanes.
fn in_lanes(lanes: &[LaneId], replay: &dyn Replay) -> String {
    let vocabulary = replay.vocabulary();
    let of_kind = replay.by_kind();
    let kinds = (0..vocabulary.kinds.len()).map(|kind| KindId(kind as u8));
    let inside = kinds.filter(|kind| vocabulary.lane(*kind).is_some_and(|lane| lanes.contains(&lane)));
    count(inside.map(|kind| u64::from(of_kind[kind.0 as usize])).sum(), "event")
}

fn arguments(takes: CommandArgument, replay: &dyn Replay) -> Vec<String> {
    let vocabulary = replay.vocabulary();
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let kinds = || vocabulary.kinds.iter().map(|kind| kind.name);
    match takes {
        CommandArgument::Nothing | CommandArgument::Path | CommandArgument::PathOrNothing | CommandArgument::Text => {
            Vec::new()
        }
        CommandArgument::Break => {
            let mut all: Vec<String> = vec!["finding".to_owned()];
            all.extend(found_checks(replay).map(|id| format!("finding:{id}")));
            all.extend(kinds().map(|name| format!("kind:{name}")));
            all.extend(vocabulary.effects.iter().map(|name| format!("effect:{name}")));
            all.extend(vocabulary.fields.iter().map(|name| format!("change:{name}")));
            all.extend(vocabulary.lanes.iter().map(|lane| format!("lane:{}", lane.name)));
            let groups = &vocabulary.lane_groups;
            all.extend(groups.groups.iter().map(|(name, _)| format!("{}:{name}", groups.name)));
            all.extend(vocabulary.facets.iter().map(|facet| format!("{}:", facet.name)));
            all
        }
        CommandArgument::KindOrLane => {
            kinds().chain(vocabulary.lanes.iter().map(|lane| lane.name)).map(str::to_owned).collect()
        }
        CommandArgument::Only => {
            let mut all = owned(&["findings", "hits"]);
            // `findings` says it in one word.
            all.extend(arguments(CommandArgument::Break, replay).into_iter().filter(|offer| offer != "finding"));
            all
        }
        CommandArgument::Field => owned(vocabulary.fields),
        CommandArgument::Palette => owned(&Palette::ALL.map(|known| known.0)),
    }
}

/// The ids of the checks with findings above info, each once.
fn found_checks(replay: &dyn Replay) -> impl Iterator<Item = &'static str> {
    let findings = replay.findings();
    let serious = findings.list.iter().filter(|finding| finding.severity > Severity::Info);
    let ids: std::collections::BTreeSet<&'static str> = serious.map(|finding| finding.check.id).collect();
    ids.into_iter()
}

/// The table as Markdown, for the documentation.
pub(crate) fn markdown() -> String {
    let mut out = String::from("| command | does |\n| --- | --- |\n");
    out.push_str("| `:PLACE` | go to an event: `412`, `34%`, `step:31`, `call:ID`, `finding:2`, `bookmark:NAME` |\n");
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
    fn a_command_name_may_be_shortened_while_it_is_unambiguous() {
        assert_eq!(parse("br kind:x").map(|(command, argument)| (command.name, argument)), Some(("break", "kind:x")));
        assert_eq!(parse("q").map(|(command, _)| command.name), Some("quit"));
        assert!(parse("b").is_none(), "break or bookmark");
        assert!(parse("412").is_none() && parse("").is_none());
    }
}

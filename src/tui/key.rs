//! Keys by their names: one table for dispatch, footer, help, `stepback keys` and the README.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::action::{Action, Copied, Listed, Pane};

/// Where a binding applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    Everywhere,
    Pane(Pane),
    /// In a list that is open over the panes.
    List,
    /// In a text that is open over the panes.
    Text,
    /// In the review before a pack is written.
    Export,
    /// While something is typed. Every other key is text there.
    Typing,
}

impl Where {
    /// For people; nothing where there is nothing to say.
    pub fn name(self) -> String {
        match self {
            Where::Everywhere => String::new(),
            Where::Pane(pane) => format!("in {}: ", pane.name()),
            Where::List => "in a list: ".to_owned(),
            Where::Text => "in a text: ".to_owned(),
            Where::Export => "before a pack is written: ".to_owned(),
            Where::Typing => "while typing: ".to_owned(),
        }
    }
}

pub struct Binding {
    pub applies: Where,
    /// For the configuration file.
    pub name: &'static str,
    /// Any of these.
    pub keys: &'static [&'static str],
    pub action: Action,
    /// A word for the footer; empty where there is no room for it.
    pub word: &'static str,
    pub describes: &'static str,
}

const fn row(
    applies: Where,
    name: &'static str,
    keys: &'static [&'static str],
    action: Action,
    word: &'static str,
    describes: &'static str,
) -> Binding {
    Binding { applies, name, keys, action, word, describes }
}

/// A pane's own keys come first: they go before those that apply everywhere.
pub static KEYS: &[Binding] = &[
    row(Where::Pane(Pane::Events), "step-down", &["j", "Down"], Action::Step(1), "", "to the next event of the list"),
    row(Where::Pane(Pane::Events), "step-up", &["k", "Up"], Action::Step(-1), "", "to the event before in the list"),
    row(Where::Pane(Pane::Events), "open-event", &["Enter"], Action::Focus(-1), "read", "to the event itself, below"),
    row(
        Where::Pane(Pane::Projection),
        "blame-field",
        &["Enter"],
        Action::Blame,
        "blame",
        "go to the event that last wrote the field; again, to the one before",
    ),
    row(
        Where::Pane(Pane::Coherence),
        "open-finding",
        &["Enter"],
        Action::OpenFinding,
        "open",
        "go to the finding's first event; again, to its next",
    ),
    row(
        Where::Pane(Pane::Detail),
        "fold",
        &["Enter"],
        Action::Fold,
        "fold",
        "fold or unfold the value under the cursor",
    ),
    row(
        Where::Pane(Pane::Detail),
        "event-top",
        &["g", "Home"],
        Action::First,
        "",
        "to the top of the event; `12g` to event 12",
    ),
    row(Where::Pane(Pane::Detail), "event-bottom", &["G", "End"], Action::Last, "", "to the bottom of the event"),
    row(Where::Pane(Pane::Detail), "fold-all", &["o"], Action::FoldAll, "", "fold everything, or unfold it"),
    row(Where::Everywhere, "step", &["l", "Right"], Action::Step(1), "step", "one event forward; `5l` five"),
    row(Where::Everywhere, "step-back", &["h", "Left"], Action::Step(-1), "back", "one event back"),
    row(Where::Everywhere, "step-ten", &["L", "Shift-Right"], Action::Step(10), "", "ten events forward"),
    row(Where::Everywhere, "step-back-ten", &["H", "Shift-Left"], Action::Step(-10), "", "ten events back"),
    row(
        Where::Everywhere,
        "next-finding",
        &["f"],
        Action::Finding(true),
        "finding",
        "to where the next finding begins, information left aside",
    ),
    row(Where::Everywhere, "finding-before", &["F"], Action::Finding(false), "", "to the finding before"),
    row(
        Where::Everywhere,
        "next-difference",
        &["}", "."],
        Action::Difference(true),
        "difference",
        "to the next difference from the log that is compared",
    ),
    row(Where::Everywhere, "difference-before", &["{", ","], Action::Difference(false), "", "to the difference before"),
    row(
        Where::Everywhere,
        "first-difference",
        &["|"],
        Action::FirstDifference,
        "",
        "to where the logs that are compared part",
    ),
    row(
        Where::Everywhere,
        "explain",
        &["x"],
        Action::Explain,
        "explain",
        "what the finding means, what usually causes it, where to look",
    ),
    row(Where::Everywhere, "minimize", &["M"], Action::Minimize, "", "the smallest log that reports the same finding"),
    row(
        Where::Everywhere,
        "export",
        &["X"],
        Action::Export,
        "",
        "the evidence of the finding as a folder to share; first what is hidden in it is looked at",
    ),
    row(Where::Everywhere, "next-step", &["s"], Action::ModelStep(true), "", "to the next model step"),
    row(
        Where::Everywhere,
        "step-before",
        &["S"],
        Action::ModelStep(false),
        "",
        "to the beginning of this model step, then to the one before",
    ),
    row(Where::Everywhere, "next-turn", &["t"], Action::Turn(true), "", "to the next turn"),
    row(
        Where::Everywhere,
        "turn-before",
        &["T"],
        Action::Turn(false),
        "",
        "to the beginning of this turn, then to the one before",
    ),
    row(Where::Everywhere, "next-of-kind", &["e"], Action::SameKind(true), "", "to the next event of the same kind"),
    row(
        Where::Everywhere,
        "of-kind-before",
        &["E"],
        Action::SameKind(false),
        "",
        "to the event of the same kind before",
    ),
    row(
        Where::Everywhere,
        "blame",
        &["b"],
        Action::Blame,
        "",
        "go to the event that last wrote the field chosen in Projection; again, to the one before",
    ),
    row(Where::Everywhere, "watch", &["w"], Action::Watch, "", "stop at every change of that field, or no longer"),
    row(Where::Everywhere, "pin", &["p"], Action::Pin, "", "keep that field on top, or no longer"),
    row(
        Where::Everywhere,
        "play",
        &["Space"],
        Action::Play,
        "play",
        "play on by itself, or pause; stops at breakpoints",
    ),
    row(Where::Everywhere, "turn-around", &["r"], Action::TurnAround, "", "play the other way"),
    row(Where::Everywhere, "faster", &["+", "="], Action::Faster(true), "", "play faster"),
    row(Where::Everywhere, "slower", &["-"], Action::Faster(false), "", "play slower"),
    row(
        Where::Everywhere,
        "continue",
        &["c"],
        Action::Continue(true),
        "continue",
        "run to the next breakpoint or watched change",
    ),
    row(
        Where::Everywhere,
        "continue-back",
        &["C"],
        Action::Continue(false),
        "",
        "run backwards to the breakpoint before",
    ),
    row(
        Where::Everywhere,
        "break-on-kind",
        &["B"],
        Action::BreakOnKind,
        "",
        "stop at events of this kind, or no longer",
    ),
    row(
        Where::Everywhere,
        "breakpoints",
        &["Ctrl-b"],
        Action::List(Listed::Breakpoints),
        "",
        "the list of breakpoints and watched fields: switch them, count their hits, add one",
    ),
    row(Where::Everywhere, "bookmark", &["m"], Action::Mark, "bookmark", "bookmark this event, with a note"),
    row(
        Where::Everywhere,
        "bookmarks",
        &["'"],
        Action::List(Listed::Bookmarks),
        "",
        "the list of bookmarks, to go to one",
    ),
    row(Where::Everywhere, "next-bookmark", &["]"], Action::Bookmark(true), "", "to the next bookmark"),
    row(Where::Everywhere, "bookmark-before", &["["], Action::Bookmark(false), "", "to the bookmark before"),
    row(
        Where::Everywhere,
        "divergences",
        &["D"],
        Action::List(Listed::Divergences),
        "",
        "the list of divergent steps: every event that a finding touches, information left aside",
    ),
    row(
        Where::Everywhere,
        "search",
        &["/"],
        Action::Search,
        "search",
        "search records, fields and effects with a regular expression; in Event only there",
    ),
    row(Where::Everywhere, "next-hit", &["n"], Action::Hit(true), "", "to the next hit of the search"),
    row(Where::Everywhere, "hit-before", &["N"], Action::Hit(false), "", "to the hit before"),
    row(
        Where::Everywhere,
        "command",
        &[":"],
        Action::Command,
        "",
        "type a command: `:412`, `:step:31`, `:break FILTER`; Tab completes",
    ),
    row(
        Where::Everywhere,
        "back",
        &["Ctrl-o", "Alt-Left", "Backspace"],
        Action::Back,
        "",
        "back to where the last jump began",
    ),
    row(Where::Everywhere, "forward", &["Ctrl-i", "Alt-Right"], Action::Forward, "", "forward again"),
    row(Where::Everywhere, "first", &["g", "Home"], Action::First, "", "to the first event; `12g` to event 12"),
    row(Where::Everywhere, "last", &["G", "End"], Action::Last, "", "to the last event"),
    row(Where::Everywhere, "page-down", &["PageDown", "Ctrl-d"], Action::Page(1), "", "a page forward"),
    row(Where::Everywhere, "page-up", &["PageUp", "Ctrl-u"], Action::Page(-1), "", "a page back"),
    row(Where::Everywhere, "cursor-down", &["j", "Down"], Action::Cursor(1), "", "down in the pane"),
    row(Where::Everywhere, "cursor-up", &["k", "Up"], Action::Cursor(-1), "", "up in the pane"),
    row(
        Where::Everywhere,
        "fold-calls",
        &["o"],
        Action::FoldCalls,
        "",
        "every call on one line, from its plan to its outcome, or all its events again",
    ),
    row(
        Where::Everywhere,
        "next-view",
        &["v"],
        Action::NextView(true),
        "view",
        "the event as JSON, the conversation up to it, its bytes",
    ),
    row(Where::Everywhere, "view-before", &["V"], Action::NextView(false), "", "the same, the other way round"),
    row(
        Where::Everywhere,
        "copy",
        &["y"],
        Action::Copy(Copied::Value),
        "copy",
        "copy the event, or the value under the cursor",
    ),
    row(
        Where::Everywhere,
        "copy-path",
        &["Y"],
        Action::Copy(Copied::Path),
        "",
        "copy the jq path of the value under the cursor",
    ),
    row(
        Where::Everywhere,
        "copy-command",
        &["Ctrl-y"],
        Action::Copy(Copied::Command),
        "",
        "copy the command that opens this very place",
    ),
    row(
        Where::Everywhere,
        "edit-event",
        &["i"],
        Action::EditEvent,
        "what-if",
        "what if: edit this event; the file stays as it is",
    ),
    row(Where::Everywhere, "skip-event", &["d"], Action::SkipEvent, "", "what if this event were not there"),
    row(Where::Everywhere, "duplicate-event", &["P"], Action::DuplicateEvent, "", "what if this event came twice"),
    row(Where::Everywhere, "move-event-down", &["J"], Action::MoveEvent(true), "", "what if this event came one later"),
    row(
        Where::Everywhere,
        "move-event-up",
        &["K"],
        Action::MoveEvent(false),
        "",
        "what if this event came one earlier",
    ),
    row(Where::Everywhere, "undo", &["u"], Action::Undo, "", "take the last what-if change back"),
    row(Where::Everywhere, "redo", &["U"], Action::Redo, "", "make it again"),
    row(
        Where::Everywhere,
        "original",
        &["O"],
        Action::Original,
        "",
        "the log as it is, or its variant or minimum again",
    ),
    row(Where::Everywhere, "next-pane", &["Tab"], Action::Focus(1), "pane", "to the next pane"),
    row(Where::Everywhere, "pane-before", &["BackTab"], Action::Focus(-1), "", "to the pane before"),
    row(Where::Everywhere, "zoom", &["z"], Action::Zoom, "zoom", "the pane alone, or all of them again"),
    row(
        Where::Everywhere,
        "free-mouse",
        &["Alt-m"],
        Action::FreeMouse,
        "",
        "leave the mouse to the terminal, to select text, or take it again",
    ),
    row(Where::Everywhere, "reload", &["Ctrl-r"], Action::Reload, "", "open the log again, as it is now"),
    row(Where::Everywhere, "redraw", &["Ctrl-l"], Action::Redraw, "", "draw the screen anew"),
    row(Where::Everywhere, "help", &["?"], Action::Help, "help", "these keys"),
    row(
        Where::Everywhere,
        "escape",
        &["Esc"],
        Action::Escape,
        "",
        "leave what is open, stop what runs, forget the search",
    ),
    row(Where::Everywhere, "quit", &["q"], Action::Quit, "quit", "back, and out of the program"),
    row(Where::Everywhere, "quit-at-once", &["Ctrl-c"], Action::QuitAtOnce, "", "out of the program at once"),
    row(Where::Everywhere, "suspend", &["Ctrl-z"], Action::Suspend, "", "to the shell; `fg` comes back"),
    row(Where::List, "choose", &["Enter"], Action::Choose, "go", "go there"),
    row(Where::List, "list-down", &["j", "Down"], Action::Cursor(1), "", "down in the list"),
    row(Where::List, "list-up", &["k", "Up"], Action::Cursor(-1), "", "up in the list"),
    row(Where::List, "remove", &["d", "Delete"], Action::Remove, "remove", "remove the bookmark or the breakpoint"),
    row(Where::List, "switch", &["Space"], Action::Switch, "on/off", "switch the breakpoint off, or on again"),
    row(Where::List, "add", &["a"], Action::Add, "add", "bookmark this event; add a breakpoint"),
    row(Where::List, "edit-note", &["e"], Action::EditNote, "note", "edit the bookmark's note"),
    row(Where::List, "next-list", &["Tab", "l", "Right"], Action::NextList(true), "list", "to the next list"),
    row(Where::List, "list-before", &["BackTab", "h", "Left"], Action::NextList(false), "", "to the list before"),
    row(Where::List, "close-list", &["Esc", "q"], Action::Escape, "close", "close the list"),
    row(Where::List, "quit-from-list", &["Ctrl-c"], Action::QuitAtOnce, "", "out of the program at once"),
    row(Where::Text, "text-down", &["j", "Down"], Action::Cursor(1), "down", "down in the text"),
    row(Where::Text, "text-up", &["k", "Up"], Action::Cursor(-1), "up", "up in the text"),
    row(Where::Text, "text-page-down", &["PageDown", "Ctrl-d", "Space"], Action::Page(1), "", "a page down"),
    row(Where::Text, "text-page-up", &["PageUp", "Ctrl-u"], Action::Page(-1), "", "a page up"),
    row(Where::Text, "copy-text", &["y"], Action::Copy(Copied::Value), "copy", "copy the text"),
    row(Where::Text, "save-minimized", &["s"], Action::SaveMinimized, "save", "save the minimized log under a name"),
    row(Where::Text, "open-minimized", &["o"], Action::OpenMinimized, "open", "open the minimized log, to step it"),
    row(Where::Text, "close-text", &["Esc", "q", "Enter", "?", "x"], Action::Escape, "close", "close it"),
    row(Where::Text, "quit-from-text", &["Ctrl-c"], Action::QuitAtOnce, "", "out of the program at once"),
    row(Where::Export, "pack", &["Enter"], Action::Choose, "pack", "write the pack; its name is asked for"),
    row(Where::Export, "spare", &["Space"], Action::Switch, "mask/leave", "leave this text as it is, or mask it again"),
    row(Where::Export, "redact", &["r"], Action::Redact, "", "without secrets, or with them"),
    row(Where::Export, "hide-emails", &["e"], Action::HideEmails, "", "without e-mail addresses, or with them"),
    row(
        Where::Export,
        "hide-pattern",
        &["p"],
        Action::HidePattern,
        "pattern",
        "without what matches a regular expression; the same again, with it",
    ),
    row(
        Where::Export,
        "pack-minimized",
        &["m"],
        Action::PackMinimized,
        "",
        "with the smallest log that reports the finding, or without",
    ),
    row(Where::Export, "secret-down", &["j", "Down"], Action::Cursor(1), "", "down in the list of secrets"),
    row(Where::Export, "secret-up", &["k", "Up"], Action::Cursor(-1), "", "up in the list of secrets"),
    row(Where::Export, "secrets-page-down", &["PageDown", "Ctrl-d"], Action::Page(1), "", "ten secrets down"),
    row(Where::Export, "secrets-page-up", &["PageUp", "Ctrl-u"], Action::Page(-1), "", "ten secrets up"),
    row(Where::Export, "close-export", &["Esc", "q"], Action::Escape, "leave", "leave; nothing is written"),
    row(Where::Export, "quit-from-export", &["Ctrl-c"], Action::QuitAtOnce, "", "out of the program at once"),
    row(Where::Typing, "submit", &["Enter"], Action::Submit, "do it", "do what was typed; keep the note"),
    row(Where::Typing, "keep", &["Ctrl-s"], Action::Submit, "", "keep the note or the edited event"),
    row(Where::Typing, "new-line", &["Alt-Enter"], Action::NewLine, "", "a new line in a note"),
    row(
        Where::Typing,
        "complete",
        &["Tab"],
        Action::Complete(true),
        "complete",
        "complete the command, then the next that fits",
    ),
    row(Where::Typing, "complete-back", &["BackTab"], Action::Complete(false), "", "the one before"),
    row(Where::Typing, "older", &["Up"], Action::Older(true), "", "what was typed before"),
    row(Where::Typing, "newer", &["Down"], Action::Older(false), "", "what was typed after that"),
    row(
        Where::Typing,
        "stop-typing",
        &["Esc", "Ctrl-c"],
        Action::Escape,
        "leave",
        "leave; a note or an event comes back when it is edited again",
    ),
];

/// A key's name, as the table writes it.
pub fn name(key: KeyEvent) -> String {
    let plain = match key.code {
        KeyCode::Char(' ') => "Space".to_owned(),
        KeyCode::Char(character) => character.to_string(),
        KeyCode::Left => "Left".to_owned(),
        KeyCode::Right => "Right".to_owned(),
        KeyCode::Up => "Up".to_owned(),
        KeyCode::Down => "Down".to_owned(),
        KeyCode::Home => "Home".to_owned(),
        KeyCode::End => "End".to_owned(),
        KeyCode::PageUp => "PageUp".to_owned(),
        KeyCode::PageDown => "PageDown".to_owned(),
        // Most terminals send the same for both.
        KeyCode::Tab if key.modifiers.contains(KeyModifiers::CONTROL) => return "Ctrl-i".to_owned(),
        KeyCode::Tab => return "Tab".to_owned(),
        KeyCode::BackTab => return "BackTab".to_owned(),
        KeyCode::Enter => "Enter".to_owned(),
        KeyCode::Esc => "Esc".to_owned(),
        KeyCode::Backspace => "Backspace".to_owned(),
        KeyCode::Delete => "Delete".to_owned(),
        KeyCode::F(number) => format!("F{number}"),
        other => format!("{other:?}"),
    };
    let is_character = matches!(key.code, KeyCode::Char(_));
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        format!("Ctrl-{plain}")
    } else if key.modifiers.contains(KeyModifiers::ALT) {
        format!("Alt-{plain}")
    } else if key.modifiers.contains(KeyModifiers::SHIFT) && !is_character {
        format!("Shift-{plain}")
    } else {
        plain
    }
}

/// The table as Markdown, as it stands in the README.
pub fn markdown() -> String {
    let mut out = String::from("| keys | do |\n| --- | --- |\n");
    for binding in KEYS {
        let keys: Vec<String> = binding.keys.iter().map(|key| format!("`{}`", key.replace('|', "\\|"))).collect();
        out.push_str(&format!("| {} | {}{} |\n", keys.join(" "), binding.applies.name(), binding.describes));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things_in_one_place() {
        for (at, one) in KEYS.iter().enumerate() {
            for two in &KEYS[at + 1..] {
                let clash = one.applies == two.applies && one.keys.iter().any(|key| two.keys.contains(key));
                assert!(!clash, "{:?} and {:?}", one.keys, two.keys);
            }
        }
    }

    #[test]
    fn every_row_has_a_name_of_its_own() {
        let mut names: Vec<&str> = KEYS.iter().map(|binding| binding.name).collect();
        assert!(names.iter().all(|name| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), KEYS.len());
    }

    #[test]
    fn keys_have_the_names_that_the_table_uses() {
        let key = |code, modifiers| name(KeyEvent::new(code, modifiers));
        assert_eq!(key(KeyCode::Char('L'), KeyModifiers::SHIFT), "L");
        assert_eq!(key(KeyCode::Char('o'), KeyModifiers::CONTROL), "Ctrl-o");
        assert_eq!(key(KeyCode::F(5), KeyModifiers::NONE), "F5");
        assert_eq!(key(KeyCode::BackTab, KeyModifiers::SHIFT), "BackTab");
        assert_eq!(key(KeyCode::Right, KeyModifiers::SHIFT), "Shift-Right");
    }
}

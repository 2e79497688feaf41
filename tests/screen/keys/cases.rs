//! The cases: a row of the table of keys, the typed keys, and the expected result.

use stepback::replay::bookmark::BookmarkEdit;
use stepback::replay::check::Severity;
use stepback::replay::direction::Direction;
use stepback::tui::action::Pane;
use stepback::tui::form::PackTrace;
use stepback::tui::layout::sizes::PaneSizes;
use stepback::tui::model::InputMode;
use stepback::tui::request::Request;
use stepback::tui::theme::Palette;

use super::{Case, Then};
use crate::tests::bench::{Bench, DEMO};

const CLEAN: &str = "fixtures/turn/clean.json";
/// A log without findings, not even of severity info.
const NOTES: &str = "fixtures/tape/notes-good.tape";
/// A log with two secrets, each of which occurs twice.
const SECRET: &str = "fixtures/secret/pushed-with-a-token.json";
const TWO_TURNS: &str = "fixtures/turn/two-turns-mixed.jsonl";

const fn case(row: &'static str, keys: &'static str, then: Then) -> Case {
    Case { row, log: DEMO, keys, then }
}

const fn in_two_turns(row: &'static str, keys: &'static str, then: Then) -> Case {
    Case { row, log: TWO_TURNS, keys, then }
}

const fn in_clean(row: &'static str, keys: &'static str, then: Then) -> Case {
    Case { row, log: CLEAN, keys, then }
}

const fn in_crash(row: &'static str, keys: &'static str, then: Then) -> Case {
    Case { row, log: "fixtures/turn/crash-mid-tool.jsonl", keys, then }
}

const fn in_notes(row: &'static str, keys: &'static str, then: Then) -> Case {
    Case { row, log: NOTES, keys, then }
}

const fn in_secret(row: &'static str, keys: &'static str, then: Then) -> Case {
    Case { row, log: SECRET, keys, then }
}

/// The selected row of the review, and how many secrets are kept.
fn reviewed(bench: &Bench) -> (usize, usize) {
    let exporting = bench.model.exporting.as_ref();
    exporting.map_or((usize::MAX, 0), |exporting| (exporting.row, exporting.redaction.spared.len()))
}

fn chosen(bench: &Bench) -> Option<Severity> {
    let findings = bench.model.replay().findings();
    bench.model.finding.map(|number| findings.list[number].severity)
}

fn list_row(bench: &Bench) -> usize {
    match bench.model.mode {
        InputMode::List(list) => list.row,
        _ => usize::MAX,
    }
}

fn scroll(bench: &Bench) -> usize {
    match &bench.model.mode {
        InputMode::Text(text) => text.scroll,
        _ => usize::MAX,
    }
}

fn usual() -> Bench {
    Bench::open(DEMO, 120, 40)
}

fn width_of(bench: &Bench, pane: Pane) -> u16 {
    bench.model.areas().and_then(|areas| areas.of(pane)).map_or(0, |area| area.width)
}

fn copies(request: &Request, what: &str, is: impl Fn(&str) -> bool) -> bool {
    matches!(request, Request::Copy(title, text) if title == what && is(text))
}

pub(super) const CASES: &[Case] = &[
    case("step-down", "@", Then::At(1)),
    case("step-up", "l l @", Then::At(1)),
    case("open-event", "@", Then::Focus(Pane::Detail)),
    case("blame-field", "3 0 g Tab @", Then::At(22)),
    case("fold-fields", "Tab @", Then::Is(|bench| bench.model.lists_all_fields && bench.model.folded_fields() == 0)),
    case("open-finding", "Tab Tab Tab @", Then::At(19)),
    case("fold", "1 8 g Enter z j j j @", Then::Shows("{…}")),
    case("fold", "1 8 g v Enter z k k @", Then::At(17)),
    case("fold-all", "1 8 g Enter @", Then::Shows("{…}")),
    case("event-top", "1 8 g Enter G @", Then::Is(|bench| bench.model.detail.line() == 0 && bench.model.at().0 == 18)),
    case("event-bottom", "1 8 g Enter @", Then::Is(|bench| bench.model.detail.line() > 5)),
    case("continue", "l B g 3 @", Then::At(11)),
    case("skip-event", "f 3 @", Then::Shows("what-if: 3 changes")),
    case("undo", "f 3 d 2 @", Then::Shows("what-if: 1 change")),
    case("first", "9 9 @", Then::Says("there is no event 99; the last one is 37")),
    case("edit-event", "f @", Then::Mode("editor")),
    case("edit-event", "f @ Ctrl-s", Then::Says("nothing was changed")),
    case("edit-event", "f @ x Ctrl-s", Then::Shows("not valid JSON")),
    case("skip-event", "f @", Then::Shows("− gone")),
    case("duplicate-event", "5 g @", Then::At(6)),
    case("duplicate-event", "5 g @", Then::Shows("#6 · event 7 of 39")),
    case("move-event-down", "5 g @", Then::At(6)),
    case("move-event-down", "G @", Then::Says("there is no event 38")),
    case("move-event-up", "5 g @", Then::At(4)),
    case("undo", "f d @", Then::Says("undone: event 19 skipped")),
    case("undo", "@", Then::Says("there is no what-if change to undo")),
    case("redo", "f d u @", Then::Shows("what-if: 1 change")),
    case("original", "f d @", Then::Shows("original; the variant has 1 change")),
    case("original", "@", Then::Says("there is no variant")),
    case("step", "@", Then::At(1)),
    case("step", "5 @", Then::At(5)),
    case("step-back", "l l @", Then::At(1)),
    case("step-ten", "@", Then::At(10)),
    case("step-back-ten", "L L @", Then::At(10)),
    case("next-finding", "@", Then::At(19)),
    case("next-finding", "G @", Then::At(19)),
    case("next-finding", "f @ g f @", Then::At(28)),
    case("next-finding", "f f @", Then::Says("this is the last of 2 findings; F goes back")),
    in_notes("next-finding", "@", Then::Says("no findings above severity info")),
    case("finding-before", "G @", Then::At(28)),
    case("finding-before", "G F @", Then::At(19)),
    case("finding-before", "f @", Then::Says("this is the worst of 2 findings")),
    case("next-finding-in-log", "2 0 g @", Then::At(28)),
    case("next-finding-in-log", "G @", Then::Says("no finding after this event")),
    case("finding-before-in-log", "2 0 g @", Then::At(19)),
    in_crash("next-finding", "@", Then::Is(|bench| bench.model.at().0 == 14 && chosen(bench) == Some(Severity::Error))),
    in_crash(
        "next-finding",
        "f @",
        Then::Is(|bench| bench.model.at().0 == 13 && chosen(bench) == Some(Severity::Warning)),
    ),
    in_crash("next-finding-in-log", "@", Then::At(13)),
    case("explain", "f @", Then::Mode("text")),
    case("minimize", "f @", Then::Shows("without it")),
    case("minimize", "f f @", Then::Shows("Minimized: turn/failing-tool")),
    case("minimize", "f d @", Then::Says("minimizing is not possible while there are what-if changes")),
    in_notes("minimize", "@", Then::Says("the log has no finding to minimize")),
    in_clean(
        "minimize",
        ": <compare fixtures/turn/clean-again.json> Enter @",
        Then::Says("minimizing is not possible while two logs are compared"),
    ),
    in_secret("export", "@", Then::Shows("Export: turn/rejected-ran")),
    case("export", "f d @", Then::Says("exporting is not possible while there are what-if changes")),
    case("export", "f M o @", Then::Says("a pack is made from the whole log")),
    in_notes("export", "@", Then::Says("the log has no finding to export")),
    in_secret("pack", "X @", Then::Typed("pushed-with-a-token.pack")),
    in_secret("pack", "X @ Enter", Then::Requests(|request| matches!(request, Request::Export(_)))),
    in_secret("clear-line", "X Enter @ <a>", Then::Typed("a")),
    case("clear-line", "/ <call> @ <x>", Then::Typed("x")),
    in_secret("spare", "X Space r r @", Then::Is(|bench| reviewed(bench) == (0, 0))),
    in_secret("spare", "X @", Then::Is(|bench| reviewed(bench) == (0, 1))),
    in_secret("spare", "X j @", Then::Shows("kept   REDACTED-github-token-1-32to63ch")),
    in_secret("spare", "X Space j Space k @", Then::Is(|bench| reviewed(bench) == (0, 1))),
    in_secret("redact", "X @", Then::Shows("SECRETS ARE NOT MASKED")),
    in_secret("redact", "X r @", Then::Shows("2 secrets, 0 not masked")),
    in_secret("hide-emails", "X @", Then::Shows("REDACTED-email-1-8to15ch")),
    in_secret("hide-pattern", "X @", Then::Mode("pattern")),
    in_secret("hide-pattern", "X @ <docs.example.org> Enter", Then::Shows("REDACTED-pattern-1-1-16to31ch")),
    in_secret("hide-pattern", "X @ <a[> Enter", Then::Shows("at character 2")),
    in_secret("pack-minimized", "X @", Then::Shows("m [ ] add the smallest log")),
    in_secret("secret-down", "X @", Then::Is(|bench| reviewed(bench).0 == 1)),
    in_secret("secret-up", "X j @", Then::Is(|bench| reviewed(bench).0 == 0)),
    in_secret("secrets-page-down", "X @", Then::Is(|bench| reviewed(bench).0 == 1)),
    in_secret("secrets-page-up", "X j @", Then::Is(|bench| reviewed(bench).0 == 0)),
    in_secret("close-export", "X @", Then::Mode("normal")),
    in_secret("quit-from-export", "X @", Then::Over),
    case("save-minimized", "f M @", Then::Typed("demo.min.json")),
    case("open-minimized", "f M @", Then::Shows("minimized from 38 events")),
    case("original", "f M o @", Then::Says("the whole log; O shows the minimized one")),
    case("skip-event", "f M o @", Then::Says("what-if changes need the whole log")),
    case("copy-command", "f M o @", Then::Says("no command opens this minimized log")),
    case(
        "copy-text",
        "f M @",
        Then::Requests(|request| copies(request, "the text", |text| text.contains("without it"))),
    ),
    in_clean("next-difference", ": <compare fixtures/turn/clean-otherwise.json> Enter @", Then::At(22)),
    in_clean(
        "next-difference",
        ": <compare fixtures/turn/clean-failed.json> Enter 3 @",
        Then::Shows("difference 4 of 14"),
    ),
    in_clean(
        "next-difference",
        ": <compare fixtures/turn/clean-otherwise.json> Enter G @",
        Then::Says("no difference after"),
    ),
    in_clean("next-difference", ": <compare fixtures/turn/clean-again.json> Enter @", Then::Says("do not differ")),
    case("next-difference", "@", Then::Says("no log is compared; `:compare FILE`")),
    in_clean("difference-before", ": <compare fixtures/turn/clean-otherwise.json> Enter G @", Then::At(22)),
    in_clean(
        "difference-before",
        ": <compare fixtures/turn/clean-otherwise.json> Enter @",
        Then::Says("no difference before"),
    ),
    in_clean(
        "first-difference",
        ": <compare fixtures/turn/clean-otherwise.json> Enter G @",
        Then::Shows("Event — │ 9"),
    ),
    case("next-step", "@", Then::At(1)),
    case("next-step", "l @", Then::At(6)),
    case("step-before", "8 g @", Then::At(6)),
    case("step-before", "6 g @", Then::At(1)),
    in_two_turns("next-turn", "@", Then::At(11)),
    in_two_turns("turn-before", "1 5 g @", Then::At(11)),
    case("next-of-kind", "l @", Then::At(6)),
    case("of-kind-before", "l e @", Then::At(1)),
    case("blame", "3 0 g Tab @", Then::At(22)),
    case("watch", "3 0 g Tab @", Then::Says("breakpoint at change:")),
    case("watch", "3 0 g Tab w @", Then::Says(" is removed")),
    case("pin", "Tab @", Then::Says("is pinned")),
    case("pin", "Tab p @", Then::Says("is no longer pinned")),
    case("play", "@", Then::Is(|bench| bench.model.playing && bench.model.play_direction == Direction::Forward)),
    case(
        "turn-around",
        "@",
        Then::Is(|bench| bench.model.playing && bench.model.play_direction == Direction::Backward),
    ),
    case("faster", "@", Then::Is(|bench| bench.model.events_per_second == 16)),
    case("slower", "@", Then::Is(|bench| bench.model.events_per_second == 4)),
    case("continue", "l B g @", Then::At(1)),
    case("continue", "@", Then::Says("no breakpoint is set; B sets one at this kind")),
    case("continue-back", "l B G @", Then::At(35)),
    case("continue-back", "l B @", Then::Says("there is no breakpoint before this event")),
    case("continue-back", "l B l l @ @", Then::At(1)),
    case("continue", "G B g @ @", Then::Says("no breakpoint was hit up to the end of the log")),
    case("break-on-kind", "l @ l", Then::Shows("●   6 ")),
    case("break-on-kind", "@", Then::Says("breakpoint at kind:turn_started")),
    case("break-on-kind", "B @", Then::Says("the breakpoint at kind:turn_started is removed")),
    case("breakpoints", "@", Then::Mode("breakpoints")),
    case("bookmark", "@", Then::Mode("editor")),
    case("bookmarks", "@", Then::Mode("bookmarks")),
    case("next-bookmark", "f m Enter g @", Then::At(19)),
    case("next-bookmark", "@", Then::Says("no bookmark after this event")),
    case("bookmark-before", "f m Enter G @", Then::At(19)),
    case("divergences", "@", Then::Mode("divergences")),
    case("family", "@", Then::Requests(|request| *request == Request::Family)),
    case("context", "@", Then::Says("a turn log does not say this")),
    case("resume", "@", Then::Says("a turn log does not say this")),
    case("time", "@", Then::Says("a turn log does not say this")),
    case("leave-log", "@", Then::Shows("this log was not entered from another one")),
    case("search", "@", Then::Mode("search")),
    case("search", "Enter @", Then::Mode("search within")),
    case("next-hit", "/ <call-4> Enter @", Then::At(19)),
    case("next-hit", "1 8 g Enter / <call> Enter @", Then::Is(|bench| bench.model.detail.line() == 4)),
    case("next-hit", "@", Then::Says("there is no search yet")),
    case("search", "@ <call-4>", Then::At(18)),
    case("search", "@ <call-4> Esc", Then::At(0)),
    case("search", "@ <call-4> Enter Ctrl-o", Then::At(0)),
    case("search", "l @ <call-(> Enter", Then::Says("unclosed group")),
    case("hit-before", "G / <call-4> Enter N @", Then::At(20)),
    case("command", "@", Then::Mode("command")),
    case("palette", "@", Then::Mode("palette")),
    case("palette", "@ <next bookmark> Enter", Then::Says("no bookmark after this event")),
    case("palette", "@ <only> Enter", Then::Shows("only ")),
    case("palette", "@ <screenshot> Enter", Then::Typed("screenshot ")),
    case("palette", "@ <zzzz> Enter", Then::Says("nothing matches")),
    case("search-keys", "? @", Then::Mode("palette")),
    case("only-like-this", "3 g @", Then::Shows("only tool_call_planned: 7")),
    case("only-like-this", "1 8 g @ @", Then::Says("only the events of this call (4 events)")),
    case("only-like-this", "f @ @ @", Then::Says("only the events of turn/rejected-ran (2 events)")),
    case("only-like-this", "f @ @ @ @", Then::Says("showing every event")),
    case("back", "f @", Then::At(0)),
    case("back", "@", Then::Says("no jump to go back from")),
    case("forward", "f Ctrl-o @", Then::At(19)),
    case("first", "G @", Then::At(0)),
    case("first", "1 2 @", Then::At(12)),
    case("first", "Enter j j @", Then::Is(|bench| bench.model.detail.line() == 0)),
    case("last", "@", Then::At(37)),
    case("page-down", "@", Then::Is(|bench| bench.model.at().0 > 10)),
    case("page-down", "Tab o @", Then::Is(|bench| bench.model.field > 10)),
    case("page-up", "G @", Then::Is(|bench| bench.model.at().0 < 27)),
    case("cursor-down", "f Tab @", Then::Is(|bench| bench.model.field == 1)),
    case("cursor-up", "f Tab j j @", Then::Is(|bench| bench.model.field == 1)),
    case("wider", "@", Then::Is(|bench| width_of(bench, Pane::Events) == width_of(&usual(), Pane::Events) + 2)),
    case("narrower", "@", Then::Is(|bench| width_of(bench, Pane::Events) == width_of(&usual(), Pane::Events) - 2)),
    case(
        "wider",
        "Tab Tab Tab @",
        Then::Is(|bench| width_of(bench, Pane::Coherence) > width_of(&usual(), Pane::Coherence)),
    ),
    case("wider", "Enter @", Then::Says("cannot be changed")),
    case("taller", "Enter 3 @", Then::Is(|bench| bench.model.sizes.rows == Some(17))),
    case("lower", "Enter @", Then::Is(|bench| bench.model.sizes.rows == Some(13))),
    case("lower", "z @", Then::Says("the whole screen")),
    case("usual-sizes", "Alt-l Alt-k @", Then::Is(|bench| bench.model.sizes == PaneSizes::default())),
    case("fold-calls", "@", Then::Shows("calls unfolded")),
    case("next-view", "@", Then::Shows("[Conversation]")),
    case("view-before", "@", Then::Shows("[Raw]")),
    case("copy", "@", Then::Requests(|request| copies(request, "the event", |text| text.contains("\"turn_started\"")))),
    case(
        "copy",
        "1 8 g Enter j @",
        Then::Requests(|request| copies(request, "the value", |text| text == "\"tool_call_planned\"")),
    ),
    case(
        "copy",
        "f Tab Tab Tab @",
        Then::Requests(|request| copies(request, "the finding", |text| text.contains("rejected-ran"))),
    ),
    case(
        "copy-path",
        "Tab @",
        Then::Requests(|request| copies(request, "the path", |text| text.starts_with(".after."))),
    ),
    case("copy-path", "@", Then::Says("there is nothing to copy here")),
    case(
        "copy-command",
        "f @",
        Then::Requests(|request| copies(request, "the command", |text| text == "stepback demo.json --at 19")),
    ),
    case("events", "Enter @", Then::Focus(Pane::Events)),
    case("projection", "@", Then::Focus(Pane::Projection)),
    case("effects", "@", Then::Focus(Pane::Effects)),
    case("coherence", "@", Then::Focus(Pane::Coherence)),
    case("event", "@", Then::Focus(Pane::Detail)),
    case("next-pane", "@", Then::Focus(Pane::Projection)),
    case("pane-before", "@", Then::Focus(Pane::Detail)),
    case("zoom", "@", Then::Is(|bench| bench.model.zoomed)),
    case("free-mouse", "@", Then::Is(|bench| !bench.model.mouse)),
    case("reload", "@", Then::Requests(|request| *request == Request::Reopen)),
    case("redraw", "@", Then::Requests(|request| *request == Request::Redraw)),
    case("help", "@", Then::Mode("text")),
    case("escape", "z @", Then::Is(|bench| !bench.model.zoomed)),
    case("escape", "/ <call> Enter @", Then::Is(|bench| bench.model.debugger.search.is_none())),
    case("escape", "/ <call> Enter : <only hits> Enter @", Then::Is(|bench| bench.model.debugger.filter.is_open())),
    case("escape", "Space @", Then::Says("paused")),
    case("tour", "@", Then::Shows("Tour, 1 of")),
    case("tour", ": <tour> Enter @", Then::Says("the tour has ended")),
    case("next-lesson", "Ctrl-t @", Then::Shows("Tour, 2 of")),
    case("next-lesson", "@", Then::Says("the tour is not on")),
    case("escape", "Enter z @ @", Then::Focus(Pane::Events)),
    case("escape", "@", Then::Says("q quits, ? shows all keys")),
    case("escape", "@ @ @", Then::Is(|bench| !bench.model.is_over && bench.model.message.is_some())),
    case("escape", ": <only findings> Enter @", Then::Says("showing every event")),
    case("escape", "Ctrl-t @", Then::Says("Ctrl-t leaves the tour, q quits")),
    case("quit", "@", Then::Over),
    case("quit", "Enter z @ @ @", Then::Over),
    case(
        "quit",
        "Enter @",
        Then::Is(|bench| bench.model.focus == Pane::Events && !bench.model.is_over && bench.frame().contains("q quit")),
    ),
    case("quit", "Space @", Then::Is(|bench| !bench.model.playing && !bench.model.is_over)),
    case("quit", "z @", Then::Is(|bench| !bench.model.zoomed && !bench.model.is_over)),
    case("quit-at-once", "z @", Then::Over),
    case("suspend", "@", Then::Requests(|request| *request == Request::Suspend)),
    case("choose", "D @", Then::At(19)),
    case("choose", "f m Enter G ' @", Then::At(19)),
    case("choose", "l B g Ctrl-b @", Then::At(1)),
    case("list-down", "D @", Then::Is(|bench| list_row(bench) == 1)),
    case("list-up", "D j j @", Then::Is(|bench| list_row(bench) == 1)),
    case("remove", "l B Ctrl-b @", Then::Is(|bench| bench.model.debugger.breakpoints.is_empty())),
    case(
        "remove",
        "m Enter ' @",
        Then::Requests(|request| *request == Request::Keep(BookmarkEdit::Remove("m1".to_owned()))),
    ),
    case(
        "switch",
        "l B Ctrl-b @",
        Then::Is(|bench| !bench.model.debugger.breakpoints.iter().any(|known| known.enabled)),
    ),
    case("add", "Ctrl-b @", Then::Mode("break")),
    case("add", "' @", Then::Mode("editor")),
    case("edit-note", "m <old> Enter ' @", Then::Typed("old")),
    case("next-list", "' @", Then::Mode("divergences")),
    case("list-before", "' @", Then::Mode("breakpoints")),
    case("close-list", "D @", Then::Mode("normal")),
    case("quit-from-list", "D @", Then::Over),
    case("text-down", "? @", Then::Is(|bench| scroll(bench) == 1)),
    case("text-up", "? j j @", Then::Is(|bench| scroll(bench) == 1)),
    case("text-page-down", "? @", Then::Is(|bench| scroll(bench) > 10)),
    case("text-page-up", "? j PageDown @", Then::Is(|bench| scroll(bench) == 0)),
    case("copy-text", "f x @", Then::Requests(|request| copies(request, "the text", |text| text.contains("expected")))),
    case("close-text", "? @", Then::Mode("normal")),
    case("quit-from-text", "? @", Then::Over),
    case("submit", ": <12> @", Then::At(12)),
    case(
        "submit",
        "m <a note> @",
        Then::Requests(|request| matches!(request, Request::Keep(BookmarkEdit::Add(mark)) if mark.note == "a note")),
    ),
    case(
        "keep",
        "m <a note> @",
        Then::Requests(|request| matches!(request, Request::Keep(BookmarkEdit::Add(mark)) if mark.note == "a note")),
    ),
    case("new-line", "m <one> @ <two>", Then::Typed("one\ntwo")),
    case("complete", ": <th> @", Then::Typed("theme ")),
    case("complete", "Ctrl-b a <kind:turn_e> @", Then::Typed("kind:turn_ended")),
    case("complete-back", ": @", Then::Typed("finding:")),
    case("older", ": <12> Enter : @", Then::Typed("12")),
    case("newer", ": <12> Enter : <3> Up @", Then::Typed("3")),
    case("stop-typing", ": @", Then::Mode("normal")),
    case("stop-typing", "m <half a note> @", Then::Says("not saved")),
];

pub(super) const COMMAND_CASES: &[Case] = &[
    in_clean("compare", ": <compare fixtures/turn/clean-otherwise.json> @", Then::Shows("difference 1 of 2")),
    in_clean("compare", ": <compare fixtures/turn/clean-again.json> @", Then::Shows("both logs have the same content")),
    in_clean("compare", ": <compare nowhere.json> @", Then::Says("nowhere.json: no such file")),
    in_clean("compare", ": <compare> @", Then::Says("no log is compared")),
    in_clean(
        "compare",
        ": <compare fixtures/turn/clean-again.json> Enter : <compare> @",
        Then::Says("the comparison with"),
    ),
    in_secret("export", ": <export> @", Then::Shows("2 secrets, 0 not masked")),
    in_secret("export", ": <export /nowhere/at/all> @ Enter", Then::Shows("cannot be written")),
    in_notes("export", ": <export> @", Then::Says("the log has no finding to export")),
    case("minimize", "f : <minimize> @", Then::Shows("without it")),
    case("minimize", "f : <minimize /nowhere/at/all.json> @", Then::Says("cannot be written")),
    in_notes("minimize", ": <minimize> @", Then::Says("the log has no finding to minimize")),
    case("save", "f d : <save /nowhere/at/all.jsonl> @", Then::Says("cannot be written")),
    case("save", ": <save x.jsonl> @", Then::Says("no what-if variant to save")),
    case("break", ": <break kind:turn_ended> @", Then::Says("breakpoint at kind:turn_ended")),
    case("break", ": <break finding:turn/rejected-ran> Enter c @", Then::Focus(Pane::Detail)),
    case("break", ": <break> @", Then::Says(":break needs WHAT")),
    case("context", ": <context> @", Then::Says("a turn log does not say this")),
    case("explain", ": <explain growth> @", Then::Says("a turn log does not say this")),
    case("resume", ": <resume> @", Then::Says("a turn log does not say this")),
    case("time", ": <time> @", Then::Says("a turn log does not say this")),
    case("hide", ": <hide tools> @", Then::Says("tools events are hidden")),
    case("hide", ": <hide turn_started> Enter : <hide turn_started> @", Then::Says("are shown again")),
    case("hide", ": <hide nothing> @", Then::Says("there is no kind or lane \"nothing\"")),
    case("only", ": <only findings> @", Then::Shows(" only events with findings ")),
    case("only", "/ <call-4> Enter : <only hits> @", Then::Shows(" only search hits ")),
    case("only", ": <only hits> @", Then::Says("there is no search yet")),
    case("only", ": <only fools> @", Then::Says("byte 0")),
    case("all", ": <only findings> Enter : <all> @", Then::Is(|bench| bench.model.debugger.filter.is_open())),
    case("pin", ": <pin outcome> @", Then::Says("outcome is pinned")),
    case("pin", ": <pin nothing> @", Then::Says("there is no field \"nothing\"")),
    case(
        "bookmark",
        ": <bookmark here> @",
        Then::Requests(|request| matches!(request, Request::Keep(BookmarkEdit::Add(mark)) if mark.name == "here")),
    ),
    case(
        "screenshot",
        ": <screenshot a b.svg> @",
        Then::Requests(|request| *request == Request::Picture("a b.svg".into())),
    ),
    case("theme", ": <theme none> @", Then::Is(|bench| bench.model.theme().palette == Palette::Plain)),
    case("theme", ": <theme pink> @", Then::Says("there is no theme \"pink\"")),
    case("reload", ": <reload> @", Then::Requests(|request| *request == Request::Reopen)),
    case("original", ": <original> @", Then::Requests(|request| *request == Request::Trace(PackTrace::Recorded))),
    case("minimized", ": <minimized> @", Then::Requests(|request| *request == Request::Trace(PackTrace::Minimized))),
    case("tour", ": <tour> @", Then::Is(|bench| bench.model.tour.is_some())),
    case("help", ": <help> @", Then::Mode("text")),
    case("quit", ": <quit> @", Then::Over),
];

//! The scenes whose frames are kept: a log, the keys to type, and what the frame shows.

use std::fs::OpenOptions;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use stepback::minimize::curve::Curve;
use stepback::minimize::tester::MinimizeProgress;
use stepback::tui::compare::state::CompareNews;
use stepback::tui::export::state::{ExportNews, WrittenPack};
use stepback::tui::minimize::state::{MinimizeNews, Size, Trying};
use stepback::tui::update::news::apply;
use stepback::tui::update::play;

use crate::tests::bench::{Bench, DEMO, key};

pub(super) struct Scene {
    /// The name of the scene and of its file.
    pub name: &'static str,
    pub log: Given,
    pub keys: &'static str,
    pub shows: &'static str,
    /// Changes that no key can make.
    pub then: Option<fn(&mut Bench)>,
    /// Scenes about the layout itself are drawn at every size, the others at 80x24.
    pub at_every_size: bool,
}

pub(super) enum Given {
    File(&'static str),
    /// A name, and a function that makes the log.
    Made(&'static str, fn() -> String),
    /// Two logs to compare.
    Both(&'static str, &'static str),
}

impl Given {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Given::File(name) | Given::Made(name, _) | Given::Both(name, _) => name,
        }
    }

    pub(super) fn open(&self, width: u16, height: u16) -> Bench {
        match self {
            Given::File(name) => Bench::open(name, width, height),
            Given::Made(_, made) => Bench::of(made().as_bytes(), width, height),
            Given::Both(name, other) => {
                let mut bench = Bench::open(name, width, height);
                bench.keys(&format!(": <compare {other}> Enter"));
                bench
            }
        }
    }

    /// Whether the log itself is ASCII only.
    pub(super) fn is_ascii(&self) -> bool {
        matches!(self, Given::File(DEMO | CLEAN | EMPTY) | Given::Both(..)) || matches!(self, Given::Made(LONG, _))
    }
}

const CLEAN: &str = "fixtures/turn/clean.json";
const SECRET: &str = "fixtures/secret/pushed-with-a-token.json";
const NOTES: &str = "fixtures/tape/notes-good.tape";
const EMPTY: &str = "fixtures/broken/empty.json";
const LONG: &str = "10 000 events";
const WIDE: &str = "wide and combining characters";

const fn demo(name: &'static str, keys: &'static str, shows: &'static str) -> Scene {
    Scene { name, log: Given::File(DEMO), keys, shows, then: None, at_every_size: false }
}

const fn file(name: &'static str, log: &'static str, keys: &'static str, shows: &'static str) -> Scene {
    Scene { name, log: Given::File(log), keys, shows, then: None, at_every_size: false }
}

const fn wide(name: &'static str, keys: &'static str, shows: &'static str) -> Scene {
    Scene { name, log: Given::Made(WIDE, wide_log), keys, shows, then: None, at_every_size: false }
}

/// A run that succeeded, compared with one of the same task that failed.
const fn compared(name: &'static str, keys: &'static str, shows: &'static str) -> Scene {
    Scene {
        name,
        log: Given::Both(CLEAN, "fixtures/turn/clean-failed.json"),
        keys,
        shows,
        then: None,
        at_every_size: false,
    }
}

impl Scene {
    const fn at_every_size(mut self) -> Scene {
        self.at_every_size = true;
        self
    }

    const fn then(mut self, then: fn(&mut Bench)) -> Scene {
        self.then = Some(then);
        self
    }
}

pub(super) const SCENES: &[Scene] = &[
    // The panes.
    demo("start", "", "the demo as it opens").at_every_size(),
    demo("finding", "f", "the first finding, with both sides").at_every_size(),
    demo("last", "G", "the last event"),
    demo("events-zoomed", "f z", "the list of events alone"),
    demo("projection", "f Tab", "the focus in Projection"),
    demo("projection-low", "f Tab j j j j j j j j j j j j j j j j j j j j", "the choice further down in Projection"),
    demo("projection-zoomed", "3 0 g Tab z", "Projection alone"),
    demo("effects", "3 g Tab Tab", "the focus in Effects"),
    demo("effects-zoomed", "G Tab Tab z", "Effects alone"),
    demo("coherence", "f Tab Tab Tab", "the focus in Coherence"),
    demo("coherence-low", "Tab Tab Tab j j j j j j", "the choice further down in Coherence"),
    demo("coherence-zoomed", "f f Tab Tab Tab z", "Coherence alone"),
    demo("event", "1 8 g Enter j j", "the focus in Event, and the path under the cursor"),
    demo("event-zoomed", "1 8 g Enter z", "Event alone"),
    demo("event-folded", "1 8 g Enter z o", "JSON with everything folded"),
    demo("event-one-folded", "1 8 g Enter z G k k Enter", "JSON with one value folded"),
    demo("event-transcript", "1 8 g v", "the conversation up to an event").at_every_size(),
    demo("event-transcript-between", "2 0 g v", "the conversation at an event that says nothing itself"),
    demo("event-transcript-zoomed", "1 8 g v Enter z", "the conversation alone on the screen"),
    demo("event-raw", "1 8 g v v", "the bytes of an event"),
    demo("event-raw-zoomed", "1 8 g V Enter z", "the bytes alone on the screen"),
    demo("event-search", "1 8 g Enter / <call> Enter n", "a search within the event"),
    // Popups.
    demo("help", "?", "the keys of the list of events, then all others").at_every_size(),
    demo("palette", "Ctrl-p", "the palette lists all keys and commands").at_every_size(),
    demo("palette-typed", "Ctrl-p <bookm> Down", "the palette lists what matches, and selects a row"),
    demo("command-typed", ": <br>", "the commands that complete what is typed, with what they do"),
    demo("command-argument", ": <only ki>", "the arguments of a command, with how many events they mean"),
    demo("command-usage", ": <screenshot x>", "a command whose argument has no completions is described"),
    demo("only-kind", "3 g &", "the list has only events of one kind"),
    demo("search-typed", "/ <call-4>", "while a pattern is typed, the first hit is shown and marked"),
    demo("all-fields", "f Tab o", "the projection lists all fields"),
    demo("help-in-coherence", "Tab Tab Tab ? j j", "the keys of Coherence first"),
    demo(
        "help-end",
        "? PageDown PageDown PageDown PageDown PageDown PageDown PageDown PageDown PageDown PageDown",
        "the end of the help: commands and the mouse",
    ),
    demo("explain", "f x", "what a finding means"),
    demo("whatif-skip", "f d", "what changes without the event"),
    demo("whatif-copy", "5 g P", "an event that was duplicated"),
    demo("whatif-moved", "5 g J", "an event that was moved"),
    demo("whatif-edit", "f i", "the event's text to be edited"),
    demo("whatif-bad-json", "f i <x> Ctrl-s", "text that is not JSON stays in the editor"),
    demo("whatif-original", "f d O", "the original log while there is a variant"),
    demo("whatif-unsaved", "f d q", "the warning about an unsaved variant"),
    demo("minimized", "f M", "the outcome of minimizing").at_every_size().then(in_no_time),
    demo("minimized-saving", "f M s", "the prompt for the name of the minimized log"),
    demo("minimized-opened", "f M o", "the minimized log itself"),
    demo("minimizing", "f", "a finding that is being minimized").then(|bench| minimizing(bench, false)),
    demo("minimizing-begins", "f", "minimizing while the log is read").then(|bench| minimizing(bench, true)),
    demo("minimizing-tour", ": <tour> Enter", "minimizing while the tour goes on")
        .then(|bench| minimizing(bench, false)),
    file("export", SECRET, "X j Space", "the review before a pack is written").at_every_size(),
    file("export-with-secrets", SECRET, "X r m", "a pack whose secrets are not masked"),
    file(
        "export-pattern",
        SECRET,
        "X e p <docs.(example).org> Enter p",
        "more that is masked, and the prompt for a pattern",
    ),
    file("export-name", SECRET, "X Enter", "the prompt for the name of the pack"),
    demo("export-nothing-secret", "f X", "a log without secrets"),
    file("export-done", SECRET, "X", "a pack that was written").then(packed),
    file("export-lost", SECRET, "X p <success> Enter", "a mask that breaks the finding").then(lost),
    file("explain-nothing", CLEAN, "x", "there is nothing to explain"),
    demo("bookmarks-empty", "'", "no bookmark yet"),
    demo(
        "bookmarks",
        "f m <why did it run?> Enter G : <bookmark the very long name of the end> Enter 3 g m Enter ' j",
        "bookmarks with notes and names",
    )
    .at_every_size(),
    demo("bookmark-set", "f m <why did it run?> Enter", "a bookmark in the list of events and on the strip"),
    file("bookmarks-lost", CLEAN, "", "a bookmark of an event that this log does not have").then(lose_a_bookmark),
    demo("divergent-steps", "D j", "all events with findings"),
    file("divergent-steps-empty", CLEAN, "D", "no events with findings"),
    demo("breakpoints-empty", "Ctrl-b", "no breakpoint yet"),
    demo(
        "breakpoints",
        "3 g B g Tab w : <break .event.outcome.tool_error?> Enter c Ctrl-b j Space",
        "breakpoints with their hits, one of them off",
    ),
    demo("note", "f m <the person said no>", "a note while it is typed"),
    demo("note-of-two-lines", "f m <one> Alt-Enter <two>", "a note of two lines"),
    demo("tour", ": <tour> Enter", "the first lesson of the tour"),
    demo("tour-later", ": <tour> Enter l h f", "a later lesson"),
    // Prompts.
    demo("prompt-search", "/ <rejec>", "a search while it is typed"),
    demo("prompt-within", "Enter / <turn>", "a search within the event while it is typed"),
    demo("prompt-command", ":", "a command line with nothing in it"),
    demo("prompt-command-offers", ": Tab Tab", "the completions of a command"),
    demo("prompt-command-offers-last", ": BackTab", "the last completion"),
    demo("prompt-argument-offers", ": <hide > Tab", "the completions of kinds and lanes"),
    demo("prompt-break-offers", "Ctrl-b a <change:> Tab Tab", "the completions of fields for a breakpoint"),
    demo(
        "prompt-long",
        ": <break .event.outcome.tool_error? and .event.tool_name == \"edit_file\" and (.step | . == 5)>",
        "a command line that is longer than a narrow screen",
    )
    .at_every_size(),
    demo("count", "1 2", "a number before a key"),
    // Comparing.
    compared("compare", "", "a run that failed compared with one that did not, at the first difference")
        .at_every_size(),
    compared("compare-next", "}", "the next difference"),
    compared("compare-only-left", "3 l", "an event that is missing in the other log"),
    compared("compare-only-right", "4 l", "an event that only the other log has"),
    compared("compare-same", "h", "a pair of equal events"),
    compared("compare-end", "G", "the last events of both"),
    compared("compare-projection", "G Tab j", "the focus in Projection, with both values").at_every_size(),
    compared("compare-effects", "Tab Tab", "the focus in Effects, with those of both"),
    compared("compare-coherence", "Tab Tab Tab", "the focus in Coherence"),
    compared("compare-events-zoomed", "z", "both lists of events alone"),
    compared("compare-event-zoomed", "Enter z j j", "the Diff tab alone on the screen"),
    compared("compare-json", "v", "the event itself while two logs are compared"),
    compared("compare-found", "/ <edit_file> Enter", "a search in the log that is open, the other follows"),
    file(
        "compare-nothing-differs",
        CLEAN,
        ": <compare fixtures/turn/clean-again.json> Enter",
        "the same run recorded again",
    ),
    file(
        "compare-empty",
        EMPTY,
        ": <compare fixtures/turn/clean.json> Enter l",
        "a log without events compared with one that has some",
    ),
    file(
        "compare-hostile",
        "fixtures/broken/hostile-text.json",
        ": <compare fixtures/turn/clean.json> Enter",
        "hostile texts compared with others",
    ),
    wide("compare-wide", ": <compare fixtures/turn/clean.json> Enter", "wide characters compared with others"),
    file("comparing", CLEAN, "", "another log that is still being read").then(|bench| {
        let name = "runs/yesterday.jsonl".to_owned();
        let doing = format!("comparing with {name}… 34 %");
        let news = [CompareNews::Begun { name, from: None }, CompareNews::Doing(doing)];
        apply(&mut bench.model, news.map(Into::into));
    }),
    // A tape.
    file("tape", NOTES, "4 l", "a tape with annotations"),
    file("tape-muted", NOTES, "4 l l", "an event that the annotations mute is skipped"),
    file("tape-payload", "fixtures/tape/long-output.tape", "l Enter z", "a payload from the store in its event"),
    file("tape-damaged", "fixtures/tape/damaged-store.tape", "f", "a missing entry of the payload store"),
    file("tape-unknown", "fixtures/tape/every-kind.tape", "G h h", "a kind that only a newer writer knows"),
    Scene {
        name: "tape-compare",
        log: Given::Both(NOTES, "fixtures/tape/notes-bad.tape"),
        keys: "",
        shows: "two tapes at their first difference",
        then: None,
        at_every_size: false,
    },
    // Messages.
    demo("stopped", ": <break kind:turn_ended> Enter c", "a run that stopped"),
    demo("blamed", "3 0 g Tab b", "the event that wrote a field"),
    // Searches and filters.
    demo("hits", "/ <call-4> Enter", "the hits of a search, in the list and on the strip"),
    demo("calls-folded", "1 8 g o", "each call on one line"),
    demo("only-findings", ": <only findings> Enter Esc", "only events with findings"),
    demo("only-hits", "/ <call-4> Enter : <only hits> Enter Esc", "only hits of the search"),
    demo("only-hits-none", ": <only hits> Enter Esc", "only hits, without a search"),
    demo("hidden", ": <hide tool_call_started> Enter : <hide model_message> Enter l", "hidden kinds"),
    demo("pinned", ": <pin outcome> Enter 3 g Tab j p Esc", "pinned fields"),
    // Playing and running.
    Scene {
        name: "running",
        log: Given::Made(LONG, long_log),
        keys: ": <break .event.text == \"nowhere\"> Enter",
        shows: "a run that takes a while, from its beginning",
        then: Some(|bench| bench.press(key("c"))),
        at_every_size: false,
    },
    Scene {
        name: "reading",
        log: Given::Made(LONG, long_log),
        keys: "5 0 0 0 g",
        shows: "a log that is still being read",
        then: Some(|bench| bench.model.progress.at_end = false),
        at_every_size: false,
    },
    demo("playing", "Space", "playing, a few events later")
        .then(|bench| (0..5).for_each(|_| play::tick(&mut bench.model))),
    demo("playing-back", "G + r", "playing backwards").then(|bench| (0..5).for_each(|_| play::tick(&mut bench.model))),
    // Other logs.
    file("clean", CLEAN, "", "a log without a finding"),
    file("two-turns", "fixtures/turn/two-turns-mixed.jsonl", "t", "two turns in one log"),
    file("empty", EMPTY, "", "a log without an event"),
    file("empty-help", EMPTY, "l G f n x D", "a log without an event, and keys that need one"),
    file("damaged", "fixtures/broken/truncated-line.jsonl", "G", "a log whose last record is torn"),
    file("damaged-inside", "fixtures/broken/missing-comma.json", "f", "a log with damage in the middle"),
    file("damaged-bytes", "fixtures/broken/invalid-utf8.jsonl", "f Enter v v", "bytes that are not UTF-8"),
    file("hostile", "fixtures/broken/hostile-text.json", "", "a log with hostile texts"),
    file("hostile-transcript", "fixtures/broken/hostile-text.json", "G v Enter z", "hostile texts as a conversation"),
    wide("wide", "", "wide and combining characters in the panes"),
    wide("wide-finding", "G F", "wide characters in a finding"),
    wide("wide-transcript", "3 g v Enter z", "wide characters in a conversation"),
    wide("wide-raw", "v v Enter z", "wide characters as bytes"),
    wide("wide-calls-folded", "o", "wide characters in a folded call"),
    demo("long-name", "", "a file with a long name").at_every_size().then(|bench| {
        bench.model.opening.name = format!("logs/{}.json", "a-name-that-goes-on-".repeat(6));
    }),
    Scene {
        name: "gone",
        log: Given::Made("a log that is cut while it is open", short_log),
        keys: "l",
        shows: "an event that can no longer be read",
        then: Some(cut),
        at_every_size: false,
    },
];

/// What a key or a command reports in the last lines of the screen: a log, keys, a part of the message.
pub(super) const MESSAGES: &[(&str, &str, &str)] = &[
    (DEMO, "/ <call-(> Enter", "unclosed group"),
    (DEMO, ": <break .event.(> Enter", "byte 7"),
    (DEMO, ": <nonsense> Enter", "\"nonsense\""),
    (DEMO, ": <theme pink> Enter", "default, high-contrast, none"),
    (DEMO, ": <only> Enter", ":only needs WHAT"),
    (DEMO, "/ <nowhere> Enter", "no hit after this event"),
    (DEMO, "/ <rejected> Enter n", "no hit after this event"),
    (DEMO, "c", "no breakpoint"),
    (NOTES, "M", "no finding to minimize"),
    (DEMO, "1 8 g Enter / <nowhere> Enter", "no hit in this event"),
    (CLEAN, ": <compare nowhere.json> Enter", "nowhere.json: no such file"),
    (DEMO, "Space Space", "paused"),
];

/// The state after writing the pack; its id depends on the version.
fn packed(bench: &mut Bench) {
    let pack = WrittenPack {
        folder: "pushed-with-a-token.pack".into(),
        fingerprint: "turn/rejected-ran call_id=call-2 turn_id=turn-7c20".to_owned(),
        id: "0123456789abcdef".repeat(4),
        events: 15,
        files: 16,
        removals: Some(4),
    };
    apply(&mut bench.model, [ExportNews::Written(Box::new(pack)).into()]);
}

/// The message of the export, without the path of the log.
fn lost(bench: &mut Bench) {
    let folder = tempfile::tempdir().expect("a folder");
    bench.keys("Enter").keys(&"Backspace ".repeat(40)).type_text(&folder.path().join("x").display().to_string());
    let exporting = bench.model.exporting.as_mut().expect("a review");
    let trouble = exporting.trouble.take().expect("it is lost");
    exporting.trouble = trouble.split_once("fixtures/").map(|(_, rest)| format!("fixtures/{rest}"));
}

/// The time that it took differs from run to run.
fn in_no_time(bench: &mut Bench) {
    let done = bench.model.minimizing.as_mut().and_then(|minimizing| minimizing.done_mut());
    done.expect("it is minimized").elapsed = Duration::from_millis(40);
}

/// In the middle of minimizing, as for a larger log.
fn minimizing(bench: &mut Bench, only_begins: bool) {
    let findings = bench.model.replay().findings();
    let chosen = bench.model.chosen_finding().expect("a finding");
    let finding = Arc::clone(&findings.list[chosen]);
    apply(&mut bench.model, [MinimizeNews::Begun { finding, save_to: None }.into()]);
    if only_begins {
        return;
    }
    let mut curve = Curve::from(120_000);
    let sizes = (0..400_u32).map(|test| 120_000 >> (test / 30).min(10));
    sizes.for_each(|size| curve.push(size));
    let progress = MinimizeProgress { phase: "single units", events: 117, bytes: 20_304, tests: 400, ahead: 230 };
    let trying = Trying {
        whole: Size { events: 120_000, bytes: 31_457_280 },
        progress,
        curve,
        elapsed: Duration::from_millis(8_320),
        left: Some(Duration::from_millis(4_784)),
    };
    apply(&mut bench.model, [MinimizeNews::Trying(Box::new(trying)).into()]);
}

fn lose_a_bookmark(bench: &mut Bench) {
    let mut other = Bench::open(DEMO, 80, 24);
    other.keys("f m <in another log> Enter");
    bench.model.debugger.set_bookmarks(&other.bookmarks).expect("the log is there");
    bench.keys("'");
}

/// Truncates the file of an open log, and looks at an event that was in it.
pub(super) fn cut(bench: &mut Bench) {
    OpenOptions::new().write(true).open(&bench.path).and_then(|file| file.set_len(10)).expect("cut");
    bench.keys("G");
}

/// Longer than one slice of a run.
fn long_log() -> String {
    let line = |number: u32| {
        let event = json!({"event_type": "steer_injected", "turn_id": "t", "step_idx": number / 100, "text": "go on"});
        format!("{event}\n")
    };
    (0..10_000).map(line).collect()
}

/// Long enough that its end is read again from the file.
pub(super) fn short_log() -> String {
    long_log().lines().take(1_000).map(|line| format!("{line}\n")).collect()
}

fn wide_log() -> String {
    let text = "日本語のテキスト、そして e\u{301}a\u{308}o\u{302} 👩‍💻 한국어 🎉 ".repeat(4);
    let events = [
        json!({"event_type": "turn_started", "turn_id": "順番-いち", "mode": "agent", "input_text": text, "max_steps": 5}),
        json!({"event_type": "model_request_issued", "turn_id": "順番-いち", "step_idx": 1, "token_budget": 8192,
            "request_fp": {"static_prefix_sha256": "aa", "full_prefix_sha256": "bb"}}),
        json!({"event_type": "model_message", "turn_id": "順番-いち", "step_idx": 1, "block_count": 1,
            "usage": {"input_tokens": 10, "output_tokens": 20}, "text_preview": text}),
        json!({"event_type": "tool_call_planned", "turn_id": "順番-いち", "step_idx": 1, "call_id": "呼び出し-一",
            "tool_name": "読む_file", "input_json": json!({"パス": "源/主.rs", "e\u{301}": "z\u{335}"}).to_string(),
            "decision": {"approval_required": true, "parallel_eligible": false, "read_only": false}}),
        json!({"event_type": "approval_resolved", "turn_id": "順番-いち", "call_id": "呼び出し-一", "verdict": "rejected"}),
        json!({"event_type": "tool_call_started", "turn_id": "順番-いち", "call_id": "呼び出し-一", "wave_idx": 0}),
        json!({"event_type": "tool_call_finished", "turn_id": "順番-いち", "call_id": "呼び出し-一", "tool_name": "読む_file",
            "outcome": "success", "duration_ms": 5, "wrote_state": false, "result_preview": text}),
        json!({"event_type": "turn_ended", "turn_id": "順番-いち", "total_steps": 1,
            "outcome": {"failed": {"message": "終わり"}}}),
    ];
    events.iter().map(|event| format!("{event}\n")).collect()
}

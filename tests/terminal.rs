//! The built program in a real terminal: keys, the screen, and the restored terminal at the end.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at the first surprise")]
#![cfg(unix)]

#[path = "terminal/inquiry.rs"]
mod inquiry;
#[path = "terminal/memory.rs"]
mod memory;
#[path = "terminal/picker.rs"]
mod picker;
#[path = "support/program.rs"]
mod program;
#[path = "support/pty.rs"]
mod pty;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use pty::{CTRL_C, CTRL_R, Desk, ENTER, ESCAPE, TAB, Window, footer, row};
use serde_json::Value;

fn ours(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The failed turn of 38 events, on a screen of 120 columns and 40 rows.
fn demo(desk: &Desk) -> Window {
    let mut window = desk.open(&[&ours("assets/demo.json").to_string_lossy()]);
    window.at("0/37").until("the footer", |screen| footer(screen).contains("q quit"));
    window
}

/// Its first events, one per line.
fn lines(count: usize) -> String {
    let events: Vec<Value> =
        serde_json::from_slice(&fs::read(ours("assets/demo.json")).expect("a file")).expect("JSON");
    events[..count].iter().map(|event| format!("{event}\n")).collect()
}

#[test]
fn the_first_screen_is_complete() {
    let desk = Desk::new();
    let mut window = demo(&desk);
    window.sees(&[
        "demo.json",
        "1 critical, △ 1 warning",
        "Events",
        "Projection",
        "Effects",
        "Coherence",
        "Event #0",
        "turn_started",
    ]);
    window.until("a screen of its own", |screen| screen.alternate_screen() && screen.bracketed_paste());
    window.until("the mouse", |screen| screen.mouse_protocol_mode() != vt100::MouseProtocolMode::None);
    assert!(window.has_other_settings(), "the terminal does not echo or wait for Enter");
}

#[test]
fn it_steps_forward_and_back() {
    let desk = Desk::new();
    let mut window = demo(&desk);
    window.keys("l").at("1/37").keys("ll").at("3/37").keys("h").at("2/37");
    window.keys("\x1b[C").at("3/37").keys("\x1b[D").at("2/37");
    window.keys("G").at("37/37").keys("12g").at("12/37").sees(&["Event #12", "model_message"]);
    window.keys("f").at("19/37").sees(&["turn/rejected-ran"]).keys("\x0f").at("12/37");
    // All at once: no key is lost.
    window.keys(&"l".repeat(20)).at("32/37").keys(&"h".repeat(31)).at("1/37");
}

#[test]
fn a_pack_begins_at_its_finding_and_has_two_traces() {
    let desk = Desk::new();
    let mut window = desk.open(&[&ours("fixtures/pack/rejected-ran").to_string_lossy()]);
    window.at("19/37").sees(&["turn/rejected-ran"]);
    window.keys(":minimized").keys(ENTER).sees(&["the minimized trace"]);
    window.keys(":original").keys(ENTER).at("19/37").sees(&["the trace as it was recorded"]);
    // The other trace is one key away.
    window.keys("O").sees(&["the minimized trace"]).keys("O").at("19/37").sees(&["the trace as it was recorded"]);
}

#[test]
fn a_pack_is_written_after_a_review() {
    let desk = Desk::new();
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = desk.open(&[&ours("fixtures/secret/pushed-with-a-token.json").to_string_lossy()]);
    let pack = folder.path().join("a.pack");
    window.at("0/14").keys(&format!(":export {}", pack.display())).keys(ENTER);
    window.sees(&["Export: turn/rejected-ran", "REDACTED-github-token-1-32to63ch", "2 secrets"]).keys(ENTER);
    window.sees(&["Packed: turn/rejected-ran", "4 texts masked"]).keys(ENTER).keys("q");
    let trace = std::fs::read_to_string(pack.join("trace.json")).expect("a trace");
    assert!(trace.contains("REDACTED-github-token-1") && !trace.contains("ghp_"));
}

/// The signal arrives while the pack is written, or a moment later: in no case is a partial pack left.
#[test]
fn a_signal_in_the_middle_of_an_export_leaves_nothing_behind() {
    let desk = Desk::new();
    let folder = tempfile::tempdir().expect("a folder");
    let demo: Vec<serde_json::Value> =
        serde_json::from_slice(&std::fs::read(ours("assets/demo.json")).expect("the demo")).expect("an array");
    let log: String = demo.iter().map(|event| format!("{event}\n")).collect();
    std::fs::write(folder.path().join("log.jsonl"), log.repeat(500)).expect("written");
    let packs = folder.path().join("packs");
    std::fs::create_dir(&packs).expect("a folder");
    let mut window = desk.open(&[&folder.path().join("log.jsonl").to_string_lossy()]);
    window.keys("G").at("18 999/18 999").keys(&format!(":export {}", packs.join("a.pack").display())).keys(ENTER);
    window.sees(&["Enter pack"]).keys(ENTER).sees(&["writing the pack"]).signal("TERM");
    assert_eq!(window.exit_code(), 143);
    let left: Vec<_> = std::fs::read_dir(&packs).expect("a folder").collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn resizing_keeps_place_and_focus() {
    let desk = Desk::new();
    let mut window = demo(&desk);
    let is_drawn = |screen: &vt100::Screen| {
        row(screen, 0).contains("#5 · event 6 of 38")
            && footer(screen).contains("Enter blame")
            && footer(screen).contains("q leave")
    };
    window.keys("5l").keys(TAB).until("the place and the focus", is_drawn);
    for (columns, rows) in [(80, 24), (200, 60), (60, 15), (120, 40)] {
        window.resize(columns, rows).until(&format!("a frame of {columns}x{rows}"), is_drawn);
    }
    window.resize(59, 15).sees(&["this screen is too small: at least 60x15 is needed"]);
    window.resize(120, 14).sees(&["this screen is too small"]).resize(1, 1).resize(30, 3).sees(&["this screen is"]);
    window.resize(120, 40).until("the frame again", is_drawn).keys("l").at("6/37");
}

#[test]
fn a_search_goes_through_its_hits() {
    let desk = Desk::new();
    let mut window = demo(&desk);
    window.keys("/\"tool_call_finished\"").keys(ENTER).at("5/37").sees(&["1/7 hits"]);
    window.keys("n").at("10/37").sees(&["2/7 hits"]).keys("nn").at("21/37");
    window.keys("N").at("15/37").sees(&["3/7 hits"]).keys("NN").at("5/37");
    window.keys("N").sees(&["no hit before this event"]);
}

#[test]
fn it_runs_to_breakpoints_and_back() {
    let desk = Desk::new();
    let mut window = demo(&desk);
    window.keys("lB").sees(&["breakpoint at kind:model_request_issued"]);
    window.keys("c").at("6/37").sees(&["stopped at kind:model_request_issued"]).keys("c").at("11/37");
    window
        .keys("C")
        .at("6/37")
        .keys("C")
        .at("1/37")
        .keys("C")
        .sees(&["there is no breakpoint before this event"])
        .at("1/37");
    window.keys("lB").sees(&["breakpoint at kind:model_message"]);
    window.keys("\x02").sees(&["● on", "kind:model_message"]).keys(ESCAPE);
    window.until("the list closed", |screen| !screen.contents().contains("● on"));
}

#[test]
fn it_stops_where_a_condition_is_true() {
    let desk = Desk::new();
    let mut window = demo(&desk);
    window.keys(":break .event.outcome.tool_error?").keys(ENTER).sees(&["breakpoint at .event.outcome.tool_error?"]);
    window.keys("c").at("28/37").sees(&["stopped at .event.outcome.tool_error?"]);
    window.keys("GC").at("34/37");
    window.keys(":break .event.(").keys(ENTER).sees(&["byte "]);
}

#[test]
fn a_bookmark_survives_a_restart() {
    let desk = Desk::new();
    let mut window = demo(&desk);
    window.keys("7lm").sees(&["Enter saves"]).keys("look here, q").keys(ENTER).sees(&["saved: "]).keys("q");
    assert_eq!(window.exit_code(), 0);
    let mut window = desk.open(&[&ours("assets/demo.json").to_string_lossy()]);
    window.sees(&["you left this log at event 7"]).keys("'").sees(&["look here, q"]).keys(ENTER).at("7/37");
    window.keys("g]").at("7/37");
}

#[test]
fn what_if_changes_the_variant_and_not_the_file() {
    let desk = Desk::new();
    let before = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/demo.json")).expect("the demo");
    let mut window = demo(&desk);
    window.keys("f").at("19/37").keys("d").sees(&["what-if: 1 change", "gone", "#19 · event 20 of 37"]);
    window.keys("u").sees(&["undone: event 19 skipped"]).at("19/37");
    // Edited in place: the verdict becomes another one.
    window.keys("i").sees(&["What if event 19 were"]);
    window.keys("\x1b[B\x1b[B\x1b[B\x1b[B\x05\x08\x08\x08\x08\x08\x08\x08\x08\x08approved\"\x13");
    window.sees(&["event 19 edited", "what-if: 1 change", "gone"]);
    window.keys("q").sees(&["is not saved"]).keys("q");
    assert_eq!(window.exit_code(), 0);
    assert_eq!(std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/demo.json")).expect("the demo"), before);
}

#[test]
fn it_begins_at_the_given_place() {
    let desk = Desk::new();
    let log = ours("assets/demo.json").to_string_lossy().into_owned();
    for (place, at) in [("19", "19/37"), ("100%", "37/37"), ("finding:1", "19/37"), ("call:call-5", "24/37")] {
        desk.open(&[&log, "--at", place]).at(at);
    }
    desk.open(&[&log, "--at", "99"]).sees(&["there is no event 99", "#0 · event 1 of 38"]);
}

#[test]
fn two_logs_are_stepped_side_by_side() {
    let desk = Desk::new();
    let log = |name: &str| ours(&format!("fixtures/turn/{name}.json")).to_string_lossy().into_owned();
    let (clean, failed) = (log("clean"), log("clean-failed"));
    let mut window = desk.open(&[&clean, "--compare", &failed]);
    window.sees(&["Expected: clean.json", "Actual: clean-failed.json", "difference 1 of 14"]).at("13/25");
    window.sees(&["event 13 (tool_call_finished) differs: .outcome", "Event 13 │ 13"]);
    window.keys("}").at("15/25").sees(&["difference 2 of 14"]).keys("}").sees(&["Event 16 │ —"]);
    window.keys("l").sees(&["Event — │ 16", "+ only in the other log"]).keys("{{").at("15/25");
    window.keys(":compare").keys(ENTER).sees(&["the comparison with", "Coherence"]).keys("q");
    assert_eq!(window.exit_code(), 0);
    window.assert_restored();
    // If the user names a place, the playhead stays there.
    desk.open(&[&clean, "--compare", &failed, "--at", "3"]).sees(&["14 differences"]).at("3/25");
    desk.open(&[&clean, "--compare", "nowhere.json"]).sees(&["nowhere.json: no such file"]).keys("l").at("1/25");
}

#[test]
fn blame_goes_to_the_writers_of_a_field() {
    let desk = Desk::new();
    let mut window = demo(&desk);
    window.keys("30g").at("30/37").keys(TAB).keys("b").at("22/37").keys("b").at("16/37").keys("\x0f").at("22/37");
}

#[test]
fn quitting_restores_the_terminal() {
    for keys in ["q", CTRL_C, ":q\r", "?\x03"] {
        let desk = Desk::new();
        let mut window = demo(&desk);
        window.keys(keys);
        assert_eq!(window.exit_code(), 0, "{keys:?}");
        window.assert_restored();
        // The sequences that restore a terminal in its default state.
        let raw = window.raw();
        let last = |text: &str| raw.windows(text.len()).rposition(|window| window == text.as_bytes());
        for (on, off) in [("?1049h", "?1049l"), ("?25l", "?25h"), ("?1000h", "?1000l"), ("?1003h", "?1003l")] {
            assert!(last(off) > last(on), "{off} after {on}");
        }
        assert!(last("?1006l") > last("?1006h") && last("?2004l") > last("?2004h"));
    }
}

#[test]
fn signals_end_it_and_restore_the_terminal() {
    for (signal, code) in [("TERM", 143), ("HUP", 129)] {
        let desk = Desk::new();
        let mut window = demo(&desk);
        window.signal(signal);
        assert_eq!(window.exit_code(), code);
        window.assert_restored();
    }
}

#[test]
fn it_ends_with_its_terminal() {
    let desk = Desk::new();
    demo(&desk).close();
    let log = desk.path("log.jsonl");
    fs::write(log, lines(10)).expect("written");
    let mut window = desk.open(&["--follow", "log.jsonl"]);
    window.at("0/9");
    window.close();
}

#[test]
fn the_tour_of_the_demo_can_be_ended() {
    let desk = Desk::new();
    let mut window = desk.open(&[]);
    // Before the log is read, there is no event to step to.
    window.at("0/37").sees(&["Tour, 1 of ", "Press l"]).keys("l").sees(&["Tour, 2 of "]);
    window.keys("\u{14}").sees(&["the tour has ended; Ctrl-t starts it again"]);
    window.keys("l").at("2/37").until("no tour", |screen| !screen.contents().contains("Tour,"));
}

#[test]
fn a_click_on_the_strip_goes_there() {
    let desk = Desk::new();
    let mut window = demo(&desk);
    window.click(60, 1).at("19/37").click(119, 2).at("37/37").click(0, 1).at("0/37");
    // A click on the list goes to an event, a click on a pane focuses it.
    window.click(10, 7).at("3/37").click(60, 10).until("the focus", |screen| footer(screen).contains("Enter blame"));
    // The wheel goes three rows down.
    window.keys("\x1b[<65;10;10M").at("8/37");
}

#[test]
fn a_bad_configuration_is_reported_with_its_line() {
    let desk = Desk::new();
    fs::create_dir_all(desk.path("config/stepback")).expect("a folder");
    fs::write(desk.path("config/stepback/config.toml"), "# mine\nthme = \"none\"\n").expect("written");
    let mut window = desk.open(&[&ours("assets/demo.json").to_string_lossy()]);
    window.at("0/37").sees(&["config.toml: line 2: unknown key \"thme\"; did you mean \"theme\"?"]);
    window.keys("l").at("1/37");
}

/// The parameters of every sequence that sets colours and other attributes.
fn styles(raw: &[u8]) -> Vec<u32> {
    let text = String::from_utf8_lossy(raw);
    let pieces = text.split("\x1b[").skip(1).filter_map(|piece| piece.split_once('m').map(|(before, _)| before));
    let plain = pieces.filter(|piece| piece.bytes().all(|byte| byte.is_ascii_digit() || byte == b';'));
    plain.flat_map(|piece| piece.split(';').filter_map(|number| number.parse().ok()).collect::<Vec<_>>()).collect()
}

#[test]
fn no_color_means_no_colour() {
    // The reset to the default colour does not count.
    let is_colour = |number: &u32| matches!(number, 30..=38 | 40..=48 | 58 | 90..=97 | 100..=107);
    let desk = Desk::new();
    let mut window = demo(&desk);
    window.keys("f").at("19/37");
    assert!(styles(&window.raw()).iter().any(is_colour));
    let mut command = desk.stepback(&[&ours("assets/demo.json").to_string_lossy()]);
    command.env("NO_COLOR", "1");
    let mut window = Window::open(command, 120, 40);
    window
        .at("0/37")
        .keys("f")
        .at("19/37")
        .keys("'")
        .sees(&["no bookmarks yet"])
        .keys("q?")
        .sees(&["arrange the panes"]);
    window.keys("q/call-4").keys(ENTER).sees(&["hits"]).keys("q");
    assert_eq!(window.exit_code(), 0);
    let styles = styles(&window.raw());
    assert!(!styles.iter().any(is_colour), "{styles:?}");
}

#[test]
fn a_hostile_log_cannot_drive_the_terminal() {
    let desk = Desk::new();
    let mut window = desk.open(&[&ours("fixtures/broken/hostile-text.json").to_string_lossy()]);
    window.at("0/10");
    for number in 1..=10 {
        // The conversation, the event's bytes, the event as JSON; each is drawn before the next is requested.
        window.keys("v").sees(&["[Conversation]"]).keys("v").sees(&["[Raw]"]).keys("v").sees(&["[JSON]"]);
        window.keys("l").at(&format!("{number}/10"));
    }
    window.keys("D").sees(&["close"]).keys("qx").sees(&["expected"]).keys("qv").sees(&["[Conversation]"]);
    window.keys("/owned").keys(ENTER).sees(&["hits"]).keys("q");
    assert_eq!(window.exit_code(), 0);
    let text = String::from_utf8(window.raw()).expect("UTF-8");
    for piece in text.split('\x1b').skip(1) {
        let end = piece.find(|character: char| character.is_ascii_alphabetic()).expect("an end");
        let sequence = &piece[..=end];
        let is_ours = sequence.starts_with('[') && "HmhlJ".contains(&sequence[end..]);
        let hides = ["[8m", "[5m", "[31mred"].iter().any(|hostile| piece.starts_with(hostile));
        assert!(is_ours && !hides, "{piece:?}");
    }
    let is_hostile = |character: &char| character.is_control() && !"\x1b\r\n".contains(*character);
    // Direction marks, separators, and a byte order mark.
    let odd = ['\u{200e}'..='\u{200f}', '\u{2028}'..='\u{202e}', '\u{2066}'..='\u{2069}', '\u{feff}'..='\u{feff}'];
    let is_odd = |character: &char| odd.iter().any(|range| range.contains(character));
    let found: Vec<char> = text.chars().filter(|character| is_hostile(character) || is_odd(character)).collect();
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_finding_is_minimized_and_saved() {
    let desk = Desk::new();
    let mut window = demo(&desk);
    window.keys("f").at("19/37").keys("M").sees(&["Minimized: turn/rejected-ran", "this is minimal", "without it"]);
    window.keys("s").sees(&["save the minimized log as: demo.min.json"]).keys(ENTER).sees(&["saved as demo.min.json"]);
    window.keys("Mo").sees(&["minimized from 38 events"]).keys("O").sees(&["of 38", "the whole log"]).keys("q");
    assert_eq!(window.exit_code(), 0);
    let program = std::process::Command::new(env!("CARGO_BIN_EXE_stepback"));
    let check = { program }.args(["check", "--json", "demo.min.json"]).current_dir(desk.path("")).output();
    let reported: Value = serde_json::from_slice(&check.expect("it runs").stdout).expect("JSON");
    let proof = fs::read(desk.path("demo.min.json.minimization.json")).expect("how it became so small");
    let proof: Value = serde_json::from_slice(&proof).expect("JSON");
    let kept = proof["fingerprint"].as_str().expect("a fingerprint");
    assert!(kept.starts_with("turn/rejected-ran") && reported.to_string().contains(kept), "{kept}: {reported}");
}

#[test]
fn a_log_that_grows_is_followed() {
    let desk = Desk::new();
    let (path, all) = (desk.path("log.jsonl"), lines(38));
    fs::write(&path, lines(10)).expect("written");
    let mut window = desk.open(&["--follow", "log.jsonl"]);
    window.at("0/9").keys("G").at("9/9");
    let mut file = fs::OpenOptions::new().append(true).open(&path).expect("a file");
    file.write_all(&all.as_bytes()[lines(10).len()..lines(11).len()]).expect("written");
    // At the end, the playhead follows the log; elsewhere it stays where it is.
    window.at("10/10").sees(&["Event #10"]).keys("hhh").at("7/10");
    file.write_all(&all.as_bytes()[lines(11).len()..]).expect("written");
    window.at("7/37").sees(&["1 critical, △ 1 warning"]);
}

#[test]
fn a_log_that_was_replaced_is_opened_again() {
    let desk = Desk::new();
    fs::write(desk.path("log.jsonl"), lines(38)).expect("written");
    let mut window = desk.open(&["log.jsonl"]);
    window.at("0/37").keys("5l").at("5/37");
    fs::write(desk.path("other.jsonl"), lines(20)).expect("written");
    fs::rename(desk.path("other.jsonl"), desk.path("log.jsonl")).expect("replaced");
    window.keys(CTRL_R).at("5/19").sees(&["the log was opened again"]);
    // The new log has equally many events, but different ones: the overview shows them, too.
    let strip = window.read(|screen| row(screen, 2));
    let others: String = lines(38).split_inclusive('\n').skip(18).collect();
    fs::write(desk.path("other.jsonl"), others).expect("written");
    fs::rename(desk.path("other.jsonl"), desk.path("log.jsonl")).expect("replaced");
    window.keys(CTRL_R).at("5/19").until("another strip", |screen| row(screen, 2) != strip);
    fs::remove_file(desk.path("log.jsonl")).expect("removed");
    window.keys(CTRL_R).sees(&["log.jsonl", "no such file"]).keys("l").at("6/19");
}

#[cfg(target_os = "linux")]
#[test]
fn it_suspends_to_the_shell_and_returns() {
    let desk = Desk::new();
    let mut window = demo(&desk);
    window.keys("5l").at("5/37").keys("\x1a");
    window.until("the shell's screen", |screen| !screen.alternate_screen() && !screen.hide_cursor());
    let status = format!("/proc/{}/status", window.process_id());
    let is_stopped = || fs::read_to_string(&status).expect("a process").contains("State:\tT");
    while !is_stopped() {
        std::thread::yield_now();
    }
    window.assert_restored();
    window.signal("CONT").at("5/37").until("its own screen", |screen| screen.alternate_screen()).keys("l").at("6/37");
}

#[test]
fn a_large_write_is_read_to_its_end_without_another_key() {
    let desk = Desk::new();
    let mut window = demo(&desk);
    // More than one read of the terminal, as an unbracketed paste: 1501 steps back, then 3 forward.
    window.keys(&format!("{}lll", "h".repeat(1501))).at("3/37");
    // The same with escape sequences, of which one is cut by the end of a read.
    window.keys(&format!("l{}lll", "\x1b[D".repeat(1501))).at("3/37");
}

#[test]
fn a_flood_of_keys_and_resizes_does_not_stop_the_keyboard() {
    let desk = Desk::new();
    let mut window = demo(&desk);
    for round in 0..60_u16 {
        window.keys(&"lh".repeat(400)).resize(100 + round % 3, 30 + round % 2).keys("jk\x1b[C\x1b[D");
    }
    window.resize(120, 40).keys("gl").at("1/37");
    window.keys(CTRL_C);
    assert_eq!(window.exit_code(), 0);
}

#[test]
fn a_huge_terminal_is_filled() {
    let desk = Desk::new();
    let mut window = demo(&desk);
    window.resize(1000, 1000).keys("G").at("37/37");
    window.until("a footer in the last row", |screen| footer(screen).contains("q quit"));
    window.resize(120, 40).keys("h").at("36/37");
}

#[test]
fn a_family_of_logs_is_visited_and_left_again() {
    let desk = Desk::new();
    for log in ["root", "agent-parser", "agent-tests"] {
        let name = format!("{log}.jsonl");
        fs::copy(ours(&format!("fixtures/session/family/{name}")), desk.path(&name)).expect("copied");
    }
    let mut window = desk.open(&["."]);
    window.at("0/4").keys("ll").at("2/4").keys("a").sees(&["Family", "▶ root", "agent-parser", "still open"]);
    // The list begins at the agent of this event.
    window.keys(ENTER).sees(&["root › agent-tests.jsonl"]).keys("G").at("3/3");
    window.keys("A").sees(&["root.jsonl"]).at("2/4");
    window.keys("A").sees(&["this log was not entered from another one"]);
    // A log that has gone meanwhile cannot be visited; the open one stays.
    window.keys("a").sees(&["▶ root"]);
    fs::remove_file(desk.path("agent-tests.jsonl")).expect("removed");
    window.keys(ENTER).sees(&["agent-tests.jsonl", "no such file"]).keys("l").at("3/4").keys("q");
    assert_eq!(window.exit_code(), 0);
}

#[test]
fn a_dumb_terminal_gets_plain_text() {
    let desk = Desk::new();
    for term in ["dumb", ""] {
        let mut command = desk.stepback(&[&ours("assets/demo.json").to_string_lossy()]);
        command.env("TERM", term);
        let mut window = Window::open(command, 120, 40);
        assert_eq!(window.exit_code(), 0);
        assert!(!window.raw().contains(&0x1b), "no escape sequence");
    }
}

//! Crashpacks: written and read back, damaged in every way, hostile in names and texts, and replayed by their script.

mod hostile;
mod ownership;
mod transfer;

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::desk::{Desk, checks_of, ours, read_json, replace_trace};
use crate::files::files;

const DEMO: &str = "assets/demo.json";

#[test]
fn a_packed_turn_log_equals_the_original() {
    let desk = Desk::new();
    let pack = desk.export(DEMO, "pack", &["--minimize", "--seed", "rng=18446744073709551615", "--meta", "ticket=42"]);
    let names = files(&pack).into_keys().collect::<Vec<_>>();
    let expected = [
        "README.txt",
        "evidence-ledger.json",
        "journal",
        "journal.digest",
        "logs/guards.log",
        "logs/lifecycle.log",
        "logs/memory.log",
        "logs/model.log",
        "logs/tools.log",
        "manifest.json",
        "minimization.json",
        "oracles.json",
        "replay.sh",
        "trace.json",
        "trace.min.json",
    ];
    assert_eq!(names, expected);
    assert_eq!(fs::read(pack.join("trace.json")).expect("a trace"), fs::read(ours(DEMO)).expect("the log"));
    let manifest = read_json(&pack.join("manifest.json"));
    assert_eq!(manifest["schema"], "stepback-crashpack/1");
    assert_eq!(manifest["files"].as_array().map(Vec::len), Some(names.len() - 1));
    let fingerprint = manifest["finding"]["fingerprint"].as_str().expect("a fingerprint");
    assert!(fingerprint.starts_with("turn/rejected-ran "), "{fingerprint}");
    let ledger = read_json(&pack.join("evidence-ledger.json"));
    assert_eq!(ledger["seeds"]["rng"], "18446744073709551615");
    assert_eq!(ledger["metadata"]["ticket"], "42");
    assert_eq!(ledger["summary"]["max_severity"], "critical");
    let (of_log, of_pack) = (desk.check(&ours(DEMO)), desk.check(&pack));
    assert_eq!(of_log["findings"], of_pack["findings"], "the pack has the findings of the log");
    assert_eq!(read_json(&pack.join("minimization.json"))["complete"], true);
    let minimized = desk.json(&["check", "--json", "--minimized", pack.to_str().expect("a name")]);
    let found = minimized["files"][0]["findings"].as_array().expect("findings").clone();
    assert!(found.iter().any(|finding| finding["fingerprint"] == fingerprint), "{found:?}");
    assert!(minimized["files"][0]["events"].as_u64() < of_pack["events"].as_u64());
}

#[test]
fn the_journal_matches_its_digest_and_every_event_is_in_one_log() {
    let desk = Desk::new();
    let pack = desk.export(DEMO, "pack", &[]);
    let journal = fs::read(pack.join("journal")).expect("a journal");
    let digest = fs::read_to_string(pack.join("journal.digest")).expect("a digest");
    assert_eq!(digest, format!("digest: blake3:{}\nbytes: {}\n", blake3::hash(&journal).to_hex(), journal.len()));
    let text = String::from_utf8(journal).expect("text");
    let oracles = read_json(&pack.join("oracles.json"));
    let listed = oracles["oracles"].as_array().expect("oracles");
    assert_eq!(text.lines().filter(|line| line.starts_with("oracle: ")).count(), listed.len());
    assert!(text.contains("\noracle: turn/rejected-ran\n  state: failed\n"), "{text}");
    let states: Vec<&Value> = listed.iter().map(|oracle| &oracle["state"]).collect();
    for state in ["passed", "failed", "not_run"] {
        assert!(states.contains(&&json!(state)), "{state}");
    }
    let lines: usize = ["model", "tools", "memory", "guards", "lifecycle"]
        .iter()
        .map(|name| fs::read_to_string(pack.join(format!("logs/{name}.log"))).expect("a log").lines().count())
        .sum();
    assert_eq!(lines as u64, desk.check(&pack)["events"].as_u64().expect("events"));
}

#[test]
fn a_tape_keeps_its_payloads() {
    let desk = Desk::new();
    let pack =
        desk.export("fixtures/tape/damaged-store.tape", "pack", &["--finding", "tape/inline-hash", "--minimize"]);
    assert!(pack.join("trace.tape.cas").is_dir());
    let (of_log, of_pack) = (desk.check(&ours("fixtures/tape/damaged-store.tape")), desk.check(&pack));
    let without_orphans = |file: &Value| {
        let ids = checks_of(file).into_iter().filter(|id| id != "tape/orphan");
        ids.collect::<Vec<_>>()
    };
    assert_eq!(without_orphans(&of_log), without_orphans(&of_pack), "unreferenced entries are not packed");
    assert_eq!(of_pack["dialect"], "tape");
    assert_eq!(desk.run(&["replay", pack.to_str().expect("a name")]).status.code(), Some(0));
}

#[test]
fn every_command_accepts_a_pack() {
    let desk = Desk::new();
    let pack = desk.export(DEMO, "pack", &["--minimize"]);
    let pack = pack.to_str().expect("a name");
    for arguments in [
        &["report", pack][..],
        &["report", "--json", pack],
        &["replay", pack],
        &["replay", pack, "--minimized"],
        &["show", pack, "--at", "finding:1"],
        &["blame", pack, "outcome"],
        &["query", pack, "tool_call_planned", "--count"],
        &["diff", pack, DEMO],
        &["bookmark", pack],
        &[pack],
    ] {
        let output = desk.run(arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {errors}");
        assert_eq!(errors, "", "{arguments:?}");
    }
    assert_eq!(desk.run(&["check", DEMO, "--minimized"]).status.code(), Some(2), "a log has no other trace");
}

#[test]
fn a_folder_of_packs_and_logs_is_searched() {
    let desk = Desk::new();
    desk.export(DEMO, "all/one.pack", &[]);
    fs::copy(ours("fixtures/turn/clean.json"), desk.path("all/clean.json")).expect("a copy");
    let document = desk.json(&["check", "--json", desk.path("all").to_str().expect("a name")]);
    let files = document["files"].as_array().expect("files");
    let names: Vec<&str> = files.iter().filter_map(|file| file["file"].as_str()).collect();
    assert_eq!(names.len(), 2, "the pack is one log: {names:?}");
    assert!(names[1].ends_with("one.pack"), "{names:?}");
}

#[test]
fn a_damaged_pack_opens_with_findings() {
    let desk = Desk::new();
    for (name, check) in
        [("journal", "pack/damaged"), ("trace.json", "pack/damaged"), ("manifest.json", "pack/damaged")]
    {
        let pack = desk.export(DEMO, &format!("damaged-{name}"), &[]);
        let mut bytes = fs::read(pack.join(name)).expect("a file");
        let last = bytes.len() - 1;
        bytes[last] = b' ';
        fs::write(pack.join(name), bytes).expect("written");
        let file = desk.check(&pack);
        let found = file["findings"].as_array().expect("findings");
        let damage = found.iter().find(|finding| finding["check"] == check).unwrap_or_else(|| panic!("{name}: {file}"));
        assert_eq!(damage["subjects"]["file"], name);
        assert!(found.iter().any(|finding| finding["check"] == "turn/rejected-ran"), "the rest opens: {name}");
    }
    let pack = desk.export(DEMO, "pack", &[]);
    fs::remove_file(pack.join("logs/model.log")).expect("removed");
    fs::write(pack.join("notes.txt"), "mine").expect("written");
    fs::create_dir(pack.join("more")).expect("a folder");
    fs::write(pack.join("more/x"), "mine").expect("written");
    let ids = checks_of(&desk.check(&pack));
    assert_eq!(ids.iter().filter(|id| *id == "pack/missing").count(), 1);
    assert_eq!(ids.iter().filter(|id| *id == "pack/unlisted").count(), 2);
    for name in ["manifest.json", "trace.json"] {
        fs::remove_file(pack.join(name)).expect("removed");
        let output = desk.run(&["check", pack.to_str().expect("a name")]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains("manifest.json is missing from the crashpack"), "{text}");
    }
}

/// The pack in `fixtures/pack`. `UPDATE_FIXTURES=1` rewrites it.
#[test]
fn the_pack_in_fixtures_is_up_to_date() {
    let desk = Desk::new();
    let fresh = desk.export(DEMO, "pack", &["--minimize", "--seed", "rng=7", "--meta", "ticket=42"]);
    let kept = ours("fixtures/pack/rejected-ran");
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        let _ = fs::remove_dir_all(&kept);
        fs::create_dir_all(kept.parent().expect("a folder")).expect("a folder");
        desk.run(&[
            "export",
            DEMO,
            "-o",
            kept.to_str().expect("a name"),
            "--minimize",
            "--seed",
            "rng=7",
            "--meta",
            "ticket=42",
        ]);
    }
    let (fresh, files) = (files(&fresh), files(&kept));
    assert!(fresh.keys().eq(files.keys()), "{:?}\n{:?}", fresh.keys(), files.keys());
    // These two depend on the system.
    for (name, bytes) in fresh.iter().filter(|(name, _)| !["manifest.json", "README.txt"].contains(&name.as_str())) {
        assert!(files[name] == *bytes, "{name} is out of date; UPDATE_FIXTURES=1 rewrites it");
    }
    let file = desk.check(&kept);
    assert!(!checks_of(&file).iter().any(|id| id.starts_with("pack/")), "{file}");
    assert_eq!(run_on(&desk, &kept), Some(0));
}

#[cfg(unix)]
#[test]
fn a_killed_export_leaves_no_partial_pack() {
    let desk = Desk::new();
    let text = fs::read_to_string(ours(DEMO)).expect("the log");
    let events: Vec<Value> = serde_json::from_str(&text).expect("an array");
    let log: String = (0..4000).flat_map(|_| events.iter().map(|event| format!("{event}\n"))).collect();
    fs::write(desk.path("long.jsonl"), log).expect("written");
    for (signal, name) in [("-TERM", "terminated"), ("-KILL", "killed")] {
        let target = desk.path(name);
        let mut child = desk.command(&[
            "export",
            desk.path("long.jsonl").to_str().expect("a name"),
            "-o",
            target.to_str().expect("a name"),
            "--minimize",
        ]);
        let mut child = child.spawn().expect("the program starts");
        let partial = desk.path(&format!(".{name}.{}.partial", child.id()));
        while !partial.exists() {
            assert!(child.try_wait().expect("a child").is_none(), "the export ended before the signal");
            std::thread::yield_now();
        }
        let killed = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill");
        assert!(killed.success());
        child.wait().expect("an end");
        assert!(!target.exists(), "{name}: no pack has this name");
        let _ = fs::remove_dir_all(&partial)
            .map(|()| assert_eq!(signal, "-KILL", "only SIGKILL may leave the partial folder"));
    }
    desk.leaves_nothing_hidden();
}

/// Runs the script of a pack with the built program on the path.
fn run_script(pack: &Path) -> (Option<i32>, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_stepback")).parent().expect("a folder");
    let path = format!("{}:/usr/bin:/bin", program.display());
    let output = Command::new("sh").arg(pack.join("replay.sh")).env("PATH", path).current_dir("/").output();
    let output = output.expect("a shell");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

#[cfg(unix)]
#[test]
fn the_script_has_four_exit_codes() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    let pack = desk.export(DEMO, "a pack's folder", &["--seed", "rng=7"]);
    let mode = fs::metadata(pack.join("replay.sh")).expect("a script").permissions().mode();
    assert_eq!(mode & 0o111, 0o111, "it is executable");
    let (code, text) = run_script(&pack);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("reproduced at event 19"), "{text}");
    replace_trace(&pack, &fs::read(ours("fixtures/turn/clean.json")).expect("a log"));
    let (code, text) = run_script(&pack);
    assert_eq!(code, Some(1), "{text}");
    replace_trace(&pack, &fs::read(ours("fixtures/turn/event-after-end.json")).expect("a log"));
    let (code, text) = run_script(&pack);
    assert_eq!(code, Some(2), "{text}");
    fs::write(pack.join("trace.json"), "[]").expect("written");
    let (code, text) = run_script(&pack);
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("trace.json"), "{text}");
    for name in ["manifest.json", "evidence-ledger.json"] {
        fs::remove_file(pack.join(name)).expect("removed");
        assert_eq!(run_script(&pack).0, Some(3), "without {name}");
    }
}

#[test]
fn expect_works_on_plain_logs() {
    let desk = Desk::new();
    let code = |log: &str, fingerprint: &str| desk.run(&["replay", log, "--expect", fingerprint]).status.code();
    let fingerprint = desk.check(&ours(DEMO))["findings"][0]["fingerprint"].as_str().expect("one").to_owned();
    assert!(fingerprint.starts_with("turn/rejected-ran "), "{fingerprint}");
    assert_eq!(code(DEMO, &fingerprint), Some(0));
    assert_eq!(code("fixtures/turn/clean.json", &fingerprint), Some(1));
    assert_eq!(code(DEMO, "turn/other"), Some(2));
    let printed = desk.json(&["replay", DEMO, "--json", "--expect", "turn/other"]);
    assert_eq!(printed["verdict"], "different");
}

#[test]
fn seeds_with_the_same_variable_are_rejected() {
    let desk = Desk::new();
    let target = desk.path("pack");
    let target = target.to_str().expect("a name");
    for seeds in [["a.b=1", "a-b=2"], ["x=1", "x=2"], ["é=1", "-=2"]] {
        let output = desk.run(&["export", DEMO, "-o", target, "--seed", seeds[0], "--seed", seeds[1]]);
        assert_eq!(output.status.code(), Some(2), "{seeds:?}");
        assert!(!Path::new(target).exists());
    }
}

#[test]
fn nothing_is_replaced_without_force() {
    let desk = Desk::new();
    fs::create_dir(desk.path("full")).expect("a folder");
    fs::write(desk.path("full/mine.txt"), "mine").expect("written");
    fs::create_dir(desk.path("empty")).expect("a folder");
    fs::write(desk.path("file"), "mine").expect("written");
    let export = |name: &str, more: &[&str]| {
        let target = desk.path(name);
        let output = desk.run(&[&["export", DEMO, "-o", target.to_str().expect("a name")], more].concat());
        output.status.code()
    };
    assert_eq!(export("full", &[]), Some(2));
    assert_eq!(fs::read(desk.path("full/mine.txt")).expect("still there"), b"mine");
    assert_eq!(export("file", &["--force"]), Some(2), "a file is not a folder");
    assert_eq!(export("empty", &[]), Some(0));
    assert_eq!(export("full", &["--force"]), Some(2), "a folder that is not a pack is not replaced");
    assert_eq!(fs::read(desk.path("full/mine.txt")).expect("still there"), b"mine");
    let before = fs::read(desk.path("empty/manifest.json")).expect("a manifest");
    assert_eq!(export("empty", &["--force", "--meta", "again=yes"]), Some(0));
    assert_ne!(fs::read(desk.path("empty/manifest.json")).expect("a manifest"), before);
    assert_eq!(export("nowhere/pack", &[]), Some(2));
    let log = desk.path("empty/trace.json");
    let own = desk.run(&[
        "export",
        log.to_str().expect("a name"),
        "-o",
        desk.path("empty").to_str().expect("a name"),
        "--force",
    ]);
    assert_eq!(own.status.code(), Some(2), "the log is in this folder");
    desk.leaves_nothing_hidden();
}

/// Every command that prints something about a damaged pack also reports the damage.
#[test]
fn every_command_reports_a_damaged_pack() {
    let desk = Desk::new();
    let pack = desk.export(DEMO, "pack", &[]);
    fs::remove_file(pack.join("trace.json")).expect("removed");
    fs::create_dir(pack.join("more")).expect("a folder");
    let pack = pack.to_str().expect("a name");
    let out = desk.path("out.json");
    let out = out.to_str().expect("a name");
    for arguments in [
        &["show", pack, "--at", "0"][..],
        &["replay", pack],
        &["query", pack, "true"],
        &["blame", pack, "step_idx"],
        &["bookmark", pack],
        &["diff", pack, DEMO],
        &["convert", pack, "-o", out],
        &["minimize", pack],
        &["check", pack],
        &["report", pack],
        &["export", pack, "-o", out],
    ] {
        let output = desk.run(arguments);
        let printed = [output.stdout, output.stderr].concat();
        let printed = String::from_utf8_lossy(&printed);
        assert!(printed.contains("pack/missing") || printed.contains("trace.json"), "{arguments:?}: {printed}");
    }
    let checks = checks_of(&desk.check(Path::new(pack)));
    assert!(checks.contains(&"pack/unlisted".to_owned()), "an empty folder is additional, too: {checks:?}");
}

fn run_on(desk: &Desk, pack: &Path) -> Option<i32> {
    let manifest = read_json(&pack.join("manifest.json"));
    let fingerprint = manifest["finding"]["fingerprint"].as_str().expect("a fingerprint").to_owned();
    desk.run(&["replay", pack.to_str().expect("a name"), "--expect", &fingerprint]).status.code()
}

#[test]
fn bookmarks_are_packed() {
    let desk = Desk::new();
    let set = desk.run(&["bookmark", DEMO, "add", "19", "--name", "here", "--note", "why\u{202e}?"]);
    assert_eq!(set.status.code(), Some(0));
    let pack = desk.export(DEMO, "pack", &[]);
    let kept = fs::read_to_string(pack.join("bookmarks.json")).expect("bookmarks");
    assert!(kept.contains("here") && !kept.contains('\u{202e}'), "{kept}");
    let elsewhere = Desk::new();
    let pack = pack.to_str().expect("a name");
    let listed = elsewhere.json(&["bookmark", pack, "--json"]);
    assert_eq!((&listed["bookmarks"][0]["name"], &listed["bookmarks"][0]["at"]), (&json!("here"), &json!(19)));
    let shown = elsewhere.json(&["show", pack, "--json", "--at", "bookmark:here"]);
    assert_eq!(shown["kind"], "approval_resolved");
}

#[test]
fn the_screen_opens_a_pack_at_its_finding() {
    let desk = Desk::new();
    let pack = desk.export(DEMO, "pack", &["--minimize"]);
    let picture = |more: &[&str]| {
        let file = desk.path(&format!("{}.txt", more.len()));
        let arguments = ["--screenshot", file.to_str().expect("a name"), pack.to_str().expect("a name")];
        let output = desk.run(&[&arguments[..], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        fs::read_to_string(file).expect("a picture")
    };
    assert!(picture(&[]).contains("#19 · event 20 of 38"));
    assert!(picture(&["--at", "3"]).contains("#3 · event 4 of 38"), "--at wins");
    assert!(picture(&["--minimized"]).contains("approval_resolved"));
}

#[test]
fn the_crashpack_commands_of_the_readme_work() {
    let desk = Desk::new();
    let readme = fs::read_to_string(ours("README.md")).expect("the README");
    let part = readme.split_once("<!-- pack:begin -->").and_then(|(_, rest)| rest.split_once("<!-- pack:end -->"));
    let commands: Vec<&str> = part.expect("the walk").0.lines().filter(|line| !line.trim().is_empty()).collect();
    fs::create_dir(desk.path("assets")).expect("a folder");
    fs::copy(ours(DEMO), desk.path(DEMO)).expect("a copy");
    let program = Path::new(env!("CARGO_BIN_EXE_stepback")).parent().expect("a folder");
    let codes: Vec<Option<i32>> = commands
        .iter()
        .map(|command| {
            let mut shell = Command::new("sh");
            shell.args(["-c", command]).env("PATH", format!("{}:/usr/bin:/bin", program.display()));
            shell.current_dir(desk.path("")).output().expect("a shell").status.code()
        })
        .collect();
    assert_eq!(codes, [Some(1), Some(0), Some(0), Some(1), Some(0), Some(0)], "{commands:?}");
}

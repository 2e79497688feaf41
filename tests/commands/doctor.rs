//! `stepback doctor`: verdicts, exit codes, repairs that are written, and input that must not harm.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::{Value, json};

const BRICKED: &str = "fixtures/doctor/bricked.jsonl";
const CUT_OFF: &str = "fixtures/doctor/cut-off.jsonl";
const HEALTHY: &str = "fixtures/doctor/healthy.jsonl";
const ROLLOUT: &str = "fixtures/doctor/rollout-2026-10-01T09-00-00-019f9d10-52c7-7000-8000-00009d1052c7.jsonl";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn doctor(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepback"));
    command.arg("doctor").args(arguments).current_dir(root()).env("NO_COLOR", "1");
    command.output().expect("the program runs")
}

fn doctor_reading(input: &[u8], arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepback"));
    command.args(["doctor", "-"]).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program runs");
    child.stdin.take().expect("a pipe").write_all(input).expect("written");
    child.wait_with_output().expect("an end")
}

fn files(output: &Output) -> Vec<Value> {
    let document: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    document["files"].as_array().expect("files").clone()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn sessions_have_the_documented_verdicts_and_exit_codes() {
    for (path, verdict, code) in
        [(BRICKED, "refused", 1), (CUT_OFF, "loses-history", 0), (HEALTHY, "resumes", 0), (ROLLOUT, "refused", 1)]
    {
        let output = doctor(&[path, "--json"]);
        assert_eq!(
            (files(&output)[0]["verdict"].as_str(), output.status.code()),
            (Some(verdict), Some(code)),
            "{path}"
        );
        let plain = doctor(&[path]);
        assert_eq!(plain.status.code(), Some(code), "{path}");
        assert!(text(&plain.stdout).contains("Rules of 2026-10"), "{path}");
    }
    assert_eq!(doctor(&[CUT_OFF, "--fail-on", "warning"]).status.code(), Some(1));
    assert_eq!(doctor(&[BRICKED, "--fail-on", "never"]).status.code(), Some(0));
    let checks = |client: &str| -> Vec<String> {
        let problems = files(&doctor(&[BRICKED, "--json", "--client", client]))[0]["problems"].clone();
        let errors = problems.as_array().expect("problems").iter().filter(|found| found["severity"] == "error");
        errors.map(|found| found["check"].as_str().expect("an id").to_owned()).collect()
    };
    assert_eq!(checks("current"), ["doctor/orphan-result", "doctor/empty-text"]);
    assert_eq!(checks("none"), ["doctor/orphan-result", "doctor/empty-text", "doctor/missing-result"]);
    assert_eq!(checks("2.1.85"), checks("none"));
    assert_eq!(checks("recorded"), checks("current"));
}

#[test]
fn a_folder_is_searched_and_other_files_are_skipped() {
    let output = doctor(&["fixtures/doctor", "README.md", "--json"]);
    let found = files(&output);
    assert_eq!((found.len(), output.status.code()), (5, Some(2)), "README.md was named, so it is trouble");
    assert_eq!(found[4]["verdict"], "not-a-session");
    let walked = doctor(&["fixtures/turn", "fixtures/doctor", "--json"]);
    assert_eq!(files(&walked).len(), 4);
    assert!(text(&walked.stderr).contains("without a session"), "{}", text(&walked.stderr));
    assert_eq!(doctor(&["nowhere.jsonl"]).status.code(), Some(2));
}

#[test]
fn a_repaired_copy_resumes_and_the_session_is_untouched() {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, client) in [(BRICKED, "current"), (BRICKED, "none"), (ROLLOUT, "current"), (HEALTHY, "none")] {
        let before = fs::read(root().join(path)).expect("a session");
        let copy = folder.path().join(format!("{client}-{}", path.rsplit('/').next().expect("a name")));
        let out = copy.to_str().expect("UTF-8");
        let written = doctor(&[path, "--client", client, "--repair", "-o", out, "--json"]);
        assert_eq!(written.status.code(), Some(0), "{written:?}");
        assert_eq!(files(&written)[0]["repair"]["written"], true);
        assert_eq!(fs::read(root().join(path)).expect("a session"), before);
        let again = doctor(&[out, "--client", client, "--json"]);
        assert_eq!((again.status.code(), files(&again)[0]["ok"].as_bool()), (Some(0), Some(true)), "{path}");
        let refused = doctor(&[path, "--repair", "-o", out]);
        assert_eq!(refused.status.code(), Some(2), "the copy is there already");
        assert!(text(&refused.stderr).contains("exists"), "{}", text(&refused.stderr));
    }
    assert_eq!(fs::read(folder.path().join("none-healthy.jsonl")).ok(), fs::read(root().join(HEALTHY)).ok());
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 4, "nothing else is left behind");
}

#[test]
fn edits_are_listed_and_nothing_is_written_by_a_dry_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("copy.jsonl");
    let output = doctor(&[BRICKED, "--client", "none", "--repair", "--dry-run", "-o", out.to_str().expect("UTF-8")]);
    assert_eq!(output.status.code(), Some(1));
    let printed = text(&output.stdout);
    for line in ["  ~ 11 message\n", "  ~ 13 message\n", "  + after 16\n", "the copy resumes"] {
        assert!(printed.contains(line), "{line:?} in {printed}");
    }
    assert!(!out.exists());
}

#[test]
fn what_cannot_be_mended_is_said_and_not_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let (session, out) = (folder.path().join("s.jsonl"), folder.path().join("copy.jsonl"));
    fs::write(&session, "{\"type\":\"mode\",\"sessionId\":\"s\"}\n").expect("written");
    let output = doctor(&[session.to_str().expect("UTF-8"), "--repair", "-o", out.to_str().expect("UTF-8")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("cannot be repaired"), "{}", text(&output.stdout));
    assert!(!out.exists());
}

#[test]
fn relinking_restores_what_was_cut_off() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("linked.jsonl");
    let out = out.to_str().expect("UTF-8");
    let output = doctor(&[CUT_OFF, "--relink", "-o", out, "--json"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let repair = &files(&output)[0]["repair"];
    assert_eq!((repair["relinked"].as_u64(), repair["changed"].clone()), (Some(1), json!([7])));
    let file = &files(&doctor(&[out, "--json"]))[0];
    assert_eq!(file["verdict"], "resumes");
    assert_eq!(file["reachable_conversation_lines"], file["conversation_lines"]);
}

#[test]
fn lines_that_a_resume_does_not_see_are_explained() {
    let printed = text(&doctor(&[CUT_OFF, "--reach"]).stdout);
    assert!(printed.contains("cut off     5 lines      2–6"), "{printed}");
    assert!(printed.contains("the chain breaks at line 7: its parent"), "{printed}");
    let branches = files(&doctor(&[BRICKED, "--json"]))[0]["branches"].clone();
    assert_eq!((&branches[0]["reach"], &branches[0]["explained_by"]), (&json!("compacted"), &json!(7)));
}

#[test]
fn standard_input_and_compressed_sessions_are_read() {
    let bytes = fs::read(root().join(BRICKED)).expect("a session");
    let output = doctor_reading(&bytes, &["--json"]);
    assert_eq!((files(&output)[0]["verdict"].as_str(), output.status.code()), (Some("refused"), Some(1)));
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&bytes).expect("compressed");
    let compressed = gzip.finish().expect("compressed");
    assert_eq!(files(&doctor_reading(&compressed, &["--json"]))[0]["verdict"], "refused");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("s.jsonl.gz");
    fs::write(&path, compressed).expect("written");
    assert_eq!(files(&doctor(&[path.to_str().expect("UTF-8"), "--json"]))[0]["verdict"], "refused");
}

#[test]
fn the_repair_of_a_compressed_session_is_plain_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let name = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let compressed =
        compress_to_vec(&fs::read(root().join(BRICKED)).expect("a session")[..], CompressionLevel::Fastest);
    fs::write(name("s.jsonl.zst"), &compressed).expect("written");
    for (session, copy) in [(BRICKED, name("plain.jsonl")), (&name("s.jsonl.zst"), name("fixed.jsonl"))] {
        assert_eq!(doctor(&[session, "--repair", "-o", &copy]).status.code(), Some(0));
    }
    assert_eq!(fs::read(name("plain.jsonl")).expect("a copy"), fs::read(name("fixed.jsonl")).expect("a copy"));
    assert_eq!(fs::read(name("s.jsonl.zst")).expect("a session"), compressed);
    fs::write(name("cut.jsonl.zst"), &compressed[..compressed.len() / 2]).expect("written");
    let output = doctor(&[&name("cut.jsonl.zst")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("damaged zstd data"), "{}", text(&output.stderr));
}

#[test]
fn usage_that_makes_no_sense_is_refused() {
    for (arguments, reason) in [
        (&[BRICKED, "-o", "x.jsonl"][..], "--repair or --relink"),
        (&["fixtures/doctor", "--repair", "-o", "x.jsonl"], "one session at a time"),
        (&[BRICKED, "--repair", "x.jsonl"], "use --repair -o x.jsonl"),
        (&["-", "-"], "more than once"),
        (&[BRICKED, "--client", "newest"], "such as 2.1.86"),
        (&[BRICKED, "--repair", "-o", BRICKED], "the log itself"),
    ] {
        let output = doctor(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(reason), "{arguments:?}: {}", text(&output.stderr));
    }
}

#[test]
fn a_session_that_is_being_written_is_not_repaired() {
    let folder = tempfile::tempdir().expect("a folder");
    let (session, out) = (folder.path().join("s.jsonl"), folder.path().join("copy.jsonl"));
    fs::copy(root().join(BRICKED), &session).expect("copied");
    let writer = fs::File::options().append(true).open(&session).expect("opened");
    writer.lock().expect("locked");
    let (session, copy) = (session.to_str().expect("UTF-8"), out.to_str().expect("UTF-8"));
    let judged = doctor(&[session]);
    assert_eq!(judged.status.code(), Some(1));
    assert!(text(&judged.stdout).contains("another program is writing"), "{}", text(&judged.stdout));
    let refused = doctor(&[session, "--repair", "-o", copy]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(!out.exists());
    drop(writer);
    assert_eq!(doctor(&[session, "--repair", "-o", copy]).status.code(), Some(0));
}

#[test]
fn hostile_text_is_escaped() {
    let hostile = "\u{1b}]0;owned\u{7}\u{202e}";
    let line = json!({"type": "user", "uuid": hostile, "parentUuid": null, "sessionId": "s", "version": hostile,
        "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": hostile, "content": ""}]}});
    for arguments in [&[][..], &["--history"], &["--json", "--history"], &["--repair"]] {
        let output = doctor_reading(format!("{line}\n").as_bytes(), arguments);
        let printed = text(&output.stdout);
        assert!(printed.contains("doctor/orphan-result"), "{printed}");
        assert!(!printed.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{printed:?}");
    }
}

/// A fork names the rollout that it continues. Only files beside it are opened, by their names.
#[test]
fn the_base_of_a_fork_is_found_beside_it_and_nowhere_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let base_id = "019f0000-0000-7000-8000-000000000001";
    let meta = |id: &str, base: Value| {
        json!({"timestamp": "t", "ordinal": 0, "type": "session_meta", "payload": {"id": id, "timestamp": "t", "cwd": "/",
            "originator": "o", "cli_version": "0.154.0", "history_mode": "paginated", "history_base": base}})
    };
    let prompt = json!({"timestamp": "t", "ordinal": 1, "type": "response_item", "payload": {"type": "message",
        "role": "user", "content": [{"type": "input_text", "text": "go"}]}});
    let base = format!("{}\n{prompt}\n", meta(base_id, Value::Null));
    let fork = |id: &str| {
        let position = json!({"thread_id": id, "end_ordinal_exclusive": 2, "end_byte_offset": base.len()});
        format!("{}\n{prompt}\n", meta("019f0000-0000-7000-8000-000000000002", position))
    };
    let write = |path: PathBuf, text: &str| {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, text).expect("written");
        path
    };
    let beside = folder.path().join("here");
    let path =
        write(beside.join("rollout-2026-10-02T09-00-00-019f0000-0000-7000-8000-000000000002.jsonl"), &fork(base_id));
    let verdict = |path: &Path| files(&doctor(&[path.to_str().expect("UTF-8"), "--json"]))[0].clone();
    write(folder.path().join(format!("rollout-2026-10-01T09-00-00-{base_id}.jsonl")), &base);
    assert_eq!(verdict(&path)["verdict"], "unreadable", "a folder above is not searched");
    let compressed = beside.join(format!("rollout-2026-10-01T09-00-00-{base_id}.jsonl.zst"));
    fs::write(&compressed, compress_to_vec(base.as_bytes(), CompressionLevel::Fastest)).expect("written");
    let resumes = |found: &Value| assert_eq!((&found["verdict"], &found["messages"]), (&json!("resumes"), &json!(2)));
    resumes(&verdict(&path));
    fs::remove_file(compressed).expect("removed");
    write(beside.join(format!("rollout-2026-10-01T09-00-00-{base_id}.jsonl")), &base);
    resumes(&verdict(&path));
    let hostile =
        write(beside.join("rollout-2026-10-03T09-00-00-019f0000-0000-7000-8000-000000000003.jsonl"), &fork("../x"));
    assert_eq!(verdict(&hostile)["problems"][0]["id"], "../x");
}

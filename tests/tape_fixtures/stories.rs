//! What the tapes in `fixtures/tape` tell, recorded by our own recorder.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::{Value, json};
use stepback::tape::canonical::canonical;
use stepback::tape::header::Header;
use stepback::tape::kind::{ClockSource, FileBytes, FileEffect, Kind, LlmCall, McpJsonRpc, ProcessSpawn, ToolCall};
use stepback::tape::payload::{Payload, content_hash};
use stepback::tape::recorder::{Clocks, Recorder};
use stepback::tape::wire::Phase::{self, RuntimeFinalize, UserScript};
use stepback::tape_store::TapeFile;

const START_MS: i64 = 1_767_225_600_000;

/// A tape that is being told.
struct Story {
    recorder: Recorder<TapeFile>,
    phase: Phase,
    elapsed_ms: i64,
}

impl Story {
    fn begin(folder: &Path, name: &str, script: &str) -> io::Result<Story> {
        let header = Header {
            version: 5,
            harn_version: "0.10.185".to_owned(),
            started_at_unix_ms: Some(START_MS),
            script_path: Some(script.to_owned()),
            ..Header::default()
        };
        let recorder = Recorder::begin(header, TapeFile::create_new(&folder.join(name))?)?;
        Ok(Story { recorder, phase: UserScript, elapsed_ms: 0 })
    }

    fn tell(&mut self, kind: Kind) -> io::Result<()> {
        let clocks = Clocks { virtual_time_ms: START_MS + self.elapsed_ms, monotonic_ms: self.elapsed_ms };
        self.recorder.record(self.phase, clocks, kind).map(drop)
    }

    fn clock(&mut self) -> io::Result<()> {
        self.tell(Kind::ClockRead { source: ClockSource::Wall, value_ms: START_MS + self.elapsed_ms })
    }

    fn sleep(&mut self, duration_ms: u64) -> io::Result<()> {
        self.elapsed_ms += duration_ms as i64;
        self.tell(Kind::ClockSleep { duration_ms })
    }

    fn read(&mut self, path: &str, text: &str) -> io::Result<()> {
        self.tell(Kind::FileRead(file(path, text)))
    }

    fn write(&mut self, path: &str, text: &str) -> io::Result<()> {
        self.tell(Kind::FileWrite(file(path, text)))
    }

    fn ask(&mut self, prompt: &str, answer: &str) -> io::Result<()> {
        let request = canonical(&json!({"model": "m-large", "messages": [{"role": "user", "content": prompt}]}));
        let response = json!({
            "model": "m-large", "text": answer, "input_tokens": prompt.len() / 4, "output_tokens": answer.len() / 4,
            "stop_reason": "end_turn",
        });
        let response = self.recorder.payload(canonical(&response).as_bytes())?;
        let request_digest = content_hash(request.as_bytes());
        let (call_index, request, messages, attribution) = (None, None, Vec::new(), None);
        self.tell(Kind::LlmCall(LlmCall { request_digest, response, call_index, request, messages, attribution }))
    }

    fn run(&mut self, words: &[&str], exit_code: i32, stdout: &[u8], stderr: &[u8]) -> io::Result<()> {
        let (stdout_payload, stderr_payload) = (self.recorder.payload(stdout)?, self.recorder.payload(stderr)?);
        let args = words[1..].iter().map(|word| (*word).to_owned()).collect();
        let (program, cwd, duration_ms) = (words[0].to_owned(), Some("/repo".to_owned()), 0);
        let spawn = ProcessSpawn { program, args, cwd, exit_code, duration_ms, stdout_payload, stderr_payload };
        self.tell(Kind::ProcessSpawn(spawn))
    }

    fn exchange(&mut self, server: &str, params: &Value, result: &Value) -> io::Result<()> {
        let request = canonical(&json!({"jsonrpc": "2.0", "method": "tools/call", "params": params}));
        let response = canonical(&json!({"jsonrpc": "2.0", "id": 1, "result": result}));
        let (request_payload, response_payload) =
            (self.recorder.payload(request.as_bytes())?, self.recorder.payload(response.as_bytes())?);
        self.tell(Kind::McpJsonRpc(McpJsonRpc {
            server: server.to_owned(),
            method: "tools/call".to_owned(),
            request_digest: request_payload.content_hash().to_owned(),
            response_digest: response_payload.content_hash().to_owned(),
            latency_ms: 0,
            request_payload,
            response_payload,
        }))
    }

    /// What the runtime itself does when the program has ended.
    fn end(mut self) -> io::Result<()> {
        self.phase = RuntimeFinalize;
        self.clock()?;
        self.clock()?;
        self.recorder.end().finish()
    }
}

fn file(path: &str, text: &str) -> FileBytes {
    FileBytes { path: path.to_owned(), content_hash: content_hash(text.as_bytes()), len_bytes: text.len() as u64 }
}

pub fn write_all(folder: &Path) -> io::Result<()> {
    const LIST: &str = "- parser is twice as fast\n- fixes a hang at the end of a file\n";
    notes(folder, "notes-good.tape", LIST)?;
    notes(folder, "notes-bad.tape", "I could not find any changes.")?;
    fs::write(folder.join("notes-good.tape.annotations.jsonl"), annotations())?;
    long_output(folder)?;
    binary(folder)?;
    damaged_store(folder)?;
    every_kind(folder)?;
    fs::write(folder.join("children.process.json"), children())
}

/// Release notes from a list of changes. In the bad run the model answers otherwise, and the check of the result fails.
fn notes(folder: &Path, name: &str, answer: &str) -> io::Result<()> {
    const CHANGES: &str = "fast: parser\nfix: hang at end of file\n";
    let mut story = Story::begin(folder, name, "scripts/release-notes.harn")?;
    story.clock()?;
    story.read("/repo/CHANGES", CHANGES)?;
    story.run(&["git", "describe", "--tags"], 0, b"v1.4.0-2-gabc1234\n", b"")?;
    story.ask(&format!("Write release notes for:\n{CHANGES}"), answer)?;
    story.write("/repo/NOTES.md", answer)?;
    story.sleep(250)?;
    if answer.starts_with('-') {
        story.run(&["markdown-lint", "NOTES.md"], 0, b"ok\n", b"")?;
    } else {
        story.run(&["markdown-lint", "NOTES.md"], 1, b"", b"NOTES.md: no list of changes\n")?;
        story.sleep(1000)?;
        story.run(&["markdown-lint", "NOTES.md"], 1, b"", b"NOTES.md: no list of changes\n")?;
    }
    story.exchange("tracker", &json!({"name": "close", "arguments": {"issue": 41}}), &json!({"closed": true}))?;
    story.end()
}

fn annotations() -> String {
    let lines = [
        json!({"type": "header", "schema_version": 1, "tape_path": "notes-good.tape", "tape_content_hash": null}),
        json!({"type": "annotation", "id": "answer", "event_id": 3, "kind": "correct", "evidence": "a list, as asked for",
            "author": {"id": "mara", "kind": "human"}}),
        json!({"type": "annotation", "id": "written", "event_id": 4, "kind": "marker", "evidence": "the notes are written here"}),
        json!({"type": "annotation", "id": "wait", "event_id": 5, "kind": "mute"}),
        json!({"type": "annotation", "id": "slow", "event_id": 4, "kind": "note", "evidence": "the linter waits for the editor",
            "span": {"start_event_id": 4, "end_event_id": 5}}),
    ];
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// A child that prints much and a long answer: both are in the store.
fn long_output(folder: &Path) -> io::Result<()> {
    let mut story = Story::begin(folder, "long-output.tape", "scripts/test-report.harn")?;
    let printed: String = (1..=300).map(|number| format!("test case_{number:03} ... ok\n")).collect();
    story.run(&["cargo", "test"], 0, printed.as_bytes(), b"")?;
    let answer: String = (1..=120).map(|number| format!("{number}. case {number} still passes.\n")).collect();
    story.ask("Sum up this test run.", &answer)?;
    story.write("/repo/REPORT.md", &answer)?;
    story.end()
}

/// Bytes that are no text, twice the same.
fn binary(folder: &Path) -> io::Result<()> {
    let mut story = Story::begin(folder, "binary.tape", "scripts/thumbnail.harn")?;
    let picture = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\xff\xfe\x00";
    story.run(&["thumbnail", "logo.svg"], 0, picture, b"")?;
    story.run(&["thumbnail", "logo.svg"], 0, picture, b"caf\xe9\n")?;
    story.end()
}

/// An entry that was changed, one that was deleted, one that nobody knows, one that is no hash, and a text that was
/// changed in its line.
fn damaged_store(folder: &Path) -> io::Result<()> {
    let mut story = Story::begin(folder, "damaged-store.tape", "scripts/build.harn")?;
    let output = |word: &str| format!("{word}\n").repeat(2000);
    for word in ["compile", "link", "pack"] {
        story.run(&["make", word], 0, output(word).as_bytes(), b"")?;
    }
    story.run(&["make", "check"], 0, b"12 passed\n", b"")?;
    story.end()?;
    let (tape, store) = (folder.join("damaged-store.tape"), folder.join("damaged-store.tape.cas"));
    let entry = |word: &str| store.join(content_hash(output(word).as_bytes()));
    let mut bytes = fs::read(entry("compile"))?;
    bytes[7] ^= 1;
    fs::write(entry("compile"), bytes)?;
    fs::remove_file(entry("link"))?;
    let text = fs::read_to_string(&tape)?.replace(&content_hash(output("pack").as_bytes()), "../build.log");
    // The entry that was referred to by that hash is nobody's now.
    fs::write(&tape, text.replace("12 passed", "13 passed"))
}

fn every_kind(folder: &Path) -> io::Result<()> {
    let mut story = Story::begin(folder, "every-kind.tape", "scripts/every-kind.harn")?;
    story.clock()?;
    story.tell(Kind::ClockRead { source: ClockSource::Monotonic, value_ms: 0 })?;
    story.sleep(40)?;
    story.read("/repo/in.txt", "one\ntwo\n")?;
    story.write("/repo/out.txt", "two\none\n")?;
    story.tell(Kind::FileDelete { path: "/repo/in.txt".to_owned() })?;
    story.run(&["git", "status", "--short"], 0, b" D in.txt\n", b"")?;
    story.exchange("tracker", &json!({"name": "find", "arguments": {"text": "in.txt"}}), &json!({"issues": []}))?;
    story.ask("Is this safe?", "Yes.")?;
    story.tell(Kind::PayloadRedaction)?;
    let value = Some(Payload::of(b"\"/repo\""));
    story.tell(Kind::CacheLookup {
        namespace: "harn.read".into(),
        key: "env.get [\"HOME\"]".into(),
        after_calls: 1,
        value,
    })?;
    let (namespace, key) = ("replies".to_owned(), "is-this-safe".to_owned());
    story.tell(Kind::CacheLookup { namespace, key, after_calls: 1, value: None })?;
    let rendered = story.recorder.stored_payload(b"Review this change: in.txt is gone.")?;
    let spans = story.recorder.stored_payload(b"[{\"start\":0,\"end\":19,\"line\":1,\"column\":1}]")?;
    let (render_id, template_uri) = (content_hash(b"render"), "prompts/review.prompt".to_owned());
    story.tell(Kind::PromptRender { render_id, template_uri, rendered, spans })?;
    let evaluation =
        canonical(&json!({"request": {}, "outcome": {"kind": "answered"}, "answers": ["safe"], "receipt": {}}));
    let response = story.recorder.payload(evaluation.as_bytes())?;
    story.tell(Kind::DecisionEvaluation { request_digest: content_hash(b"evaluation"), response })?;
    let content = Some(story.recorder.stored_payload(b"# Summary\n")?);
    let outcome = story.recorder.payload(br#"{"kind":"ok","value":"written"}"#)?;
    story.tell(Kind::ToolCall(ToolCall {
        call_id: "call-1".to_owned(),
        tool: "write_file".to_owned(),
        args_digest: content_hash(b"{}"),
        after_calls: 1,
        outcome,
        effects: vec![
            FileEffect { path: "/repo/SUMMARY.md".to_owned(), content },
            FileEffect { path: "/repo/old.md".to_owned(), content: None },
        ],
        unservable: None,
        transcript_changes: Vec::new(),
    }))?;
    let event = story.recorder.payload(br#"{"schema":"harn.model_job_event.v1","state":"succeeded"}"#)?;
    story.tell(Kind::ModelJob {
        job_id: "job-1".into(),
        request_id: "request-1".into(),
        backend: "images".into(),
        state: "succeeded".into(),
        event_kind: "finished".into(),
        event,
        asset_digests: Vec::new(),
    })?;
    let event = story.recorder.payload(br#"{"event":"request","id":1,"method":"session/prompt","params":{}}"#)?;
    story.tell(Kind::SessionControl { event })?;
    story.sleep(1)?;
    story.end()?;
    // A kind of a newer writer in the place of the last sleep.
    let path = folder.join("every-kind.tape");
    let newer = r#"{"kind":"net_fetch","url":"https://example.org/"}"#;
    let text = fs::read_to_string(&path)?.replace(r#"{"kind":"clock_sleep","duration_ms":1}"#, newer);
    fs::write(&path, text)
}

fn children() -> String {
    let entry = |program: &str, args: &[&str], stdout: &str, exit_code: i32| json!({"program": program, "args": args, "cwd": "/repo", "stdout": stdout, "stderr": "", "exit_code": exit_code, "duration_ms": 12});
    let entries =
        [entry("git", &["describe", "--tags"], "v1.4.0-2-gabc1234\n", 0), entry("markdown-lint", &["NOTES.md"], "", 1)];
    format!("{}\n", serde_json::to_string_pretty(&entries).unwrap_or_default())
}

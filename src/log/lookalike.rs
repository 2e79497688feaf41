//! Look-alikes: files of other programs that are often mistaken for logs, with a name and advice for each.

use crate::dialect::container::Shape;
use crate::dialect::recognize::Sample;
use crate::json::spans::ValueEnd;

/// At most this many records are looked at.
const MOST_RECORDS: usize = 64;

/// One kind of file that cannot be opened.
#[derive(Debug)]
pub(crate) struct LookAlike {
    /// What it is, with an article.
    pub title: &'static str,
    /// What the user can do.
    pub advice: &'static str,
    is: Marks,
    /// The file may contain a log in a form that must be undone first, such as compression.
    pub is_encoded: bool,
    /// No log has such records. A dialect that recognizes one of them as a damaged record of its own is wrong.
    is_certain: bool,
}

#[derive(Debug)]
enum Marks {
    /// The first bytes of the file.
    Starts(&'static [&'static [u8]]),
    Bytes(fn(&[u8]) -> bool),
    /// One of the first records, or the one object that the file is.
    Record(fn(&Sample<'_>) -> bool),
}

const fn record(title: &'static str, advice: &'static str, is: fn(&Sample<'_>) -> bool) -> LookAlike {
    LookAlike { title, advice, is: Marks::Record(is), is_encoded: false, is_certain: true }
}

/// A kind of file whose records might be those of a log.
const fn vague(title: &'static str, advice: &'static str, is: fn(&Sample<'_>) -> bool) -> LookAlike {
    LookAlike { title, advice, is: Marks::Record(is), is_encoded: false, is_certain: false }
}

const fn starts(title: &'static str, advice: &'static str, with: &'static [&'static [u8]]) -> LookAlike {
    LookAlike { title, advice, is: Marks::Starts(with), is_encoded: false, is_certain: true }
}

const fn encoded(title: &'static str, advice: &'static str, is: Marks) -> LookAlike {
    LookAlike { title, advice, is, is_encoded: true, is_certain: true }
}

/// Every look-alike. The first one that fits a file is named.
static LOOK_ALIKES: &[LookAlike] = &[
    // Containers and encodings.
    LookAlike {
        title: "an evaluation log of Inspect",
        advice: "stepback does not open these yet",
        is: Marks::Bytes(|head| head.starts_with(b"PK\x03\x04") && is_inspect(head)),
        is_encoded: false,
        is_certain: true,
    },
    encoded("a ZIP archive", "unpack it and open the log inside", Marks::Starts(&[b"PK\x03\x04"])),
    encoded("an xz-compressed file", "decompress it first (`xz -d`)", Marks::Starts(&[b"\xfd7zXZ\0"])),
    encoded("a bzip2-compressed file", "decompress it first (`bzip2 -d`)", Marks::Starts(&[b"BZh"])),
    encoded("an lz4-compressed file", "decompress it first (`lz4 -d`)", Marks::Starts(&[b"\x04\x22\x4d\x18"])),
    encoded(
        "a tar archive",
        "unpack it and open the log inside",
        Marks::Bytes(|head| head.get(257..262) == Some(b"ustar")),
    ),
    encoded(
        "UTF-16 text",
        "convert it to UTF-8 (`iconv -f UTF-16 -t UTF-8`)",
        Marks::Starts(&[b"\xff\xfe", b"\xfe\xff"]),
    ),
    starts("an image", "open the log, not a picture of it", &[b"\x89PNG", b"\xff\xd8\xff", b"GIF8"]),
    starts("a PDF document", "open the log, not a print of it", &[b"%PDF"]),
    starts("a program", "name the log that it wrote", &[b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe"]),
    LookAlike {
        title: "a web page or XML document",
        advice: "export the run as JSON instead",
        is: Marks::Bytes(|head| head.trim_ascii_start().first() == Some(&b'<')),
        is_encoded: false,
        is_certain: false,
    },
    // Streams and other files of coding agents.
    record(
        "the output of `claude -p --output-format stream-json`",
        "open the session itself: a file below ~/.claude/projects",
        |record| {
            let is_type = matches!(record.word("type"), Some("system" | "assistant" | "user" | "result"));
            is_type && record.has("session_id") && !record.has("sessionId")
        },
    ),
    vague("the prompt history of Claude Code", "open a session: a file below ~/.claude/projects", |record| {
        record.has("display") && record.has("project") && record.has("timestamp")
    }),
    record("the output of `codex exec --json`", "open the rollout itself: a file below ~/.codex/sessions", |record| {
        record.word("type").is_some_and(|word| matches!(word, "thread.started" | "turn.started") || is_item(word))
    }),
    record("a log of the Codex terminal interface", "open the rollout: a file below ~/.codex/sessions", |record| {
        record.has("dir") && record.has("kind") && record.has("ts")
    }),
    vague("the prompt history of Codex", "open a rollout: a file below ~/.codex/sessions", |record| {
        record.keys().len() == 3 && record.has("session_id") && record.has("ts") && record.has("text")
    }),
    record("a session of Gemini CLI", NOT_YET, |record| {
        record.has("projectHash") && record.has("sessionId") || record.has("$rewindTo")
    }),
    record("a session of GitHub Copilot CLI", NOT_YET, |record| {
        let is_type = record.word("type").is_some_and(|word| word.contains('.') || word == "abort");
        is_type && record.has("data") && !record.has("payload")
    }),
    record("a session of pi", NOT_YET, |record| record.word("type") == Some("session") && record.has("cwd")),
    vague("an exported session of opencode", NOT_YET, |record| record.has("info") && record.has("messages")),
    vague("a part of a session of opencode", NOT_YET, |record| {
        record.has("sessionID") || record.has("projectID") && record.has("directory")
    }),
    record("an ATIF trajectory", NOT_YET, |record| {
        record.word("schema_version").is_some_and(|word| word.starts_with("ATIF-"))
    }),
    record("a trajectory of SWE-agent", NOT_YET, |record| record.has("trajectory") && record.has("history")),
    vague("an evaluation log of Inspect", NOT_YET, |record| record.has("eval") && record.has("plan")),
    // Other programs.
    record("an OpenTelemetry export", NOT_YET, |record| {
        let is_line = record.has("traceId") && (record.has("attributes") || record.has("spanId"));
        record.has("resourceSpans") || record.has("resourceLogs") || record.has("resourceMetrics") || is_line
    }),
    record(
        "an OpenTelemetry file of VS Code that holds no spans",
        "its exporter writes every span as `{}`; use the exporter of Copilot CLI or an OTLP collector",
        |record| record.has("hrTime"),
    ),
    record("an export of ChatGPT conversations", CHAT, |record| record.has("mapping") && record.has("create_time")),
    record("an export of Claude.ai conversations", CHAT, |record| record.has("chat_messages")),
    vague("a LangSmith or LangChain run", NOT_YET, |record| record.has("run_type")),
    vague("a list of chat messages", CHAT, |record| record.has("role") && record.has("content")),
    vague("a request to a model", CHAT, |record| record.has("messages")),
    record("a HAR file of a browser", "stepback does not open network recordings", |record| {
        record.inner("log").is_some_and(|log| log.has("entries"))
    }),
    // Our own output.
    vague("a SARIF report", "open the log that it is about; the report names it under `artifactLocation`", |record| {
        record.has("runs") && record.has("version")
    }),
    vague("the manifest of a crashpack", "open the folder that it is in", |record| {
        record.has("files") && (record.has("manifest_version") || record.has("trace") || record.has("seal"))
    }),
    vague("the output of `stepback check --json`", "open one of the logs that it names", |record| {
        record.inner("files").is_some_and(|files| files.is_array()) && record.keys().len() <= 3
    }),
];

const NOT_YET: &str = "stepback does not open these yet";
const CHAT: &str =
    "it holds texts, but not what happened and in which order; open the log of the agent that had this conversation";

/// Names the kind of a file that no dialect is sure of. Certain kinds are not logs whatever the dialects guess.
pub(crate) fn certain_look_alike(head: &[u8]) -> Option<&'static LookAlike> {
    look_alike(head).filter(|row| row.is_certain)
}

/// Names the kind of a file that no dialect recognizes.
pub(crate) fn look_alike(head: &[u8]) -> Option<&'static LookAlike> {
    let records: Vec<Sample<'_>> = records(head).map(|record| Sample::new(record, Shape::Lines)).collect();
    LOOK_ALIKES.iter().find(|row| match row.is {
        Marks::Starts(beginnings) => beginnings.iter().any(|beginning| head.starts_with(beginning)),
        Marks::Bytes(is) => is(head),
        Marks::Record(is) => records.iter().any(is),
    })
}

/// The first JSON values of a file that are objects: its lines, the elements of an array, or the file itself.
fn records(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = head.trim_ascii_start();
    rest = rest.strip_prefix(b"[").unwrap_or(rest);
    let values = std::iter::from_fn(move || {
        rest = rest.trim_ascii_start();
        rest = rest.strip_prefix(b",").unwrap_or(rest).trim_ascii_start();
        let value = rest;
        if value.is_empty() {
            return None;
        }
        rest = ValueEnd::default().feed(value).map_or(&b""[..], |length| &value[length.max(1)..]);
        Some(&value[..value.len() - rest.len()])
    });
    values.take(MOST_RECORDS).filter(|value| value.starts_with(b"{"))
}

fn is_item(word: &str) -> bool {
    matches!(word, "item.started" | "item.updated" | "item.completed")
}

/// Whether the first names in a ZIP archive are those of an evaluation log.
fn is_inspect(head: &[u8]) -> bool {
    let has = |name: &str| memchr::memmem::find(head, name.as_bytes()).is_some();
    has("_journal/start.json") || has("header.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_files_are_named() {
        for (head, title) in [
            (&b"PK\x03\x04\x14\0_journal/start.json"[..], "an evaluation log of Inspect"),
            (b"PK\x03\x04\x14\0notes.txt", "a ZIP archive"),
            (b"\xff\xfe{\0", "UTF-16 text"),
            (b"<!doctype html>", "a web page or XML document"),
            (
                br#"{"type":"system","subtype":"init","session_id":"s","uuid":"u"}"#,
                "the output of `claude -p --output-format stream-json`",
            ),
            (br#"{"type":"thread.started","thread_id":"t"}"#, "the output of `codex exec --json`"),
            (br#"{"ts":1,"dir":"meta","kind":"session_start"}"#, "a log of the Codex terminal interface"),
            (b"{\"x\":1}\n{\"sessionId\":\"s\",\"projectHash\":\"p\"}\n", "a session of Gemini CLI"),
            (br#"{"type":"session.start","data":{},"id":"i"}"#, "a session of GitHub Copilot CLI"),
            (br#"{"type":"session","version":3,"cwd":"/"}"#, "a session of pi"),
            (br#"{"schema_version":"ATIF-v1.7","steps":[]}"#, "an ATIF trajectory"),
            (br#"{"resourceSpans":[]}"#, "an OpenTelemetry export"),
            (b"{}\n{}\n{\"hrTime\":[1,0]}\n", "an OpenTelemetry file of VS Code that holds no spans"),
            (br#"[{"title":"t","create_time":1,"mapping":{}}]"#, "an export of ChatGPT conversations"),
            (br#"{"role":"user","content":"hi"}"#, "a list of chat messages"),
            (br#"{"$schema":"s","version":"2.1.0","runs":[]}"#, "a SARIF report"),
            (br#"{"files":[{"file":"x"}]}"#, "the output of `stepback check --json`"),
        ] {
            assert_eq!(look_alike(head).map(|row| row.title), Some(title), "{}", String::from_utf8_lossy(head));
        }
        for head in [&b""[..], b"hello", b"{}", b"[1, 2", b"{\"x\": ", b"[{\"a\":1}]"] {
            assert!(look_alike(head).is_none(), "{}", String::from_utf8_lossy(head));
        }
    }
}

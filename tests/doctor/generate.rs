//! Healthy sessions of every shape, made up from a seed, and damage to them.

use serde_json::{Value, json};

/// Random numbers that are the same for the same seed.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

/// A session of Claude Code.
pub(crate) fn claude(seed: u64, turns: usize) -> Vec<u8> {
    let mut writer =
        ClaudeWriter { dice: Dice::new(seed), lines: Vec::new(), number: 0, time: 0, last: None, recent: Vec::new() };
    if writer.dice.chance(40) {
        writer.metadata("custom-title", json!({"customTitle": "made up"}));
        writer.metadata("mode", json!({"mode": "normal"}));
    }
    for _ in 0..turns {
        writer.turn();
    }
    lines(&writer.lines)
}

fn lines(lines: &[Value]) -> Vec<u8> {
    lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect()
}

struct ClaudeWriter {
    dice: Dice,
    lines: Vec<Value>,
    number: u64,
    time: u64,
    /// The uuid that the next line follows.
    last: Option<String>,
    /// Lines of the conversation since the last compaction, for a compaction to keep.
    recent: Vec<String>,
}

impl ClaudeWriter {
    fn id(&mut self, prefix: &str) -> String {
        self.number += 1;
        format!("{prefix}{:08x}-0000-4000-8000-{:012x}", self.dice.next() as u32, self.number)
    }

    fn metadata(&mut self, kind: &str, rest: Value) {
        let mut line = json!({"type": kind, "sessionId": "6f9f515f-0000-4000-8000-000000000001"});
        line.as_object_mut().expect("an object").extend(rest.as_object().expect("an object").clone());
        self.lines.push(line);
    }

    /// Writes a line below another one.
    fn node(&mut self, kind: &str, parent: Option<String>, rest: Value) -> String {
        let uuid = self.id("");
        self.time += 6000 + self.dice.below(20_000) as u64;
        let seconds = self.time / 1000;
        let time = format!(
            "2026-10-{:02}T{:02}:{:02}:{:02}.{:03}Z",
            1 + seconds / 86_400 % 28,
            seconds / 3600 % 24,
            seconds / 60 % 60,
            seconds % 60,
            self.time % 1000
        );
        let mut line = json!({
            "parentUuid": parent, "isSidechain": false, "userType": "external", "cwd": "/demo", "version": "2.1.200",
            "sessionId": "6f9f515f-0000-4000-8000-000000000001", "gitBranch": "main", "type": kind, "uuid": uuid,
            "timestamp": time,
        });
        line.as_object_mut().expect("an object").extend(rest.as_object().expect("an object").clone());
        self.lines.push(line);
        uuid
    }

    /// Writes a line that the next one follows.
    fn chained(&mut self, kind: &str, rest: Value) -> String {
        let uuid = self.node(kind, self.last.clone(), rest);
        self.last = Some(uuid.clone());
        self.recent.push(uuid.clone());
        uuid
    }

    fn text(&mut self) -> String {
        let words = ["look", "src/main.rs", "é 日本 😀", "line\nbreak", "\"quoted\" \\ud83d", "done", "{\"a\":1}"];
        (0..=self.dice.below(4)).map(|_| (*self.dice.pick(&words)).to_owned()).collect::<Vec<_>>().join(" ")
    }

    fn prompt(&mut self) {
        let text = self.text();
        let content = match self.dice.below(3) {
            0 => json!([{"type": "text", "text": text}]),
            1 => json!([{"type": "text", "text": text}, {"type": "image", "source": {"type": "base64",
                "media_type": "image/gif", "data": "R0lGODlhAQABAAAAACw="}}]),
            _ => json!(text),
        };
        self.chained("user", json!({"message": {"role": "user", "content": content}}));
    }

    fn assistant(&mut self, id: &str, parent: Option<String>, block: Value, rest: Value) -> String {
        let message = json!({"id": id, "type": "message", "role": "assistant", "model": "claude-demo-1",
            "content": [block], "stop_reason": null, "usage": {"input_tokens": 10, "output_tokens": 2}});
        let mut line = json!({"message": message, "requestId": format!("req_{id}")});
        line.as_object_mut().expect("an object").extend(rest.as_object().expect("an object").clone());
        self.node("assistant", parent, line)
    }

    fn result(&mut self, parent: Option<String>, call: &str) -> String {
        let text = self.text();
        let content = match self.dice.below(4) {
            0 => json!(""),
            1 => json!([{"type": "text", "text": text}]),
            2 => json!([{"type": "text", "text": text}, {"type": "image", "source": {"type": "base64",
                "media_type": "image/gif", "data": "R0lGODlhAQABAAAAACw="}}]),
            _ => json!(text),
        };
        let block = json!({"type": "tool_result", "tool_use_id": call, "content": content});
        self.node(
            "user",
            parent,
            json!({"message": {"role": "user", "content": [block]}, "toolUseResult": {"stdout": text}}),
        )
    }

    /// One message of the model with its calls and results. Returns whether there was a call.
    fn message(&mut self) -> bool {
        let id = self.id("msg_").replace('-', "");
        let mut blocks = Vec::new();
        if self.dice.chance(15) {
            blocks.push(json!({"type": "text", "text": "\n\n"}));
        }
        if self.dice.chance(50) {
            blocks.push(json!({"type": "thinking", "thinking": "", "signature": "c2ln"}));
        }
        if self.dice.chance(50) {
            blocks.push(json!({"type": "text", "text": self.text()}));
        }
        if self.dice.chance(10) {
            let call = self.id("srvtoolu_").replace('-', "");
            blocks.push(json!({"type": "server_tool_use", "id": call, "name": "web_search", "input": {}}));
            blocks.push(json!({"type": "web_search_tool_result", "tool_use_id": call, "content": []}));
        }
        let calls = if self.dice.chance(65) { 1 + self.dice.below(3) } else { 0 };
        let ids: Vec<String> = (0..calls).map(|_| self.id("toolu_").replace('-', "")).collect();
        for call in &ids {
            let input = json!({"command": self.text()});
            blocks.push(json!({"type": "tool_use", "id": call, "name": "Bash", "input": input}));
        }
        if calls == 0 {
            blocks.push(json!({"type": "text", "text": self.text()}));
        }
        let interleaves = self.dice.chance(30);
        let mut waiting: Vec<(String, String)> = Vec::new();
        for (index, block) in blocks.into_iter().enumerate() {
            let call = block["id"].as_str().filter(|_| block["type"] == "tool_use").map(str::to_owned);
            let uuid = self.assistant(&id, self.last.clone(), block, json!({"apiBlockIndex": index}));
            self.last = Some(uuid.clone());
            self.recent.push(uuid.clone());
            if let Some(call) = call {
                if self.dice.chance(20) {
                    self.last =
                        Some(self.node("progress", Some(uuid.clone()), json!({"data": {"type": "bash_progress"}})));
                }
                if interleaves {
                    let result = self.result(Some(uuid), &call);
                    self.last = Some(result.clone());
                    self.recent.push(result);
                } else {
                    waiting.push((uuid, call));
                }
            }
        }
        // Each result hangs off its own call; the next line follows the last one that was written.
        while !waiting.is_empty() {
            let (uuid, call) = waiting.remove(self.dice.below(waiting.len()));
            let result = self.result(Some(uuid), &call);
            self.last = Some(result.clone());
            self.recent.push(result);
        }
        calls > 0
    }

    fn turn(&mut self) {
        match self.dice.below(12) {
            0 => self.rewind(),
            1 => self.side_line(),
            2 => self.compaction(),
            3 => {
                self.chained("system", json!({"subtype": "api_error", "retryAttempt": 1}));
            }
            4 => {
                self.chained("attachment", json!({"attachment": {"type": "hook_success"}}));
            }
            5 => self.copies(),
            _ => {}
        }
        self.prompt();
        for _ in 0..=self.dice.below(3) {
            if !self.message() {
                break;
            }
        }
        if self.dice.chance(10) {
            self.interrupted_thinking();
        }
        if self.dice.chance(40) {
            self.chained("system", json!({"subtype": "turn_duration", "durationMs": 700}));
        }
        if self.dice.chance(30) {
            self.metadata("last-prompt", json!({"leafUuid": self.last, "lastPrompt": "x"}));
        }
    }

    /// A branch that was left.
    fn rewind(&mut self) {
        let here = (self.last.clone(), self.recent.len());
        self.prompt();
        self.message();
        (self.last, _) = here;
        self.recent.truncate(here.1);
    }

    /// A subagent in the file of its parent.
    fn side_line(&mut self) {
        let rest = json!({"isSidechain": true, "message": {"role": "user", "content": "sub prompt"}});
        let prompt = self.node("user", None, rest);
        let call = json!({"type": "tool_use", "id": self.id("toolu_side"), "name": "Bash", "input": {}});
        let id = self.id("msg_side");
        self.assistant(&id, Some(prompt), call, json!({"isSidechain": true}));
    }

    fn interrupted_thinking(&mut self) {
        let id = self.id("msg_").replace('-', "");
        let block = json!({"type": "thinking", "thinking": "hm", "signature": "c2ln"});
        let uuid = self.assistant(&id, self.last.clone(), block, json!({}));
        self.last = Some(uuid);
        let interrupt = json!([{"type": "text", "text": "[Request interrupted by user]"}]);
        self.chained("user", json!({"message": {"role": "user", "content": interrupt}}));
    }

    /// Old lines, written again with their uuids.
    fn copies(&mut self) {
        let from = self.dice.below(self.lines.len().max(1));
        let copies: Vec<Value> =
            self.lines.iter().skip(from).take(3).filter(|line| line["uuid"].is_string()).cloned().collect();
        if copies.iter().all(|line| line["subtype"] != "compact_boundary" && line["isSidechain"] == false) {
            self.lines.extend(copies);
        }
    }

    /// A compaction that keeps nothing, a list of lines, or a segment.
    fn compaction(&mut self) {
        let kept = self.kept();
        let (boundary, anchor) = (self.id(""), self.id(""));
        let mut metadata = json!({"trigger": "auto", "preTokens": 150_000});
        if let (Some(head), Some(tail)) = (kept.first(), kept.last()) {
            match self.dice.below(3) {
                0 => metadata["preservedMessages"] = json!({"anchorUuid": anchor, "uuids": kept}),
                1 => metadata["preservedSegment"] = json!({"headUuid": head, "anchorUuid": anchor, "tailUuid": tail}),
                _ => {
                    metadata["preservedMessages"] = json!({"anchorUuid": anchor, "uuids": kept, "allUuids": kept});
                    metadata["preservedSegment"] = json!({"headUuid": head, "anchorUuid": anchor, "tailUuid": tail});
                }
            }
        }
        let rest = json!({"subtype": "compact_boundary", "uuid": boundary, "logicalParentUuid": self.last,
            "compactMetadata": metadata});
        self.node("system", None, rest);
        let rest = json!({"uuid": anchor, "isCompactSummary": true, "isVisibleInTranscriptOnly": true,
            "message": {"role": "user", "content": "Summary of the work so far"}});
        self.node("user", Some(boundary), rest);
        // The work goes on below the summary, or below the kept lines.
        self.last = Some(anchor);
        if self.dice.chance(40) && !kept.is_empty() {
            self.last = kept.last().cloned();
        }
        self.recent = kept;
    }

    /// Whole turns at the end, from a prompt on. Only a chain without branches can be kept as a segment.
    fn kept(&mut self) -> Vec<String> {
        let line_of = |uuid: &str| self.lines.iter().rev().find(|line| line["uuid"] == uuid);
        let is_prompt =
            |uuid: &String| line_of(uuid).is_some_and(|line| line["type"] == "user" && line["toolUseResult"].is_null());
        let prompts: Vec<usize> = (0..self.recent.len()).filter(|place| is_prompt(&self.recent[*place])).collect();
        let Some(first) = prompts.last().copied().filter(|_| !self.dice.0.is_multiple_of(3)) else { return Vec::new() };
        let kept: Vec<String> = self.recent[first..].to_vec();
        let is_chain = kept.windows(2).all(|pair| line_of(&pair[1]).is_some_and(|line| line["parentUuid"] == *pair[0]));
        if is_chain { kept } else { Vec::new() }
    }
}

/// A rollout of Codex.
pub(crate) fn codex(seed: u64, turns: usize) -> Vec<u8> {
    let mut writer = CodexWriter { dice: Dice::new(seed), lines: Vec::new(), is_paginated: false };
    writer.is_paginated = writer.dice.chance(30);
    let mode = if writer.is_paginated { "paginated" } else { "legacy" };
    writer.record(
        "session_meta",
        json!({"id": "019f3f9a-900b-7000-8000-00003f9a900b", "timestamp": "2026-10-01T09:00:00.000Z", "cwd": "/demo",
            "originator": "codex_cli_rs", "cli_version": "0.147.0", "source": "cli", "history_mode": mode}),
    );
    for turn in 0..turns {
        writer.turn(turn);
    }
    lines(&writer.lines)
}

struct CodexWriter {
    dice: Dice,
    lines: Vec<Value>,
    is_paginated: bool,
}

impl CodexWriter {
    fn record(&mut self, kind: &str, payload: Value) {
        let mut line = json!({"timestamp": "2026-10-01T09:00:00.000Z", "type": kind, "payload": payload});
        if self.is_paginated {
            line["ordinal"] = json!(self.lines.len());
        }
        self.lines.push(line);
    }

    fn message(&mut self, role: &str, text: &str) {
        let kind = if role == "assistant" { "output_text" } else { "input_text" };
        self.record(
            "response_item",
            json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]}),
        );
    }

    fn turn(&mut self, number: usize) {
        let turn = format!("turn-{number}");
        if self.dice.chance(20) {
            self.message("user", "<environment_context>\n<cwd>/demo</cwd>\n</environment_context>");
        }
        self.record("event_msg", json!({"type": "task_started", "turn_id": turn}));
        self.message("user", "go on");
        if self.dice.chance(10) {
            let history = json!([{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go on"}]},
                {"type": "compaction", "encrypted_content": "gAAA"}]);
            let replacement = if self.dice.chance(50) { history } else { Value::Null };
            self.record("compacted", json!({"message": "summary", "replacement_history": replacement}));
        }
        for step in 0..self.dice.below(4) {
            let (call, id) = (format!("call_{number}_{step}"), format!("{number}_{step}"));
            self.record("response_item", json!({"type": "reasoning", "id": format!("rs_{id}"), "summary": []}));
            if self.dice.chance(70) {
                self.record(
                    "response_item",
                    json!({"type": "function_call", "id": format!("fc_{id}"), "name": "shell",
                    "arguments": "{}", "call_id": call}),
                );
                self.record("event_msg", json!({"type": "token_count", "info": null}));
                self.record("response_item", json!({"type": "function_call_output", "call_id": call, "output": "ok"}));
            } else {
                self.record(
                    "response_item",
                    json!({"type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin",
                    "call_id": call}),
                );
                self.record(
                    "response_item",
                    json!({"type": "custom_tool_call_output", "call_id": call, "output": "ok"}),
                );
            }
        }
        self.message("assistant", "done");
        self.record("event_msg", json!({"type": "task_complete", "turn_id": turn}));
        if self.dice.chance(10) {
            let turns = 1 + self.dice.below(2);
            self.record("event_msg", json!({"type": "thread_rolled_back", "num_turns": turns}));
        }
    }
}

/// Damages a session in one to four places.
pub(crate) fn damaged(bytes: &[u8], seed: u64) -> Vec<u8> {
    let mut dice = Dice::new(seed);
    let mut lines: Vec<Vec<u8>> = bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    for _ in 0..=dice.below(4) {
        if lines.is_empty() {
            break;
        }
        let place = dice.below(lines.len());
        match dice.below(14) {
            0 | 1 => {
                lines.remove(place);
            }
            2 => lines.truncate(place + 1),
            3 => {
                let length = dice.below(lines[place].len());
                lines[place].truncate(length);
                if dice.chance(50) {
                    lines[place].push(b'\n');
                }
            }
            4 => {
                let other = dice.below(lines.len());
                lines.swap(place, other);
            }
            5 => {
                let copy = lines[place].clone();
                lines.insert(dice.below(lines.len()), copy);
            }
            6 => lines.insert(place, [vec![0; 1 + dice.below(40)], b"\n".to_vec()].concat()),
            7 => lines.insert(place, b"// a comment\n".to_vec()),
            8 => {
                let at = dice.below(lines[place].len());
                lines[place][at] = *dice.pick(&[0xff, b'"', b'{', b'\\', b'x']);
            }
            9 => replace(&mut lines[place], b"\"signature\":\"c2ln\"", b"\"signature\":\"\""),
            10 => replace(&mut lines[place], b"\"text\":\"", b"\"text\":\"\",\"was\":\""),
            11 => replace(&mut lines[place], b"toolu_", b"toolu.:"),
            12 => {
                let escape = *dice.pick(&[b"\\ud83d", b"\\u0000"]);
                replace(&mut lines[place], b"look", escape);
            }
            _ => replace(&mut lines[place], b"\"data\":\"R0", b"\"data\":\"!!"),
        }
    }
    lines.concat()
}

/// Replaces the first occurrence.
fn replace(line: &mut Vec<u8>, old: &[u8], new: &[u8]) {
    if let Some(at) = line.windows(old.len()).position(|window| window == old) {
        line.splice(at..at + old.len(), new.iter().copied());
    }
}

//! Calls for display, by what they ask for: a command, a change of a file, a task for a subagent, a plan.

use super::patch;
use crate::agent::block::ToolCall;
use crate::json::pretty::pretty;
use crate::json::raw::{RawJson, RawText};
use crate::replay::utterance::{Part, PartKind};

/// Longer inputs are shown as they are, not pretty-printed.
const PRETTY_BYTES: usize = 256 << 10;
/// Longer values of members are not on one line with their name.
const SHORT_CHARACTERS: usize = 200;

/// The tool, and what the call is for if the model says so.
pub(super) fn about(call: &ToolCall<'_>) -> String {
    let name = call.name.get();
    let purpose = with_input(call, |input| Some(input.text_of("description")?.get().into_owned())).flatten();
    match purpose.filter(|purpose| !purpose.is_empty()) {
        Some(purpose) => format!("{name}: {purpose}"),
        None => name.into_owned(),
    }
}

/// Calls `of` with the input if it is an object, or the text of one.
fn with_input<T>(call: &ToolCall<'_>, of: impl FnOnce(RawJson<'_>) -> T) -> Option<T> {
    let input = call.input?;
    match input.text() {
        None => Some(of(input)).filter(|_| input.is_object()),
        Some(text) => {
            let text = text.get();
            RawJson::of(text.as_bytes()).filter(|inner| inner.is_object()).map(of)
        }
    }
}

pub(super) fn parts(call: &ToolCall<'_>) -> Vec<Part> {
    if let Some(parts) = with_input(call, of_members) {
        return parts;
    }
    let Some(text) = call.input.map(|input| match input.text() {
        Some(text) => text.get().into_owned(),
        None => String::from_utf8_lossy(input.bytes()).into_owned(),
    }) else {
        return Vec::new();
    };
    // The code mode of Codex: a script that calls tools.
    let kind = if call.name.is("exec") { PartKind::Code("js".to_owned()) } else { PartKind::Plain };
    patch::of_text(&text).filter(|_| kind == PartKind::Plain).unwrap_or_else(|| vec![Part::new(kind, text)])
}

fn of_members(input: RawJson<'_>) -> Vec<Part> {
    let text = |name: &str| input.text_of(name).map(RawText::get);
    let path = text("file_path").or_else(|| text("notebook_path"));
    let mut told = vec!["description"];
    let mut parts = Vec::new();
    if let Some(path) = &path {
        parts.push(Part::new(PartKind::Title, path.as_ref()));
        told.extend(["file_path", "notebook_path"]);
    }
    if let Some(command) = command(input) {
        match patch::of_text(&command) {
            Some(changes) => parts.extend(changes),
            None => parts.push(Part::new(PartKind::Code("sh".to_owned()), command)),
        }
        told.extend(["command", "cmd"]);
    }
    if let (Some(old), Some(new)) = (text("old_string"), text("new_string")) {
        parts.push(patch::between(&old, &new));
        told.extend(["old_string", "new_string"]);
    }
    if let Some(edits) = input.get("edits").filter(|edits| edits.is_array()) {
        for edit in edits.elements() {
            let side = |name: &str| edit.text_of(name).map(RawText::get).unwrap_or_default();
            parts.push(patch::between(&side("old_string"), &side("new_string")));
        }
        told.push("edits");
    }
    for (name, kind) in [
        ("content", path.as_deref().map_or(PartKind::Plain, PartKind::code_of)),
        ("new_source", PartKind::Code("py".to_owned())),
        ("prompt", PartKind::Prose),
        ("message", PartKind::Prose),
        ("plan", PartKind::Prose),
    ] {
        if let Some(text) = text(name) {
            parts.push(Part::new(kind, text));
            told.push(name);
        }
    }
    for name in ["todos", "plan"] {
        if let Some(items) = input.get(name).filter(|items| items.is_array()) {
            parts.push(Part::new(PartKind::Prose, tasks(items)));
            told.push(name);
        }
    }
    parts.extend(rest(input, &told));
    parts
}

/// A command line, or the words of one.
fn command(input: RawJson<'_>) -> Option<String> {
    let command = input.get("command").or_else(|| input.get("cmd"))?;
    if let Some(text) = command.text() {
        return Some(text.get().into_owned());
    }
    let words: Vec<String> = command.elements().filter_map(|word| Some(word.text()?.get().into_owned())).collect();
    match words.as_slice() {
        [] => None,
        // What a shell runs, without the shell.
        [shell, flag, script] if shell.ends_with("sh") && flag.starts_with('-') => Some(script.clone()),
        words => Some(words.join(" ")),
    }
}

/// A list of tasks with their status, as Markdown.
fn tasks(items: RawJson<'_>) -> String {
    let mut out = String::new();
    for item in items.elements() {
        let text = |name: &str| item.text_of(name).map(RawText::get);
        let words = text("content").or_else(|| text("step")).unwrap_or_default();
        let status = text("status").unwrap_or_default();
        let mark = match &*status {
            "completed" => "- [x]",
            "in_progress" => "- [>]",
            _ => "- [ ]",
        };
        out.push_str(&format!("{mark} {words}\n"));
    }
    out
}

/// The members that no other part has told: on one line each if they are short, else as JSON.
fn rest(input: RawJson<'_>, told: &[&str]) -> Vec<Part> {
    let mut members: Vec<(String, RawJson<'_>)> = Vec::new();
    input.each_member(&mut |name, value| {
        let name = name.get().into_owned();
        // What a flag does not ask for is not worth a line.
        if value.flag() != Some(false) && !told.contains(&name.as_str()) {
            members.push((name, value));
        }
    });
    let is_short =
        |value: RawJson<'_>| !value.is_object() && !value.is_array() && value.bytes().len() <= SHORT_CHARACTERS;
    members
        .into_iter()
        .map(|(name, value)| match value.text() {
            Some(text) if is_short(value) => Part::new(PartKind::Note, format!("{name}: {}", text.get())),
            _ if is_short(value) => {
                Part::new(PartKind::Note, format!("{name}: {}", String::from_utf8_lossy(value.bytes())))
            }
            Some(text) => Part::new(PartKind::Plain, format!("{name}: {}", text.get())),
            None => Part::new(PartKind::Code("json".to_owned()), format!("{name}: {}", as_json(value))),
        })
        .collect()
}

fn as_json(value: RawJson<'_>) -> String {
    if value.bytes().len() > PRETTY_BYTES {
        return String::from_utf8_lossy(value.bytes()).into_owned();
    }
    pretty(value.bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::block::CallId;

    fn told(name: &'static str, input: &str) -> Vec<(PartKind, String)> {
        let input = RawJson::of(input.as_bytes());
        let call = ToolCall { id: CallId::Unnamed, name: RawText::plain(name), input };
        parts(&call).into_iter().map(|part| (part.kind, part.text)).collect()
    }

    fn part(kind: PartKind, text: &str) -> (PartKind, String) {
        (kind, text.to_owned())
    }

    #[test]
    fn a_call_is_told_by_what_it_asks_for() {
        let sh = || PartKind::Code("sh".to_owned());
        assert_eq!(told("shell", r#"{"command":["bash","-lc","ls | wc"]}"#), [part(sh(), "ls | wc")]);
        assert_eq!(told("shell", r#"{"command":["git","log"]}"#), [part(sh(), "git log")]);
        let write = told("Write", r#"{"file_path":"/a/b.py","content":"x = 1\n"}"#);
        assert_eq!(write, [part(PartKind::Title, "/a/b.py"), part(PartKind::Code("py".to_owned()), "x = 1\n")]);
        let plan = told("update_plan", r#"{"plan":[{"step":"look","status":"completed"},{"step":"do","status":"?"}]}"#);
        assert_eq!(plan, [part(PartKind::Prose, "- [x] look\n- [ ] do\n")]);
        let grep = told("Grep", r#"{"pattern":"a\nb","-n":true}"#);
        assert_eq!(grep, [part(PartKind::Note, "pattern: a\nb"), part(PartKind::Note, "-n: true")]);
        assert_eq!(told("exec", r#""text(1)""#), [part(PartKind::Code("js".to_owned()), "text(1)")]);
        assert_eq!(told("odd", "[1]"), [part(PartKind::Plain, "[1]")]);
        assert_eq!(told("odd", r#"{"a":{"b":1}}"#)[0].0, PartKind::Code("json".to_owned()));
    }

    #[test]
    fn a_patch_is_told_wherever_it_stands() {
        let patch = r#""*** Begin Patch\n*** Add File: c\n+new\n*** End Patch""#;
        let expected = [part(PartKind::Title, "c (add)"), part(PartKind::Change, "+new")];
        let shown =
            |name, input: &str| told(name, input).into_iter().filter(|part| !part.1.is_empty()).collect::<Vec<_>>();
        assert_eq!(shown("apply_patch", patch), expected);
        assert_eq!(shown("shell", &format!(r#"{{"command":["apply_patch",{patch}]}}"#)), expected);
    }
}

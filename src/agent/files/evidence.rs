//! What results and reports of the programs prove about files.

use std::borrow::Cow;

use super::content::{Hunk, PatchLine};
use crate::json::raw::{RawJson, RawText};

/// What a record proves about one file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Evidence<'a> {
    /// Lines that were read, from a line on that is counted from 0.
    Read {
        from: usize,
        text: Cow<'a, str>,
        is_whole: bool,
    },
    Created(Cow<'a, str>),
    Written {
        before: Option<Cow<'a, str>>,
        after: Cow<'a, str>,
    },
    Patched {
        before: Option<Cow<'a, str>>,
        hunks: Vec<Hunk>,
    },
    Deleted,
}

/// The structured result of a tool of Claude Code.
pub(super) fn of_result(details: RawJson<'_>) -> Option<(Cow<'_, str>, Evidence<'_>)> {
    if let Some(file) = details.get("file").filter(|file| file.is_object()) {
        return read(file);
    }
    let path = details.text_of("filePath")?.get();
    let hunks = details.get("structuredPatch").filter(|patch| patch.is_array())?;
    let before = details.text_of("originalFile").or_else(|| details.text_of("originalFileContents")).map(RawText::get);
    if let Some(content) = details.text_of("content").map(RawText::get) {
        let is_new = details.text_of("type").is_some_and(|kind| kind.is("create"));
        return Some((
            path,
            if is_new { Evidence::Created(content) } else { Evidence::Written { before, after: content } },
        ));
    }
    let is_by_user = details.get("userModified").and_then(RawJson::flag) == Some(true);
    let after = before.as_deref().filter(|_| !is_by_user).and_then(|before| edited(before, details));
    Some(match after {
        Some(after) => (path, Evidence::Written { before, after: after.into() }),
        None => (path, Evidence::Patched { before, hunks: hunks.elements().filter_map(hunk).collect() }),
    })
}

fn read(file: RawJson<'_>) -> Option<(Cow<'_, str>, Evidence<'_>)> {
    let (path, text) = (file.text_of("filePath")?.get(), file.text_of("content")?.get());
    let number = |name: &str| file.get(name).and_then(RawJson::number);
    let first = number("startLine").unwrap_or(1).max(1);
    let is_whole =
        first == 1 && number("totalLines").is_some_and(|all| number("numLines").is_some_and(|some| some >= all));
    Some((path, Evidence::Read { from: usize::try_from(first - 1).ok()?, text, is_whole }))
}

/// The text after the edits that a result names.
fn edited(before: &str, details: RawJson<'_>) -> Option<String> {
    let replaced = |text: &str, old: Option<RawText<'_>>, new: Option<RawText<'_>>, all: Option<RawJson<'_>>| {
        let (old, new) = (old?.get(), new?.get());
        if old.is_empty() {
            return text.is_empty().then(|| new.into_owned());
        }
        if !text.contains(&*old) {
            return None;
        }
        let is_all = all.and_then(RawJson::flag) == Some(true);
        Some(if is_all { text.replace(&*old, &new) } else { text.replacen(&*old, &new, 1) })
    };
    match details.get("edits").filter(|edits| edits.is_array()) {
        Some(edits) => edits.elements().try_fold(before.to_owned(), |text, edit| {
            replaced(&text, edit.text_of("old_string"), edit.text_of("new_string"), edit.get("replace_all"))
        }),
        None => replaced(before, details.text_of("oldString"), details.text_of("newString"), details.get("replaceAll")),
    }
}

/// A hunk of a structured patch.
fn hunk(value: RawJson<'_>) -> Option<Hunk> {
    let line = usize::try_from(value.get("oldStart")?.number()?).ok()?;
    let lines = value.get("lines")?.elements().filter_map(|line| PatchLine::of(&line.text()?.get()));
    Some(Hunk { line, lines: lines.collect() })
}

/// A change that Codex reports, and the new path of a file that was moved.
pub(super) fn of_change(change: RawJson<'_>) -> Option<(Option<String>, Evidence<'_>)> {
    let kind = change.text_of("type").map(|kind| kind.get().into_owned());
    let (kind, inside) = match kind {
        Some(kind) => (kind, change),
        // Old releases name the change by its only member.
        None => {
            let mut only = None;
            change.each_member(&mut |name, value| only = Some((name.get().into_owned(), value)));
            only?
        }
    };
    let moved = inside.text_of("move_path").map(|path| path.get().into_owned());
    let evidence = match kind.as_str() {
        "add" => Evidence::Created(inside.text_of("content")?.get()),
        "delete" => Evidence::Deleted,
        "update" => Evidence::Patched { before: None, hunks: unified(&inside.text_of("unified_diff")?.get()) },
        _ => return None,
    };
    Some((moved, evidence))
}

/// The hunks of a unified diff.
fn unified(diff: &str) -> Vec<Hunk> {
    let mut hunks: Vec<Hunk> = Vec::new();
    for line in diff.split('\n') {
        if let Some(head) = line.strip_prefix("@@ -") {
            let digits: String = head.chars().take_while(char::is_ascii_digit).collect();
            if let Ok(line) = digits.parse() {
                hunks.push(Hunk { line, lines: Vec::new() });
            }
        } else if let (Some(hunk), Some(line)) = (hunks.last_mut(), PatchLine::of(line)) {
            hunk.lines.push(line);
        }
    }
    hunks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> RawJson<'_> {
        RawJson::of(text.as_bytes()).expect("JSON")
    }

    #[test]
    fn an_edit_is_proven_by_the_original_and_the_strings() {
        let of = |text: &'static str| of_result(json(text)).expect("evidence").1;
        let edit = r#"{"filePath":"p","structuredPatch":[],"originalFile":"a a","oldString":"a","newString":"b"}"#;
        assert_eq!(of(edit), Evidence::Written { before: Some("a a".into()), after: "b a".into() });
        let all = r#"{"filePath":"p","structuredPatch":[],"originalFile":"a a","oldString":"a","newString":"b","replaceAll":true}"#;
        assert_eq!(of(all), Evidence::Written { before: Some("a a".into()), after: "b b".into() });
        let unknown = r#"{"filePath":"p","structuredPatch":[{"oldStart":4,"lines":[" x","-y","+z"]}],"originalFile":null,"oldString":"y","newString":"z"}"#;
        let Evidence::Patched { before: None, hunks } = of(unknown) else { panic!("a patch") };
        assert_eq!((hunks[0].line, hunks[0].lines.len()), (4, 3));
        assert!(of_result(json(r#"{"stdout":"x"}"#)).is_none());
    }

    #[test]
    fn changes_of_codex_are_read_in_both_forms() {
        let update = r#"{"type":"update","unified_diff":"@@ -2,2 +2,2 @@\n b\n-c\n+C\n","move_path":"/new"}"#;
        let (moved, Evidence::Patched { hunks, .. }) = of_change(json(update)).expect("a change") else {
            panic!("a patch")
        };
        assert_eq!((moved.as_deref(), hunks.len(), hunks[0].line), (Some("/new"), 1, 2));
        assert_eq!(of_change(json(r#"{"add":{"content":"x"}}"#)).expect("a change").1, Evidence::Created("x".into()));
        assert_eq!(of_change(json(r#"{"type":"delete"}"#)).expect("a change").1, Evidence::Deleted);
        assert!(of_change(json(r#"{"type":"?"}"#)).is_none() && of_change(json("{}")).is_none());
    }
}

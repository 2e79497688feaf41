//! Results of calls for display: exit code, output, or what was changed.

use super::{as_it_is, patch, written};
use crate::agent::block::{Outcome, ToolResult};
use crate::agent::caption::{measured, output_text};
use crate::json::raw::{RawJson, RawText};
use crate::replay::caption::duration;
use crate::replay::utterance::{Part, PartKind};

pub(super) fn parts(result: &ToolResult<'_>) -> Vec<Part> {
    let mut parts = Vec::new();
    let code = result.exit_code.or_else(|| code_in_text(result));
    let time = measured(result).map(duration);
    let facts: Vec<String> = code.map(|code| format!("exit code {code}")).into_iter().chain(time).collect();
    if !facts.is_empty() {
        let is_bad = code.is_some_and(|code| code != 0) || result.outcome.is_failure();
        parts.push(Part::new(if is_bad { PartKind::Failure } else { PartKind::Note }, facts.join(" · ")));
    }
    parts.extend(result.details.and_then(of_details).unwrap_or_else(|| output(result)));
    parts
}

/// The exit code that the text of a failed command begins with.
fn code_in_text(result: &ToolResult<'_>) -> Option<i64> {
    let beginning = result.content.beginning(32);
    beginning.strip_prefix("Exit code ")?.lines().next()?.parse().ok()
}

/// The output without the lines that the program put before it.
fn output(result: &ToolResult<'_>) -> Vec<Part> {
    let mut parts = as_it_is(result.content);
    if let Some(first) = parts.first_mut().filter(|part| part.kind == PartKind::Plain) {
        // The facts about the call are told in a line of their own.
        let shown = output_text(&first.text);
        let shown =
            shown.strip_prefix("Exit code ").and_then(|rest| rest.split_once('\n')).map_or(shown, |rest| rest.1);
        if result.outcome == Outcome::ToolError {
            let inside = shown.strip_prefix("<tool_use_error>").and_then(|text| text.strip_suffix("</tool_use_error>"));
            first.text = inside.unwrap_or(shown).to_owned();
        } else {
            first.text = shown.to_owned();
        }
    }
    parts
}

/// The result in the structure of the program, where that is easier to read.
fn of_details(details: RawJson<'_>) -> Option<Vec<Part>> {
    let title = |path: RawText<'_>| Part::new(PartKind::Title, path.get());
    if let Some(file) = details.get("file").filter(|file| file.is_object()) {
        let (path, content) = (file.text_of("filePath")?, file.text_of("content")?);
        let kind = PartKind::code_of(&path.get());
        return Some(vec![title(path), Part::new(kind, content.get())]);
    }
    if details.text_of("agentId").is_some() && details.get("content").is_some_and(RawJson::is_array) {
        return Some(written(crate::agent::content::Content::new(details.get("content"))));
    }
    // What a model made of a page.
    if let Some(text) = details.text_of("result").filter(|_| details.text_of("url").is_some()) {
        return Some(vec![Part::new(PartKind::Prose, text.get())]);
    }
    let path = details.text_of("filePath")?;
    let hunks = details.get("structuredPatch").filter(|hunks| hunks.is_array())?;
    let is_new = details.text_of("type").is_some_and(|kind| kind.is("create"));
    let change = match details.text_of("content").filter(|_| is_new) {
        Some(content) => patch::created(&content.get()),
        None => patch::of_hunks(hunks),
    };
    Some(vec![title(path), change]).filter(|parts| !parts[1].text.is_empty())
}

/// The changes that Codex reports, file by file.
pub(super) fn changes(changes: Option<RawJson<'_>>) -> Vec<Part> {
    let mut parts = Vec::new();
    let Some(changes) = changes else { return parts };
    changes.each_member(&mut |path, change| {
        parts.push(Part::new(PartKind::Title, path.get()));
        // Old releases name the kind of a change by its only member.
        let inside = ["add", "update", "delete"].iter().find_map(|name| change.get(name)).unwrap_or(change);
        let text = |name: &str| inside.text_of(name).map(RawText::get);
        match (text("unified_diff"), text("content")) {
            (Some(diff), _) => parts.push(Part::new(PartKind::Change, diff)),
            (None, Some(content)) => parts.push(patch::created(&content)),
            (None, None) => parts.push(Part::new(PartKind::Note, "deleted")),
        }
    });
    parts
}

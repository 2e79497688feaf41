//! A finding as Markdown, for a comment on a pull request.

use std::fmt::Write;

use super::content::{PageContent, PageEvent};
use super::page::facts;
use crate::text::{clean, fit};

/// Longer cells are cut.
const CELL_COLUMNS: usize = 120;
/// More rows would make a comment that nobody reads.
const MOST_ROWS: usize = 60;

/// A text as inline code: nothing in it is markup, a mention or a link.
fn code(text: &str) -> String {
    let text = clean(&text.replace(['\n', '\r', '\t'], " "));
    let text = text.trim();
    if text.is_empty() {
        return String::new();
    }
    let ticks = "`".repeat(longest_run(text) + 1);
    let blank = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{blank}{text}{blank}{ticks}")
}

/// Inline code in a cell of a table, in which `|` would end the cell.
fn cell(text: &str) -> String {
    code(&fit(&text.replace(['\n', '\r', '\t'], " "), CELL_COLUMNS)).replace('|', "\\|")
}

fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or(0)
}

/// A block of code whose fence no line of the text can close.
fn fenced(language: &str, text: &str) -> String {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    format!("{fence}{language}\n{text}\n{fence}\n")
}

pub(super) fn markdown(content: &PageContent) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    writeln!(out, "### {} {}\n", content.severity.name(), code(content.check))?;
    writeln!(out, "{}\n", code(&content.message))?;
    writeln!(
        out,
        "| | |\n| --- | --- |\n| expected | {} |\n| actual | {} |\n",
        cell(&content.expected),
        cell(&content.actual)
    )?;
    writeln!(out, "{}\n", content.explains)?;
    writeln!(out, "{} · {} · {}\n", code(&content.name), content.dialect, facts(content).join(" · "))?;
    writeln!(out, "| | event | kind | what |\n| --- | ---: | --- | --- |")?;
    let rows = rows(&content.events);
    for event in &rows {
        let mark = if event.is_named { "▶" } else { "" };
        writeln!(out, "| {mark} | {} | {} | {} |", event.at, cell(event.kind), cell(&event.summary))?;
    }
    if rows.len() < content.events.len() {
        writeln!(out, "\n… and {} more events", content.events.len() - rows.len())?;
    }
    for event in content.events.iter().filter(|event| event.is_named).take(4) {
        details(event, &mut out)?;
    }
    writeln!(out, "\nfingerprint {}", code(&content.fingerprint))?;
    Ok(out)
}

/// The events of the table: all, or the first ones and those of the finding.
fn rows(events: &[PageEvent]) -> Vec<&PageEvent> {
    let named = events.iter().filter(|event| event.is_named).count();
    let mut room = MOST_ROWS.saturating_sub(named);
    let is_shown = |event: &&PageEvent| {
        let fits = !event.is_named && room > 0;
        room -= usize::from(fits);
        event.is_named || fits
    };
    events.iter().filter(is_shown).take(MOST_ROWS).collect()
}

fn details(event: &PageEvent, out: &mut String) -> std::fmt::Result {
    writeln!(out, "\n<details><summary>event {}: projection, effects, record</summary>\n", event.at)?;
    let changed = event.fields.iter().filter_map(|field| Some((field, field.before.as_ref()?)));
    let lines: Vec<String> =
        changed.map(|(field, before)| clean(&format!("{}: {before} → {}", field.name, field.value))).collect();
    if !lines.is_empty() {
        writeln!(out, "Changed fields:\n\n{}", fenced("text", &lines.join("\n")))?;
    }
    if !event.effects.is_empty() {
        let effects: Vec<String> = event.effects.iter().map(|effect| clean(effect)).collect();
        writeln!(out, "Effects:\n\n{}", fenced("text", &effects.join("\n")))?;
    }
    writeln!(out, "{}\n</details>", fenced("json", &event.json))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_a_log_are_never_markup() {
        assert_eq!(code("a `b` @team"), "``a `b` @team``");
        assert_eq!(code("`x`"), "`` `x` ``");
        assert_eq!(code("a\n# b"), "`a # b`");
        assert_eq!(code("  "), "");
        assert_eq!(cell("a|b"), "`a\\|b`");
        assert_eq!(fenced("json", "a\n```\nb"), "````json\na\n```\nb\n````\n");
    }
}

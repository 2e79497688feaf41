//! The answer to "what did the compaction drop", as JSON and as text.

use serde_json::{Value, json};

use super::{CompactionAnswer, DroppedRow, Lost};
use crate::agent::answer::table::{Cell, Table};
use crate::dialect::answer::Answered;
use crate::dialect::context::PartTokens;
use crate::replay::Seq;
use crate::text::styled::{StyledText, Tone};
use crate::text::{clean, count, grouped, paragraph};

/// The beginning of a summary that is printed: the rest is in its event.
const SUMMARY_LINES: usize = 12;

impl CompactionAnswer {
    fn tokens(&self, at: Seq) -> u64 {
        self.tokens.get(&at).map_or(0, |tokens| tokens.number)
    }

    /// The dropped events, the largest first.
    fn greatest<'r>(&'r self, row: &'r DroppedRow) -> Vec<(Seq, &'static str, &'r str, u64)> {
        let about = |at: &Seq| row.about.get(at).map(|(kind, text)| (*at, *kind, text.as_str(), self.tokens(*at)));
        let mut events: Vec<_> = row.dropped.iter().filter_map(about).collect();
        events.sort_by_key(|(at, _, _, tokens)| (std::cmp::Reverse(*tokens), *at));
        events
    }

    fn row_json(&self, row: &DroppedRow, rows: usize) -> Value {
        let dropped = |(at, kind, about, tokens): (Seq, &str, &str, u64)| {
            let basis = self.tokens.get(&at).copied().map(PartTokens::basis);
            json!({"at": at.0, "kind": kind, "about": about, "tokens": tokens, "basis": basis})
        };
        let lost = |lost: &Lost| {
            json!({
                "kind": lost.kind.name(), "what": *lost.what, "said": lost.said.0, "mentioned": lost.mentioned.0,
                "by": lost.by, "tier": "hint",
            })
        };
        let read_again =
            |file: &super::ReadAgain| json!({"path": *file.path, "before": file.before.0, "after": file.after.0});
        json!({
            "at": row.at.0,
            "trigger": row.trigger,
            "tokens_before": row.tokens_before,
            "tokens_after": row.tokens_after,
            "dropped_count": row.dropped.len(),
            "kept_count": row.kept.len(),
            "dropped_prompts": row.prompts.len(),
            "dropped": self.greatest(row).into_iter().take(rows).map(dropped).collect::<Vec<_>>(),
            "summary": {
                "events": row.summary.iter().map(|at| at.0).collect::<Vec<_>>(),
                "bytes": row.summary_bytes,
                "text": row.summary_text,
            },
            "lost": row.lost.iter().take(rows).map(lost).collect::<Vec<_>>(),
            "read_again": row.read_again.iter().take(rows).map(read_again).collect::<Vec<_>>(),
        })
    }
}

impl Answered for CompactionAnswer {
    fn document(&self, rows: usize) -> Value {
        json!({
            "question": "compaction",
            "format": self.format.map(|format| format.name),
            "compactions": self.rows.iter().map(|row| self.row_json(row, rows)).collect::<Vec<_>>(),
        })
    }

    fn text(&self, rows: usize, columns: usize) -> StyledText {
        let mut text = StyledText::default();
        let program = self.format.map_or("agent", |format| format.program);
        if self.rows.is_empty() {
            text.plain(&format!("session of {program}: the context was never compacted"));
            return text;
        }
        text.plain(&format!("session of {program}, {}", count(self.rows.len() as u64, "compaction")));
        for row in &self.rows {
            self.write_head(&mut text, row);
            self.write_dropped(&mut text, row, rows, columns);
            write_summary(&mut text, row, columns);
            write_lost(&mut text, row, rows, columns);
        }
        text
    }
}

impl CompactionAnswer {
    fn write_head(&self, text: &mut StyledText, row: &DroppedRow) {
        let trigger = row.trigger.as_deref().map_or_else(String::new, |trigger| format!(" ({})", clean(trigger)));
        text.section(&format!("compaction at event {}{trigger}", row.at));
        let tokens = |tokens: Option<u64>| tokens.map_or_else(|| "an unknown number of".to_owned(), grouped);
        text.line([
            "  ".into(),
            Tone::Strong.on(format!("{} → {} tokens", tokens(row.tokens_before), tokens(row.tokens_after))),
            format!(
                "; {} dropped ({}), {} kept",
                count(row.dropped.len() as u64, "event"),
                count(row.prompts.len() as u64, "prompt"),
                grouped(row.kept.len() as u64),
            )
            .into(),
        ]);
    }

    fn write_dropped(&self, text: &mut StyledText, row: &DroppedRow, rows: usize, columns: usize) {
        let mut table = Table::default();
        for (at, kind, about, tokens) in self.greatest(row).into_iter().take(rows) {
            table.row([
                Cell::right(at.to_string()).toned(Tone::Dim),
                Cell::right(if tokens == 0 { "–".to_owned() } else { format!("≈{}", grouped(tokens)) }),
                Cell::left(kind).toned(Tone::Name),
                Cell::left(about),
            ]);
        }
        if !table.is_empty() {
            text.line([Tone::Dim.on("  dropped, the largest first:")]);
            table.write(text, columns);
        }
    }
}

fn write_summary(text: &mut StyledText, row: &DroppedRow, columns: usize) {
    if row.summary_bytes == 0 {
        text.line(
            [Tone::Dim.on("  the summary is empty or encrypted, so it cannot be compared with what it replaced")],
        );
        return;
    }
    let events: Vec<String> = row.summary.iter().map(ToString::to_string).collect();
    let place = if events.is_empty() { String::new() } else { format!(" at event {}", events.join(", ")) };
    text.line([Tone::Dim.on(format!("  the summary{place}, {}:", count(row.summary_bytes, "byte")))]);
    let lines = row.summary_text.lines().filter(|line| !line.trim().is_empty());
    // In a pipe lines are as long as they are.
    let room = columns.saturating_sub(4).clamp(20, 200);
    let mut shown = lines.flat_map(|line| paragraph(&clean(line), room));
    for line in shown.by_ref().take(SUMMARY_LINES) {
        text.line(["  │ ".into(), line.into()]);
    }
    if shown.next().is_some() {
        text.line([Tone::Dim.on("  │ …")]);
    }
}

fn write_lost(text: &mut StyledText, row: &DroppedRow, rows: usize, columns: usize) {
    let mut table = Table::default();
    for lost in row.lost.iter().take(rows) {
        table.row([
            Cell::right(lost.mentioned.to_string()).toned(Tone::Dim),
            Cell::left(format!("{} ({})", lost.kind.name(), lost.by)),
            Cell::left(format!("said at {}", lost.said)),
            Cell::left(&*lost.what),
        ]);
    }
    if !table.is_empty() {
        let what = "mentioned afterwards, but not in the summary (a hint: it may be known from elsewhere)";
        text.line([Tone::Bad.on(format!("  {what}:"))]);
        table.write(text, columns);
    }
    let mut table = Table::default();
    for file in row.read_again.iter().take(rows) {
        table.row([
            Cell::right(file.after.to_string()).toned(Tone::Dim),
            Cell::left(format!("first at {}", file.before)),
            Cell::left(&*file.path),
        ]);
    }
    if !table.is_empty() {
        text.line([Tone::Dim.on("  files that calls named before it and again after it:")]);
        table.write(text, columns);
    }
}

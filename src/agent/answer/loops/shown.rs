//! The answer to "does the agent loop", as JSON and as text.

use serde_json::{Value, json};

use super::{Again, Loop, LoopKind, LoopsAnswer, Results};
use crate::agent::answer::table::{Cell, Table};
use crate::dialect::answer::Answered;
use crate::text::styled::{StyledText, Tone};
use crate::text::{count, grouped};

impl LoopKind {
    const fn name(self) -> &'static str {
        match self {
            LoopKind::Repeat => "repeat",
            LoopKind::Cycle => "cycle",
            LoopKind::Text => "text",
        }
    }
}

impl Results {
    const fn name(self) -> &'static str {
        match self {
            Results::Same => "same",
            Results::Changed(_) => "changed",
            Results::Unknown => "unknown",
        }
    }

    const fn changed_rounds(self) -> usize {
        if let Results::Changed(rounds) = self { rounds } else { 0 }
    }
}

impl Loop {
    /// Rounds whose results are equal bring nothing new; rounds with other results may be work.
    const fn tier(&self) -> &'static str {
        if let Results::Same = self.results { "likely" } else { "hint" }
    }

    fn tells_results(&self) -> String {
        match self.results {
            Results::Same if self.kind == LoopKind::Text => "the same words".to_owned(),
            Results::Same => "the same results in every round".to_owned(),
            Results::Changed(rounds) => {
                format!("results changed in {} of {} rounds", grouped(rounds as u64), grouped(self.rounds as u64 - 1))
            }
            Results::Unknown => "some results are missing".to_owned(),
        }
    }
}

impl LoopsAnswer {
    fn name(&self, what: u64) -> &str {
        self.collected.names.get(&what).map_or("", |name| name)
    }

    fn verdict(&self) -> &'static str {
        let is_likely = |found: &&Loop| found.tier() == "likely";
        match self.loops.iter().find(is_likely) {
            Some(_) if self.loops.iter().any(|found| is_likely(&found) && found.is_at_end) => "looping",
            Some(_) => "looped",
            None if !self.loops.is_empty() => "repeats",
            None => "none",
        }
    }
}

impl Answered for LoopsAnswer {
    fn document(&self, rows: usize) -> Value {
        let one = |found: &Loop| {
            json!({
                "kind": found.kind.name(), "period": found.period, "rounds": found.rounds, "first": found.first.0,
                "last": found.last.0, "at_end": found.is_at_end, "results": found.results.name(),
                "changed_rounds": found.results.changed_rounds(), "tier": found.tier(),
                "calls": found.round.iter().map(|what| self.name(*what)).collect::<Vec<_>>(),
            })
        };
        let again = |row: &Again| {
            let results = if row.is_same { "same" } else { "changed" };
            json!({
                "what": self.name(row.what), "times": row.times, "first": row.first.0, "last": row.last.0,
                "results": results,
            })
        };
        json!({
            "question": "loops",
            "format": self.collected.format.map(|format| format.name),
            "verdict": self.verdict(),
            "calls": self.collected.acts.len(),
            "polls": self.collected.polls,
            "loops": self.loops.iter().take(rows).map(one).collect::<Vec<_>>(),
            "again": self.again.iter().take(rows).map(again).collect::<Vec<_>>(),
        })
    }

    fn text(&self, rows: usize, columns: usize) -> StyledText {
        let mut text = StyledText::default();
        let program = self.collected.format.map_or("agent", |format| format.program);
        let calls = count(self.collected.acts.len() as u64, "call");
        let polls = count(self.collected.polls, "poll");
        text.line([format!("session of {program}, {calls}; {polls} left out").into()]);
        text.line([match self.verdict() {
            "looping" => Tone::Bad.on("the agent is looping: the log ends in a loop whose results are always the same"),
            "looped" => Tone::Bad.on("the agent looped, and then went on to something else"),
            "repeats" => Tone::Strong.on("the agent repeats itself, but the results differ, so this may be progress"),
            _ => Tone::Good.on("no loop: no call or sequence of calls comes three times in a row"),
        }]);
        for found in self.loops.iter().take(rows) {
            let calls = if found.kind == LoopKind::Text { "the same text" } else { "call" };
            let what = match (found.kind, found.period) {
                (LoopKind::Text, _) => format!("{calls} {} times", grouped(found.rounds as u64)),
                (_, 1) => format!("one call {} times", grouped(found.rounds as u64)),
                (_, period) => format!("{period} calls, {} rounds", grouped(found.rounds as u64)),
            };
            let end = if found.is_at_end { ", to the end" } else { "" };
            text.section(&format!("{what}, events {} to {}{end}: {}", found.first, found.last, found.tells_results()));
            let mut table = Table::default();
            for name in found.round.iter().map(|what| self.name(*what)) {
                table.row([Cell::left(name)]);
            }
            table.write(&mut text, columns);
        }
        if !self.again.is_empty() {
            text.section("repeated calls, not in a row");
            let mut table = Table::default();
            for row in self.again.iter().take(rows) {
                table.row([
                    Cell::right(format!("{}×", grouped(u64::from(row.times)))),
                    Cell::left(format!("events {} to {}", row.first, row.last)).toned(Tone::Dim),
                    Cell::left(if row.is_same { "same result" } else { "results differ" }),
                    Cell::left(self.name(row.what)),
                ]);
            }
            table.write(&mut text, columns);
        }
        text
    }
}

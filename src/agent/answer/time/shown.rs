//! The answer to "where did the time go", as JSON and as text.

use serde_json::{Map, Value, json};

use super::{Actor, Spent, StepTime, TimeAnswer, ToolTime, Wait};
use crate::agent::answer::table::{Cell, Table, percent, share};
use crate::dialect::answer::Answered;
use crate::replay::Seq;
use crate::replay::caption::duration;
use crate::replay::time_shares::{Party, Shares, TimeShares};
use crate::replay::vocabulary::Concern;
use crate::text::styled::{StyledText, Tone};
use crate::text::{clean, count, grouped};

/// Who takes the time, in few words.
static PARTIES: [Party; 5] = [
    Party { name: "model", letter: "m", concern: Concern::Model },
    Party { name: "tools", letter: "t", concern: Concern::Tool },
    Party { name: "person", letter: "p", concern: Concern::User },
    Party { name: "retries", letter: "r", concern: Concern::Rule },
    Party { name: "other", letter: "o", concern: Concern::Background },
];

/// The actors of each party.
const ACTORS: [&[Actor]; PARTIES.len()] = [
    &[Actor::Model],
    &[Actor::Tools, Actor::ToolsAtMost, Actor::AroundTools],
    &[Actor::Person],
    &[Actor::Retries],
    &[Actor::Compaction, Actor::Background, Actor::Other],
];

/// The time of each party.
fn shares(spent: &Spent) -> Shares {
    ACTORS.iter().map(|actors| actors.iter().map(|actor| spent.of(*actor)).sum()).collect()
}

/// The bar of a step has so many cells.
const BAR_CELLS: u64 = 20;

fn seconds(microseconds: u64) -> f64 {
    (microseconds as f64 / 1e3).round() / 1e3
}

fn shown(microseconds: u64) -> String {
    duration(microseconds / 1_000)
}

fn spent_json(spent: &Spent) -> Value {
    let used = Actor::ALL.iter().filter(|actor| spent.of(**actor) > 0);
    Value::Object(used.map(|actor| (actor.name().to_owned(), json!(seconds(spent.of(*actor))))).collect::<Map<_, _>>())
}

impl TimeAnswer {
    /// The steps that took longest.
    fn steps(&self, rows: usize) -> Vec<&StepTime> {
        let mut steps: Vec<&StepTime> = self.0.steps.iter().filter(|step| step.spent.sum() > 0).collect();
        steps.sort_by_key(|step| (std::cmp::Reverse(step.spent.sum()), step.at));
        steps.truncate(rows);
        steps
    }

    fn tools(&self) -> Vec<(&str, &ToolTime)> {
        let mut tools: Vec<(&str, &ToolTime)> = self.0.tools.iter().map(|(name, tool)| (&**name, tool)).collect();
        tools.sort_by_key(|(name, tool)| (std::cmp::Reverse(tool.total), *name));
        tools
    }

    fn total(&self) -> u64 {
        self.0.first.map_or(0, |first| u64::try_from(self.0.now - first).unwrap_or(0))
    }
}

impl Answered for TimeAnswer {
    fn document(&self, rows: usize) -> Value {
        let total = self.total();
        let actor = |actor: &Actor| {
            let time = self.0.total.of(*actor);
            let basis = if actor.is_observed() { "observed" } else { "at_most" };
            json!({"actor": actor.name(), "seconds": seconds(time), "share": share(time, total), "basis": basis})
        };
        let wait = |wait: &Wait| json!({"at": wait.at.0, "actor": wait.actor.name(), "seconds": seconds(wait.time), "what": *wait.label});
        let step = |step: &&StepTime| json!({"at": step.at.0, "seconds": seconds(step.spent.sum()), "actors": spent_json(&step.spent)});
        let tool = |(name, tool): &(&str, &ToolTime)| {
            json!({
                "tool": name, "calls": tool.calls, "measured": tool.measured, "seconds": seconds(tool.total),
                "longest": seconds(tool.longest),
            })
        };
        json!({
            "question": "time",
            "format": self.0.format.map(|format| format.name),
            "seconds": seconds(total),
            "steps_counted": self.0.step_count,
            "actors": Actor::ALL.iter().filter(|actor| self.0.total.of(**actor) > 0).map(actor).collect::<Vec<_>>(),
            "tools": self.tools().iter().take(rows).map(tool).collect::<Vec<_>>(),
            "steps": self.steps(rows).iter().map(step).collect::<Vec<_>>(),
            "waits": self.0.waits.iter().take(rows).map(wait).collect::<Vec<_>>(),
        })
    }

    fn text(&self, rows: usize, columns: usize) -> StyledText {
        let mut text = StyledText::default();
        let (total, program) = (self.total(), self.0.format.map_or("agent", |format| format.program));
        if self.0.first.is_none() {
            text.plain(&format!("session of {program}: its records have no times"));
            return text;
        }
        text.line([
            format!("session of {program}, {}, ", count(self.0.step_count, "step")).into(),
            Tone::Strong.on(shown(total)),
            " from the first record to the last".into(),
        ]);
        text.section("who took the time");
        let mut table = Table::default();
        for actor in Actor::ALL {
            let time = self.0.total.of(actor);
            if time == 0 {
                continue;
            }
            let basis = if actor.is_observed() { "observed" } else { "at most" };
            table.row([
                Cell::left(actor.describes()),
                Cell::right(shown(time)),
                Cell::right(percent(time, total)),
                Cell::left(basis).toned(Tone::Dim),
            ]);
        }
        table.write(&mut text, columns);
        self.write_tools(&mut text, rows, columns);
        self.write_steps(&mut text, rows, columns);
        self.write_waits(&mut text, rows, columns);
        text
    }

    fn time_shares(&self) -> Option<TimeShares> {
        Some(self.shares())
    }
}

impl TimeAnswer {
    pub(super) fn shares(&self) -> TimeShares {
        let measured = |actors: &&[Actor]| {
            actors.iter().filter(|actor| actor.is_observed()).map(|actor| self.0.total.of(*actor)).sum()
        };
        let party = |actor: Actor| ACTORS.iter().position(|actors| actors.contains(&actor));
        let wait = |wait: &Wait| Some((wait.at, party(wait.actor)?, wait.time));
        let mut waits: Vec<(Seq, usize, u64)> = self.0.waits.iter().filter_map(wait).collect();
        waits.sort_unstable();
        TimeShares {
            parties: &PARTIES,
            total: shares(&self.0.total),
            measured: ACTORS.iter().map(measured).collect(),
            steps: self.0.steps.iter().map(|step| (step.at, shares(&step.spent))).collect(),
            waits,
        }
    }

    fn write_tools(&self, text: &mut StyledText, rows: usize, columns: usize) {
        let mut table = Table::default();
        for (name, tool) in self.tools().into_iter().filter(|(_, tool)| tool.total > 0).take(rows) {
            let basis = match tool.measured {
                0 => "at most".to_owned(),
                measured if measured == tool.calls => "observed".to_owned(),
                measured => format!("{} observed", grouped(measured)),
            };
            table.row([
                Cell::left(if name.is_empty() { "(no call in the log)" } else { name }).toned(Tone::Name),
                Cell::right(count(tool.calls, "call")),
                Cell::right(shown(tool.total)),
                Cell::left(format!("longest {}", shown(tool.longest))),
                Cell::left(basis).toned(Tone::Dim),
            ]);
        }
        if !table.is_empty() {
            text.section("calls by tool; parallel calls overlap");
            table.write(text, columns);
        }
    }

    fn write_steps(&self, text: &mut StyledText, rows: usize, columns: usize) {
        let steps = self.steps(rows);
        let Some(longest) = steps.first().map(|step| step.spent.sum()) else { return };
        text.section("the longest steps: m model, t tools, p person, r retries, o other");
        let mut table = Table::default();
        for step in steps {
            table.row([
                Cell::right(step.at.to_string()).toned(Tone::Dim),
                Cell::right(shown(step.spent.sum())),
                Cell::left(bar(&step.spent, longest)),
            ]);
        }
        table.write(text, columns);
    }

    fn write_waits(&self, text: &mut StyledText, rows: usize, columns: usize) {
        text.section("the longest waits; each ends at its event");
        let mut table = Table::default();
        for wait in self.0.waits.iter().take(rows) {
            table.row([
                Cell::right(wait.at.to_string()).toned(Tone::Dim),
                Cell::right(shown(wait.time)),
                Cell::left(wait.actor.describes()).toned(Tone::Name),
                Cell::left(clean(&wait.label)),
            ]);
        }
        table.write(text, columns);
    }
}

/// The letters of the parties, as many as their parts of the longest step.
fn bar(spent: &Spent, longest: u64) -> String {
    let cells = |time: u64| (time.saturating_mul(BAR_CELLS) + longest / 2).checked_div(longest).unwrap_or(0) as usize;
    PARTIES.iter().zip(shares(spent)).map(|(party, time)| party.letter.repeat(cells(time))).collect()
}

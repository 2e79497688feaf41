//! The answer to "why did the context grow", as JSON and as text.

use serde_json::{Value, json};

use super::GrowthAnswer;
use super::cache::{Cause, Miss};
use super::part::{Basis, Part, PartKind};
use super::words::Use;
use crate::agent::answer::table::{Cell, Table, percent, share};
use crate::dialect::answer::Answered;
use crate::replay::Seq;
use crate::text::styled::{StyledText, Tone};
use crate::text::{clean, count, grouped};

/// Whether a part is still in the context at the end of the log.
enum Presence {
    Inside,
    /// Kept by name at the last compaction.
    Kept,
    DroppedAt(Seq),
    /// The context lost much that no record names.
    Unknown,
}

impl GrowthAnswer {
    fn entered(&self) -> u64 {
        self.0.sums.values().map(|(_, tokens)| tokens).sum()
    }

    fn presence(&self, part: &Part) -> Presence {
        if let Some(boundary) = self.0.boundaries.get(part.epoch as usize) {
            return Presence::DroppedAt(*boundary);
        }
        match self.0.unknown_before {
            Some(drop) if part.at < drop => Presence::Unknown,
            _ if part.is_kept => Presence::Kept,
            _ => Presence::Inside,
        }
    }

    fn is_inside(&self, part: &Part) -> bool {
        matches!(self.presence(part), Presence::Inside | Presence::Kept)
    }

    /// Results that are in the context, with the number of words that they brought and the model never wrote.
    fn unused(&self) -> impl Iterator<Item = (&Part, u32)> {
        let unused = |part: &'_ Part| match self.0.words.use_of(part.source?) {
            Use::Never(words) => Some(words),
            Use::At(_) | Use::NotJudged => None,
        };
        self.0.parts.iter().filter(|part| self.is_inside(part)).filter_map(move |part| Some((part, unused(part)?)))
    }

    /// Results that are in the context and equal an earlier one.
    fn repeats(&self) -> impl Iterator<Item = (&Part, Seq)> {
        let inside = self.0.parts.iter().filter(|part| self.is_inside(part));
        inside.filter_map(|part| Some((part, part.repeats?)))
    }

    fn part_json(&self, part: &Part) -> Value {
        let (presence, dropped) = match self.presence(part) {
            Presence::Inside => ("inside", None),
            Presence::Kept => ("kept", None),
            Presence::DroppedAt(at) => ("dropped", Some(at.0)),
            Presence::Unknown => ("unknown", None),
        };
        json!({
            "at": part.at.0, "kind": part.kind.name(), "what": *part.label, "tool": part.tool, "tokens": part.tokens,
            "share": share(part.tokens, self.entered()), "basis": part.basis.name(), "presence": presence,
            "dropped_at": dropped,
        })
    }

    fn cache_json(&self, rows: usize) -> Value {
        let cache = &self.0.cache;
        let miss = |miss: &&Miss| {
            let pause = if let Cause::Pause(seconds) = miss.cause { Some(seconds) } else { None };
            json!({
                "at": miss.at.0, "expected": miss.expected, "read": miss.read, "lost": miss.lost(),
                "cause": miss.cause.name(), "tier": miss.cause.tier(), "pause_s": pause,
                "intact_until": miss.intact_until.map(|at| at.0),
            })
        };
        json!({
            "prompt_tokens": cache.prompt, "read_tokens": cache.read, "miss_count": cache.miss_count,
            "lost_tokens": cache.lost, "misses": self.misses(rows).iter().map(miss).collect::<Vec<_>>(),
        })
    }

    /// The greatest misses. A program that never reads from a cache does not miss it.
    fn misses(&self, rows: usize) -> Vec<&Miss> {
        let mut misses: Vec<&Miss> = self.0.cache.misses.iter().filter(|_| self.0.cache.read > 0).collect();
        misses.sort_by_key(|miss| (std::cmp::Reverse(miss.lost()), miss.at));
        misses.truncate(rows);
        misses
    }
}

impl Answered for GrowthAnswer {
    fn document(&self, rows: usize) -> Value {
        let (growth, entered) = (&self.0, self.entered());
        let row = |name: &str, (count, tokens): (u64, u64)| json!({"name": name, "count": count, "tokens": tokens, "share": share(tokens, entered)});
        let kinds: Vec<Value> = growth.sums.iter().map(|(kind, sum)| row(kind.name(), *sum)).collect();
        let tools: Vec<Value> = growth.tools.iter().map(|(tool, sum)| row(tool, *sum)).collect();
        let drop = |drop: &super::Drop| {
            let why = if drop.is_compaction { "compaction" } else { "not_recorded" };
            json!({"at": drop.at.0, "before": drop.before, "after": drop.after, "why": why})
        };
        let unused = |(part, words): (&Part, u32)| {
            json!({
                "at": part.at.0, "what": *part.label, "tokens": part.tokens, "new_words": words, "tier": "hint",
            })
        };
        let repeat = |(part, first): (&Part, Seq)| json!({"at": part.at.0, "first": first.0, "what": *part.label, "tokens": part.tokens, "tier": "proven"});
        json!({
            "question": "growth",
            "format": growth.format.map(|format| format.name),
            "steps": growth.steps,
            "context": growth.context,
            "peak": growth.peak.map(|(at, tokens)| json!({"at": at.0, "tokens": tokens})),
            "entered": entered,
            "since_compaction": {"entered": growth.epoch_entered, "dropped": growth.epoch_dropped},
            "kinds": kinds,
            "tools": tools,
            "parts": growth.parts.iter().take(rows).map(|part| self.part_json(part)).collect::<Vec<_>>(),
            "drops": growth.drops.iter().map(drop).collect::<Vec<_>>(),
            "unused": self.unused().take(rows).map(unused).collect::<Vec<_>>(),
            "repeats": self.repeats().take(rows).map(repeat).collect::<Vec<_>>(),
            "cache": self.cache_json(rows),
        })
    }

    fn text(&self, rows: usize, columns: usize) -> StyledText {
        let mut text = StyledText::default();
        let growth = &self.0;
        let program = growth.format.map_or("agent", |format| format.program);
        let Some((context, (peak_at, peak))) = growth.context.zip(growth.peak) else {
            text.plain(&format!("session of {program}: the sizes of its prompts are not recorded, so it is not known how the context grew"));
            return text;
        };
        let steps = count(growth.steps, "step");
        text.line([format!("session of {program}, {steps}").into()]);
        text.line([
            "the context has ".into(),
            Tone::Strong.on(count(context, "token")),
            format!(" at the end; the maximum was {} at event {peak_at}", grouped(peak)).into(),
        ]);
        self.write_kinds(&mut text, columns);
        self.write_parts(&mut text, rows, columns);
        self.write_drops(&mut text, rows, columns);
        self.write_unused(&mut text, rows, columns);
        self.write_cache(&mut text, rows, columns);
        text
    }
}

impl GrowthAnswer {
    fn write_kinds(&self, text: &mut StyledText, columns: usize) {
        let entered = self.entered();
        text.section(&format!("what entered the context: {}", count(entered, "token")));
        let mut table = Table::default();
        for kind in PartKind::ALL {
            let Some((count, tokens)) = self.0.sums.get(&kind).filter(|(_, tokens)| *tokens > 0) else { continue };
            let times = if matches!(kind, PartKind::Base | PartKind::Kept) { String::new() } else { grouped(*count) };
            table.row([
                Cell::left(kind.describes()),
                Cell::right(times),
                Cell::right(grouped(*tokens)),
                Cell::right(percent(*tokens, entered)),
            ]);
        }
        table.write(text, columns);
        let mut tools: Vec<_> = self.0.tools.iter().filter(|(_, (_, tokens))| *tokens > 0).collect();
        tools.sort_by_key(|(name, (_, tokens))| (std::cmp::Reverse(*tokens), *name));
        let tools: Vec<String> = tools
            .iter()
            .take(6)
            .map(|(name, (_, tokens))| format!("{} {}", clean(name), percent(*tokens, entered)))
            .collect();
        if !tools.is_empty() {
            text.line([Tone::Dim.on(format!("  results by tool: {}", tools.join(", ")))]);
        }
    }

    fn write_parts(&self, text: &mut StyledText, rows: usize, columns: usize) {
        text.section("the events that added most");
        let mut table = Table::default();
        for part in self.0.parts.iter().take(rows) {
            let about = if part.basis == Basis::Estimated { "≈" } else { "" };
            let presence = match self.presence(part) {
                Presence::Inside => "in context".to_owned(),
                Presence::Kept => "kept".to_owned(),
                Presence::DroppedAt(at) => format!("dropped at {at}"),
                Presence::Unknown => "not known".to_owned(),
            };
            let label = if part.label.is_empty() { part.kind.describes() } else { &*part.label };
            table.row([
                Cell::right(part.at.to_string()).toned(Tone::Dim),
                Cell::right(format!("{about}{}", grouped(part.tokens))),
                Cell::right(percent(part.tokens, self.entered())),
                Cell::left(presence),
                Cell::left(part.kind.name()).toned(Tone::Name),
                Cell::left(label),
            ]);
        }
        table.write(text, columns);
    }

    fn write_drops(&self, text: &mut StyledText, rows: usize, columns: usize) {
        let is_great = |drop: &&super::Drop| drop.is_compaction || (drop.before - drop.after) * 20 > drop.before;
        let drops: Vec<&super::Drop> = self.0.drops.iter().filter(is_great).take(rows).collect();
        if drops.is_empty() {
            return;
        }
        text.section("where the context became smaller");
        let mut table = Table::default();
        for drop in drops {
            let why = if drop.is_compaction {
                "compaction"
            } else {
                "no record says why: a rewind, a resume or cleared results"
            };
            table.row([
                Cell::right(drop.at.to_string()).toned(Tone::Dim),
                Cell::right(grouped(drop.before)),
                Cell::left("→"),
                Cell::right(grouped(drop.after)),
                Cell::left(why),
            ]);
        }
        table.write(text, columns);
    }

    fn write_unused(&self, text: &mut StyledText, rows: usize, columns: usize) {
        let mut table = Table::default();
        for (part, words) in self.unused().take(rows) {
            let brought = format!("brought {}, the model wrote none of them", count(u64::from(words), "new word"));
            table.row([
                Cell::right(part.at.to_string()).toned(Tone::Dim),
                Cell::right(grouped(part.tokens)),
                Cell::left(brought),
                Cell::left(&*part.label),
            ]);
        }
        if !table.is_empty() {
            text.section("still in the context and perhaps never used (a hint: thoughts are not in the log)");
            table.write(text, columns);
        }
        let mut table = Table::default();
        for (part, first) in self.repeats().take(rows) {
            table.row([
                Cell::right(part.at.to_string()).toned(Tone::Dim),
                Cell::right(grouped(part.tokens)),
                Cell::left(format!("the same text as event {first}")),
                Cell::left(&*part.label),
            ]);
        }
        if !table.is_empty() {
            text.section("in the context more than once");
            table.write(text, columns);
        }
    }

    fn write_cache(&self, text: &mut StyledText, rows: usize, columns: usize) {
        let cache = &self.0.cache;
        if cache.read == 0 {
            text.section("cache: no prompt was read from a cache, or the program does not record it");
            return;
        }
        let misses = count(cache.miss_count, "miss").replace("misss", "misses");
        text.section(&format!(
            "cache: {} of all prompt tokens were read from it; {misses}, {} tokens read again",
            percent(cache.read, cache.prompt),
            grouped(cache.lost),
        ));
        let mut table = Table::default();
        for miss in self.misses(rows) {
            let cause = match &miss.cause {
                Cause::Compaction => "the context was compacted".to_owned(),
                Cause::ModelChanged => "another model".to_owned(),
                Cause::Pause(seconds) => format!("a pause of {} min (likely)", seconds / 60),
                Cause::HistoryChanged(tokens) => format!("the history lost {} tokens (likely)", grouped(*tokens)),
                Cause::PutIn(name, at) => format!("{} at event {at} (a hint)", clean(name)),
                Cause::NotRecorded => "no record says why".to_owned(),
            };
            let intact = match miss.intact_until {
                Some(at) => format!("cached up to event {at}"),
                None => "the beginning was not cached".to_owned(),
            };
            table.row([
                Cell::right(miss.at.to_string()).toned(Tone::Dim),
                Cell::right(grouped(miss.lost())),
                Cell::left(cause),
                Cell::left(intact),
            ]);
        }
        table.write(text, columns);
    }
}

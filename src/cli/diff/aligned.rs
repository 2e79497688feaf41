//! The mode `aligned` of `diff`: the verdict, the first difference, all differences, and drift.

use std::io::Write;

use color_eyre::eyre::{self, eyre};
use serde_json::{Map, Value, json};

use crate::cli::paint::{Paint, clean, columns, count, fit, grouped, pad};
use crate::cli::replayed::ReplayedLog;
use crate::compare::drift::Drift;
use crate::compare::member::{Member, MemberDifferences};
use crate::compare::run::{AlignedPair, How, Side};
use crate::compare::verdict::ComparisonVerdict;
use crate::compare::{Comparison, PairDifference, Trouble, members_at};
use crate::replay::Seq;
use crate::replay::imprint::Names;
use crate::replay::moment::Emitted;

/// How many events are printed before and after the first difference.
const NEIGHBOURS: u32 = 3;
/// How many members of one event are listed.
const MEMBERS_SHOWN: usize = 20;

pub(super) struct Aligned<'l> {
    left: &'l ReplayedLog,
    right: &'l ReplayedLog,
    comparison: Comparison,
    verdict: ComparisonVerdict,
    drift: Drift,
}

fn trouble(trouble: Trouble) -> eyre::Report {
    eyre!("{trouble}")
}

impl<'l> Aligned<'l> {
    pub(super) fn of(left: &'l ReplayedLog, right: &'l ReplayedLog) -> eyre::Result<Self> {
        let (one, two) = (left.replay(), right.replay());
        let comparison = Comparison::between(one, two).map_err(trouble)?;
        let verdict = comparison.verdict(one, two).map_err(trouble)?;
        let drift = comparison.drift(one, two).map_err(trouble)?;
        Ok(Aligned { left, right, comparison, verdict, drift })
    }

    pub(super) fn is_same(&self) -> bool {
        self.verdict == ComparisonVerdict::Same
    }

    pub(super) fn drifted(&self) -> bool {
        self.drift.events > 0
    }

    /// Headers are not events, so they are reported separately.
    fn heads_differ(&self) -> bool {
        let head = |replayed: &ReplayedLog| replayed.replay().source().head().map(|head| head.bytes.clone());
        head(self.left) != head(self.right)
    }

    fn log(&self, side: Side) -> &'l ReplayedLog {
        if side == Side::Left { self.left } else { self.right }
    }

    fn sentence(&self) -> String {
        self.verdict.sentence(self.left.replay(), self.right.replay())
    }

    fn difference(&self, spot: AlignedPair) -> eyre::Result<Option<PairDifference>> {
        self.comparison.at(self.left.replay(), self.right.replay(), spot).map_err(trouble)
    }

    fn members(&self, spot: AlignedPair) -> eyre::Result<MemberDifferences> {
        if spot.how != How::Changed {
            return Ok(MemberDifferences::default());
        }
        members_at(self.left.replay(), self.right.replay(), spot.left, spot.right).map_err(trouble)
    }

    pub(super) fn write_text(&self, limit: usize, paint: Paint, out: &mut dyn Write) -> eyre::Result<()> {
        let mark = if self.is_same() { paint.good("✓") } else { paint.bad("✗") };
        writeln!(out, "{mark} {}", clean(&self.sentence()))?;
        for side in Side::BOTH {
            let events = grouped(u64::from(self.comparison.len(side)));
            let name = paint.strong(&clean(&self.log(side).name));
            writeln!(out, "  {} {name} · {events} events", pad(side.name(), 5))?;
        }
        if self.comparison.names == Names::Fresh {
            writeln!(
                out,
                "  {}",
                paint.dim("the logs have no turn in common, so ids may differ as long as they correspond")
            )?;
        }
        if self.heads_differ() {
            let note = "the headers differ: version, script or arguments (`report` prints them)";
            writeln!(out, "  {}", paint.dim(note))?;
        }
        if let Some(first) = self.comparison.first_divergence() {
            self.write_first(first, paint, out)?;
            self.write_all(limit, paint, out)?;
        }
        self.write_drift(paint, out)
    }

    fn write_first(&self, first: AlignedPair, paint: Paint, out: &mut dyn Write) -> eyre::Result<()> {
        writeln!(out, "\n{}", paint.strong("first difference"))?;
        let (before, after) = self.comparison.around(first, NEIGHBOURS);
        for spot in before.into_iter().chain([first]).chain(after) {
            self.write_spot(spot, paint, out)?;
        }
        let Some(difference) = self.difference(first)? else { return Ok(()) };
        let (members, _) = self.comparison.split_members(first, &difference.members);
        for member in members.into_iter().take(MEMBERS_SHOWN) {
            self.write_member(member, paint, out)?;
        }
        let vocabulary = self.left.replay().vocabulary();
        let step = &difference.step;
        // States contain the ids, too, so in two recordings they always differ.
        if self.comparison.names == Names::Exact && !step.fields.is_empty() {
            writeln!(out, "\n{}", paint.strong("projection after this event"))?;
            let moment = |side: Side, at: Seq| {
                let moment = self.log(side).replay().moment(at).map_err(|gone| self.log(side).gone(gone))?;
                moment.ok_or_else(|| eyre!("{}: there is no event {at}", self.log(side).name))
            };
            let (one, two) = (moment(Side::Left, first.left)?, moment(Side::Right, first.right)?);
            for field in step.fields.iter() {
                writeln!(out, "  {}", paint.name(vocabulary.field_name(field)))?;
                self.write_two(&one.sides.brief(field, room()), &two.sides.brief(field, room()), paint, out)?;
            }
        }
        let effects = |effects: &[Emitted]| -> Vec<String> {
            let line = |effect: &Emitted| format!("{} {}", vocabulary.effect_name(effect.kind), effect.detail);
            effects.iter().map(line).collect()
        };
        let (gone, new) = (effects(&step.effects_gone), effects(&step.effects_new));
        if self.comparison.names == Names::Exact && gone.len() + new.len() > 0 {
            writeln!(out, "\n{}", paint.strong("effects of this event"))?;
            let none = |list: Vec<String>| if list.is_empty() { "none".to_owned() } else { list.join("; ") };
            self.write_two(&none(gone), &none(new), paint, out)?;
        }
        Ok(())
    }

    /// Prints one event of the alignment: its mark, numbers, kind and summary.
    fn write_spot(&self, spot: AlignedPair, paint: Paint, out: &mut dyn Write) -> eyre::Result<()> {
        let number = |side| spot.event(side).map_or_else(String::new, |at| at.to_string());
        let numbers = format!("{:>7} {:>7}", number(Side::Left), number(Side::Right));
        let side = if spot.how == How::OnlyRight { Side::Right } else { Side::Left };
        let at = spot.event(side).unwrap_or_default();
        let log = self.log(side);
        let lines = log.replay().lines(&[at]).map_err(|gone| log.gone(gone))?;
        let Some(line) = lines.first() else { return Ok(()) };
        let kind = pad(log.replay().vocabulary().kind_name(line.row.kind), 22);
        let text = format!("{kind} {}", fit(&line.summary, room().saturating_sub(42).max(20)));
        let (sign, text) = match spot.how {
            How::Same => (" ".to_owned(), paint.dim(&text)),
            How::Changed => (paint.strong("≠"), text),
            How::OnlyLeft => (paint.expected("−"), text),
            How::OnlyRight => (paint.actual("+"), text),
        };
        writeln!(out, "{sign} {} {text}", paint.dim(&numbers))?;
        Ok(())
    }

    fn write_member(&self, member: &Member, paint: Paint, out: &mut dyn Write) -> eyre::Result<()> {
        writeln!(out, "\n  {}", paint.name(&clean(&member.path)))?;
        let text = |value: &Option<Value>| value.as_ref().map_or_else(|| "missing".to_owned(), Value::to_string);
        let (one, two) = (text(&member.left), text(&member.right));
        let (one, two) = from_the_difference_on(&one, &two);
        self.write_two(&one, &two, paint, out)
    }

    fn write_two(&self, expected: &str, actual: &str, paint: Paint, out: &mut dyn Write) -> eyre::Result<()> {
        writeln!(out, "    {} {}", paint.dim("expected"), paint.expected(&fit(expected, room())))?;
        writeln!(out, "    {} {}", paint.dim("actual  "), paint.actual(&fit(actual, room())))?;
        Ok(())
    }

    fn write_all(&self, limit: usize, paint: Paint, out: &mut dyn Write) -> eyre::Result<()> {
        let all = self.comparison.divergence_count();
        let counts =
            [(How::Changed, "changed"), (How::OnlyLeft, "only on the left"), (How::OnlyRight, "only on the right")]
                .map(|(how, words)| (self.comparison.count(how), words));
        let counts = counts.iter().filter(|(number, _)| *number > 0);
        let counts: Vec<String> = counts.map(|(number, words)| format!("{} {words}", grouped(*number))).collect();
        writeln!(out, "\n{} · {}", paint.strong(&count(all, "difference")), counts.join(", "))?;
        for spot in self.comparison.divergences().take(limit) {
            self.write_spot(spot, paint, out)?;
            let members = self.members(spot)?;
            let (members, _) = self.comparison.split_members(spot, &members);
            let paths = members.iter().map(|member| &*member.path).collect::<Vec<_>>().join(" ");
            if !paths.is_empty() {
                writeln!(out, "  {:>15} {}", "", paint.name(&fit(&paths, room().saturating_sub(18).max(20))))?;
            }
        }
        let rest = all.saturating_sub(limit as u64);
        if rest > 0 {
            writeln!(out, "  … and {} more; --limit N lists more", grouped(rest))?;
        }
        if self.comparison.is_coarse {
            let note = "the logs are very different, so the alignment is approximate and may list more differences than there are";
            writeln!(out, "  {}", paint.dim(note))?;
        }
        Ok(())
    }

    fn write_drift(&self, paint: Paint, out: &mut dyn Write) -> eyre::Result<()> {
        if !self.drifted() {
            return Ok(());
        }
        let events = count(self.drift.events, "event");
        writeln!(out, "\n{} · in {events} whose content is otherwise equal", paint.strong("drift"))?;
        for (path, drifted) in &self.drift.members {
            let sums = drifted.sums.map_or_else(String::new, |(left, right)| format!(" · total {left} → {right}"));
            writeln!(out, "  {} {}{sums}", paint.name(&pad(&clean(path), 32)), count(drifted.events, "event"))?;
        }
        if self.drift.is_partial {
            writeln!(out, "  {}", paint.dim("only the first of these events were compared member by member"))?;
        }
        Ok(())
    }

    pub(super) fn to_json(&self, limit: usize) -> eyre::Result<Value> {
        let first = self.comparison.first_divergence();
        let listed = self.comparison.divergences().take(limit).map(|spot| self.spot_json(spot));
        let drifted = |drifted: &crate::compare::drift::Drifted| {
            let sum = |side: fn((f64, f64)) -> f64| drifted.sums.map(side);
            json!({"events": drifted.events, "left_sum": sum(|sums| sums.0), "right_sum": sum(|sums| sums.1)})
        };
        let members = self.drift.members.iter().map(|(path, entry)| (path.clone(), drifted(entry)));
        let all = self.comparison.divergence_count();
        Ok(json!({
            "verdict": self.verdict.name(), "headers_differ": self.heads_differ(),
            "sentence": self.sentence(),
            "names": if self.comparison.names == Names::Exact { "exact" } else { "fresh" },
            "coarse": self.comparison.is_coarse,
            "left_events": self.comparison.len(Side::Left),
            "right_events": self.comparison.len(Side::Right),
            "same": self.comparison.count(How::Same),
            "changed": self.comparison.count(How::Changed),
            "only_left": self.comparison.count(How::OnlyLeft),
            "only_right": self.comparison.count(How::OnlyRight),
            "first_divergence": first.map(|first| self.first_json(first)).transpose()?,
            "divergences": listed.collect::<eyre::Result<Vec<Value>>>()?,
            "divergences_not_listed": all.saturating_sub(limit as u64),
            "drift": {
                "events": self.drift.events,
                "first": self.drift.first.map(|(left, right)| json!({"left": left.0, "right": right.0})),
                "members": members.collect::<Map<String, Value>>(),
                "partial": self.drift.is_partial,
            },
        }))
    }

    fn spot_json(&self, spot: AlignedPair) -> eyre::Result<Value> {
        let members = self.members(spot)?;
        let kind = |side: Side| {
            let row = spot.event(side).and_then(|at| self.log(side).replay().row(at));
            row.map(|row| self.log(side).replay().vocabulary().kind_name(row.kind))
        };
        let (content, drift) = self.comparison.split_members(spot, &members);
        let as_json = |list: Vec<&Member>| list.into_iter().map(member_json).collect::<Vec<Value>>();
        Ok(json!({
            "how": spot.how.name(),
            "left": spot.event(Side::Left).map(|at| at.0),
            "right": spot.event(Side::Right).map(|at| at.0),
            "left_kind": kind(Side::Left),
            "right_kind": kind(Side::Right),
            "members": as_json(content),
            "drift": as_json(drift),
        }))
    }

    /// The first difference, with the states and effects of both sides.
    fn first_json(&self, first: AlignedPair) -> eyre::Result<Value> {
        let mut document = self.spot_json(first)?;
        // The place where the missing event would be.
        document["left_place"] = json!(first.left.0);
        document["right_place"] = json!(first.right.0);
        if let Some(difference) = self.difference(first)? {
            let vocabulary = self.left.replay().vocabulary();
            let step = difference.step;
            let effects = |list: Vec<Emitted>| list.into_iter().map(|effect| effect.payload).collect::<Vec<Value>>();
            document["projection"] =
                json!(step.fields.iter().map(|field| vocabulary.field_name(field)).collect::<Vec<_>>());
            document["effects_gone"] = json!(effects(step.effects_gone));
            document["effects_new"] = json!(effects(step.effects_new));
        }
        Ok(document)
    }
}

fn room() -> usize {
    columns().saturating_sub(14)
}

fn member_json(member: &Member) -> Value {
    // A missing member is omitted, so that it is not mistaken for null.
    let mut object = json!({"path": member.path});
    for (key, value) in [("expected", &member.left), ("actual", &member.right)] {
        if let Some(value) = value {
            object[key] = value.clone();
        }
    }
    object
}

/// Cuts two long texts so that they start shortly before their first difference.
fn from_the_difference_on(one: &str, two: &str) -> (String, String) {
    const BEFORE: usize = 20;
    let same = one.chars().zip(two.chars()).take_while(|(one, two)| one == two).count();
    let skipped = same.saturating_sub(BEFORE);
    if skipped == 0 || one.chars().count().max(two.chars().count()) <= room() {
        return (one.to_owned(), two.to_owned());
    }
    let cut = |text: &str| format!("…{}", text.chars().skip(skipped).collect::<String>());
    (cut(one), cut(two))
}

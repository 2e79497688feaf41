//! The text of `stepback doctor`.

mod reach;

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::{DoctorOutcome, Examined, FileReport, RULES_DATE, RULES_REST_ON, RepairPlan};
use crate::cli::args::DoctorArgs;
use crate::cli::paint::{Paint, clean, columns, count, fit, grouped, pad};
use crate::doctor::checks::CHAIN_BROKEN;
use crate::doctor::client::Healing;
use crate::doctor::context::Reach;
use crate::doctor::detect::Agent;
use crate::doctor::problem::{Problem, Tier, Verdict};
use crate::doctor::session::Row;
use crate::replay::check::Severity;
use crate::text::paragraph;

/// How many findings of one check are printed.
const SHOWN_PER_CHECK: usize = 10;
/// The column where the text of a finding begins.
const INDENT: usize = 14;
/// How much of an id is shown.
const ID_COLUMNS: usize = 40;

pub(super) fn write(report: &FileReport, args: &DoctorArgs, paint: Paint, out: &mut dyn Write) -> io::Result<()> {
    let name = clean(&report.name);
    match &report.outcome {
        // Already reported on standard error.
        DoctorOutcome::Trouble(_) => Ok(()),
        DoctorOutcome::NotASession => {
            let says = "not a session: neither Claude Code nor Codex wrote this file";
            writeln!(out, "{} {name}: {says}", paint.bad("✗"))
        }
        DoctorOutcome::Examined(examined) => DoctorText { examined, args, paint, out }.file(&name),
    }
}

/// What the verdict rests on, in short. The page says more.
pub(super) fn footer(paint: Paint, out: &mut dyn Write) -> io::Result<()> {
    let text = format!(
        "Rules of {RULES_DATE} ({RULES_REST_ON}). They see the file only: a session that passes can still fail because of \
         the account, the model, the tools or the length of the context. docs/doctor.md lists the limits."
    );
    writeln!(out)?;
    paragraph(&text, columns()).iter().try_for_each(|line| writeln!(out, "{}", paint.dim(line)))
}

struct DoctorText<'a> {
    examined: &'a Examined,
    args: &'a DoctorArgs,
    paint: Paint,
    out: &'a mut dyn Write,
}

impl DoctorText<'_> {
    fn file(mut self, name: &str) -> io::Result<()> {
        self.head(name)?;
        let mut shown: BTreeMap<&str, usize> = BTreeMap::new();
        for problem in &self.examined.examination.problems {
            let shown = shown.entry(problem.rule.check.id).or_default();
            *shown += 1;
            if *shown <= SHOWN_PER_CHECK {
                self.problem(problem)?;
            }
        }
        for (check, number) in shown.iter().filter(|(_, number)| **number > SHOWN_PER_CHECK) {
            let more = (number - SHOWN_PER_CHECK) as u64;
            writeln!(self.out, "  … {} more of {check} (--json lists them)", grouped(more))?;
        }
        if self.examined.is_being_written {
            self.labelled("note", "another program is writing this file, so it can be examined but not repaired")?;
        }
        if let Some(plan) = &self.examined.plan {
            self.plan(plan, name)?;
        }
        if self.args.reach {
            reach::write(&self.examined.examination.branches, self.paint, self.out)?;
        }
        if self.args.history {
            self.history(&self.examined.examination.history)?;
        }
        Ok(())
    }

    fn head(&mut self, name: &str) -> io::Result<()> {
        let examined = self.examined;
        let mark = match examined.verdict {
            Verdict::Resumes => self.paint.good("✓"),
            Verdict::LosesHistory => self.paint.severity(Severity::Warning, "!"),
            _ => self.paint.bad("✗"),
        };
        let verdict = match examined.verdict {
            Verdict::Resumes => self.paint.good("resumes"),
            Verdict::LosesHistory => self.paint.severity(Severity::Warning, "resumes, but loses history"),
            other => self.paint.bad(other.name()),
        };
        let counts = examined.examination.counts;
        let version = examined.version.as_deref().map(|version| format!(" {}", clean(version))).unwrap_or_default();
        let unit = if examined.agent == Agent::Claude { "message" } else { "item" };
        writeln!(
            self.out,
            "{mark} {}: {verdict}  {}{version}, {} of {} conversation lines reached, {}",
            self.paint.strong(name),
            examined.agent.title(),
            grouped(counts.reachable_conversation_lines as u64),
            grouped(counts.conversation_lines as u64),
            count(counts.messages as u64, unit),
        )?;
        let reach = &examined.examination.reach;
        let reasons: Vec<String> = Reach::UNREACHED
            .iter()
            .filter_map(|reason| {
                Some(format!("{} {}", grouped(*reach.get(reason)? as u64), reason.name().replace('_', " ")))
            })
            .collect();
        if reasons.is_empty() { Ok(()) } else { self.labelled("not sent", &reasons.join(", ")) }
    }

    /// A line with a label before it, wrapped.
    fn labelled(&mut self, label: &str, text: &str) -> io::Result<()> {
        let mut label = pad(label, INDENT - 4);
        for line in paragraph(text, columns().saturating_sub(INDENT)) {
            writeln!(self.out, "  {label}  {line}")?;
            label = " ".repeat(INDENT - 4);
        }
        Ok(())
    }

    fn below(&mut self, text: &str) -> io::Result<()> {
        let indent = " ".repeat(INDENT);
        paragraph(text, columns().saturating_sub(INDENT))
            .iter()
            .try_for_each(|line| writeln!(self.out, "{indent}{line}"))
    }

    fn problem(&mut self, problem: &Problem) -> io::Result<()> {
        let by = self.examined.asked();
        let (severity, is_healed) = (problem.severity(by), problem.is_healed(by));
        let label = match severity {
            _ if is_healed => "healed",
            Severity::Error | Severity::Critical if problem.rule.tier == Tier::Loader => "unreadable",
            Severity::Error | Severity::Critical => "refused",
            Severity::Warning if problem.rule.loses_history => "loses",
            Severity::Warning => "warning",
            Severity::Info => "info",
        };
        let id = problem.id.as_deref().map(|id| format!("  {}", fit(&clean(id), ID_COLUMNS))).unwrap_or_default();
        let place = if problem.line == 0 { String::new() } else { format!("line {}  ", problem.line) };
        writeln!(
            self.out,
            "  {}  {place}{}{id}",
            self.paint.severity(severity, &pad(label, INDENT - 4)),
            self.paint.name(problem.rule.check.id)
        )?;
        self.below(&problem.message())?;
        if is_healed {
            return self.below(&healed(self.examined.agent, problem));
        }
        if let Some(detail) = &problem.detail {
            self.below(detail)?;
        }
        if severity >= Severity::Error {
            self.below(&format!("{}: {}", answer(problem, self.examined.agent), problem.predicted))?;
        }
        if problem.rule == &CHAIN_BROKEN && !self.args.relink {
            self.below("--relink makes the message before this line its parent")?;
        }
        let step =
            self.examined.plan.as_ref().and_then(|plan| plan.repair.steps.iter().find(|step| step.is_for(problem)));
        if let Some(step) = step {
            let does = step.does.replace("the line", &format!("line {}", problem.line));
            self.below(&format!("repair: {does}"))?;
        }
        Ok(())
    }

    fn plan(&mut self, plan: &RepairPlan, name: &str) -> io::Result<()> {
        if !plan.repair.unmended.is_empty() {
            let lines: Vec<String> = plan.repair.unmended.iter().take(SHOWN_PER_CHECK).map(unmended).collect();
            return self.labelled(
                "no repair",
                &format!("nothing is written, because these problems cannot be repaired: {}", lines.join(", ")),
            );
        }
        let edits = &plan.edits;
        if edits.is_empty() {
            let copy = if plan.is_written { "; the copy is exact" } else { "" };
            return self.labelled("repair", &format!("nothing to repair{copy}"));
        }
        if self.args.wants_edits() {
            self.edits(plan)?;
        }
        let touched = edits.dropped.len() + edits.changed.len() + edits.inserted_after.len();
        let summary = format!(
            "{} touched, {} removed, {} added; the copy {}",
            count(touched as u64, "line"),
            count(edits.bytes_removed, "byte"),
            grouped(edits.bytes_added),
            if plan.verdict == Verdict::Resumes { "resumes" } else { "resumes, but loses history" },
        );
        self.labelled("repair", &summary)?;
        if plan.relinked > 0 {
            self.below("--relink may have joined branches that a rewind separated: read the places where they meet before you continue")?;
        }
        if plan.is_written {
            return self.written();
        }
        if !self.args.wants_edits() {
            self.below(&format!("stepback doctor {name} --repair -o FILE writes it to a copy"))?;
        }
        Ok(())
    }

    /// The edits, one per line.
    fn edits(&mut self, plan: &RepairPlan) -> io::Result<()> {
        let edits = &plan.edits;
        let mut lines: Vec<(u32, String)> = Vec::new();
        lines.extend(edits.dropped.iter().map(|line| (*line, self.paint.bad(&format!("- {line}")))));
        for (line, members) in edits.changed.iter().zip(&edits.members) {
            let members = clean(&members.join(", "));
            lines.push((*line, self.paint.severity(Severity::Warning, &format!("~ {line} {members}"))));
        }
        for (line, after) in edits.moved.iter().zip(&edits.moved_after) {
            let after = after.map_or_else(|| "an inserted line".to_owned(), |after| after.to_string());
            lines.push((*line, self.paint.severity(Severity::Warning, &format!("> {line} after {after}"))));
        }
        let mut last = 0;
        for after in &edits.inserted_after {
            last = after.unwrap_or(last);
            let shown = after.map_or_else(|| "the inserted line".to_owned(), |after| after.to_string());
            lines.push((last, self.paint.good(&format!("+ after {shown}"))));
        }
        lines.sort_by_key(|(line, _)| *line);
        lines.iter().try_for_each(|(_, text)| writeln!(self.out, "  {text}"))
    }

    /// How to try the copy. It is never done by this program.
    fn written(&mut self) -> io::Result<()> {
        let output = self.args.output.as_ref().map(|output| clean(&output.display().to_string())).unwrap_or_default();
        self.below(&format!("written to {output}; the session itself is unchanged"))?;
        self.below(match self.examined.agent {
            Agent::Claude => {
                "Claude Code finds a session by the name of its file. To try the copy, put it beside the original as \
                 UUID.jsonl with a new uuid, and run claude --resume UUID."
            }
            Agent::Codex => {
                "Codex finds a rollout by the id in its name. To try the copy, move the original out of the folder and \
                 give the copy its name."
            }
        })
    }

    fn history(&mut self, rows: &[Row]) -> io::Result<()> {
        writeln!(self.out, "  {}", self.paint.strong("history"))?;
        for (index, row) in rows.iter().enumerate() {
            let lines: Vec<String> = row.lines.iter().map(ToString::to_string).collect();
            let lines = if lines.is_empty() { "another rollout".to_owned() } else { lines.join(", ") };
            let kinds = clean(&row.kinds.join(", "));
            let ids = clean(&row.ids.join(", "));
            let text = format!("{:>5}  {}  {kinds}  {ids}", index, pad(&clean(&row.role), 9));
            let room = columns().saturating_sub(4);
            writeln!(self.out, "  {}", fit(&format!("{text}  (lines {lines})"), room))?;
        }
        Ok(())
    }
}

/// Who answers, and how it is said.
fn answer(problem: &Problem, agent: Agent) -> String {
    match problem.rule.tier {
        Tier::Loader => format!("{} will say", agent.title()),
        Tier::Provider | Tier::Reported => "the API will answer".to_owned(),
    }
}

fn healed(agent: Agent, problem: &Problem) -> String {
    match problem.healing {
        Some(Healing::Since(version)) => format!("{} since {version} heals it", agent.title()),
        _ => format!("{} heals it", agent.title()),
    }
}

fn unmended(problem: &Problem) -> String {
    let id = problem.rule.check.id;
    if problem.line == 0 { id.to_owned() } else { format!("line {} {id}", problem.line) }
}

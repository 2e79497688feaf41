//! The JSON of `stepback doctor`.

use serde_json::{Value, json};

use super::{DoctorOutcome, Examined, FileReport, RULES_DATE, RULES_REST_ON, RepairPlan};
use crate::cli::args::DoctorArgs;
use crate::doctor::context::{Branch, Reach, conversation};
use crate::doctor::problem::{Problem, Verdict};
use crate::doctor::session::Row;

pub(super) fn document(files: Vec<Value>) -> Value {
    json!({"files": files, "rules": {"date": RULES_DATE, "rest_on": RULES_REST_ON}})
}

pub(super) fn file(report: &FileReport, args: &DoctorArgs) -> Value {
    match &report.outcome {
        DoctorOutcome::Trouble(message) => json!({"file": report.name, "error": message, "ok": false}),
        DoctorOutcome::NotASession => json!({
            "file": report.name,
            "dialect": null,
            "client": args.client.to_string(),
            "ok": false,
            "verdict": Verdict::NotASession.name(),
            "problems": [],
            "notes": ["neither a session of Claude Code nor a rollout of Codex"],
        }),
        DoctorOutcome::Examined(examined) => examined_json(&report.name, examined, args),
    }
}

fn examined_json(name: &str, examined: &Examined, args: &DoctorArgs) -> Value {
    let examination = &examined.examination;
    let counts = examination.counts;
    let mut json = json!({
        "file": name,
        "dialect": examined.agent.name(),
        "client": examined.client.to_string(),
        "version": examined.version.as_deref(),
        "ok": examined.verdict.is_ok(),
        "verdict": examined.verdict.name(),
        "problems": examination.problems.iter().map(|found| problem(found, examined)).collect::<Vec<_>>(),
        "messages": counts.messages,
        "reachable_lines": counts.reachable_lines,
        "total_lines": counts.total_lines,
        "conversation_lines": counts.conversation_lines,
        "reachable_conversation_lines": counts.reachable_conversation_lines,
        "reach": reach(examined),
        "branches": branches(&examination.branches),
        "notes": notes(examined),
    });
    if args.history {
        json["history"] = rows(&examination.history);
    }
    if let Some(plan) = &examined.plan {
        json["repair"] = repair(plan, examined, args);
    }
    json
}

fn problem(problem: &Problem, examined: &Examined) -> Value {
    let by = examined.asked();
    json!({
        "check": problem.rule.check.id,
        "severity": problem.severity(by).name(),
        "tier": problem.rule.tier.name(),
        "line": problem.line,
        "id": problem.id.as_deref(),
        "message": problem.message(),
        "predicted_error": problem.predicted,
        "healed_since": problem.healing.map(|healing| healing.to_string()),
        "healed": problem.is_healed(by),
        "detail": problem.detail,
    })
}

fn rows(rows: &[Row]) -> Value {
    let texts = |list: &[std::sync::Arc<str>]| list.iter().map(|text| json!(&**text)).collect::<Value>();
    rows.iter().map(|row| json!([&*row.role, texts(&row.kinds), texts(&row.ids), row.lines])).collect()
}

fn repair(plan: &RepairPlan, examined: &Examined, args: &DoctorArgs) -> Value {
    let edits = &plan.edits;
    let mut json = json!({
        "dropped": edits.dropped,
        "changed": edits.changed,
        "inserted_after": edits.inserted_after,
        "moved": edits.moved,
        "relinked": plan.relinked,
        "bytes_removed": edits.bytes_removed,
        "bytes_added": edits.bytes_added,
        "ok": plan.repair.unmended.is_empty() && plan.verdict.is_ok(),
        "verdict": plan.verdict.name(),
        "unmended": plan.repair.unmended.iter().map(|found| problem(found, examined)).collect::<Vec<_>>(),
        "written": plan.is_written,
    });
    if args.history {
        json["history"] = rows(&plan.examination.history);
    }
    json
}

/// How many lines of the conversation are reached, and why the others are not.
fn reach(examined: &Examined) -> Value {
    let counts = &examined.examination.reach;
    let all = [Reach::Reached].into_iter().chain(Reach::UNREACHED);
    all.map(|reach| (reach.name().to_owned(), json!(counts.get(&reach).copied().unwrap_or(0)))).collect()
}

/// The same by stretches of lines, with the line that explains each.
fn branches(branches: &[Branch]) -> Value {
    let conversation = conversation(branches);
    let branch = |branch: &Branch| {
        json!({
            "reach": branch.reach.name(),
            "lines": branch.lines.len(),
            "stretches": branch.stretches(&conversation),
            "explained_by": branch.explained_by,
            "missing_parent": branch.missing.as_deref(),
        })
    };
    branches.iter().map(branch).collect()
}

fn notes(examined: &Examined) -> Vec<String> {
    let mut notes = Vec::new();
    if examined.is_being_written {
        notes.push("another program is writing this file".to_owned());
    }
    if examined.examination.dropped > 0 {
        notes.push(format!("{} more problems were counted but not kept", examined.examination.dropped));
    }
    notes
}

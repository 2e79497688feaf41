//! `stepback checks`: the catalogue of checks.

use std::io::Write;

use color_eyre::eyre::{self, eyre};
use serde_json::json;

use super::args::ChecksArgs;
use super::exit::Exit;
use super::paint::{Paint, pad};
use super::print;
use crate::crashpack::evidence::weight_text;
use crate::registry::all_checks;

pub(super) fn run(args: &ChecksArgs, paint: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    if let Some(id) = &args.explain {
        let check = all_checks().find(|check| check.id == id).ok_or_else(|| unknown_check(id))?;
        let severity = paint.severity(check.severity, check.severity.name());
        writeln!(out, "{}  {severity}, {}", paint.strong(check.id), check.tier.name())?;
        writeln!(out, "\n{}\n\n{}", check.says, check.explains)?;
        writeln!(out, "\n{} {}", paint.dim("weight in the evidence of a crashpack:"), weight_text(check.severity))?;
        return Ok(Exit::Clean);
    }
    if args.json {
        let rows: Vec<_> = all_checks()
            .map(|check| {
                json!({
                    "id": check.id, "severity": check.severity.name(), "tier": check.tier.name(), "says": check.says,
                    "explains": check.explains,
                })
            })
            .collect();
        print::pretty(&rows, out)?;
        return Ok(Exit::Clean);
    }
    if args.markdown {
        write!(out, "{}", markdown())?;
        return Ok(Exit::Clean);
    }
    let width = all_checks().map(|check| check.id.len()).max().unwrap_or(0);
    for check in all_checks() {
        let severity = paint.severity(check.severity, &pad(check.severity.name(), 8));
        let tier = paint.dim(&pad(check.tier.name(), 6));
        writeln!(out, "{} {severity} {tier} {}", paint.name(&pad(check.id, width)), check.says)?;
    }
    Ok(Exit::Clean)
}

fn unknown_check(id: &str) -> eyre::Report {
    let close: Vec<&str> =
        all_checks().map(|check| check.id).filter(|known| !id.is_empty() && known.contains(id)).collect();
    if close.is_empty() {
        return eyre!("there is no check {id:?}; `stepback checks` lists all checks");
    }
    eyre!("there is no check {id:?}; did you mean {}?", close.join(" or "))
}

/// The table in `docs/checks.md`.
pub(super) fn markdown() -> String {
    let mut table = String::from("| check | severity | tier | message |\n| --- | --- | --- | --- |\n");
    for check in all_checks() {
        let says = check.says.replace('|', "\\|");
        table.push_str(&format!("| `{}` | {} | {} | {says} |\n", check.id, check.severity.name(), check.tier.name()));
    }
    table
}

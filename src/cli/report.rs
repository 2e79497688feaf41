//! `stepback report`: everything that can be derived from a log; also what `stepback FILE` prints without a terminal.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::io::{IsTerminal, Write};

use color_eyre::eyre;
use serde_json::{Value, json};

use super::args::{Arguments, DiffArgs, FailRules, ReadOptions, RedactRules, ReportArgs};
use super::diff;
use super::exit::Exit;
use super::format::{self, Context};
use super::open::{Opened, open, open_or_demo, open_path, refuse_if_strict};
use super::paint::{Paint, columns, is_dumb_terminal};
use super::pass::{CheckResults, check_opened};
use super::progress::ByteProgress;
use super::redaction::{Hiding, redaction_json};
use super::replayed::ReplayedLog;
use super::screen;
use super::show;
use crate::dialect::Dialect;
use crate::dialect::open_log::{DialectError, OpenLog};
use crate::dialect::report::{Checked, ReportInput};
use crate::dialect::sidecar::Sidecars;
use crate::loader::Loaded;
use crate::log::walk::Walk;
use crate::redact::{DocumentRules, MaskOptions, redact};
use crate::registry;
use crate::replay::Seq;
use crate::replay::moment::Moment;

/// `stepback [FILE]`: opens the screen; if there is no terminal, prints the report, or the moment given by `--at`.
pub(super) fn run_default(arguments: &Arguments, paint: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    if let Some(path) = &arguments.screen.screenshot {
        return screen::save(arguments, path);
    }
    if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() && !is_dumb_terminal() {
        return screen::run(arguments, paint);
    }
    if let Some(other) = &arguments.compare {
        return diff::run(&DiffArgs::of_screen(arguments, other), paint, out);
    }
    let opened = open_or_demo(&arguments.input)?;
    match &arguments.at {
        Some(target) => {
            let replayed = ReplayedLog::begin(opened, false)?;
            replayed.finish(arguments.input.file.as_deref())?;
            show::write_text(&replayed, replayed.resolve(target)?, *paint, out)
        }
        None => write_text(&ReportedLog::of(&opened, false, None)?, *paint, out),
    }
}

/// Opens the log. A file without records fits every dialect, so with `--steps` one whose report has steps is chosen.
fn open_for_report(args: &ReportArgs) -> eyre::Result<Opened> {
    let opened = open(&args.input)?;
    let reading = &args.input.reading;
    let may_be_any = args.steps && reading.dialect.is_none() && opened.log.path.is_some();
    if !may_be_any || Walk::new(&opened.log)?.step()?.is_some() {
        return Ok(opened);
    }
    for dialect in registry::DIALECTS {
        let reading = ReadOptions { dialect: Some(dialect.name.to_owned()), ..reading.clone() };
        let other = open_path(&args.input.file, &reading)?;
        let reported = ReportedLog { wants_steps: true, ..ReportedLog::of(&other, false, None)? };
        if (dialect.report.document)(&reported).is_ok_and(|document| document.get("steps").is_some()) {
            return Ok(other);
        }
    }
    Ok(opened)
}

pub(super) fn run(args: &ReportArgs, paint: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    let opened = open_for_report(args)?;
    let reporting = opened.dialect().report;
    if !reporting.refuses_strictly {
        refuse_if_strict(args.strict, &opened)?;
    }
    let reported = ReportedLog { wants_steps: args.steps, ..ReportedLog::of(&opened, args.strict, args.redact)? };
    if !args.json {
        return write_text(&reported, *paint, out);
    }
    let document = (reporting.document)(&reported)?;
    if args.steps && document.get("steps").is_none() {
        let title = opened.dialect().title;
        eyre::bail!("a {title} has no steps in its report; `stepback replay --json` prints the state after each event");
    }
    writeln!(out, "{}", reported.hiding.borrow_mut().document(&document)?)?;
    Ok(Exit::Clean)
}

/// A log and what its report needs, computed at most once.
struct ReportedLog<'r> {
    opened: &'r Opened,
    checked: OnceCell<CheckResults>,
    is_strict: bool,
    wants_steps: bool,
    redact: Option<RedactRules>,
    hiding: RefCell<Hiding>,
}

impl<'r> ReportedLog<'r> {
    fn of(opened: &'r Opened, is_strict: bool, redact: Option<RedactRules>) -> eyre::Result<ReportedLog<'r>> {
        let hiding = RefCell::new(Hiding::of(opened, redact, MaskOptions::default())?);
        Ok(ReportedLog { opened, checked: OnceCell::new(), is_strict, wants_steps: false, redact, hiding })
    }

    fn check_results(&self) -> Result<&CheckResults, DialectError> {
        if let Some(checked) = self.checked.get() {
            return Ok(checked);
        }
        let checked = check_opened(self.opened, &ByteProgress::none()).map_err(DialectError::read)?;
        Ok(self.checked.get_or_init(|| checked))
    }
}

impl ReportInput for ReportedLog<'_> {
    fn log(&self) -> &dyn OpenLog {
        &self.opened.log
    }

    fn dialect(&self) -> &'static Dialect {
        self.opened.dialect()
    }

    fn sidecars(&self) -> &dyn Sidecars {
        &*self.opened.sidecars
    }

    fn checked(&self) -> Result<Checked<'_>, DialectError> {
        self.check_results().map(|checked| Checked { events: checked.events, findings: &checked.findings })
    }

    fn last_moment(&self) -> Result<Option<Moment>, DialectError> {
        let loaded = Loaded::begin_without_checks(self.opened.log.clone()).map_err(DialectError::read)?;
        loaded.wait_to_end(|_| {}).map_err(|error| DialectError::Refused(error.reason))?;
        let Some(last) = loaded.replay().len().checked_sub(1) else { return Ok(None) };
        let name = &self.opened.log.name;
        loaded.replay().moment(Seq(last)).map_err(|gone| DialectError::Refused(format!("{name}: {}", gone.reason)))
    }

    fn is_strict(&self) -> bool {
        self.is_strict
    }

    fn wants_steps(&self) -> bool {
        self.wants_steps
    }

    fn redacted(&self, events: &dyn Fn() -> Vec<Value>) -> Vec<(&'static str, Value)> {
        let (reference, thorough) = match self.redact {
            None => return Vec::new(),
            Some(RedactRules::All) => {
                let events = events().iter().map(Value::to_string).collect();
                let (events, rules) = self.hiding.borrow_mut().events(events);
                let events: Vec<Value> = events.iter().filter_map(|event| serde_json::from_str(event).ok()).collect();
                let masked = json!({"events": events, "redaction": redaction_json(&rules)});
                // Both keys get the same result: the masker finds more than either set of rules.
                (masked.clone(), masked)
            }
            Some(RedactRules::Reference) => {
                (redacted(events(), DocumentRules::Reference), redacted(events(), DocumentRules::Thorough))
            }
        };
        vec![("redacted", reference), ("redacted_thorough", thorough)]
    }
}

/// The events with the secrets masked that a set of rules finds, and the rules that applied.
fn redacted(mut events: Vec<Value>, rules: DocumentRules) -> Value {
    let mut hit = BTreeSet::new();
    events.iter_mut().for_each(|event| redact(event, rules, &mut hit));
    json!({"events": events, "redaction": redaction_json(&hit)})
}

fn write_text(reported: &ReportedLog<'_>, paint: Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    let text = (reported.dialect().report.text)(reported, columns())?;
    paint.write(&text, out)?;
    write_findings(reported.opened, reported.check_results()?, paint, out)?;
    Ok(Exit::Clean)
}

fn write_findings(opened: &Opened, checked: &CheckResults, paint: Paint, out: &mut dyn Write) -> eyre::Result<()> {
    writeln!(out, "\n{}", paint.strong("findings"))?;
    if checked.findings.is_empty() {
        writeln!(out, "  {} none", paint.good("✓"))?;
        return Ok(());
    }
    let context = Context { paint, all: false, numbered: true, fails: FailRules::DEFAULT, several: false };
    format::text::write_findings(opened, checked, &context, out)?;
    writeln!(out, "{} stepback checks --explain ID explains a check", paint.dim("hint"))?;
    Ok(())
}

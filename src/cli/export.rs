//! `stepback export`: the evidence of one finding as a folder that another engineer can see, trust and replay.

mod contents;
mod marks;
mod redaction;
mod shrunk;
mod trace;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use color_eyre::eyre::{self, WrapErr, eyre};
use serde_json::json;

use super::args::ExportArgs;
use super::exit::Exit;
use super::loading::note;
use super::minimize::choose;
use super::open::{Opened, open, shell_word};
use super::paint::{Paint, clean, count};
use super::pass::{Judged, judge};
use super::print;
use super::progress::Progress;
use crate::crashpack::evidence::Given;
use crate::crashpack::manifest::{Environment, Expected, Subject};
use crate::crashpack::{REDACTIONS, script};
use crate::crashpack_folder::PackWriter;
use crate::dialect::TRANSFER;
use crate::replay::finding::Finding;
use crate::turn::report::Beside;
use redaction::Redacted;

pub fn run(args: &ExportArgs, paint: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    let given = given(args)?;
    let variables = script::variables(&given.seeds).map_err(|clash| {
        eyre!(
            "the seeds {:?} and {:?} would both be {}; give one of them another name",
            clash.one,
            clash.other,
            clash.variable
        )
    })?;
    refuse_own_folder(args)?;
    tell_left_behind(args);
    // What stands beside the log stays where it is, so nothing in the pack may depend on it.
    let opened = Opened { beside: Beside::default(), ..open(&args.input)? };
    refuse_transfer(&opened)?;
    refuse_damaged(&opened)?;
    let mut writer = PackWriter::begin(&args.output, args.force)?;
    let export = Export { args, opened: &opened, given: &given, variables: &variables };
    let packed = export.fill(&mut writer)?;
    let names: Vec<String> = writer.names().map(str::to_owned).collect();
    let fingerprint = packed.subject.finding.fingerprint.clone();
    let events = u64::from(packed.judged.events);
    let id = writer.finish(packed.subject)?;
    if args.json {
        let document = json!({"pack": args.output.display().to_string(), "pack_id": id, "fingerprint": fingerprint,
            "events": events, "files": names});
        print::pretty(&document, out)?;
        return Ok(Exit::Clean);
    }
    let folder = clean(&args.output.display().to_string());
    writeln!(out, "{} {}", paint.good("✓"), paint.strong(&clean(&fingerprint)))?;
    let files = count(names.len() as u64 + 1, "file");
    writeln!(out, "  packed {} into {folder}: {files}, id {}", count(events, "event"), &id[..16])?;
    writeln!(out, "{} stepback {}", paint.dim("open  "), clean(&shell_word(&args.output.display().to_string())))?;
    let script = args.output.join(crate::crashpack::SCRIPT);
    writeln!(out, "{} sh {}", paint.dim("replay"), clean(&shell_word(&script.display().to_string())))?;
    Ok(Exit::Clean)
}

fn given(args: &ExportArgs) -> eyre::Result<Given> {
    fn once<V: Clone>(pairs: &[(String, V)], what: &str) -> eyre::Result<BTreeMap<String, V>> {
        let mut map = BTreeMap::new();
        for (name, value) in pairs {
            if map.insert(name.clone(), value.clone()).is_some() {
                return Err(eyre!("the {what} {name:?} is given twice"));
            }
        }
        Ok(map)
    }
    Ok(Given { seeds: once(&args.seed, "seed")?, metadata: once(&args.meta, "metadata key")? })
}

/// Whoever names what stands beside a log hears that it does not go along.
fn tell_left_behind(args: &ExportArgs) {
    let reading = &args.input.reading;
    if reading.session.is_some() || reading.live.is_some() || reading.artifacts.is_some() {
        note("session, snapshot and compactions do not go into a pack, and neither do findings against them");
    }
}

/// `--force` takes a folder away. It must not be one that holds the log, or that somebody works in.
fn refuse_own_folder(args: &ExportArgs) -> eyre::Result<()> {
    let Ok(target) = args.output.canonicalize() else { return Ok(()) };
    let within = |path: &Path| path.canonicalize().is_ok_and(|path| path.starts_with(&target));
    let shown = args.output.display();
    if within(&args.input.file) {
        return Err(eyre!("{shown}: the log itself stands in there; choose another name"));
    }
    if within(Path::new(".")) {
        return Err(eyre!("{shown}: this is the folder that you are in, or one around it; choose another name"));
    }
    Ok(())
}

/// What came as a pack of another program stays one.
fn refuse_transfer(opened: &Opened) -> eyre::Result<()> {
    match opened.log.dialect == TRANSFER.name {
        true => Err(eyre!("{}: this is a transfer crashpack already; it opens read-only", opened.log.name)),
        false => Ok(()),
    }
}

/// Packed again, damaged evidence would look sound.
fn refuse_damaged(opened: &Opened) -> eyre::Result<()> {
    match opened.log.found.first() {
        Some(damage) => Err(eyre!("{}: {}; a damaged pack is not packed again", opened.log.name, damage.message())),
        None => Ok(()),
    }
}

struct Export<'e> {
    args: &'e ExportArgs,
    opened: &'e Opened,
    given: &'e Given,
    variables: &'e BTreeMap<String, u64>,
}

/// A pack that lacks only its manifest.
struct Packed {
    subject: Subject,
    judged: Judged,
}

impl Export<'_> {
    fn fill(&self, writer: &mut PackWriter) -> eyre::Result<Packed> {
        let name = &self.opened.log.name;
        let failed = || format!("{}: cannot be written", self.args.output.display());
        let before = judge(self.opened, &Progress::none())?;
        let wanted = self.choose(&before.findings)?;
        let redacted = self.args.redact.then(|| trace::redacted(self.opened)).transpose()?;
        let trace = trace::write(self.opened, redacted.as_ref(), writer)?;
        let packed = trace::open(&writer.path(&trace), self.opened.log.dialect)?;
        let judged = judge(&packed, &Progress::none())?;
        let same = judged.findings.iter().find(|finding| finding.fingerprint() == wanted.fingerprint());
        let Some(finding) = same.cloned() else { return Err(self.lost(&wanted, redacted.as_ref())) };
        if let Some(redacted) = &redacted {
            writer.write(REDACTIONS, &json_bytes(&redacted.to_json())?).wrap_err_with(failed)?;
        }
        let minimized = match self.args.minimize {
            true => Some(shrunk::write(&packed, name, &trace, &finding, writer)?),
            false => None,
        };
        if let Some(bookmarks) = marks::of(self.opened, &packed, redacted.is_some())? {
            writer.write(crate::crashpack::BOOKMARKS, &bookmarks).wrap_err_with(failed)?;
        }
        let environment = environment();
        let subject = Subject {
            dialect: self.opened.log.dialect.to_owned(),
            trace,
            minimized,
            finding: Expected::of(&finding),
            environment,
        };
        let contents = contents::Contents {
            opened: &packed,
            judged: &judged,
            finding: &finding,
            subject: &subject,
            given: self.given,
            variables: self.variables,
            is_redacted: redacted.is_some(),
        };
        contents.write(writer).wrap_err_with(failed)?;
        Ok(Packed { subject, judged })
    }

    /// The finding that the pack is about.
    fn choose(&self, all: &[Finding]) -> eyre::Result<Finding> {
        let name = &self.opened.log.name;
        if let Some(wanted) = &self.args.finding {
            return choose::named(name, all, wanted).cloned();
        }
        let worst = all.iter().map(|finding| finding.severity).max();
        let first = all.iter().find(|finding| Some(finding.severity) == worst).cloned();
        first.ok_or_else(|| eyre!("{name}: the log reports nothing, so there is no failure to pack"))
    }

    /// Why a finding is not in the trace as it was packed.
    fn lost(&self, wanted: &Finding, redacted: Option<&Redacted>) -> eyre::Report {
        let (name, fingerprint) = (&self.opened.log.name, wanted.fingerprint());
        let Some(redacted) = redacted else {
            return eyre!("{name}: {fingerprint} is about more than the log that is packed; choose another --finding");
        };
        let culprits = trace::culprits(self.opened, redacted, wanted);
        let broke = match culprits {
            Ok(rules) if rules.len() == 1 => format!("the rule {} breaks it", rules[0]),
            Ok(rules) if !rules.is_empty() => format!("each of the rules {} breaks it", rules.join(", ")),
            _ if !redacted.left_out.is_empty() => "records that are no JSON were left out".to_owned(),
            _ => "only all rules together break it".to_owned(),
        };
        eyre!("{name}: without its secrets the log no longer reports {fingerprint}: {broke}; nothing was written")
    }
}

/// Where this runs: nothing that names a person, a place or a variable.
fn environment() -> Environment {
    Environment {
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        os: std::env::consts::OS.to_owned(),
        arch: std::env::consts::ARCH.to_owned(),
    }
}

fn json_bytes(document: &serde_json::Value) -> eyre::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    print::pretty(document, &mut bytes)?;
    Ok(bytes)
}

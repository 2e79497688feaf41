//! `stepback export`: writes a crashpack, a folder with the evidence of one finding, or a page that explains the
//! finding.

mod content;
mod markdown;
mod page;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use color_eyre::eyre::{self, WrapErr, eyre};
use serde_json::json;

use super::args::ExportArgs;
use super::exit::Exit;
use super::minimize::choose;
use super::minimize::watch::Watch;
use super::open::{Opened, open, shell_word};
use super::paint::{Paint, clean, count};
use super::pass::check_opened;
use super::print;
use super::progress::ByteProgress;
use super::replayed::note;
use crate::crashpack::SCRIPT;
use crate::exporter::masks::{Reviewed, review};
use crate::exporter::own::OwnOrder;
use crate::exporter::{self, Given, OnSignal, Order, PackWriter, Packed, Redaction, marks};
use crate::loader;
use crate::minimize::Extent;
use crate::redact;
use crate::replay::bookmark::Bookmarks;
use crate::replay::finding::Finding;
use crate::wholefile::{Destination, Existing, WholeFile};
use content::PageContent;

/// How a crashpack is written.
#[derive(Clone, Copy)]
struct PackRequest<'r> {
    output: &'r Path,
    minimizes: Option<Extent>,
    redacts: bool,
}

pub(super) fn run(args: &ExportArgs, paint: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    if args.html.is_some() || args.format.is_some() {
        return tell(args, paint, out);
    }
    if let (Some(output), false, false) = (&args.output, args.review, args.transfer) {
        let request =
            PackRequest { output, minimizes: args.minimize.then_some(Extent::Payloads), redacts: args.redact };
        let packed = pack(args, &request)?;
        print_packed(&packed, output, SCRIPT, args.json, (paint, out))?;
        return Ok(Exit::Clean);
    }
    let given = given(args)?;
    let redaction = args.redact.then(|| redaction(args));
    let opened = opened(args)?;
    match &args.output {
        Some(output) if !args.review => export_own(args, output, &opened, &given, redaction.as_ref(), (paint, out)),
        _ => {
            let marks = marks::of(&opened.log, &packed_bookmarks(&opened));
            let reviewed = review(&opened.log, &redaction.unwrap_or_default(), &marks, &given, &|| false)?;
            print_review(&reviewed, args.json, paint, out)?;
            Ok(Exit::Clean)
        }
    }
}

/// Opens the log to export. Named sidecars stay where they are, so nothing in the pack may depend on them.
fn opened(args: &ExportArgs) -> eyre::Result<Opened> {
    if let Some(output) = &args.output
        && let Some(reason) = exporter::refusal_of_folder(output, Some(&args.input.file))
    {
        return Err(eyre!("{}: {reason}", output.display()));
    }
    note_left_behind(args);
    let opened = open(&args.input)?;
    let opened = Opened { sidecars: loader::own_sidecars(&opened.log)?, ..opened };
    if let Some(reason) = exporter::refusal(&opened.log) {
        return Err(eyre!("{}: {reason}", opened.log.name));
    }
    Ok(opened)
}

/// The bookmarks in the crashpack that contains the log.
fn packed_bookmarks(opened: &Opened) -> Bookmarks {
    let packed = opened.pack.as_ref().and_then(|pack| Bookmarks::from_json(pack.bookmarks.as_ref()?).ok());
    packed.unwrap_or_default()
}

/// Writes a crashpack.
fn pack(args: &ExportArgs, request: &PackRequest<'_>) -> eyre::Result<Packed> {
    let given = given(args)?;
    let redaction = request.redacts.then(|| redaction(args));
    let opened = opened(args)?;
    let bookmarks = packed_bookmarks(&opened);
    let writer = PackWriter::begin(request.output, args.force, OnSignal::CleanUp)?;
    let checked = check_opened(&opened, &ByteProgress::none())?;
    let nothing = || eyre!("{}: the log has no finding, so there is nothing to export", opened.log.name);
    let finding = choose(args, &opened.log.name, &checked.findings)?.ok_or_else(nothing)?;
    let order = Order {
        log: &opened.log,
        finding: &finding,
        minimize: request.minimizes,
        redaction: redaction.as_ref(),
        given: &given,
        bookmarks: &bookmarks,
        is_cancelled: &|| false,
    };
    let packed = if request.minimizes.is_some() {
        let watch = Watch::new(checked.records as usize, None)?;
        exporter::export(&order, writer, &mut watch.observer())?
    } else {
        exporter::export(&order, writer, &mut crate::minimize::tester::Unobserved)?
    };
    note_lost(&checked.findings, &packed, "which depend on more than the log");
    Ok(packed)
}

/// Explains a finding on one page, as HTML or Markdown.
fn tell(args: &ExportArgs, paint: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    let destination = args
        .html
        .as_deref()
        .map(|file| Destination::new(file, Some(&args.input.file), Existing::unless_forced(args.force)));
    let destination = destination.transpose()?;
    let content = PageContent::tell(args)?;
    if let (Some(file), Some(destination)) = (&args.html, destination) {
        let page = page::page(&content)?;
        let failed = || format!("{}: cannot be written", file.display());
        let mut written = WholeFile::create(destination.path()).wrap_err_with(failed)?;
        written.write_all(page.as_bytes()).and_then(|()| written.finish()).wrap_err_with(failed)?;
        let facts = page::facts(&content).join(", ");
        let name = clean(&file.display().to_string());
        writeln!(out, "{} {}", paint.good("✓"), paint.strong(&clean(&content.fingerprint)))?;
        writeln!(out, "  {name}: {}, {}", count(page.len() as u64, "byte"), clean(&facts))?;
    } else {
        write!(out, "{}", markdown::markdown(&content)?)?;
    }
    Ok(Exit::Clean)
}

/// Writes the form of crashpack that belongs to the log's dialect.
fn export_own(
    args: &ExportArgs,
    output: &Path,
    opened: &Opened,
    given: &Given,
    redaction: Option<&Redaction>,
    (paint, out): (&Paint, &mut dyn Write),
) -> eyre::Result<Exit> {
    let Opened { log, .. } = opened;
    let Some(own) = log.dialect.export.own else {
        return Err(eyre!("{}: a {} cannot be written as a transfer crashpack", log.name, log.dialect.title));
    };
    let writer = PackWriter::begin_own(output, args.force, OnSignal::CleanUp, own.is_whole)?;
    let checked = check_opened(opened, &ByteProgress::none())?;
    let named = |wanted| choose::named(&log.name, &checked.findings, wanted);
    let finding = args.finding.as_deref().map(named).transpose()?;
    let order = OwnOrder { log, findings: &checked.findings, finding, redaction, given, is_cancelled: &|| false };
    let packed = exporter::own::export(own, &order, writer)?;
    if packed.omits_torn {
        note("not packed: the last record, which is incomplete");
    }
    note_lost(&checked.findings, &packed, "which the pack does not report");
    print_packed(&packed, output, own.script, args.json, (paint, out))?;
    Ok(Exit::Clean)
}

fn given(args: &ExportArgs) -> eyre::Result<Given> {
    fn once<V: Clone>(pairs: &[(String, V)], what: &str) -> eyre::Result<BTreeMap<String, V>> {
        let mut map = BTreeMap::new();
        for (name, value) in pairs {
            if map.insert(name.clone(), value.clone()).is_some() {
                return Err(eyre!("the {what} {name:?} is given more than once"));
            }
        }
        Ok(map)
    }
    Ok(Given { seeds: once(&args.seed, "seed")?, metadata: once(&args.meta, "metadata key")? })
}

fn redaction(args: &ExportArgs) -> Redaction {
    let options = redact::MaskOptions {
        emails: args.redact_emails,
        homes: args.redact_homes,
        patterns: args.redact_pattern.clone(),
    };
    Redaction { options, spared: args.spare.iter().cloned().collect() }
}

/// Prints a note that sidecars given as options are not packed.
fn note_left_behind(args: &ExportArgs) {
    let reading = &args.input.reading;
    if reading.session.is_some() || reading.live.is_some() || reading.artifacts.is_some() {
        note("saved messages, live snapshots and compaction rows are not packed, and neither are findings about them");
    }
}

/// Prints which findings are not in the crashpack.
fn note_lost(before: &[Finding], packed: &Packed, why: &str) {
    let mut lost: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in before.iter().filter(|finding| !packed.checks.contains(finding.check.id)) {
        *lost.entry(finding.check.id).or_default() += 1;
    }
    for (check, number) in lost {
        let findings = count(number as u64, "finding");
        note(&format!("not packed: {findings} of {check}, {why}"));
    }
}

/// The finding that `--finding` names, or the first one of the highest severity. `None` if there is none.
fn choose(args: &ExportArgs, name: &str, all: &[Finding]) -> eyre::Result<Option<Finding>> {
    if let Some(wanted) = &args.finding {
        return choose::named(name, all, wanted).cloned().map(Some);
    }
    let worst = all.iter().map(|finding| finding.severity).max();
    Ok(all.iter().find(|finding| Some(finding.severity) == worst).cloned())
}

fn print_packed(
    packed: &Packed,
    output: &Path,
    script: &str,
    as_json: bool,
    (paint, out): (&Paint, &mut dyn Write),
) -> eyre::Result<()> {
    let Packed { id, fingerprint, events, names, removals, .. } = packed;
    if as_json {
        let document = json!({"pack": output.display().to_string(), "pack_id": id, "fingerprint": fingerprint,
            "events": events, "files": names, "removals": removals});
        return Ok(print::pretty(&document, out)?);
    }
    let folder = clean(&output.display().to_string());
    writeln!(out, "{} {}", paint.good("✓"), paint.strong(&clean(fingerprint.as_deref().unwrap_or("no finding"))))?;
    let files = count(names.len() as u64 + 1, "file");
    writeln!(out, "  packed {} into {folder}: {files}, id {}", count(u64::from(*events), "event"), &id[..16])?;
    if let Some(removals) = removals {
        let texts = count(*removals as u64, "text");
        writeln!(out, "  masked {texts}; redactions.json lists them by place and rule")?;
    }
    writeln!(out, "{} stepback {}", paint.dim("open  "), clean(&shell_word(&output.display().to_string())))?;
    let script = output.join(script);
    writeln!(out, "{} sh {}", paint.dim("replay"), clean(&shell_word(&script.display().to_string())))?;
    Ok(())
}

fn print_review(reviewed: &[Reviewed], as_json: bool, paint: &Paint, out: &mut dyn Write) -> eyre::Result<()> {
    if as_json {
        let row = |secret: &Reviewed| {
            json!({"mask": secret.mask, "rule": secret.rule, "length_class": secret.length_class, "times": secret.times,
                "where": secret.place, "path": secret.path, "spared": secret.is_spared})
        };
        return Ok(print::pretty(&json!({"secrets": reviewed.iter().map(row).collect::<Vec<_>>()}), out)?);
    }
    for secret in reviewed {
        let mark = if secret.is_spared { paint.dim("kept  ") } else { paint.good("masked") };
        let times = count(secret.times as u64, "time");
        writeln!(out, "{mark} {}  {}", paint.strong(&clean(&secret.mask)), paint.dim(&times))?;
        writeln!(out, "       {} {}", clean(&secret.place), clean(&secret.path))?;
    }
    let left = reviewed.iter().filter(|secret| secret.is_spared).count();
    let found = count(reviewed.len() as u64, "secret");
    writeln!(out, "{found} found, {left} of them kept as they are; nothing was written")?;
    Ok(())
}

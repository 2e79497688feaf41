//! The trace of a pack: the log as recorded or masked, and its sidecars.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use super::masks::Masks;
use super::{Cancelled, ExportError};
use crate::dialect::container::Container;
use crate::dialect::sidecar::SidecarText;
use crate::json::token::is_json;
use crate::loader;
use crate::log::walk::each_record;
use crate::log::{Log, LogError, Options};
use crate::minimize::candidate::Candidate;
use crate::minimize::parts::Parts;
use crate::minimize::written::Form;
use crate::minimize_io::{OriginalForm, gather};
use crate::replay::log_writer::LogLayout;

/// A trace in a folder.
pub(super) struct Written {
    pub trace: String,
    /// The names of the trace and its sidecars in the folder.
    pub files: Vec<String>,
}

/// A part of a trace that is written to a folder.
pub(super) enum TracePiece<'p> {
    /// Continues the previous piece.
    Trace(&'p [u8]),
    /// A payload that the trace refers to: the suffix to the name of the trace, and the bytes.
    Payload(&'p str, &'p [u8]),
    /// A text about the trace: the suffix to its name, and the bytes.
    Text(&'static str, &'p [u8]),
}

/// How the text of a log is split into pieces that can be masked separately.
enum TraceBody {
    /// Line by line, for logs of any length.
    Lines,
    /// As one JSON document, including everything around its events.
    Document(Vec<u8>),
    /// Record by record, written to a new file: a database, or a damaged document.
    Records(Parts, OriginalForm),
}

impl TraceBody {
    fn of(log: &Log) -> Result<TraceBody, LogError> {
        if log.container == Container::Lines {
            return Ok(TraceBody::Lines);
        }
        if !matches!(log.container, Container::Sqlite | Container::Values) {
            let bytes = log.bytes()?;
            if std::str::from_utf8(&bytes).is_ok_and(is_json) {
                return Ok(TraceBody::Document(bytes));
            }
        }
        Ok(TraceBody::Records(gather(log)?.parts, OriginalForm::of(log)))
    }

    fn name(&self, log: &Log) -> &'static str {
        match self {
            TraceBody::Lines => log.dialect.export.lines_name,
            TraceBody::Records(_, form) if form.layout() == LogLayout::Lines => "trace.jsonl",
            TraceBody::Document(_) | TraceBody::Records(..) => "trace.json",
        }
    }
}

/// Searches a log and its sidecars for secrets, before anything is masked.
pub(super) fn look(log: &Log, masks: &mut Masks, is_cancelled: Cancelled<'_>) -> Result<(), ExportError> {
    let body = TraceBody::of(log)?;
    let name = body.name(log);
    match &body {
        TraceBody::Lines => each_line(log, is_cancelled, &mut |number, line| {
            masks.look_at_record(&format!("{name}:{number}"), line.trim_ascii_end());
            Ok(())
        })?,
        TraceBody::Document(bytes) => masks.look_at_record(name, bytes),
        TraceBody::Records(parts, form) => {
            masks.look(name, form.head().unwrap_or_default());
            (0..parts.len() as u32).for_each(|part| masks.look_at_record(&record_place(part), parts.record(part)));
            // Text between the records of a damaged document is not part of any record, or of several.
            if log.container != Container::Sqlite {
                masks.look_at_parts(name, &log.bytes()?);
            }
        }
    }
    let sidecars = loader::own_sidecars(log)?;
    let mut show = |place: &str, bytes: &[u8]| masks.look(place, bytes);
    sidecars.each_payload(log, &mut |payload| {
        show(payload.place, payload.bytes);
        Ok(())
    })?;
    sidecars.each_text(&mut |text| {
        each_line_of(text, &mut show);
        Ok(())
    })?;
    Ok(())
}

/// Masks a log and its sidecars, piece by piece. Stored payloads come first, because their names change.
pub(super) fn mask(
    log: &Log,
    masks: &mut Masks,
    is_cancelled: Cancelled<'_>,
    put: &mut dyn FnMut(TracePiece<'_>) -> io::Result<()>,
) -> Result<&'static str, ExportError> {
    let body = TraceBody::of(log)?;
    let name = body.name(log);
    let failed = || ExportError::io(name);
    masks.begin();
    let mut kept = BTreeSet::new();
    let sidecars = loader::own_sidecars(log)?;
    sidecars.each_payload(log, &mut |payload| {
        let (entry, masked) = masks.entry(payload.place, payload.name, payload.bytes);
        let path = format!("{}/{entry}", payload.folder);
        // Payloads that differed only in their secrets are equal now.
        if kept.insert(path.clone()) { put(TracePiece::Payload(&path, &masked)) } else { Ok(()) }
    })?;
    match body {
        TraceBody::Lines => each_line(log, is_cancelled, &mut |number, line| {
            let (line, end) = line.split_at(line.trim_ascii_end().len());
            let masked = masks.record(&format!("{name}:{number}"), line);
            put(TracePiece::Trace(&masked))?;
            // The end is not part of a secret that reaches to the end of its line.
            put(TracePiece::Trace(end))
        })?,
        TraceBody::Document(bytes) => put(TracePiece::Trace(&masks.record(name, &bytes))).map_err(failed())?,
        TraceBody::Records(parts, form) => {
            let head = form.head().map(|head| masks.record(name, head).into_owned());
            let mut masked = Parts::default();
            for part in 0..parts.len() as u32 {
                let record = masks.record(&record_place(part), parts.record(part));
                masked.push(&record, Ok(0..record.len()), parts.whole(part));
            }
            let head = head.map(|head| [&head[..], b"\n"].concat()).unwrap_or_default();
            put(TracePiece::Trace(&head)).map_err(failed())?;
            let all = Candidate::all(&masked);
            put(TracePiece::Trace(&crate::minimize::written::write(&masked, &all, None, form.layout(), None)))
                .map_err(failed())?;
        }
    }
    sidecars.each_text(&mut |text| {
        let mut masked = Vec::new();
        each_line_of(text, &mut |place, line| masked.extend_from_slice(&masks.hidden_bytes(place, line)));
        if masked.is_empty() { Ok(()) } else { put(TracePiece::Text(text.suffix, &masked)) }
    })?;
    Ok(name)
}

/// Writes the trace and its sidecars to a folder.
pub(super) fn write(
    log: &Log,
    masks: Option<&mut Masks>,
    folder: &Path,
    is_cancelled: Cancelled<'_>,
) -> Result<Written, ExportError> {
    match masks {
        Some(masks) if masks.hides_something() => write_masked(log, masks, folder, is_cancelled),
        // If nothing is masked, damage is copied as it is.
        _ => write_as_recorded(log, folder),
    }
}

fn write_as_recorded(log: &Log, folder: &Path) -> Result<Written, ExportError> {
    // A database is not a trace.
    let body = if log.container == Container::Sqlite { TraceBody::of(log)? } else { TraceBody::Lines };
    let name = match log.container {
        Container::Lines => log.dialect.export.lines_name,
        _ => "trace.json",
    };
    let failed = || ExportError::io(name);
    let mut file = create(&folder.join(name)).map_err(failed())?;
    match body {
        TraceBody::Records(parts, form) => {
            file.write_all(&form.write(&parts, &Candidate::all(&parts))).map_err(failed())?
        }
        _ => {
            let mut from = BufReader::new(log.text()?);
            io::copy(&mut from, &mut file).map_err(failed())?;
        }
    }
    file.flush().map_err(failed())?;
    let mut files = vec![name.to_owned()];
    files.extend(copy_sidecars(log, name, folder)?);
    Ok(Written { trace: name.to_owned(), files })
}

/// Copies the sidecars of the log. Returns the names of the copies.
fn copy_sidecars(log: &Log, name: &str, folder: &Path) -> Result<Vec<String>, ExportError> {
    let (sidecars, mut files) = (loader::own_sidecars(log)?, Vec::new());
    let failed = || ExportError::io(format!("the sidecars of {name}"));
    if let Some(mut copy) = sidecars.copy_to(&folder.join(name)).map_err(failed())? {
        each_record(log, |_, (_, record)| copy.record(record))?.map_err(failed())?;
        files.extend(copy.finish().into_iter().map(|path| format!("{name}{path}")));
    }
    sidecars.each_text(&mut |text| {
        let name = format!("{name}{}", text.suffix);
        fs::write(folder.join(&name), text.bytes)?;
        files.push(name);
        Ok(())
    })?;
    Ok(files)
}

fn write_masked(
    log: &Log,
    masks: &mut Masks,
    folder: &Path,
    is_cancelled: Cancelled<'_>,
) -> Result<Written, ExportError> {
    let name = TraceBody::of(log)?.name(log);
    let failed = || ExportError::io(name);
    let mut file = create(&folder.join(name)).map_err(failed())?;
    let (mut files, mut texts) = (vec![name.to_owned()], Vec::new());
    mask(log, masks, is_cancelled, &mut |piece| match piece {
        TracePiece::Trace(bytes) => file.write_all(bytes),
        TracePiece::Payload(path, bytes) => {
            let path = format!("{name}{path}");
            if let Some(parent) = folder.join(&path).parent() {
                fs::create_dir_all(parent)?;
            }
            let mut file = create(&folder.join(&path))?;
            files.push(path);
            file.write_all(bytes)?;
            file.flush()
        }
        TracePiece::Text(suffix, bytes) => {
            texts.push((suffix, bytes.to_vec()));
            Ok(())
        }
    })?;
    file.flush().map_err(failed())?;
    drop(file);
    for (suffix, text) in texts {
        let now = open_packed(&folder.join(name), log)?;
        let name = format!("{name}{suffix}");
        let fitted = loader::own_sidecars(log)?.refitted(text, log, &now)?;
        fs::write(folder.join(&name), fitted).map_err(ExportError::io(&name))?;
        files.push(name);
    }
    Ok(Written { trace: name.to_owned(), files })
}

/// Opens the trace in the same way as the log was opened.
pub(super) fn open_packed(path: &Path, log: &Log) -> Result<Log, LogError> {
    Log::open(path, &Options { dialect: Some(log.dialect), ..log.options() })
}

fn create(path: &Path) -> io::Result<BufWriter<File>> {
    Ok(BufWriter::new(OpenOptions::new().write(true).create_new(true).open(path)?))
}

pub(super) fn record_place(part: u32) -> String {
    format!("event {part}")
}

/// Visits every line with its end, numbered from 1.
fn each_line(
    log: &Log,
    is_cancelled: Cancelled<'_>,
    visit: &mut dyn FnMut(u64, &[u8]) -> io::Result<()>,
) -> Result<(), ExportError> {
    let mut reader = BufReader::new(log.text()?);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let read = reader.read_until(b'\n', &mut line).map_err(|error| LogError::io(&log.name, error))?;
        if read == 0 {
            break;
        }
        if is_cancelled() {
            return Err(ExportError::Cancelled);
        }
        visit(number, &line).map_err(ExportError::io("the trace"))?;
    }
    Ok(())
}

/// Visits the lines of a text, each with its place.
fn each_line_of(text: &SidecarText<'_>, visit: &mut dyn FnMut(&str, &[u8])) {
    for (number, line) in (1..).zip(text.bytes.split_inclusive(|byte| *byte == b'\n')) {
        visit(&format!("{}:{number}", text.place), line);
    }
}

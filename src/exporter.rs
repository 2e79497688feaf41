//! Exporting: writes the evidence of one finding as a folder that another engineer can open, verify and replay.
//!
//! Used by the command and the screen. `trace` copies the log, [`masks`] masks secrets and reports them, [`marks`] are
//! the user's bookmarks, `shrunk` is the minimized trace, and `contents` is everything that is derived from the packed
//! trace. Nothing is derived from the log before masking. [`own`] writes a form of crashpack that belongs to a dialect.

mod contents;
mod lost;
pub(crate) mod marks;
pub(crate) mod masks;
pub(crate) mod own;
mod shrunk;
mod trace;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

pub(crate) use crate::crashpack::evidence::Given;
use crate::crashpack::manifest::{Environment, Expected, Subject};
use crate::crashpack::{BOOKMARKS, REDACTIONS, script};
pub(crate) use crate::crashpack_folder::{OnSignal, PackWriter, WriteError, clean_up};
use crate::dialect::open_log::DialectError;
use crate::loader::{self, Loaded, check_results};
use crate::log::{Log, LogError};
use crate::minimize::Extent;
use crate::minimize::tester::Observer;
use crate::redact;
use crate::replay::bookmark::Bookmarks;
use crate::replay::finding::Finding;
use crate::text::harmless;
use masks::Masks;

/// What to pack, and how.
pub(crate) struct Order<'o> {
    pub log: &'o Log,
    /// The finding that the pack is about; the log must report it.
    pub finding: &'o Finding,
    /// Whether to add a minimized trace, and how far to minimize it.
    pub minimize: Option<Extent>,
    pub redaction: Option<&'o Redaction>,
    pub given: &'o Given,
    /// Bookmarks from the crashpack that contains the log.
    pub bookmarks: &'o Bookmarks,
    /// Whether the export was cancelled.
    pub is_cancelled: Cancelled<'o>,
}

/// Returns whether the export was cancelled.
pub(crate) type Cancelled<'g> = &'g (dyn Fn() -> bool + Sync);

/// The part of an order that is searched for secrets.
pub(crate) struct MaskSubject<'o> {
    pub log: &'o Log,
    pub given: &'o Given,
    pub is_cancelled: Cancelled<'o>,
}

impl<'o> Order<'o> {
    fn subject(&self) -> MaskSubject<'o> {
        MaskSubject { log: self.log, given: self.given, is_cancelled: self.is_cancelled }
    }

    fn refuse_if_cancelled(&self) -> Result<(), ExportError> {
        if (self.is_cancelled)() { Err(ExportError::Cancelled) } else { Ok(()) }
    }
}

/// How secrets are masked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Redaction {
    pub options: redact::MaskOptions,
    /// Masks of texts that the user wants to keep.
    pub spared: BTreeSet<String>,
}

/// A finished pack.
pub(crate) struct Packed {
    pub id: String,
    /// The finding that it is about. `None` if the log is clean.
    pub fingerprint: Option<String>,
    pub events: u32,
    /// Every file except the manifest.
    pub names: Vec<String>,
    /// The number of masked texts, if redaction was requested.
    pub removals: Option<usize>,
    /// The findings of the packed log.
    pub checks: BTreeSet<&'static str>,
    /// The last record of the log is incomplete and was left out.
    pub omits_torn: bool,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ExportError {
    #[error(transparent)]
    Log(#[from] LogError),

    #[error(transparent)]
    Pack(#[from] WriteError),

    #[error("{what}: cannot be written: {error}")]
    Io { what: String, error: io::Error },

    #[error("invalid pattern {:?}, at character {}: {}", .0.pattern, .0.column, .0.reason)]
    Pattern(#[from] redact::BadPattern),

    #[error("the export was cancelled; nothing was written")]
    Cancelled,

    #[error("{name}: {reason}")]
    Refused { name: String, reason: String },

    #[error("{name}: without its secrets the log no longer reports {fingerprint}: {reason}; nothing was written")]
    Lost { name: String, fingerprint: String, reason: String },
}

impl From<DialectError> for ExportError {
    fn from(error: DialectError) -> ExportError {
        match error {
            DialectError::Read(error) => match error.downcast::<io::Error>() {
                Ok(error) => ExportError::Io { what: "the sidecars of the trace".to_owned(), error: *error },
                Err(error) => LogError::from(DialectError::Read(error)).into(),
            },
            refused @ (DialectError::Write(_) | DialectError::Refused(_)) => LogError::from(refused).into(),
        }
    }
}

impl ExportError {
    fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> ExportError {
        let what = what.into();
        |error| ExportError::Io { what, error }
    }
}

/// Why the shown log cannot be packed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PackRefusal {
    #[error("a what-if variant cannot be packed; save it as a log first, with :save FILE")]
    Variant,
    #[error("{0}")]
    Log(String),
}

/// Why a log cannot be packed.
pub(crate) fn refusal(log: &Log) -> Option<String> {
    if let Some(reason) = log.refusal {
        return Some(reason.to_owned());
    }
    // If damaged evidence were packed again, it would look intact.
    log.found.first().map(|damage| format!("{}; a damaged pack is not packed again", damage.message()))
}

/// The log of a replay, if it can be packed.
pub(crate) fn log_of(loaded: &Loaded) -> Result<Arc<Log>, PackRefusal> {
    let (log, _) = loaded.log().ok_or(PackRefusal::Variant)?;
    refusal(&log).map_or(Ok(log), |reason| Err(PackRefusal::Log(reason)))
}

/// Why a folder must not be replaced by a pack: it contains the log, or is the working folder or one above it.
pub(crate) fn refusal_of_folder(target: &Path, log: Option<&Path>) -> Option<String> {
    let target = target.canonicalize().ok()?;
    let within = |path: &Path| path.canonicalize().is_ok_and(|path| path.starts_with(&target));
    if log.is_some_and(within) {
        return Some("the log itself is in this folder; choose another name".to_owned());
    }
    within(Path::new(".")).then(|| "this is the current folder or a parent of it; choose another name".into())
}

/// Writes a pack. The log must have been opened without sidecars that the user named: they are not packed.
pub(crate) fn export(
    order: &Order<'_>,
    mut writer: PackWriter,
    observer: &mut dyn Observer,
) -> Result<Packed, ExportError> {
    let name = || order.log.name.clone();
    let refused = |reason| ExportError::Refused { name: name(), reason };
    if let Some(reason) = refusal(order.log) {
        return Err(refused(reason));
    }
    let variables = variables(order.log, script::SEED_PREFIX, order.given)?;
    let bookmarks = marks::of(order.log, order.bookmarks);
    let mut masks = order.redaction.map(|redaction| Masks::of(&order.subject(), redaction, &bookmarks)).transpose()?;
    let written = trace::write(order.log, masks.as_mut(), &writer.path(""), order.is_cancelled)?;
    for file in &written.files {
        writer.adopt(file).map_err(ExportError::io(file))?;
    }
    order.refuse_if_cancelled()?;
    let packed = trace::open_packed(&writer.path(&written.trace), order.log)?;
    let checked = check_results::check_log(&packed, &*loader::own_sidecars(&packed)?, &|_| {})?;
    let Some(finding) = lost::same(order.finding, &checked.findings, masks.as_mut()).cloned() else {
        return Err(match &mut masks {
            Some(masks) if masks.removals() > 0 => lost::why(order, masks, &writer.path("probe")),
            _ => refused(format!(
                "{} depends on more than the packed log; choose another finding",
                order.finding.fingerprint()
            )),
        });
    };
    let mut given = order.given.clone();
    if let Some(masks) = &mut masks {
        masks.hide_in(&mut given);
    }
    order.refuse_if_cancelled()?;
    let minimized = match order.minimize {
        Some(extent) => Some(shrunk::write(&written.trace, order.log, &finding, extent, &mut writer, observer)?),
        None => None,
    };
    order.refuse_if_cancelled()?;
    if let Some(bookmarks) = marks::file(&bookmarks, &packed, masks.as_mut()) {
        writer.write(BOOKMARKS, &bookmarks).map_err(ExportError::io(BOOKMARKS))?;
    }
    if let Some(masks) = &masks {
        write_redactions(masks, &mut writer)?;
    }
    let subject = Subject {
        dialect: order.log.dialect.name.to_owned(),
        trace: written.trace,
        minimized,
        finding: Expected::of(&finding),
        environment: environment(),
    };
    let contents = contents::Contents {
        log: &packed,
        checked: &checked,
        finding: &finding,
        subject: &subject,
        given: &given,
        variables: &variables,
        is_redacted: masks.is_some(),
    };
    contents.write(&mut writer).map_err(ExportError::io("the pack"))?;
    order.refuse_if_cancelled()?;
    let names = writer.names().map(str::to_owned).collect();
    let (fingerprint, removals) = (Some(finding.fingerprint()), masks.map(|masks| masks.removals()));
    let checks = checked.findings.iter().map(|finding| finding.check.id).collect();
    let id = writer.finish(subject)?;
    Ok(Packed { id, fingerprint, events: checked.events, names, removals, checks, omits_torn: false })
}

/// The variables for the seeds that the user gave.
fn variables(log: &Log, prefix: &str, given: &Given) -> Result<BTreeMap<String, u64>, ExportError> {
    script::variables(prefix, &given.seeds).map_err(|clash| {
        let script::Clash { one, other, variable } = clash;
        let reason = format!("the seeds {one:?} and {other:?} would both become {variable}; rename one of them");
        ExportError::Refused { name: log.name.clone(), reason }
    })
}

/// Adds the report about masked texts.
fn write_redactions(masks: &Masks, writer: &mut PackWriter) -> Result<(), ExportError> {
    let failed = || ExportError::io(REDACTIONS);
    let mut file = writer.create(REDACTIONS).map_err(failed())?;
    masks.write_report(&mut file).and_then(|()| file.flush()).map_err(failed())?;
    drop(file);
    writer.adopt(REDACTIONS).map_err(failed())
}

/// The current system. It identifies no person, place or variable.
fn environment() -> Environment {
    Environment {
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        os: std::env::consts::OS.to_owned(),
        arch: std::env::consts::ARCH.to_owned(),
    }
}

/// A JSON document as a file of a pack.
fn json(document: &Value) -> io::Result<Vec<u8>> {
    Ok((harmless(serde_json::to_string_pretty(document)?) + "\n").into_bytes())
}

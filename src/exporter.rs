//! Exporting, at the edge: the evidence of one finding as a folder that another engineer can see, trust and replay.
//!
//! What the command and the screen have in common. `trace` is the log as it goes along, [`masks`] takes its secrets out
//! and tells what was taken, [`marks`] are the investigator's bookmarks, `shrunk` is the minimized trace and `contents`
//! everything that is derived from the trace as it was packed. Nothing is derived from the log as it was before.

mod contents;
mod lost;
pub(crate) mod marks;
pub(crate) mod masks;
mod shrunk;
mod trace;

use std::collections::BTreeSet;
use std::io;
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
use crate::minimize::tester::Observer;
use crate::redact;
use crate::replay::bookmark::Bookmarks;
use crate::replay::finding::Finding;
use crate::text::harmless;
use masks::Masks;

/// What is to be packed, and how.
pub(crate) struct Order<'o> {
    pub log: &'o Log,
    /// The finding that the pack is about, one of those that the log reports.
    pub finding: &'o Finding,
    pub minimize: bool,
    pub redaction: Option<&'o Redaction>,
    pub given: &'o Given,
    /// Bookmarks that came along with the log.
    pub bookmarks: &'o Bookmarks,
    /// Whether nobody wants it any more.
    pub is_given_up: GivenUp<'o>,
}

/// Says whether nobody waits for it any more.
pub(crate) type GivenUp<'g> = &'g (dyn Fn() -> bool + Sync);

impl Order<'_> {
    fn goes_on(&self) -> Result<(), ExportError> {
        if (self.is_given_up)() { Err(ExportError::GivenUp) } else { Ok(()) }
    }
}

/// How secrets are hidden.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Redaction {
    pub options: redact::MaskOptions,
    /// Masks of what stays as it is, because somebody looked at it and said so.
    pub spared: BTreeSet<String>,
}

/// A pack that stands under its name.
pub(crate) struct Packed {
    pub id: String,
    pub fingerprint: String,
    pub events: u32,
    /// Every file but the manifest.
    pub names: Vec<String>,
    /// How many texts were masked, if any were to be.
    pub removals: Option<usize>,
    /// What the packed log is reported for.
    pub checks: BTreeSet<&'static str>,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ExportError {
    #[error(transparent)]
    Log(#[from] LogError),

    #[error(transparent)]
    Pack(#[from] WriteError),

    #[error("{what}: cannot be written: {error}")]
    Io { what: String, error: io::Error },

    #[error("the pattern {:?} cannot be read at its character {}: {}", .0.pattern, .0.column, .0.reason)]
    Pattern(#[from] redact::BadPattern),

    #[error("exporting was given up; nothing was written")]
    GivenUp,

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
            refused @ DialectError::Refused(_) => LogError::from(refused).into(),
        }
    }
}

impl ExportError {
    fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> ExportError {
        let what = what.into();
        |error| ExportError::Io { what, error }
    }
}

/// Why what is shown cannot be packed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PackRefusal {
    #[error("a what-if variant cannot be packed; :save FILE makes it a log")]
    Variant,
    #[error("{0}")]
    Log(String),
}

/// Why a log cannot be packed at all.
pub(crate) fn refusal(log: &Log) -> Option<String> {
    if let Some(reason) = log.dialect.export.refusal {
        return Some(reason.to_owned());
    }
    // Packed again, damaged evidence would look sound.
    log.found.first().map(|damage| format!("{}; a damaged pack is not packed again", damage.message()))
}

/// The log that is replayed, if it can be packed.
pub(crate) fn log_of(loaded: &Loaded) -> Result<Arc<Log>, PackRefusal> {
    let (log, _) = loaded.log().ok_or(PackRefusal::Variant)?;
    refusal(&log).map_or(Ok(log), |reason| Err(PackRefusal::Log(reason)))
}

/// A pack may take a folder's place. That must not be one that holds the log, or that somebody works in.
pub(crate) fn refusal_of_folder(target: &Path, log: Option<&Path>) -> Option<String> {
    let target = target.canonicalize().ok()?;
    let within = |path: &Path| path.canonicalize().is_ok_and(|path| path.starts_with(&target));
    if log.is_some_and(within) {
        return Some("the log itself is in this folder; choose another name".to_owned());
    }
    within(Path::new(".")).then(|| "this is the folder that you are in, or one around it; choose another name".into())
}

/// Writes a pack. The log must be one that nothing beside it counts for: what stands there stays there.
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
    let variables = script::variables(&order.given.seeds).map_err(|clash| {
        let script::Clash { one, other, variable } = clash;
        refused(format!("the seeds {one:?} and {other:?} would both be {variable}; give one of them another name"))
    })?;
    let bookmarks = marks::of(order.log, order.bookmarks);
    let mut masks = order.redaction.map(|redaction| Masks::of(order, redaction, &bookmarks)).transpose()?;
    let written = trace::write(order.log, masks.as_mut(), &writer.path(""), order.is_given_up)?;
    for file in &written.files {
        writer.adopt(file).map_err(ExportError::io(file))?;
    }
    order.goes_on()?;
    let packed = trace::open_packed(&writer.path(&written.trace), order.log)?;
    let checked = check_results::check_log(&packed, &*loader::own_sidecars(&packed)?, &|_| {})?;
    let Some(finding) = lost::same(order.finding, &checked.findings, masks.as_mut()).cloned() else {
        return Err(match &mut masks {
            Some(masks) if masks.removals() > 0 => lost::why(order, masks, &writer.path("probe")),
            _ => refused(format!(
                "{} is about more than the log that is packed; choose another finding",
                order.finding.fingerprint()
            )),
        });
    };
    let mut given = order.given.clone();
    if let Some(masks) = &mut masks {
        masks.hide_in(&mut given);
    }
    order.goes_on()?;
    let minimized = match order.minimize {
        true => Some(shrunk::write(&written.trace, order.log, &finding, &mut writer, observer)?),
        false => None,
    };
    order.goes_on()?;
    if let Some(bookmarks) = marks::file(&bookmarks, &packed, masks.as_mut()) {
        writer.write(BOOKMARKS, &bookmarks).map_err(ExportError::io(BOOKMARKS))?;
    }
    if let Some(masks) = &masks {
        let told = json(&masks.told()).map_err(ExportError::io(REDACTIONS))?;
        writer.write(REDACTIONS, &told).map_err(ExportError::io(REDACTIONS))?;
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
    order.goes_on()?;
    let names = writer.names().map(str::to_owned).collect();
    let (fingerprint, removals) = (finding.fingerprint(), masks.map(|masks| masks.removals()));
    let checks = checked.findings.iter().map(|finding| finding.check.id).collect();
    Ok(Packed { id: writer.finish(subject)?, fingerprint, events: checked.events, names, removals, checks })
}

/// Where this runs: nothing that names a person, a place or a variable.
fn environment() -> Environment {
    Environment {
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        os: std::env::consts::OS.to_owned(),
        arch: std::env::consts::ARCH.to_owned(),
    }
}

/// A document as a file of a pack.
fn json(document: &Value) -> io::Result<Vec<u8>> {
    Ok((harmless(serde_json::to_string_pretty(document)?) + "\n").into_bytes())
}

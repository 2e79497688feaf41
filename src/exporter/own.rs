//! Exporting to a form of crashpack that belongs to a dialect, such as a transfer crashpack.
//!
//! The log may be clean: such a pack holds the results of all oracles. Everything is derived from the packed trace, as
//! it is read again.

use std::fs;
use std::io::{self, Write};

use serde::de::IgnoredAny;

use super::masks::Masks;
use super::{
    Cancelled, ExportError, Given, MaskSubject, PackWriter, Packed, Redaction, lost, refusal, trace, variables,
};
use crate::crashpack::script;
use crate::dialect::export::{OwnPack, OwnPackFacts};
use crate::loader::{self, check_results};
use crate::log::walk::each_record;
use crate::log::{Log, Options};
use crate::replay::finding::Finding;
use crate::replay::{Seq, damage};

/// What to pack, and how.
pub(crate) struct OwnOrder<'o> {
    pub log: &'o Log,
    /// The findings of the log.
    pub findings: &'o [Finding],
    /// The finding that the script reproduces, if there is one.
    pub finding: Option<&'o Finding>,
    pub redaction: Option<&'o Redaction>,
    pub given: &'o Given,
    pub is_cancelled: Cancelled<'o>,
}

impl OwnOrder<'_> {
    fn refused(&self, reason: impl Into<String>) -> ExportError {
        ExportError::Refused { name: self.log.name.clone(), reason: reason.into() }
    }

    /// The last record, if it is incomplete. It cannot be an element of the trace.
    fn torn(&self) -> Option<Seq> {
        let torn = self.findings.iter().find(|finding| *finding.check == damage::TORN_TAIL)?;
        torn.at.first().copied()
    }
}

pub(crate) fn export(own: &OwnPack, order: &OwnOrder<'_>, mut writer: PackWriter) -> Result<Packed, ExportError> {
    if let Some(reason) = refusal(order.log) {
        return Err(order.refused(reason));
    }
    let variables = variables(order.log, own.seed_prefix, order.given)?;
    let subject = MaskSubject { log: order.log, given: order.given, is_cancelled: order.is_cancelled };
    let mut masks = order.redaction.map(|redaction| Masks::of(&subject, redaction, &[])).transpose()?;
    let packed = write_trace(own, order, masks.as_mut(), &mut writer)?;
    let checked = check_results::check_log(&packed, &*loader::own_sidecars(&packed)?, &|_| {})?;
    let finding = match order.finding {
        None => None,
        Some(wanted) => match lost::same(wanted, &checked.findings, masks.as_mut()) {
            Some(finding) => Some(finding),
            None => {
                let reason = format!(
                    "the packed states no longer report {}; choose another finding{}",
                    wanted.check.id,
                    if masks.is_some() { ", or keep a text with --spare" } else { "" }
                );
                return Err(order.refused(reason));
            }
        },
    };
    let mut given = order.given.clone();
    if let Some(masks) = &mut masks {
        masks.hide_in(&mut given);
    }
    let facts = OwnPackFacts { log: &packed, findings: &checked.findings, given: &given };
    let derived = (own.derived)(&facts)?;
    for (name, text) in &derived.files {
        writer.write(name, text.as_bytes()).map_err(ExportError::io(*name))?;
    }
    let fingerprint = finding.map(Finding::fingerprint);
    let script = match &fingerprint {
        Some(fingerprint) => script::script(&variables, fingerprint),
        None => script::checking_script(&variables),
    };
    writer.write_script(own.script, &script).map_err(ExportError::io(own.script))?;
    if let Some(masks) = &masks {
        super::write_redactions(masks, &mut writer)?;
    }
    if (order.is_cancelled)() {
        return Err(ExportError::Cancelled);
    }
    let names = writer.names().map(str::to_owned).collect();
    let id = writer.finish_own(own.manifest, |files| (own.sealed)(&derived.preamble, files))?;
    let checks = checked.findings.iter().map(|finding| finding.check.id).collect();
    let removals = masks.map(|masks| masks.removals());
    Ok(Packed { id, fingerprint, events: checked.events, names, removals, checks })
}

/// Writes the records as a JSON array, and opens them as they will be opened from the pack.
fn write_trace(
    own: &OwnPack,
    order: &OwnOrder<'_>,
    mut masks: Option<&mut Masks>,
    writer: &mut PackWriter,
) -> Result<Log, ExportError> {
    let failed = || ExportError::io(own.trace);
    let mut file = writer.create(own.trace).map_err(failed())?;
    if let Some(masks) = &mut masks {
        masks.begin();
    }
    let (mut records, torn) = (0_u64, order.torn());
    each_record(order.log, |at, (_, record)| -> io::Result<()> {
        // A log that ends between two records has no incomplete one.
        if torn == Some(at) && serde_json::from_slice::<IgnoredAny>(record).is_err() {
            return Ok(());
        }
        let record = match &mut masks {
            Some(masks) => masks.record(&trace::record_place(at.0), record),
            None => record.into(),
        };
        file.write_all(if records == 0 { b"[\n" } else { b",\n" })?;
        records += 1;
        file.write_all(&(own.element)(&record))
    })?
    .map_err(failed())?;
    if records == 0 {
        return Err(order.refused("the log has no complete record, so there is nothing to export"));
    }
    file.write_all(b"\n]\n").and_then(|()| file.flush()).map_err(failed())?;
    drop(file);
    writer.adopt(own.trace).map_err(failed())?;
    let bytes = fs::read(writer.path(own.trace)).map_err(failed())?;
    if bytes.len() as u64 > own.trace_limit_bytes {
        let (length, limit) = (bytes.len(), own.trace_limit_bytes);
        return Err(order.refused(format!("a {} holds up to {limit} bytes of records, not {length}", own.title)));
    }
    let options = Options { dialect: Some(order.log.dialect), ..order.log.options() };
    Ok(Log::from_bytes(order.log.name.clone(), None, (own.lines)(&bytes), &options)?)
}

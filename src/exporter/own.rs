//! Exporting to a form of crashpack that belongs to a dialect, such as a transfer crashpack.
//!
//! The log may be clean: such a pack holds the results of all oracles. Everything is derived from the packed trace, as
//! it is read again.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};

use serde::de::IgnoredAny;

use super::masks::Masks;
use super::{
    Cancelled, ExportError, Given, MaskSubject, PackWriter, Packed, Redaction, lost, refusal, trace, variables,
};
use crate::crashpack::script;
use crate::dialect::export::{OwnPack, OwnPackFacts, OwnPackFiles};
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
    /// The finding that the user chose. Otherwise it is the worst one that the pack reports.
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
    let WrittenFile { log: packed, omits_torn } = write_trace(own, order, masks.as_mut(), &mut writer)?;
    let checked = check_results::check_log(&packed, &*loader::own_sidecars(&packed)?, &|_| {})?;
    let mut given = order.given.clone();
    if let Some(masks) = &mut masks {
        masks.hide_in(&mut given);
    }
    let facts = OwnPackFacts { log: &packed, findings: &checked.findings, given: &given };
    let derived = (own.derived)(&facts)?;
    for (name, text) in &derived.files {
        writer.write(name, text.as_bytes()).map_err(ExportError::io(*name))?;
    }
    let reported = reported(&packed, &derived)?;
    let fingerprint = choose(order, &reported, masks.as_mut())?.map(Finding::fingerprint);
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
    let checks = reported.iter().map(|finding| finding.check.id).collect();
    let removals = masks.map(|masks| masks.removals());
    Ok(Packed { id, fingerprint, events: checked.events, names, removals, checks, omits_torn })
}

/// The findings of the finished pack. A finding about the log as a whole may be missing, because more records follow.
fn reported(packed: &Log, derived: &OwnPackFiles) -> Result<Vec<Finding>, ExportError> {
    let records = [packed.bytes()?, derived.records.clone().into_bytes()].concat();
    let options = Options { dialect: Some(packed.dialect), ..packed.options() };
    let opened = Log::from_bytes(packed.name.clone(), None, records, &options)?;
    Ok(check_results::check_log(&opened, &*loader::own_sidecars(&opened)?, &|_| {})?.findings)
}

/// The finding that the script reproduces. `None` if the pack reports none.
fn choose<'f>(
    order: &OwnOrder<'_>,
    reported: &'f [Finding],
    mut masks: Option<&mut Masks>,
) -> Result<Option<&'f Finding>, ExportError> {
    if let Some(wanted) = order.finding {
        let has_masks = masks.as_ref().is_some_and(|masks| masks.removals() > 0);
        let advice = if has_masks { ", or keep a text with --spare" } else { "" };
        let refused = || {
            let check = wanted.check.id;
            order.refused(format!("the pack would not report {check}; choose another finding{advice}"))
        };
        return lost::same(wanted, reported, masks).map(Some).ok_or_else(refused);
    }
    let mut worst_first: Vec<&Finding> = order.findings.iter().collect();
    worst_first.sort_by_key(|finding| Reverse(finding.severity));
    let mut tried = BTreeSet::new();
    worst_first.retain(|finding| tried.insert(finding.fingerprint()));
    let kept = worst_first.into_iter().find_map(|finding| lost::same(finding, reported, masks.as_deref_mut()));
    // A record that cannot be packed as it is may be malformed for another reason in the pack.
    Ok(kept.or_else(|| reported.iter().min_by_key(|finding| Reverse(finding.severity))))
}

/// The packed trace, as it is opened from the pack.
struct WrittenFile {
    log: Log,
    /// The last record is incomplete and was left out.
    omits_torn: bool,
}

/// Writes the records as a JSON array, and opens them again.
fn write_trace(
    own: &OwnPack,
    order: &OwnOrder<'_>,
    mut masks: Option<&mut Masks>,
    writer: &mut PackWriter,
) -> Result<WrittenFile, ExportError> {
    let failed = || ExportError::io(own.trace);
    let mut file = writer.create(own.trace).map_err(failed())?;
    if let Some(masks) = &mut masks {
        masks.begin();
    }
    let (mut records, mut omits_torn, torn) = (0_u64, false, order.torn());
    each_record(order.log, |at, (_, record)| -> io::Result<()> {
        // A log that ends between two records has no incomplete one.
        if torn == Some(at) && serde_json::from_slice::<IgnoredAny>(record).is_err() {
            omits_torn = true;
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
    let log = Log::from_bytes(order.log.name.clone(), None, (own.lines)(&bytes), &options)?;
    Ok(WrittenFile { log, omits_torn })
}

//! Whether masking removes a finding, and which mask does.

use std::fs;
use std::path::Path;

use super::masks::Masks;
use super::{ExportError, Order, trace};
use crate::loader::{self, check_results};
use crate::replay::finding::Finding;

/// The beginning of every mask.
const MASK: &str = "REDACTED-";

/// The wanted finding in a trace that may be masked. Its subjects may be masked, too.
pub(super) fn same<'f>(wanted: &Finding, found: &'f [Finding], masks: Option<&mut Masks>) -> Option<&'f Finding> {
    let fingerprint = wanted.fingerprint();
    let as_it_was = found.iter().find(|finding| finding.fingerprint() == fingerprint);
    if as_it_was.is_some() || masks.is_none() {
        return as_it_was;
    }
    let is_masked = |finding: &Finding| {
        let (one, two) = (&wanted.subjects, &finding.subjects);
        one.len() == two.len()
            && one.iter().zip(two).all(|(one, two)| one.0 == two.0 && (one.1 == two.1 || two.1.contains(MASK)))
    };
    found.iter().find(|finding| finding.check == wanted.check && finding.at == wanted.at && is_masked(finding))
}

/// Why a finding is not in the masked trace: the first mask, in order of appearance, that removes it. `folder` is used
/// for temporary files and removed.
pub(super) fn why(order: &Order<'_>, masks: &mut Masks, folder: &Path) -> ExportError {
    let used: Vec<(String, String)> = masks
        .used()
        .iter()
        .map(|removal| (removal.mask.clone(), format!("{} {}", removal.place, removal.path)))
        .collect();
    let reason = match first_to_break(order, masks, &used, folder) {
        Err(error) => return error,
        Ok(Some((mask, place))) => {
            format!("the mask {mask} breaks it ({place}); --spare {mask} keeps that text")
        }
        Ok(None) => "it depends on more than the packed log, or on damage that masking repairs".to_owned(),
    };
    let (name, fingerprint) = (order.log.name.clone(), masks.hidden("a finding", &order.finding.fingerprint()));
    ExportError::Lost { name, fingerprint, reason }
}

/// A binary search: the finding is reported with none of the masks and not with all of them, so there is a first one.
fn first_to_break<'u>(
    order: &Order<'_>,
    masks: &mut Masks,
    used: &'u [(String, String)],
    folder: &Path,
) -> Result<Option<&'u (String, String)>, ExportError> {
    if !holds(order, masks, used, 0, folder)? {
        return Ok(None);
    }
    let (mut holding, mut lost) = (0, used.len());
    while lost - holding > 1 {
        let middle = usize::midpoint(holding, lost);
        match holds(order, masks, used, middle, folder)? {
            true => holding = middle,
            false => lost = middle,
        }
    }
    Ok(used.get(holding))
}

/// Whether the finding is reported if only the first `made` masks are applied.
fn holds(
    order: &Order<'_>,
    masks: &mut Masks,
    used: &[(String, String)],
    made: usize,
    folder: &Path,
) -> Result<bool, ExportError> {
    for (number, (mask, _)) in used.iter().enumerate() {
        masks.spare(mask, number >= made);
    }
    let failed = || ExportError::io("the trace");
    fs::create_dir(folder).map_err(failed())?;
    let written = trace::write(order.log, Some(masks), folder, order.is_cancelled)?;
    let log = trace::open_packed(&folder.join(written.trace), order.log)?;
    let checked = check_results::check_log(&log, &*loader::own_sidecars(&log)?, &|_| {})?;
    fs::remove_dir_all(folder).map_err(failed())?;
    Ok(same(order.finding, &checked.findings, Some(masks)).is_some())
}

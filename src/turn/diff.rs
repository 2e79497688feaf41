//! Comparison of two turn logs by their kinds of events, their effects and their verdicts.

use serde_json::Value;

use super::trace::{BundleSide, compare_document};
use super::whole::HeldEvents;
use crate::dialect::diff::{DiffInput, DiffMode, DiffOutcome, Diffing};
use crate::dialect::open_log::DialectError;
use crate::text::styled::{Styled, StyledText, Tone};
use crate::text::{clean, pad};

pub(crate) const DIFFING: Diffing = Diffing {
    modes: &[DiffMode {
        name: "kinds",
        aliases: &[],
        describes: "turn logs: the number of events of each kind, the effects, and the results of the engine's own checks",
        compare,
        has_compat: false,
    }],
    compat_mode: None,
    document: Some(document),
};

/// The compare document, as other tools of the format write it.
fn document(input: &DiffInput<'_>) -> Result<Value, DialectError> {
    let (left, right) = (HeldEvents::read(input.left)?, HeldEvents::read(input.right)?);
    let (left, right) = (left.decode(), right.decode());
    let left = BundleSide::new(input.left.name(), &left);
    let right = BundleSide::new(input.right.name(), &right);
    Ok(compare_document(&left, &right))
}

fn compare(input: &DiffInput<'_>) -> Result<DiffOutcome, DialectError> {
    let document = document(input)?;
    let diff = &document["diff"];
    let is_same = diff["coherence_match"] == true
        && diff["event_kind_sequence_match"] == true
        && diff["effect_count_deltas"].as_array().is_none_or(Vec::is_empty);
    let text = text(input, diff, is_same);
    let document = serde_json::to_string_pretty(&document).map_err(DialectError::read)?;
    Ok(DiffOutcome { is_same, document, text })
}

fn text(input: &DiffInput<'_>, diff: &Value, is_same: bool) -> StyledText {
    let mut out = StyledText::default();
    if is_same {
        let sentence = " equal: kinds of events, effects and gate results";
        out.line([Tone::Good.on("✓"), sentence.into()]);
        return out;
    }
    for (side, log, events, ok) in [
        ("left   ", input.left, "left_event_count", "left_coherence_ok"),
        ("right  ", input.right, "right_event_count", "right_coherence_ok"),
    ] {
        let name = Tone::Strong.on(clean(log.name()));
        out.line([side.into(), name, format!(" {} events, ", diff[events]).into(), verdict(&diff[ok])]);
    }
    if let Some(index) = diff["first_kind_mismatch_index"].as_u64() {
        let kind = |kinds: &Value| Tone::Name.on(kinds[index as usize].as_str().unwrap_or("the end"));
        out.plain(&format!("\nfirst difference at decoded event {index}"));
        out.line(["  left   ".into(), kind(&diff["left_event_kinds"])]);
        out.line(["  right  ".into(), kind(&diff["right_event_kinds"])]);
    }
    write_deltas(&mut out, "effects", &diff["effect_count_deltas"], "field");
    write_deltas(&mut out, "guard events", &diff["guard_event_deltas"], "kind");
    out
}

fn verdict(ok: &Value) -> Styled {
    if *ok == true { Tone::Good.on("gate passed") } else { Tone::Bad.on("gate failed") }
}

fn write_deltas(out: &mut StyledText, title: &str, deltas: &Value, key: &str) {
    let Some(deltas) = deltas.as_array().filter(|deltas| !deltas.is_empty()) else { return };
    out.section(title);
    for delta in deltas {
        let name = Tone::Name.on(pad(delta[key].as_str().unwrap_or_default(), 32));
        out.line(["  ".into(), name, format!(" {} → {}", delta["left"], delta["right"]).into()]);
    }
}

//! Comparison of two event tapes record by record, in the four modes of the format's own tool.

use serde::Serialize;

use super::fidelity::{Comparators, Divergence, FidelityMode, FidelityReport, TapeWithBodies, compare_by};
use super::payload::Payload;
use super::stored::Payloads;
use super::whole::{Newer, Tape};
use crate::dialect::diff::{DiffInput, DiffMode, DiffOutcome, Diffing};
use crate::dialect::open_log::{DialectError, OpenLog};
use crate::tape::store::PayloadStore;
use crate::text::styled::{StyledText, Tone};
use crate::text::{clean, count, fit, grouped, pad};

/// Larger requests are not read to explain how they differ.
const LARGEST_BODY_BYTES: u64 = 16 << 20;

pub(crate) const DIFFING: Diffing = Diffing {
    modes: &[
        DiffMode {
            name: "byte-identical",
            aliases: &["byte", "byte_identical"],
            describes: "tapes, record by record: everything must be equal, including the clocks",
            compare: |input| compare(input, FidelityMode::ByteIdentical),
            has_compat: true,
        },
        DiffMode {
            name: "semantic",
            aliases: &[],
            describes: "tapes, record by record: the content must be equal, times may differ",
            compare: |input| compare(input, FidelityMode::Semantic),
            has_compat: true,
        },
        DiffMode {
            name: "phase-aware",
            aliases: &["phase_aware", "byte-user-semantic-runtime"],
            describes: "tapes: the program's own records must be equal, in records of its finishing work times may differ",
            compare: |input| compare(input, FidelityMode::PhaseAware),
            has_compat: true,
        },
        DiffMode {
            name: "outcome",
            aliases: &[],
            describes: "tapes: only the files written, the last exit code and the number of model calls",
            compare: |input| compare(input, FidelityMode::Outcome),
            has_compat: true,
        },
    ],
    compat_mode: Some("byte-identical"),
    document: None,
};

struct ComparedTape {
    tape: Tape,
    store: Option<PayloadStore>,
}

impl ComparedTape {
    fn of(log: &dyn OpenLog) -> Result<ComparedTape, DialectError> {
        let tape = Tape::read(&log.text()?, log.name(), Newer::Refused);
        let tape = tape.map_err(|error| DialectError::Refused(error.to_string()))?;
        Ok(ComparedTape { tape, store: log.path().map(PayloadStore::of_tape) })
    }

    fn body(&self, payload: &Payload) -> Option<Vec<u8>> {
        match payload {
            Payload::Inline { text, .. } => Some(text.clone().into_bytes()),
            Payload::Cas { content_hash, .. } => self.store.as_ref()?.bytes(content_hash, LARGEST_BODY_BYTES),
        }
    }
}

/// The report, and its root cause.
#[derive(Serialize)]
struct ExplainedReport<'r> {
    #[serde(flatten)]
    report: &'r FidelityReport,
    first_divergence: Option<&'r Divergence>,
    /// The first divergence that is not only a difference in time.
    root_cause: Option<&'r Divergence>,
}

fn compare(input: &DiffInput<'_>, mode: FidelityMode) -> Result<DiffOutcome, DialectError> {
    let (one, two) = (ComparedTape::of(input.left)?, ComparedTape::of(input.right)?);
    let (one_bodies, two_bodies) = (|payload: &Payload| one.body(payload), |payload: &Payload| two.body(payload));
    let recorded = TapeWithBodies { tape: &one.tape, bodies: &one_bodies };
    let replay = TapeWithBodies { tape: &two.tape, bodies: &two_bodies };
    let comparators = if input.compat { Comparators::Reference } else { Comparators::All };
    let report = compare_by(recorded, replay, mode, comparators);
    let document = if input.compat {
        serde_json::to_string_pretty(&report)
    } else {
        let (first_divergence, root_cause) = (report.divergences.first(), report.root());
        serde_json::to_string_pretty(&ExplainedReport { report: &report, first_divergence, root_cause })
    };
    let document = document.map_err(DialectError::read)?;
    Ok(DiffOutcome { is_same: report.divergences.is_empty(), document, text: text(&report, input) })
}

fn text(report: &FidelityReport, input: &DiffInput<'_>) -> StyledText {
    let mut out = StyledText::default();
    let score = format!("score {:.4}", report.score);
    if report.divergences.is_empty() {
        out.line([Tone::Good.on("✓"), format!(" the tapes agree, {score}").into()]);
        return out;
    }
    let divergences = count(report.divergences.len() as u64, "divergence");
    out.line([Tone::Bad.on("✗"), format!(" {divergences}, {score}").into()]);
    for (side, log, records) in
        [("recorded", input.left, report.recorded_records), ("replay", input.right, report.replay_records)]
    {
        let name = Tone::Strong.on(clean(log.name()));
        let records = count(records as u64, "record");
        out.line([format!("  {} ", pad(side, 8)).into(), name, format!(" · {records}").into()]);
    }
    if let Some(root) = report.root().filter(|root| Some(*root) != report.divergences.first()) {
        out.section("first difference that is not only in time");
        write_divergence(&mut out, root, input.columns);
    }
    out.section("divergences");
    for divergence in report.divergences.iter().take(input.limit) {
        write_divergence(&mut out, divergence, input.columns);
    }
    if report.divergences.len() > input.limit {
        let rest = grouped((report.divergences.len() - input.limit) as u64);
        out.plain(&format!("  … {rest} more (--limit N lists them)"));
    }
    out
}

fn write_divergence(out: &mut StyledText, divergence: &Divergence, columns: usize) {
    let seq = divergence.seq.map_or_else(String::new, |seq| seq.to_string());
    let category = Tone::Name.on(pad(divergence.category, 22));
    let room = columns.saturating_sub(34).max(40);
    out.line([format!("  {seq:>7}  ").into(), category, format!(" {}", fit(&divergence.message, room)).into()]);
}

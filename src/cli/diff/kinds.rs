//! Two logs by their kinds of events, their effects and their verdicts.

use std::io::Write;

use color_eyre::eyre;
use serde_json::Value;

use crate::cli::convert::now_ms;
use crate::cli::paint::{Paint, clean, pad};
use crate::turn::trace::{BundleSide, compare_document};
use crate::turn::whole::Recording;

pub struct ByKinds {
    left: String,
    right: String,
    /// The compare document, as other tools of the format write it.
    pub document: Value,
    pub is_same: bool,
}

impl ByKinds {
    pub fn of(left: (&str, &Recording<'_>), right: (&str, &Recording<'_>)) -> ByKinds {
        let document = compare_document(&BundleSide::new(left.0, left.1), &BundleSide::new(right.0, right.1), now_ms());
        let diff = &document["diff"];
        let is_same = diff["coherence_match"] == true
            && diff["event_kind_sequence_match"] == true
            && diff["effect_count_deltas"].as_array().is_none_or(Vec::is_empty);
        ByKinds { left: left.0.to_owned(), right: right.0.to_owned(), document, is_same }
    }

    pub fn write_text(&self, paint: Paint, out: &mut dyn Write) -> eyre::Result<()> {
        let diff = &self.document["diff"];
        if self.is_same {
            writeln!(out, "{} the same kinds of events, the same effects, the same verdict", paint.good("✓"))?;
            return Ok(());
        }
        let side = |name: &str, events: &Value, ok: &Value| {
            let verdict = if *ok == true { paint.good("gate passed") } else { paint.bad("gate failed") };
            format!("{} {events} events, {verdict}", paint.strong(&clean(name)))
        };
        writeln!(out, "left   {}", side(&self.left, &diff["left_event_count"], &diff["left_coherence_ok"]))?;
        writeln!(out, "right  {}", side(&self.right, &diff["right_event_count"], &diff["right_coherence_ok"]))?;
        if let Some(index) = diff["first_kind_mismatch_index"].as_u64() {
            let kind = |kinds: &Value| kinds[index as usize].as_str().unwrap_or("the end").to_owned();
            writeln!(out, "\nfirst difference at decoded event {index}")?;
            writeln!(out, "  left   {}", paint.name(&kind(&diff["left_event_kinds"])))?;
            writeln!(out, "  right  {}", paint.name(&kind(&diff["right_event_kinds"])))?;
        }
        for (title, deltas, name) in
            [("effects", &diff["effect_count_deltas"], "field"), ("guard events", &diff["guard_event_deltas"], "kind")]
        {
            let Some(deltas) = deltas.as_array().filter(|deltas| !deltas.is_empty()) else { continue };
            writeln!(out, "\n{}", paint.strong(title))?;
            for delta in deltas {
                let name = delta[name].as_str().unwrap_or_default();
                writeln!(out, "  {} {} → {}", paint.name(&pad(name, 32)), delta["left"], delta["right"])?;
            }
        }
        Ok(())
    }
}

//! The gutter of a list of events, in three columns: playhead or breakpoint; worst finding or search hit; what-if change,
//! bookmark, hit or note.

use crate::replay::Seq;
use crate::replay::check::Severity;
use crate::replay::shared::FindingList;
use crate::text::glyph;
use crate::tui::glyph::{BOOKMARK, BREAKPOINT, DIFFERENT, HIT, MOVED, NOTE, ONLY_ACTUAL, ONLY_EXPECTED, PLAYHEAD};
use crate::tui::model::Model;
use crate::tui::theme::ScreenRole;
use crate::tui::whatif::state::VariantMark;

const NOTHING: (&str, ScreenRole) = (" ", ScreenRole::Text);

/// The highest severity at an event, above info.
pub(crate) fn worst(at: Seq, findings: &FindingList) -> Option<Severity> {
    findings.at(at).map(|(_, finding)| finding.severity).max().filter(|worst| *worst > Severity::Info)
}

/// The highest severity at an event above info, else whether it is a search hit.
pub(crate) fn finding(model: &Model, at: Seq, findings: &FindingList) -> (&'static str, ScreenRole) {
    match worst(at, findings) {
        Some(worst) => (glyph(worst), ScreenRole::Finding(worst)),
        None if is_hit(model, at) => (HIT, ScreenRole::Name),
        None => NOTHING,
    }
}

/// How an event of a variant differs from the original, else whether it is bookmarked or noted. A hit is shown here if
/// a finding has taken its column.
pub(crate) fn mark(model: &Model, at: Seq, findings: &FindingList) -> (&'static str, ScreenRole) {
    match model.shown_variant().map_or(VariantMark::Same, |whatif| whatif.mark(at)) {
        VariantMark::Edited => return (DIFFERENT, ScreenRole::Changed),
        VariantMark::Copy => return (ONLY_ACTUAL, ScreenRole::Changed),
        VariantMark::Moved => return (MOVED, ScreenRole::Changed),
        VariantMark::AfterSkipped => return (ONLY_EXPECTED, ScreenRole::Changed),
        VariantMark::Same => {}
    }
    let notes = model.debugger.notes();
    if is_bookmarked(model, at) {
        (BOOKMARK, ScreenRole::Mark)
    } else if is_hit(model, at) && worst(at, findings).is_some() {
        (HIT, ScreenRole::Name)
    } else if !notes.skips(at) && notes.about(at).next().is_some() {
        (NOTE, ScreenRole::Mark)
    } else {
        NOTHING
    }
}

/// The playhead, else whether a breakpoint stops here.
pub(crate) fn lead(model: &Model, at: Seq) -> &'static str {
    match () {
        () if at == model.at() => PLAYHEAD,
        () if model.stop_marks.stops(at) => BREAKPOINT,
        () => " ",
    }
}

fn is_hit(model: &Model, at: Seq) -> bool {
    model.debugger.search.as_ref().is_some_and(|search| search.contains(at))
}

/// Whether an event of the open log is bookmarked.
pub(crate) fn is_bookmarked(model: &Model, at: Seq) -> bool {
    model.debugger.bookmarks().iter().any(|(_, found)| found.at() == Some(at))
}

//! Checks of kinds and labels: unknown kinds, missing and contradicting categories.

use crate::replay::Seq;
use crate::replay::finding::{Finding, Findings};
use crate::session::checks;
use crate::session::event::SessionEvent;
use crate::session::kind::SessionKind;

pub(crate) fn see(at: Seq, event: &SessionEvent<'_>, findings: &mut Findings) {
    if event.kind == SessionKind::Unknown {
        findings.report(&checks::UNKNOWN_KIND, || {
            let finding = Finding::new(&checks::UNKNOWN_KIND, [at]).about("kind", &*event.name.get());
            finding.expected("a kind of a known release").actual(event.name.get().into_owned())
        });
    }
    if !event.kind.is_os() {
        return;
    }
    let kind_category = event.kind.category();
    match event.members.text("category") {
        None if event.kind.needs_category() => findings.report(&checks::MISSING_CATEGORY, || {
            let finding = Finding::new(&checks::MISSING_CATEGORY, [at]).about("kind", event.kind.name());
            finding.expected(kind_category.name()).actual("no category")
        }),
        Some(category) if category != *kind_category.name() => findings.report(&checks::CATEGORY_MISMATCH, || {
            let finding = Finding::new(&checks::CATEGORY_MISMATCH, [at]).about("category", &*category.get());
            finding.expected(kind_category.name()).actual(category.get().into_owned())
        }),
        _ => {}
    }
    let kind_primitive = kind_category.primitive();
    if let Some(primitive) = event.members.text("primitive").filter(|primitive| *primitive != *kind_primitive.name()) {
        findings.report(&checks::PRIMITIVE_MISMATCH, || {
            let finding = Finding::new(&checks::PRIMITIVE_MISMATCH, [at]).about("primitive", &*primitive.get());
            finding.expected(kind_primitive.name()).actual(primitive.get().into_owned())
        });
    }
}

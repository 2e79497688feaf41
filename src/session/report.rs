//! The report of a session log: the document that reports are compared by, and a text.

mod text;

use serde_json::{Map, Value, json};

use super::checker::SessionChecker;
use super::conversation::{Dialog, Transcript, UpgradedSummaries};
use super::event::SessionEvent;
use super::kind::{Category, Primitive, SessionKind};
use super::snapshot::{OsSnapshot, SnapshotRules};
use super::whole::WholeSession;
use crate::dialect::open_log::DialectError;
use crate::dialect::report::{ReportInput, Reporting};
use crate::replay::finding::Finding;
use crate::replay::{Place, Seq};

pub(crate) static REPORTING: Reporting =
    Reporting { document, text: text::text, refuses_strictly: false, has_reference_redaction: false };

/// Reports list the snapshot after each record only for logs up to this length.
const MOST_STEPS: usize = 24;

fn document(input: &dyn ReportInput) -> Result<Value, DialectError> {
    let text = input.log().text()?;
    let whole = WholeSession::load(&text);
    let mut document = report(&whole);
    document["dialect"] = json!(input.dialect().name);
    document["findings"] = input.checked()?.findings.iter().map(Finding::to_json).collect();
    if input.wants_steps() {
        document["steps"] = steps(&whole);
    }
    for (key, redacted) in input.redacted(&|| whole.events().map(|(_, _, event)| event.to_value()).collect()) {
        document[key] = redacted;
    }
    Ok(document)
}

/// Everything that is derived from a log.
pub(crate) fn report(whole: &WholeSession<'_>) -> Value {
    let mut upgraded = UpgradedSummaries::default();
    whole.events().for_each(|(_, _, event)| upgraded.see(event));
    let (mut core, mut sdk) = (OsSnapshot::default(), OsSnapshot::default());
    let (mut transcript, mut dialog, mut counts) = (Transcript::default(), Dialog::default(), Counts::default());
    let (mut has_required, mut sdk_has_required) = (true, true);
    let (mut decoded, mut has_end) = (0_u64, false);
    let mut rows = Vec::new();
    for (record, at) in whole.records.iter().zip(0_u32..) {
        let event = record.event.as_ref().ok();
        let is_core = event.is_some_and(SessionEvent::is_core);
        if let Some(event) = event {
            sdk.see(event, SnapshotRules::Sdk);
            dialog.see(at, record.seq, event, &upgraded);
            sdk_has_required &= has_sdk_labels(event);
        }
        if let Some(event) = event.filter(|_| is_core) {
            decoded += 1;
            core.see(event, SnapshotRules::Core);
            transcript.see(event);
            counts.see(event);
            has_required &= has_category(event);
            has_end |= event.kind == SessionKind::RunTerminal;
        }
        rows.push(event_row(at, record.seq, event, is_core));
    }
    let rejected: Vec<Value> = rows
        .iter()
        .filter(|row| row["core"] == json!(false))
        .map(|row| json!({"i": row["i"], "kind": row["kind"]}))
        .collect();
    let pending: Vec<&str> = transcript.pending_calls();
    let mut report = json!({
        "container": whole.container,
        "records": whole.records.len(),
        "wrapped": whole.records.iter().filter(|record| record.is_wrapped).count(),
        "all_decoded": rejected.is_empty(),
        "rejected": rejected,
        "snapshot": core.to_json(SnapshotRules::Core),
        "has_required_categories": has_required,
        "sdk": {"snapshot": sdk.to_json(SnapshotRules::Sdk), "has_required_categories": sdk_has_required},
        "pending_tool_calls": pending,
        "mid_run": decoded > 0 && !has_end,
        "dialog": dialog.rows,
        "audit": audit(whole),
        "events": rows,
    });
    report["transcript"] = json!(transcript.messages);
    counts.write(&mut report);
    report
}

/// Whether the core's check for categories accepts an event.
fn has_category(event: &SessionEvent<'_>) -> bool {
    !event.kind.needs_category() || event.has_category()
}

/// Whether the SDKs' stricter check accepts an event.
fn has_sdk_labels(event: &SessionEvent<'_>) -> bool {
    let category = event.kind.category();
    let is_named = event.members.text("category").is_some_and(|own| own == *category.name());
    let primitive = event.members.value("primitive");
    !event.kind.is_os() || is_named && (primitive.is_null() || primitive == category.primitive().name())
}

fn event_row(at: u32, seq: Option<u64>, event: Option<&SessionEvent<'_>>, is_core: bool) -> Value {
    let mut row = json!({
        "i": at, "seq": seq, "kind": null, "core": is_core, "kind_category": null, "kind_primitive": null,
        "category": null, "primitive": null, "kernel_os": null, "category_ok": null,
    });
    let Some(event) = event else { return row };
    let kind_category = event.kind_category();
    row["kind"] = json!(event.name);
    row["kind_category"] = json!(kind_category.name());
    row["kind_primitive"] = json!(kind_category.primitive().name());
    if is_core {
        row["category"] = json!(event.category().name());
        row["primitive"] = json!(event.category().primitive().name());
        row["kernel_os"] = json!(event.kind.is_os());
        row["category_ok"] = json!(has_category(event));
    }
    row
}

/// The findings of the audit, sorted by record, check and subject.
fn audit(whole: &WholeSession<'_>) -> Value {
    let mut checker = SessionChecker::default();
    for (record, at) in whole.records.iter().zip(0..) {
        checker.see_seq(Seq(at), record.seq);
        match &record.event {
            Ok(event) => checker.see(Seq(at), event),
            Err(malformed) => checker.see_malformed(Seq(at), Place::default(), malformed),
        }
    }
    let mut findings = checker.finish().into_list();
    findings.sort_by(|one, two| audited(one).cmp(&audited(two)));
    let row = |finding: &Finding| {
        let (i, check, subject) = audited(finding);
        json!({"i": i, "check": check, "severity": finding.severity.name(), "subject": subject})
    };
    findings.iter().map(row).collect()
}

fn audited(finding: &Finding) -> (u32, &str, Option<&str>) {
    let check = finding.check.id.strip_prefix("session/").unwrap_or(finding.check.id);
    (finding.at[0].0, check, finding.subjects.first().map(|(_, subject)| &**subject))
}

/// The core's snapshot after each record; null for a long log.
fn steps(whole: &WholeSession<'_>) -> Value {
    if whole.records.len() > MOST_STEPS {
        return Value::Null;
    }
    let mut snapshot = OsSnapshot::default();
    let after = whole.records.iter().map(|record| {
        if let Some(event) = record.event.as_ref().ok().filter(|event| event.is_core()) {
            snapshot.see(event, SnapshotRules::Core);
        }
        snapshot.to_json(SnapshotRules::Core)
    });
    after.collect()
}

/// How many decodable events there are of each kind, category and primitive.
#[derive(Default)]
struct Counts {
    kinds: Map<String, Value>,
    categories: [u64; 5],
    os_categories: [u64; 5],
    primitives: [u64; 3],
    kind_primitives: [u64; 3],
    kernel_os_events: u64,
}

impl Counts {
    fn see(&mut self, event: &SessionEvent<'_>) {
        let (category, kind_category) = (event.category(), event.kind_category());
        let count = self.kinds.entry(event.kind.name()).or_insert(json!(0));
        *count = json!(count.as_u64().unwrap_or_default() + 1);
        self.categories[category as usize] += 1;
        self.primitives[category.primitive() as usize] += 1;
        self.kind_primitives[kind_category.primitive() as usize] += 1;
        if event.kind.is_os() {
            self.os_categories[category as usize] += 1;
            self.kernel_os_events += 1;
        }
    }

    fn write(self, document: &mut Value) {
        let categories = |counts: [u64; 5]| named(Category::ALL.map(Category::name).into_iter().zip(counts));
        let primitives = |counts: [u64; 3]| named(Primitive::ALL.map(Primitive::name).into_iter().zip(counts));
        document["kinds"] = Value::Object(self.kinds);
        document["categories"] = categories(self.categories);
        document["os_categories"] = categories(self.os_categories);
        document["primitives"] = primitives(self.primitives);
        document["kind_primitives"] = primitives(self.kind_primitives);
        document["kernel_os_events"] = json!(self.kernel_os_events);
    }
}

fn named(counts: impl Iterator<Item = (&'static str, u64)>) -> Value {
    Value::Object(counts.map(|(name, count)| (name.to_owned(), json!(count))).collect())
}

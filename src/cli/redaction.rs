//! Redaction in documents that are derived from a log: the output of `convert` and `report`.

use std::collections::BTreeSet;

use color_eyre::eyre::{self, eyre};
use serde_json::{Value, json};

use super::args::RedactRules;
use super::open::Opened;
use super::print;
use super::replayed::note;
use crate::exporter::masks::Masks;
use crate::redact::{DocumentRules, MaskOptions, redact};

/// How the secrets of a log are masked.
pub(super) enum Hiding {
    Nothing,
    Masks(Box<Masks>),
    Reference,
}

impl Hiding {
    /// `options` adds to the rules that hide everything.
    pub(super) fn of(opened: &Opened, rules: Option<RedactRules>, options: MaskOptions) -> eyre::Result<Hiding> {
        match rules {
            None => Ok(Hiding::Nothing),
            Some(RedactRules::All) => Ok(Hiding::Masks(Box::new(Masks::of_log(&opened.log, options)?))),
            Some(RedactRules::Reference) if !opened.dialect().report.has_reference_redaction => {
                let title = opened.dialect().title;
                Err(eyre!(
                    "--redact=reference: the reference has no rules for a log of this kind ({title}); use --redact"
                ))
            }
            Some(RedactRules::Reference) => {
                note(
                    "--redact=reference hides only what the reference hides: members with six names such as api_key or \
                     password, and in other texts bearer tokens and the first value after each of api_key=, token=, secret= \
                     and password=; it does not hide tokens known by their shape, passwords in URLs, secrets in JSON inside \
                     a string, or records with numbers, escapes or nesting that it cannot read; use --redact before sharing",
                );
                Ok(Hiding::Reference)
            }
        }
    }

    /// Masks the events of a log, each given as JSON. Also returns the rules that applied.
    pub(super) fn events(&mut self, events: Vec<String>) -> (Vec<String>, BTreeSet<String>) {
        let mut hit = BTreeSet::new();
        match self {
            Hiding::Nothing => (events, hit),
            Hiding::Masks(masks) => {
                let masked = masks.derived("events", events);
                (masked, masks.rules().into_iter().map(str::to_owned).collect())
            }
            Hiding::Reference => {
                let hidden = |text: String| match serde_json::from_str::<Value>(&text) {
                    Ok(mut event) => {
                        redact(&mut event, DocumentRules::Reference, &mut hit);
                        event.to_string()
                    }
                    Err(_) => text,
                };
                let events = events.into_iter().map(hidden).collect();
                (events, hit)
            }
        }
    }

    /// Masks a message about the log, which may quote it.
    pub(super) fn message(&mut self, text: &str) -> String {
        match self {
            Hiding::Masks(masks) => masks.hidden("a message", text),
            Hiding::Nothing | Hiding::Reference => text.to_owned(),
        }
    }

    /// Masks a document. Secrets are masked everywhere, because messages and sidecar texts repeat parts of events.
    pub(super) fn document(&mut self, document: &Value) -> eyre::Result<String> {
        let text = serde_json::to_string_pretty(document)?;
        let text = match self {
            Hiding::Masks(masks) => masks.derived("document", vec![text]).concat(),
            Hiding::Nothing | Hiding::Reference => text,
        };
        Ok(print::harmless(text))
    }
}

/// The rules that applied, as a member of a document.
pub(super) fn redaction_json(rules: &BTreeSet<String>) -> Value {
    json!({"applied": !rules.is_empty(), "rules": rules})
}

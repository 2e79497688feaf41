//! Redaction: secrets of every rule in every text of every kind of record, in every spelling, and what is left of them.

#[path = "redact/corpus.rs"]
mod corpus;
#[path = "redact/hostile.rs"]
mod hostile;
#[path = "redact/kinds.rs"]
mod kinds;
#[path = "redact/laws.rs"]
mod laws;
#[path = "redact/templates.rs"]
mod templates;

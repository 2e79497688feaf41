//! Redaction: secrets of every rule in every text of every kind of record, in every spelling, and what is left of them.

mod forms;
mod hostile;
mod kinds;
mod laws;

//! Redaction: secrets of every rule in every text of every kind of record, in every encoding, and what remains of them.

mod forms;
mod hostile;
mod kinds;
mod laws;
mod places;

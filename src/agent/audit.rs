//! The parts of the audit of an agent's session: each listens to what happened and keeps what it needs.

pub(crate) mod found;
pub(crate) mod habits;
pub(crate) mod links;
pub(crate) mod order;
pub(crate) mod reach;

//! The parts of the audit of an agent's session: each sees every happening and keeps what its checks need.

pub(crate) mod found;
pub(crate) mod habits;
pub(crate) mod links;
pub(crate) mod order;
pub(crate) mod reach;

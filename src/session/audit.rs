//! The checks of the audit by what they are about. Each part sees every event and remembers what is open.

pub(crate) mod agents;
pub(crate) mod calls;
pub(crate) mod context;
pub(crate) mod labels;
pub(crate) mod queues;
pub(crate) mod runs;
pub(crate) mod suspension;

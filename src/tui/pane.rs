//! The panes except Events, which is in [`events`](crate::tui::events): each one turns a moment into lines.

pub(crate) mod coherence;
pub(crate) mod detail;
pub(crate) mod effects;
pub(crate) mod fold_row;
pub(crate) mod frame;
pub(crate) mod projection;
pub(crate) mod strip;
pub(crate) mod time_bar;

//! Questions about the whole log: asked on the screen, answered on a thread, shown over the panes.

pub(crate) mod list;
pub(crate) mod state;
pub(crate) mod update;

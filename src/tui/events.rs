//! The Events pane: which rows it has, and how a row reads. A comparison has rows of its own (`tui::compare::events`),
//! made of the same parts.

pub(crate) mod gutter;
pub(crate) mod list;
pub(crate) mod row;

//! The log in the panes: one form of the open log, or that form compared with another log.

use crate::tui::compare::state::{Compared, LogComparison};
use crate::tui::form::LogForm;

/// The content of the panes.
pub(crate) enum ShownLog {
    One(LogForm),
    Both(LogForm, Box<LogComparison>),
}

impl ShownLog {
    pub(crate) fn form(&self) -> LogForm {
        match self {
            ShownLog::One(form) | ShownLog::Both(form, _) => *form,
        }
    }

    /// Shows another form of the open log. A comparison continues, and notices that its log is no longer shown.
    pub(crate) fn set_form(&mut self, to: LogForm) {
        match self {
            ShownLog::One(form) | ShownLog::Both(form, _) => *form = to,
        }
    }

    pub(crate) fn comparison(&self) -> Option<&LogComparison> {
        match self {
            ShownLog::Both(_, comparison) => Some(comparison),
            ShownLog::One(_) => None,
        }
    }

    pub(crate) fn comparison_mut(&mut self) -> Option<&mut LogComparison> {
        match self {
            ShownLog::Both(_, comparison) => Some(comparison),
            ShownLog::One(_) => None,
        }
    }

    /// Both logs, once they have been compared.
    pub(crate) fn compared_mut(&mut self) -> Option<&mut Compared> {
        self.comparison_mut()?.compared.as_mut()
    }

    /// Compares the open log with another one.
    pub(crate) fn compare(&mut self, comparison: LogComparison) {
        *self = ShownLog::Both(self.form(), Box::new(comparison));
    }

    /// Shows the open log alone, and returns the comparison that ended.
    pub(crate) fn end_comparison(&mut self) -> Option<LogComparison> {
        match std::mem::replace(self, ShownLog::One(self.form())) {
            ShownLog::Both(_, comparison) => Some(*comparison),
            ShownLog::One(_) => None,
        }
    }
}

//! The forms in which the open log can be shown.

/// A trace of a crashpack that holds two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PackTrace {
    Recorded,
    Minimized,
}

impl PackTrace {
    #[must_use]
    pub(crate) const fn other(self) -> PackTrace {
        match self {
            PackTrace::Recorded => PackTrace::Minimized,
            PackTrace::Minimized => PackTrace::Recorded,
        }
    }
}

/// A form of the open log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogForm {
    /// The log as it was opened.
    Log,
    /// The log as it was opened from a crashpack that holds two traces.
    PackTrace(PackTrace),
    /// The log with the what-if changes.
    Variant,
    /// The minimized log.
    Minimum,
}

//! The recap of a run: what a reader of its log asks first, in a few lines.

/// One line of a recap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecapLine {
    pub label: &'static str,
    /// The most important words come first, since a narrow screen cuts the rest. They contain text from the log: escape
    /// them before printing.
    pub text: String,
    /// The line deserves attention.
    pub is_alarming: bool,
}

impl RecapLine {
    pub(crate) fn new(label: &'static str, text: impl Into<String>) -> RecapLine {
        RecapLine { label, text: text.into(), is_alarming: false }
    }

    pub(crate) fn alarming(label: &'static str, text: impl Into<String>) -> RecapLine {
        RecapLine { is_alarming: true, ..RecapLine::new(label, text) }
    }
}

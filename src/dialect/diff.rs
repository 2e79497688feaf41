//! Comparisons that only one dialect has: the column of its row.

use serde_json::Value;

use super::open_log::{DialectError, OpenLog};
use crate::text::styled::StyledText;

/// One value of `diff --mode`.
pub(crate) struct DiffMode {
    pub name: &'static str,
    /// Aliases of the name.
    pub aliases: &'static [&'static str],
    pub describes: &'static str,
    pub compare: fn(&DiffInput<'_>) -> Result<DiffOutcome, DialectError>,
    /// Whether `--compat` is available.
    pub has_compat: bool,
}

/// Two logs of the dialect.
pub(crate) struct DiffInput<'d> {
    pub left: &'d dyn OpenLog,
    pub right: &'d dyn OpenLog,
    /// Whether to compare exactly as the format's own tool does.
    pub compat: bool,
    /// The largest number of differences in the text.
    pub limit: usize,
    pub columns: usize,
}

pub(crate) struct DiffOutcome {
    pub is_same: bool,
    /// The document as JSON, with its keys in the order of its format.
    pub document: String,
    pub text: StyledText,
}

/// Makes the JSON document of a comparison.
pub(crate) type DiffDocument = fn(&DiffInput<'_>) -> Result<Value, DialectError>;

/// The comparisons that a dialect offers.
pub(crate) struct Diffing {
    pub modes: &'static [DiffMode],
    /// The mode for `--compat` if the user names none.
    pub compat_mode: Option<&'static str>,
    /// The document to which the generic comparison is added.
    pub document: Option<DiffDocument>,
}

impl Diffing {
    /// For a dialect that is only compared event by event.
    pub(crate) const NONE: Diffing = Diffing { modes: &[], compat_mode: None, document: None };
}

//! The forms that `convert` writes logs in: the column of a dialect's row.

use std::borrow::Cow;

use serde_json::Value;

use super::open_log::{DialectError, OpenLog};
use super::sidecar::Sidecars;
use crate::replay::log_writer::LogLayout;

/// One value of `convert --to`.
pub(crate) struct ConvertForm {
    pub name: &'static str,
    pub describes: &'static str,
    /// The extensions of file names that choose this form if the user names none. Other names get the first form.
    pub extensions: &'static [&'static str],
    pub write: fn(&mut dyn Conversion) -> Result<(), DialectError>,
}

/// A log that is converted, and the file that is written.
pub(crate) trait Conversion {
    fn log(&self) -> &dyn OpenLog;
    fn sidecars(&self) -> &dyn Sidecars;
    fn now_ms(&self) -> u64;
    /// Whether the user asked for masked secrets.
    fn has_masks(&self) -> bool;
    /// Masks events, each given as JSON. Also returns a member of a document that names the rules that applied.
    fn mask_events(&mut self, events: Vec<String>) -> (Vec<String>, Value);
    /// Masks a part of a document that does not come from the events.
    fn mask_sidecar(&self, sidecar: &mut Value);
    /// Writes records, each given as JSON.
    fn write_records<'r>(
        &mut self,
        layout: LogLayout,
        records: &mut dyn Iterator<Item = Cow<'r, str>>,
    ) -> Result<(), DialectError>;
    /// Writes one document.
    fn write_document(&mut self, document: &Value) -> Result<(), DialectError>;
    /// Says something about the conversion to the user, such as what was left out.
    fn note(&mut self, text: &str);
}

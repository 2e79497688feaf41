//! The sidecars of a turn log: saved messages, live snapshot and compaction rows.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "at the edge: it reads files")]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde::de::DeserializeOwned;

use super::checker::TurnChecker;
use super::checks;
use super::coverage::{self, CompactionRow, Coverage};
use super::document::AboutDocument;
use super::live::LiveSnapshot;
use super::machine::TurnLog;
use super::message::Message;
use super::thread::Thread;
use super::whole::{HeldEvents, Recording};
use crate::dialect::open_log::{DialectError, OpenLog};
use crate::dialect::sidecar::{SidecarProgress, SidecarRequest, Sidecars, SidecarsOf};
use crate::log::LogError;
use crate::log::error::{json_error, shown, sibling};
use crate::log::sqlite::{ArtifactRow, Store};
use crate::replay::Seq;
use crate::replay::check::Check;
use crate::replay::finding::Finding;

/// The names of the options for the sidecars.
const SAVED_MESSAGES: &str = "session";
const LIVE_SNAPSHOT: &str = "live";
const COMPACTIONS: &str = "artifacts";

#[derive(Clone, Default)]
pub(crate) struct TurnSidecars {
    pub saved_messages: Option<Vec<Message>>,
    pub live: Option<LiveSnapshot>,
    pub compactions: Option<Vec<CompactionRow>>,
    /// Notes about sidecars that were ignored.
    pub warnings: Vec<String>,
}

/// Loads the sidecars of a log (`Dialect::sidecars`).
pub(crate) fn load(request: &SidecarRequest<'_>) -> Result<Arc<dyn Sidecars>, DialectError> {
    let named = request.named;
    let mut sidecars = TurnSidecars {
        saved_messages: named.get(SAVED_MESSAGES).map(read_json).transpose()?,
        live: named.get(LIVE_SNAPSHOT).map(read_json).transpose()?,
        compactions: named.get(COMPACTIONS).map(read_json).transpose()?,
        warnings: Vec::new(),
    };
    if request.finds {
        sidecars.find(request.log)?;
    }
    Ok(Arc::new(sidecars))
}

impl TurnSidecars {
    /// The sidecars of a turn log; `None` for another dialect.
    pub(crate) fn of(sidecars: &dyn Sidecars) -> Option<&TurnSidecars> {
        (sidecars as &dyn std::any::Any).downcast_ref()
    }

    /// Loads the sidecars that the user did not name. One that cannot be read is ignored with a warning.
    fn find(&mut self, log: &dyn OpenLog) -> Result<(), DialectError> {
        if self.saved_messages.is_none() {
            self.saved_messages = self.find_messages(log)?;
        }
        let store = log.around().and_then(|around| around.downcast_ref::<Store>());
        if let (None, Some(store)) = (&self.compactions, store) {
            match store.artifacts() {
                Ok(rows) => self.compactions = rows.map(|rows| rows.into_iter().map(CompactionRow::from).collect()),
                Err(error) => self.warnings.push(format!("{error}; compactions are not checked")),
            }
        }
        Ok(())
    }

    fn find_messages(&mut self, log: &dyn OpenLog) -> Result<Option<Vec<Message>>, DialectError> {
        let document = log.around().and_then(|around| around.downcast_ref::<AboutDocument>());
        if let Some(text) = document.and_then(|about| about.session_messages.as_deref()) {
            let refused = |error| format!("{}: the saved messages in this file cannot be read: {error}", log.name());
            return serde_json::from_str(text).map(Some).map_err(|error| DialectError::Refused(refused(error)));
        }
        let Some(path) = log.path().and_then(|path| sibling(path, ".session.json")) else { return Ok(None) };
        match read_json(&path) {
            Ok(messages) => Ok(Some(messages)),
            Err(error) => {
                self.warnings.push(format!("{error}; saved messages are not checked"));
                Ok(None)
            }
        }
    }

    /// The findings that need the whole log in memory. They belong to its last event.
    fn coverage(&self, recording: &Recording<'_>, last: Seq) -> Vec<Finding> {
        let groups = recording.turns();
        let thread = Thread::of(recording, &groups);
        match (&self.saved_messages, &self.compactions) {
            (Some(messages), compactions) => {
                Coverage::of(&thread, recording, &groups, messages, compactions.as_deref()).findings(last).collect()
            }
            (None, Some(rows)) => coverage::compaction_text(&thread, rows)
                .map(|text| coverage::compaction_finding(last, text))
                .into_iter()
                .collect(),
            (None, None) => Vec::new(),
        }
    }
}

impl SidecarsOf for TurnSidecars {
    type Machine = TurnLog;

    fn ledger(&self) -> TurnChecker {
        TurnChecker::new(self.live.clone())
    }

    fn findings(&self, log: &dyn OpenLog, last: Seq, _: &SidecarProgress<'_>) -> Result<Vec<Finding>, DialectError> {
        if self.saved_messages.is_none() && self.compactions.is_none() {
            return Ok(Vec::new());
        }
        Ok(self.coverage(&HeldEvents::read(log)?.decode(), last))
    }

    /// None: saved messages and compactions are about events that a part no longer has.
    fn for_part(&self, _: &dyn OpenLog) -> Result<TurnSidecars, DialectError> {
        Ok(TurnSidecars { live: self.live.clone(), ..TurnSidecars::default() })
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn source_of(&self, check: &Check) -> Option<&'static str> {
        (*check == checks::LIVE_PROJECTION).then_some("the live snapshot")
    }
}

impl From<ArtifactRow> for CompactionRow {
    fn from(row: ArtifactRow) -> CompactionRow {
        let ArtifactRow { id, replaced_start, replaced_end, summary_tokens } = row;
        CompactionRow { id, replaced_start, replaced_end, summary_tokens }
    }
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, DialectError> {
    let name = shown(path);
    let bytes = fs::read(path).map_err(|error| DialectError::read(LogError::io(&name, error)))?;
    serde_json::from_slice(&bytes).map_err(|error| {
        let (place, reason) = json_error(&bytes, &error);
        let (line, byte) = (place.line, place.byte);
        DialectError::Refused(format!("{name}: line {line}, byte {byte}: {reason}; fix the file or remove it"))
    })
}

//! The header of a tape, its first line: what recorded it, when and how.

use serde::{Deserialize, Serialize};

/// The newest format version that is fully supported.
pub(crate) const NEWEST_VERSION: u32 = 5;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    pub version: u32,
    pub harn_version: String,
    /// The start time of the paused clock; on the tapes of production runs, the wall time at the start.
    #[serde(default)]
    pub started_at_unix_ms: Option<i64>,
    #[serde(default)]
    pub script_path: Option<String>,
    #[serde(default)]
    pub argv: Vec<String>,
    /// Only present on the tapes of production runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<Run>,
}

impl Header {
    /// Whether the clock was paused, so that only sleeps and advances moved it.
    pub fn has_paused_clock(&self) -> bool {
        self.started_at_unix_ms.is_some() && self.run.is_none()
    }

    pub fn producer(&self) -> Producer {
        match (&self.run, &self.script_path) {
            (Some(_), _) => Producer::Run,
            (None, Some(_)) => Producer::Testbench,
            (None, None) => Producer::Evaluation,
        }
    }
}

/// The three programs that write tapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Producer {
    Testbench,
    Run,
    Evaluation,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    pub recording: Recording,
    pub effects_observed: bool,
    #[serde(default)]
    pub state_roots: Vec<String>,
    #[serde(default)]
    pub workspace_root: Option<String>,
}

impl Producer {
    pub const fn name(self) -> &'static str {
        match self {
            Producer::Testbench => "testbench",
            Producer::Run => "run",
            Producer::Evaluation => "evaluation",
        }
    }
}

/// How much of a run is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recording {
    Full,
    Metadata,
    Off,
}

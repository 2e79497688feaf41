//! Process tapes: what the children of a run printed, in their order, so that a replay need not start them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProcessEntry {
    pub program: String,
    #[serde(default)]
    pub args: Vec<String>,
    #[serde(default)]
    pub cwd: Option<String>,
    /// Reserved.
    #[serde(default)]
    pub env: Map<String, Value>,
    #[serde(default)]
    pub stdout: String,
    #[serde(default)]
    pub stderr: String,
    #[serde(default)]
    pub exit_code: i32,
    #[serde(default)]
    pub duration_ms: u64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProcessTape {
    pub entries: Vec<ProcessEntry>,
}

impl ProcessTape {
    /// An empty file is an empty list.
    pub fn read(text: &str) -> Result<ProcessTape, serde_json::Error> {
        if text.trim().is_empty() {
            return Ok(ProcessTape::default());
        }
        serde_json::from_str(text).map(|entries| ProcessTape { entries })
    }

    /// What the n-th call would be served, counted from zero. A recorded call without a folder fits any folder.
    pub fn serve(
        &self,
        call: usize,
        program: &str,
        args: &[String],
        cwd: Option<&str>,
    ) -> Result<&ProcessEntry, String> {
        let Some(entry) = self.entries.get(call) else {
            return Err(format!("process tape exhausted at call #{call}: program={program:?} args={args:?}"));
        };
        let fits = entry.program == program
            && entry.args == args
            && entry.cwd.as_deref().is_none_or(|recorded| Some(recorded) == cwd);
        if fits {
            return Ok(entry);
        }
        Err(format!(
            "process tape diverged at call #{call}: expected program={program:?} args={args:?}, tape has program={:?} args={:?}",
            entry.program, entry.args
        ))
    }
}

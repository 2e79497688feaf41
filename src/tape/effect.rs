//! Effects of a tape's records: what the run did to the outside.

use serde_json::{Value, json};

use super::event::Line;
use super::kind::Kind;
use super::summary::summary;
use crate::replay::machine::Effect;

pub(crate) const EFFECT_NAMES: &[&str] =
    &["sleep", "model_call", "write", "delete", "spawn", "mcp_call", "tool", "model_job", "evaluation"];

/// One effect of a record.
pub(crate) struct TapeEffect<'l> {
    pub name: &'static str,
    pub line: &'l Line,
}

impl Effect for TapeEffect<'_> {
    fn to_json(&self) -> Value {
        json!({"kind": self.name, "what": summary(self.line)})
    }

    /// Writes the summary without the word that the name of the effect already contains.
    fn write_detail(&self, out: &mut String) {
        let summary = summary(self.line);
        let verb = match self.name {
            "model_call" => "model call ",
            "spawn" => "run ",
            "mcp_call" => "mcp ",
            "model_job" => "job ",
            name => &format!("{name} "),
        };
        out.push_str(summary.strip_prefix(verb).unwrap_or(&summary));
    }
}

/// The effect of a line, by its name in [`EFFECT_NAMES`].
pub(crate) fn effect_name(line: &Line) -> Option<&'static str> {
    let record = match line {
        Line::Header(_) => return None,
        Line::Record(record) => record,
        Line::Process(_) => return Some("spawn"),
    };
    let name = match &record.kind {
        Kind::ClockSleep { .. } => "sleep",
        Kind::LlmCall(_) => "model_call",
        Kind::FileWrite(_) => "write",
        Kind::FileDelete { .. } => "delete",
        Kind::ProcessSpawn(_) => "spawn",
        Kind::McpJsonRpc(_) => "mcp_call",
        Kind::ToolCall(_) => "tool",
        Kind::ModelJob { .. } => "model_job",
        Kind::DecisionEvaluation { .. } => "evaluation",
        _ => return None,
    };
    Some(name)
}

//! Effects: what the engine had to do because of an event.

use std::borrow::Cow;
use std::fmt::Write;

use serde_json::{Value, json};

/// A memory layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layer {
    Working,
    Episodic,
    Archival,
}

impl Layer {
    /// The layer with this name. Unknown names mean working memory.
    pub(crate) fn from_text(text: &str) -> Layer {
        match text.trim().to_lowercase().as_str() {
            "episodic" => Layer::Episodic,
            "archival" => Layer::Archival,
            _ => Layer::Working,
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Layer::Working => "working",
            Layer::Episodic => "episodic",
            Layer::Archival => "archival",
        }
    }
}

/// One effect, which borrows its texts from the event that demands it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TurnEffect<'e> {
    CallModel { token_budget: u32 },
    ExecuteBatch { call_id: Cow<'e, str> },
    RequestApproval { call_id: Cow<'e, str>, description: Cow<'e, str> },
    InjectSteer { text: Cow<'e, str> },
    RunCompaction,
    NotifyLsp { tool_name: Cow<'e, str> },
    Sleep { millis: u32 },
    QueryMemory { layer: Layer, query_key: Cow<'e, str> },
    RunLayeredContextCheckpoint,
    RefreshSystemPrompt,
    EmitArtifact { artifact: &'static str, area_hint: Option<Cow<'e, str>> },
}

macro_rules! effect_kinds {
    ($($kind:ident $name:literal),* $(,)?) => {
        /// The kinds, in the order in which counts are listed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum EffectKind { $($kind),* }

        impl EffectKind {
            pub(crate) const ALL: &'static [EffectKind] = &[$(EffectKind::$kind),*];

            pub(crate) const NAMES: &'static [&'static str] = &[$($name),*];

            pub(crate) const fn name(self) -> &'static str {
                match self { $(EffectKind::$kind => $name),* }
            }
        }

        impl TurnEffect<'_> {
            pub(crate) const fn kind(&self) -> EffectKind {
                match self { $(TurnEffect::$kind { .. } => EffectKind::$kind),* }
            }
        }
    };
}

effect_kinds! {
    CallModel "call_model",
    ExecuteBatch "execute_batch",
    RequestApproval "request_approval",
    InjectSteer "inject_steer",
    RunCompaction "run_compaction",
    NotifyLsp "notify_lsp",
    Sleep "sleep",
    QueryMemory "query_memory",
    RunLayeredContextCheckpoint "run_layered_context_checkpoint",
    RefreshSystemPrompt "refresh_system_prompt",
    EmitArtifact "emit_artifact",
}

impl TurnEffect<'_> {
    pub(crate) fn to_json(&self) -> Value {
        let kind = self.kind().name();
        match self {
            TurnEffect::CallModel { token_budget } => json!({"kind": kind, "token_budget": token_budget}),
            TurnEffect::ExecuteBatch { call_id } => json!({"kind": kind, "call_ids": [call_id]}),
            TurnEffect::RequestApproval { call_id, description } => {
                json!({"kind": kind, "call_id": call_id, "description": description})
            }
            TurnEffect::InjectSteer { text } => json!({"kind": kind, "text": text}),
            TurnEffect::NotifyLsp { tool_name } => json!({"kind": kind, "tool_name": tool_name}),
            TurnEffect::Sleep { millis } => json!({"kind": kind, "millis": millis}),
            TurnEffect::QueryMemory { layer, query_key } => {
                json!({"kind": kind, "layer": layer.name(), "query_key": query_key})
            }
            TurnEffect::EmitArtifact { artifact, area_hint } => {
                json!({"kind": kind, "artifact": artifact, "area_hint": area_hint})
            }
            TurnEffect::RunCompaction | TurnEffect::RunLayeredContextCheckpoint | TurnEffect::RefreshSystemPrompt => {
                json!({"kind": kind})
            }
        }
    }

    /// Writes the payload without the kind, on one line.
    pub(crate) fn write_detail(&self, out: &mut String) {
        // Writing to a string cannot fail.
        let _ = match self {
            TurnEffect::CallModel { token_budget } => write!(out, "up to {token_budget} tokens"),
            TurnEffect::ExecuteBatch { call_id } => out.write_str(call_id),
            TurnEffect::RequestApproval { call_id, description } => write!(out, "{call_id} {description}"),
            TurnEffect::InjectSteer { text } => out.write_str(text),
            TurnEffect::NotifyLsp { tool_name } => out.write_str(tool_name),
            TurnEffect::Sleep { millis } => write!(out, "{millis} ms"),
            TurnEffect::QueryMemory { layer, query_key } => write!(out, "{} {query_key}", layer.name()),
            TurnEffect::EmitArtifact { artifact, area_hint: Some(area) } => write!(out, "{artifact} {area}"),
            TurnEffect::EmitArtifact { artifact, area_hint: None } => out.write_str(artifact),
            TurnEffect::RunCompaction | TurnEffect::RunLayeredContextCheckpoint | TurnEffect::RefreshSystemPrompt => {
                Ok(())
            }
        };
    }
}

/// How often each kind of effect was demanded.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct EffectCounts([u32; EffectKind::ALL.len()]);

impl EffectCounts {
    pub(crate) fn add(&mut self, effect: &TurnEffect<'_>) {
        self.0[effect.kind() as usize] += 1;
    }

    pub(crate) fn add_all(&mut self, other: &EffectCounts) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += theirs;
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (EffectKind, u32)> + '_ {
        EffectKind::ALL.iter().copied().zip(self.0)
    }

    pub(crate) fn of(&self, kind: EffectKind) -> u32 {
        self.0[kind as usize]
    }

    /// The effects that anchor a resumed thread: steers, compactions and editor notices.
    pub(crate) fn anchor_total(&self) -> u32 {
        self.of(EffectKind::InjectSteer) + self.of(EffectKind::RunCompaction) + self.of(EffectKind::NotifyLsp)
    }

    pub(crate) fn to_json(self) -> Value {
        self.iter()
            .map(|(kind, count)| (kind.name().to_owned(), json!(count)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    }
}

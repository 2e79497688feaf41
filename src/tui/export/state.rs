//! The state of an export: its options, the secrets that were found, and the crashpack that was written.

use std::path::PathBuf;

use crate::exporter::Redaction;
use crate::exporter::masks::Reviewed;
use crate::text::{count, fit, pad, paragraph};
use crate::tui::action::Action;
use crate::tui::theme::ScreenRole;

/// The width of a key's name.
const KEY_COLUMNS: usize = 1;

/// A crashpack that was written.
pub(crate) struct WrittenPack {
    pub folder: PathBuf,
    pub fingerprint: String,
    pub id: String,
    pub events: u32,
    pub files: usize,
    pub removals: Option<usize>,
}

pub(crate) enum ExportStage {
    /// Secrets are being looked for.
    Looking,
    /// The user reviews the secrets.
    Reviewing,
    /// The crashpack is being written.
    Writing,
    Done(Box<WrittenPack>),
}

/// What the host reports about an export.
pub(crate) enum ExportNews {
    /// This log cannot be searched for secrets.
    Refused(String),
    Reviewed(Vec<Reviewed>),
    NotReviewed(String),
    Written(Box<WrittenPack>),
    NotWritten(String),
}

pub(crate) struct ExportReview {
    /// The number of the finding in the list of findings.
    pub finding: usize,
    pub check: &'static str,
    pub stage: ExportStage,
    pub secrets: Vec<Reviewed>,
    /// The selected secret.
    pub row: usize,
    pub redacts: bool,
    pub minimizes: bool,
    pub redaction: Redaction,
    /// The folder of the crashpack, if the user named it.
    pub target: Option<PathBuf>,
    /// The user has cancelled the writing.
    pub gives_up: bool,
    /// Why it could not be written.
    pub trouble: Option<String>,
}

impl ExportReview {
    pub(crate) fn new(finding: usize, check: &'static str, target: Option<PathBuf>) -> Self {
        ExportReview {
            finding,
            check,
            stage: ExportStage::Looking,
            secrets: Vec::new(),
            row: 0,
            // Secrets are masked unless the user says otherwise.
            redacts: true,
            minimizes: true,
            redaction: Redaction::default(),
            target,
            gives_up: false,
            trouble: None,
        }
    }

    pub(crate) fn is_busy(&self) -> bool {
        matches!(self.stage, ExportStage::Looking | ExportStage::Writing)
    }

    pub(crate) fn reviewed(&mut self, secrets: Vec<Reviewed>) {
        self.secrets = secrets;
        self.row = self.row.min(self.secrets.len().saturating_sub(1));
        self.stage = ExportStage::Reviewing;
    }

    /// Masks the selected secret, or leaves it as it is.
    pub(crate) fn switch(&mut self) {
        let Some(secret) = self.secrets.get(self.row) else { return };
        if !self.redaction.spared.remove(&secret.mask) {
            self.redaction.spared.insert(secret.mask.clone());
        }
    }

    pub(crate) fn is_spared(&self, secret: &Reviewed) -> bool {
        self.redaction.spared.contains(&secret.mask)
    }

    /// The lines above the list: the options, each with its key.
    pub(crate) fn head(&self, key: &dyn Fn(Action) -> String, columns: usize) -> Vec<(ScreenRole, String)> {
        let line = |action: Action, is_on: bool, text: &str| {
            format!("{} [{}] {text}", pad(&key(action), KEY_COLUMNS), if is_on { "x" } else { " " })
        };
        let options = &self.redaction.options;
        let mut lines = vec![
            (
                ScreenRole::Text,
                line(Action::PackMinimized, self.minimizes, "add the smallest log that still reports the finding"),
            ),
            match self.redacts {
                true => (ScreenRole::Text, line(Action::Redact, true, "mask secrets, as listed")),
                false => (
                    ScreenRole::Mark,
                    line(Action::Redact, false, "SECRETS ARE NOT MASKED: every reader of the pack sees them"),
                ),
            },
        ];
        if self.redacts {
            lines.push((ScreenRole::Text, line(Action::HideEmails, options.emails, "mask e-mail addresses")));
            let own = |pattern: &String| line(Action::HidePattern, true, &format!("mask what matches {pattern}"));
            lines.extend(options.patterns.iter().map(|pattern| (ScreenRole::Text, own(pattern))));
        }
        lines.into_iter().map(|(role, text)| (role, fit(&text, columns))).collect()
    }

    /// The line of a secret: whether it is masked, its mask, how often and where it occurs. Never its text.
    pub(crate) fn secret(&self, secret: &Reviewed, columns: usize) -> (ScreenRole, String) {
        let (mark, role) =
            if self.is_spared(secret) { ("kept  ", ScreenRole::Mark) } else { ("masked", ScreenRole::Text) };
        let Reviewed { mask, times, place, path, .. } = secret;
        let mask_columns = self.secrets.iter().map(|secret| secret.mask.len()).max().unwrap_or(0);
        (role, fit(&format!("{mark} {} {times:>3} ×  {place} {path}", pad(mask, mask_columns)), columns))
    }

    /// The lines below the list: progress, an error, or a summary.
    pub(crate) fn foot(&self, columns: usize) -> Vec<(ScreenRole, String)> {
        let left = self.secrets.iter().filter(|secret| self.is_spared(secret)).count();
        let (role, text) = match (&self.stage, &self.trouble) {
            (ExportStage::Looking, _) => (ScreenRole::Dim, "looking for secrets…".to_owned()),
            (ExportStage::Writing, _) if self.gives_up => {
                (ScreenRole::Dim, "cancelling; nothing is left behind…".to_owned())
            }
            (ExportStage::Writing, _) => (ScreenRole::Dim, "writing the pack…".to_owned()),
            (_, Some(trouble)) => (ScreenRole::Mark, trouble.clone()),
            (_, None) if !self.redacts => return Vec::new(),
            (_, None) if self.secrets.is_empty() => (
                ScreenRole::Good,
                "no secrets were found; the rules cannot know every secret, so look at what you share".to_owned(),
            ),
            (_, None) => {
                let found = count(self.secrets.len() as u64, "secret");
                (ScreenRole::Dim, format!("{found}, {left} not masked; equal secrets have equal masks"))
            }
        };
        paragraph(&text, columns).into_iter().map(|line| (role, line)).collect()
    }
}

impl WrittenPack {
    /// The report about the written crashpack.
    pub(crate) fn report(&self, columns: usize) -> Vec<(ScreenRole, String)> {
        let folder = self.folder.display();
        let masked = match self.removals {
            Some(removals) => format!("{} masked, listed in redactions.json", count(removals as u64, "text")),
            None => "secrets were not masked".to_owned(),
        };
        let lines = [
            (ScreenRole::Strong, format!("✓ {}", self.fingerprint)),
            (
                ScreenRole::Text,
                format!(
                    "{} and {} in {folder}",
                    count(u64::from(self.events), "event"),
                    count(self.files as u64, "file")
                ),
            ),
            (ScreenRole::Text, masked),
            (ScreenRole::Dim, format!("id {}", self.id)),
            (ScreenRole::Text, String::new()),
            (ScreenRole::Text, format!("open    stepback {folder}")),
            (ScreenRole::Text, format!("replay  sh {folder}/replay.sh")),
        ];
        let lines = lines.into_iter();
        lines.flat_map(|(role, text)| paragraph(&text, columns).into_iter().map(move |line| (role, line))).collect()
    }
}

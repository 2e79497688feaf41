//! A pack that somebody is about to write: what would be hidden in it, what is left as it is, and what became of it.

use std::path::PathBuf;

use super::action::Action;
use super::theme::Role;
use crate::exporter::Redaction;
use crate::exporter::masks::Reviewed;
use crate::text::{count, fit, pad, paragraph};

/// Room for the name of a key.
const KEY_COLUMNS: usize = 1;

/// A pack that stands on disk.
pub struct Done {
    pub folder: PathBuf,
    pub fingerprint: String,
    pub id: String,
    pub events: u32,
    pub files: usize,
    pub removals: Option<usize>,
}

pub enum Stage {
    /// All that goes along is being looked at.
    Looking,
    /// Somebody looks at what was found.
    Reviewing,
    /// The pack is being written.
    Writing,
    Done(Box<Done>),
}

pub struct Exporting {
    /// The finding that the pack is about, as the list of findings numbers it.
    pub finding: usize,
    pub check: &'static str,
    pub stage: Stage,
    pub secrets: Vec<Reviewed>,
    /// The secret under the cursor.
    pub row: usize,
    pub redacts: bool,
    pub minimizes: bool,
    pub redaction: Redaction,
    /// Where the pack goes, once somebody said so.
    pub target: Option<PathBuf>,
    /// Nobody wants the pack any more that is being written.
    pub gives_up: bool,
    /// Why it could not be written as it is.
    pub trouble: Option<String>,
}

impl Exporting {
    pub fn new(finding: usize, check: &'static str, target: Option<PathBuf>) -> Self {
        Exporting {
            finding,
            check,
            stage: Stage::Looking,
            secrets: Vec::new(),
            row: 0,
            // What leaves the machine leaves without its secrets, unless somebody says otherwise.
            redacts: true,
            minimizes: true,
            redaction: Redaction::default(),
            target,
            gives_up: false,
            trouble: None,
        }
    }

    pub fn is_busy(&self) -> bool {
        matches!(self.stage, Stage::Looking | Stage::Writing)
    }

    pub fn reviewed(&mut self, secrets: Vec<Reviewed>) {
        self.secrets = secrets;
        self.row = self.row.min(self.secrets.len().saturating_sub(1));
        self.stage = Stage::Reviewing;
    }

    /// Masks the secret under the cursor, or leaves it as it is.
    pub fn switch(&mut self) {
        let Some(secret) = self.secrets.get(self.row) else { return };
        if !self.redaction.spared.remove(&secret.mask) {
            self.redaction.spared.insert(secret.mask.clone());
        }
    }

    pub fn is_spared(&self, secret: &Reviewed) -> bool {
        self.redaction.spared.contains(&secret.mask)
    }

    /// What a frame shows of it, so that there is a new one when it changes.
    pub fn seen(&self) -> impl PartialEq + use<> {
        let stage = std::mem::discriminant(&self.stage);
        (stage, self.secrets.len(), self.gives_up, self.trouble.clone())
    }

    /// What stands above the list: what is packed and how, each with the key that changes it.
    pub fn head(&self, key: &dyn Fn(Action) -> String, columns: usize) -> Vec<(Role, String)> {
        let line = |action: Action, is_on: bool, text: &str| {
            format!("{} [{}] {text}", pad(&key(action), KEY_COLUMNS), if is_on { "x" } else { " " })
        };
        let options = &self.redaction.options;
        let mut lines = vec![
            (Role::Text, line(Action::PackMinimized, self.minimizes, "the smallest log that shows it, too")),
            match self.redacts {
                true => (Role::Text, line(Action::Redact, true, "without secrets, as listed")),
                false => (Role::Mark, line(Action::Redact, false, "SECRETS STAY IN: who gets the pack can read them")),
            },
        ];
        if self.redacts {
            lines.push((Role::Text, line(Action::HideEmails, options.emails, "without e-mail addresses")));
            let own = |pattern: &String| line(Action::HidePattern, true, &format!("without what matches {pattern}"));
            lines.extend(options.patterns.iter().map(|pattern| (Role::Text, own(pattern))));
        }
        lines.into_iter().map(|(role, text)| (role, fit(&text, columns))).collect()
    }

    /// One secret: whether it goes, its mask, how often and where it stands. Never what it is.
    pub fn secret(&self, secret: &Reviewed, columns: usize) -> (Role, String) {
        let (mark, role) = if self.is_spared(secret) { ("left  ", Role::Mark) } else { ("masked", Role::Text) };
        let Reviewed { mask, times, place, path, .. } = secret;
        let mask_columns = self.secrets.iter().map(|secret| secret.mask.len()).max().unwrap_or(0);
        (role, fit(&format!("{mark} {} {times:>3} ×  {place} {path}", pad(mask, mask_columns)), columns))
    }

    /// What stands below the list: how far it is, or what is wrong.
    pub fn foot(&self, columns: usize) -> Vec<(Role, String)> {
        let left = self.secrets.iter().filter(|secret| self.is_spared(secret)).count();
        let (role, text) = match (&self.stage, &self.trouble) {
            (Stage::Looking, _) => (Role::Dim, "looking for secrets…".to_owned()),
            (Stage::Writing, _) if self.gives_up => (Role::Dim, "giving up; nothing is left of it…".to_owned()),
            (Stage::Writing, _) => (Role::Dim, "writing the pack…".to_owned()),
            (_, Some(trouble)) => (Role::Mark, trouble.clone()),
            (_, None) if !self.redacts => return Vec::new(),
            (_, None) if self.secrets.is_empty() => {
                (Role::Good, "no rule knows a secret in there; that is no promise: look at what you share".to_owned())
            }
            (_, None) => {
                let found = count(self.secrets.len() as u64, "secret");
                (Role::Dim, format!("{found}, {left} left as they are; the same mask stands for the same text"))
            }
        };
        paragraph(&text, columns).into_iter().map(|line| (role, line)).collect()
    }
}

impl Done {
    /// What became of it.
    pub fn told(&self, columns: usize) -> Vec<(Role, String)> {
        let folder = self.folder.display();
        let masked = match self.removals {
            Some(removals) => format!("{} masked, listed in redactions.json", count(removals as u64, "text")),
            None => "nothing was masked".to_owned(),
        };
        let lines = [
            (Role::Strong, format!("✓ {}", self.fingerprint)),
            (
                Role::Text,
                format!(
                    "{} and {} in {folder}",
                    count(u64::from(self.events), "event"),
                    count(self.files as u64, "file")
                ),
            ),
            (Role::Text, masked),
            (Role::Dim, format!("id {}", self.id)),
            (Role::Text, String::new()),
            (Role::Text, format!("open    stepback {folder}")),
            (Role::Text, format!("replay  sh {folder}/replay.sh")),
        ];
        let lines = lines.into_iter();
        lines.flat_map(|(role, text)| paragraph(&text, columns).into_iter().map(move |line| (role, line))).collect()
    }
}

//! The actions that are allowed for the log that is shown, and the reasons why others are not.

use super::Model;
use crate::tui::action::Action;
use crate::tui::form::LogForm;

/// What the user wants to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Intent {
    /// Make, undo or redo a what-if change.
    Vary,
    /// Show the original log, or the variant or minimized log again.
    SwitchForm,
    Minimize,
    OpenMinimum,
    Export,
    Bookmark,
    CopyCommand,
}

impl Model {
    /// Why the user may not do that while this is shown; `None` if it is allowed.
    pub(crate) fn refusal(&self, intent: Intent) -> Option<String> {
        let (form, compares) = (self.shown_log.form(), self.shown_log.comparison().is_some());
        let ends = "`:compare` without a name ends the comparison";
        let original = self.key(Action::Original);
        match intent {
            Intent::Vary | Intent::SwitchForm if compares => {
                Some(format!("what-if is not available while two logs are compared; {ends}"))
            }
            Intent::SwitchForm => None,
            Intent::Vary if form == LogForm::Minimum => {
                Some(format!("what-if changes need the whole log; {original} shows it"))
            }
            Intent::Vary => self.refusal_to_vary(),
            Intent::Minimize | Intent::Export | Intent::OpenMinimum => {
                let what = match intent {
                    Intent::Minimize => "minimizing",
                    Intent::Export => "exporting",
                    _ => "showing the minimized log",
                };
                if compares {
                    return Some(format!("{what} is not possible while two logs are compared; {ends}"));
                }
                if self.is_varied() {
                    let undo = self.key(Action::Undo);
                    return Some(format!(
                        "{what} is not possible while there are what-if changes; `:save FILE` saves them, {undo} undoes them"
                    ));
                }
                match intent {
                    Intent::OpenMinimum => None,
                    _ if !self.progress.at_end => Some(format!("{what} has to wait until the whole log has been read")),
                    Intent::Export if form == LogForm::Minimum => {
                        Some(format!("a pack is made from the whole log; {original} shows it"))
                    }
                    _ => None,
                }
            }
            Intent::Bookmark => {
                (form == LogForm::Variant).then(|| format!("bookmarks belong to the original log; {original} shows it"))
            }
            Intent::CopyCommand => (form == LogForm::Minimum).then(|| {
                "no command opens this minimized log, since it is not in a file; `:minimize FILE` saves it".to_owned()
            }),
        }
    }

    fn refusal_to_vary(&self) -> Option<String> {
        match &self.whatif {
            Some(whatif) if whatif.pending.is_some() => Some("the variant is still being replayed".to_owned()),
            None if !self.progress.at_end => Some("what-if has to wait until the whole log has been read".to_owned()),
            None if self.replay().is_empty() => Some("there is no event to change".to_owned()),
            _ => None,
        }
    }

    /// Whether there are what-if changes, shown or not.
    pub(crate) fn is_varied(&self) -> bool {
        self.whatif.as_ref().is_some_and(|whatif| whatif.variant.is_changed() || whatif.pending.is_some())
    }
}

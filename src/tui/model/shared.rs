//! Changes to the model that several features share: opening prompts, editors and texts, and showing another replay.

use std::sync::Arc;

use super::stop_marks::StopMarks;
use super::{InputMode, Model, PopupBody, TextPopup};
use crate::replay::Seq;
use crate::replay::recap::RecapLine;
use crate::replay::shared::PassProgress;
use crate::replay::timeline::Replay;
use crate::tui::action::Pane;
use crate::tui::overview::Overview;
use crate::tui::typing::{Editor, Prompt, PromptKind, Purpose};

impl Model {
    /// Opens a prompt of one line.
    pub(crate) fn ask(&mut self, kind: PromptKind) {
        self.mode = InputMode::Prompt(Box::new(Prompt::new(kind)));
    }

    /// Opens a prompt with a text that the user can change.
    pub(crate) fn ask_with(&mut self, kind: PromptKind, text: &str) {
        let mut prompt = Prompt::new(kind);
        prompt.set(text);
        self.mode = InputMode::Prompt(Box::new(prompt));
    }

    /// Opens an editor. An unsaved draft takes precedence over the given text.
    pub(crate) fn edit(&mut self, purpose: Purpose, title: String, text: &str) {
        let draft = self.drafts.iter().position(|draft| draft.purpose == purpose);
        let text = match draft {
            Some(at) => self.drafts.remove(at).text,
            None => text.to_owned(),
        };
        self.mode = InputMode::Editor(Box::new(Editor::new(purpose, title, &text)));
    }

    /// Opens a text over the panes.
    pub(crate) fn show_text(&mut self, title: &str, body: PopupBody) {
        self.mode = InputMode::Text(TextPopup { title: title.to_owned(), body, scroll: 0 });
    }

    /// Applies the progress of the pass.
    pub(crate) fn progressed(&mut self) {
        let was_at_end = self.at().0 + 1 >= self.progress.events && self.progress.at_end;
        let follows_end = was_at_end || self.goes_to_end;
        self.progress = self.replay().progress();
        self.goes_to_end &= !self.progress.at_end;
        self.debugger.grown(follows_end);
        self.look();
        self.find_ending();
    }

    /// Looks at the last event of a log that has been read.
    pub(crate) fn find_ending(&mut self) {
        let last = self.replay().len().checked_sub(1).filter(|_| self.progress.at_end);
        let moment = last.and_then(|last| self.replay().moment(Seq(last)).ok().flatten());
        (self.ending, self.recap) = moment.map_or((None, Vec::new()), |moment| (moment.ending, moment.recap));
    }

    /// The recap, where it is shown: above the fields, at both ends of the log, until the user selects a field.
    pub(crate) fn shown_recap(&self) -> &[RecapLine] {
        let is_at_end = self.at().0 == 0 || self.at().0 + 1 >= self.replay().len();
        let is_shown = is_at_end && self.focus != Pane::Projection && self.compared().is_none();
        if is_shown { &self.recap } else { &[] }
    }

    /// Shows another replay from now on: of another log, or of another form of this one.
    pub(crate) fn show_replay(&mut self, replay: Arc<dyn Replay>, at: Seq) {
        self.debugger.reopened(replay, at);
        // The other replay may have equally many events, but different ones.
        self.overview = Overview::default();
        self.stop_marks = StopMarks::default();
        // The playhead stays at its event, even if it was at the end of the replay before.
        self.progress = PassProgress::default();
        self.progressed();
    }
}

//! All that the screen shows, and nothing about how. Made once, changed by `update` only.

use std::sync::Arc;

use ratatui::layout::Rect;
use tui_textarea::TextArea;

use super::action::Pane;
use super::detail::Detail;
use super::theme::Theme;
use crate::replay::Seq;
use crate::replay::check::Severity;
use crate::replay::debugger::Debugger;
use crate::replay::moment::Moment;
use crate::replay::shared::Progress;
use crate::replay::timeline::Replay;
use crate::replay::vocabulary::FieldId;

/// What is being typed.
pub struct Prompt {
    pub asks: Asks,
    pub text: TextArea<'static>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    Search,
    Command,
}

pub enum Mode {
    Normal,
    Prompt(Box<Prompt>),
    Help { scroll: u16 },
}

pub struct Model {
    /// As the person named it.
    pub name: String,
    pub dialect: &'static str,
    pub theme: Theme,
    pub screen: Rect,
    pub debugger: Debugger,
    /// The moment under the playhead, or why there is none.
    pub moment: Result<Option<Moment>, String>,
    pub progress: Progress,
    pub focus: Pane,
    pub zoomed: bool,
    pub mode: Mode,
    /// Digits typed before a key.
    pub count: Option<u32>,
    /// One line for the person, until the next key.
    pub message: Option<String>,
    /// The chosen field of the projection.
    pub field: usize,
    /// The chosen finding in the list of all, and how far into its events somebody has gone.
    pub finding: usize,
    pub detail: Detail,
    pub is_over: bool,
}

impl Model {
    pub fn new(name: String, dialect: &'static str, replay: Arc<dyn Replay>, theme: Theme, screen: Rect) -> Self {
        let progress = replay.progress();
        let mut model = Model {
            name,
            dialect,
            theme,
            screen,
            debugger: Debugger::new(replay),
            moment: Ok(None),
            progress,
            focus: Pane::Events,
            zoomed: false,
            mode: Mode::Normal,
            count: None,
            message: None,
            field: 0,
            finding: 0,
            detail: Detail::default(),
            is_over: false,
        };
        model.look();
        model
    }

    pub fn replay(&self) -> &dyn Replay {
        &**self.debugger.replay()
    }

    pub fn at(&self) -> Seq {
        self.debugger.at()
    }

    /// Looks at the moment under the playhead again.
    pub fn look(&mut self) {
        self.moment = self.replay().moment(self.at()).map_err(|gone| gone.reason);
        self.detail.look(self.moment.as_ref().ok().and_then(Option::as_ref));
        self.settle();
    }

    /// The fields that the projection pane lists: changed ones first, then those that left their first value.
    pub fn fields(&self) -> Vec<FieldId> {
        let Ok(Some(moment)) = &self.moment else { return Vec::new() };
        let (changed, departed) = (moment.sides.changed(), moment.sides.departed());
        let ids = || self.replay().vocabulary().field_ids();
        let first = ids().filter(|field| changed.contains(*field));
        let then = ids().filter(|field| departed.contains(*field) && !changed.contains(*field));
        first.chain(then).collect()
    }

    /// What stands beside the events where there is room for one pane: the one with the focus, else what is wrong at
    /// this event, else what it changed.
    pub fn beside(&self) -> Pane {
        let is_wrong = |moment: &Moment| moment.findings.iter().any(|(_, finding)| finding.severity > Severity::Info);
        match (self.focus, &self.moment) {
            (Pane::Events | Pane::Detail, Ok(Some(moment))) if is_wrong(moment) => Pane::Coherence,
            (Pane::Events | Pane::Detail, _) => Pane::Projection,
            (focus, _) => focus,
        }
    }

    pub fn chosen_field(&self) -> Option<FieldId> {
        let fields = self.fields();
        fields.get(self.field.min(fields.len().saturating_sub(1))).copied()
    }
}

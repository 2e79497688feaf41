//! All that the screen shows, and nothing about how. Made once, changed by `update` only.

use std::sync::Arc;

use ratatui::layout::Rect;

use super::action::{Action, Listed, Pane};
use super::detail::Detail;
use super::exporting::Exporting;
use super::key::Where;
use super::keymap::Keymap;
use super::layout::{Areas, Arrangement, areas};
use super::minimizing::Minimizing;
use super::outline::Outline;
use super::pane::coherence::order;
use super::theme::Theme;
use super::tour::Tour;
use super::typing::{Draft, Editor, History, Prompt, Purpose};
use super::versus::{Compared, Versus};
use super::whatif::WhatIf;
use crate::compare::run::How;
use crate::replay::Seq;
use crate::replay::check::Severity;
use crate::replay::debugger::Debugger;
use crate::replay::moment::Moment;
use crate::replay::shared::PassProgress;
use crate::replay::timeline::Replay;
use crate::replay::vocabulary::{FieldId, FieldSet};
use crate::text::count;

/// What has the keyboard.
pub enum Mode {
    Normal,
    Prompt(Box<Prompt>),
    Editor(Box<Editor>),
    List(List),
    Text(Text),
    /// The review before a pack is written.
    Export,
}

/// A list over the panes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct List {
    pub of: Listed,
    pub row: usize,
}

/// A text over the panes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    pub title: String,
    pub body: Body,
    pub scroll: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// The table of keys, with those of the focus first.
    Help,
    Lines(Vec<String>),
    /// What minimizing came to.
    Minimized,
}

/// A run to the next breakpoint, a slice at a time so that the keyboard is heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Running {
    pub forward: bool,
    /// How far it has looked.
    pub at: Seq,
    /// How many hits it is to stop at, this one included.
    pub left: u32,
}

/// What to open, as far as the screen shows it.
pub struct Opening {
    /// As the person named it.
    pub name: String,
    pub dialect: &'static str,
    /// What to type so that this log opens again.
    pub command: String,
    pub theme: Theme,
    pub keymap: Keymap,
    /// How high the pane of the event is, if somebody wants it so.
    pub detail_rows: Option<u16>,
    pub screen: Rect,
}

impl Opening {
    /// With everything that can be configured left as it is.
    pub fn new(name: &str, dialect: &'static str, screen: Rect) -> Self {
        Opening {
            name: name.to_owned(),
            dialect,
            command: format!("stepback {name}"),
            theme: Theme::default(),
            keymap: Keymap::default(),
            detail_rows: None,
            screen,
        }
    }
}

pub struct Model {
    pub opening: Opening,
    pub debugger: Debugger,
    /// The moment under the playhead, or why there is none.
    pub moment: Result<Option<Moment>, String>,
    pub progress: PassProgress,
    /// The log in as many parts as the strip has columns.
    pub outline: Outline,
    pub focus: Pane,
    pub zoomed: bool,
    pub mode: Mode,
    /// Digits typed before a key.
    pub count: Option<u32>,
    /// One line for the person, until the next key.
    pub message: Option<String>,
    /// The chosen field of the projection.
    pub field: usize,
    pub pinned: FieldSet,
    /// The finding that somebody chose in the list of all, or came to.
    pub finding: Option<usize>,
    pub detail: Detail,
    /// Whether the last wish about all folds was to close them.
    pub folds_all: bool,
    /// Playing forwards or backwards.
    pub playing: Option<bool>,
    pub plays_forward: bool,
    pub events_per_second: u32,
    pub running: Option<Running>,
    pub searches: History,
    pub commands: History,
    /// Texts that were left before they were kept.
    pub drafts: Vec<Draft>,
    pub whatif: Option<WhatIf>,
    /// Another log to compare with.
    pub versus: Option<Versus>,
    /// A finding that is being minimized, or was.
    pub minimizing: Option<Minimizing>,
    /// A pack that is about to be written, or was.
    pub exporting: Option<Exporting>,
    /// Of a log that came in a pack with two traces: whether the minimized one is shown.
    pub shows_minimized: Option<bool>,
    pub tour: Option<Tour>,
    /// Whether the mouse is ours.
    pub mouse: bool,
    /// Somebody drags along the strip.
    pub drags: bool,
    /// How far the effects are scrolled.
    pub effects_scroll: usize,
    /// Somebody was told what leaving would lose.
    pub warned: bool,
    /// The playhead goes along with the pass to the end of the log.
    pub goes_to_end: bool,
    pub is_over: bool,
}

impl Model {
    pub fn new(opening: Opening, replay: Arc<dyn Replay>) -> Self {
        let progress = replay.progress();
        let mut model = Model {
            opening,
            debugger: Debugger::new(replay),
            moment: Ok(None),
            progress,
            outline: Outline::default(),
            focus: Pane::Events,
            zoomed: false,
            mode: Mode::Normal,
            count: None,
            message: None,
            field: 0,
            pinned: FieldSet::default(),
            finding: None,
            detail: Detail::default(),
            folds_all: false,
            playing: None,
            plays_forward: true,
            events_per_second: 8,
            running: None,
            searches: History::default(),
            commands: History::default(),
            drafts: Vec::new(),
            whatif: None,
            versus: None,
            minimizing: None,
            exporting: None,
            shows_minimized: None,
            tour: None,
            mouse: true,
            drags: false,
            effects_scroll: 0,
            warned: false,
            goes_to_end: false,
            is_over: false,
        };
        model.look();
        model
    }

    pub fn theme(&self) -> Theme {
        self.opening.theme
    }

    pub fn keymap(&self) -> &Keymap {
        &self.opening.keymap
    }

    pub fn screen(&self) -> Rect {
        self.opening.screen
    }

    pub fn replay(&self) -> &dyn Replay {
        &**self.debugger.replay()
    }

    pub fn at(&self) -> Seq {
        self.debugger.at()
    }

    /// Where everything stands. `None` where the screen is too small.
    pub fn areas(&self) -> Option<Areas> {
        let Opening { screen, detail_rows, .. } = self.opening;
        areas(
            screen,
            Arrangement {
                focus: self.focus,
                beside: self.beside(),
                zoomed: self.zoomed,
                detail_rows,
                tells_verdict: self.versus.is_some(),
                compares: self.compared().is_some(),
            },
        )
    }

    /// Which keys apply.
    pub fn place(&self) -> Where {
        match &self.mode {
            Mode::Normal => Where::Pane(self.focus),
            Mode::Prompt(_) | Mode::Editor(_) => Where::Typing,
            Mode::List(_) => Where::List,
            Mode::Text(_) => Where::Text,
            Mode::Export => Where::Export,
        }
    }

    /// Looks at the moment under the playhead again.
    pub fn look(&mut self) {
        self.moment = self.replay().moment(self.at()).map_err(|gone| gone.reason);
        if let Some(whatif) = &mut self.whatif
            && let Err(gone) = whatif.compare(self.debugger.at())
        {
            self.message = Some(gone.reason);
        }
        self.outline.follow(&**self.debugger.replay(), self.opening.screen.width);
        self.look_at_both();
        self.settle();
        // What is wrong here is what somebody wants to have explained, opened or copied.
        if let Ok(Some(moment)) = &self.moment
            && !moment.findings.iter().any(|(number, _)| Some(*number) == self.finding)
            && let Some((worst, _)) = moment.findings.iter().max_by_key(|(_, finding)| finding.severity)
        {
            self.finding = Some(*worst);
        }
    }

    /// The same for the other log, if there is one; then the event in full.
    fn look_at_both(&mut self) {
        let left = self.moment.as_ref().ok().and_then(Option::as_ref);
        let Some(compared) = self.versus.as_mut().and_then(|versus| versus.compared.as_mut()) else {
            self.detail.compare(None, false);
            self.detail.look(left);
            return;
        };
        if let Err(reason) = compared.follow(self.debugger.at(), left) {
            self.message = Some(reason);
        }
        let outline = &self.outline;
        compared.outline(outline.parts.len(), |at| outline.part(at));
        self.detail.compare(compared.tab(left), compared.how() == How::OnlyRight);
        self.detail.look(compared.event(left));
    }

    /// Both logs, once they have been compared.
    pub fn compared(&self) -> Option<&Compared> {
        self.versus.as_ref()?.compared.as_ref()
    }

    /// The fields that the projection pane lists: pinned ones, those that differ from another log, changed ones, those that left their first value, the
    /// rest.
    pub fn fields(&self) -> Vec<FieldId> {
        // Beside another log there may be a state where this one has none yet.
        let other = || self.compared().and_then(Compared::right_moment);
        let Some(moment) = self.shown().or_else(other) else { return Vec::new() };
        let (changed, departed) = (moment.sides.changed(), moment.sides.departed());
        let differing = self.compared().map(Compared::fields).unwrap_or_default();
        let renamed = self.compared().map(Compared::renamed).unwrap_or_default();
        let mut fields: Vec<FieldId> = self.replay().vocabulary().field_ids().collect();
        let rank = |field: &FieldId| match *field {
            field if self.pinned.contains(field) => 0,
            field if differing.contains(field) && !renamed.contains(field) => 1,
            field if changed.contains(field) => 2,
            field if departed.contains(field) => 3,
            _ => 4,
        };
        fields.sort_by_key(rank);
        fields
    }

    /// What stands beside the events where there is room for one pane: the one with the focus, else what is wrong at
    /// this event, else what it changed.
    pub fn beside(&self) -> Pane {
        let is_wrong = |moment: &Moment| moment.findings.iter().any(|(_, finding)| finding.severity > Severity::Info);
        let is_varied = self.whatif.as_ref().is_some_and(WhatIf::shows_variant);
        let is_wrong = |moment| is_wrong(moment) && self.compared().is_none();
        match (self.focus, &self.moment) {
            (Pane::Events | Pane::Detail, Ok(Some(moment))) if is_varied || is_wrong(moment) => Pane::Coherence,
            (Pane::Events | Pane::Detail, _) => Pane::Projection,
            (focus, _) => focus,
        }
    }

    /// The moment under the playhead, if it can be shown.
    pub fn shown(&self) -> Option<&Moment> {
        self.moment.as_ref().ok()?.as_ref()
    }

    /// A key that does something, for sentences that tell people what to press.
    pub fn key(&self, action: Action) -> &str {
        self.keymap().key_for(action).unwrap_or("(no key)")
    }

    /// The chosen finding; the first of the list as long as nobody has chosen one.
    pub fn chosen_finding(&self) -> Option<usize> {
        let findings = self.replay().findings();
        self.finding.filter(|number| *number < findings.list.len()).or_else(|| order(&findings).first().copied())
    }

    pub fn chosen_field(&self) -> Option<FieldId> {
        let fields = self.fields();
        fields.get(self.field.min(fields.len().saturating_sub(1))).copied()
    }

    /// What would be gone if the log were left now.
    pub fn would_lose(&self) -> Option<String> {
        if let Some(whatif) = self.whatif.as_ref().filter(|whatif| whatif.is_unsaved()) {
            let changes = count(whatif.variant.changes().len() as u64, "change");
            return Some(format!("the what-if variant ({changes}) is not saved: `:save FILE` keeps it"));
        }
        let draft = self.drafts.iter().find(|draft| !matches!(draft.purpose, Purpose::Event(_)))?;
        let place = match &draft.purpose {
            Purpose::NewNote(at) => format!("event {at}"),
            Purpose::Note(name) => format!("bookmark {name}"),
            Purpose::Event(_) => return None,
        };
        Some(format!("a note that you wrote is not kept: it is there again when you bookmark {place}"))
    }

    /// Tells the guided tour, if one is on, what was done.
    pub fn tour_sees(&mut self, action: Action) {
        if let Some(tour) = &mut self.tour {
            tour.see(action);
            // Nobody should have to end a tour that is over.
            self.tour = self.tour.filter(|tour| tour.lesson().is_some());
        }
    }

    /// Whether there is work to do between two looks at the keyboard.
    pub fn is_busy(&self) -> bool {
        let is_searching = self.debugger.search.as_ref().is_some_and(|search| !search.is_done(self.replay()));
        is_searching || self.running.is_some()
    }
}

//! The model: everything that the screen shows. `update` changes it, `view` draws it.

mod fields;
pub(crate) mod permission;
pub(crate) mod search_start;
mod shared;
mod shown;
pub(crate) mod stop_marks;
mod tour;

use std::sync::Arc;

use ratatui::layout::{Margin, Rect};

use super::action::{Action, ListKind, Pane};
use super::compare::state::Compared;
use super::detail::Detail;
use super::export::state::ExportReview;
use super::family::state::FamilyView;
use super::form::LogForm;
use super::inquiry::state::InquiryView;
use super::key::KeyContext;
use super::keymap::Keymap;
use super::layout::companion::{split, tab_beside};
use super::layout::sizes::{MovableBorder, PaneSizes, effects_columns};
use super::layout::{Areas, Arrangement, areas};
use super::minimize::state::Minimizing;
use super::overview::Overview;
use super::theme::Theme;
use super::tour::Tour;
use super::typing::{Draft, Editor, Prompt, PromptHistory, Purpose};
use super::whatif::state::WhatIf;
use crate::compare::run::How;
use crate::replay::Seq;
use crate::replay::check::Severity;
use crate::replay::debugger::Debugger;
use crate::replay::direction::Direction;
use crate::replay::ending::Ending;
use crate::replay::moment::Moment;
use crate::replay::recap::RecapLine;
use crate::replay::shared::PassProgress;
use crate::replay::source::Gone;
use crate::replay::time_shares::TimeShares;
use crate::replay::timeline::Replay;
use crate::replay::vocabulary::FieldSet;
use crate::text::count;
use search_start::SearchStart;
pub(crate) use shown::ShownLog;
use stop_marks::StopMarks;

/// Where keys go.
pub(crate) enum InputMode {
    Normal,
    Prompt(Box<Prompt>),
    Editor(Box<Editor>),
    List(List),
    Text(TextPopup),
    /// The review before a crashpack is written.
    Export,
}

/// A list over the panes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct List {
    pub of: ListKind,
    pub row: usize,
}

/// A text over the panes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextPopup {
    pub title: String,
    pub body: PopupBody,
    pub scroll: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PopupBody {
    /// The table of keys, with those of the focus first.
    Help,
    Lines(Vec<String>),
    /// The explanation of a finding.
    Explanation(Vec<String>),
    /// The reply to a question, in lines that are not wrapped.
    Answer(Vec<String>),
    /// The outcome of minimizing.
    Minimized,
}

/// A run to the next breakpoint, done in slices so that keys are handled meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Running {
    pub direction: Direction,
    /// The last event that it has tested.
    pub at: Seq,
    /// How many hits are left until it stops.
    pub left: u32,
    /// How many events it looks at before the keyboard is read again.
    pub slice: u32,
}

/// What the user drags with the mouse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Dragged {
    #[default]
    Nothing,
    /// The playhead, along the strip.
    Playhead,
    Border(MovableBorder),
}

/// How the log was opened, for display.
pub(crate) struct Opening {
    /// The name as the user gave it.
    pub name: String,
    pub dialect: &'static str,
    /// The command that opens this log again.
    pub command: String,
    pub theme: Theme,
    pub keymap: Keymap,
    /// The configured height of the Event pane.
    pub detail_rows: Option<u16>,
    pub screen: Rect,
    /// The names of the logs from which this one was entered, the first one first.
    pub trail: Vec<String>,
}

impl Opening {
    /// The default configuration.
    #[cfg(any(test, feature = "fuzzing"))]
    pub(crate) fn new(name: &str, dialect: &'static str, screen: Rect) -> Self {
        Opening {
            name: name.to_owned(),
            dialect,
            command: format!("stepback {name}"),
            theme: Theme::default(),
            keymap: Keymap::default(),
            detail_rows: None,
            screen,
            trail: Vec::new(),
        }
    }
}

pub(crate) struct Model {
    pub opening: Opening,
    pub debugger: Debugger,
    pub shown_log: ShownLog,
    /// The moment at the playhead, or why it cannot be read.
    pub moment: Result<Option<Moment>, Gone>,
    pub progress: PassProgress,
    /// How the run stands at the end of the log, once the log has been read.
    pub ending: Option<Ending>,
    /// What a reader asks first about the run, once the log has been read.
    pub recap: Vec<RecapLine>,
    /// The log is being followed, so waits go on.
    pub follows: bool,
    /// The time, in milliseconds since 1970, while something waits in a log that is followed.
    pub clock: Option<i64>,
    /// The overview of the log that the strip draws.
    pub overview: Overview,
    pub focus: Pane,
    pub zoomed: bool,
    pub mode: InputMode,
    /// The count typed before a key.
    pub count: Option<u32>,
    /// A sentence for the user, until the next key.
    pub message: Option<String>,
    /// The selected row of the projection, or [`Model::FOLD_ROW`].
    pub field: usize,
    /// Whether the projection lists also the fields that still have their initial value.
    pub lists_all_fields: bool,
    pub pinned: FieldSet,
    /// The selected finding, by its number in the list of all findings.
    pub finding: Option<usize>,
    pub detail: Detail,
    /// Another tab of the same event, next to it if both fit.
    pub companion: Detail,
    /// Whether both are shown.
    pub shows_companion: bool,
    pub sizes: PaneSizes,
    /// Whether the last command for all folds closed them.
    pub folds_all: bool,
    /// The direction of playing.
    pub playing: bool,
    pub play_direction: Direction,
    pub events_per_second: u32,
    pub running: Option<Running>,
    /// While a pattern is typed: where the search began.
    pub search_start: Option<SearchStart>,
    pub searches: PromptHistory,
    pub commands: PromptHistory,
    /// Unsaved texts.
    pub drafts: Vec<Draft>,
    pub whatif: Option<WhatIf>,
    /// The finding that is being minimized, or was.
    pub minimizing: Option<Minimizing>,
    /// The export that is under review, being written, or done.
    pub exporting: Option<ExportReview>,
    pub tour: Option<Tour>,
    pub family: FamilyView,
    pub inquiry: InquiryView,
    /// Whether the program uses the mouse.
    pub mouse: bool,
    pub dragged: Dragged,
    /// How far the Effects pane is scrolled.
    pub effects_scroll: usize,
    /// The user was warned that leaving would lose something.
    pub warned: bool,
    /// The playhead follows the pass to the end of the log.
    pub goes_to_end: bool,
    pub stop_marks: StopMarks,
    pub is_over: bool,
}

impl Model {
    pub(crate) fn new(opening: Opening, replay: Arc<dyn Replay>) -> Self {
        let (progress, detail) = (replay.progress(), Detail::new(replay.vocabulary()));
        let companion = Detail::new(replay.vocabulary());
        let sizes = PaneSizes { rows: opening.detail_rows, ..PaneSizes::default() };
        let mut model = Model {
            opening,
            debugger: Debugger::new(replay),
            shown_log: ShownLog::One(LogForm::Log),
            moment: Ok(None),
            progress,
            ending: None,
            recap: Vec::new(),
            follows: false,
            clock: None,
            overview: Overview::default(),
            focus: Pane::Events,
            zoomed: false,
            mode: InputMode::Normal,
            count: None,
            message: None,
            field: 0,
            lists_all_fields: false,
            pinned: FieldSet::default(),
            finding: None,
            detail,
            companion,
            shows_companion: false,
            sizes,
            folds_all: false,
            playing: false,
            play_direction: Direction::Forward,
            events_per_second: 8,
            running: None,
            search_start: None,
            searches: PromptHistory::default(),
            commands: PromptHistory::default(),
            drafts: Vec::new(),
            whatif: None,
            minimizing: None,
            exporting: None,
            tour: None,
            family: FamilyView::default(),
            inquiry: InquiryView::default(),
            mouse: true,
            dragged: Dragged::Nothing,
            effects_scroll: 0,
            warned: false,
            goes_to_end: false,
            stop_marks: StopMarks::default(),
            is_over: false,
        };
        model.look();
        model.find_ending();
        model
    }

    pub(crate) fn theme(&self) -> Theme {
        self.opening.theme
    }

    pub(crate) fn keymap(&self) -> &Keymap {
        &self.opening.keymap
    }

    pub(crate) fn screen(&self) -> Rect {
        self.opening.screen
    }

    pub(crate) fn replay(&self) -> &dyn Replay {
        &**self.debugger.replay()
    }

    pub(crate) fn at(&self) -> Seq {
        self.debugger.at()
    }

    /// The layout of the screen. `None` if it is too small.
    pub(crate) fn areas(&self) -> Option<Areas> {
        areas(
            self.room(),
            &Arrangement {
                focus: self.focus,
                beside: self.beside(),
                zoomed: self.zoomed,
                sizes: self.sizes.clone(),
                effects: effects_columns(self.replay().vocabulary()),
                tells_verdict: self.shown_log.comparison().is_some(),
                charts: self.overview.is_chart,
                compares: self.compared().is_some(),
                shows_time: self.shown_time().is_some(),
            },
        )
    }

    /// The time, if the strip shows it. It is that of the log as it was recorded.
    pub(crate) fn shown_time(&self) -> Option<&TimeShares> {
        self.inquiry.time.as_ref().filter(|_| self.shown_variant().is_none() && self.compared().is_none())
    }

    /// Which keys apply now.
    pub(crate) fn key_context(&self) -> KeyContext {
        match &self.mode {
            InputMode::Normal => KeyContext::Pane(self.focus),
            InputMode::Prompt(_) | InputMode::Editor(_) => KeyContext::Typing,
            InputMode::List(_) => KeyContext::List,
            InputMode::Text(_) => KeyContext::Text,
            InputMode::Export => KeyContext::Export,
        }
    }

    /// Reads the moment at the playhead again, and everything that depends on it.
    pub(crate) fn look(&mut self) {
        self.moment = self.replay().moment(self.at());
        let shows_variant = self.shows_variant();
        if let Some(whatif) = &mut self.whatif
            && let Err(gone) = whatif.compare(self.debugger.at(), shows_variant)
        {
            self.message = Some(gone.reason);
        }
        self.overview.follow(&**self.debugger.replay(), self.opening.screen.width);
        self.look_at_both();
        self.settle();
        // The worst finding at this event becomes the selected one, to be explained, opened or copied.
        if let Ok(Some(moment)) = &self.moment
            && !moment.findings.iter().any(|(number, _)| Some(*number) == self.finding)
            && let Some((worst, _)) = moment.findings.iter().max_by_key(|(_, finding)| finding.severity)
        {
            self.finding = Some(*worst);
        }
    }

    /// Reads the moment of the other log, if there is one, then the detail of the event.
    fn look_at_both(&mut self) {
        let left = self.moment.as_ref().ok().and_then(Option::as_ref);
        let Some(compared) = self.shown_log.compared_mut() else {
            self.detail.compare(None, false);
            self.detail.look(left);
            self.companion.look(left);
            return;
        };
        if let Err(reason) = compared.follow(self.debugger.at(), left) {
            self.message = Some(reason.into());
        }
        let overview = &self.overview;
        compared.outline(overview.columns.len(), |at| overview.column(at));
        self.detail.compare(compared.tab(left), compared.how() == How::OnlyRight);
        self.detail.look(compared.event(left));
    }

    /// Both logs, once they have been compared.
    pub(crate) fn compared(&self) -> Option<&Compared> {
        self.shown_log.comparison()?.compared.as_ref()
    }

    pub(crate) fn shows_variant(&self) -> bool {
        self.shown_log.form() == LogForm::Variant
    }

    /// The what-if changes, if the variant is shown.
    pub(crate) fn shown_variant(&self) -> Option<&WhatIf> {
        self.whatif.as_ref().filter(|_| self.shows_variant())
    }

    /// The minimized log, if it is shown.
    pub(crate) fn shown_minimum(&self) -> Option<&Minimizing> {
        self.minimizing.as_ref().filter(|_| self.shown_log.form() == LogForm::Minimum)
    }

    /// The pane next to the events, if there is room for one: the focused one, or else the findings of this event, or
    /// else its changes.
    pub(crate) fn beside(&self) -> Pane {
        let is_wrong = |moment: &Moment| moment.findings.iter().any(|(_, finding)| finding.severity > Severity::Info);
        let is_wrong = |moment| is_wrong(moment) && self.compared().is_none();
        match (self.focus, &self.moment) {
            (Pane::Events | Pane::Detail, Ok(Some(moment))) if self.shows_variant() || is_wrong(moment) => {
                Pane::Coherence
            }
            (Pane::Events | Pane::Detail, _) => Pane::Projection,
            (focus, _) => focus,
        }
    }

    /// The moment at the playhead, if it can be shown.
    pub(crate) fn shown(&self) -> Option<&Moment> {
        self.moment.as_ref().ok()?.as_ref()
    }

    /// Whether there is a level above: the screen with all panes, then the list of events.
    pub(crate) fn is_below_top(&self) -> bool {
        self.zoomed || self.focus != Pane::Events
    }

    /// The key of an action, for sentences such as "Esc closes it".
    pub(crate) fn key(&self, action: Action) -> &str {
        self.keymap().key_for(action).unwrap_or("(no key)")
    }

    /// The selected finding, or the first of the list if none was selected.
    pub(crate) fn chosen_finding(&self) -> Option<usize> {
        let findings = self.replay().findings();
        self.finding.filter(|number| *number < findings.list.len()).or((!findings.list.is_empty()).then_some(0))
    }

    /// What would be lost if the user left the log now.
    pub(crate) fn would_lose(&self) -> Option<String> {
        if let Some(whatif) = self.whatif.as_ref().filter(|whatif| whatif.is_unsaved()) {
            let changes = count(whatif.variant.changes().len() as u64, "change");
            return Some(format!("the what-if variant ({changes}) is not saved; `:save FILE` saves it"));
        }
        let draft = self.drafts.iter().find(|draft| !matches!(draft.purpose, Purpose::Event(_)))?;
        let place = match &draft.purpose {
            Purpose::NewNote(at) => format!("event {at}"),
            Purpose::Note(name) => format!("bookmark {name}"),
            Purpose::Event(_) => return None,
        };
        Some(format!("a note is not saved; it comes back when you bookmark {place} again"))
    }

    /// Lays out the detail for the screen. Drawing must not change the model, so every update ends with this.
    pub(crate) fn settle(&mut self) {
        let Some(area) = self.areas().and_then(|areas| areas.of(Pane::Detail)) else { return };
        let replay = Arc::clone(self.compared().map_or_else(|| self.debugger.replay(), Compared::shown));
        let rows = area.height.saturating_sub(2) as usize;
        self.shows_companion = false;
        let can_have = self.compared().is_none() && self.shown().is_some();
        if let Some(tab) = tab_beside(self.detail.tab(), area).filter(|_| can_have) {
            self.companion.show_tab(tab);
            let [_, beside] = split(&self.detail, area.inner(Margin::new(1, 1)));
            self.companion.settle(&*replay, beside.width as usize, rows);
            self.shows_companion = self.companion.len() > 0;
        }
        let [columns, _] = self.detail_halves(area).map(|half| half.width as usize);
        self.detail.settle(&*replay, columns, rows);
    }

    /// The inside of the Event pane, and that of the companion next to it, if there is one.
    pub(crate) fn detail_halves(&self, area: Rect) -> [Rect; 2] {
        let inside = area.inner(Margin::new(1, 1));
        if self.shows_companion { split(&self.detail, inside) } else { [inside, Rect::default()] }
    }

    /// Stops playing and running.
    pub(crate) fn stop_moving(&mut self) {
        self.playing = false;
        self.running = None;
    }

    /// Whether a search or a run is under way.
    pub(crate) fn is_busy(&self) -> bool {
        let is_searching = self.debugger.search.as_ref().is_some_and(|search| !search.is_done(self.replay()));
        let only = self.debugger.filter.only.as_ref();
        is_searching || self.running.is_some() || only.is_some_and(|only| !only.is_done(self.replay()))
    }
}

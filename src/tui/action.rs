//! The actions: everything that the user can ask of the screen.

use crate::replay::direction::Direction;

/// A part of the screen that can have the focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pane {
    Events,
    Projection,
    Effects,
    Coherence,
    Detail,
}

impl Pane {
    pub(crate) const ALL: [Pane; 5] = [Pane::Events, Pane::Projection, Pane::Effects, Pane::Coherence, Pane::Detail];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Pane::Events => "Events",
            Pane::Projection => "Projection",
            Pane::Effects => "Effects",
            Pane::Coherence => "Coherence",
            Pane::Detail => "Event",
        }
    }
}

/// The lists that open over the panes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListKind {
    Bookmarks,
    Divergences,
    Breakpoints,
    /// The logs that belong together. Only logs with a family have this list.
    Family,
    /// The reply to a question about the whole log.
    Reply,
}

impl ListKind {
    /// The lists that every log has, in the order of their tabs.
    pub(crate) const ALL: [ListKind; 3] = [ListKind::Bookmarks, ListKind::Divergences, ListKind::Breakpoints];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            ListKind::Bookmarks => "Bookmarks",
            ListKind::Divergences => "Events with findings",
            ListKind::Breakpoints => "Breakpoints",
            ListKind::Family => "Family",
            ListKind::Reply => "Reply",
        }
    }
}

/// What can be copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CopySource {
    /// The event, or the value under the cursor.
    Value,
    /// The jq path of the value.
    Path,
    /// The command that opens this log at this event.
    Command,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Moves by a number of events, also into folded rows.
    Step(i32),
    /// Moves by a number of rows of the list.
    Row(i32),
    /// Moves by a number of pages in the focused pane.
    Page(i32),
    /// Goes to the first event, or to the event with the typed number.
    First,
    /// Goes to the last event.
    Last,
    /// Goes to the next finding above severity info, the worst first.
    Finding(Direction),
    /// Goes to the next finding above severity info in the order of the log.
    FindingInLog(Direction),
    /// Goes to the beginning of a model step.
    ModelStep(Direction),
    /// Goes to the beginning of a turn.
    Turn(Direction),
    /// Goes to the next event of the kind at the playhead.
    SameKind(Direction),
    /// Goes to the next bookmark.
    Bookmark(Direction),
    /// Goes to the next difference between the compared logs.
    Difference(Direction),
    FirstDifference,
    /// Goes to the next hit of the search.
    Hit(Direction),
    /// Runs to the next hit of a breakpoint.
    Continue(Direction),
    /// Goes back to before the last jump.
    Back,
    /// Goes forward after going back.
    Forward,
    /// Plays or pauses.
    Play,
    /// Plays in the other direction.
    TurnAround,
    Faster,
    Slower,
    /// Goes to the event that last wrote the selected field.
    Blame,
    /// Toggles a breakpoint on changes of the selected field.
    Watch,
    /// Toggles whether the selected field is pinned.
    Pin,
    /// Toggles a breakpoint on the kind at the playhead.
    BreakOnKind,
    /// Goes to the events of the selected finding.
    OpenFinding,
    /// Explains the selected finding.
    Explain,
    /// Minimizes the selected finding, or shows the outcome.
    Minimize,
    /// Opens the review before the selected finding is exported.
    Export,
    /// Lists only the events of this kind, then of this call, then of this finding, then all.
    OnlyLikeThis,
    /// Toggles whether each call has one line.
    FoldCalls,
    /// Lists the logs of the family.
    Family,
    /// Asks what the model saw at this event.
    Context,
    /// Toggles who took the time in the strip.
    Time,
    /// Asks whether the session can be resumed.
    Health,
    /// Returns to the log from which this one was entered.
    LeaveLog,
    /// Bookmarks the event at the playhead.
    Mark,
    /// Toggles whether the projection lists all fields.
    FoldFields,
    /// Opens a list.
    List(ListKind),
    /// Shows the next tab of the event.
    NextView(Direction),
    /// Folds or unfolds the value under the cursor.
    Fold,
    /// Folds or unfolds everything in the event.
    FoldAll,
    Copy(CopySource),
    /// Opens the prompt for a search.
    Search,
    /// Opens the prompt for a command.
    Command,
    /// Opens the list of all keys and commands.
    Palette,
    /// What-if: edits the event.
    EditEvent,
    /// What-if: skips the event.
    SkipEvent,
    /// What-if: duplicates the event.
    DuplicateEvent,
    /// What-if: moves the event by one place.
    MoveEvent(Direction),
    /// Undoes the last what-if change.
    Undo,
    /// Redoes the what-if change that was undone last.
    Redo,
    /// Switches between the original log and its variant or minimized form.
    Original,
    /// Moves the cursor of the focused pane by a number of lines.
    Cursor(i32),
    /// Moves the focus to a pane.
    FocusOn(Pane),
    /// Moves the focus by a number of panes.
    Focus(i32),
    /// Toggles whether the focused pane is shown alone.
    Zoom,
    /// Makes the focused pane wider by a number of columns.
    Widen(i32),
    /// Makes the focused pane taller by a number of rows.
    Heighten(i32),
    /// Gives the panes their usual sizes.
    UsualSizes,
    /// Leaves the mouse to the terminal, or takes it back.
    FreeMouse,
    /// Opens the log again.
    Reload,
    /// Redraws the whole terminal.
    Redraw,
    Help,
    /// Starts the guided tour, or ends it.
    Tour,
    /// Goes to the next lesson of the tour.
    NextLesson,
    /// Goes back one level: closes, stops or ends what is open, running, searched or filtered, then leaves the pane.
    Escape,
    /// Goes back one level, and quits from the list of events, after a warning about unsaved work.
    Quit,
    QuitAtOnce,
    /// Suspends the program to the shell.
    Suspend,

    // In a list and in the export review.
    /// Goes to the selected entry; in the review, writes the crashpack.
    Choose,
    /// Removes the selected entry.
    Remove,
    /// Toggles the selected entry.
    Switch,
    /// Adds an entry.
    Add,
    /// Edits the note of the selected bookmark.
    EditNote,
    /// Goes to the next list.
    NextList(Direction),

    // In the outcome of minimizing.
    SaveMinimized,
    OpenMinimized,

    // In the export review.
    /// Toggles whether secrets are masked.
    Redact,
    /// Toggles whether e-mail addresses are masked.
    HideEmails,
    /// Opens the prompt for a pattern to mask.
    HidePattern,
    /// Toggles whether the minimized log is part of the crashpack.
    PackMinimized,

    // In a prompt or an editor.
    /// Accepts the text.
    Submit,
    /// Goes to the next completion.
    Complete(Direction),
    /// Recalls an older line.
    Older,
    /// Recalls a newer line.
    Newer,
    /// Starts a new line.
    NewLine,
    ClearLine,
}

impl Action {
    /// Whether the other action is the same in the other direction.
    pub(crate) fn is_opposite(self, other: Action) -> bool {
        let turned = match self {
            Action::Step(by) => Action::Step(-by),
            Action::Row(by) => Action::Row(-by),
            Action::Page(by) => Action::Page(-by),
            Action::Cursor(by) => Action::Cursor(-by),
            Action::Focus(by) => Action::Focus(-by),
            Action::Widen(by) => Action::Widen(-by),
            Action::Heighten(by) => Action::Heighten(-by),
            Action::Finding(direction) => Action::Finding(direction.reversed()),
            Action::FindingInLog(direction) => Action::FindingInLog(direction.reversed()),
            Action::ModelStep(direction) => Action::ModelStep(direction.reversed()),
            Action::Turn(direction) => Action::Turn(direction.reversed()),
            Action::SameKind(direction) => Action::SameKind(direction.reversed()),
            Action::Bookmark(direction) => Action::Bookmark(direction.reversed()),
            Action::Difference(direction) => Action::Difference(direction.reversed()),
            Action::Hit(direction) => Action::Hit(direction.reversed()),
            Action::Continue(direction) => Action::Continue(direction.reversed()),
            Action::NextView(direction) => Action::NextView(direction.reversed()),
            Action::MoveEvent(direction) => Action::MoveEvent(direction.reversed()),
            Action::Back => Action::Forward,
            Action::Undo => Action::Redo,
            Action::Faster => Action::Slower,
            _ => return false,
        };
        turned == other
    }

    /// Whether the action makes or changes a what-if variant.
    pub(crate) const fn varies(self) -> bool {
        matches!(
            self,
            Action::EditEvent
                | Action::SkipEvent
                | Action::DuplicateEvent
                | Action::MoveEvent(_)
                | Action::Undo
                | Action::Redo
        )
    }
}

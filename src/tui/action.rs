//! Everything that a person can ask of the screen.

/// A part of the screen that can have the focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pane {
    Events,
    Projection,
    Effects,
    Coherence,
    Detail,
}

impl Pane {
    pub const ALL: [Pane; 5] = [Pane::Events, Pane::Projection, Pane::Effects, Pane::Coherence, Pane::Detail];

    pub const fn name(self) -> &'static str {
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
pub enum Listed {
    Bookmarks,
    Divergences,
    Breakpoints,
}

impl Listed {
    pub const ALL: [Listed; 3] = [Listed::Bookmarks, Listed::Divergences, Listed::Breakpoints];

    pub const fn name(self) -> &'static str {
        match self {
            Listed::Bookmarks => "Bookmarks",
            Listed::Divergences => "Divergent steps",
            Listed::Breakpoints => "Breakpoints",
        }
    }
}

/// What can be copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copied {
    /// The event, or the value under the cursor.
    Value,
    /// Where the value stands, for jq.
    Path,
    /// What to type to see this place again.
    Command,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// By so many events that the filter shows.
    Step(i32),
    Page(i32),
    First,
    Last,
    Finding(bool),
    ModelStep(bool),
    Turn(bool),
    SameKind(bool),
    Bookmark(bool),
    /// While two logs are compared: the next place where they differ, or the one before.
    Difference(bool),
    FirstDifference,
    Hit(bool),
    Continue(bool),
    Back,
    Forward,
    Play,
    TurnAround,
    Faster(bool),
    Blame,
    Watch,
    Pin,
    BreakOnKind,
    OpenFinding,
    Explain,
    Minimize,
    Export,
    FoldCalls,
    Mark,
    List(Listed),
    NextView(bool),
    Fold,
    FoldAll,
    Copy(Copied),
    Search,
    Command,
    EditEvent,
    SkipEvent,
    DuplicateEvent,
    MoveEvent(bool),
    Undo,
    Redo,
    Original,
    Cursor(i32),
    Focus(i32),
    Zoom,
    FreeMouse,
    Reload,
    Redraw,
    Help,
    Escape,
    Quit,
    QuitAtOnce,
    Suspend,
    // In a list.
    Choose,
    Remove,
    Switch,
    Add,
    EditNote,
    NextList(bool),
    // In the text that tells what minimizing came to.
    SaveMinimized,
    OpenMinimized,
    // Before a pack is written.
    Redact,
    HideEmails,
    HidePattern,
    PackMinimized,
    // While typing.
    Submit,
    Complete(bool),
    Older(bool),
    NewLine,
    ClearLine,
}

impl Action {
    /// Whether it makes or changes a what-if variant.
    pub const fn varies(self) -> bool {
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

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
    Hit(bool),
    Continue(bool),
    Back,
    Forward,
    Blame,
    Watch,
    BreakOnKind,
    OpenFinding,
    Search,
    Command,
    Cursor(i32),
    Focus(i32),
    Zoom,
    Help,
    Escape,
    Quit,
    QuitAtOnce,
    Suspend,
}

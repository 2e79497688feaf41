//! The groups of the help: what the actions of keys are for.

use crate::tui::action::{Action, ListKind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyGroup {
    Move,
    Find,
    Stop,
    Look,
    Vary,
    Share,
    Panes,
    Program,
}

impl KeyGroup {
    pub(crate) const ALL: [KeyGroup; 8] = [
        KeyGroup::Move,
        KeyGroup::Find,
        KeyGroup::Stop,
        KeyGroup::Look,
        KeyGroup::Vary,
        KeyGroup::Share,
        KeyGroup::Panes,
        KeyGroup::Program,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            KeyGroup::Move => "move",
            KeyGroup::Find => "find",
            KeyGroup::Stop => "stop and play",
            KeyGroup::Look => "look closer",
            KeyGroup::Vary => "ask what if",
            KeyGroup::Share => "copy and share",
            KeyGroup::Panes => "arrange the panes",
            KeyGroup::Program => "the program",
        }
    }

    pub(crate) const fn of(action: Action) -> KeyGroup {
        match action {
            Action::Finding(_)
            | Action::FindingInLog(_)
            | Action::OpenFinding
            | Action::Explain
            | Action::Difference(_)
            | Action::FirstDifference
            | Action::Search
            | Action::Hit(_)
            | Action::OnlyLikeThis
            | Action::Mark
            | Action::Bookmark(_)
            | Action::List(ListKind::Divergences | ListKind::Bookmarks) => KeyGroup::Find,
            Action::Continue(_)
            | Action::Play
            | Action::TurnAround
            | Action::Faster
            | Action::Slower
            | Action::BreakOnKind
            | Action::Watch
            | Action::List(ListKind::Breakpoints) => KeyGroup::Stop,
            Action::NextView(_)
            | Action::Fold
            | Action::FoldAll
            | Action::FoldFields
            | Action::FoldCalls
            | Action::Pin
            | Action::Blame
            | Action::Context
            | Action::Health
            | Action::Family
            | Action::LeaveLog => KeyGroup::Look,
            action if action.varies() => KeyGroup::Vary,
            Action::Original => KeyGroup::Vary,
            Action::Copy(_) | Action::Minimize | Action::Export => KeyGroup::Share,
            Action::Focus(_)
            | Action::FocusOn(_)
            | Action::Zoom
            | Action::Widen(_)
            | Action::Heighten(_)
            | Action::UsualSizes
            | Action::FreeMouse
            | Action::Redraw => KeyGroup::Panes,
            Action::Command
            | Action::Palette
            | Action::Help
            | Action::Tour
            | Action::NextLesson
            | Action::Reload
            | Action::Escape
            | Action::Quit
            | Action::QuitAtOnce
            | Action::Suspend => KeyGroup::Program,
            _ => KeyGroup::Move,
        }
    }
}

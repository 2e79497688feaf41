//! The guided tour of the demo: lessons that each teach a key by pressing it.

use super::action::Action;
use crate::replay::direction::Direction;

/// One key to try.
pub(crate) struct Lesson {
    pub key: &'static str,
    pub text: &'static str,
    /// Whether an action completes the lesson.
    done: fn(Action) -> bool,
}

const fn lesson(key: &'static str, text: &'static str, done: fn(Action) -> bool) -> Lesson {
    Lesson { key, text, done }
}

pub(crate) static LESSONS: &[Lesson] = &[
    lesson("l", "This turn failed. The list on the left is its log: press l to step to the next event.", |action| {
        matches!(action, Action::Step(1))
    }),
    lesson("h", "You can take every step back: press h.", |action| matches!(action, Action::Step(-1))),
    lesson("f", "Where does the log contradict itself? Press f to go to the first finding.", |action| {
        matches!(action, Action::Finding(Direction::Forward))
    }),
    lesson(
        "x",
        "The screen shows what was expected and what is there. Press x to read about the check; Esc closes it.",
        |action| matches!(action, Action::Explain),
    ),
    lesson("D", "Press D to list all events with findings; Enter goes to the selected one.", |action| {
        matches!(action, Action::List(_))
    }),
    lesson(
        "Tab",
        "Press Tab to go to the next pane. Projection is the state that replaying the log rebuilds.",
        |action| matches!(action, Action::Focus(_)),
    ),
    lesson("b", "Select a field there with j and k, then press b to go to the event that last wrote it.", |action| {
        matches!(action, Action::Blame)
    }),
    lesson("Ctrl-o", "Press Ctrl-o to go back to where you were before the jump.", |action| {
        matches!(action, Action::Back)
    }),
    lesson("/", "Press / to search records, fields and effects; n and N go from hit to hit.", |action| {
        matches!(action, Action::Search)
    }),
    lesson(
        "m",
        "Press m to bookmark this event with a note. It is still there when you open the log again.",
        |action| matches!(action, Action::Mark),
    ),
    lesson(
        "d",
        "What if this event had not happened? Press d to skip it and see what changes; u undoes it.",
        |action| matches!(action, Action::SkipEvent),
    ),
    lesson(
        "?",
        "Press ? to see all keys, q to quit. That was the tour: open a log of your own with stepback FILE.",
        |action| matches!(action, Action::Help),
    ),
];

/// The progress of the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tour {
    at: usize,
    /// The user has asked to end it.
    ends: bool,
}

impl Tour {
    /// The next lesson. `None` after the last one.
    pub(crate) fn lesson(self) -> Option<(usize, &'static Lesson)> {
        LESSONS.get(self.at).map(|lesson| (self.at + 1, lesson))
    }

    /// Asks to end the tour. Returns true the first time, so that one stray Esc does not end it.
    pub(crate) fn asks_to_end(&mut self) -> bool {
        !std::mem::replace(&mut self.ends, true)
    }

    pub(crate) fn see(&mut self, action: Action) {
        self.ends &= action == Action::Escape;
        if self.lesson().is_some_and(|(_, lesson)| (lesson.done)(action)) {
            self.at += 1;
        }
    }
}

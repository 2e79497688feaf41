//! The guided tour of the demo: the keys that matter, each learned by pressing it.

use super::action::Action;

/// One thing to try.
pub struct Lesson {
    pub key: &'static str,
    pub text: &'static str,
    /// Whether an action is what was asked for.
    done: fn(Action) -> bool,
}

const fn lesson(key: &'static str, text: &'static str, done: fn(Action) -> bool) -> Lesson {
    Lesson { key, text, done }
}

pub static LESSONS: &[Lesson] = &[
    lesson("l", "A turn failed, and the list at the left is its log: press l to step to the next event.", |action| {
        matches!(action, Action::Step(1))
    }),
    lesson("h", "Every step can be taken back: h.", |action| matches!(action, Action::Step(-1))),
    lesson("f", "Where does the log contradict itself? f goes to the first finding.", |action| {
        matches!(action, Action::Finding(true))
    }),
    lesson(
        "x",
        "The screen says what was expected and what is there. x explains the check; Esc closes it.",
        |action| matches!(action, Action::Explain),
    ),
    lesson("D", "D lists every divergent step; Enter goes to the one that is chosen.", |action| {
        matches!(action, Action::List(_))
    }),
    lesson("Tab", "Tab goes to the next pane: Projection is the state that replaying rebuilds.", |action| {
        matches!(action, Action::Focus(_))
    }),
    lesson("b", "j and k choose a field there; b goes to the event that last wrote it.", |action| {
        matches!(action, Action::Blame)
    }),
    lesson("Ctrl-o", "Ctrl-o goes back to where you were before the jump.", |action| matches!(action, Action::Back)),
    lesson("/", "/ searches records, fields and effects; n and N go through the hits.", |action| {
        matches!(action, Action::Search)
    }),
    lesson("m", "m bookmarks an event with a note; it is there again when the log is opened again.", |action| {
        matches!(action, Action::Mark)
    }),
    lesson("d", "What if an event were not there? d skips it and shows what changes; u takes that back.", |action| {
        matches!(action, Action::SkipEvent)
    }),
    lesson(
        "?",
        "? lists all keys, q leaves. That was the tour: now open a log of your own, stepback FILE.",
        |action| matches!(action, Action::Help),
    ),
];

/// How far somebody has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tour {
    at: usize,
    /// Somebody has asked to end it.
    ends: bool,
}

impl Tour {
    /// What is to be tried now. `None` when all has been.
    pub fn lesson(self) -> Option<(usize, &'static Lesson)> {
        LESSONS.get(self.at).map(|lesson| (self.at + 1, lesson))
    }

    /// Asks whether to end it: true the first time, until something else was done.
    pub fn asks_to_end(&mut self) -> bool {
        !std::mem::replace(&mut self.ends, true)
    }

    pub fn see(&mut self, action: Action) {
        self.ends &= action == Action::Escape;
        if self.lesson().is_some_and(|(_, lesson)| (lesson.done)(action)) {
            self.at += 1;
        }
    }
}

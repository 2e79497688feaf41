//! The guided tour of the demo: lessons, each with a task that is done when the screen shows that it is done.

use crate::replay::Seq;

/// What the user has to reach, in any way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Move to a later event.
    Forward,
    /// Move to an earlier event.
    Backward,
    /// Be at an event with a finding.
    Finding,
    /// Read the explanation of a finding, and close it.
    Explain,
    /// Look at the list of events with findings, and leave it.
    List,
    /// Be in the Projection pane.
    Projection,
    /// Move to an event that wrote the selected field.
    Blame,
    /// Be at the event from which the previous task jumped.
    Return,
    /// Search.
    Search,
    /// Set a bookmark.
    Bookmark,
    /// Show a what-if variant.
    Skip,
    /// Undo all what-if changes.
    Undo,
    /// Look at the help, and close it.
    Help,
}

/// One task, and how to do it.
pub(crate) struct Lesson {
    pub task: Task,
    /// What to do. A word between backticks is a key or a text to type; `@name` is the key of that row of the table of
    /// keys, `{}` the event that [`Task::Return`] asks for.
    pub words: &'static str,
    /// What to do while the list, text, prompt or editor of the lesson is open.
    pub open_words: &'static str,
}

const fn lesson(task: Task, words: &'static str, open_words: &'static str) -> Lesson {
    Lesson { task, words, open_words }
}

pub(crate) static LESSONS: &[Lesson] = &[
    lesson(
        Task::Forward,
        "This turn failed. The list of events is its log. Press `@step` to step to the next event.",
        "",
    ),
    lesson(Task::Backward, "Every step can be taken back. Press `@step-back`.", ""),
    lesson(Task::Finding, "Where does the log contradict itself? Press `@next-finding` to go to a finding.", ""),
    lesson(
        Task::Explain,
        "The pane Coherence shows what was expected and what is there instead. Press `@explain` to read about the check.",
        "This is what the check means and where to look next. Press `@close-text` when you have read it.",
    ),
    lesson(
        Task::List,
        "Press `@divergences` to list all events with findings.",
        "Select one with `@list-down` and `@list-up`. `@choose` goes there.",
    ),
    lesson(
        Task::Projection,
        "Press `@next-pane` to go from pane to pane, until you are in Projection: the state that replaying the log rebuilds.",
        "",
    ),
    lesson(
        Task::Blame,
        "Select a field with `@cursor-down` and `@cursor-up`. `@blame-field` goes to the event that wrote it.",
        "",
    ),
    lesson(Task::Return, "Press `@back` to go back to before the jump, to event {}.", ""),
    lesson(
        Task::Search,
        "Press `@search` to search the records, fields and effects.",
        "Type `call-5` and press `@submit`.",
    ),
    lesson(
        Task::Bookmark,
        "`@next-hit` goes to the next hit. Press `@bookmark` to bookmark the event with a note; the bookmark is there when you open the log again.",
        "Type a note, such as `odd`, and press `@submit`.",
    ),
    lesson(
        Task::Skip,
        "What if this event had not happened? Press `@skip-event` to skip it. The file is not changed.",
        "",
    ),
    lesson(
        Task::Undo,
        "The header says that this is a what-if, and Coherence what has become of the findings. Press `@undo` to undo it.",
        "",
    ),
    lesson(
        Task::Help,
        "Press `@help` to see all keys.",
        "That was the tour: open a log of your own with stepback FILE. `@close-text` closes the keys and ends the tour.",
    ),
];

/// The progress of the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tour {
    at: usize,
    /// The playhead when the tour last looked.
    pub last: Seq,
    /// Where the playhead was before [`Task::Blame`] was done.
    pub jumped_from: Seq,
    /// The number of bookmarks when the lesson began.
    pub bookmarks: usize,
    /// What the lesson opens has been open.
    pub was_open: bool,
    /// The task was tried, but cannot be done here.
    pub is_excused: bool,
}

impl Tour {
    /// The tour at its first lesson, with the number of bookmarks at that time.
    pub(crate) fn new(bookmarks: usize) -> Tour {
        Tour { bookmarks, ..Tour::default() }
    }

    /// The current lesson and its number. `None` after the last one.
    pub(crate) fn lesson(self) -> Option<(usize, &'static Lesson)> {
        LESSONS.get(self.at).map(|lesson| (self.at + 1, lesson))
    }

    /// The task was tried, but cannot be done here. It counts as done.
    pub(crate) fn excuse(&mut self, task: Task) {
        self.is_excused |= self.lesson().is_some_and(|(_, lesson)| lesson.task == task);
    }

    /// Begins the next lesson.
    pub(crate) fn advance(&mut self, bookmarks: usize) {
        self.at += 1;
        (self.was_open, self.is_excused, self.bookmarks) = (false, false, bookmarks);
    }
}

/// The keys and texts to type that a lesson's words name, in their order.
pub(crate) fn named(words: &str) -> impl Iterator<Item = &str> {
    words.split('`').skip(1).step_by(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::key::KEYS;

    #[test]
    fn every_lesson_names_rows_of_the_table_of_keys() {
        for lesson in LESSONS {
            for words in [lesson.words, lesson.open_words] {
                assert_eq!(words.matches('`').count() % 2, 0, "{words}");
                for name in named(words).filter_map(|name| name.strip_prefix('@')) {
                    assert!(KEYS.iter().any(|row| row.name == name), "{name} in {words}");
                }
            }
            assert!(named(lesson.words).next().is_some(), "{} names no key", lesson.words);
        }
    }
}

//! The keys of the session picker: one table for dispatch, footer and documentation. All other keys are typed into the
//! search.

/// A movement of the selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Next,
    Previous,
    PageDown,
    PageUp,
    First,
    Last,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PickerAction {
    Open,
    Demo,
    Quit,
    Move(Step),
    DeleteLetter,
    DeleteWord,
    Clear,
    Suspend,
}

pub(crate) struct PickerKey {
    pub keys: &'static [&'static str],
    pub does: PickerAction,
    /// The word in the footer; empty if the key is not shown there.
    pub word: &'static str,
    pub describes: &'static str,
}

const fn row(
    keys: &'static [&'static str],
    does: PickerAction,
    word: &'static str,
    describes: &'static str,
) -> PickerKey {
    PickerKey { keys, does, word, describes }
}

pub(crate) static PICKER_KEYS: &[PickerKey] = &[
    row(&["Enter"], PickerAction::Open, "open", "open the selected session"),
    row(&["Down", "Ctrl-n"], PickerAction::Move(Step::Next), "next", "select the next session"),
    row(&["Up", "Ctrl-p"], PickerAction::Move(Step::Previous), "previous", "select the previous session"),
    row(&["PageDown"], PickerAction::Move(Step::PageDown), "", "select the session a page down"),
    row(&["PageUp"], PickerAction::Move(Step::PageUp), "", "select the session a page up"),
    row(&["Home"], PickerAction::Move(Step::First), "", "select the first session"),
    row(&["End"], PickerAction::Move(Step::Last), "", "select the last session"),
    row(&["Ctrl-e"], PickerAction::Demo, "example", "open the built-in example with its guided tour"),
    row(&["Backspace", "Ctrl-h"], PickerAction::DeleteLetter, "", "delete the last letter of the search"),
    row(&["Ctrl-w"], PickerAction::DeleteWord, "", "delete the last word of the search"),
    row(&["Ctrl-u"], PickerAction::Clear, "", "clear the search"),
    row(&["Ctrl-z"], PickerAction::Suspend, "", "suspend the program"),
    row(&["Esc", "Ctrl-c"], PickerAction::Quit, "quit", "quit"),
];

pub(crate) fn action_of(key: &str) -> Option<PickerAction> {
    PICKER_KEYS.iter().find(|row| row.keys.contains(&key)).map(|row| row.does)
}

/// The table as Markdown.
pub(crate) fn markdown() -> String {
    let mut out = String::from("| keys of the session picker | do |\n| --- | --- |\n");
    for row in PICKER_KEYS {
        let keys: Vec<String> = row.keys.iter().map(|key| format!("`{key}`")).collect();
        out.push_str(&format!("| {} | {} |\n", keys.join(" "), row.describes));
    }
    out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_key_is_in_two_rows_and_none_can_be_typed() {
        let keys: Vec<&str> = PICKER_KEYS.iter().flat_map(|row| row.keys.iter().copied()).collect();
        assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), keys.len());
        assert!(keys.iter().all(|key| key.chars().count() > 1), "{keys:?}");
        assert_eq!(action_of("Enter"), Some(PickerAction::Open));
        assert_eq!(action_of("x"), None);
    }
}

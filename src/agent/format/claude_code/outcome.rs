//! The outcome of a tool's result in a Claude Code session. The first rule that holds decides.

use super::members::LineMembers;
use super::user::ResultDetails;
use crate::agent::block::Outcome;
use crate::agent::content::Content;
use crate::json::raw::RawJson;

/// How much of an error's text the rules can depend on.
const BEGINNING: usize = 400;

pub(super) fn of(
    members: &LineMembers<'_>,
    details: &ResultDetails<'_>,
    is_error: bool,
    content: Content<'_>,
) -> Outcome {
    if let Some(kind) = members.denial.and_then(RawJson::text).filter(|kind| !kind.is_empty()) {
        return if kind.is("interrupted") { Outcome::Cancelled } else { Outcome::Blocked };
    }
    let is_launched = details.status.is_some_and(|status| status.is("async_launched"));
    if details.is_async || is_launched || details.background.is_some() {
        return Outcome::Launched;
    }
    if !is_error {
        return if details.is_interrupted { Outcome::Cancelled } else { Outcome::Success };
    }
    let text = content.text();
    if text.contains("[Request interrupted by user") {
        return Outcome::Cancelled;
    }
    let is_rejected = members.result.and_then(RawJson::text).is_some_and(|text| text.is("User rejected tool use"));
    let beginning: String = text.chars().take(BEGINNING).collect();
    if is_rejected || is_refusal(&beginning) {
        return Outcome::Blocked;
    }
    let first_line = beginning.lines().next().unwrap_or_default();
    if is_within(first_line, "timed out", 40).is_some() { Outcome::Timeout } else { Outcome::ToolError }
}

/// Whether a text says that the user, a rule or a hook refused the call. Releases before 2.1.205 have no other sign.
fn is_refusal(text: &str) -> bool {
    const BEGINNINGS: [&str; 4] = [
        "The user doesn't want to proceed",
        "The user doesn't want to take this action",
        "Permission to use",
        "Permission for this action",
    ];
    let asked = |word: &str| is_within(text, word, 80).is_some();
    BEGINNINGS.iter().any(|beginning| text.starts_with(beginning))
        || asked("requested permission to")
        || asked("requested permissions to")
        || is_refused_by_hook(text)
}

fn is_refused_by_hook(text: &str) -> bool {
    const HOOK: &str = "PreToolUse:";
    let mut from = 0;
    while let Some(found) = text[from..].find(HOOK) {
        let at = from + found;
        if text[..at].chars().count() > 60 {
            return false;
        }
        let after = &text[at + HOOK.len()..];
        if is_within(after, "hook error", 80).is_some() || is_within(after, "hook block", 80).is_some() {
            return true;
        }
        from = at + HOOK.len();
    }
    false
}

/// Where a word is in a text, if at most so many characters come before it.
fn is_within(text: &str, word: &str, characters: usize) -> Option<usize> {
    text.find(word).filter(|at| text[..*at].chars().count() <= characters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_told_by_their_beginning() {
        for (text, expected) in [
            ("The user doesn't want to proceed with this tool use.", true),
            ("Permission to use Bash has been denied", true),
            ("Claude requested permissions to write to a.txt", true),
            ("Claude requested permission to use WebFetch", true),
            ("\nhook: PreToolUse:Bash [x.sh]: hook error: no", true),
            ("PreToolUse:\nhook block", true),
            ("The user wants", false),
            ("Exit code 1\nPermission denied", false),
        ] {
            assert_eq!(is_refusal(text), expected, "{text}");
        }
        let far = format!("{}requested permission to", "x".repeat(81));
        assert!(!is_refusal(&far) && is_refusal(&far[1..]));
        let far = format!("{}PreToolUse: hook error", "é".repeat(61));
        assert!(!is_refusal(&far));
        assert!(!is_refusal(&format!("PreToolUse:{}hook error", "x".repeat(81))));
    }
}

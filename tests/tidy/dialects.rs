//! Everything about a dialect is in its row: no other code asks for a dialect or container by name.

use super::{Source, accept, is_word, sources};

/// Where a dialect may be named: its own folder, the row's type, and the table of rows.
const HOMES: [&str; 7] = ["turn", "tape", "transfer", "session", "agent", "dialect", "registry"];
const DIALECTS: [&str; 5] = ["turn", "tape", "transfer", "session", "agent"];

/// Code that names the row of one dialect, or compares the name of a dialect or container.
const QUESTIONS: [&str; 9] = [
    "agent::dialect::",
    "turn::dialect::",
    "tape::dialect::",
    "transfer::dialect::",
    "session::dialect::",
    "dialect.name ==",
    "dialect.name !=",
    "dialect().name ==",
    "container.name() ==",
];

fn asks(source: &Source) -> Vec<usize> {
    let code = source.code_without_tests();
    let compared = |(line, text): (&str, &str)| {
        // Literals are blank in `line`, so patterns are recognized in `text`, if the line has code.
        !line.trim().is_empty() && DIALECTS.iter().any(|name| is_compared(text, &format!("\"{name}\"")))
    };
    let lines = code.lines().zip(source.text.lines()).enumerate();
    let asking = lines
        .filter(|(_, (line, text))| QUESTIONS.iter().any(|question| line.contains(question)) || compared((line, text)));
    asking.map(|(number, _)| number + 1).collect()
}

/// Whether a literal is one side of a comparison, or a pattern of a match.
fn is_compared(text: &str, literal: &str) -> bool {
    text.match_indices(literal).any(|(at, _)| {
        let (before, after) = (text[..at].trim_end(), text[at + literal.len()..].trim_start());
        let beside = ["==", "!="].iter().any(|sign| before.ends_with(sign) || after.starts_with(sign));
        let is_pattern = text[at..].contains("=>") && !before.contains("=>") && !before.ends_with(is_word);
        beside || is_pattern
    })
}

#[test]
fn no_other_code_asks_for_a_dialect_by_name() {
    let mut complaints = Vec::new();
    for source in sources("src", ".rs").iter().filter(|source| !HOMES.contains(&source.modules()[0])) {
        let complaint = |line| format!("{}:{line}: this belongs into a column of the dialect's row", source.path);
        complaints.extend(asks(source).into_iter().map(complaint));
    }
    accept(&complaints);
}

#[test]
fn comparisons_are_distinguished_from_other_literals() {
    assert!(is_compared(r#"if name == "tape" {"#, r#""tape""#));
    assert!(is_compared(r#"(Some("tape"), _) => 1,"#, r#""tape""#));
    assert!(!is_compared(r#"Action::Turn => go(model, "turn"),"#, r#""turn""#));
    assert!(!is_compared(r#"dialect: "turn".to_owned(),"#, r#""turn""#));
}

//! The text of `doctor --reach`: which lines a resume would send, and why not the others, stretch by stretch.

use std::io::{self, Write};

use crate::cli::paint::{Paint, clean, columns, count, fit, pad};
use crate::doctor::context::{Branch, Reach, conversation};
use crate::replay::check::Severity;

/// How many stretches of one branch are printed.
const STRETCHES_SHOWN: usize = 6;
/// How many branches are printed.
const BRANCHES_SHOWN: usize = 40;
const ID_COLUMNS: usize = 40;

pub(super) fn write(branches: &[Branch], paint: Paint, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "  {}", paint.strong("reach"))?;
    let conversation = conversation(branches);
    for branch in branches.iter().take(BRANCHES_SHOWN) {
        let name = pad(&branch.reach.name().replace('_', " "), 10);
        let name = match branch.reach {
            Reach::Reached => paint.good(&name),
            Reach::CutOff => paint.severity(Severity::Warning, &name),
            _ => name,
        };
        let lines = pad(&count(branch.lines.len() as u64, "line"), 11);
        writeln!(out, "  {name}  {lines}  {}", fit(&stretches(branch, &conversation), columns().saturating_sub(29)))?;
        if let Some(why) = explanation(branch) {
            writeln!(out, "{}{}", " ".repeat(27), paint.dim(&why))?;
        }
    }
    match branches.len().checked_sub(BRANCHES_SHOWN) {
        Some(more @ 1..) => writeln!(out, "  … {} more (--json lists them)", count(more as u64, "branch")),
        _ => Ok(()),
    }
}

fn stretches(branch: &Branch, conversation: &[u32]) -> String {
    let stretches = branch.stretches(conversation);
    let shown = stretches.iter().take(STRETCHES_SHOWN).map(|(first, last)| match first == last {
        true => first.to_string(),
        false => format!("{first}–{last}"),
    });
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if let Some(more @ 1..) = stretches.len().checked_sub(STRETCHES_SHOWN) {
        text.push_str(&format!(" and {}", count(more as u64, "more stretch")));
    }
    text
}

fn explanation(branch: &Branch) -> Option<String> {
    let line = branch.explained_by;
    Some(match (branch.reach, line, &branch.missing) {
        (Reach::Compacted, Some(line), _) => format!("the compaction on line {line} replaced them"),
        (Reach::Rewound, Some(line), _) if branch.lines.first().is_some_and(|first| *first > line) => {
            format!("an abandoned branch: the history continues on another branch after line {line}")
        }
        (Reach::Rewound, Some(line), _) => format!("line {line} undid these turns"),
        (Reach::Rewound, None, _) => "a separate branch: no line of the history leads to it".to_owned(),
        (Reach::CutOff, Some(line), Some(parent)) => {
            let parent = fit(&clean(parent), ID_COLUMNS);
            format!("the chain breaks at line {line}: its parent {parent} is not in the file")
        }
        (Reach::CutOff, Some(line), None) => format!("the history begins at line {line}, which has no parent"),
        (Reach::Skipped, _, _) => "never sent".to_owned(),
        _ => return None,
    })
}

//! Questions that the screen asks about the whole log: what the model saw, an answer of `explain`, whether it resumes.

use std::path::Path;
use std::sync::Arc;

use color_eyre::eyre::{self, eyre};

use super::args::OptionalInput;
use super::doctor;
use super::open::open_or_demo;
use crate::dialect::Dialect;
use crate::dialect::context::{ContextAt, ContextPart, WhichContext, around_compaction, change};
use crate::registry;
use crate::text::styled::{StyledText, Tone};
use crate::text::{count, fit};
use crate::tui::inquiry::state::{Inquire, Question, Reply, ReplyList, ReplyRow};
use crate::tui::sentence::Sentence;

/// Answers are laid out for a popup of this width.
const COLUMNS: usize = 100;
/// The length of lists in answers.
const ROWS: usize = 10;

/// How questions about a log are answered; `None` if its dialect has no answers.
pub(super) fn inquirer(input: &OptionalInput, dialect: &'static Dialect) -> Option<Inquire> {
    dialect.context?;
    let input = input.clone();
    Some(Arc::new(move |question| reply(&input, question).map_err(|error| Sentence::from(error.to_string()))))
}

fn reply(input: &OptionalInput, question: &Question) -> eyre::Result<Reply> {
    match question {
        Question::Context { at, against } => {
            let wanted: Vec<WhichContext> = against.iter().chain([at]).copied().map(WhichContext::At).collect();
            context(input, &wanted)
        }
        Question::Dropped(number) => context(input, &around_compaction(*number)),
        Question::Explain(name) => explain(input, name),
        Question::Time => time(input),
        Question::Health => health(file(input)?),
        Question::Repair(output) => {
            doctor::write_repaired(file(input)?, output)?;
            Ok(Reply::Done(format!("the repaired copy is {}; the session itself is unchanged", output.display())))
        }
    }
}

fn file(input: &OptionalInput) -> eyre::Result<&Path> {
    input.file.as_deref().filter(|file| file.as_os_str() != "-").ok_or_else(|| eyre!("this log is not a file"))
}

fn context(input: &OptionalInput, wanted: &[WhichContext]) -> eyre::Result<Reply> {
    let opened = open_or_demo(input)?;
    let Some(read) = opened.dialect().context else { eyre::bail!("this log does not say what the model saw") };
    let contexts = read(&opened.log, wanted)?;
    let list = match &contexts[..] {
        [before, after] => difference(before, after),
        [one] => whole(one),
        _ => ReplyList::default(),
    };
    Ok(Reply::List(list))
}

fn row(part: &ContextPart) -> ReplyRow {
    ReplyRow { at: part.at, spans: part.row(2 * COLUMNS) }
}

fn whole(context: &ContextAt) -> ReplyList {
    let rows = context.parts.iter().map(row).collect();
    ReplyList { title: context.title(), heads: context.sizes(), rows, begins_at_end: true }
}

fn difference(before: &ContextAt, after: &ContextAt) -> ReplyList {
    let change = change(before, after);
    let signed = |sign: &str, tone: Tone, part: &ContextPart| {
        let mut row = row(part);
        row.spans.insert(0, tone.on(sign));
        row
    };
    let gone = change.gone.iter().map(|part| signed("−", Tone::Bad, part));
    let added = change.added.iter().map(|part| signed("+", Tone::Good, part));
    let (rows, title) = if after.compaction.is_some() {
        // The summary is one of few rows, so it comes first.
        (added.chain(gone).collect(), "what the compaction dropped, and what took its place")
    } else {
        (gone.chain(added).collect(), "what the context gained and lost")
    };
    let size =
        |context: &ContextAt| context.tokens.map_or_else(String::new, |tokens| format!(", {}", count(tokens, "token")));
    let heads = vec![
        format!("before  {}{}", before.title(), size(before)),
        format!("after   {}{}", after.title(), size(after)),
        format!("{} in both", count(change.kept as u64, "part")),
    ];
    ReplyList { title: title.to_owned(), heads, rows, begins_at_end: false }
}

fn lines(text: &StyledText) -> Vec<String> {
    text.lines().map(|spans| spans.iter().map(|span| span.text.as_str()).collect()).collect()
}

fn explain(input: &OptionalInput, name: &str) -> eyre::Result<Reply> {
    let opened = open_or_demo(input)?;
    let Some(answer) = opened.dialect().answers.iter().find(|answer| answer.name == name) else {
        let known: Vec<&str> = registry::answers().map(|answer| answer.name).collect();
        return Err(eyre!("{:?} is not a question; the questions are {}", fit(name, 40), known.join(", ")));
    };
    let answered = (answer.find)(&opened.log)?;
    let lines = lines(&answered.text(ROWS, COLUMNS));
    Ok(Reply::Text { title: answer.describes.to_owned(), lines, repaired: None })
}

fn time(input: &OptionalInput) -> eyre::Result<Reply> {
    let opened = open_or_demo(input)?;
    for answer in opened.dialect().answers.iter().filter(|answer| answer.name == "time") {
        if let Some(shares) = (answer.find)(&opened.log)?.time_shares() {
            return Ok(Reply::Time(shares));
        }
    }
    Err(eyre!("this log does not say where the time went"))
}

fn health(path: &Path) -> eyre::Result<Reply> {
    let (lines, can_repair) = doctor::health(path)?;
    let stem = path.file_stem().map_or_else(|| "session".into(), |stem| stem.to_string_lossy().into_owned());
    let repaired = can_repair.then(|| format!("{stem}.repaired.jsonl"));
    Ok(Reply::Text { title: "Can the session be resumed?".to_owned(), lines, repaired })
}

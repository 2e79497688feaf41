//! Histories as text and as JSON.

use serde_json::{Value, json};

use super::{ContextAt, ContextPart, PartTokens, WhichContext, change};
use crate::replay::Seq;
use crate::text::styled::{Styled, StyledText, Tone};
use crate::text::{clean, count, fit, grouped, pad};

/// The columns before the text of a part.
const LEFT_COLUMNS: usize = 42;

impl PartTokens {
    pub(crate) const fn basis(self) -> &'static str {
        if self.is_estimated { "estimated" } else { "measured" }
    }

    fn shown(self) -> String {
        format!("{}{}", if self.is_estimated { "≈" } else { "" }, grouped(self.number))
    }
}

impl ContextAt {
    /// What it is the history of, as a sentence.
    pub(crate) fn title(&self) -> String {
        let compaction = || {
            let (number, at) = self.compaction.unwrap_or_default();
            at.map_or_else(|| format!("compaction {number}"), |at| format!("compaction {number} at event {at}"))
        };
        match (self.asked, self.answer) {
            (WhichContext::Resume, _) => "what the model would see if the session were resumed".to_owned(),
            (WhichContext::At(_), Some(answer)) => format!("what the model saw when it answered at event {answer}"),
            (WhichContext::At(at), None) => format!("what the model would see if it were asked behind event {at}"),
            (WhichContext::BeforeCompaction(_), _) => format!("the context before {}", compaction()),
            (WhichContext::AfterCompaction(_), _) => format!("the context after {}", compaction()),
        }
    }

    /// The event that it is the history of.
    fn at(&self) -> Option<Seq> {
        match self.asked {
            WhichContext::Resume => None,
            WhichContext::At(at) => Some(at),
            WhichContext::BeforeCompaction(_) | WhichContext::AfterCompaction(_) => self.compaction?.1,
        }
    }

    /// Its size, and what is not known about it.
    pub(crate) fn sizes(&self) -> Vec<String> {
        let (messages, known) = (count(self.messages() as u64, "message"), grouped(self.known_tokens()));
        let mut lines = vec![match (self.tokens, self.unexplained_tokens()) {
            (Some(tokens), Some(unexplained)) if unexplained > 0 => format!(
                "{messages}, {} recorded; about {} of them are not in the log: system prompt, tools",
                count(tokens, "token"),
                grouped(unexplained),
            ),
            (Some(tokens), _) => format!("{messages}, {} recorded", count(tokens, "token")),
            (None, _) => format!("{messages}; the parts make about {known} tokens, system prompt and tools aside"),
        }];
        if self.is_continued {
            lines.push("the session continues another one, whose part of the history is not shown".to_owned());
        }
        lines
    }

    fn head(&self) -> Value {
        json!({
            "at": self.at().map(|at| at.0),
            "compaction": self.compaction.map(|(number, _)| number),
            "answer": self.answer.map(|at| at.0),
            "prompt_tokens": self.tokens,
            "tokens_not_in_log": self.unexplained_tokens(),
            "messages": self.messages(),
            "is_continued": self.is_continued,
        })
    }

    pub(crate) fn document(&self) -> Value {
        let mut document = self.head();
        document["parts"] = self.parts.iter().map(ContextPart::document).collect();
        document
    }

    pub(crate) fn text(&self, columns: usize) -> StyledText {
        let mut text = StyledText::default();
        text.line([Tone::Strong.on(self.title())]);
        self.sizes().iter().for_each(|line| text.plain(line));
        text.line([]);
        rows(&mut text, self.parts.iter(), columns);
        text
    }
}

/// The difference of two histories as JSON.
pub(crate) fn change_document(before: &ContextAt, after: &ContextAt) -> Value {
    let change = change(before, after);
    let list = |parts: &[&ContextPart]| parts.iter().map(|part| part.document()).collect::<Vec<_>>();
    json!({
        "before": before.head(), "after": after.head(), "kept": change.kept,
        "added": list(&change.added), "gone": list(&change.gone),
    })
}

/// The difference of two histories as text.
pub(crate) fn change_text(before: &ContextAt, after: &ContextAt, columns: usize) -> StyledText {
    let (mut text, change) = (StyledText::default(), change(before, after));
    for (word, context) in [("before", before), ("after ", after)] {
        text.line([Tone::Dim.on(format!("{word}  ")), context.title().into()]);
        for line in context.sizes() {
            text.line([format!("        {line}").into()]);
        }
    }
    text.plain(&format!("{} in both", count(change.kept as u64, "part")));
    let words = if after.compaction.is_some() { ["in its place", "dropped"] } else { ["added", "gone"] };
    for (word, parts) in words.into_iter().zip([&change.added, &change.gone]) {
        text.section(&format!("{word}: {}", count(parts.len() as u64, "part")));
        rows(&mut text, parts.iter().copied(), columns);
    }
    text
}

fn rows<'p>(text: &mut StyledText, parts: impl Iterator<Item = &'p ContextPart>, columns: usize) {
    let mut is_first = true;
    for part in parts {
        if std::mem::take(&mut is_first) {
            let head = format!("{:>7} {:>9} {:>10}  {} what", "event", "tokens", "bytes", pad("who", 10));
            text.line([Tone::Dim.on(head)]);
        }
        text.spans(part.row(columns));
    }
}

impl ContextPart {
    fn document(&self) -> Value {
        json!({
            "at": self.at.map(|at| at.0), "item": self.item, "message": self.message, "role": *self.role,
            "kinds": self.kinds.iter().map(|kind| &**kind).collect::<Vec<_>>(), "bytes": self.bytes, "tokens": self.tokens.map(|tokens| tokens.number),
            "basis": self.tokens.map(PartTokens::basis), "about": self.about,
        })
    }

    /// The part on one line.
    pub(crate) fn row(&self, columns: usize) -> Vec<Styled> {
        let at = self.at.map_or_else(|| "–".to_owned(), |at| at.to_string());
        let tokens = self.tokens.map_or_else(|| "–".to_owned(), PartTokens::shown);
        let bytes = if self.bytes == 0 { "–".to_owned() } else { grouped(self.bytes) };
        let kinds = clean(&self.kinds.join(", "));
        let room = columns.saturating_sub(LEFT_COLUMNS).max(12);
        let what = if self.about.is_empty() { kinds } else { format!("{kinds}: {}", clean(&self.about)) };
        vec![
            Tone::Dim.on(format!("{at:>7} ")),
            format!("{tokens:>9} ").into(),
            Tone::Dim.on(format!("{bytes:>10}  ")),
            Tone::Name.on(pad(&fit(&self.role, 10), 10)),
            format!(" {}", fit(&what, room)).into(),
        ]
    }
}

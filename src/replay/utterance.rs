//! Utterances: the entries of the conversation in a log, in parts that are each read in their own way.

use super::Seq;

/// One entry of the conversation. The texts come from the log: escape them before printing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Utterance {
    /// The speaker, or the kind of entry: `user`, `assistant`, `tool call`.
    pub role: &'static str,
    /// The tool and the call, on one line. Empty if the role says it all.
    pub about: String,
    pub parts: Vec<Part>,
    /// Whether it reports that something went wrong.
    pub is_failure: bool,
}

/// A part of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub kind: PartKind,
    pub text: String,
    /// How many bytes of the text were omitted, and how many lines begin in them.
    pub left_out: usize,
    pub lines_left_out: usize,
}

/// How a part is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// Markdown, as people and models write it.
    Prose,
    /// Text as it is, such as the output of a command.
    Plain,
    /// Text in a language, which is named as in Markdown: `rust`, `sh`, `json`.
    Code(String),
    /// The change of a file: lines that begin with `+`, `-` or a blank, and lines between the changed places.
    Change,
    /// What the following parts are about, such as the path of a file.
    Title,
    /// One line about the entry, such as an exit code.
    Note,
    /// The same, for something that went wrong.
    Failure,
}

impl PartKind {
    /// The language of a file, by the end of its name.
    pub fn code_of(path: &str) -> PartKind {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        PartKind::Code(name.rsplit_once('.').map_or("", |parts| parts.1).to_ascii_lowercase())
    }
}

impl Part {
    pub fn new(kind: PartKind, text: impl Into<String>) -> Part {
        Part { kind, text: text.into(), left_out: 0, lines_left_out: 0 }
    }

    fn cut(&mut self, most: usize) {
        if self.text.len() > most {
            let end = boundary(&self.text, most);
            self.left_out += self.text.len() - end;
            self.lines_left_out += memchr::memchr_iter(b'\n', &self.text.as_bytes()[end..]).count();
            self.text.truncate(end);
            self.text.shrink_to_fit();
        }
    }
}

impl Utterance {
    /// An entry with one text that is shown as it is.
    pub fn new(role: &'static str, about: String, text: &str) -> Utterance {
        Utterance::of(role, about, vec![Part::new(PartKind::Plain, text)])
    }

    /// An entry that a person or a model has written.
    pub fn prose(role: &'static str, about: String, text: &str) -> Utterance {
        Utterance::of(role, about, vec![Part::new(PartKind::Prose, text)])
    }

    /// Parts without a text are dropped.
    pub fn of(role: &'static str, about: String, mut parts: Vec<Part>) -> Utterance {
        parts.retain(|part| !part.text.is_empty());
        let is_failure = parts.iter().any(|part| part.kind == PartKind::Failure);
        Utterance { role, about, parts, is_failure }
    }

    /// Sets whether it reports that something went wrong.
    #[must_use]
    pub fn failing(mut self, is_failure: bool) -> Utterance {
        self.is_failure = is_failure;
        self
    }

    /// All texts, one below the other.
    pub fn text(&self) -> String {
        self.parts.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// Whether some of the text was omitted.
    pub fn is_cut(&self) -> bool {
        self.parts.iter().any(|part| part.left_out > 0)
    }

    /// Cuts the texts to at most `most` bytes in total.
    #[must_use]
    pub fn cut(mut self, most: usize) -> Utterance {
        let mut room = most;
        for part in &mut self.parts {
            part.cut(room);
            room -= part.text.len().min(room);
        }
        if self.about.len() > most {
            self.about.truncate(boundary(&self.about, most));
            self.about.push('…');
        }
        self
    }
}

/// The last character boundary up to a byte.
fn boundary(text: &str, most: usize) -> usize {
    (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// A part of the conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conversation {
    /// In the order of the log.
    pub entries: Vec<(Seq, Utterance)>,
    /// There may be more entries before the first one.
    pub more_before: bool,
    /// There may be more entries after the last one.
    pub more_after: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_report_what_was_omitted() {
        let said = Utterance::new("user", "日本語".to_owned(), "ééééé").cut(5);
        assert_eq!((said.text().as_str(), said.parts[0].left_out, said.about.as_str()), ("éé", 6, "日…"));
        let parts = ["one\ntwo\n", "three\nfour\n"].map(|text| Part::new(PartKind::Plain, text)).to_vec();
        let said = Utterance::of("tool result", String::new(), parts).cut(10);
        let left: Vec<_> = said.parts.iter().map(|part| (part.text.as_str(), part.lines_left_out)).collect();
        assert_eq!(left, [("one\ntwo\n", 0), ("th", 2)]);
        assert!(said.is_cut() && !Utterance::new("user", String::new(), "short").cut(5).is_cut());
    }

    #[test]
    fn the_language_of_a_file_is_its_extension() {
        assert_eq!(PartKind::code_of("/a.b/Main.RS"), PartKind::Code("rs".to_owned()));
        assert_eq!(PartKind::code_of("C:\\x.y\\Makefile"), PartKind::Code(String::new()));
    }
}

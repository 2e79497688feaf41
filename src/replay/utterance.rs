//! Utterances: the entries of the conversation in a log.

use super::Seq;

/// One entry of the conversation. The texts come from the log: escape them before printing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Utterance {
    /// The speaker, or the kind of entry: `user`, `assistant`, `tool call`.
    pub role: &'static str,
    /// The tool and the call, on one line. Empty if the role says it all.
    pub about: String,
    pub text: String,
    /// How many bytes of the text were omitted.
    pub left_out: usize,
}

impl Utterance {
    pub fn new(role: &'static str, about: String, text: &str) -> Utterance {
        Utterance { role, about, text: text.to_owned(), left_out: 0 }
    }

    /// Cuts each text to at most `most` bytes.
    #[must_use]
    pub fn cut(mut self, most: usize) -> Utterance {
        if self.text.len() > most {
            let end = boundary(&self.text, most);
            self.left_out += self.text.len() - end;
            self.text.truncate(end);
            self.text.shrink_to_fit();
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
    fn long_texts_report_their_omitted_bytes() {
        let said = Utterance::new("user", "日本語".to_owned(), "ééééé").cut(5);
        assert_eq!((said.text.as_str(), said.left_out, said.about.as_str()), ("éé", 6, "日…"));
        assert_eq!(Utterance::new("user", String::new(), "short").cut(5).left_out, 0);
    }
}

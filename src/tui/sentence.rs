//! A sentence for the user: why a typed command cannot be executed.

use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sentence(String);

impl From<String> for Sentence {
    fn from(text: String) -> Sentence {
        Sentence(text)
    }
}

impl From<Sentence> for String {
    fn from(sentence: Sentence) -> String {
        sentence.0
    }
}

impl fmt::Display for Sentence {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

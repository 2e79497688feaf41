//! Words that results of tools brought into a session, and whether the model wrote any of them later.
//!
//! A log cannot prove that a result was useless. What it proves: the model never wrote a word that first came with it.

use rustc_hash::FxHashMap;

use crate::json::text::hash_bytes;
use crate::replay::Seq;

/// More words are not kept. Results after that are not judged.
const MOST_WORDS: usize = 400_000;
/// A result that brings fewer new words is not judged: it says little that is its own.
const FEWEST_WORDS: u32 = 8;
/// Shorter words are too common to tell anything.
const SHORTEST: usize = 6;
/// Plain words of this length are rare enough.
const LONG: usize = 10;
const NO_SOURCE: u32 = u32::MAX;

#[derive(Clone, Debug, Default)]
struct Source {
    new_words: u32,
    used: Option<Seq>,
    is_cut: bool,
}

/// Whether the model used what a result brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// It wrote one of its words here.
    At(Seq),
    /// It wrote none of so many words.
    Never(u32),
    NotJudged,
}

#[derive(Default)]
pub(crate) struct Words {
    first: FxHashMap<u64, u32>,
    sources: Vec<Source>,
}

impl Words {
    /// A text that is a source of words. Returns its number.
    pub(crate) fn source(&mut self, text: &str) -> u32 {
        let number = self.sources.len() as u32;
        let mut source = Source::default();
        for word in telling(text) {
            if self.first.len() >= MOST_WORDS {
                source.is_cut = true;
                break;
            }
            if let std::collections::hash_map::Entry::Vacant(new) = self.first.entry(hash_bytes(word.as_bytes())) {
                new.insert(number);
                source.new_words += 1;
            }
        }
        self.sources.push(source);
        number
    }

    /// A text of the user or of the program: its words are known from now on.
    pub(crate) fn known(&mut self, text: &str) {
        for word in telling(text) {
            if self.first.len() < MOST_WORDS {
                self.first.entry(hash_bytes(word.as_bytes())).or_insert(NO_SOURCE);
            }
        }
    }

    /// A text of the model.
    pub(crate) fn written(&mut self, at: Seq, text: &str) {
        for word in telling(text) {
            let hash = hash_bytes(word.as_bytes());
            match self.first.get(&hash) {
                Some(source) => {
                    if let Some(source) = self.sources.get_mut(*source as usize) {
                        source.used.get_or_insert(at);
                    }
                }
                None if self.first.len() < MOST_WORDS => {
                    self.first.insert(hash, NO_SOURCE);
                }
                None => {}
            }
        }
    }

    pub(crate) fn use_of(&self, source: u32) -> Use {
        match self.sources.get(source as usize) {
            Some(Source { used: Some(at), .. }) => Use::At(*at),
            Some(Source { is_cut: false, new_words, .. }) if *new_words >= FEWEST_WORDS => Use::Never(*new_words),
            _ => Use::NotJudged,
        }
    }
}

/// The words of a text that tell something: identifiers, and long words.
fn telling(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|character: char| !character.is_alphanumeric() && character != '_');
    words.filter(|word| word.len() >= SHORTEST && (word.len() >= LONG || is_identifier(word)))
}

fn is_identifier(word: &str) -> bool {
    let inside = word.bytes().skip(1);
    inside.clone().any(|byte| byte == b'_' || byte.is_ascii_digit())
        || inside.clone().any(|byte| byte.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_used_when_the_model_writes_a_word_that_came_with_it() {
        let mut words = Words::default();
        words.known("please look at parse_token");
        let text = "fn parse_token lexer_state next_char peek_char skip_blanks read_word is_letter is_digit at_end_of";
        let read = words.source(text);
        assert_eq!(words.use_of(read), Use::Never(8));
        words.written(Seq(4), "parse_token is fine; something else");
        assert_eq!(words.use_of(read), Use::Never(8), "the user named that word first");
        words.written(Seq(5), r#"{"old_string":"self.skip_blanks()"}"#);
        assert_eq!(words.use_of(read), Use::At(Seq(5)));
        let again = words.source(text);
        assert_eq!(words.use_of(again), Use::NotJudged, "it brings nothing new");
    }
}

//! Fuzzy matching of what a user types against texts.
//!
//! Every word of a pattern must be found: as it is, or with letters left out in between. Letters that are spread over
//! a text do not match, because almost every long text has them.

/// A found word may be this many times as long as what was typed.
const STRETCH_MOST: usize = 3;
/// Longer patterns are cut: they come from a paste, and every text is compared with them.
const PATTERN_CHARACTERS: usize = 128;

const WHOLE_SCORE: u32 = 16;
const WORD_START_SCORE: u32 = 8;
const ADJACENT_SCORE: u32 = 3;

/// What to search for: words in any order, regardless of case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FuzzyPattern {
    words: Vec<Vec<char>>,
}

/// Where a word was found, and how well it fits.
#[derive(Clone, Debug, PartialEq, Eq)]
struct WordMatch {
    score: u32,
    /// The numbers of the matched characters.
    at: Vec<usize>,
}

impl FuzzyPattern {
    pub(crate) fn new(text: &str) -> FuzzyPattern {
        let kept: String = text.chars().take(PATTERN_CHARACTERS).collect();
        let words = kept.split_whitespace().map(|word| word.chars().map(lower).collect());
        FuzzyPattern { words: words.collect() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// How well the texts of one thing fit: the higher the better. `None` if a word is in none of them.
    pub(crate) fn score<'t>(&self, texts: impl IntoIterator<Item = &'t str>) -> Option<u32> {
        let mut best = vec![None; self.words.len()];
        for text in texts {
            let letters: Vec<char> = text.chars().map(lower).collect();
            for (word, best) in self.words.iter().zip(&mut best) {
                *best = (*best).max(find(word, &letters).map(|found| found.score));
            }
        }
        best.into_iter().sum()
    }

    /// The characters of a text to highlight, by their numbers.
    pub(crate) fn places(&self, text: &str) -> Vec<usize> {
        let letters: Vec<char> = text.chars().map(lower).collect();
        let mut places: Vec<usize> =
            self.words.iter().filter_map(|word| find(word, &letters)).flat_map(|found| found.at).collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}

/// One character for each, so that places stay what they are.
fn lower(character: char) -> char {
    let mut lower = character.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(only), None) => only,
        _ => character,
    }
}

/// The best place of a word.
fn find(word: &[char], text: &[char]) -> Option<WordMatch> {
    let (first, rest) = word.split_first()?;
    let starts = text.iter().enumerate().filter(|(_, letter)| *letter == first).map(|(at, _)| at);
    let found = starts.filter_map(|start| from(start, word, rest, text));
    // Among equals the first one.
    found.reduce(|best, next| if next.score > best.score { next } else { best })
}

fn from(start: usize, word: &[char], rest: &[char], text: &[char]) -> Option<WordMatch> {
    let begins_word = start == 0 || !text[start - 1].is_alphanumeric();
    let start_score = if begins_word { WORD_START_SCORE } else { 0 };
    let end = start + word.len();
    if text.get(start..end) == Some(word) {
        let score = WHOLE_SCORE + start_score + ADJACENT_SCORE * rest.len() as u32;
        return Some(WordMatch { score, at: (start..end).collect() });
    }
    let end = (start + word.len() * STRETCH_MOST).min(text.len());
    let (mut at, mut score) = (vec![start], start_score);
    for letter in rest {
        let last = at.last().copied()?;
        let next = (last + 1..end).find(|place| text[*place] == *letter)?;
        score += if next == last + 1 { ADJACENT_SCORE } else { 0 };
        at.push(next);
    }
    Some(WordMatch { score, at })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(pattern: &str, text: &str) -> Option<u32> {
        FuzzyPattern::new(pattern).score([text])
    }

    #[test]
    fn every_word_must_be_found_somewhere() {
        assert!(score("fix parser", "Fix the date PARSER").is_some());
        assert!(score("parser fix", "fix the date parser").is_some());
        assert!(score("fix lexer", "fix the date parser").is_none());
        assert!(FuzzyPattern::new("back fix").score(["stepback", "fix the parser"]).is_some());
        assert_eq!(score("", "anything"), Some(0));
        assert_eq!(score("x", ""), None);
    }

    #[test]
    fn letters_may_be_left_out_but_not_spread() {
        assert!(score("stpbk", "stepback").is_some());
        assert!(score("sxb", "stepback").is_none());
        assert!(score("fp", "fix all the other things first, then the parser").is_none());
    }

    #[test]
    fn whole_words_at_the_start_of_a_word_fit_best() {
        let ordered = ["the parser", "a reparser", "pxaxrxser"].map(|text| score("parser", text));
        assert!(ordered[0] > ordered[1] && ordered[1] > ordered[2], "{ordered:?}");
    }

    #[test]
    fn places_are_numbers_of_characters() {
        assert_eq!(FuzzyPattern::new("tép").places("La TÉPÉE"), [3, 4, 5]);
        assert_eq!(FuzzyPattern::new("ab b").places("xaxb ab"), [3, 5, 6]);
        assert_eq!(FuzzyPattern::new("İ").places("aİ"), [1], "its lower case has two characters");
    }
}

//! Many short texts in one block of memory, by number.

/// Texts in the order in which they were added.
#[derive(Default)]
pub(crate) struct TextBlock {
    block: String,
    /// Where each text ends.
    ends: Vec<usize>,
}

impl TextBlock {
    /// The number of a text, which is added unless the last one is the same.
    pub(crate) fn push(&mut self, text: &str) -> u32 {
        let last = self.ends.len().checked_sub(1).map(|last| last as u32);
        if let Some(last) = last.filter(|last| self.get(*last) == text) {
            return last;
        }
        self.block.push_str(text);
        self.ends.push(self.block.len());
        last.map_or(0, |last| last + 1)
    }

    pub(crate) fn get(&self, number: u32) -> &str {
        let number = number as usize;
        let from = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.block[from..self.ends[number]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_kept_and_the_last_one_is_shared() {
        let mut texts = TextBlock::default();
        let numbers: Vec<u32> = ["a", "", "", "bc", "a"].iter().map(|text| texts.push(text)).collect();
        assert_eq!(numbers, [0, 1, 1, 2, 3]);
        assert_eq!((texts.get(0), texts.get(1), texts.get(2), texts.get(3)), ("a", "", "bc", "a"));
    }
}

//! Interned strings: ids that occur many times in a file are kept once and compared as numbers.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::Arc;

/// A string of [`Names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Name(NonZeroU32);

impl Name {
    /// Names are numbered from 0 without gaps.
    pub(crate) fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    texts: Vec<Arc<str>>,
    // The keys come from a file, so they are hashed with random keys: nobody can choose ids that collide.
    numbers: HashMap<Arc<str>, Name>,
}

impl Names {
    /// The name of a text. After four billion different ones, all others have the last name.
    pub(crate) fn name(&mut self, text: &str) -> Name {
        if let Some(name) = self.numbers.get(text) {
            return *name;
        }
        let number = u32::try_from(self.texts.len() + 1).ok().and_then(NonZeroU32::new).unwrap_or(NonZeroU32::MAX);
        let (name, text) = (Name(number), Arc::<str>::from(text));
        self.texts.push(Arc::clone(&text));
        self.numbers.insert(text, name);
        name
    }

    /// The text itself, kept once.
    pub(crate) fn shared(&mut self, text: &str) -> Arc<str> {
        let name = self.name(text);
        self.text(name)
    }

    pub(crate) fn find(&self, text: &str) -> Option<Name> {
        self.numbers.get(text).copied()
    }

    pub(crate) fn text(&self, name: Name) -> Arc<str> {
        self.texts.get(name.index()).cloned().unwrap_or_default()
    }

    /// How many names there are.
    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_one_name() {
        let mut names = Names::default();
        let (one, two) = (names.name("a"), names.name("b"));
        assert_eq!((names.name("a"), names.find("b"), names.find("c")), (one, Some(two), None));
        assert_eq!((&*names.text(two), names.len(), two.index()), ("b", 2, 1));
    }
}

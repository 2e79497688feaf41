//! Names in texts: paths of files, identifiers, ids. Words of plain language are left out.

use rustc_hash::FxHashSet;

use crate::json::text::hash_bytes;

/// More words are not kept; from then on everything counts as known.
const MOST_WORDS: usize = 600_000;
const SHORTEST: usize = 6;
/// Longer names are hashes or data.
const LONGEST: usize = 80;
/// A name in plain text counts as a file only with one of these endings.
const ENDINGS: [&str; 58] = [
    "bash", "c", "cc", "cfg", "conf", "cpp", "cs", "css", "csv", "dart", "eex", "env", "erl", "ex", "exs", "go",
    "gradle", "h", "heex", "hpp", "hs", "html", "ini", "ipynb", "java", "js", "json", "jsonl", "jsx", "kt", "lock",
    "lua", "md", "mjs", "ml", "nix", "php", "pl", "proto", "py", "r", "rb", "rs", "scala", "scss", "sh", "sql",
    "svelte", "swift", "tf", "toml", "ts", "tsx", "txt", "vue", "xml", "yaml", "yml",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TermKind {
    File,
    Identifier,
    Prompt,
}

impl TermKind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            TermKind::File => "file",
            TermKind::Identifier => "identifier",
            TermKind::Prompt => "prompt",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Term {
    pub kind: TermKind,
    pub text: Box<str>,
}

impl Term {
    /// What two mentions of it have in common: of a path, the name of the file.
    pub(crate) fn key(&self) -> &str {
        match self.kind {
            TermKind::File => base(&self.text),
            TermKind::Identifier | TermKind::Prompt => &self.text,
        }
    }

    pub(crate) fn hash(&self) -> u64 {
        hash_bytes(self.key().as_bytes())
    }
}

fn base(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

pub(crate) fn is_file(path: &str) -> bool {
    let name = base(path);
    let ending = name.rsplit_once('.').filter(|(name, _)| name.chars().any(char::is_alphanumeric));
    ending.is_some_and(|(_, ending)| ENDINGS.binary_search(&ending.to_ascii_lowercase().as_str()).is_ok())
}

/// Names with a mark of their own: an underscore, or a digit behind a hyphen.
fn is_identifier(word: &str) -> bool {
    let is_long_enough = (SHORTEST..=LONGEST).contains(&word.len());
    let begins_well = word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let has_letters = word.bytes().filter(u8::is_ascii_alphabetic).count() >= 3;
    let has_underscore = word.trim_matches('_').contains('_');
    let is_numbered = word.contains('-') && word.bytes().any(|byte| byte.is_ascii_digit());
    is_long_enough && begins_well && has_letters && (has_underscore || is_numbered)
}

/// Names like `PaneView`: many words of plain language have this form, so they count only as code.
fn is_camel(word: &str) -> bool {
    let inside = || word.bytes().skip(1);
    (SHORTEST..=LONGEST).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && inside().any(|byte| byte.is_ascii_uppercase())
        && inside().any(|byte| byte.is_ascii_lowercase())
}

fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let is_inside = |character: char| character.is_alphanumeric() || matches!(character, '_' | '.' | '/' | '\\' | '-');
    let tokens = text.split(move |character: char| !is_inside(character));
    tokens.map(|token| token.trim_matches(['.', '/', '-', '\\'])).filter(|token| !token.is_empty())
}

/// Calls a function for every name in a text.
pub(crate) fn each(text: &str, found: &mut dyn FnMut(Term)) {
    // Parts between backticks are code: every second one.
    for (number, part) in text.split('`').enumerate() {
        let is_code = number % 2 == 1 && part.len() <= LONGEST;
        for token in tokens(part) {
            if token.contains("://") {
                continue;
            }
            let mut find = |kind, text: &str| found(Term { kind, text: text.into() });
            if is_file(token) {
                find(TermKind::File, token);
            } else if token.contains('-') && is_identifier(token) && !token.contains(['/', '\\']) {
                find(TermKind::Identifier, token);
            } else {
                let words = token.split(['.', '/', '\\', '-']);
                words
                    .filter(|word| is_identifier(word) || (is_code && is_camel(word)))
                    .for_each(|word| find(TermKind::Identifier, word));
            }
        }
    }
}

/// A text in which white space, case and quotes do not matter.
pub(crate) fn normal(text: &str) -> String {
    let words = text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// All words of some texts.
#[derive(Default)]
pub(crate) struct Terms {
    words: FxHashSet<u64>,
}

impl Terms {
    pub(crate) fn add(&mut self, text: &str) {
        for token in tokens(text) {
            if self.words.len() >= MOST_WORDS {
                return;
            }
            self.put(token);
            self.put(base(token));
            token.split(['.', '/', '\\', '-']).filter(|word| word.len() >= SHORTEST).for_each(|word| self.put(word));
        }
    }

    fn put(&mut self, word: &str) {
        if word.len() >= 3 {
            self.words.insert(hash_bytes(word.as_bytes()));
        }
    }

    /// Whether a name is in none of the texts.
    pub(crate) fn may_lack(&self, term: &Term) -> bool {
        self.words.len() < MOST_WORDS && !self.words.contains(&term.hash())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let mut terms = Vec::new();
        each(text, &mut |term| terms.push(format!("{} {}", term.kind.name(), term.key())));
        terms
    }

    #[test]
    fn names_are_paths_identifiers_and_ids() {
        assert!(ENDINGS.is_sorted());
        assert_eq!(found("see src/tui/view.rs, and README.md."), ["file view.rs", "file README.md"]);
        assert_eq!(found("call parse_token() for JIRA-1234"), ["identifier parse_token", "identifier JIRA-1234"]);
        assert_eq!(found("`PaneView` uses `Foo.trace_id`"), ["identifier PaneView", "identifier trace_id"]);
        for plain in ["TypeScript and read/write", "e.g. 2026-10-01, v1.2", "self.trim", "state-of-the-art", "a_b"] {
            assert!(found(plain).is_empty(), "{plain}: {:?}", found(plain));
        }
    }

    #[test]
    fn a_name_is_known_when_any_text_has_it() {
        let mut known = Terms::default();
        known.add("changed lib/pane_view.ex, see spotter-4te.3");
        let mut lacks = Vec::new();
        each("pane_view.ex other/pane_view.ex spotter-4te.3 get_trace_id", &mut |term| {
            if known.may_lack(&term) {
                lacks.push(term.key().to_owned());
            }
        });
        assert_eq!(lacks, ["get_trace_id"]);
        assert_eq!(normal("  Fix the\n\"Parser\", now! "), "fix the parser now");
    }
}

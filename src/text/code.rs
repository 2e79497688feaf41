//! Colours for code: comments, strings, numbers and keywords of common languages, found line by line.

/// What a piece of code is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CodeTone {
    Plain,
    Keyword,
    Literal,
    Comment,
}

/// How a language writes comments, and which words it reserves.
#[derive(Clone, Copy, Debug)]
struct Language {
    names: &'static [&'static str],
    /// What begins a comment up to the end of the line.
    line_comments: &'static [&'static str],
    /// Whether `/*` and `*/` enclose comments.
    has_blocks: bool,
    /// The characters around strings.
    quotes: &'static [char],
    keywords: &'static [&'static str],
}

const LANGUAGES: &[Language] = &[
    Language {
        names: &["rust", "rs"],
        line_comments: &["//"],
        has_blocks: true,
        quotes: &['"'],
        keywords: &[
            "as", "async", "await", "break", "const", "continue", "crate", "else", "enum", "extern", "false", "fn",
            "for", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "self",
            "Self", "static", "struct", "super", "trait", "true", "type", "unsafe", "use", "where", "while",
        ],
    },
    Language {
        names: &["js", "javascript", "jsx", "mjs", "ts", "typescript", "tsx"],
        line_comments: &["//"],
        has_blocks: true,
        quotes: &['"', '\'', '`'],
        keywords: &[
            "async",
            "await",
            "break",
            "case",
            "catch",
            "class",
            "const",
            "continue",
            "default",
            "delete",
            "else",
            "export",
            "extends",
            "false",
            "finally",
            "for",
            "from",
            "function",
            "if",
            "implements",
            "import",
            "in",
            "instanceof",
            "interface",
            "let",
            "new",
            "null",
            "of",
            "return",
            "static",
            "switch",
            "this",
            "throw",
            "true",
            "try",
            "type",
            "typeof",
            "undefined",
            "var",
            "void",
            "while",
            "yield",
        ],
    },
    Language {
        names: &["py", "python", "pyi"],
        line_comments: &["#"],
        has_blocks: false,
        quotes: &['"', '\''],
        keywords: &[
            "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else",
            "except", "False", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "None",
            "nonlocal", "not", "or", "pass", "raise", "return", "self", "True", "try", "while", "with", "yield",
        ],
    },
    Language {
        names: &["sh", "bash", "zsh", "shell", "console"],
        line_comments: &["#"],
        has_blocks: false,
        quotes: &['"', '\''],
        keywords: &[
            "case", "cd", "do", "done", "echo", "elif", "else", "esac", "exit", "export", "fi", "for", "function",
            "if", "in", "local", "return", "set", "then", "until", "while",
        ],
    },
    Language {
        names: &[
            "go", "c", "h", "cc", "cpp", "hpp", "c++", "java", "kt", "kotlin", "swift", "cs", "csharp", "scala", "php",
        ],
        line_comments: &["//"],
        has_blocks: true,
        quotes: &['"', '\'', '`'],
        keywords: &[
            "abstract",
            "auto",
            "bool",
            "boolean",
            "break",
            "case",
            "catch",
            "chan",
            "char",
            "class",
            "const",
            "continue",
            "default",
            "defer",
            "delete",
            "do",
            "double",
            "else",
            "enum",
            "extends",
            "false",
            "final",
            "float",
            "for",
            "fun",
            "func",
            "function",
            "go",
            "guard",
            "if",
            "implements",
            "import",
            "in",
            "include",
            "int",
            "interface",
            "let",
            "long",
            "map",
            "namespace",
            "new",
            "nil",
            "null",
            "override",
            "package",
            "private",
            "protected",
            "public",
            "range",
            "return",
            "select",
            "static",
            "string",
            "struct",
            "super",
            "switch",
            "template",
            "this",
            "throw",
            "true",
            "try",
            "type",
            "typedef",
            "unsigned",
            "using",
            "val",
            "var",
            "virtual",
            "void",
            "while",
        ],
    },
    Language {
        names: &["json", "jsonc", "jsonl", "json5"],
        line_comments: &["//"],
        has_blocks: false,
        quotes: &['"'],
        keywords: &["false", "null", "true"],
    },
    Language {
        names: &[
            "toml",
            "yaml",
            "yml",
            "ini",
            "dockerfile",
            "makefile",
            "mk",
            "nix",
            "rb",
            "ruby",
            "pl",
            "r",
            "jl",
            "ex",
            "exs",
        ],
        line_comments: &["#"],
        has_blocks: false,
        quotes: &['"', '\''],
        keywords: &[
            "begin", "class", "def", "do", "else", "elsif", "end", "false", "if", "in", "let", "module", "nil", "null",
            "on", "require", "return", "self", "then", "true", "unless", "with", "yield",
        ],
    },
    Language {
        names: &["sql", "lua", "hs"],
        line_comments: &["--"],
        has_blocks: false,
        quotes: &['"', '\''],
        keywords: &[
            "AND", "AS", "BY", "CREATE", "DELETE", "DROP", "FROM", "GROUP", "HAVING", "INSERT", "INTO", "IS", "JOIN",
            "LEFT", "LIMIT", "NOT", "NULL", "ON", "OR", "ORDER", "SELECT", "SET", "TABLE", "UPDATE", "VALUES", "WHERE",
            "and", "as", "by", "create", "delete", "do", "else", "end", "from", "function", "group", "if", "insert",
            "into", "is", "join", "left", "limit", "local", "not", "null", "on", "or", "order", "return", "select",
            "set", "table", "then", "update", "values", "where", "while",
        ],
    },
    Language {
        names: &["css", "scss", "less"],
        line_comments: &[],
        has_blocks: true,
        quotes: &['"', '\''],
        keywords: &[],
    },
];

/// Tells the lines of one text in order, since a comment may continue on the next line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CodeReader {
    language: Option<&'static Language>,
    is_in_comment: bool,
}

impl CodeReader {
    /// A language that is not known is not told.
    pub(crate) fn new(language: &str) -> CodeReader {
        let language = language.trim().to_ascii_lowercase();
        let known = LANGUAGES.iter().find(|known| known.names.contains(&language.as_str()));
        CodeReader { language: known, is_in_comment: false }
    }

    /// The pieces of a line, which together are the line.
    pub(crate) fn line<'l>(&mut self, line: &'l str) -> Vec<(CodeTone, &'l str)> {
        let Some(language) = self.language else { return vec![(CodeTone::Plain, line)] };
        let mut pieces: Vec<(CodeTone, &'l str)> = Vec::new();
        let mut rest = line;
        while !rest.is_empty() {
            let (tone, length) = self.piece(language, rest, &line[..line.len() - rest.len()]);
            let (piece, after) = rest.split_at(length);
            match pieces.last_mut() {
                // Neighbours of one tone are one piece.
                Some((last, text)) if *last == tone => {
                    *text = &line[line.len() - rest.len() - text.len()..][..text.len() + length]
                }
                _ => pieces.push((tone, piece)),
            }
            rest = after;
        }
        pieces
    }

    /// The tone and the length of the next piece, which is not empty.
    fn piece(&mut self, language: &Language, rest: &str, before: &str) -> (CodeTone, usize) {
        if self.is_in_comment {
            let end = rest.find("*/").map(|at| at + 2);
            self.is_in_comment = end.is_none();
            return (CodeTone::Comment, end.unwrap_or(rest.len()));
        }
        if language.has_blocks && rest.starts_with("/*") {
            let end = rest[2..].find("*/").map(|at| at + 4);
            self.is_in_comment = end.is_none();
            return (CodeTone::Comment, end.unwrap_or(rest.len()));
        }
        let is_apart = before.chars().next_back().is_none_or(char::is_whitespace);
        // In shells, `#` inside of a word is not a comment.
        if language.line_comments.iter().any(|mark| rest.starts_with(mark) && (*mark != "#" || is_apart)) {
            return (CodeTone::Comment, rest.len());
        }
        let Some(first) = rest.chars().next() else { return (CodeTone::Plain, 0) };
        if language.quotes.contains(&first) {
            return (CodeTone::Literal, string_end(rest, first));
        }
        let word = rest.find(|character: char| !character.is_alphanumeric() && character != '_').unwrap_or(rest.len());
        if word == 0 {
            return (CodeTone::Plain, first.len_utf8());
        }
        let tone = match first.is_ascii_digit() {
            true => CodeTone::Literal,
            false if language.keywords.contains(&&rest[..word]) => CodeTone::Keyword,
            false => CodeTone::Plain,
        };
        (tone, word)
    }
}

/// The end of a string that begins here, or of the line.
fn string_end(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            character if character == quote => return at + character.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn told(language: &str, text: &str) -> Vec<(CodeTone, String)> {
        let mut reader = CodeReader::new(language);
        text.lines().flat_map(|line| reader.line(line)).map(|(tone, text)| (tone, text.to_owned())).collect()
    }

    #[test]
    fn code_is_told_by_its_language() {
        use CodeTone::{Comment, Keyword, Literal, Plain};
        let part = |tone, text: &str| (tone, text.to_owned());
        assert_eq!(
            told("Rust", "let a = \"x\\\"y\"; // no"),
            [
                part(Keyword, "let"),
                part(Plain, " a = "),
                part(Literal, "\"x\\\"y\""),
                part(Plain, "; "),
                part(Comment, "// no")
            ]
        );
        assert_eq!(
            told("c", "/* a\nb */ 12"),
            [part(Comment, "/* a"), part(Comment, "b */"), part(Plain, " "), part(Literal, "12")]
        );
        assert_eq!(told("sh", "a#b #c")[..], [part(Plain, "a#b "), part(Comment, "#c")]);
        assert_eq!(told("what", "let a"), [part(Plain, "let a")]);
    }

    proptest! {
        #[test]
        fn pieces_are_the_line(language in "rust|js|py|sh|c|json|yaml|sql|css", line in "[ -~é日/*\"'#`]{0,60}") {
            let mut reader = CodeReader::new(&language);
            for _ in 0..2 {
                let pieces = reader.line(&line);
                let joined: String = pieces.iter().map(|(_, text)| *text).collect();
                prop_assert_eq!(&joined, &line);
                prop_assert!(pieces.iter().all(|(_, text)| !text.is_empty()));
            }
        }
    }
}

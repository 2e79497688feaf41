//! Markdown for terminals, line by line: headings, lists, quotes, fences, and emphasis within a line.
//!
//! A line of the text stays a line: models and people break their lines where they want them.

/// What a piece of a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inline {
    Plain,
    Strong,
    Emphasis,
    Code,
    /// The address of a link.
    Address,
}

/// What a line is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MarkdownLine<'t> {
    Text(Vec<(Inline, &'t str)>),
    Heading(Vec<(Inline, &'t str)>),
    /// An item of a list: how far it is indented, its mark, and its text.
    Item {
        indent: usize,
        mark: &'t str,
        text: Vec<(Inline, &'t str)>,
    },
    Quote(Vec<(Inline, &'t str)>),
    /// The fence before a block of code, with the name of its language.
    Fence(&'t str),
    /// A line of code; the fence before it says in which language.
    Code(&'t str),
    /// The fence after a block of code.
    FenceEnd,
    Rule,
}

/// Reads the lines of one text in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct MarkdownReader {
    /// The fence that is open: its character and length.
    fence: Option<(u8, usize)>,
}

impl MarkdownReader {
    pub(crate) fn line<'t>(&mut self, line: &'t str) -> MarkdownLine<'t> {
        let inside = line.trim_start();
        let indent = line.len() - inside.len();
        if let Some((mark, length)) = self.fence {
            return match fence(inside) {
                Some((other, found, "")) if other == mark && found >= length => {
                    self.fence = None;
                    MarkdownLine::FenceEnd
                }
                _ => MarkdownLine::Code(line),
            };
        }
        if let Some((mark, length, language)) = fence(inside) {
            self.fence = Some((mark, length));
            return MarkdownLine::Fence(language);
        }
        if let Some(heading) = heading(inside).filter(|_| indent < 4) {
            return MarkdownLine::Heading(inlines(heading));
        }
        if is_rule(inside) {
            return MarkdownLine::Rule;
        }
        if let Some(quote) = inside.strip_prefix('>') {
            return MarkdownLine::Quote(inlines(quote.strip_prefix(' ').unwrap_or(quote)));
        }
        match item(inside) {
            Some((mark, text)) => MarkdownLine::Item { indent, mark, text: inlines(text) },
            None => MarkdownLine::Text(inlines(line)),
        }
    }
}

/// A fence: its character, its length, and the text after it.
fn fence(line: &str) -> Option<(u8, usize, &str)> {
    let mark = line.bytes().next().filter(|byte| matches!(byte, b'`' | b'~'))?;
    let length = line.bytes().take_while(|byte| *byte == mark).count();
    let after = line[length..].trim();
    (length >= 3 && !after.contains('`')).then_some((mark, length, after))
}

fn heading(line: &str) -> Option<&str> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let text = line.get(level..).filter(|_| (1..=6).contains(&level))?;
    text.strip_prefix(' ').map(|text| text.trim_end_matches([' ', '#']))
}

fn is_rule(line: &str) -> bool {
    let marks = line.bytes().filter(|byte| *byte != b' ').count();
    marks >= 3 && ["-", "*", "_"].iter().any(|mark| line.replace(' ', "") == mark.repeat(marks))
}

/// The mark of an item, with a box if it is a task, and its text.
fn item(line: &str) -> Option<(&str, &str)> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let mark = match (digits, line.as_bytes().get(digits)?) {
        (0, b'-' | b'*' | b'+') => 1,
        (1..=9, b'.' | b')') => digits + 1,
        _ => return None,
    };
    if line.as_bytes().get(mark) != Some(&b' ') {
        return None;
    }
    let after = &line[mark + 1..];
    let is_task = after.len() >= 4 && after.starts_with('[') && after[1..].get(1..3) == Some("] ");
    let end = if is_task { mark + 5 } else { mark + 1 };
    Some((line[..end].trim_end(), &line[end..]))
}

/// The pieces of a line without their marks.
fn inlines(text: &str) -> Vec<(Inline, &str)> {
    let mut pieces = Vec::new();
    let (mut from, mut at) = (0, 0);
    while at < text.len() {
        let before = text[..at].chars().next_back();
        let rest = &text[at..];
        match marked(rest, before) {
            Some(Marked { kind, inside, length }) => {
                push(&mut pieces, Inline::Plain, &text[from..at]);
                match kind {
                    Inline::Address => {
                        let (words, address) = inside.split_once("](").unwrap_or((inside, ""));
                        push(&mut pieces, Inline::Plain, words);
                        push(&mut pieces, Inline::Plain, " ");
                        push(&mut pieces, Inline::Address, address);
                    }
                    kind => push(&mut pieces, kind, inside),
                }
                at += length;
                from = at;
            }
            None => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    push(&mut pieces, Inline::Plain, &text[from..]);
    pieces
}

fn push<'t>(pieces: &mut Vec<(Inline, &'t str)>, kind: Inline, text: &'t str) {
    if !text.is_empty() {
        pieces.push((kind, text));
    }
}

/// Text between marks.
struct Marked<'t> {
    kind: Inline,
    inside: &'t str,
    /// With its marks.
    length: usize,
}

/// No mark is searched farther than this, so that a line of many marks takes linear time.
const FAR: usize = 2_000;

fn marked(rest: &str, before: Option<char>) -> Option<Marked<'_>> {
    let first = rest.bytes().next()?;
    let is_in_word = before.is_some_and(char::is_alphanumeric);
    match first {
        b'`' => {
            let length = rest.bytes().take_while(|byte| *byte == b'`').count();
            let inside = &near(rest)[length.min(near(rest).len())..];
            let end = inside.find(&rest[..length])?;
            let inside = Some(&inside[..end]).filter(|inside| !inside.is_empty())?;
            Some(Marked { kind: Inline::Code, inside, length: end + 2 * length })
        }
        b'*' | b'_' if !(first == b'_' && is_in_word) => {
            let is_double = rest.as_bytes().get(1) == Some(&first);
            // Names such as `__init__` are more frequent than emphasis by two underscores.
            if is_double && first == b'_' {
                return None;
            }
            let mark = &rest[..if is_double { 2 } else { 1 }];
            let inside = near(rest).strip_prefix(mark)?;
            let end = closing(inside, mark)?;
            let kind = if is_double { Inline::Strong } else { Inline::Emphasis };
            Some(Marked { kind, inside: &inside[..end], length: end + 2 * mark.len() })
        }
        b'[' => {
            let end = near(rest).find(')')?;
            let inside = &rest[1..end];
            let (words, address) = inside.split_once("](")?;
            let is_link = !words.is_empty() && !address.is_empty() && !words.contains(['[', ']']);
            is_link.then_some(Marked { kind: Inline::Address, inside, length: end + 1 })
        }
        _ => None,
    }
}

fn near(text: &str) -> &str {
    let end = (0..=FAR.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[..end]
}

/// Where emphasis ends: at a mark that stands right after a word.
fn closing(inside: &str, mark: &str) -> Option<usize> {
    if inside.starts_with(char::is_whitespace) {
        return None;
    }
    let is_end = |at: &usize| {
        let (before, after) = (inside[..*at].chars().next_back(), inside[*at + mark.len()..].chars().next());
        let ends_word = before.is_some_and(|before| !before.is_whitespace() && !mark.contains(before));
        let goes_on = after.is_some_and(|after| mark.contains(after));
        let is_in_word = mark.starts_with('_') && after.is_some_and(char::is_alphanumeric);
        ends_word && !goes_on && !is_in_word
    };
    inside.match_indices(mark).map(|(at, _)| at).find(is_end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn line(text: &str) -> MarkdownLine<'_> {
        MarkdownReader::default().line(text)
    }

    #[test]
    fn lines_are_told_apart() {
        let plain = |text| vec![(Inline::Plain, text)];
        for (text, expected) in [
            ("## A heading ##", MarkdownLine::Heading(plain("A heading"))),
            ("#hashtag", MarkdownLine::Text(plain("#hashtag"))),
            ("  - one", MarkdownLine::Item { indent: 2, mark: "-", text: plain("one") }),
            ("12. two", MarkdownLine::Item { indent: 0, mark: "12.", text: plain("two") }),
            ("- [x] done", MarkdownLine::Item { indent: 0, mark: "- [x]", text: plain("done") }),
            ("-flag", MarkdownLine::Text(plain("-flag"))),
            ("> said", MarkdownLine::Quote(plain("said"))),
            ("* * *", MarkdownLine::Rule),
            ("---", MarkdownLine::Rule),
            ("```rust", MarkdownLine::Fence("rust")),
            ("", MarkdownLine::Text(vec![])),
        ] {
            assert_eq!(line(text), expected, "{text}");
        }
    }

    #[test]
    fn a_fence_ends_where_another_like_it_stands() {
        let mut reader = MarkdownReader::default();
        let lines: Vec<_> = ["````", "# no", "```", "````", "# yes"].iter().map(|line| reader.line(line)).collect();
        assert_eq!(lines[1..4], [MarkdownLine::Code("# no"), MarkdownLine::Code("```"), MarkdownLine::FenceEnd]);
        assert_eq!(lines[4], MarkdownLine::Heading(vec![(Inline::Plain, "yes")]));
    }

    #[test]
    fn emphasis_needs_words_at_its_marks() {
        use Inline::{Address, Code, Emphasis, Plain, Strong};
        assert_eq!(
            inlines("a **b c** *d* `e*f*` g"),
            [
                (Plain, "a "),
                (Strong, "b c"),
                (Plain, " "),
                (Emphasis, "d"),
                (Plain, " "),
                (Code, "e*f*"),
                (Plain, " g"),
            ]
        );
        for text in ["2 * 3 * 4", "snake_case_name", "**", "`", "a ** b", "__init__.py", "[x]", "5 > 3"] {
            let joined: String = inlines(text).iter().map(|(_, text)| *text).collect();
            assert_eq!(joined, text);
        }
        assert_eq!(inlines("[the docs](https://x.y)"), [(Plain, "the docs"), (Plain, " "), (Address, "https://x.y")]);
    }

    proptest! {
        /// Nothing panics, and what is not a mark stays.
        #[test]
        fn letters_stay(text in "[a-z *_`#>\\[\\]()~\\-é日]{0,80}") {
            let pieces = inlines(&text);
            let letters = |text: &str| text.chars().filter(|character| character.is_alphanumeric()).collect::<String>();
            let joined: String = pieces.iter().map(|(_, text)| *text).collect();
            prop_assert_eq!(letters(&joined), letters(&text));
            MarkdownReader::default().line(&text);
        }
    }
}

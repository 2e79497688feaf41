//! Assignments to sensitive names in texts: shells, settings, code, dumps and markup.
//!
//! A pattern finds a name and what separates it from its value; the value is read by hand. So a value that is not a secret
//! can itself hold the next name, and the cost stays linear.

use std::ops::Range;

use regex::Regex;

use super::name::{is_folder, is_password, is_sensitive, is_suspect};
use super::value::{is_digest, is_generated, is_no_secret, is_random};

/// How far a value is followed. Bounded, since a text may hold many names in a row.
const FOLLOWED_BYTES: usize = 512;
/// Of a value without quotes, this many bytes decide whether it is a secret.
const BARE_BYTES: usize = 256;
/// Only the end of a longer name is read.
const NAME_LIMIT_BYTES: usize = 64;

/// Every sensitive or suspect name has one of these parts.
const PARTS: &str = "pass|pwd|pw|psw|secret|token|key|cred|auth|psk|mnemonic|phrase|sess|jwt";
/// Others are too short, and count only as words of their own.
const SHORT_PARTS: &str = "sid|sas|otp|totp|pepper|connection_?string";
/// A text without any of these holds none of the parts.
pub(crate) const TRIGGERS: [&str; 26] = [
    "pass",
    "pwd",
    "pw=",
    "pw:",
    "pw\"",
    "pw'",
    "pw ",
    "_pw",
    "psw",
    "secret",
    "token",
    "key",
    "cred",
    "auth",
    "psk",
    "mnemonic",
    "phrase",
    "sess",
    "jwt",
    "sid=",
    "sid\"",
    "sas=",
    "otp=",
    "otp\"",
    "pepper",
    "connection",
];

pub(crate) struct Assignments {
    names: Regex,
}

/// A name, what follows it, and its value.
struct FoundAssignment<'t> {
    text: &'t str,
    name: Range<usize>,
    /// From the end of the name to the value.
    between: &'t str,
    sign: AssignmentSign,
    value: AssignedValue,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AssignmentSign {
    /// `=`, `:`, `=>`, `:=`, or a comparison.
    Assigns,
    /// Blanks, as after an option.
    Blank,
    /// A comma, as between the arguments of a call.
    Comma,
    /// The member `value` that follows the member `name`.
    Pair,
    /// The end of a tag: `<password>`.
    Tag,
}

struct AssignedValue {
    range: Range<usize>,
    is_quoted: bool,
    is_closed: bool,
}

impl AssignedValue {
    /// Follows a long value to its end.
    fn complete(&mut self, text: &str) {
        if !self.is_quoted && self.range.len() >= BARE_BYTES {
            self.range.end += bare_length(&text[self.range.end..], usize::MAX);
        }
    }
}

impl Assignments {
    pub(crate) fn new() -> Result<Assignments, regex::Error> {
        let pattern = [
            r"(?i-u:([a-z0-9_.-]*(?:",
            PARTS,
            r"|(?:\b|[_-])(?:",
            SHORT_PARTS,
            r#"))[a-z0-9_.-]*)"#,
            // The member `value` after the member `name`; the arguments of a call; a tag; an assignment; blanks.
            r#"(?:(["']?[ \t]*[,;]?[ \t\r\n]*["']?val(?:ue)?["']?[ \t]*[:=][ \t]*)"#,
            r#"|(["'][ \t]*,[ \t\r\n]*)"#,
            r#"|(["']?>)"#,
            r#"|(["'`]?\]?[ \t]{0,4}(?::=|=>|={1,3}|:)[ \t]{0,4}(?:\r?\n[ \t]{1,40})?)"#,
            r#"|(["']?[ \t]+)))"#,
        ]
        .concat();
        Ok(Assignments { names: Regex::new(&pattern)? })
    }

    /// Calls `each` with every secret and whether its name is that of a password.
    pub(crate) fn find(&self, text: &str, mut each: impl FnMut(Range<usize>, bool)) {
        const SIGNS: [AssignmentSign; 5] = [
            AssignmentSign::Pair,
            AssignmentSign::Comma,
            AssignmentSign::Tag,
            AssignmentSign::Assigns,
            AssignmentSign::Blank,
        ];
        let mut from = 0;
        while let Some(found) = self.names.captures_at(text, from) {
            let (Some(whole), Some(name)) = (found.get(0), found.get(1)) else { return };
            from = whole.end();
            let Some((at, sign)) = (2..).zip(SIGNS).find(|(at, _)| found.get(*at).is_some()) else { continue };
            let between = found.get(at).map_or("", |between| between.as_str());
            let Some(value) = value_at(text, whole.end(), sign) else { continue };
            let mut found = FoundAssignment { text, name: shortened(text, name.range()), between, sign, value };
            if found.is_secret() {
                found.value.complete(text);
                let is_password = is_password(found.bare_name());
                from = found.value.range.end;
                // Both count, since either may be the secret.
                let more = found.widened();
                each(found.value.range, is_password);
                if let Some(more) = more {
                    each(more, is_password);
                }
            }
        }
    }
}

fn shortened(text: &str, name: Range<usize>) -> Range<usize> {
    let from = name.end.saturating_sub(NAME_LIMIT_BYTES).max(name.start);
    debug_assert!(text.is_char_boundary(from), "names are ASCII");
    from..name.end
}

/// What Rust, Python and others print or write around a string.
const WRAPPERS: [&str; 14] = [
    "Some(",
    "Ok(",
    "String::from(",
    "Secret(",
    "SecretString(",
    "SecretStr(",
    "Secret::new(",
    "SecretString::new(",
    "SecretString::from(",
    "Zeroizing::new(",
    "Password(",
    "Box::new(",
    "bytes(",
    "new String(",
];

/// The value that begins at a position. An unclosed quote ends with its line.
fn value_at(text: &str, from: usize, sign: AssignmentSign) -> Option<AssignedValue> {
    let bytes = text.as_bytes();
    let mut at = from;
    if let Some(wrapper) = WRAPPERS.iter().find(|wrapper| text[at..].starts_with(**wrapper)) {
        at += wrapper.len();
    }
    let letters =
        bytes[at..].iter().take(3).take_while(|byte| byte.is_ascii_alphabetic() || b"@$#".contains(byte)).count();
    if matches!(bytes.get(at + letters), Some(b'"' | b'\'')) {
        at += letters;
    }
    let is_quote = |byte: &u8| matches!(byte, b'"' | b'\'' | b'`');
    if let Some(quote) = bytes.get(at).copied().filter(is_quote) {
        let start = at + 1;
        let mut end = start;
        while let Some(byte) = bytes.get(end).copied().filter(|byte| *byte != quote && *byte >= b' ') {
            end += 1 + usize::from(byte == b'\\' && bytes.get(end + 1).is_some_and(|next| *next >= b' '));
        }
        let end = (end.min(bytes.len())..=bytes.len()).find(|at| text.is_char_boundary(*at))?;
        let is_closed = bytes.get(end) == Some(&quote);
        return (end > start).then_some(AssignedValue { range: start..end, is_quoted: true, is_closed });
    }
    if sign == AssignmentSign::Comma {
        return None;
    }
    let length = bare_length(&text[from..], BARE_BYTES);
    let value = text[from..from + length].trim_end_matches('`');
    let is_nothing = value.bytes().all(|byte| matches!(byte, b'\\' | b'(' | b'='));
    (!is_nothing).then(|| AssignedValue { range: from..from + value.len(), is_quoted: false, is_closed: false })
}

/// The length of a value without quotes, if it ends within `limit` bytes; else about that.
fn bare_length(rest: &str, limit: usize) -> usize {
    let is_end = |(at, letter): (usize, char)| {
        let ends = letter.is_whitespace() || letter.is_control() || "\"'&;,|)}]<>(".contains(letter);
        at >= limit || (ends && !(at == 0 && letter == '('))
    };
    rest.char_indices().find(|found| is_end(*found)).map_or(rest.len(), |(at, _)| at)
}

fn digits(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

impl<'t> FoundAssignment<'t> {
    fn name(&self) -> &'t str {
        &self.text[self.name.clone()]
    }

    fn bare_name(&self) -> &'t str {
        self.name().trim_start_matches(['-', '.', '_'])
    }

    fn value(&self) -> &'t str {
        &self.text[self.value.range.clone()]
    }

    /// The text before the name, on its line.
    fn before(&self) -> &'t str {
        let from = self.name.start.saturating_sub(FOLLOWED_BYTES);
        let from = (from..=self.name.start).find(|at| self.text.is_char_boundary(*at)).unwrap_or(self.name.start);
        let near = &self.text[from..self.name.start];
        near.rsplit('\n').next().unwrap_or(near)
    }

    /// Code and prose are full of sensitive names that are followed by something harmless.
    fn is_secret(&self) -> bool {
        let (name, value) = (self.bare_name(), self.value());
        if is_no_secret(value) || is_folder(name, value) || self.is_placeholder() {
            return false;
        }
        if !is_sensitive(name) {
            let is_told = self.sign != AssignmentSign::Blank || self.is_option() || self.is_statement();
            let is_hash = name.to_ascii_lowercase().ends_with("key") && is_digest(value);
            return is_told && is_suspect(name) && is_generated(value) && !is_hash && !self.is_code();
        }
        match self.sign {
            AssignmentSign::Blank => (self.is_option() && !value.starts_with('-')) || self.is_statement(),
            AssignmentSign::Comma => self.is_argument(),
            AssignmentSign::Pair => self.is_named_pair(),
            AssignmentSign::Tag => self.is_tag(),
            AssignmentSign::Assigns if self.value.is_quoted => {
                // An unclosed quote may end an earlier string: `"token=" + name`.
                self.value.is_closed || !value.starts_with([' ', ')', ',', '+', ';', '.'])
            }
            AssignmentSign::Assigns => self.is_assigned(),
        }
    }

    fn is_option(&self) -> bool {
        self.name().starts_with('-') || self.before().ends_with('-')
    }

    /// `setx NAME value`, `ENV NAME value`, `config set NAME value`; `requirepass value` at the start of a line.
    fn is_statement(&self) -> bool {
        const VERBS: [&str; 12] = [
            "setx",
            "setenv",
            "ENV",
            "set -x",
            "set -gx",
            "set -Ux",
            "set -xg",
            "config set",
            "configure set",
            "secrets set",
            "config --global",
            "git config",
        ];
        let before = self.before().trim_end_matches(['"', '\'']).trim_end();
        let is_setting = matches!(self.bare_name(), "requirepass" | "masterauth");
        let is_own_line = is_setting && (before.is_empty() || digits(self.value()));
        // The section of a setting may be before its last word: `//registry.example/:_authToken`.
        let section = before.rsplit_once([' ', '\t']).map_or("", |(front, _)| front.trim_end());
        let is_verb = |text: &str| {
            VERBS.iter().any(|verb| {
                text.strip_suffix(verb)
                    .is_some_and(|front| !front.ends_with(|last: char| last.is_alphanumeric() || last == '_'))
            })
        };
        is_own_line || is_verb(before) || (before.ends_with([':', '.', '/']) && is_verb(section))
    }

    /// `define('DB_PASSWORD', 'x')`: a call that sets something, or a value that cannot be anything else.
    fn is_argument(&self) -> bool {
        const VERBS: [&str; 9] = ["define", "set", "put", "add", "append", "insert", "header", "export", "with"];
        let Some(front) = self.before().trim_end_matches(['"', '\'']).trim_end().strip_suffix('(') else {
            return false;
        };
        let start = front.rfind(|letter: char| !(letter.is_alphanumeric() || letter == '_')).map_or(0, |at| at + 1);
        let verb = front.get(start..).unwrap_or_default().to_ascii_lowercase();
        let is_setting = VERBS.iter().any(|known| verb.starts_with(known) || verb.ends_with(known));
        self.value.is_closed && ((is_setting && !self.value().contains(' ')) || is_generated(self.value()))
    }

    /// The name is the value of a member `name` or `key`.
    fn is_named_pair(&self) -> bool {
        let before = self.before().trim_end_matches(['"', '\'', ' ', '\t']);
        let Some(front) = before.strip_suffix([':', '=']) else { return false };
        let front = front.trim_end_matches(['"', '\'', ' ', '\t']).to_ascii_lowercase();
        ["name", "key", "variable", "var"].iter().any(|word| front.ends_with(word))
    }

    /// `<password>x</password>` and `<entry name="password">x</entry>`.
    fn is_tag(&self) -> bool {
        let is_inside = self.before().rsplit(['>', '\n']).next().is_some_and(|tag| tag.contains('<'));
        is_inside && self.text[self.value.range.end..].starts_with("</")
    }

    fn is_assigned(&self) -> bool {
        let (value, sign) = (self.value(), self.between.trim());
        if self.between.contains('\n') {
            return self.is_on_its_own_line() && sign == ":" && value.len() >= 6 && digits(value);
        }
        if self.is_code() || (value.starts_with('(') && !is_of_a_shell(self.name())) {
            return false;
        }
        let is_short = matches!(self.bare_name().to_ascii_lowercase().as_str(), "pass" | "pw");
        let is_count = value.bytes().all(|byte| byte.is_ascii_digit()) && value.len() < 6;
        let is_tight = sign == self.between && sign.starts_with('=');
        match is_tight {
            // Counts of tests that pass.
            true => !((is_path(value) && value.contains('.')) || (is_short && is_count)),
            false if is_short => is_random(value),
            false => (value.len() >= 6 && digits(value)) || is_generated(value),
        }
    }

    /// `next(…)`, `parts[0]` and `self.token`.
    fn is_code(&self) -> bool {
        if self.value.is_quoted {
            return false;
        }
        let value = self.value();
        let is_indexed = value
            .split_once('[')
            .is_some_and(|(name, _)| name.bytes().all(|byte| byte.is_ascii_lowercase() || b"_.".contains(&byte)));
        let is_called = matches!(self.text.as_bytes().get(self.value.range.end), Some(b'(' | b'['));
        let last = value.rsplit(['.', ':']).next().unwrap_or(value);
        is_called || (is_indexed && !is_of_a_shell(self.name())) || (is_path(value) && is_sensitive(last))
    }

    /// A variable or a placeholder of a template: `%s`, `${…}`, `{{ … }}`, `$(…)`.
    fn is_placeholder(&self) -> bool {
        let value = self.value();
        let is_small = |name: &str| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        let most = self.text.len().min(self.value.range.end + FOLLOWED_BYTES);
        let rest = &self.text.as_bytes()[self.value.range.start..most];
        let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let is_closed = |open: &str, close: u8| line.starts_with(open.as_bytes()) && line.contains(&close);
        value.strip_prefix('$').is_some_and(is_small)
            || (value.len() == 2 && value.starts_with('%'))
            || is_closed("${", b'}')
            || is_closed("{{", b'}')
            || is_closed("$(", b')')
    }

    /// As in YAML: there is nothing before the name, and nothing after the value.
    fn is_on_its_own_line(&self) -> bool {
        let mut after = self.text[self.value.range.end..].bytes();
        self.before().bytes().all(|byte| b" \t-\"'".contains(&byte))
            && matches!(after.next(), None | Some(b'\n' | b'\r'))
            && !self.value().ends_with(':')
    }

    /// The value of a shell variable, or of a line of settings, extends to the next blank, whatever is in it.
    fn widened(&self) -> Option<Range<usize>> {
        let secret = &self.value.range;
        let before = self.text[..self.name.start].bytes().next_back();
        let is_line = matches!(before, None | Some(b'\n'));
        let is_variable = is_of_a_shell(self.name()) && (is_line || matches!(before, Some(b' ' | b'\t')));
        if self.between != "=" || self.value.is_quoted || !(is_variable || is_line) {
            return None;
        }
        let most = (secret.end + FOLLOWED_BYTES).min(self.text.len());
        let most = (secret.end..=most).rev().find(|at| self.text.is_char_boundary(*at))?;
        let rest = &self.text[secret.end..most];
        let mut end = 0;
        let mut letters = rest.char_indices().peekable();
        while let Some((at, letter)) = letters.next() {
            // An escaped quote ends a string around all of this.
            let is_end = |letter: char| letter.is_whitespace() || letter.is_control() || letter == '"';
            let is_escape = letter == '\\' && letters.peek().is_none_or(|(_, next)| is_end(*next) || *next == '\\');
            if is_end(letter) || is_escape {
                break;
            }
            end = at + letter.len_utf8();
        }
        let more = rest[..end].trim_end_matches(['\'', ',', ';', ')', ']', '}', '&', '|', '<', '>', '`']);
        // Code that begins a line, such as `token=next(x)`.
        let is_code = !is_variable && more.contains('(');
        (!more.is_empty() && !is_code).then(|| secret.start..secret.end + more.len())
    }
}

fn is_path(value: &str) -> bool {
    !digits(value) && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.:*&".contains(&byte))
}

fn is_of_a_shell(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

//! The redaction pass over JSON: the names above a value decide whether it is a secret.

use std::collections::HashMap;
use std::ops::Range;

use super::client::CommandLine;
use super::layer::{self, Decoded};
use super::name;
use super::pass::{DescribePath, Named, RedactionPass};
use super::replacement::{Replacement, applied_text, outward};
use super::rule::FIELD;
use super::value;
use crate::json::token::{Token, TokenKind, Tokens};

/// Numbers of at least this many digits are hidden under a sensitive name. Shorter ones are counts.
const NUMBER_FROM_DIGITS: usize = 4;
/// How many steps of a path are written out. Deeper ones are abbreviated.
const PATH_LIMIT: usize = 48;
/// Members whose values are keywords of a log format, which are needed to decode events.
const FORMAT_KEYS: [&str; 9] = ["event_type", "type", "kind", "phase", "source", "mode", "role", "verdict", "strategy"];

/// An open object or array: where it is, and what the names above and inside it mean.
#[derive(Default)]
struct OpenValue {
    layout: ValueLayout,
    /// A sensitive name is above it, so its members may be secrets, and its `value` is one.
    is_below_secret: bool,
    cookies: Cookies,
    /// The last member's name, without secrets.
    key: String,
    role: KeyRole,
    /// The position of the next value.
    index: usize,
    next: NextValue,
    /// Its member `name` is a sensitive name.
    names_secret: bool,
    /// Its member `value`, if that came before the name.
    early_value: Option<Range<usize>>,
    /// The strings of an array, which may be the words of a command line.
    command: CommandLine,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum ValueLayout {
    Object,
    #[default]
    List,
    /// Names of headers alternate with their values.
    HeaderList,
    /// An array in an array, which may be a name and its value.
    Pair,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Cookies {
    #[default]
    None,
    /// Each member is a cookie.
    Jar,
    /// One cookie of a list, with its name and value as members.
    One,
}

/// What is known about the value that comes next.
#[derive(Clone, Copy, Default)]
struct NextValue {
    secrecy: Secrecy,
    named: Named,
    /// It is a keyword of the log format, needed to decode events.
    is_format: bool,
    /// It is a user name and a password, separated by a colon.
    is_login: bool,
}

/// Whether a value is a secret because of its name.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Secrecy {
    #[default]
    Plain,
    IfRandom,
    /// The name only may hold a secret.
    IfGenerated {
        /// A digest under such a name is not a secret.
        or_digest: bool,
    },
    Secret,
    /// The name may mean the working folder (`pwd`).
    UnlessFolder {
        or_random: bool,
    },
}

impl Secrecy {
    fn of(is_sensitive: bool, is_suspect: bool) -> Secrecy {
        match (is_sensitive, is_suspect) {
            (true, _) => Secrecy::Secret,
            (false, true) => Secrecy::IfRandom,
            (false, false) => Secrecy::Plain,
        }
    }

    fn is_sensitive(self) -> bool {
        matches!(self, Secrecy::Secret | Secrecy::UnlessFolder { .. })
    }

    fn hides(self, text: &str) -> bool {
        match self {
            Secrecy::Plain => false,
            Secrecy::IfRandom => value::is_random(text),
            Secrecy::IfGenerated { or_digest } => value::is_generated(text) && (or_digest || !value::is_digest(text)),
            Secrecy::Secret => true,
            Secrecy::UnlessFolder { or_random } => {
                !name::is_folder("pwd", text) || (or_random && value::is_random(text))
            }
        }
    }
}

/// What the last member's name says about the next value.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum KeyRole {
    #[default]
    Other,
    /// The value is a name; the value of that name is another member.
    Name,
    Value,
    /// Its members may be secrets.
    Holder,
    Headers,
    Cookies,
}

impl KeyRole {
    fn of(key: &str) -> KeyRole {
        if key.len() > 128 {
            return KeyRole::Other;
        }
        match key.to_ascii_lowercase().as_str() {
            "name" | "key" | "variable" | "var" | "parameterkey" => KeyRole::Name,
            "value" | "values" | "val" | "parametervalue" => KeyRole::Value,
            "cookies" => KeyRole::Cookies,
            lower if lower.ends_with("headers") => KeyRole::Headers,
            _ if name::is_holder(key) => KeyRole::Holder,
            _ => KeyRole::Other,
        }
    }
}

/// Everything that follows from a member's name alone. Logs repeat few names, so this is computed once for each.
#[derive(Clone, Copy)]
pub(crate) struct MemberName {
    role: KeyRole,
    is_sensitive: bool,
    is_descriptive: bool,
    is_folder: bool,
    is_format: bool,
    /// If the name is not sensitive.
    suspicion: Secrecy,
    named: Named,
}

impl MemberName {
    fn of(key: &str) -> MemberName {
        let or_digest = !key.to_ascii_lowercase().ends_with("key");
        MemberName {
            role: KeyRole::of(key),
            is_sensitive: name::is_sensitive(key),
            is_descriptive: name::is_descriptive(key),
            is_folder: name::is_folder(key, "/"),
            is_format: FORMAT_KEYS.contains(&key),
            suspicion: if name::is_suspect(key) { Secrecy::IfGenerated { or_digest } } else { Secrecy::Plain },
            named: Named::by(key),
        }
    }
}

/// The names that were seen.
#[derive(Default)]
pub(crate) struct MemberNames {
    known: HashMap<String, MemberName>,
}

impl MemberNames {
    /// More names than this are those of data, not of a format.
    const KNOWN_UP_TO: usize = 4096;

    fn get(&mut self, key: &str) -> MemberName {
        if let Some(known) = self.known.get(key) {
            return *known;
        }
        let name = MemberName::of(key);
        if self.known.len() < MemberNames::KNOWN_UP_TO && key.len() <= 128 {
            self.known.insert(key.to_owned(), name);
        }
        name
    }
}

impl OpenValue {
    fn below(parent: Option<&OpenValue>, is_object: bool) -> OpenValue {
        let Some(parent) = parent else {
            return OpenValue {
                layout: if is_object { ValueLayout::Object } else { ValueLayout::List },
                ..OpenValue::default()
            };
        };
        let is_in_list = parent.layout != ValueLayout::Object;
        let is_plain = matches!(parent.next.secrecy, Secrecy::Plain | Secrecy::IfGenerated { .. });
        let is_below_secret = !is_plain || parent.role == KeyRole::Holder;
        let layout = match is_object {
            true => ValueLayout::Object,
            false if is_in_list => ValueLayout::Pair,
            false if parent.role == KeyRole::Headers => ValueLayout::HeaderList,
            false => ValueLayout::List,
        };
        let cookies = match parent.cookies {
            _ if parent.role == KeyRole::Cookies => Cookies::Jar,
            Cookies::Jar | Cookies::One if is_in_list => Cookies::One,
            _ => Cookies::None,
        };
        // A schema describes a password under that name, so the members of an object are not secrets because of it.
        let secrecy = match is_object {
            true => Secrecy::Plain,
            false => Secrecy::of(parent.next.secrecy.is_sensitive(), is_below_secret),
        };
        let next = NextValue { secrecy, ..NextValue::default() };
        OpenValue { layout, is_below_secret, cookies, next, ..OpenValue::default() }
    }

    /// The key of the next value.
    fn begin_member(&mut self, name: MemberName) {
        self.role = name.role;
        let is_below = self.is_below_secret || self.names_secret || self.cookies != Cookies::None;
        let is_sensitive = name.is_sensitive || (self.role == KeyRole::Value && is_below);
        let is_suspect = (self.is_below_secret || self.cookies == Cookies::Jar) && !name.is_descriptive;
        let secrecy = match Secrecy::of(is_sensitive, is_suspect) {
            Secrecy::Plain => name.suspicion,
            Secrecy::Secret if name.is_folder => Secrecy::UnlessFolder { or_random: is_suspect },
            secrecy => secrecy,
        };
        self.next = NextValue { secrecy, named: name.named, is_format: name.is_format, is_login: false };
    }

    /// After a string in an array: it may be the name of the next one.
    fn end_element(&mut self, text: &str) {
        if self.is_below_secret {
            return;
        }
        let is_name = self.index.is_multiple_of(2) && name::is_sensitive(text);
        // The next word of a command line belongs to its option, and a header's value to the name before it.
        let is_sensitive = name::is_sensitive_flag(text) || (self.layout == ValueLayout::HeaderList && is_name);
        let is_suspect = self.layout == ValueLayout::Pair && self.index == 0 && is_name;
        self.next = NextValue {
            secrecy: Secrecy::of(is_sensitive, is_suspect),
            named: if is_name { Named::by(text) } else { Named::default() },
            is_format: false,
            is_login: matches!(text, "-u" | "--user" | "--proxy-user"),
        };
    }

    fn step(&self) -> String {
        let is_plain = |key: &str| {
            !key.is_empty() && key.len() <= 64 && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        match (self.layout, is_plain(&self.key)) {
            (ValueLayout::Object, true) => format!(".{}", self.key),
            (ValueLayout::Object, false) => {
                format!("[{}]", serde_json::Value::from(self.key.chars().take(64).collect::<String>()))
            }
            _ => format!("[{}]", self.index),
        }
    }
}

fn path_of(above: DescribePath<'_>, open: &[OpenValue]) -> String {
    let mut path = above();
    path.push_str(if path.is_empty() { "" } else { " | " });
    let before = path.len();
    path.extend(open.iter().take(PATH_LIMIT).map(OpenValue::step));
    if open.len() > PATH_LIMIT {
        path.push_str("[…]");
    }
    if path.len() == before || path[before..].starts_with('[') {
        path.insert(before, '.');
    }
    path
}

/// One JSON text on its way through a pass.
struct JsonWalk<'w, 'm> {
    pass: &'w mut RedactionPass<'m>,
    text: &'w str,
    above: DescribePath<'w>,
    depth: usize,
    /// Outermost first.
    open: Vec<OpenValue>,
    edits: Vec<Replacement>,
}

impl RedactionPass<'_> {
    /// The text is JSON.
    pub(super) fn json(&mut self, text: &str, above: DescribePath<'_>, depth: usize) -> Vec<Replacement> {
        let mut walk = JsonWalk { pass: self, text, above, depth, open: Vec::new(), edits: Vec::new() };
        for token in Tokens::new(text).flatten() {
            walk.token(token);
        }
        walk.edits
    }

    /// The secret in a word of a command line.
    fn argument(
        &mut self,
        decoded: &Decoded,
        secret: Range<usize>,
        at: usize,
        path: DescribePath<'_>,
    ) -> Option<Replacement> {
        let value = &decoded.text[secret.clone()];
        if self.is_masked(value) {
            return None;
        }
        self.spread(value, FIELD);
        self.hidden(at + decoded.place(secret.start)..at + decoded.end(secret.end), value, FIELD, path)
    }

    /// The password after a user name. Numbers are a user id and a group id.
    fn login(&mut self, decoded: &Decoded, at: usize, path: DescribePath<'_>) -> Option<Replacement> {
        let text = decoded.text.as_str();
        let (user, password) = text.split_once(':')?;
        let is_odd =
            user.is_empty() || text.contains([' ', '/', '\n']) || password.bytes().all(|byte| byte.is_ascii_digit());
        if is_odd || value::is_no_secret(password) || self.is_masked(password) {
            return None;
        }
        let range = at + decoded.place(user.len() + 1)..at + decoded.end(text.len());
        self.hidden(range, password, FIELD, path)
    }
}

impl JsonWalk<'_, '_> {
    fn token(&mut self, token: Token) {
        let range = token.inside();
        match token.kind {
            TokenKind::Object | TokenKind::Array => {
                let is_object = token.kind == TokenKind::Object;
                self.open.push(OpenValue::below(self.open.last(), is_object));
                return;
            }
            TokenKind::Key => return self.key(range),
            TokenKind::End => drop(self.open.pop()),
            TokenKind::String => self.string(range),
            TokenKind::Number => self.number(range),
            TokenKind::Word => {}
        }
        if let Some(open) = self.open.last_mut() {
            open.index += 1;
        }
    }

    fn key(&mut self, range: Range<usize>) {
        let decoded = layer::unescape(&self.text[range.clone()]);
        let key = decoded.text.as_str();
        let (above, open) = (self.above, &self.open);
        let path = || format!("{} | keys", path_of(above, &open[..open.len().saturating_sub(1)]));
        // A word that happens to be a password must not hide the names of the log format. Matches of the user's own
        // patterns are hidden anyway.
        let found = if is_word(key) { self.pass.own(key, &path) } else { self.pass.text(key, &path, self.depth + 1) };
        let Some(open) = self.open.last_mut() else { return };
        open.begin_member(self.pass.names.get(key));
        if self.pass.needs_paths {
            open.key = applied_text(key, found.clone());
        }
        self.edits.extend(outward(found, &decoded, range.start, layer::escape_json));
    }

    fn string(&mut self, range: Range<usize>) {
        let decoded = layer::unescape(&self.text[range.clone()]);
        let (text, at) = (decoded.text.as_str(), range.start);
        let list = self.open.last_mut().filter(|open| open.layout != ValueLayout::Object);
        let argument = list.and_then(|open| open.command.word(text));
        let (above, open) = (self.above, &self.open);
        let path = || path_of(above, open);
        let next = open.last().map_or_else(NextValue::default, |open| open.next);
        let is_secret = next.secrecy.hides(text);
        let argument = argument.filter(|_| !is_secret);
        let hidden = if is_secret {
            self.pass.field(&decoded, at, next.named, &path)
        } else if let Some(argument) = argument {
            self.pass.argument(&decoded, argument, at, &path)
        } else if next.is_login {
            self.pass.login(&decoded, at, &path)
        } else {
            None
        };
        if let Some(edit) = hidden {
            self.edits.push(edit);
        } else if next.is_format && is_word(text) {
            self.edits.extend(self.pass.own(text, &path).into_iter().map(|edit| shifted(edit, at)));
        } else {
            let inside = || format!("{}{}", path(), if text.starts_with(['{', '[']) { " | fromjson" } else { "" });
            let found = self.pass.text(text, &inside, self.depth + 1);
            self.edits.extend(outward(found, &decoded, at, layer::escape_json));
        }
        let Some(open) = self.open.last_mut() else { return };
        match (open.layout, open.role) {
            (ValueLayout::Object, KeyRole::Value) if !is_secret => open.early_value = Some(range),
            (ValueLayout::Object, KeyRole::Name) if name::is_sensitive(text) => self.name_of_secret(text),
            (ValueLayout::Object, _) => {}
            _ => open.end_element(text),
        }
    }

    /// A member `name` holds a sensitive name: hides the `value` that came before it.
    fn name_of_secret(&mut self, name: &str) {
        let Some(open) = self.open.last_mut() else { return };
        open.names_secret = true;
        let Some(earlier) = open.early_value.take() else { return };
        "value".clone_into(&mut open.key);
        let value = layer::unescape(&self.text[earlier.clone()]);
        let (above, open) = (self.above, &self.open);
        let hidden = self.pass.field(&value, earlier.start, Named::by(name), &|| path_of(above, open));
        self.edits.extend(hidden);
    }

    /// A number that is hidden becomes a string.
    fn number(&mut self, range: Range<usize>) {
        let raw = &self.text[range.clone()];
        let is_sensitive = self.open.last().is_some_and(|open| open.next.secrecy.is_sensitive());
        let digits = raw.bytes().filter(u8::is_ascii_digit).count();
        let (above, open) = (self.above, &self.open);
        let path = || path_of(above, open);
        let edit = if is_sensitive && digits >= NUMBER_FROM_DIGITS {
            self.pass.hidden(range, raw, FIELD, &path)
        } else if let Some(own) = self.pass.own(raw, &path).pop() {
            Some(Replacement { range, ..own })
        } else {
            self.pass.secrets.known(raw).and_then(|id| {
                let rule = self.pass.secrets.rule(id);
                self.pass.masked(range, id, rule, &path)
            })
        };
        self.edits.extend(edit.map(|edit| Replacement { with: format!("\"{}\"", edit.with), ..edit }));
    }
}

fn shifted(edit: Replacement, by: usize) -> Replacement {
    Replacement { range: edit.range.start + by..edit.range.end + by, ..edit }
}

fn is_word(text: &str) -> bool {
    text.len() <= 64 && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

//! The pass over JSON: which names stand above a value decides what the value is.

use std::ops::Range;

use super::edit::{Edit, applied_text, outward};
use super::layer::{self, Decoded};
use super::name;
use super::pass::{Named, Pass, Path};
use super::rule::FIELD;
use crate::json::token::{TokenKind, Tokens};

/// Digits of a number that is hidden under a sensitive name. Fewer are a count.
const NUMBER_FROM_DIGITS: usize = 4;
/// Members of a path that are told; of what lies deeper only that it does.
const PATH_LIMIT: usize = 48;
/// Members whose values are words of a format, by which logs are decoded.
const FORMAT_KEYS: [&str; 9] = ["event_type", "type", "kind", "phase", "source", "mode", "role", "verdict", "strategy"];

/// An object or array that is open.
#[derive(Default)]
struct Frame {
    is_object: bool,
    /// The value that comes is a secret because of a name.
    is_sensitive: bool,
    /// It is one if it looks like one.
    is_suspect: bool,
    named: Named,
    is_format: bool,
    /// It is a folder if it looks like one.
    is_pwd: bool,
    /// The word that comes is a user's name with a password.
    is_login: bool,
    /// It stands below a sensitive name itself: then its `value` is the secret.
    inherits: bool,
    /// Each of its members is a cookie, or each object in it.
    of_cookies: bool,
    is_cookie_row: bool,
    /// Names of headers and their values take turns in it.
    is_headers: bool,
    /// It may be a name and its value.
    is_pair: bool,
    /// The last member's name without secrets.
    key: String,
    role: Role,
    /// Its `name` is a sensitive one.
    names_secret: bool,
    /// Its `value`, where that stands before the name.
    value: Option<Range<usize>>,
    index: usize,
}

/// What the last member's name says about the next value.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Role {
    #[default]
    Other,
    /// The value is a name, whose own value stands beside it.
    Name,
    Value,
    /// Secrets stand below it.
    Holder,
    Headers,
    Cookies,
}

impl Role {
    fn of(key: &str) -> Role {
        if key.len() > 128 {
            return Role::Other;
        }
        match key.to_ascii_lowercase().as_str() {
            "name" | "key" => Role::Name,
            "value" | "values" => Role::Value,
            "cookies" => Role::Cookies,
            lower if lower.ends_with("headers") => Role::Headers,
            _ if name::is_holder(key) => Role::Holder,
            _ => Role::Other,
        }
    }
}

impl Frame {
    fn below(parent: Option<&Frame>, is_object: bool) -> Frame {
        let Some(parent) = parent else { return Frame { is_object, ..Frame::default() } };
        let inherits = parent.is_sensitive || parent.is_suspect || parent.role == Role::Holder;
        let is_cookie_row = parent.of_cookies && !parent.is_object;
        Frame {
            is_object,
            // A schema describes a password under that name, so an object's members are not secrets with it.
            is_sensitive: parent.is_sensitive && !is_object,
            is_suspect: inherits && !is_object,
            inherits,
            of_cookies: parent.role == Role::Cookies || is_cookie_row,
            is_cookie_row,
            is_headers: parent.role == Role::Headers && !is_object,
            is_pair: !parent.is_object && !is_object,
            ..Frame::default()
        }
    }

    fn step(&self) -> String {
        let is_plain = |key: &str| {
            !key.is_empty() && key.len() <= 64 && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        match (self.is_object, is_plain(&self.key)) {
            (true, true) => format!(".{}", self.key),
            (true, false) => format!("[{}]", serde_json::Value::from(self.key.chars().take(64).collect::<String>())),
            (false, _) => format!("[{}]", self.index),
        }
    }
}

fn path_of(above: Path<'_>, frames: &[Frame]) -> String {
    let mut path = above();
    path.push_str(if path.is_empty() { "" } else { " | " });
    let before = path.len();
    path.extend(frames.iter().take(PATH_LIMIT).map(Frame::step));
    if frames.len() > PATH_LIMIT {
        path.push_str("[…]");
    }
    if path.len() == before || path[before..].starts_with('[') {
        path.insert(before, '.');
    }
    path
}

impl Pass<'_> {
    /// The text is JSON.
    pub(super) fn json(&mut self, text: &str, above: Path<'_>, depth: usize) -> Vec<Edit> {
        let mut edits = Vec::new();
        let mut frames: Vec<Frame> = Vec::new();
        for token in Tokens::new(text).flatten() {
            let range = token.inside();
            match token.kind {
                TokenKind::Object | TokenKind::Array => {
                    let frame = Frame::below(frames.last(), token.kind == TokenKind::Object);
                    frames.push(frame);
                    continue;
                }
                TokenKind::End => {
                    frames.pop();
                }
                TokenKind::Key => {
                    self.key(&text[range.clone()], range.start, above, &mut frames, depth, &mut edits);
                    continue;
                }
                TokenKind::String => self.string(text, range, above, &mut frames, depth, &mut edits),
                TokenKind::Number => {
                    let found = self.number(&text[range.clone()], range.start, above, &frames);
                    edits.extend(found);
                }
                TokenKind::Word => {}
            }
            if let Some(frame) = frames.last_mut() {
                frame.index += 1;
            }
        }
        edits
    }

    fn key(
        &mut self,
        raw: &str,
        at: usize,
        above: Path<'_>,
        frames: &mut [Frame],
        depth: usize,
        edits: &mut Vec<Edit>,
    ) {
        let decoded = layer::unescape(raw);
        let path = || format!("{} | keys", path_of(above, &frames[..frames.len().saturating_sub(1)]));
        // A word that happens to be somebody's password must not take the format's own names with it. Whom the user asks
        // for goes anyway.
        let found = if is_word(&decoded.text) {
            self.own(&decoded.text, &path)
        } else {
            self.text(&decoded.text, &path, depth + 1)
        };
        let Some(frame) = frames.last_mut() else { return };
        frame.role = Role::of(&decoded.text);
        frame.named = Named::by(&decoded.text);
        frame.is_format = FORMAT_KEYS.contains(&decoded.text.as_str());
        let is_value = frame.role == Role::Value && (frame.inherits || frame.names_secret || frame.of_cookies);
        frame.is_sensitive = name::is_sensitive(&decoded.text) || is_value;
        let is_below = frame.inherits || (frame.of_cookies && !frame.is_cookie_row);
        frame.is_suspect = is_below && !name::is_telling(&decoded.text);
        frame.is_pwd = name::is_folder(&decoded.text, "/");
        if self.tells_paths {
            frame.key = applied_text(&decoded.text, found.clone());
        }
        edits.extend(outward(found, &decoded, at, layer::escape_json));
    }

    fn string(
        &mut self,
        whole: &str,
        range: Range<usize>,
        above: Path<'_>,
        frames: &mut [Frame],
        depth: usize,
        edits: &mut Vec<Edit>,
    ) {
        let decoded = layer::unescape(&whole[range.clone()]);
        let (text, at) = (decoded.text.as_str(), range.start);
        let path = || path_of(above, frames);
        let plain = Frame::default();
        let frame = frames.last().unwrap_or(&plain);
        let is_secret = (frame.is_sensitive && !(frame.is_pwd && name::is_folder("pwd", text)))
            || (frame.is_suspect && name::is_random(text));
        let hidden = if is_secret {
            self.field(&decoded, at, frame.named, &path)
        } else if frame.is_login {
            self.login(&decoded, at, &path)
        } else {
            None
        };
        if let Some(edit) = hidden {
            edits.push(edit);
        } else if frame.is_format && is_word(text) {
            edits.extend(self.own(text, &path).into_iter().map(|edit| shifted(edit, at)));
        } else {
            let inside = || format!("{}{}", path(), if text.starts_with(['{', '[']) { " | fromjson" } else { "" });
            let found = self.text(text, &inside, depth + 1);
            edits.extend(outward(found, &decoded, at, layer::escape_json));
        }
        let Some(frame) = frames.last_mut() else { return };
        if frame.is_object {
            match frame.role {
                Role::Value if !is_secret => frame.value = Some(range),
                Role::Name if name::is_sensitive(text) => {
                    frame.names_secret = true;
                    if let Some(earlier) = frame.value.take() {
                        let value = layer::unescape(&whole[earlier.clone()]);
                        let named = Named::by(text);
                        "value".clone_into(&mut frame.key);
                        let path = || path_of(above, frames);
                        edits.extend(self.field(&value, earlier.start, named, &path));
                    }
                }
                _ => {}
            }
        } else if !frame.inherits {
            // The next word of a command line belongs to its option, and a header's value to the name before it.
            let is_name = frame.index.is_multiple_of(2) && name::is_sensitive(text);
            frame.is_sensitive = name::is_sensitive_flag(text) || (frame.is_headers && is_name);
            frame.is_suspect = frame.is_pair && frame.index == 0 && is_name;
            frame.named = if is_name { Named::by(text) } else { Named::default() };
            frame.is_login = matches!(text, "-u" | "--user" | "--proxy-user");
        }
    }

    /// The password after a user's name. Numbers are those of a user and a group.
    fn login(&mut self, decoded: &Decoded, at: usize, path: Path<'_>) -> Option<Edit> {
        let text = decoded.text.as_str();
        let (user, password) = text.split_once(':')?;
        let is_odd =
            user.is_empty() || text.contains([' ', '/', '\n']) || password.bytes().all(|byte| byte.is_ascii_digit());
        if is_odd || name::is_no_secret(password) || self.is_masked(password) {
            return None;
        }
        let range = at + decoded.place(user.len() + 1)..at + decoded.end(text.len());
        self.hidden(range, password, FIELD, path)
    }

    /// A number that is hidden becomes a string.
    fn number(&mut self, raw: &str, at: usize, above: Path<'_>, frames: &[Frame]) -> Option<Edit> {
        let is_sensitive = frames.last().is_some_and(|frame| frame.is_sensitive);
        let digits = raw.bytes().filter(u8::is_ascii_digit).count();
        let path = || path_of(above, frames);
        let range = at..at + raw.len();
        let edit = if is_sensitive && digits >= NUMBER_FROM_DIGITS {
            self.hidden(range, raw, FIELD, &path)
        } else if let Some(own) = self.own(raw, &path).pop() {
            Some(Edit { range, ..own })
        } else {
            let id = self.secrets.known(raw)?;
            let rule = self.secrets.get(id).rule;
            self.masked(range, id, rule, &path)
        }?;
        Some(Edit { with: format!("\"{}\"", edit.with), ..edit })
    }
}

fn shifted(edit: Edit, by: usize) -> Edit {
    Edit { range: edit.range.start + by..edit.range.end + by, ..edit }
}

fn is_word(text: &str) -> bool {
    text.len() <= 64 && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

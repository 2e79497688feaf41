//! The pass over JSON: which names stand above a value decides what the value is.

use super::edit::{Edit, applied_text, outward};
use super::layer;
use super::name;
use super::pass::{Pass, Path};
use super::rule::FIELD;
use super::token::{Token, Tokens};

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
    is_cookie: bool,
    is_format: bool,
    /// It stands below a sensitive name itself: then its `value` is the secret.
    inherits: bool,
    /// The last member's name without secrets.
    key: String,
    index: usize,
}

impl Frame {
    fn below(parent: Option<&Frame>, is_object: bool) -> Frame {
        let is_sensitive = parent.is_some_and(|parent| parent.is_sensitive);
        // A schema describes a password under that name, so an object's members are not secrets with it.
        Frame { is_object, is_sensitive: is_sensitive && !is_object, inherits: is_sensitive, ..Frame::default() }
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
            match token {
                Token::Object | Token::Array => {
                    let frame = Frame::below(frames.last(), token == Token::Object);
                    frames.push(frame);
                    continue;
                }
                Token::End => {
                    frames.pop();
                }
                Token::Key(range) => {
                    self.key(&text[range.clone()], range.start, above, &mut frames, depth, &mut edits);
                    continue;
                }
                Token::Text(range) => {
                    self.string(&text[range.clone()], range.start, above, &mut frames, depth, &mut edits);
                }
                Token::Number(range) => {
                    let found = self.number(&text[range.clone()], range.start, above, &frames);
                    edits.extend(found);
                }
                Token::Word => {}
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
        // A word that happens to be somebody's password must not take the format's own names with it.
        let found = if is_word(&decoded.text) { Vec::new() } else { self.text(&decoded.text, &path, depth + 1) };
        let Some(frame) = frames.last_mut() else { return };
        frame.is_cookie = name::is_cookie(&decoded.text);
        frame.is_format = FORMAT_KEYS.contains(&decoded.text.as_str());
        frame.is_sensitive = name::is_sensitive(&decoded.text)
            || (frame.inherits && matches!(decoded.text.as_str(), "value" | "values"));
        if self.tells_paths {
            frame.key = applied_text(&decoded.text, found.clone());
        }
        edits.extend(outward(found, &decoded, at, layer::escape_json));
    }

    fn string(
        &mut self,
        raw: &str,
        at: usize,
        above: Path<'_>,
        frames: &mut [Frame],
        depth: usize,
        edits: &mut Vec<Edit>,
    ) {
        let decoded = layer::unescape(raw);
        let path = || path_of(above, frames);
        let (is_sensitive, is_cookie, is_format) =
            frames.last().map_or((false, false, false), |frame| (frame.is_sensitive, frame.is_cookie, frame.is_format));
        let hidden = if is_sensitive { self.field(&decoded, at, is_cookie, &path) } else { None };
        if let Some(edit) = hidden {
            edits.push(edit);
        } else if !(is_format && is_word(&decoded.text)) {
            let inside =
                || format!("{}{}", path(), if decoded.text.starts_with(['{', '[']) { " | fromjson" } else { "" });
            let found = self.text(&decoded.text, &inside, depth + 1);
            edits.extend(outward(found, &decoded, at, layer::escape_json));
        }
        if let Some(frame) = frames.last_mut().filter(|frame| !frame.is_object && !frame.inherits) {
            // The next word of a command line belongs to its option.
            frame.is_sensitive = name::is_sensitive_flag(&decoded.text);
        }
    }

    /// A number that is hidden becomes a string.
    fn number(&mut self, raw: &str, at: usize, above: Path<'_>, frames: &[Frame]) -> Option<Edit> {
        let is_sensitive = frames.last().is_some_and(|frame| frame.is_sensitive);
        let digits = raw.bytes().filter(u8::is_ascii_digit).count();
        let path = || path_of(above, frames);
        let range = at..at + raw.len();
        let edit = if is_sensitive && digits >= NUMBER_FROM_DIGITS {
            self.hidden(range, raw, FIELD, &path)
        } else {
            let id = self.secrets.known(raw)?;
            let rule = self.secrets.get(id).rule;
            self.masked(range, id, rule, &path)
        }?;
        Some(Edit { with: format!("\"{}\"", edit.with), ..edit })
    }
}

fn is_word(text: &str) -> bool {
    text.len() <= 64 && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

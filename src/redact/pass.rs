//! One redaction pass over a text: finds what the rules match and known secrets, through every encoding.
//!
//! Text is not re-encoded as a whole: each secret becomes a [`Replacement`] in the original text, from the innermost
//! encoding outwards. Recursion follows encodings (JSON in a string in JSON …) and is bounded; nested JSON values do
//! not recurse.

use regex::Regex;

use super::compiled::{CompiledRules, Match};
use super::layer::{self, Decoded, INVISIBLE, UPPER_HEX};
use super::members::MemberNames;
use super::memo::RuleMemo;
use super::name;
use super::replacement::{Replacement, Taken, applied_text, outward};
use super::rule::{FIELD, RULES};
use super::secret::{MASK_PATTERN, Secrets};
use super::value;
use crate::json::token::{is_json, value_length};

/// Levels of encodings that are decoded. Deeper ones are searched without decoding.
pub(crate) const SPELLINGS_DEEP: usize = 8;
/// Text around masks with fewer letters and digits than this is not a secret.
const REST_FROM: usize = 4;

/// Shorter runs of base64 digits are words.
const BASE64_FROM: usize = 16;

/// The rules and patterns of a pass, compiled once.
pub(crate) struct Lens {
    pub rules: CompiledRules,
    mask: Regex,
    base64: Regex,
    percent: Regex,
    colour: Regex,
}

impl Lens {
    pub(crate) fn new(rules: CompiledRules) -> Result<Lens, regex::Error> {
        Ok(Lens {
            rules,
            mask: Regex::new(MASK_PATTERN)?,
            base64: Regex::new("[A-Za-z0-9+/_-]{16,}={0,2}")?,
            // Colour sequences of terminals, raw and as programs escape them, any number of times; invisible characters.
            colour: Regex::new(&format!(
                r"(?:\x1b|\\+(?:x1[bB]|033|e|u001[bB]))(?:\[[0-9;:?]{{0,32}}[A-Za-z]|\([AB0])|[{INVISIBLE}]+"
            ))?,
            percent: Regex::new(r#"[^\s"'<>%\x00-\x1f]*(?:%[^\s"'<>%\x00-\x1f]*)+"#)?,
        })
    }
}

/// What the name of a field says about its value.
#[derive(Clone, Copy, Default)]
pub(crate) struct Named {
    pub is_cookie: bool,
    /// The value is a secret without doubt.
    pub is_password: bool,
}

impl Named {
    pub(crate) fn by(name: &str) -> Named {
        Named { is_cookie: name::is_cookie(name), is_password: name::is_password(name) }
    }
}

/// Describes the path of a text; called only if something is found.
pub(crate) type DescribePath<'p> = &'p dyn Fn() -> String;

pub(crate) struct RedactionPass<'m> {
    pub lens: &'m Lens,
    pub secrets: &'m mut Secrets,
    pub names: &'m mut MemberNames,
    pub memo: &'m mut RuleMemo,
    /// Where the bytes come from.
    pub place: &'m str,
    /// Whether paths are needed.
    pub needs_paths: bool,
}

impl RedactionPass<'_> {
    /// The replacements in a text, in any order.
    pub(crate) fn text(&mut self, text: &str, path: DescribePath<'_>, depth: usize) -> Vec<Replacement> {
        if depth < SPELLINGS_DEEP && is_json(text) {
            return self.json(text, path, depth);
        }
        if depth < SPELLINGS_DEEP && text.contains(['{', '[']) {
            let mut edits = self.lines(text, path, depth);
            self.embedded(text, path, depth, &mut edits);
            return edits;
        }
        self.plain(text, path, depth)
    }

    /// JSON after other words on a line, as in the messages of programs. It is searched as part of the line, too.
    fn embedded(&mut self, text: &str, path: DescribePath<'_>, depth: usize, edits: &mut Vec<Replacement>) {
        const BEGINNINGS: usize = 3;
        let mut at = 0;
        for (number, line) in (1..).zip(text.split_inclusive('\n')) {
            let mut from = 0;
            for _ in 0..BEGINNINGS {
                let Some(found) = line[from..].find(['{', '[']).map(|found| from + found) else { break };
                from = found + 1;
                // A line that is JSON as a whole was read as such.
                let Some(length) = value_length(&line[found..]).filter(|_| !line[..found].trim().is_empty()) else {
                    continue;
                };
                let inside =
                    self.json(&line[found..found + length], &|| format!("{} | JSON in line {number}", path()), depth);
                edits.extend(shifted(inside, at + found));
                from = found + length;
            }
            at += line.len();
        }
    }

    /// Reads each line that is JSON as JSON; what is between such lines is one text.
    fn lines(&mut self, text: &str, path: DescribePath<'_>, depth: usize) -> Vec<Replacement> {
        let mut edits = Vec::new();
        let (mut plain_from, mut at) = (0, 0);
        for (number, line) in text.split_inclusive('\n').enumerate() {
            if line.trim_start().starts_with(['{', '[']) && is_json(line) {
                let before = self.plain(&text[plain_from..at], path, depth);
                edits.extend(shifted(before, plain_from));
                let found = self.json(line, &|| format!("{} | split(\"\\n\")[{number}] | fromjson", path()), depth);
                edits.extend(shifted(found, at));
                plain_from = at + line.len();
            }
            at += line.len();
        }
        let rest = self.plain(&text[plain_from..], path, depth);
        edits.extend(shifted(rest, plain_from));
        edits
    }

    /// A text that is not JSON.
    fn plain(&mut self, text: &str, path: DescribePath<'_>, depth: usize) -> Vec<Replacement> {
        let may_be_coloured = || !text.is_ascii() || text.contains(['\x1b', '\\']);
        if depth < SPELLINGS_DEEP && may_be_coloured() && self.lens.colour.is_match(text) {
            return self.coloured(text, path, depth);
        }
        let mut edits = self.known(text, path);
        if depth < SPELLINGS_DEEP && text.contains('\\') {
            let decoded = layer::unescape(text);
            if decoded.text != text {
                let inner = self.text(&decoded.text, path, depth + 1);
                edits.extend(outward(inner, &decoded, 0, layer::escape_json));
                // A backslash may be literal, so the undecoded text is searched, too. Header lines end at the line
                // break in any case.
                self.ruled(text, path, &["header"], &mut edits);
                return edits;
            }
        }
        self.ruled(text, path, &[], &mut edits);
        if depth < SPELLINGS_DEEP {
            self.percent(text, path, depth, &mut edits);
            self.base64(text, path, depth, &mut edits);
        }
        edits
    }

    /// Colour sequences and invisible characters may be inside a secret, or between it and its name, so the text is searched without them. They
    /// may also be all that separates a secret from a word, so it is searched again with [`layer::NO_CHARACTER`] in
    /// their place.
    fn coloured(&mut self, text: &str, path: DescribePath<'_>, depth: usize) -> Vec<Replacement> {
        let lens = self.lens;
        let colours = || lens.colour.find_iter(text).map(|colour| colour.range());
        let bare = layer::without(text, colours());
        let inner = self.text(&bare.text, path, depth + 1);
        let mut edits: Vec<Replacement> = outward(inner, &bare, 0, str::to_owned).collect();
        edits.extend(self.plain(&layer::blanked(text, colours()), path, depth + 1));
        edits
    }

    /// Known secrets, unencoded or in an encoding that is searched for directly.
    fn known(&mut self, text: &str, path: DescribePath<'_>) -> Vec<Replacement> {
        let found = self.secrets.occurrences(text);
        found
            .into_iter()
            .filter_map(|(range, id)| {
                let rule = self.secrets.rule(id);
                self.masked(range, id, rule, path)
            })
            .collect()
    }

    fn ruled(&mut self, text: &str, path: DescribePath<'_>, but: &[&str], edits: &mut Vec<Replacement>) {
        for found in self.memo.find(&self.lens.rules, text) {
            let value = &text[found.secret.clone()];
            let rule_name = RULES.get(found.rule).map_or("", |rule| rule.name);
            if but.contains(&rule_name) || self.is_masked(value) || self.is_inside_mask(text, &found.secret) {
                continue;
            }
            if rule_name == "basic" {
                self.also_inside_basic(value);
            } else if rule_name == "header" {
                self.also_inside_cookie(value);
            }
            if value.contains('\\') {
                self.also(&layer::unescape(value).text);
            }
            if found.is_password {
                self.spread(value, found.rule);
            }
            edits.extend(self.hidden(found.secret, value, found.rule, path));
        }
    }

    /// Remembers a secret, to be searched for everywhere.
    pub(super) fn spread(&mut self, value: &str, rule: usize) {
        let id = self.secrets.id(value, rule, self.place);
        self.secrets.spread(id);
    }

    fn percent(&mut self, text: &str, path: DescribePath<'_>, depth: usize, edits: &mut Vec<Replacement>) {
        if !text.contains('%') {
            return;
        }
        let lens = self.lens;
        for run in lens.percent.find_iter(text) {
            self.percent_run(run.as_str(), run.start(), path, depth, edits);
            // The value of a parameter may be a text by itself, such as JSON or a line of a file.
            let mut at = run.start();
            for piece in run.as_str().split_inclusive(['?', '&', '=']) {
                let value = piece.trim_end_matches(['?', '&', '=']);
                if value.len() < run.len() && value.contains('%') {
                    self.percent_run(value, at, path, depth, edits);
                }
                at += piece.len();
            }
        }
    }

    fn percent_run(
        &mut self,
        run: &str,
        at: usize,
        path: DescribePath<'_>,
        depth: usize,
        edits: &mut Vec<Replacement>,
    ) {
        let Some(decoded) = layer::percent_pieces(run) else { return };
        if decoded.text != run {
            let inner = self.text(&decoded.text, &|| format!("{} | @urid", path()), depth + 1);
            edits.extend(outward(inner, &decoded, at, |with| layer::percent_encode(with, UPPER_HEX)));
        }
    }

    fn base64(&mut self, text: &str, path: DescribePath<'_>, depth: usize, edits: &mut Vec<Replacement>) {
        let lens = self.lens;
        for run in lens.base64.find_iter(text) {
            let Some((from, (inside, style))) = base64_in(run.as_str()) else { continue };
            let mut inner = self.text(&inside, &|| format!("{} | @base64d", path()), depth + 1);
            if inner.is_empty() {
                continue;
            }
            let taken = inner.iter_mut().flat_map(|edit| std::mem::take(&mut edit.taken)).collect();
            let with = layer::base64_encode(applied_text(&inside, inner).as_bytes(), style);
            edits.push(Replacement { range: run.start() + from..run.end(), with, is_respelled: true, taken });
        }
    }

    /// Matches of the user's own patterns only.
    pub(super) fn own(&mut self, text: &str, path: DescribePath<'_>) -> Vec<Replacement> {
        let lens = self.lens;
        let mut found = Vec::new();
        lens.rules.find_own(text, |own| found.push(own));
        let hide = |own: Match| {
            let value = &text[own.secret.clone()];
            if self.is_masked(value) { None } else { self.hidden(own.secret, value, own.rule, path) }
        };
        found.into_iter().filter_map(hide).collect()
    }

    /// The value of a field with a sensitive name. The scheme before a credential stays.
    pub(super) fn field(
        &mut self,
        decoded: &Decoded,
        offset: usize,
        of: Named,
        path: DescribePath<'_>,
    ) -> Option<Replacement> {
        let text = decoded.text.as_str();
        let from = scheme_length(text);
        let value = text[from..].trim_end();
        if value::is_no_secret(value) || self.is_masked(value) {
            return None;
        }
        if of.is_password {
            self.spread(value, FIELD);
        }
        if of.is_cookie {
            self.also_inside_cookie(value);
        } else if text[..from].trim().eq_ignore_ascii_case("basic") {
            self.also_inside_basic(value);
        } else if let Some((inside, _)) = layer::base64_text(value) {
            self.also(&inside);
        }
        let range = offset + decoded.place(from)..offset + decoded.end(from + value.len());
        self.hidden(range, value, FIELD, path)
    }

    /// Remembers a secret and hides it here.
    pub(super) fn hidden(
        &mut self,
        range: std::ops::Range<usize>,
        value: &str,
        rule: usize,
        path: DescribePath<'_>,
    ) -> Option<Replacement> {
        let id = self.secrets.id(value, rule, self.place);
        self.masked(range, id, rule, path)
    }

    pub(super) fn masked(
        &mut self,
        range: std::ops::Range<usize>,
        id: usize,
        rule: usize,
        path: DescribePath<'_>,
    ) -> Option<Replacement> {
        let taken = if self.needs_paths { vec![Taken { path: path(), rule, id }] } else { Vec::new() };
        let with = self.secrets.mask(id);
        (!self.secrets.is_spared(id)).then_some(Replacement { range, with, is_respelled: false, taken })
    }

    /// The password in basic credentials may occur elsewhere without the user name.
    fn also_inside_basic(&mut self, value: &str) {
        if let Some((pair, _)) = layer::base64_text(value)
            && let Some((_, password)) = pair.split_once(':')
        {
            self.also(password);
        }
    }

    fn also_inside_cookie(&mut self, value: &str) {
        for pair in value.split(';') {
            if let Some((_, value)) = pair.split_once('=').filter(|(_, value)| value.trim().len() >= 16) {
                self.also(value.trim());
            }
        }
    }

    fn also(&mut self, value: &str) {
        if !value::is_no_secret(value) && !self.is_masked(value) {
            self.secrets.id(value, FIELD, self.place);
        }
    }

    /// Whether a value consists of masks of an earlier run.
    pub(super) fn is_masked(&self, value: &str) -> bool {
        value.contains("REDACTED-") && {
            let rest = self.lens.mask.replace_all(value, "");
            rest != value && rest.chars().filter(|character| character.is_alphanumeric()).count() < REST_FROM
        }
    }

    /// Whether a range is part of a mask of an earlier run. Masks are short and contain no line break.
    fn is_inside_mask(&self, text: &str, range: &std::ops::Range<usize>) -> bool {
        const MASK_LIMIT_BYTES: usize = 96;
        let from = (range.start.saturating_sub(MASK_LIMIT_BYTES)..=range.start).find(|at| text.is_char_boundary(*at));
        let to =
            (range.end..).find(|at| *at >= text.len().min(range.end + MASK_LIMIT_BYTES) && text.is_char_boundary(*at));
        let (Some(from), Some(to)) = (from, to) else { return false };
        let near = &text[from..to];
        near.contains("REDACTED-")
            && self
                .lens
                .mask
                .find_iter(near)
                .any(|mask| from + mask.start() <= range.start && range.end <= from + mask.end())
    }
}

/// The text of a run of base64 digits, and where it starts: a path or word before it may consist of the same characters.
fn base64_in(run: &str) -> Option<(usize, (String, layer::Base64))> {
    const BEGINNINGS: usize = 8;
    let joints = run.bytes().enumerate().filter(|(_, byte)| b"/_-+".contains(byte)).map(|(at, _)| at + 1);
    let mut beginnings = std::iter::once(0).chain(joints.take(BEGINNINGS));
    beginnings.find_map(|from| {
        let rest = &run[from..];
        let text = (rest.len() >= BASE64_FROM).then(|| layer::base64_text(rest)).flatten()?;
        Some((from, text))
    })
}

/// The length of the scheme before a credential, such as `Bearer`.
fn scheme_length(text: &str) -> usize {
    const SCHEMES: [&str; 7] = ["bearer", "basic", "token", "digest", "negotiate", "apikey", "aws4-hmac-sha256"];
    let start = text.len() - text.trim_start().len();
    let word = text[start..].split(' ').next().unwrap_or_default();
    let is_scheme = SCHEMES.iter().any(|scheme| scheme.eq_ignore_ascii_case(word));
    let rest = &text[start + word.len()..];
    if is_scheme && !rest.trim().is_empty() { text.len() - rest.trim_start().len() } else { start }
}

fn shifted(edits: Vec<Replacement>, by: usize) -> impl Iterator<Item = Replacement> {
    edits.into_iter().map(move |edit| Replacement { range: edit.range.start + by..edit.range.end + by, ..edit })
}

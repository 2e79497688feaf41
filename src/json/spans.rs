//! The end of a JSON value whose bytes arrive in pieces, and the keys of an object that may be cut off.

use std::borrow::Cow;

use super::near::quote_or_backslash;
use super::string::unescaped_if_valid;

/// Follows one value from its first byte to its last. It matches brackets and does not verify the rest.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ValueEnd {
    depth: u32,
    in_string: bool,
    /// The last byte fed was a backslash inside a string.
    escaped: bool,
    in_scalar: bool,
}

impl ValueEnd {
    /// Feeds the next bytes; those of the first call begin with the value. Once the value is complete, returns how many
    /// of them belong to it. A bare word or number is complete only at what follows it.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while at < bytes.len() {
            if self.escaped {
                self.escaped = false;
                at += 1;
                continue;
            }
            if self.in_string {
                let found = quote_or_backslash(&bytes[at..])?;
                at += found + 1;
                if bytes[at - 1] == b'\\' {
                    self.escaped = true;
                } else {
                    self.in_string = false;
                    if self.depth == 0 {
                        return Some(at);
                    }
                }
                continue;
            }
            match bytes[at] {
                b'{' | b'[' if !self.in_scalar => self.depth += 1,
                b'"' if !self.in_scalar => self.in_string = true,
                b'}' | b']' if self.depth > 0 => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return Some(at + 1);
                    }
                }
                byte if self.depth == 0 => {
                    if self.in_scalar && (is_blank(byte) || matches!(byte, b',' | b']')) {
                        return Some(at);
                    }
                    self.in_scalar = true;
                }
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// At the end of the input: whether what was fed is a complete value after all.
    pub(crate) fn is_complete_at_end(&self) -> bool {
        self.in_scalar
    }
}

pub(crate) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// Whether `bytes` are exactly one bracketed or quoted value.
pub(crate) fn is_complete(bytes: &[u8]) -> bool {
    let mut end = ValueEnd::default();
    end.feed(bytes.trim_ascii()).is_some() || end.is_complete_at_end()
}

/// The keys of the object that `bytes` begin with, as far as the bytes go.
pub(crate) fn top_level_keys(bytes: &[u8]) -> Vec<Cow<'_, str>> {
    members(bytes).map(|(key, _)| key).collect()
}

/// The value of a key of the object that `bytes` begin with, as far as the bytes go: it may be cut off.
pub(crate) fn member<'a>(bytes: &'a [u8], key: &str) -> Option<&'a [u8]> {
    members(bytes).find(|(name, _)| *name == key).map(|(_, value)| value)
}

fn members(bytes: &[u8]) -> impl Iterator<Item = (Cow<'_, str>, &[u8])> {
    let mut rest = bytes.trim_ascii_start().strip_prefix(b"{");
    std::iter::from_fn(move || {
        let left = rest.take()?.trim_ascii_start();
        let left = left.strip_prefix(b",").unwrap_or(left).trim_ascii_start();
        if left.first() != Some(&b'"') {
            return None;
        }
        let length = ValueEnd::default().feed(left)?;
        let raw = std::str::from_utf8(&left[1..length - 1]).ok()?;
        // A key may be spelled with escapes.
        let key = if raw.contains('\\') { unescaped_if_valid(raw)?.into() } else { Cow::Borrowed(raw) };
        let value = left[length..].trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
        let end = ValueEnd::default().feed(value);
        rest = end.map(|length| &value[length..]);
        Some((key, &value[..end.unwrap_or(value.len())]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_the_same_however_the_bytes_arrive() {
        for (json, length) in [
            (r#"{"a":"}\"]"}, rest"#, 12),
            (r#"[1,[2,"]"]] "#, 11),
            (r#""a\\" x"#, 5),
            ("12,", 2),
            ("true]", 4),
            ("nul x", 3),
        ] {
            assert_eq!(ValueEnd::default().feed(json.as_bytes()), Some(length), "{json}");
            let mut end = ValueEnd::default();
            let byte_by_byte = json.bytes().position(|byte| end.feed(&[byte]).is_some());
            let consumed = if json.starts_with(['{', '[', '"']) { length - 1 } else { length };
            assert_eq!(byte_by_byte, Some(consumed), "{json}");
        }
    }

    #[test]
    fn keys_are_read_as_far_as_the_text_goes() {
        assert_eq!(top_level_keys(br#" {"a":{"x":1}, "b" : [2], "c":"#), ["a", "b", "c"]);
        assert_eq!(top_level_keys(br#"{"a":1,"b"#), ["a"]);
        assert!(top_level_keys(b"[1]").is_empty());
        assert_eq!(top_level_keys(br#"{"\u0061\n":1}"#), ["a\n"]);
        assert_eq!(member(br#"{"\u0061":[1]}"#, "a"), Some(&b"[1]"[..]));
        assert_eq!(member(br#"{"a":1, "b": {"c":2}, "d":"#, "b"), Some(&br#"{"c":2}"#[..]));
        assert_eq!(member(br#"{"a":1, "b": {"c"#, "b"), Some(&br#"{"c"#[..]));
        assert_eq!(member(br#"{"a":1}"#, "b"), None);
    }
}

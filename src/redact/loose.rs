//! Loose text: lines of a log that are not records, such as the output of a program that was mixed into it.
//!
//! Each line is masked by itself, but a secret such as a private key may span several of them. Therefore they are also
//! searched together, and the parts of a secret that spans several lines become secrets of their own.

use super::layer::readable;
use super::mask::Masker;

/// A longer text is searched in several pieces.
const LIMIT_BYTES: usize = 256 << 10;
/// The parts of a secret end here: what follows is probably a record after a truncated secret.
const OF_RECORDS: [char; 5] = ['{', '}', '[', ']', '"'];

/// The lines since the last record.
#[derive(Default)]
pub(crate) struct LooseText {
    text: String,
    lines: usize,
}

impl LooseText {
    /// Takes the next line or record of a log, in order.
    pub(crate) fn look(&mut self, masker: &mut Masker, line: &[u8]) {
        let line = line.trim_ascii();
        let is_loose = !is_record(line);
        if !is_loose || self.text.len() + line.len() > LIMIT_BYTES {
            self.end(masker);
        }
        if is_loose {
            self.text.push_str(&readable(line));
            self.text.push('\n');
            self.lines += 1;
        }
    }

    /// At the end of the log.
    pub(crate) fn end(&mut self, masker: &mut Masker) {
        if self.lines > 1 {
            masker.look_at_parts("text between the records", &self.text);
        }
        self.text.clear();
        self.lines = 0;
    }
}

/// Whether a line looks like a whole record. Most lines do, so this is cheap.
fn is_record(line: &[u8]) -> bool {
    matches!(line, [b'{', .., b'}'] | [b'[', .., b']'])
}

/// The words of a secret that spans several lines or elements; none if it does not.
pub(super) fn parts(secret: &str) -> impl Iterator<Item = &str> {
    let end = secret.find(OF_RECORDS).unwrap_or(secret.len());
    let words = secret[..end].split(|character: char| character.is_whitespace() || character == ',');
    words.filter(|word| word.len() < secret.len() && !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::MaskOptions;

    fn masked(lines: &[&str]) -> Vec<String> {
        let mut masker = Masker::new(&MaskOptions::default()).expect("our own rules");
        let mut loose = LooseText::default();
        for line in lines {
            loose.look(&mut masker, line.as_bytes());
            masker.look("a line", line.as_bytes());
        }
        loose.end(&mut masker);
        lines
            .iter()
            .map(|line| String::from_utf8_lossy(&masker.apply("a line", line.as_bytes())).into_owned())
            .collect()
    }

    #[test]
    fn a_key_that_spans_lines_is_masked_in_each_of_them() {
        let key = ["b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAE", "c2gtZWQyNTUxOQAAACDx7KqQ9vYwZ3k1mT5a"];
        let begins = concat!("-----BEGIN OPENSSH PRIVATE ", "KEY-----");
        let ends = concat!("-----END OPENSSH PRIVATE ", "KEY-----");
        let record = r#"{"event_type":"turn_ended","turn_id":"t-4e1b77aa"}"#;
        let output = masked(&[record, begins, key[0], key[1], ends, "and PRIVATE words", record]);
        assert_eq!((&*output[0], &*output[5], &*output[6]), (record, "and PRIVATE words", record));
        assert!(output[1..4].iter().all(|line| line.starts_with("REDACTED-private-key-")), "{output:?}");
        // Truncated, it ends before the next record.
        let output = masked(&[begins, key[0], record, key[1]]);
        assert!(output[1].starts_with("REDACTED-") && output[2] == record && output[3] == key[1], "{output:?}");
    }

    #[test]
    fn parts_end_before_a_record() {
        assert_eq!(parts("a\nb, c{\"d\":1}").collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(parts("alone").count(), 0);
    }
}

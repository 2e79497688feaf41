//! Values: placeholders, which are not secrets, and values that look random enough to be secrets anywhere.

/// Placeholders: values that say that there is no secret, or which kind of secret belongs here.
const NO_SECRETS: [&str; 37] = [
    "none",
    "null",
    "nil",
    "true",
    "false",
    "undefined",
    "unknown",
    "empty",
    "n/a",
    "na",
    "unset",
    "missing",
    "redacted",
    "[redacted]",
    "<redacted>",
    "masked",
    "hidden",
    "required",
    "optional",
    "string",
    "number",
    "integer",
    "boolean",
    "object",
    "array",
    "bearer",
    "basic",
    "token",
    "secret",
    "password",
    "your-token",
    "yes",
    "no",
    "disabled",
    // How a browser sends `credentials`.
    "same-origin",
    "include",
    "omit",
];
/// Common words of logs: such a secret is only masked under its name.
const COMMON: [&str; 36] = [
    "success",
    "timeout",
    "blocked",
    "failed",
    "completed",
    "interrupted",
    "approved",
    "rejected",
    "retried",
    "continue",
    "handoff",
    "message",
    "reason",
    "assistant",
    "system",
    "content",
    "default",
    "example",
    "development",
    "production",
    "testing",
    "localhost",
    "admin123",
    "password1",
    "changeme",
    "123456",
    "1234567",
    "12345678",
    "123456789",
    "1234567890",
    "secret123",
    "password123",
    "monotonic",
    "user_script",
    "runtime_finalize",
    "thinking_text",
];

/// Whether a value is empty or a placeholder.
pub(crate) fn is_no_secret(value: &str) -> bool {
    let value = value.trim();
    let is_filler = |character: char| "*xX.•-_ ".contains(character);
    value.is_empty()
        || value.chars().all(is_filler)
        || (value.len() <= 16 && NO_SECRETS.contains(&value.to_ascii_lowercase().as_str()))
        || value.starts_with("<redacted:")
        || (value.starts_with("${") && value.ends_with('}'))
        || (value.starts_with("{{") && value.ends_with("}}"))
        || value.strip_prefix('$').is_some_and(is_variable)
        || (value.len() < 40 && value.strip_prefix('<').and_then(|value| value.strip_suffix('>')).is_some_and(is_words))
}

fn is_variable(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

fn is_words(text: &str) -> bool {
    text.chars().all(|letter| letter.is_alphabetic() || " -_.".contains(letter))
}

/// Whether a value looks so much like a secret that it is searched for everywhere. Words, identifiers and paths, which
/// logs are full of, must not match. A match has either eight characters with letters and digits that are not a
/// numbered word such as `turn-4e1b`, or a character that identifiers do not have, or it is longer and does not look
/// like words.
pub(crate) fn is_random(value: &str) -> bool {
    let (mut digits, mut upper, mut lower, mut blanks, mut signs) = (0, 0, 0, 0, 0);
    for letter in value.chars() {
        match letter {
            '0'..='9' => digits += 1,
            'a'..='z' => lower += 1,
            'A'..='Z' => upper += 1,
            ' ' => blanks += 1,
            '-' | '_' | '.' | ':' | '/' | '\\' => {}
            _ => signs += 1,
        }
    }
    let letters = upper + lower;
    if is_path(value) || value.len() < 8 {
        return false;
    }
    (letters == 0 && digits >= 8)
        || signs > 0
        || (blanks > 0 && value.len() >= 12)
        || (digits > 0 && letters > 0 && !is_numbered_word(value))
        || (upper > 0 && lower > 0 && value.len() >= 12 && !is_words_in_a_row(value))
        || (lower == value.len() && lower >= 16)
}

/// Whether a value was certainly made by a generator. This is required under a name that may, but need not, hold a
/// secret.
pub(crate) fn is_generated(value: &str) -> bool {
    value.len() >= 12 && !value.contains([' ', '\n']) && !value.contains("://") && !is_uuid(value) && is_random(value)
}

/// Whether a value is a digest in hexadecimal, or another number that computers give to things.
pub(crate) fn is_digest(value: &str) -> bool {
    let digits = value.rsplit([':', '-']).next().unwrap_or(value);
    is_uuid(value) || (digits.len() >= 8 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn is_uuid(value: &str) -> bool {
    value.len() == 36
        && value.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Words and short numbers with separators between them.
fn is_numbered_word(value: &str) -> bool {
    const SEPARATORS: [char; 5] = ['-', '_', '.', ':', '/'];
    let has_digit = |part: &&str| part.bytes().any(|byte| byte.is_ascii_digit());
    let weight: usize = value.split(SEPARATORS).filter(has_digit).map(str::len).sum();
    value.contains(SEPARATORS) && weight < 8
}

/// `likeThis`, `LikeThis` or `Like-This`: a capital letter is followed by small ones.
fn is_words_in_a_row(value: &str) -> bool {
    const LETTERS_A_WORD: usize = 3;
    value.split(|letter: char| !letter.is_ascii_alphabetic()).all(|part| {
        let words = part.bytes().filter(u8::is_ascii_uppercase).count();
        words == part.len() || words * LETTERS_A_WORD <= part.len()
    })
}

/// Whether a value is a file path of ordinary names.
pub(crate) fn is_path(value: &str) -> bool {
    let is_made = |part: &str| {
        let has = |is: fn(&u8) -> bool| part.as_bytes().iter().any(is);
        part.len() >= 12 && has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase)
    };
    let is_rooted = ["/", "./", "../", "~/"].iter().any(|root| value.starts_with(root));
    let has_ending = value.rsplit_once('.').is_some_and(|(_, ending)| {
        (1..=5).contains(&ending.len()) && ending.bytes().all(|byte| byte.is_ascii_lowercase())
    });
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._- ~@".contains(letter);
    value.contains('/') && (is_rooted || has_ending) && value.chars().all(is_plain) && !value.split('/').any(is_made)
}

pub(crate) fn is_common(value: &str) -> bool {
    value.len() <= 20 && COMMON.contains(&value.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_not_secrets() {
        for value in
            ["", "None", "****", "${TOKEN}", "$TOKEN", "<your token>", "{{ secrets.X }}", "[REDACTED]", "same-origin"]
        {
            assert!(is_no_secret(value), "{value}");
        }
        for value in
            ["hunter2", "$2b$12$abcdefgh/", "correct horse", "$ecretP4ssw0rd", "<Xk9vQ72m>", "{{Xk9vQ72m", "${Xk9v"]
        {
            assert!(!is_no_secret(value), "{value}");
        }
    }

    #[test]
    fn words_identifiers_and_paths_are_not_searched_for_elsewhere() {
        for value in [
            "Xk9vQ72mLw4T",
            "hunter2-hunter2",
            "tok-00000001-x",
            "correct-Horse 9/battery",
            "/k3J/Lm9abcdEFGH012/x",
            "XkvQmLwTabZr",
            "abcdefghijklmnop",
            "12345670",
            "p@ssword",
        ] {
            assert!(is_random(value), "{value}");
        }
        for value in [
            "turn-4e1b",
            "edit_file",
            "src/dates.rs",
            "/srv/project2/x",
            "function",
            "readFileContents",
            "claude-3-5-sonnet",
            "runtime_finalize",
            "hunter2",
        ] {
            assert!(!is_random(value), "{value}");
        }
    }
}

//! Names whose values are secrets, and values that never are.

/// Compared in lower case, without `_`, `-`, `.` and blanks.
const NAMES: [&str; 28] = [
    "authorization",
    "proxyauthorization",
    "xauthorization",
    "cookie",
    "setcookie",
    "apikey",
    "xapikey",
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "pass",
    "secret",
    "secrets",
    "privatekey",
    "clientsecret",
    "secretkey",
    "accesskey",
    "signingkey",
    "encryptionkey",
    "credential",
    "credentials",
    "protectedvalues",
    "protecteddisclosure",
    "sessionkey",
    "connectionstring",
    "passcode",
    "secretkeybase",
];
const ENDINGS: [&str; 13] = [
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "apikey",
    "privatekey",
    "secretkey",
    "accesskey",
    "accesskeyid",
    "signingkey",
    "encryptionkey",
    "pwd",
];
/// Words before `key` that make it a secret; other keys belong to tables, caches and maps.
const KEYS_OF: [&str; 16] = [
    "auth",
    "account",
    "master",
    "storage",
    "shared",
    "service",
    "webhook",
    "hmac",
    "jwt",
    "stripe",
    "openai",
    "anthropic",
    "github",
    "gitlab",
    "sendgrid",
    "mailgun",
];
/// Tokens of a tokenizer, or limits.
const NO_NAMES: [&str; 10] = [
    "eostoken",
    "bostoken",
    "padtoken",
    "unktoken",
    "septoken",
    "clstoken",
    "masktoken",
    "maxtoken",
    "mintoken",
    "stoptoken",
];
/// Lists and tables of secrets. Many hold other things, so their values must also look like secrets.
const HOLDERS: [&str; 8] =
    ["tokens", "passwords", "apikeys", "secrets", "credentials", "accesskeys", "secretkeys", "privatekeys"];
/// Members next to a secret that only describe it.
const DESCRIPTIVE: [&str; 26] = [
    "type",
    "description",
    "title",
    "format",
    "example",
    "examples",
    "default",
    "pattern",
    "ref",
    "id",
    "name",
    "user",
    "username",
    "login",
    "email",
    "host",
    "url",
    "uri",
    "path",
    "domain",
    "expires",
    "samesite",
    "version",
    "model",
    "kind",
    "scope",
];
/// Names that are secrets only in the query of a URL, where they sign it.
const QUERY_NAMES: [&str; 8] =
    ["sig", "signature", "xamzsignature", "xamzcredential", "xgoogsignature", "key", "auth", "code"];

/// Values that mean that there is no secret, or which kind is expected.
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

fn folded(name: &str) -> String {
    name.chars()
        .filter(|character| !"_-. ".contains(*character))
        .map(|character| character.to_ascii_lowercase())
        .collect()
}

/// Whether the value of this name is a secret. Plurals such as `max_tokens` are counts.
pub(crate) fn is_sensitive(name: &str) -> bool {
    // No field name is that long; skip the work.
    if name.len() > 128 {
        return false;
    }
    // `session_id` is a common field of logs; in one word it is a cookie. `pass` after a separator is a password.
    let (is_session, is_pass) =
        (name == "sessionid", ["_pass", "-pass", ".pass", "_PASS"].iter().any(|pass| name.ends_with(pass)));
    let name = folded(name);
    let is_key = || name.strip_suffix("key").is_some_and(|of| KEYS_OF.iter().any(|known| of.ends_with(known)));
    let is_named = NAMES.contains(&name.as_str()) || ENDINGS.iter().any(|ending| name.ends_with(ending));
    is_session || is_pass || ((is_named || is_key()) && !NO_NAMES.contains(&name.as_str()))
}

/// Whether a value with this name is certainly a secret: a token or key may be any word, a password is always a secret.
pub(crate) fn is_password(name: &str) -> bool {
    name.len() <= 128 && {
        let name = folded(name);
        let is_part = ["passw", "passphrase", "passcode", "secret"].iter().any(|part| name.contains(part));
        is_part || name.ends_with("pass") || name.ends_with("pwd")
    }
}

/// Whether this name may hold a list or table of secrets.
pub(crate) fn is_holder(name: &str) -> bool {
    name.len() <= 128 && {
        let name = folded(name);
        HOLDERS.iter().any(|holder| name.ends_with(holder))
    }
}

/// Whether a member with this name only describes the secret next to it.
pub(crate) fn is_descriptive(name: &str) -> bool {
    let is_other = ["_at", "At", "_id", "Id"].iter().any(|ending| name.ends_with(ending));
    is_other || (name.len() <= 32 && DESCRIPTIVE.contains(&folded(name).trim_start_matches('$')))
}

/// Whether this value is the working folder, which is called `PWD` in a shell.
pub(crate) fn is_folder(name: &str, value: &str) -> bool {
    let is_rooted = value.starts_with(['/', '~']) || value.get(1..3) == Some(":\\");
    is_rooted && name.len() <= 64 && folded(name).ends_with("pwd")
}

pub(crate) fn is_sensitive_in_query(name: &str) -> bool {
    is_sensitive(name) || (name.len() <= 32 && QUERY_NAMES.contains(&folded(name).as_str()))
}

pub(crate) fn is_cookie(name: &str) -> bool {
    matches!(folded(name).as_str(), "cookie" | "setcookie")
}

/// Whether a word is a command-line option whose next word is a secret.
pub(crate) fn is_sensitive_flag(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|name| !word.contains('=') && is_sensitive(name.trim_start_matches('-')))
}

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
    fn all_spellings_of_a_name_are_recognized() {
        for name in [
            "API_KEY",
            "apiKey",
            "x-api-key",
            "Set-Cookie",
            "GITHUB_TOKEN",
            "db.password",
            "clientSecret",
            "AWS_SECRET_ACCESS_KEY",
            "DB_PASS",
            "passcode",
            "sessionid",
            "secret_key_base",
            "STRIPE_KEY",
            "X-Auth-Key",
            "AccountKey",
            "DB_PWD",
        ] {
            assert!(is_sensitive(name), "{name}");
        }
        for name in [
            "max_tokens",
            "input_tokens",
            "tokenizer",
            "author",
            "key",
            "passed",
            "secretary",
            "call_id",
            "content_hash",
            "session_id",
            "bypass",
            "query_key",
            "primary_key",
            "eos_token",
            "max_token",
        ] {
            assert!(!is_sensitive(name), "{name}");
        }
        assert!(is_sensitive_flag("--api-key") && is_sensitive_flag("-password") && !is_sensitive_flag("password"));
    }

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
        assert!(is_folder("OLDPWD", "/srv/project") && !is_folder("pwd", "hunter2") && !is_folder("token", "/srv"));
    }
}

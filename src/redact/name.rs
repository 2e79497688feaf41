//! Names whose values are secrets, and values that are none whatever their name.

/// Compared in lower case, without `_`, `-`, `.` and blanks.
const NAMES: [&str; 26] = [
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
];
const ENDINGS: [&str; 12] = [
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
];
/// Names that are secrets only in the query of a URL, where they sign it.
const QUERY_NAMES: [&str; 8] =
    ["sig", "signature", "xamzsignature", "xamzcredential", "xgoogsignature", "key", "auth", "code"];

/// Values that say that there is none, or what kind there should be.
const NO_SECRETS: [&str; 34] = [
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
];
/// Words that logs are made of: a secret that is one of them is hidden where its name tells, and nowhere else.
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

/// Whether what stands under this name is a secret. Plurals such as `max_tokens` count things and are none.
pub fn is_sensitive(name: &str) -> bool {
    // No name of a field is that long, and the folding need not be paid for.
    if name.len() > 128 {
        return false;
    }
    let name = folded(name);
    NAMES.contains(&name.as_str()) || ENDINGS.iter().any(|ending| name.ends_with(ending))
}

pub fn is_sensitive_in_query(name: &str) -> bool {
    is_sensitive(name) || (name.len() <= 32 && QUERY_NAMES.contains(&folded(name).as_str()))
}

pub fn is_cookie(name: &str) -> bool {
    matches!(folded(name).as_str(), "cookie" | "setcookie")
}

/// A command line's option whose next word is a secret.
pub fn is_sensitive_flag(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|name| !word.contains('=') && is_sensitive(name.trim_start_matches('-')))
}

/// A value that says nothing, or stands for one that is filled in elsewhere.
pub fn is_no_secret(value: &str) -> bool {
    let value = value.trim();
    let is_filler = |character: char| "*xX.•-_ ".contains(character);
    value.is_empty()
        || value.chars().all(is_filler)
        || (value.len() <= 16 && NO_SECRETS.contains(&value.to_ascii_lowercase().as_str()))
        || value.starts_with("<redacted:")
        || value.starts_with("${")
        || value.starts_with("{{")
        || (value.starts_with('$') && value[1..].chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_'))
        || (value.starts_with('<') && value.ends_with('>') && value.len() < 40)
}

pub fn is_common(value: &str) -> bool {
    value.len() <= 20 && COMMON.contains(&value.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_name_are_one_name() {
        for name in [
            "API_KEY",
            "apiKey",
            "x-api-key",
            "Set-Cookie",
            "GITHUB_TOKEN",
            "db.password",
            "clientSecret",
            "AWS_SECRET_ACCESS_KEY",
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
        ] {
            assert!(!is_sensitive(name), "{name}");
        }
        assert!(is_sensitive_flag("--api-key") && is_sensitive_flag("-password") && !is_sensitive_flag("password"));
    }

    #[test]
    fn placeholders_are_no_secrets() {
        for value in ["", "None", "****", "${TOKEN}", "$TOKEN", "<your token>", "{{ secrets.X }}", "[REDACTED]"] {
            assert!(is_no_secret(value), "{value}");
        }
        for value in ["hunter2", "$2b$12$abcdefgh/", "correct horse"] {
            assert!(!is_no_secret(value), "{value}");
        }
    }
}

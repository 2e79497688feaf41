//! Sensitive names: names of fields, variables and options whose values are secrets.

use super::layer::is_invisible;

/// Compared in lower case, without `_`, `-`, `.` and blanks.
const NAMES: [&str; 45] = [
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
    "pw",
    "psw",
    "creds",
    "mnemonic",
    "requirepass",
    "masterauth",
    "storepass",
    "keypass",
    "jsessionid",
    "phpsessid",
    "identitytoken",
    "owneraccountuuid",
    "ownerorganizationuuid",
    "accountuuid",
    "organizationuuid",
    "bridgesessionid",
    "repositoryurl",
];
const ENDINGS: [&str; 16] = [
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
    "seedphrase",
    "recoveryphrase",
    "connectionstring",
];
/// Words before `key` that make it a secret; other keys belong to tables, caches and maps.
const KEYS_OF: [&str; 21] = [
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
    "app",
    "preshared",
    "cipher",
    "license",
    "subscription",
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

/// Last words of a name that say for which place or in which form it holds a secret: `DB_PASSWORD_PROD`.
const QUALIFIERS: [&str; 20] = [
    "prod",
    "production",
    "dev",
    "development",
    "staging",
    "stage",
    "test",
    "live",
    "sandbox",
    "new",
    "old",
    "current",
    "value",
    "base64",
    "b64",
    "plain",
    "raw",
    "root",
    "admin",
    "backup",
];
/// Words before `pass` in one word with it. In `bypass` and `compass` it is not a password.
const PASS_OF: [&str; 18] = [
    "db", "user", "root", "admin", "my", "ftp", "smtp", "imap", "mail", "ssh", "sql", "pg", "redis", "mongo", "ldap",
    "bind", "proxy", "sudo",
];
/// Words that make any name suspect, wherever they are in it: `TOKEN_FOR_CI`, `_auth`.
const SUSPECT_WORDS: [&str; 20] = [
    "pass",
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "pw",
    "secret",
    "token",
    "credential",
    "credentials",
    "creds",
    "auth",
    "psk",
    "apikey",
    "jwt",
    "otp",
    "totp",
    "sas",
    "sid",
    "pepper",
];
/// Last words of names that describe a secret, or count something.
const DESCRIBING: [&str; 56] = [
    "id",
    "ids",
    "name",
    "names",
    "type",
    "count",
    "counts",
    "limit",
    "budget",
    "usage",
    "length",
    "len",
    "size",
    "file",
    "path",
    "dir",
    "url",
    "uri",
    "endpoint",
    "arn",
    "at",
    "expiry",
    "expires",
    "ttl",
    "hash",
    "digest",
    "sha256",
    "fingerprint",
    "version",
    "policy",
    "rules",
    "hint",
    "field",
    "column",
    "label",
    "prompt",
    "manager",
    "store",
    "provider",
    "required",
    "enabled",
    "format",
    "index",
    "position",
    "offset",
    "estimate",
    "total",
    "max",
    "min",
    "ref",
    "scope",
    "scopes",
    "issuer",
    "status",
    "state",
    "source",
];
/// Words before `key` in names whose values are not secrets.
const PLAIN_KEYS: [&str; 32] = [
    "public",
    "pub",
    "primary",
    "foreign",
    "sort",
    "partition",
    "cache",
    "query",
    "object",
    "s3",
    "idempotency",
    "dedupe",
    "dedup",
    "routing",
    "hash",
    "row",
    "map",
    "group",
    "lookup",
    "unique",
    "index",
    "host",
    "hot",
    "registry",
    "config",
    "storage",
    "state",
    "session",
    "event",
    "call",
    "file",
    "turn",
];

/// In lower case, without separators and invisible characters.
fn folded(name: &str) -> String {
    name.chars()
        .filter(|character| !"_-. ".contains(*character) && !is_invisible(*character))
        .map(|character| character.to_ascii_lowercase())
        .collect()
}

/// The words of a name, in lower case: `dbPassword` and `DB_PASSWORD` have the same.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for character in name.chars().filter(|character| !is_invisible(*character)) {
        let is_new = !character.is_alphanumeric() || (was_lower && character.is_uppercase());
        if is_new && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        was_lower = character.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| character.is_alphanumeric()) {
            word.push(character.to_ascii_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The name without numbers and qualifiers at its end.
fn unqualified(name: &str) -> &str {
    let bare = name.trim_end_matches(|character: char| character.is_ascii_digit()).trim_end_matches(['_', '-', '.']);
    let bare = if bare.is_empty() { name } else { bare };
    match bare.rsplit_once(['_', '-', '.']) {
        Some((front, last)) if !front.is_empty() && QUALIFIERS.contains(&last.to_ascii_lowercase().as_str()) => front,
        _ => bare,
    }
}

/// Whether the value of this name is a secret. Plurals such as `max_tokens` are counts.
pub(crate) fn is_sensitive(name: &str) -> bool {
    // No field name is that long; skip the work.
    if name.len() > 128 {
        return false;
    }
    // `session_id` is a common field of logs; in one word it is a cookie. `pass` after a separator is a password.
    let name = unqualified(name);
    let last = name.rsplit(['_', '-', '.', ':', '$']).next().unwrap_or_default().to_ascii_lowercase();
    let is_short = name.len() > last.len() && matches!(last.as_str(), "pass" | "pw" | "psw");
    let is_camel = ["Pass", "Pw"].iter().any(|ending| name.ends_with(ending));
    let is_session = name == "sessionid";
    let name = folded(name);
    let is_of =
        |word: &str, of: &[&str]| name.strip_suffix(word).is_some_and(|name| of.iter().any(|of| name.ends_with(of)));
    let is_named = NAMES.contains(&name.as_str()) || ENDINGS.iter().any(|ending| name.ends_with(ending));
    let is_pass = name.strip_suffix("pass").is_some_and(|of| PASS_OF.contains(&of));
    let is_known = is_named || is_pass || is_of("key", &KEYS_OF);
    is_session || is_short || is_camel || (is_known && !NO_NAMES.contains(&name.as_str()))
}

/// Whether the value of this name is a secret if it looks generated.
pub(crate) fn is_suspect(name: &str) -> bool {
    if name.len() > 128 {
        return false;
    }
    let words = words(unqualified(name));
    let has = |list: &[&str], word: Option<&String>| word.is_some_and(|word| list.contains(&word.as_str()));
    if has(&DESCRIBING, words.last()) || NO_NAMES.contains(&folded(name).as_str()) {
        return false;
    }
    let before_key = words.len().checked_sub(2).and_then(|at| words.get(at));
    let is_key =
        words.last().is_some_and(|word| word == "key") && before_key.is_some() && !has(&PLAIN_KEYS, before_key);
    is_key || words.iter().any(|word| SUSPECT_WORDS.contains(&word.as_str()))
}

/// Whether a value with this name is certainly a secret: a token or key may be any word, a password is always a secret.
pub(crate) fn is_password(name: &str) -> bool {
    name.len() <= 128 && {
        let name = folded(unqualified(name));
        let is_part = ["passw", "passphrase", "passcode", "secret"].iter().any(|part| name.contains(part));
        is_part || ["pass", "pwd", "pw", "psw"].iter().any(|ending| name.ends_with(ending))
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
            "DB_PW",
            "PW",
            "dbPass",
            "DB_PASSWORD_PROD",
            "API_KEY_2",
            "APP_KEY",
            "pass\u{200b}word",
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
            "compass",
            "token_count",
            "password_file",
        ] {
            assert!(!is_sensitive(name), "{name}");
        }
        for name in ["_auth", "TOKEN_FOR_CI", "weatherKey", "secretForDeploy"] {
            assert!(is_suspect(name) && !is_sensitive(name), "{name}");
        }
        for name in ["author", "cache_key", "token_hash", "secret_name", "primaryKey", "tokens_per_second", "key"] {
            assert!(!is_suspect(name), "{name}");
        }
        assert!(is_sensitive_flag("--api-key") && is_sensitive_flag("-password") && !is_sensitive_flag("password"));
        assert!(is_folder("OLDPWD", "/srv/project") && !is_folder("pwd", "hunter2") && !is_folder("token", "/srv"));
    }
}

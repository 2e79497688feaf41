//! The rules: what counts as a secret, one row each. Shapes that are nobody's own are only taken where a name stands
//! beside them: a log full of hashes, ids and code must stay a log.

use std::ops::Range;

use regex::{Captures, Regex, RegexBuilder};

use super::layer;
use super::name::{is_no_secret, is_sensitive, is_sensitive_in_query};

pub struct Rule {
    pub name: &'static str,
    /// What it hides, for people.
    pub hides: &'static str,
    /// The groups of a pattern are what is hidden; without a group, all of it. None where no pattern can tell.
    pattern: Option<&'static str>,
    /// Whether a match is meant, where the pattern alone cannot tell.
    judge: fn(&Captures<'_>, &str, Range<usize>) -> bool,
}

macro_rules! words {
    () => {
        "(?:pass(?:word|wd|phrase)|pwd|secret|token|(?:api|access|secret|private|signing|encryption)[_-]?key(?:[_-]?id)?|credentials?)"
    };
}

pub const FIELD: usize = 0;
pub const EMAIL: usize = 20;

/// In the order in which they claim a text: who comes first names the mask.
pub const RULES: [Rule; 21] = [
    row(
        "field",
        "values of JSON fields and command-line options with a sensitive name (`authorization`, `cookie`, `password`, `secret`, `…_token`, `…ApiKey`, …)",
        None,
        always,
    ),
    row(
        "private-key",
        "private key blocks, cut off ones too",
        Some(
            r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\z)",
        ),
        always,
    ),
    row(
        "jwt",
        "JSON web tokens",
        Some(r"(?-u:\b)eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?"),
        always,
    ),
    row("aws-key", "AWS access key ids", Some(r"(?-u:\b)(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?-u:\b)"), always),
    row(
        "github-token",
        "GitHub tokens (`ghp_…`, `github_pat_…`)",
        Some(r"(?-u:\b)(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})"),
        always,
    ),
    row(
        "gitlab-token",
        "GitLab tokens (`glpat-…`)",
        Some(r"(?-u:\b)gl(?:pat|oas|dt|rt|cbt|ptt|ft|imt|agent|soat)-[A-Za-z0-9_-]{20,}"),
        always,
    ),
    row(
        "slack-token",
        "Slack tokens and webhook addresses",
        Some(
            r"(?-u:\b)(?:xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}|hooks\.slack\.com/services/([A-Za-z0-9/]{20,}))",
        ),
        always,
    ),
    row(
        "stripe-key",
        "Stripe keys",
        Some(r"(?-u:\b)(?:[srp]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9]{24,})"),
        always,
    ),
    row("anthropic-key", "Anthropic keys", Some(r"(?-u:\b)sk-ant-[A-Za-z0-9_-]{20,}"), always),
    row(
        "openai-key",
        "OpenAI keys, and others of the shape `sk-…` that hold a digit",
        Some(r"(?-u:\b)sk-[A-Za-z0-9_-]{20,}"),
        has_digit,
    ),
    row(
        "google-key",
        "Google API keys, client secrets and access tokens",
        Some(r"(?-u:\b)(?:AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{20,}|ya29\.[A-Za-z0-9_-]{20,})"),
        always,
    ),
    row("npm-token", "npm and PyPI tokens", Some(r"(?-u:\b)(?:npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,})"), always),
    row("huggingface-token", "Hugging Face tokens", Some(r"(?-u:\b)hf_[A-Za-z0-9]{30,}"), always),
    row(
        "vendor-key",
        "keys of Cerebras, Together, Groq, SendGrid and DigitalOcean",
        Some(
            r"(?-u:\b)(?:csk-[a-z0-9]{40,}|tgp_v1_[A-Za-z0-9_-]{30,}|gsk_[A-Za-z0-9]{40,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|do[opr]_v1_[a-f0-9]{64})",
        ),
        always,
    ),
    row(
        "url-credentials",
        "passwords in URLs, and long names that stand there alone",
        Some(
            r#"[A-Za-z][A-Za-z0-9+.-]{0,20}://(?:[^\s/?#"'<>@:\x00-\x1f]*:([^\s/?#"'<>@\x00-\x1f]+)|([A-Za-z0-9_.~%-]{20,}))@"#,
        ),
        always,
    ),
    row(
        "url-query",
        "sensitive query parameters of URLs, signatures too",
        Some(r#"[?&]([A-Za-z0-9_.-]{1,64})=([^\s&#"'<>\\\x00-\x1f]+)"#),
        query,
    ),
    row("basic", "basic authorization", Some(r"(?i-u:\bbasic[ \t]+)([A-Za-z0-9+/_-]{8,}={0,2})"), basic),
    row("bearer", "bearer tokens", Some(r"(?i-u:\bbearer[ \t]+)([A-Za-z0-9._~+/-]{8,}=*)"), long_or_digit),
    row(
        "header",
        "header lines in texts: `Authorization:`, `Cookie:`, `Set-Cookie:`",
        Some(
            r#"(?i-u:\b(?:(?:set-)?(cookie)|(?:proxy-)?authorization)["']?[ \t]*:[ \t]*["']?)(?i-u:[a-z]+[ \t]+)?([^\s"'\x00-\x1f][^"'\x00-\x1f]*)"#,
        ),
        header,
    ),
    row(
        "assignment",
        "`name=value`, `\"name\": \"value\"` and `--name value` with a sensitive name, in texts, command lines and dumps",
        Some(concat!(
            r#"(?i-u:([a-z0-9_.-]*"#,
            words!(),
            r#")["']?([ \t]{0,4}(?::=|=>|=|:)[ \t]{0,4}|[ \t]+))(?:"([^"\x00-\x1f]+)(?:"|\z)|'([^'\x00-\x1f]+)(?:'|\z)|([^\s"'&;,|)}\]<>(\x00-\x1f]+))"#
        )),
        assignment,
    ),
    row(
        "email",
        "e-mail addresses (only on request)",
        Some(r"(?-u:\b)[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})*\.[A-Za-z]{2,24}(?-u:\b)"),
        always,
    ),
];

/// The name of the first of the user's own patterns is this with a number.
pub const OWN: &str = "pattern";
pub const OWN_HIDES: &str =
    "what the user's own patterns match (their groups, where they have some); one name a pattern";

const fn row(
    name: &'static str,
    hides: &'static str,
    pattern: Option<&'static str>,
    judge: fn(&Captures<'_>, &str, Range<usize>) -> bool,
) -> Rule {
    Rule { name, hides, pattern, judge }
}

fn always(_: &Captures<'_>, _: &str, _: Range<usize>) -> bool {
    true
}

fn digits(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

fn has_digit(_: &Captures<'_>, text: &str, secret: Range<usize>) -> bool {
    digits(&text[secret])
}

/// A word after `bearer` is mostly prose.
fn long_or_digit(_: &Captures<'_>, text: &str, secret: Range<usize>) -> bool {
    secret.len() >= 24 || digits(&text[secret])
}

fn query(found: &Captures<'_>, text: &str, secret: Range<usize>) -> bool {
    let name = &found[1];
    found.get(2).is_some_and(|value| value.range() == secret)
        && is_sensitive_in_query(name)
        && (is_sensitive(name) || secret.len() >= 16)
        && !is_no_secret(&text[secret])
}

fn basic(_: &Captures<'_>, text: &str, secret: Range<usize>) -> bool {
    layer::base64_text(&text[secret]).is_some_and(|(text, _)| text.contains(':'))
}

fn header(found: &Captures<'_>, text: &str, secret: Range<usize>) -> bool {
    let value = &text[secret.clone()];
    let is_value = found.get(2).is_some_and(|group| group.range() == secret);
    is_value && if found.get(1).is_some() { value.contains('=') } else { value.len() >= 16 || digits(value) }
}

/// Code and prose are full of sensitive names with something after them that is no secret.
fn assignment(found: &Captures<'_>, text: &str, secret: Range<usize>) -> bool {
    let (Some(name), Some(between)) = (found.get(1), found.get(2)) else { return false };
    if secret == name.range() || secret == between.range() {
        return false;
    }
    let value = &text[secret.clone()];
    let short_name = name.as_str();
    let short_name = &short_name[short_name.len().saturating_sub(64)..];
    if is_no_secret(value) || !is_sensitive(short_name.trim_start_matches(['-', '.', '_'])) {
        return false;
    }
    let is_quoted = found.get(3).or(found.get(4)).is_some();
    let sign = between.as_str().trim();
    if sign.is_empty() {
        let is_flag = short_name.starts_with('-') || text[..name.start()].ends_with('-');
        return is_flag && !value.starts_with('-');
    }
    if is_quoted {
        return true;
    }
    let is_called = matches!(text.as_bytes().get(secret.end), Some(b'(' | b'['));
    let last = value.rsplit('.').next().unwrap_or(value);
    let is_path = !digits(value) && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.:*&".contains(&byte));
    if is_called || (is_path && is_sensitive(last)) {
        return false;
    }
    let is_tight = sign == between.as_str() && sign == "=";
    if is_tight { !(is_path && value.contains('.')) } else { value.len() >= 6 && digits(value) }
}

/// A pattern of the user that is no regular expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}\n  {pattern}\n  {:>column$}", "^")]
pub struct BadPattern {
    pub pattern: String,
    /// Where in the pattern, in characters from 1.
    pub column: usize,
    pub reason: String,
}

/// The rules made ready, with the user's own after them.
pub struct Rules {
    names: Vec<String>,
    patterns: Vec<(usize, Regex)>,
}

/// A secret in a text and the rule that says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    pub secret: Range<usize>,
    pub rule: usize,
}

impl Rules {
    pub fn new(emails: bool, own: &[String]) -> Result<Rules, BadPattern> {
        let mut rules = Rules { names: RULES.iter().map(|rule| rule.name.to_owned()).collect(), patterns: Vec::new() };
        for (number, rule) in RULES.iter().enumerate().filter(|(number, _)| emails || *number != EMAIL) {
            if let Some(pattern) = rule.pattern {
                let built = RegexBuilder::new(pattern).size_limit(64 << 20).build();
                rules.patterns.push((number, built.map_err(|error| bad(pattern, &error))?));
            }
        }
        for (at, pattern) in own.iter().enumerate() {
            rules.patterns.push((rules.names.len(), Regex::new(pattern).map_err(|error| bad(pattern, &error))?));
            rules.names.push(format!("{OWN}-{}", at + 1));
        }
        Ok(rules)
    }

    pub fn name(&self, rule: usize) -> &str {
        &self.names[rule]
    }

    /// Every secret that a pattern sees in a text.
    pub fn find(&self, text: &str, mut each: impl FnMut(Match)) {
        for (rule, pattern) in &self.patterns {
            let judge = RULES.get(*rule).map_or(always as _, |row| row.judge);
            for found in pattern.captures_iter(text) {
                let grouped = found.len() > 1 && found.iter().skip(1).any(|group| group.is_some());
                let groups = found.iter().skip(usize::from(grouped)).flatten();
                for secret in groups.map(|group| group.range()).filter(|range| !range.is_empty()) {
                    if judge(&found, text, secret.clone()) {
                        each(Match { secret, rule: *rule });
                    }
                }
            }
        }
    }
}

/// The engine tells of a place only by drawing an arrow below the pattern; that arrow is read.
fn bad(pattern: &str, error: &regex::Error) -> BadPattern {
    let told = error.to_string();
    let arrow = told.lines().find(|line| line.contains('^') && line.trim_matches([' ', '^']).is_empty());
    let column = arrow.and_then(|line| line.find('^')).map_or(1, |at| at.saturating_sub(3));
    let reason = told.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
    BadPattern { pattern: pattern.to_owned(), column: column.max(1), reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(&str, &'static str)> {
        let mut all = Vec::new();
        let rules = Rules::new(false, &[]).expect("our own patterns");
        rules.find(text, |found| all.push((&text[found.secret], RULES[found.rule].name)));
        all
    }

    #[test]
    fn names_beside_values_tell() {
        for (text, secret) in [
            ("export DB_PASSWORD=hunter2 && run", "hunter2"),
            (r#"body {"api_key": "a b c"} sent"#, "a b c"),
            ("mysql --password hunter2 -u root", "hunter2"),
            ("client_secret: abc123def", "abc123def"),
            (r#"cut off {"token":"abc d"#, "abc d"),
            ("GET /x?access_token=abc%2Fdef&y=1", "abc%2Fdef"),
            ("postgres://me:s3cret@db/x", "s3cret"),
            ("Cookie: sid=abcdef; a=b", "sid=abcdef; a=b"),
            ("authorization: Bearer abcdefgh1", "abcdefgh1"),
        ] {
            assert!(found(text).iter().any(|(value, _)| *value == secret), "{text}: {:?}", found(text));
        }
    }

    #[test]
    fn code_and_prose_are_left_alone() {
        for text in [
            "let token = tokenizer.next(); password: str, token: String",
            "f(password=password, token=self.token, secret=config.secret)",
            "the password is required; a token of thanks; bearer certificates",
            "max_tokens=4096 input_tokens: 12",
            "git@github.com:a/b.git ssh://git@github.com/a/b",
            "basic understanding, authorization: required",
            "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "sk-learn-with-a-very-long-name-indeed",
            "token=$TOKEN password=${PASS} api_key=<your-key>",
        ] {
            assert!(found(text).is_empty(), "{text}: {:?}", found(text));
        }
    }

    #[test]
    fn a_bad_pattern_is_told_with_its_place() {
        let error = Rules::new(false, &["ok".to_owned(), "ab(c".to_owned()]).err().expect("an error");
        assert_eq!((error.pattern.as_str(), error.column), ("ab(c", 3));
        assert!(error.reason.contains("unclosed group") && error.to_string().contains("ab(c"));
    }

    #[test]
    fn numbered_rows_are_where_their_numbers_say() {
        assert_eq!((RULES[FIELD].name, RULES[EMAIL].name), ("field", "email"));
    }
}

//! The rules: what counts as a secret, one row per rule. Values without a recognizable shape need a sensitive name,
//! since hashes, ids and code, which logs are full of, must stay.

use std::ops::Range;

use regex::{Captures, Regex, RegexBuilder};

use super::false_positive::{
    always, assignment, basic, has_digit, header, login, long_or_digit, query, url_credentials, widened,
};
use super::name::is_password;

pub(crate) struct Rule {
    pub name: &'static str,
    /// What it masks.
    #[cfg_attr(not(test), expect(dead_code, reason = "a test makes the table in docs/redaction.md from it"))]
    pub hides: &'static str,
    /// The groups of a pattern are masked; without a group, the whole match. `None` if names decide.
    pattern: Option<&'static str>,
    /// A second look at a match: whether it is a secret.
    accepts: fn(&Captures<'_>, &str, Range<usize>) -> bool,
}

macro_rules! words {
    () => {
        "(?:pass(?:word|wd|phrase|code)|[_-]pass|pwd|secret(?:[_-]?key[_-]?base)?|token|(?:api|access|secret|private|signing|encryption|auth|account|master|storage|shared|service|webhook|stripe|openai|anthropic|github|gitlab|sendgrid|mailgun)[_-]?key(?:[_-]?id)?|credentials?)"
    };
}

pub(crate) const FIELD: usize = 0;
pub(crate) const ASSIGNMENT: usize = 19;
pub(crate) const EMAIL: usize = 21;

/// In order of precedence: the first rule that matches names the mask.
pub(crate) const RULES: [Rule; 22] = [
    row(
        "field",
        "values of JSON fields and command-line options with a sensitive name (`authorization`, `cookie`, `password`, `secret`, `…_token`, `…ApiKey`, …)",
        None,
        always,
    ),
    row(
        "private-key",
        "private key blocks, also truncated ones",
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
        Some(r"(?-u:\b|_)(gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})"),
        always,
    ),
    row(
        "gitlab-token",
        "GitLab tokens (`glpat-…`)",
        Some(r"(?-u:\b|_)(gl(?:pat|oas|dt|rt|cbt|ptt|ft|imt|agent|soat)-[A-Za-z0-9_-]{20,})"),
        always,
    ),
    row(
        "slack-token",
        "Slack tokens and webhook addresses",
        Some(
            r"(?-u:\b)(?:xox[abceoprs]-[A-Za-z0-9-]{10,}|xoxd-[A-Za-z0-9%/+=-]{10,}|xapp-[A-Za-z0-9-]{10,}|hooks\.slack\.com/services/([A-Za-z0-9/]{20,}))",
        ),
        always,
    ),
    row(
        "stripe-key",
        "Stripe keys",
        Some(r"(?-u:\b|_)([srp]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9]{24,})"),
        always,
    ),
    row("anthropic-key", "Anthropic keys", Some(r"(?-u:\b|_)(sk-ant-[A-Za-z0-9_-]{20,})"), always),
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
        "passwords in URLs, and long user names without a password",
        // The last `@` before the host ends a password. A password with characters that end a host is distinguished
        // from a port.
        Some(concat!(
            r#"[A-Za-z][A-Za-z0-9+.-]{0,20}://(?:[^\s/?#"'<>@:\x00-\x1f]*:([^\s/?#"'<>@\x00-\x1f]+(?:@[^\s/?#"'<>@,\x00-\x1f]+)*)"#,
            r#"|[^\s/?#"'<>@:\x00-\x1f]*:([^\s/?#"'<>@:\x00-\x1f]+[/?#][^\s"'<>@,:\x00-\x1f]{0,128})"#,
            r#"|([A-Za-z0-9_.~%-]{20,}))@"#
        )),
        url_credentials,
    ),
    row(
        "url-query",
        "sensitive query parameters of URLs, including signatures",
        Some(r#"[?&]([A-Za-z0-9_.-]{1,64})=((?:[^\s&#"'<>\\\x00-\x1f]|'[A-Za-z0-9])+)"#),
        query,
    ),
    row("basic", "basic authorization", Some(r"(?i-u:\bbasic[ \t]+)([A-Za-z0-9+/_-]{8,}={0,2})"), basic),
    row(
        "bearer",
        "bearer tokens",
        Some(r"(?i-u:\bbearer(?:[ \t]+|[ \t]*\r?\n[ \t]+))([A-Za-z0-9._~+/-]{8,}=*)"),
        long_or_digit,
    ),
    row(
        "header",
        "header lines in texts: `Authorization:`, `Cookie:`, `Set-Cookie:`",
        Some(
            r#"(?i-u:\b(?:(?:set-)?(cookie)|(?:proxy-)?authorization)["']?[ \t]*:[ \t]*["']?)(?i-u:[a-z]+[ \t]+)?([^\s"'\x00-\x1f](?:=\\?"[^"\x00-\x1f]*"?|='[^'\x00-\x1f]*'?|[^"'\x00-\x1f])*)"#,
        ),
        header,
    ),
    row(
        "assignment",
        "`name=value`, `\"name\": \"value\"` and `--name value` with a sensitive name, in texts, command lines and dumps",
        Some(concat!(
            r#"(?i-u:([a-z0-9_.-]*"#,
            words!(),
            r#")["']?([ \t]{0,4}(?::=|=>|=|:)[ \t]{0,4}(?:\r?\n[ \t]{1,40})?|[ \t]+))"#,
            // As Rust and Python print strings; an unclosed quote ends with its line.
            r#"(?:(?:(?:Some|Ok|String::from|Secret|SecretString)\(|[bru])?(?:"((?:\\[^\x00-\x1f]|[^"\\\x00-\x1f])+)|'((?:\\[^\x00-\x1f]|[^'\\\x00-\x1f])+))"#,
            r#"|(\(?[^\s"'&;,|)}\]<>(\x00-\x1f]+))"#
        )),
        assignment,
    ),
    row(
        "login",
        "passwords in `curl -u`, `sshpass -p`, `.netrc`, `identified by '…'` and `<password>…</password>`",
        Some(concat!(
            r#"(?:\s|\A)(?:-u|--user|--proxy-user)[ =]?["']?([^\s:"'/]{1,64}):([^\s"']+)"#,
            r#"|\bsshpass[ \t]+-p[ \t]*(?:'([^'\n]+)|"([^"\n]+)|([^\s"']+))"#,
            r#"|\blogin[ \t\r\n]+[^\s]{1,64}[ \t\r\n]+password[ \t\r\n]+([^\s]+)"#,
            r#"|(?i:\bidentified[ \t]+(?:with[ \t]+[^\s]{1,64}[ \t]+)?by[ \t]+(?:password[ \t]+)?|\bpassword[ \t]+)'([^'\n]+)"#,
            r#"|<[A-Za-z0-9_:.-]{0,40}(?i:password|passwd|passphrase|secret|token|api_?key)>([^<\s]+)</"#
        )),
        login,
    ),
    row(
        "email",
        "e-mail addresses (only on request)",
        Some(r"(?-u:\b)[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})*\.[A-Za-z]{2,24}(?-u:\b)"),
        always,
    ),
];

/// The prefix of the names of the user's own patterns.
pub(crate) const OWN: &str = "pattern";
#[cfg(test)]
pub(crate) const OWN_HIDES: &str =
    "matches of the user's own patterns (their groups, if they have some); one name per pattern";

/// Whether a rule goes by the name or context of a secret, not by its shape.
pub(crate) fn is_found_by_name(rule: usize) -> bool {
    const NAMED: [&str; 5] = ["field", "assignment", "url-query", "url-credentials", "login"];
    RULES.get(rule).is_some_and(|rule| NAMED.contains(&rule.name))
}

const fn row(
    name: &'static str,
    hides: &'static str,
    pattern: Option<&'static str>,
    accepts: fn(&Captures<'_>, &str, Range<usize>) -> bool,
) -> Rule {
    Rule { name, hides, pattern, accepts }
}

/// A pattern of the user that is not a regular expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}\n  {pattern}\n  {:>column$}", "^")]
pub(crate) struct BadPattern {
    pub pattern: String,
    /// Where in the pattern, in characters from 1.
    pub column: usize,
    pub reason: String,
}

/// The compiled rules, with the user's own after them.
pub(crate) struct CompiledRules {
    names: Vec<String>,
    patterns: Vec<(usize, Regex)>,
}

/// A secret in a text and the rule that found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Match {
    pub secret: Range<usize>,
    pub rule: usize,
    /// The value is a secret without doubt.
    pub is_password: bool,
}

impl CompiledRules {
    pub(crate) fn new(emails: bool, own: &[String]) -> Result<CompiledRules, BadPattern> {
        let mut rules =
            CompiledRules { names: RULES.iter().map(|rule| rule.name.to_owned()).collect(), patterns: Vec::new() };
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

    pub(crate) fn name(&self, rule: usize) -> &str {
        &self.names[rule]
    }

    /// Every secret that a pattern matches in a text.
    pub(crate) fn find(&self, text: &str, each: impl FnMut(Match)) {
        self.find_from(0, text, each);
    }

    /// Those that the user's own patterns match.
    pub(crate) fn find_own(&self, text: &str, each: impl FnMut(Match)) {
        self.find_from(RULES.len(), text, each);
    }

    fn find_from(&self, first: usize, text: &str, mut each: impl FnMut(Match)) {
        for (rule, pattern) in self.patterns.iter().filter(|(rule, _)| *rule >= first) {
            let accepts = RULES.get(*rule).map_or(always as _, |row| row.accepts);
            for found in pattern.captures_iter(text) {
                let grouped = found.len() > 1 && found.iter().skip(1).any(|group| group.is_some());
                let groups = found.iter().skip(usize::from(grouped)).flatten();
                for secret in groups.map(|group| group.range()).filter(|range| !range.is_empty()) {
                    if accepts(&found, text, secret.clone()) {
                        // Both count, since either may be the secret.
                        let more = if *rule == ASSIGNMENT { widened(&found, text, &secret) } else { None };
                        let is_password = match *rule {
                            ASSIGNMENT => found.get(1).is_some_and(|name| is_password(name.as_str())),
                            rule => RULES.get(rule).is_some_and(|row| matches!(row.name, "url-credentials" | "login")),
                        };
                        each(Match { secret, rule: *rule, is_password });
                        if let Some(secret) = more {
                            each(Match { secret, rule: *rule, is_password });
                        }
                    }
                }
            }
        }
    }
}

/// The regex crate reports the position of an error only as an arrow below the pattern.
fn bad(pattern: &str, error: &regex::Error) -> BadPattern {
    let message = error.to_string();
    let arrow = message.lines().find(|line| line.contains('^') && line.trim_matches([' ', '^']).is_empty());
    let column = arrow.and_then(|line| line.find('^')).map_or(1, |at| at.saturating_sub(3));
    let reason = message.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
    BadPattern { pattern: pattern.to_owned(), column: column.max(1), reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(&str, &'static str)> {
        let mut all = Vec::new();
        let rules = CompiledRules::new(false, &[]).expect("our own patterns");
        rules.find(text, |found| all.push((&text[found.secret], RULES[found.rule].name)));
        all
    }

    #[test]
    fn values_of_sensitive_names_are_found() {
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
            ("Authorization: Bearer\n  abcdefgh1", "abcdefgh1"),
            ("{\"a\": 1, \"password\": \"ab12cd34\n... 312 more lines", "ab12cd34"),
            ("\"password\":\n  \"ab12cd34\"", "ab12cd34"),
            ("db:\n  password:\n    ab12cd34\n", "ab12cd34"),
            ("password=\"ab12\nsecond\"", "ab12"),
            ("postgres://app:S3cr3t@Horse9Battery@db/x", "S3cr3t@Horse9Battery"),
            ("postgres://u:p/ab12@h", "p/ab12"),
            ("postgres://u:p#ab12@h", "p#ab12"),
            ("redis://:p/ab12@h", "p/ab12"),
            ("x\nDB_PASSWORD=ab12,cd34\n", "ab12,cd34"),
            ("export DB_PASSWORD=ab12;cd34 x", "ab12;cd34"),
            ("run DB_PASSWORD=ab12&cd34'ef|gh x", "ab12&cd34'ef|gh"),
            ("DB_PASSWORD=(ab12", "(ab12"),
            (r"DB_PASSWORD=ab12\ncd34\tef", r"ab12\ncd34\tef"),
            (r#"PASSWORD="ab12\"cd34""#, r#"ab12\"cd34"#),
            (r#"curl -d '{"password":"ab\"cd"}'"#, r#"ab\"cd"#),
            (r#"Cookie: a="x"; sid=ab12"#, r#"a="x"; sid=ab12"#),
            (r#"Authorization: Digest username="bob", response="ab12cd34""#, r#"username="bob", response="ab12cd34""#),
            ("GET /x?token=ab'cd34", "ab'cd34"),
            ("DB_PASSWORD=$ecretP4ssw0rd", "$ecretP4ssw0rd"),
            ("DB_PASS=ab12cd", "ab12cd"),
            ("AccountKey=ab12cd==;x", "ab12cd=="),
            (r#"password: Some("ab12")"#, "ab12"),
            ("'password': b'ab12'", "ab12"),
            ("curl -s -u bob:ab12cd https://x", "ab12cd"),
            ("sshpass -p 'ab 12' ssh", "ab 12"),
            ("machine x login bob password ab12cd", "ab12cd"),
            ("CREATE USER x IDENTIFIED BY 'ab12'", "ab12"),
            ("<password>ab12</password>", "ab12"),
            ("key_sk_live_0123456789abcdef", "sk_live_0123456789abcdef"),
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
            "PASSWORD={{ vault_password }} TOKEN=$(cat token) password=$pass",
            "PWD=/srv/project OLDPWD=/srv max_token: 4096 eos_token=x",
            "http://localhost:8080/@scope/pkg http://h:80/x?mail=a@b.example",
            "docker run -u 1000:1000 x; the login form, the password field; Bearer <token> and <token>",
            "token:\n  key1234: value\nDB_PASSWORD=\nNEXT_NUMBER=abc12345",
            "f(a, token=get(x), password=args.password)",
            "print(\"token=\" + name)\ntoken = self[0]\nlog(\"token=%r\", x)",
        ] {
            assert!(found(text).is_empty(), "{text}: {:?}", found(text));
        }
    }

    #[test]
    fn a_bad_pattern_is_reported_with_its_column() {
        let error = CompiledRules::new(false, &["ok".to_owned(), "ab(c".to_owned()]).err().expect("an error");
        assert_eq!((error.pattern.as_str(), error.column), ("ab(c", 3));
        assert!(error.reason.contains("unclosed group") && error.to_string().contains("ab(c"));
    }

    #[test]
    fn rule_numbers_match_their_rows() {
        assert_eq!((RULES[FIELD].name, RULES[ASSIGNMENT].name, RULES[EMAIL].name), ("field", "assignment", "email"));
    }
}

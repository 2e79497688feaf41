//! The rules: what counts as a secret, one row per rule. Values without a recognizable shape need a sensitive name,
//! since hashes, ids and code, which logs are full of, must stay.

use std::ops::Range;

use regex::Captures;

use super::assignment;
use super::false_positive::{
    always, basic, has_digit, header, login, long_or_digit, named_after, not_a_word, query, signature, token,
    url_credentials,
};

pub(crate) struct Rule {
    pub name: &'static str,
    /// What it masks.
    #[cfg_attr(not(test), expect(dead_code, reason = "a test makes the table in docs/redaction.md from it"))]
    pub hides: &'static str,
    pub finder: Finder,
    /// A text without any of these, in any case, holds no match. Empty if that is not known.
    pub triggers: &'static [&'static str],
    /// A second look at a match: whether it is a secret.
    pub accepts: Accepts,
}

pub(crate) type Accepts = fn(&Captures<'_>, &str, Range<usize>) -> bool;

/// How a rule finds secrets in a text.
pub(crate) enum Finder {
    /// Not in texts: names of JSON members decide.
    Members,
    /// The groups of a pattern are masked; without a group, the whole match.
    Pattern(&'static str),
    Prefixes,
    Assignments,
    Clients,
}

pub(crate) const FIELD: usize = 0;
/// These rules apply only on request.
pub(crate) const EMAIL: usize = 28;
pub(crate) const HOME: usize = 29;

/// In order of precedence: the first rule that matches names the mask.
pub(crate) const RULES: [Rule; 30] = [
    row(
        "field",
        "values of JSON fields and command-line options with a sensitive name (`authorization`, `cookie`, `password`, `secret`, `…_token`, `…ApiKey`, …)",
        Finder::Members,
        &[],
        always,
    ),
    row(
        "private-key",
        "private key blocks (PEM, PGP, PuTTY), also truncated ones, and age keys",
        Finder::Pattern(concat!(
            r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}(?s:.*?)(?:-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|\z)",
            r"|PuTTY-User-Key-File-[0-9](?s:.*?)(?:Private-MAC: *[0-9a-f]+|\z)",
            r"|AGE-SECRET-KEY-1[A-Z0-9]{20,}|AGE-PLUGIN-[A-Z0-9-]{1,40}-1[A-Z0-9]{20,}",
        )),
        &["PRIVATE KEY", "PuTTY-User-Key-File", "AGE-"],
        always,
    ),
    row(
        "jwt",
        "JSON web tokens",
        Finder::Pattern(r"(?-u:\b)eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?"),
        &["eyJ"],
        always,
    ),
    row(
        "aws-key",
        "AWS access key ids",
        Finder::Pattern(r"(?-u:\b)(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?-u:\b)"),
        &["AKIA", "ASIA", "ABIA", "ACCA"],
        always,
    ),
    row(
        "github-token",
        "GitHub tokens (`ghp_…`, `github_pat_…`)",
        Finder::Pattern(r"(?-u:\b|_)(gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})"),
        &["gh", "github_pat_"],
        always,
    ),
    row(
        "gitlab-token",
        "GitLab tokens (`glpat-…`)",
        Finder::Pattern(r"(?-u:\b|_)(gl(?:pat|oas|dt|rt|cbt|ptt|ft|imt|agent|soat)-[A-Za-z0-9_-]{20,})"),
        &["gl"],
        always,
    ),
    row(
        "slack-token",
        "Slack tokens and webhook addresses",
        Finder::Pattern(
            r"(?-u:\b)(?:xox[abceoprs]-[A-Za-z0-9-]{10,}|xoxd-[A-Za-z0-9%/+=-]{10,}|xapp-[A-Za-z0-9-]{10,}|hooks\.slack\.com/services/([A-Za-z0-9/]{20,}))",
        ),
        &["xox", "xapp-", "hooks.slack.com"],
        always,
    ),
    row(
        "stripe-key",
        "Stripe keys",
        Finder::Pattern(r"(?-u:\b|_)([srp]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9]{24,})"),
        &["k_", "whsec_"],
        always,
    ),
    row(
        "anthropic-key",
        "Anthropic keys",
        Finder::Pattern(r"(?-u:\b|_)(sk-ant-[A-Za-z0-9_-]{20,})"),
        &["sk-ant-"],
        always,
    ),
    row(
        "openai-key",
        "OpenAI keys, and other keys of the shape `sk-…` that contain a digit",
        Finder::Pattern(r"(?-u:\b)sk-[A-Za-z0-9_-]{20,}"),
        &["sk-"],
        has_digit,
    ),
    row(
        "google-key",
        "Google API keys, client secrets and access tokens",
        Finder::Pattern(r"(?-u:\b)(?:AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{20,}|ya29\.[A-Za-z0-9_-]{20,})"),
        &["AIza", "GOCSPX-", "ya29."],
        always,
    ),
    row(
        "npm-token",
        "npm and PyPI tokens",
        Finder::Pattern(r"(?-u:\b)(?:npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,})"),
        &["npm_", "pypi-"],
        always,
    ),
    row("huggingface-token", "Hugging Face tokens", Finder::Pattern(r"(?-u:\b)hf_[A-Za-z0-9]{30,}"), &["hf_"], always),
    row(
        "vendor-key",
        "tokens with the prefix or shape of about a hundred services (`hvs.…`, `glsa_…`, `shpat_…`, `dop_v1_…`, Telegram, Azure, …)",
        Finder::Prefixes,
        &[],
        token,
    ),
    row(
        "discord-token",
        "Discord tokens",
        Finder::Pattern(r"(?-u:\b)[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}"),
        &["."],
        token,
    ),
    row(
        "url-credentials",
        "passwords in URLs, and long user names without a password",
        // The last `@` before the host ends a password. A password with characters that end a host is distinguished
        // from a port.
        Finder::Pattern(concat!(
            r#"[A-Za-z][A-Za-z0-9+.-]{0,20}://(?:[^\s/?#"'<>@:\x00-\x1f]*:([^\s/?#"'<>@\x00-\x1f]+(?:@[^\s/?#"'<>@,\x00-\x1f]+)*)"#,
            r#"|[^\s/?#"'<>@:\x00-\x1f]*:([^\s/?#"'<>@:\x00-\x1f]+[/?#][^\s"'<>@,:\x00-\x1f]{0,128})"#,
            r#"|([A-Za-z0-9_.~%-]{20,}))@"#
        )),
        &["://"],
        url_credentials,
    ),
    row(
        "url-query",
        "sensitive query parameters of URLs, including signatures",
        Finder::Pattern(r#"[?&]([A-Za-z0-9_.-]{1,64})=((?:[^\s&#"'<>\\\x00-\x1f]|'[A-Za-z0-9])+)"#),
        &["?", "&"],
        query,
    ),
    row(
        "basic",
        "credentials of HTTP basic authentication",
        Finder::Pattern(r"(?i-u:\bbasic[ \t]+)([A-Za-z0-9+/_-]{8,}={0,2})"),
        &["basic"],
        basic,
    ),
    row(
        "bearer",
        "bearer tokens",
        Finder::Pattern(r"(?i-u:\bbearer(?:[ \t]+|[ \t]*\r?\n[ \t]+))([A-Za-z0-9._~+/-]{8,}=*)"),
        &["bearer"],
        long_or_digit,
    ),
    row(
        "header",
        "header lines in texts: `Authorization:`, `Cookie:`, `Set-Cookie:`",
        Finder::Pattern(
            r#"(?i-u:\b(?:(?:set-)?(cookie)|(?:proxy-)?authorization)["']?[ \t]*:[ \t]*["']?)(?i-u:[a-z]+[ \t]+)?([^\s"'\x00-\x1f](?:=\\?"[^"\x00-\x1f]*"?|='[^'\x00-\x1f]*'?|[^"'\x00-\x1f])*)"#,
        ),
        &["cookie", "authorization"],
        header,
    ),
    row(
        "signature",
        "signatures of URLs and requests: `Signature=`, `X-Amz-Signature=`, `sig=`",
        Finder::Pattern(r"(?i-u:\b(?:signature|security-token|sig)=)([A-Za-z0-9%+/=_~.-]{16,})"),
        &["sig", "security-token"],
        signature,
    ),
    row(
        "dsn",
        "passwords in addresses without a scheme (`user:password@tcp(host)`, `user:password@host:5432`), and in lines of `.pgpass`",
        Finder::Pattern(concat!(
            r#"[A-Za-z0-9_.%+-]+:([^\s"'\x00-\x1f]+?)@(?:tcp[46]?|udp|unix)?\("#,
            r#"|(?-u:\b)[A-Za-z0-9_.-]+:([^\s"'@:/\x00-\x1f]{4,})@[A-Za-z0-9.-]+:[0-9]{2,5}(?-u:\b)"#,
            r#"|(?i-u:jdbc:oracle:[a-z]+:)[A-Za-z0-9_.-]+/([^\s"'@]+)@"#,
            r#"|(?m:^|[\s"'])(?:[A-Za-z0-9.*-]+|/[A-Za-z0-9_./-]+):(?:\*|[0-9]{4,5}):[^\s:]+:[^\s:]+:([^\s"']+)(?m:["'\s]|$)"#,
        )),
        &["@", ":*:", ":1", ":2", ":3", ":4", ":5", ":6", ":7", ":8", ":9"],
        not_a_word,
    ),
    row(
        "password-hash",
        "hashes of passwords (`$6$…`, `$2b$…`, `$argon2id$…`)",
        Finder::Pattern(
            r"\$(?:1|2[abxy]?|5|6|7|y|gy|apr1|argon2(?:id|i|d)|scrypt|pbkdf2[a-z0-9-]{0,20})\$[./A-Za-z0-9$=,+-]{20,}",
        ),
        &["$"],
        always,
    ),
    row(
        "assignment",
        "values of sensitive names in texts, command lines, settings, code and dumps: `name=value`, `\"name\": \"value\"`, `--name value`, `env[\"NAME\"] = …`, `define('NAME', …)`, `setx NAME value`, `name: NAME` with `value: …`, `<name>value</name>`; under names that may or may not hold a secret, only values that look generated",
        Finder::Assignments,
        &assignment::TRIGGERS,
        always,
    ),
    row(
        "named-value",
        "a member `value` that is followed by a member `name` with a sensitive name",
        Finder::Pattern(
            r#"(?i-u:\bval(?:ue)?["']?[ \t]*[:=][ \t]*["']?)([^\s"',;{}]{1,512})["']?[ \t]*[,;]?[ \t\r\n]*["']?(?i-u:name|key)["']?[ \t]*[:=][ \t]*["']?([A-Za-z0-9_.-]{1,64})"#,
        ),
        &["val"],
        named_after,
    ),
    row(
        "login",
        "passwords in `curl -u`, `sshpass -p`, `.netrc`, `identified by '…'` and `<password>…</password>`",
        Finder::Pattern(concat!(
            r#"(?:\s|\A)(?:-u|--user|--proxy-user)[ =]?["']?([^\s:"'/]{1,64}):([^\s"']+)"#,
            r#"|\bsshpass[ \t]+-p[ \t]*(?:'([^'\n]+)|"([^"\n]+)|([^\s"']+))"#,
            r#"|\blogin[ \t\r\n]+[^\s]{1,64}[ \t\r\n]+password[ \t\r\n]+([^\s]+)"#,
            r#"|(?i:\bidentified[ \t]+(?:with[ \t]+[^\s]{1,64}[ \t]+)?by[ \t]+(?:password[ \t]+)?|\bpassword[ \t]+)'([^'\n]+)"#,
            r#"|<[A-Za-z0-9_:.-]{0,40}(?i:password|passwd|passphrase|secret|token|api_?key)>([^<\s]+)</"#
        )),
        &["-u", "--user", "--proxy-user", "sshpass", "login", "identified", "password"],
        login,
    ),
    row(
        "client",
        "passwords in the options of command-line clients (`docker login -p`, `mysql -p…`, `redis-cli -a`, `curl -b`, `sqlcmd -P`, `openssl -pass pass:…`, …)",
        Finder::Clients,
        &[],
        always,
    ),
    row(
        "account",
        "the e-mail address of the account that a program runs under (`account: …`)",
        Finder::Pattern(
            r"(?i-u:\baccount|\blogged in as|\buser email)[ \t]*:?[ \t]*([A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})*\.[A-Za-z]{2,24})(?-u:\b)",
        ),
        &["account", "logged in as", "user email"],
        always,
    ),
    row(
        "email",
        "e-mail addresses (only on request)",
        Finder::Pattern(
            r"(?-u:\b)[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})*\.[A-Za-z]{2,24}(?-u:\b)",
        ),
        &["@"],
        always,
    ),
    row(
        "home",
        "the names of users in paths of home directories (only on request)",
        Finder::Pattern(concat!(
            r#"(?i-u:[\\/](?:home|users)[\\/]{1,2})([^\\/\s"'`<>:;,|&()\[\]{}*?$]{1,64})"#,
            r#"|(?:\A|[\\/\s"'])-(?:home|Users)-([A-Za-z0-9]{1,64})-"#,
        )),
        &["home/", "users/", "\\home\\", "\\users\\", "-home-", "-users-"],
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
    const NAMED: [&str; 8] =
        ["field", "assignment", "named-value", "url-query", "url-credentials", "dsn", "login", "client"];
    RULES.get(rule).is_some_and(|rule| NAMED.contains(&rule.name))
}

const fn row(
    name: &'static str,
    hides: &'static str,
    finder: Finder,
    triggers: &'static [&'static str],
    accepts: Accepts,
) -> Rule {
    Rule { name, hides, finder, triggers, accepts }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_numbers_match_their_rows() {
        assert_eq!((RULES[FIELD].name, RULES[EMAIL].name, RULES[HOME].name), ("field", "email", "home"));
    }
}

//! The compiled rules and their search through a text.

use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::{Regex, RegexBuilder};

use super::assignment::Assignments;
use super::false_positive::always;
use super::mask::MaskOptions;
use super::rule::{Accepts, EMAIL, Finder, HOME, OWN, RULES};
use super::{client, prefix};

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
    finders: Vec<(usize, CompiledFinder)>,
    triggers: Triggers,
}

enum CompiledFinder {
    Pattern(Regex),
    Assignments(Box<Assignments>),
    /// The name of a program and the blank after it.
    Clients(Regex),
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
    pub(crate) fn new(options: &MaskOptions) -> Result<CompiledRules, BadPattern> {
        let names = RULES.iter().map(|rule| rule.name.to_owned()).collect();
        let triggers = Triggers::new().map_err(|error| BadPattern {
            pattern: String::new(),
            column: 1,
            reason: error.to_string(),
        })?;
        let mut rules = CompiledRules { names, finders: Vec::new(), triggers };
        let is_wanted = |number: usize| match number {
            EMAIL => options.emails,
            HOME => options.homes,
            _ => true,
        };
        for (number, rule) in RULES.iter().enumerate().filter(|(number, _)| is_wanted(*number)) {
            let compiled = match rule.finder {
                Finder::Members => continue,
                Finder::Pattern(pattern) => CompiledFinder::Pattern(compiled(pattern)?),
                Finder::Prefixes => CompiledFinder::Pattern(compiled(&prefix::pattern())?),
                Finder::Assignments => {
                    CompiledFinder::Assignments(Box::new(Assignments::new().map_err(|error| bad("", &error))?))
                }
                Finder::Clients => CompiledFinder::Clients(compiled(&client::pattern())?),
            };
            rules.finders.push((number, compiled));
        }
        for (at, pattern) in options.patterns.iter().enumerate() {
            let own = Regex::new(pattern).map_err(|error| bad(pattern, &error))?;
            rules.finders.push((rules.names.len(), CompiledFinder::Pattern(own)));
            rules.names.push(format!("{OWN}-{}", at + 1));
        }
        Ok(rules)
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.names
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
        if self.finders.last().is_none_or(|(last, _)| *last < first) {
            return;
        }
        let possible = self.triggers.rules_for(text);
        for (rule, finder) in self.finders.iter().filter(|(rule, _)| *rule >= first) {
            if *rule < RULES.len() && possible & (1 << *rule) == 0 {
                continue;
            }
            match finder {
                CompiledFinder::Pattern(pattern) => find_pattern(*rule, pattern, text, &mut each),
                CompiledFinder::Assignments(assignments) => {
                    assignments.find(text, |secret, is_password| each(Match { secret, rule: *rule, is_password }));
                }
                CompiledFinder::Clients(programs) => {
                    let mut hide = |secret| each(Match { secret, rule: *rule, is_password: true });
                    for found in programs.find_iter(text) {
                        let program = found.as_str().trim_matches(|letter: char| !letter.is_alphanumeric());
                        client::secrets_after(text, program, found.end(), &mut hide);
                    }
                }
            }
        }
    }
}

fn find_pattern(rule: usize, pattern: &Regex, text: &str, each: &mut impl FnMut(Match)) {
    let accepts = RULES.get(rule).map_or(always as Accepts, |row| row.accepts);
    let is_password =
        RULES.get(rule).is_some_and(|row| matches!(row.name, "url-credentials" | "login" | "dsn" | "home"));
    for found in pattern.captures_iter(text) {
        let grouped = found.len() > 1 && found.iter().skip(1).any(|group| group.is_some());
        let groups = found.iter().skip(usize::from(grouped)).flatten();
        for secret in groups.map(|group| group.range()).filter(|range| !range.is_empty()) {
            if accepts(&found, text, secret.clone()) {
                each(Match { secret, rule, is_password });
            }
        }
    }
}

fn compiled(pattern: &str) -> Result<Regex, BadPattern> {
    RegexBuilder::new(pattern).size_limit(64 << 20).build().map_err(|error| bad(pattern, &error))
}

/// One search for the triggers of all rules, so that most rules are not run on most texts.
struct Triggers {
    search: AhoCorasick,
    /// The rules of each trigger, as bits.
    rules: Vec<u64>,
    /// Rules without triggers.
    always: u64,
}

impl Triggers {
    fn new() -> Result<Triggers, aho_corasick::BuildError> {
        let (mut words, mut rules, mut always) = (Vec::new(), Vec::new(), 0);
        for (number, rule) in RULES.iter().enumerate() {
            let own: Vec<String> = match rule.finder {
                Finder::Prefixes => prefix::triggers().map(str::to_owned).collect(),
                Finder::Clients => client::triggers().collect(),
                _ => rule.triggers.iter().map(|trigger| (*trigger).to_owned()).collect(),
            };
            if own.is_empty() {
                always |= 1 << number;
            }
            rules.extend(own.iter().map(|_| 1_u64 << number));
            words.extend(own);
        }
        // There are few, so the fastest kind is small enough.
        let kind = Some(AhoCorasickKind::DFA);
        let search = AhoCorasick::builder().ascii_case_insensitive(true).kind(kind).build(words)?;
        Ok(Triggers { search, rules, always })
    }

    /// The rules that may match in a text, as bits.
    fn rules_for(&self, text: &str) -> u64 {
        let found = self.search.find_overlapping_iter(text);
        found.fold(self.always, |rules, found| rules | self.rules[found.pattern()])
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
        let rules = CompiledRules::new(&MaskOptions::default()).expect("our own patterns");
        rules.find(text, |found| all.push((&text[found.secret], RULES[found.rule].name)));
        all
    }

    #[test]
    fn names_of_home_directories_are_found_on_request() {
        let options = MaskOptions { homes: true, ..MaskOptions::default() };
        let rules = CompiledRules::new(&options).expect("our own patterns");
        for (text, expected) in [
            (concat!("cat /ho", "me/alice/notes.md"), vec!["alice"]),
            ("/Users/bob.k/x and /Users/carol", vec!["bob.k", "carol"]),
            (r"C:\Users\dave\src", vec!["dave"]),
            ("/opt/.claude/projects/-home-erin-project/s.jsonl", vec!["erin"]),
            ("cd /Users/$USER; ls /home; at-home-office", vec![]),
        ] {
            let mut all = Vec::new();
            rules.find(text, |found| all.push(&text[found.secret]));
            assert_eq!(all, expected, "{text}");
            assert_eq!(found(text), []);
        }
        assert_eq!(found("account: alice@example.com, mail bob@example.com"), [("alice@example.com", "account")]);
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
        let patterns = vec!["ok".to_owned(), "ab(c".to_owned()];
        let options = MaskOptions { patterns, ..MaskOptions::default() };
        let error = CompiledRules::new(&options).err().expect("an error");
        assert_eq!((error.pattern.as_str(), error.column), ("ab(c", 3));
        assert!(error.reason.contains("unclosed group") && error.to_string().contains("ab(c"));
    }
}

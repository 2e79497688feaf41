//! Command-line clients that take a password as an option: `mysql -p…`, `docker login -p …`, `redis-cli -a …`.

use std::ops::Range;

use super::value::is_no_secret;

/// How a word of a command line holds a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    /// The word is the secret.
    Whole,
    /// What follows this character is the secret: `user:password`.
    After(char),
    /// The word is a list of cookies, unless it is the name of a file.
    Cookies,
}

/// The options of some programs.
struct Client {
    programs: &'static [&'static str],
    /// One of these words must come before the option. Empty if none is needed.
    after: &'static [&'static str],
    /// Options whose next word holds a secret.
    options: &'static [&'static str],
    /// Options with the secret in the same word.
    attached: &'static [&'static str],
    holds: Holds,
}

const CLIENTS: [Client; 15] = [
    client(
        &["docker", "podman", "nerdctl", "buildah", "skopeo", "helm", "oras", "crane", "az", "oc", "cf", "ibmcloud"],
        &["login"],
        &["-p"],
        &[],
    ),
    client(&["twine", "poetry", "flit"], &["upload", "publish"], &["-p"], &[]),
    client(
        &[
            "mysql",
            "mysqldump",
            "mysqladmin",
            "mysqlimport",
            "mysqlshow",
            "mysqlcheck",
            "mysqlslap",
            "mycli",
            "mariadb",
            "mariadb-dump",
            "mariadb-admin",
            "7z",
            "7za",
            "7zr",
            "rar",
            "unrar",
        ],
        &[],
        &[],
        &["-p"],
    ),
    client(&["redis-cli", "keydb-cli", "valkey-cli"], &[], &["-a", "--pass"], &[]),
    client(
        &[
            "mongo",
            "mongosh",
            "mongodump",
            "mongorestore",
            "mongoexport",
            "mongoimport",
            "cqlsh",
            "beeline",
            "rdesktop",
            "psexec",
        ],
        &[],
        &["-p"],
        &[],
    ),
    client(&["sshpass"], &[], &["-p"], &["-p"]),
    client(
        &["sqlcmd", "bcp", "isql", "osql", "zip", "unzip", "zipcloak", "ipmitool", "mosquitto_pub", "mosquitto_sub"],
        &[],
        &["-P"],
        &["-P"],
    ),
    client(
        &["ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldappasswd", "ldapwhoami", "ldapcompare"],
        &[],
        &["-w", "-s"],
        &[],
    ),
    client(&["plink", "pscp", "psftp", "putty"], &[], &["-pw"], &[]),
    client(&["xfreerdp", "wfreerdp", "mstsc"], &[], &[], &["/p:"]),
    client(&["ssh-keygen"], &[], &["-N", "-P"], &[]),
    client(&["snmpwalk", "snmpget", "snmpset", "snmpbulkwalk"], &[], &["-A", "-X"], &[]),
    Client {
        programs: &["curl", "http", "https", "xh", "wget"],
        after: &[],
        options: &["-u", "--user", "-U", "--proxy-user", "-a", "--auth"],
        attached: &["-u"],
        holds: Holds::After(':'),
    },
    Client { programs: &["curl"], after: &[], options: &["-b", "--cookie"], attached: &["-b"], holds: Holds::Cookies },
    Client {
        programs: &["smbclient", "rpcclient", "smbget", "smbmap", "net"],
        after: &[],
        options: &["-U", "--user"],
        attached: &["-U"],
        holds: Holds::After('%'),
    },
];

const fn client(
    programs: &'static [&'static str],
    after: &'static [&'static str],
    options: &'static [&'static str],
    attached: &'static [&'static str],
) -> Client {
    Client { programs, after, options, attached, holds: Holds::Whole }
}

/// Programs that take passwords in words of their own, without an option before them.
const PLAIN_PROGRAMS: [&str; 10] =
    ["openssl", "sqlplus", "expdp", "impdp", "sqlldr", "htpasswd", "rabbitmqctl", "vault", "lftp", "wpa_passphrase"];

/// Every program that is known, for the search in texts.
pub(crate) fn programs() -> impl Iterator<Item = &'static str> {
    CLIENTS.iter().flat_map(|client| client.programs).chain(&PLAIN_PROGRAMS).copied()
}

/// A text without any of these names no program. Short names are parts of many words, so they need what follows them.
pub(crate) fn triggers() -> impl Iterator<Item = String> {
    const SHORT_UP_TO: usize = 5;
    programs().flat_map(|program| {
        let after: &[&str] = if program.len() <= SHORT_UP_TO { &[" ", "\t", ".exe", "\"", "'"] } else { &[""] };
        after.iter().map(move |after| format!("{program}{after}"))
    })
}

/// A pattern for the name of a program and the blank after it.
pub(crate) fn pattern() -> String {
    let names: Vec<String> = programs().map(regex::escape).collect();
    format!(r#"(?:\A|[\s"'`(/\\;&|=])(?:{})(?:\.exe)?(?-u:["']?[ \t]+)"#, names.join("|"))
}

/// A command line, read word by word.
#[derive(Default)]
pub(crate) struct CommandLine {
    program: String,
    words: Vec<String>,
}

/// Later words are not read.
const WORDS_LIMIT: usize = 64;

impl CommandLine {
    /// The secret in the next word, if it holds one.
    pub(crate) fn word(&mut self, word: &str) -> Option<Range<usize>> {
        let base = word.rsplit(['/', '\\']).next().unwrap_or(word);
        let base = base.strip_suffix(".exe").unwrap_or(base);
        if self.program.is_empty() {
            if word.len() <= 128 && programs().any(|program| program == base) {
                base.clone_into(&mut self.program);
            }
            return None;
        }
        if self.words.len() >= WORDS_LIMIT {
            return None;
        }
        let own = CLIENTS.iter().filter(|client| client.programs.contains(&self.program.as_str()));
        let found = own.filter_map(|client| self.held_by(client, word)).next().or_else(|| self.plain(word));
        self.words.push(word.chars().take(64).collect());
        found.filter(|range| {
            !range.is_empty() && !is_no_secret(&word[range.clone()]) && !is_variable(&word[range.clone()])
        })
    }

    fn held_by(&self, client: &Client, word: &str) -> Option<Range<usize>> {
        let is_ready = client.after.is_empty() || self.words.iter().any(|word| client.after.contains(&word.as_str()));
        if !is_ready {
            return None;
        }
        let last = self.words.last().map_or("", String::as_str);
        if client.options.contains(&last) {
            return held(word, 0, client.holds);
        }
        let option = client.attached.iter().find(|option| word.starts_with(**option))?;
        let at = option.len() + usize::from(word[option.len()..].starts_with('='));
        // A long option such as `-port` is not an attached value.
        let is_option =
            option.len() == 2 && word[at..].chars().all(|letter| letter.is_ascii_lowercase() || letter == '-');
        if is_option && ["ort", "rotocol", "ager", "refix", "arallel"].contains(&&word[at..]) {
            return None;
        }
        held(word, at, client.holds)
    }

    /// Words that hold a secret by their place or their own form.
    fn plain(&self, word: &str) -> Option<Range<usize>> {
        let nth =
            |verb: &str, at: usize| self.words.iter().position(|word| word == verb) == self.words.len().checked_sub(at);
        match self.program.as_str() {
            "openssl" => word.strip_prefix("pass:").map(|_| 5..word.len()),
            "sqlplus" | "expdp" | "impdp" | "sqlldr" => {
                let slash = word.find('/').filter(|at| *at > 0 && !word.contains("//"))?;
                Some(slash + 1..word.rfind('@').filter(|at| *at > slash).unwrap_or(word.len()))
            }
            "htpasswd" => {
                let is_batch = self.words.first().is_some_and(|word| word.starts_with('-') && word.contains('b'));
                (is_batch
                    && self.words.len() >= 2
                    && !word.starts_with(['-', '/', '.'])
                    && self.words.iter().filter(|word| !word.starts_with('-')).count()
                        + usize::from(self.words[0].contains('n'))
                        >= 2)
                    .then_some(0..word.len())
            }
            "rabbitmqctl" => (nth("add_user", 2) || nth("change_password", 2)).then_some(0..word.len()),
            "vault" => (nth("login", 1) && !word.starts_with('-') && !word.contains('=')).then_some(0..word.len()),
            "lftp" => (self.words.last().is_some_and(|word| word == "-u")).then(|| held(word, 0, Holds::After(',')))?,
            "wpa_passphrase" => (self.words.len() == 1).then_some(0..word.len()),
            _ => None,
        }
    }
}

fn held(word: &str, from: usize, holds: Holds) -> Option<Range<usize>> {
    let from = from + usize::from(word[from..].starts_with(['"', '\'']));
    let rest = &word[from..];
    match holds {
        Holds::Whole => (!rest.starts_with('-')).then_some(from..word.len()),
        Holds::After(sign) => {
            let at = rest.find(sign)? + 1;
            // Numbers are a user and a group.
            let is_numbers = rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
            (at > 1 && !is_numbers && !rest.contains("://")).then_some(from + at..word.len())
        }
        Holds::Cookies => rest.contains('=').then_some(from..word.len()),
    }
}

fn is_variable(word: &str) -> bool {
    let is_name =
        |name: &str| name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    word.starts_with("$(") || word.starts_with("${") || word.strip_prefix('$').is_some_and(is_name)
}

/// The secrets of a command line that begins after its program at a position of a text.
pub(crate) fn secrets_after(text: &str, program: &str, from: usize, each: &mut dyn FnMut(Range<usize>)) {
    let mut line = CommandLine::default();
    line.word(program);
    let mut at = from;
    for _ in 0..WORDS_LIMIT {
        let Some(word) = next_word(text, at) else { return };
        if let Some(secret) = line.word(&text[word.clone()]) {
            each(word.start + secret.start..word.start + secret.end);
        }
        at = word.end;
        // The closing quote.
        if matches!(text.as_bytes().get(at), Some(b'"' | b'\'')) {
            at += 1;
        }
    }
}

/// Words are at most this long; a longer one is cut.
const WORD_LIMIT_BYTES: usize = 4096;

/// The next word of a shell's command line, without its quotes. The option may be outside of them: `-p'a b'`.
fn next_word(text: &str, from: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = from;
    loop {
        match bytes.get(at)? {
            b' ' | b'\t' => at += 1,
            b'\\' if bytes.get(at + 1) == Some(&b'\n') => at += 2,
            b'\n' | b'\r' | b'|' | b';' | b'&' | b'<' | b'>' | b'`' | b')' => return None,
            _ => break,
        }
    }
    let mut start = at;
    let quote = bytes.get(at).copied().filter(|byte| matches!(byte, b'"' | b'\''));
    if quote.is_some() {
        (start, at) = (at + 1, at + 1);
    }
    let most = (start + WORD_LIMIT_BYTES).min(bytes.len());
    while at < most {
        let byte = bytes[at];
        let is_end = match quote {
            Some(quote) => byte == quote || byte == b'\n',
            None => {
                byte.is_ascii_whitespace() || matches!(byte, b'|' | b';' | b'"' | b'\'' | b'`' | b')' | b'<' | b'>')
            }
        };
        // A quote after an option opens its value.
        if is_end && quote.is_none() && matches!(byte, b'"' | b'\'') && at > start && at - start <= 3 {
            let close = bytes[at + 1..most].iter().position(|other| *other == byte || *other == b'\n');
            return Some(start..at + 1 + close.unwrap_or(most - at - 1));
        }
        if is_end {
            break;
        }
        at += 1;
    }
    let end = (at..=bytes.len()).find(|at| text.is_char_boundary(*at))?;
    (end > start).then_some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(program: &str, rest: &str) -> Vec<String> {
        let mut all = Vec::new();
        secrets_after(rest, program, 0, &mut |range| all.push(rest[range].to_owned()));
        all
    }

    #[test]
    fn options_of_clients_hold_passwords() {
        for (program, rest, secret) in [
            ("mysql", "-u root -phunter2 app", "hunter2"),
            ("mysql", "-uroot -p'hunt er2' app", "hunt er2"),
            ("docker", "login -u bob -p hunter2 registry.example", "hunter2"),
            ("redis-cli", "-h db -a \"hunter2\" ping", "hunter2"),
            ("curl", "-s -b 'sid=abc; a=b' https://x", "sid=abc; a=b"),
            ("curl", "-ubob:hunter2 https://x", "hunter2"),
            ("sqlplus", "scott/tiger@db", "tiger"),
            ("openssl", "enc -aes-256-cbc -pass pass:hunter2 -in x", "hunter2"),
            ("htpasswd", "-b .htpasswd bob hunter2", "hunter2"),
            ("smbclient", "//h/s -U bob%hunter2", "hunter2"),
        ] {
            assert_eq!(found(program, rest), [secret], "{program} {rest}");
        }
    }

    #[test]
    fn other_options_stay() {
        for (program, rest) in [
            ("docker", "run -p 8080:80 -u 1000:1000 x"),
            ("mysql", "-u root -p app"),
            ("curl", "-b cookies.txt -u $USER:$PASS https://x:80/"),
            ("docker", "login --password-stdin"),
            ("redis-cli", "-a $REDIS_PASS ping | grep -a x"),
            ("openssl", "s_client -connect h:443"),
        ] {
            assert!(found(program, rest).is_empty(), "{program} {rest}: {:?}", found(program, rest));
        }
    }
}
